/**
 * The parts of an address that a loop does not change are added up before the loop, where that takes a register's place.
 *
 *     base + ((row + i) << 1)          (base + (row << 1)) + (i << 1)
 *
 * Source: llvm/lib/Transforms/Scalar/LICM.cpp, hoistGEP and hoistAddSub.
 */
import { type Block, type Node, valueOf } from "./graph.js";
import type { Simplifier } from "./simplify.js";

/** A number that is shifted to the left and added. */
interface Term {
  readonly node: Node;
  readonly shift: bigint;
}

/** Returns which sums are others now; `early` has the first block that each live node may be in, inputs first. */
export function sumBeforeLoops(s: Simplifier, early: ReadonlyMap<Node, Block>): Map<Node, Node> {
  const depthOf = (node: Node): number => early.get(node)!.loopDepth;
  const uses = new Map<Node, number>();
  /** Uses in loops that do not change the value. */
  const usesInLoops = new Map<Node, number>();
  const count = (counts: Map<Node, number>, node: Node): unknown => counts.set(node, (counts.get(node) ?? 0) + 1);
  for (const node of early.keys())
    for (const input of node.inputs) {
      count(uses, input);
      if (depthOf(input) < depthOf(node)) count(usesInLoops, input);
    }
  // The parameters of a kernel need no register.
  const isFreed = ({ node }: Term): boolean => node.kind !== "param" && usesInLoops.get(node) === 1;
  const replaced = new Map<Node, Node>();
  const taken = new Set<Node>();
  for (const sum of [...early.keys()].reverse()) {
    const depth = depthOf(sum);
    if (sum.kind !== "add" || sum.width !== 64 || depth === 0 || taken.has(sum)) continue;
    const fixed: Term[] = [];
    const changing: Term[] = [];
    const work: Term[] = [{ node: sum, shift: 0n }];
    for (let term = work.pop(); term; term = work.pop()) {
      const { node, shift } = term;
      const [a, b] = node.inputs;
      const by = node.kind === "shl" ? valueOf(b) : undefined;
      const isPart = node === sum || (uses.get(node) === 1 && depthOf(node) === depth);
      if (isPart && node.kind === "add") work.push({ node: b!, shift }, { node: a!, shift });
      else if (isPart && by !== undefined && a!.kind === "add") work.push({ node: a!, shift: shift + by });
      else (node.kind !== "const" && depthOf(node) < depth ? fixed : changing).push(term);
      if (isPart) taken.add(node);
    }
    if (fixed.length < 2 || changing.length === 0 || !fixed.some(isFreed)) continue;
    s.graph.loc = sum.loc;
    s.graph.home = sum.home;
    replaced.set(sum, s.add(sumOf(s, fixed), sumOf(s, changing)));
  }
  return replaced;
}
function sumOf(s: Simplifier, terms: readonly Term[]): Node {
  const byShift = new Map<bigint, Node>();
  for (const { node, shift } of terms) {
    const known = byShift.get(shift);
    byShift.set(shift, known ? s.add(known, node) : node);
  }
  return [...byShift].map(([shift, node]) => s.shl(node, s.constant(64, shift))).reduce((a, b) => s.add(a, b));
}
