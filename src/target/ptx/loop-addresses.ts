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
/** A sum in a loop: what the loop does not change, and what it does. */
interface Sum {
  readonly sum: Node;
  readonly fixed: readonly Term[];
  readonly changing: readonly Term[];
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
  const sums: Sum[] = [];
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
    if (fixed.length >= 2 && changing.length > 0) sums.push({ sum, fixed, changing });
  }
  const together = freeTogether(sums, (node) => (node.kind === "param" ? undefined : usesInLoops.get(node)));
  for (const found of sums) {
    const { sum, fixed, changing } = found;
    if (!fixed.some(isFreed) && !together.has(found)) continue;
    s.graph.loc = sum.loc;
    s.graph.home = sum.home;
    replaced.set(sum, s.add(sumOf(s, fixed), sumOf(s, changing)));
  }
  return replaced;
}
/**
 * The sums that free more registers than they take when their fixed terms are added up: those that have the same fixed terms take one together,
 * and a term is free where all its uses are in them.
 *
 *     (keys + column) + i, (keys + column) + j, (values + column) + i, ...          two registers, not three
 */
function freeTogether(sums: readonly Sum[], usesOf: (node: Node) => number | undefined): ReadonlySet<Sum> {
  const found = new Set<Sum>();
  const usesHere = new Map<Node, number>();
  const byTerm = new Map<Node, Sum[]>();
  for (const sum of sums)
    for (const { node } of sum.fixed) {
      usesHere.set(node, (usesHere.get(node) ?? 0) + 1);
      const known = byTerm.get(node);
      if (known) known.push(sum);
      else byTerm.set(node, [sum]);
    }
  const seen = new Set<Sum>();
  for (const first of sums) {
    if (seen.has(first)) continue;
    // All sums that have fixed terms in common, directly or by others.
    const linked = new Set([first]);
    const terms = new Set<Node>();
    for (const sum of linked)
      for (const { node } of sum.fixed) {
        if (node.kind === "param" || terms.has(node)) continue;
        terms.add(node);
        for (const other of byTerm.get(node)!) linked.add(other);
      }
    const taken = new Set(
      [...linked].map(({ fixed }) =>
        fixed
          .map(({ node, shift }) => `${node.id}<<${shift}`)
          .sort()
          .join(),
      ),
    );
    const freed = [...terms].filter((node) => usesOf(node) === usesHere.get(node)).length;
    for (const sum of linked) {
      seen.add(sum);
      if (freed > taken.size) found.add(sum);
    }
  }
  return found;
}
function sumOf(s: Simplifier, terms: readonly Term[]): Node {
  const byShift = new Map<bigint, Node>();
  for (const { node, shift } of terms) {
    const known = byShift.get(shift);
    byShift.set(shift, known ? s.add(known, node) : node);
  }
  return [...byShift].map(([shift, node]) => s.shl(node, s.constant(64, shift))).reduce((a, b) => s.add(a, b));
}
