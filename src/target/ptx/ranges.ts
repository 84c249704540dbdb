/**
 * The numbers that integers may be, as branches leave them: what is decided by that is a constant.
 *
 *     if (n <= 0) trap;  if (0 <= n) ...           the second branch is no branch
 *     x = phi(-1, y);  t = x + 1;  y = t >= 1 ? 0 : t          y is 0
 *
 * Source: llvm/lib/Analysis/LazyValueInfo.cpp; llvm/lib/Transforms/Utils/SCCPSolver.cpp.
 */
import { type CmpIPredicate, INVERTED_CMPI, SWAPPED_CMPI } from "../../dialects/arith/attrs.js";
import { dominates } from "./cfg.js";
import { type Block, isPure, type Kind, type Node, type Terminator, valueOf } from "./graph.js";
import { bitLength, isNonNegative, knownBits, possible } from "./known-bits.js";
import type { Simplifier } from "./simplify.js";

/** Signed numbers, both ends included; those of one bit are 0 and 1. */
interface Range {
  readonly low: bigint;
  readonly high: bigint;
}
/** No number at all: so far, or because the place is not reached. */
type Numbers = Range | undefined;

/** How many operations are looked through. */
const MOST_STEPS = 8;
/** How often a phi's range may grow by what is found; then the end that grows has no bound. */
const MOST_GROWTH = 2;

/**
 * Adds the nodes that are constants, and those that use replaced ones, to `replaced`; branches that always go one way become jumps.
 * Returns whether there were any. `early` has the first block that each node may be in, inputs before users.
 */
export function decide(s: Simplifier, order: readonly Block[], early: ReadonlyMap<Node, Block>, replaced: Map<Node, Node>): boolean {
  const ranges = new Ranges(order);
  const only = (node: Node, block: Block): bigint | undefined => {
    const range = ranges.of(node, block);
    return range && range.low === range.high ? range.low : undefined;
  };
  for (const [node, block] of early) {
    if (replaced.has(node)) continue;
    s.graph.loc = node.loc;
    s.graph.home = node.home;
    // Before any branch or phi there is nothing to know.
    const known = CHOSEN.has(node.kind) && block.depth > 0 ? only(node, block) : undefined;
    if (known !== undefined) replaced.set(node, s.constant(node.width, known));
    else if (replaced.size > 0 && isPure(node) && node.inputs.some((input) => replaced.has(input)))
      replaced.set(
        node,
        s.again(
          node,
          node.inputs.map((input) => replaced.get(input) ?? input),
        ),
      );
  }
  let isAny = false;
  for (const block of order) {
    const t = block.terminator;
    if (t.kind !== "branch") continue;
    const known = only(t.condition, block);
    const target = known === undefined ? leftAtOnce(s, block, t) : known === 0n ? t.ifFalse : t.ifTrue;
    if (!target) continue;
    block.terminator = { kind: "jump", target };
    isAny = true;
  }
  return isAny;
}
/** Where a loop's first branch goes if it goes there the first time, before any iteration: then there is no other time. */
function leftAtOnce(s: Simplifier, head: Block, { condition, ifTrue, ifFalse }: Branch): Block | undefined {
  const entries = head.predecessors.filter((from) => !dominates(head, from));
  if (entries.length !== 1 || head.predecessors.length === 1) return undefined;
  const entry = head.predecessors.indexOf(entries[0]!);
  const first = (node: Node, steps: number): Node => {
    if (node.kind === "phi" && node.block === head) return node.inputs[entry]!;
    if (steps === 0 || !isPure(node) || node.inputs.length === 0) return node;
    const inputs = node.inputs.map((input) => first(input, steps - 1));
    return inputs.every((input, i) => input === node.inputs[i]) ? node : s.again(node, inputs);
  };
  const known = valueOf(first(condition, MOST_STEPS));
  if (known === undefined) return undefined;
  const [target, other] = known === 0n ? [ifFalse, ifTrue] : [ifTrue, ifFalse];
  // The way to the next iteration is by the other branch alone.
  const goesOn = other.predecessors.length === 1 && head.predecessors.every((from, i) => i === entry || dominates(other, from));
  return goesOn ? target : undefined;
}
type Branch = Extract<Terminator, { readonly kind: "branch" }>;
const CHOSEN: ReadonlySet<Kind> = new Set(["phi", "icmp", "select"]);

/** How two numbers compare after a branch. */
interface Fact {
  readonly predicate: CmpIPredicate;
  readonly than: Node;
}

class Ranges {
  /** The facts from the branch into a block. */
  readonly #facts = new Map<Block, ReadonlyMap<Node, readonly Fact[]>>();
  readonly #phis = new Map<Node, Range>();
  #known = new Map<Block, Map<Node, Numbers>>();

