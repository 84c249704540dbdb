/**
 * Pointers to which a loop adds the same are one pointer and numbers that the loop does not change: ptxas keeps a word of each of these,
 * not the two of a pointer.
 *
 *     loop(p = base + a, q = base + b):  p = p + n;  q = q + n          loop(r = base):  p = r + a;  q = r + b;  r = r + n
 *
 * Source: llvm/lib/Transforms/Scalar/LoopStrengthReduce.cpp.
 */
import { dominates } from "./cfg.js";
import { type Block, type Node, valueOf } from "./graph.js";
import type { Simplifier } from "./simplify.js";

/** A phi that starts with a base and a number. */
interface Pointer {
  readonly phi: Node;
  readonly base: Node;
  readonly offset: Node;
}
/** Fewer pointers take no more registers than their base and offsets. */
const FEWEST = 3;

/** Returns which phis are sums now. */
export function joinPointers(s: Simplifier, order: readonly Block[]): Map<Node, Node> {
  const replaced = new Map<Node, Node>();
  for (const head of order) {
    const back = head.predecessors.length === 2 ? head.predecessors.findIndex((from) => dominates(head, from)) : -1;
    if (back < 0) continue;
    const families = new Map<string, { readonly step: Node; readonly pointers: Pointer[] }>();
    for (const phi of head.phis) {
      const [from, step] = phi.inputs[back]!.inputs;
      const [base, offset] = wordOffset(phi.inputs[1 - back]!);
      if (phi.inputs[back]!.kind !== "add" || from !== phi || !offset) continue;
      const key = `${base.id} ${step!.id}`;
      const known = families.get(key);
      if (known) known.pointers.push({ phi, base, offset });
      else families.set(key, { step: step!, pointers: [{ phi, base, offset }] });
    }
    for (const { step, pointers } of families.values()) {
      if (pointers.length < FEWEST) continue;
      const { phi: first, base } = pointers[0]!;
      const shared = s.graph.inPlaceOf(first, () => s.graph.phi(head, 64));
      const next = s.graph.inPlaceOf(first.inputs[back]!, () => s.add(shared, step));
      shared.inputs = back === 1 ? [base, next] : [next, base];
      for (const { phi, offset } of pointers)
        replaced.set(
          phi,
          s.graph.inPlaceOf(phi, () => s.add(shared, offset)),
        );
    }
  }
  return replaced;
}
/** A sum as another number and one that was extended from a word. */
function wordOffset(sum: Node): readonly [Node, Node | undefined] {
  const [a, b] = sum.inputs as [Node, Node];
  if (sum.kind === "add" && sum.width === 64) {
    if (isOfWord(b)) return [a, b];
    if (isOfWord(a)) return [b, a];
  }
  return [sum, undefined];
}
function isOfWord(node: Node): boolean {
  const word = node.kind === "shl" && valueOf(node.inputs[1]) !== undefined ? node.inputs[0]! : node;
  return (word.kind === "sext" || word.kind === "zext") && word.inputs[0]!.width === 32;
}
