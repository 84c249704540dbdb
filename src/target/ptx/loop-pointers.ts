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

/** Phis that start with the same terms and a number each, and to which a loop adds the same. */
interface Family {
  readonly base: readonly Node[];
  readonly step: Node;
  readonly pointers: { readonly phi: Node; readonly offset: Node }[];
}
/** For fewer pointers ptxas finds enough registers, and a sum in each round is more than it needs. */
const FEWEST = 16;
/** Sums of more terms are left as they are. */
const MOST_TERMS = 6;

/** Returns which phis are sums now. */
export function joinPointers(s: Simplifier, order: readonly Block[]): Map<Node, Node> {
  const replaced = new Map<Node, Node>();
  for (const head of order) {
    const back = head.predecessors.length === 2 ? head.predecessors.findIndex((from) => dominates(head, from)) : -1;
    if (back < 0) continue;
    const families = new Map<string, Family>();
    for (const phi of head.phis) {
      const next = phi.inputs[back]!;
      const [from, step] = next.inputs;
      if (phi.width !== 64 || next.kind !== "add" || from !== phi) continue;
      const terms = termsOf(phi.inputs[1 - back]!);
      for (const [i, offset] of terms.entries()) {
        if (terms.length === 1 || !isOfWord(offset)) continue;
        const base = terms.toSpliced(i, 1);
        const key = `${base.map(({ id }) => id).join("+")} ${step!.id}`;
        const known = families.get(key);
        if (known) known.pointers.push({ phi, offset });
        else families.set(key, { base, step: step!, pointers: [{ phi, offset }] });
      }
    }
    for (const { base, step, pointers } of [...families.values()].sort((a, b) => b.pointers.length - a.pointers.length)) {
      const left = pointers.filter(({ phi }) => !replaced.has(phi));
      if (left.length < FEWEST) continue;
      const shared = s.graph.inPlaceOf(left[0]!.phi, () => s.graph.phi(head, 64));
      const start = base.reduce((a, b) => s.add(a, b));
      const next = s.graph.inPlaceOf(left[0]!.phi.inputs[back]!, () => s.add(shared, step));
      shared.inputs = back === 1 ? [start, next] : [next, start];
      for (const { phi, offset } of left)
        replaced.set(
          phi,
          s.graph.inPlaceOf(phi, () => s.add(shared, offset)),
        );
    }
  }
  return replaced;
}
/** The terms of a sum in the order in which they were made; the sum itself where there are many. */
function termsOf(sum: Node): readonly Node[] {
  const terms: Node[] = [];
  const work = [sum];
  for (let node = work.pop(); node; node = work.pop()) {
    if (node.kind === "add") work.push(...node.inputs);
    else terms.push(node);
    if (work.length + terms.length > MOST_TERMS) return [sum];
  }
  return terms.sort((a, b) => a.id - b.id);
}
/** Whether a number was extended from a word. */
function isOfWord(node: Node): boolean {
  const word = node.kind === "shl" && valueOf(node.inputs[1]) !== undefined ? node.inputs[0]! : node;
  return (word.kind === "sext" || word.kind === "zext") && word.inputs[0]!.width === 32;
}