  constructor(order: readonly Block[]) {
    for (const block of order) {
      const [from, another] = block.predecessors;
      const t = from?.terminator;
      if (another || t?.kind !== "branch" || t.ifTrue === t.ifFalse) continue;
      const facts = new Map<Node, Fact[]>();
      for (const [node, fact] of factsOf(t.condition, block === t.ifTrue)) facts.set(node, [...(facts.get(node) ?? []), fact]);
      if (facts.size > 0) this.#facts.set(block, facts);
    }
    const phis = order.flatMap((block) => block.phis.filter((phi) => phi.width > 1).map((phi) => [phi, block] as const));
    const grown = new Map<Node, number>();
    for (let changed = true; changed; ) {
      changed = false;
      for (const [phi, block] of phis) {
        const now = phi.inputs.map((input, i) => this.of(input, block.predecessors[i]!)).reduce(union, undefined);
        const before = this.#phis.get(phi);
        if (!now || (before && now.low >= before.low && now.high <= before.high)) continue;
        const count = (grown.get(phi) ?? 0) + 1;
        grown.set(phi, count);
        const all = everyOf(phi);
        const wide = before && count > MOST_GROWTH;
        this.#phis.set(phi, {
          low: wide && now.low < before.low ? all.low : now.low,
          high: wide && now.high > before.high ? all.high : now.high,
        });
        changed = true;
      }
      this.#known = new Map();
    }
  }

  /** The numbers that a value may be where it is used in a block. */
  of(node: Node, block: Block, steps = MOST_STEPS): Numbers {
    const value = valueOf(node);
    if (value !== undefined) return node.width === 1 ? exactly(value & 1n) : exactly(value);
    // All blocks up to the last branch know the same.
    let at = block;
    while (!this.#facts.has(at) && at.dominator !== at) at = at.dominator!;
    let known = this.#known.get(at);
    if (!known) this.#known.set(at, (known = new Map()));
    if (known.has(node)) return known.get(node);
    const all = everyOf(node);
    let range = steps === 0 ? all : intersection(this.computed(node, all, at, steps - 1), all);
    for (let place = at; range; place = place.dominator!) {
      for (const fact of this.#facts.get(place)?.get(node) ?? []) range = range && this.heeding(range, node, fact, place.dominator!, steps);
      if (place.dominator === place) break;
    }
    known.set(node, range);
    return range;
  }
  private heeding(range: Range, node: Node, { predicate, than }: Fact, block: Block, steps: number): Numbers {
    const other = steps === 0 ? everyOf(than) : this.of(than, block, steps - 1);
    if (!other) return undefined;
    const isSigned = predicate[0] === "s";
    if (predicate === "eq") return intersection(range, other);
    if (predicate === "ne") {
      if (other.low !== other.high) return range;
      return intersection(range, {
        low: range.low === other.low ? range.low + 1n : range.low,
        high: range.high === other.low ? range.high - 1n : range.high,
      });
    }
    const kind = predicate.slice(1);
    const isLess = kind === "lt" || kind === "le";
    const strict = kind === "lt" || kind === "gt" ? 1n : 0n;
    // Below a number that is not negative, unsigned, is what is not negative itself.
    if (!isSigned && (other.low < 0n || (!isLess && range.low < 0n))) return range;
    const all = everyOf(node);
    return intersection(
      range,
      isLess ? { low: isSigned ? all.low : 0n, high: other.high - strict } : { low: other.low + strict, high: all.high },
    );
  }

  private chosen(node: Node<"select">, block: Block, steps: number): Numbers {
    const [condition, ...values] = node.inputs as [Node, Node, Node];
    const ranges = values.map((value, i) => {
      let range = this.of(value, block, steps);
      for (const [about, fact] of factsOf(condition, i === 0))
        if (about === value) range = range && this.heeding(range, value, fact, block, steps);
      return range;
    });
    return ranges.reduce(union, undefined);
  }
  private computed(node: Node, all: Range, block: Block, steps: number): Numbers {
    if (node.kind === "phi") return node.width === 1 ? all : this.#phis.get(node);
    if (node.kind === "select") return this.chosen(node, block, steps);
    const rule = node.kind === "icmp" ? comparison(node.data) : RULES[node.kind];
    if (!rule) return all;
    const [a, b] = node.inputs.map((input) => this.of(input, block, steps));
    if (!a || (node.inputs.length > 1 && !b)) return undefined;
    const made = rule(a, b ?? a, node);
    return made.low < all.low || made.high > all.high ? all : made;
  }
}

/** The facts where a condition is true, or false. */
function factsOf(condition: Node, isTrue: boolean): readonly (readonly [Node, Fact])[] {
  const [a, b] = condition.inputs as [Node, Node];
  if (condition.kind === (isTrue ? "and" : "or")) return [...factsOf(a, isTrue), ...factsOf(b, isTrue)];
  if (condition.kind === "not") return factsOf(a, !isTrue);
  if (condition.kind !== "icmp") return [];
  const written = condition.data;
  const predicate = isTrue ? written : INVERTED_CMPI[written];
  return [
    [a, { predicate, than: b }],
    [b, { predicate: SWAPPED_CMPI[predicate], than: a }],
  ];
}

const exactly = (value: bigint): Range => ({ low: value, high: value });
const smaller = (x: bigint, y: bigint): bigint => (x < y ? x : y);
const larger = (x: bigint, y: bigint): bigint => (x > y ? x : y);
const union = (a: Numbers, b: Numbers): Numbers => (a && b ? { low: smaller(a.low, b.low), high: larger(a.high, b.high) } : (a ?? b));
function intersection(a: Numbers, b: Numbers): Numbers {
  if (!a || !b) return undefined;
  const [low, high] = [larger(a.low, b.low), smaller(a.high, b.high)];
  return low > high ? undefined : { low, high };
}
/** All numbers that a node's bits allow. */
function everyOf(node: Node): Range {
  if (node.width === 1) return { low: 0n, high: 1n };
  if (isNonNegative(node)) return { low: knownBits(node).one, high: possible(node) };
  const half = 1n << BigInt(node.width - 1);
  return { low: -half, high: half - 1n };
}
const BOTH: Range = { low: 0n, high: 1n };

/** The numbers that an operation makes of two others. A range that is too wide for the register says nothing. */
type Rule = (a: Range, b: Range, node: Node) => Range;
const RULES: Readonly<Partial<Record<Kind, Rule>>> = {
  add: (a, b) => ({ low: a.low + b.low, high: a.high + b.high }),
  sub: (a, b) => ({ low: a.low - b.high, high: a.high - b.low }),
  mul: (a, b) => {
    const products = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
    return { low: products.reduce(smaller), high: products.reduce(larger) };
  },
  shl: (a, b, node) => (b.low === b.high && b.low >= 0n ? { low: a.low << b.low, high: a.high << b.low } : everyOf(node)),
  sar: (a, b, node) => (b.low === b.high && b.low >= 0n ? { low: a.low >> b.low, high: a.high >> b.low } : everyOf(node)),
  shr: (a, b, node) => (a.low >= 0n && b.low === b.high && b.low >= 0n ? { low: a.low >> b.low, high: a.high >> b.low } : everyOf(node)),
  and: (a, b, node) => {
    if (node.width === 1) return { low: a.low & b.low, high: a.high & b.high };
    const most = [a, b].filter((r) => r.low >= 0n).map((r) => r.high);
    return most.length > 0 ? { low: 0n, high: most.reduce(smaller) } : everyOf(node);
  },
  or: (a, b, node) => {
    if (a.low < 0n || b.low < 0n) return everyOf(node);
    return { low: larger(a.low, b.low), high: smaller(a.high + b.high, (1n << BigInt(bitLength(larger(a.high, b.high)))) - 1n) };
  },
  not: (a, _, node) => (node.width === 1 ? { low: 1n - a.high, high: 1n - a.low } : { low: ~a.high, high: ~a.low }),
  sext: (a, _, node) => (node.inputs[0]!.width === 1 ? everyOf(node) : a),
  zext: (a, _, node) => (a.low >= 0n ? a : everyOf(node)),
  trunc: (a) => a,
  smin: (a, b) => ({ low: smaller(a.low, b.low), high: smaller(a.high, b.high) }),
  smax: (a, b) => ({ low: larger(a.low, b.low), high: larger(a.high, b.high) }),
};
const comparison =
  (predicate: CmpIPredicate): Rule =>
  (a, b) => {
    if (predicate === "eq" || predicate === "ne") {
      const apart = a.high < b.low || b.high < a.low;
      const same = a.low === a.high && b.low === b.high && a.low === b.low;
      return apart || same ? exactly(same === (predicate === "eq") ? 1n : 0n) : BOTH;
    }
    if (predicate[0] === "u" && (a.low < 0n || b.low < 0n)) return BOTH;
    const kind = predicate.slice(1);
    const isLess = kind === "lt" || kind === "le";
    const [x, y] = isLess ? [a, b] : [b, a];
    const orEqual = kind === "le" || kind === "ge";
    if (orEqual ? x.high <= y.low : x.high < y.low) return exactly(1n);
    return (orEqual ? x.low > y.high : x.low >= y.high) ? exactly(0n) : BOTH;
  };
