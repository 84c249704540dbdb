/**
 * Values that a loop changes by the same number each time are counted along, not computed from the loop's counter.
 *
 *     loop:  n - (i << 4);  i = i + 1          loop:  m;  m = m - 16;  i = i + 1
 *
 * Source: llvm/lib/Transforms/Scalar/LoopStrengthReduce.cpp.
 */
import { dominates } from "./cfg.js";
import { type Block, type Node, valueOf } from "./graph.js";
import type { Simplifier } from "./simplify.js";

/** Returns which nodes are phis now; `early` has the first block that each may be in. */
export function countAlong(s: Simplifier, early: ReadonlyMap<Node, Block>): Map<Node, Node> {
  const replaced = new Map<Node, Node>();
  for (const node of early.keys()) {
    const [fixed, product] = node.inputs;
    if (node.kind !== "sub" || (product!.kind !== "shl" && product!.kind !== "mul")) continue;
    const [counter, by] = product!.inputs as [Node, Node];
    const head = counter.kind === "phi" ? counter.block! : undefined;
    if (!head || by.kind !== "const" || head.predecessors.length !== 2) continue;
    const back = head.predecessors.findIndex((from) => dominates(head, from));
    const step = back < 0 ? undefined : stepOf(counter, counter.inputs[back]!);
    const from = early.get(fixed!)!;
    if (step === undefined || from === head || !dominates(from, head)) continue;
    s.graph.loc = node.loc;
    const phi = s.graph.phi(head, node.width);
    const inputs = [
      s.sub(fixed!, s.binary(product!.kind, counter.inputs[1 - back]!, by)),
      s.sub(phi, s.binary(product!.kind, s.constant(node.width, step), by)),
    ];
    phi.inputs = back === 1 ? inputs : inputs.reverse();
    replaced.set(node, phi);
  }
  return replaced;
}
/** The number that a loop adds to a counter. */
function stepOf(counter: Node, next: Node): bigint | undefined {
  return next.kind === "add" && next.inputs[0] === counter ? valueOf(next.inputs[1]) : undefined;
}
