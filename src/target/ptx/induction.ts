/**
 * Values that a loop changes by the same number each time are counted along, not computed from the loop's counter.
 *
 *     loop:  n - (i << 4);  i = i + 1          loop:  m;  m = m - 16;  i = i + 1
 *
 * Source: llvm/lib/Transforms/Scalar/LoopStrengthReduce.cpp.
 */
import { dominates } from "./cfg.js";
import { type Block, isPure, type Node, valueOf } from "./graph.js";
import { noteTrailingZeros, trailingZeros } from "./known-bits.js";
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
/**
 * A loop's counter whose start and step are multiples of a power of two is one as well, so a smaller number is added to it without a carry.
 *
 *     x[sext(i + lane * 8 + 1)], i = 0, 1024, ...          x[sext(i | lane * 8) + 1], one address with offsets
 *
 * Returns which nodes have another form now; `early` has the live nodes, inputs before users. Source: llvm/lib/Analysis/ValueTracking.cpp,
 * computeKnownBitsFromOperator.
 */
export function alignCounters(s: Simplifier, order: readonly Block[], early: Iterable<Node>): Map<Node, Node> {
  const aligned = new Set<Node>();
  for (const head of order) {
    const back = head.predecessors.length === 2 ? head.predecessors.findIndex((from) => dominates(head, from)) : -1;
    if (back < 0) continue;
    for (const phi of head.phis) {
      const next = phi.inputs[back]!;
      if (next.kind !== "add" || next.inputs[0] !== phi) continue;
      const count = Math.min(trailingZeros(phi.inputs[1 - back]!), trailingZeros(next.inputs[1]!));
      if (count === 0) continue;
      noteTrailingZeros(phi, count);
      aligned.add(phi);
    }
  }
  const replaced = new Map<Node, Node>();
  if (aligned.size === 0) return replaced;
  for (const node of early) {
    if (!isPure(node) || !node.inputs.some((input) => aligned.has(input) || replaced.has(input))) continue;
    const inputs = node.inputs.map((input) => replaced.get(input) ?? input);
    const made = s.graph.inPlaceOf(node, () => s.again(node, inputs));
    if (made !== node) replaced.set(node, made);
  }
  return replaced;
}
/** A phi of a loop to which every iteration adds a number. */
interface Counter {
  readonly phi: Node;
  readonly start: Node;
  readonly step: bigint;
}

/**
 * Counters of a loop that always differ by the same number are one, as those that pipelining makes of a counter and its next value.
 *
 *     loop(a, b):  c = b - 64;  loop(b, c)          loop(b):  a = b + 64;  c = b - 64;  loop(c)
 *
 * Returns which phis are sums now. Source: llvm/lib/Analysis/ScalarEvolution.cpp, createAddRecFromPHI; SimplifyIndVar.cpp, replaceCongruentIVs.
 */
export function mergeCounters(s: Simplifier, order: readonly Block[]): Map<Node, Node> {
  const replaced = new Map<Node, Node>();
  for (const head of order) {
    const back = head.predecessors.length === 2 ? head.predecessors.findIndex((from) => dominates(head, from)) : -1;
    if (back < 0) continue;
    const known = new Map<Node, readonly [counter: Counter, difference: bigint]>();
    const merge = (phi: Node, counter: Counter, difference: bigint): boolean => {
      const by = s.constant(phi.width, difference);
      if (phi.width !== counter.phi.width || s.add(counter.start, by) !== phi.inputs[1 - back]) return false;
      known.set(phi, [counter, difference]);
      s.graph.loc = phi.loc;
      s.graph.home = phi.home;
      replaced.set(phi, s.add(counter.phi, by));
      return true;
    };
    const counters = new Map<string, Counter>();
    for (const phi of head.phis) {
      const step = stepOf(phi, phi.inputs[back]!);
      if (step === undefined) continue;
      const start = phi.inputs[1 - back]!;
      const key = `${splitNumber(s, start)[0]?.id} ${step} ${phi.width}`;
      const first = counters.get(key);
      if (first && merge(phi, first, splitNumber(s, start)[1] - splitNumber(s, first.start)[1])) continue;
      const counter = { phi, start, step };
      counters.set(key, counter);
      known.set(phi, [counter, 0n]);
    }
    /** By the value of this round that the next one of a phi is computed from. */
    const followers = new Map<Node, { readonly phi: Node; readonly offset: bigint }[]>();
    for (const phi of head.phis) {
      const [base, offset] = s.splitOffset(phi.inputs[back]!);
      const those = followers.get(base);
      if (those) those.push({ phi, offset });
      else followers.set(base, [{ phi, offset }]);
    }
    // Those that are merged come after the ones that they follow: a map has its new entries at its end.
    for (const [base, [counter, difference]] of known)
      for (const { phi, offset } of followers.get(base) ?? []) {
        // Its next value is computed from the counter of this round: the counter's next one less the step.
        if (!known.has(phi)) merge(phi, counter, difference + offset - counter.step);
      }
  }
  return replaced;
}
/** A node as another and a constant that is added to it; a constant as no other. */
const splitNumber = (s: Simplifier, node: Node): readonly [Node | undefined, bigint] => {
  const value = valueOf(node);
  return value === undefined ? s.splitOffset(node) : [undefined, value];
};
/** The number that a loop adds to a counter. */
function stepOf(counter: Node, next: Node): bigint | undefined {
  return next.kind === "add" && next.inputs[0] === counter ? valueOf(next.inputs[1]) : undefined;
}
