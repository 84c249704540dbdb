/** Comparisons, and what is chosen by them. Source: llvm/lib/Transforms/InstCombine/InstCombineCompares.cpp, InstCombineSelect.cpp. */
import { type CmpIPredicate, INVERTED_CMPI, SWAPPED_CMPI } from "../../dialects/arith/attrs.js";
import { compare } from "../llvm-ir/fold.js";
import { ICMP } from "../llvm-ir/opcodes.js";
import { type ExtremumKind, type Node, operationOf, valueOf } from "./graph.js";
import { bitLength, disjoint, isNonNegative, knownBits, maskOf, maximumOf, possible, powerOfTwo } from "./known-bits.js";
import type { Simplifier } from "./simplify.js";
import { unextended, unextendedWidth } from "./widths.js";

/** The names, and the numbers, are those of LLVM's dialect. */
export type IntPredicate = CmpIPredicate;

/** Whether a predicate holds: a constant where that is known. */
export function icmp(s: Simplifier, predicate: IntPredicate, left: Node, right: Node): Node {
  let [p, a, b] = [predicate, left, right];
  if (a.kind === "const" && b.kind !== "const") [p, a, b] = [SWAPPED_CMPI[p], b, a];
  const [x, y] = [valueOf(a), valueOf(b)];
  if (x !== undefined && y !== undefined) return s.constant(1, compare(ICMP.indexOf(p), x, y, a.width) ? 1 : 0);
  if (a === b) return s.constant(1, p === "eq" || p === "sle" || p === "sge" || p === "ule" || p === "uge" ? 1 : 0);
  if (a.width === 1) return boolCompare(s, p, a, b);
  const order = orderOf(p, a, b) ?? (y === undefined ? orderOfBits(p, a, b) : undefined);
  if (order !== undefined) return s.constant(1, order ? 1 : 0);
  const found = y === undefined ? undefined : s.moved(() => withConstant(s, p, a, b, y));
  return found ?? comparedBits(s, p, a, b) ?? withoutCommon(s, p, a, b) ?? narrower(s, p, a, b) ?? s.graph.pure("icmp", 1, [a, b], p);
}
/** How deep minima and maxima are looked into. */
const MOST_NESTED = 6;
/** Whether a minimum or maximum of what it is compared with decides the comparison: max(x, y) < y never holds. */
function orderOf(p: IntPredicate, a: Node, b: Node): boolean | undefined {
  if (p === "eq" || p === "ne") return undefined;
  const sign = p[0] as "s" | "u";
  const [less, orEqual] = [p[1] === "l", p.endsWith("e")];
  const [low, high] = less ? [a, b] : [b, a];
  if (orEqual) return isAtMost(low, high, sign, MOST_NESTED) || undefined;
  return isAtMost(high, low, sign, MOST_NESTED) ? false : undefined;
}
/** Whether low <= high as minima and maxima have it. */
function isAtMost(low: Node, high: Node, sign: "s" | "u", steps: number): boolean {
  if (low === high) return true;
  if (steps === 0) return false;
  const is = (node: Node, kind: "min" | "max"): boolean =>
    node.kind.endsWith(kind) && (node.kind === `${sign}${kind}` || node.inputs.every(isNonNegative));
  return (
    (is(high, "max") && high.inputs.some((input) => isAtMost(low, input, sign, steps - 1))) ||
    (is(low, "min") && low.inputs.some((input) => isAtMost(input, high, sign, steps - 1)))
  );
}
/** A comparison with `b`, which is the constant y. */
function withConstant(s: Simplifier, p: IntPredicate, a: Node, b: Node, y: bigint): Node | undefined {
  const known = decided(p, a, y);
  if (known !== undefined) return s.constant(1, known ? 1 : 0);
  const equality = asEquality(p, a, y);
  if (equality) return icmp(s, equality.predicate, a, s.constant(a.width, equality.value));
  // A difference that does not overflow has the sign of the comparison: x - y >= 0 is x >= y.
  if (y === 0n && a.kind === "sub" && (p === "eq" || p === "ne" || (p[0] === "s" && a.inputs.every(isNonNegative))))
    return icmp(s, p, a.inputs[0]!, a.inputs[1]!);
  // Bits that are set in both do not matter: (x | 2) == 3 is (x & ~2) == 1.
  const set = a.kind === "or" ? valueOf(a.inputs[1]) : undefined;
  if ((p === "eq" || p === "ne") && set !== undefined)
    return icmp(s, p, s.and(a.inputs[0]!, s.constant(a.width, ~set)), s.constant(a.width, y & ~set));
  if ((p === "eq" || p === "ne") && a.kind === "add" && valueOf(a.inputs[1]) !== undefined)
    return icmp(s, p, a.inputs[0]!, s.constant(a.width, y - valueOf(a.inputs[1])!));
  // (x << c) & m compared with 0: the shift does not matter.
  if ((p === "eq" || p === "ne") && y === 0n && a.kind === "and" && valueOf(a.inputs[1]) !== undefined) {
    const inner = a.inputs[0]!;
    const count = valueOf(inner.inputs[1]);
    const mask = BigInt.asUintN(a.width, valueOf(a.inputs[1])!);
    if (inner.kind === "shl" && count !== undefined) return icmp(s, p, s.and(inner.inputs[0]!, s.constant(a.width, mask >> count)), b);
    if (inner.kind === "shr" && count !== undefined && ((mask << count) & maskOf(a.width)) === mask << count)
      return icmp(s, p, s.and(inner.inputs[0]!, s.constant(a.width, mask << count)), b);
  }
  // A sign bit that is moved down is a comparison with zero, which needs no shift.
  if ((p === "eq" || p === "ne") && y === 0n && a.kind === "shr" && valueOf(a.inputs[1]) === BigInt(a.width - 1))
    return icmp(s, p === "eq" ? "sge" : "slt", a.inputs[0]!, b);
  // A factor goes to the other side: (x << c) > y is x > (y >> c), where no bit of x is lost.
  const by = a.kind === "shl" ? valueOf(a.inputs[1]) : undefined;
  if (by !== undefined && p !== "eq" && p !== "ne" && keepsBits(a.inputs[0]!, Number(by), p[0] === "s")) {
    const signed = p[0] === "s" ? y : BigInt.asUintN(a.width, y);
    const roundsUp = p.endsWith("lt") || p.endsWith("ge");
    return icmp(s, p, a.inputs[0]!, s.constant(a.width, (signed + (roundsUp ? (1n << by) - 1n : 0n)) >> by));
  }
  if (a.kind === "select" && valueOf(a.inputs[1]) !== undefined && valueOf(a.inputs[2]) !== undefined) {
    const then = compare(ICMP.indexOf(p), valueOf(a.inputs[1])!, y, a.width);
    const other = compare(ICMP.indexOf(p), valueOf(a.inputs[2])!, y, a.width);
    if (then === other) return s.constant(1, then ? 1 : 0);
    return then ? a.inputs[0]! : s.not(a.inputs[0]!);
  }
  // A sign does not depend on other bits.
  if (y === 0n && (p === "slt" || p === "sge") && a.kind === "or")
    for (const [rest, i] of [
      [a.inputs[1]!, 0],
      [a.inputs[0]!, 1],
    ] as const)
      if (isNonNegative(rest)) return icmp(s, p, a.inputs[i]!, b);
  return undefined;
}
/**
 * (x & m) == 0 and (x & n) == 0 is (x & (m | n)) == 0, so the bits of one number are tested at once; the same with != 0 and `or`. Where
 * more conditions are joined, each of them is tried.
 */
export function zeroInAll(s: Simplifier, kind: "and" | "or", a: Node, b: Node): Node | undefined {
  const predicate = kind === "and" ? "eq" : "ne";
  const y = zeroBits(b, predicate);
  if (!y) return a.kind !== kind && zeroBits(a, predicate) && b.kind === kind ? zeroInAll(s, kind, b, a) : undefined;
  const x = zeroBits(a, predicate);
  if (x && x[0] === y[0]) return icmp(s, predicate, s.and(x[0], s.constant(x[0].width, x[1] | y[1])), s.constant(x[0].width, 0));
  if (a.kind !== kind) return undefined;
  const at = a.inputs.findIndex((input) => zeroBits(input, predicate)?.[0] === y[0]);
  return at < 0 ? undefined : s.bitwise(kind, a.inputs[1 - at]!, zeroInAll(s, kind, a.inputs[at]!, b)!);
}
/** The number and the bits of it that a comparison with zero asks for, where it is not all of them. */
function zeroBits(node: Node, predicate: "eq" | "ne"): readonly [Node, bigint] | undefined {
  if (node.kind !== "icmp" || node.data !== predicate || valueOf(node.inputs[1]) !== 0n) return undefined;
  const tested = node.inputs[0]!;
  const by = valueOf(tested.inputs[1]);
  if (by === undefined || (tested.kind !== "and" && tested.kind !== "shr")) return undefined;
  const from = tested.inputs[0]!;
  return [from, tested.kind === "and" ? BigInt.asUintN(tested.width, by) : possible(from) & (maskOf(tested.width) << by)];
}
/** Whether a shift to the left by `count` is a product, signed or not. */
function keepsBits(x: Node, count: number, isSigned: boolean): boolean {
  const extended = x.kind === "sext" && isSigned ? x.inputs[0]!.width : bitLength(possible(x)) + (isSigned ? 1 : 0);
  return extended + count <= x.width;
}
/** A condition as a number, compared with another number of one bit: (c ? 1 : 0) != y is c ^ (y != 0). */
function comparedBits(s: Simplifier, p: IntPredicate, a: Node, b: Node): Node | undefined {
  if (p !== "eq" && p !== "ne") return undefined;
  const [x, y] = a.kind === "select" ? [a, b] : [b, a];
  if (x.kind !== "select" || valueOf(x.inputs[1]) !== 1n || valueOf(x.inputs[2]) !== 0n || possible(y) !== 1n) return undefined;
  const differ = s.xor(x.inputs[0]!, icmp(s, "ne", y, s.constant(y.width, 0)));
  return p === "ne" ? differ : s.not(differ);
}
/** Compares two numbers before their extension if it is the same: sext x < sext y is x < y, zext x < zext y is x < y unsigned. */
/** How many terms of a sum are looked at. */
const MOST_TERMS = 8;
/** The terms of a sum in which no bit carries. */
function disjointTerms(node: Node, terms: Node[] = []): Node[] {
  const [x, y] = node.inputs;
  const isSum = (node.kind === "add" || node.kind === "or") && x && y && terms.length < MOST_TERMS && disjoint(x, y);
  return isSum ? disjointTerms(y, disjointTerms(x, terms)) : [...terms, node];
}
/** `c + x < c + y` is `x < y` where no bit carries in either sum: neither can overflow, signed or not. */
function withoutCommon(s: Simplifier, p: IntPredicate, a: Node, b: Node): Node | undefined {
  const [left, right] = [disjointTerms(a), disjointTerms(b)];
  const common = left.filter((term) => right.includes(term));
  if (common.length === 0) return undefined;
  const rest = (terms: readonly Node[]): Node =>
    terms.filter((term) => !common.includes(term)).reduce((sum, term) => s.or(sum, term), s.constant(a.width, 0));
  return icmp(s, p, rest(left), rest(right));
}

/** Whether the bits that are known decide the order: those that are one give the smallest number, those that may be the largest. */
function orderOfBits(p: IntPredicate, a: Node, b: Node): boolean | undefined {
  if (p === "eq" || p === "ne" || (p[0] === "s" && !(isNonNegative(a) && isNonNegative(b)))) return undefined;
  const [low, high] = p[1] === "l" ? [a, b] : [b, a];
  const [most, least] = [possible(low), knownBits(high).one];
  if (p.endsWith("e") ? most <= least : most < least) return true;
  const [smallest, largest] = [knownBits(low).one, possible(high)];
  return (p.endsWith("e") ? smallest > largest : smallest >= largest) ? false : undefined;
}

function narrower(s: Simplifier, p: IntPredicate, a: Node, b: Node): Node | undefined {
  for (const by of ["zext", "sext"] as const) {
    const width = unextendedWidth(a, by);
    const [x, y] = width === undefined ? [] : [unextended(s, a, by, width), unextended(s, b, by, width)];
    if (x && y) return icmp(s, by === "sext" || p === "eq" || p === "ne" ? p : (`u${p.slice(1)}` as IntPredicate), x, y);
  }
  return undefined;
}
/** Comparisons that hold for one value alone, or for all but one. */
function asEquality(p: IntPredicate, a: Node, y: bigint): { readonly predicate: "eq" | "ne"; readonly value: bigint } | undefined {
  const most = maximumOf(a);
  // A value with a single possible bit is compared with 0.
  if (p === "eq" || p === "ne")
    return y !== 0n && most === BigInt.asUintN(a.width, y) && powerOfTwo(most) !== undefined
      ? { predicate: p === "eq" ? "ne" : "eq", value: 0n }
      : undefined;
  if (!p.startsWith("u") && !isNonNegative(a)) return undefined;
  const kind = p.slice(1);
  const bound = BigInt.asUintN(a.width, y);
  // x < n and x >= n, as counts.
  const first = kind === "le" || kind === "gt" ? bound + 1n : bound;
  const above = kind === "ge" || kind === "gt";
  if (first === 1n) return { predicate: above ? "ne" : "eq", value: 0n };
  return first === most ? { predicate: above ? "eq" : "ne", value: most } : undefined;
}
function decided(p: IntPredicate, a: Node, y: bigint): boolean | undefined {
  const most = maximumOf(a);
  const { one } = knownBits(a);
  const unsigned = BigInt.asUintN(a.width, y);
  const bothUnsigned = p.startsWith("u") || isNonNegative(a);
  if (p === "eq" || p === "ne") return (unsigned & ~most) !== 0n || (one & ~unsigned) !== 0n ? p === "ne" : undefined;
  if (!bothUnsigned) return undefined;
  if (p.startsWith("s") && y < 0n) return p === "sgt" || p === "sge";
  const kind = p.slice(1);
  if (kind === "lt" || kind === "ge") {
    if (most < unsigned) return kind === "lt";
    if (one >= unsigned) return kind === "ge";
  } else {
    if (most <= unsigned) return kind === "le";
    if (one > unsigned) return kind === "gt";
  }
  return undefined;
}
function boolCompare(s: Simplifier, p: IntPredicate, a: Node, b: Node): Node {
  if (p === "ne") return s.xor(a, b);
  if (p === "eq") return s.not(s.xor(a, b));
  // Signed, true is -1.
  const less = p === "ult" || p === "sgt" ? s.and(s.not(a), b) : p === "ugt" || p === "slt" ? s.and(a, s.not(b)) : undefined;
  return less ?? s.not(boolCompare(s, INVERTED_CMPI[p], a, b));
}
export function select(s: Simplifier, condition: Node, then: Node, other: Node): Node {
  const known = valueOf(condition);
  if (known !== undefined) return known !== 0n ? then : other;
  if (then === other) return then;
  if (condition.kind === "not") return select(s, condition.inputs[0]!, other, then);
  if (then.width === 1) {
    const [x, y] = [valueOf(then), valueOf(other)];
    if (x !== undefined && y !== undefined) return x !== 0n ? condition : s.not(condition);
    if (x !== undefined) return x !== 0n ? s.or(condition, other) : s.and(s.not(condition), other);
    if (y !== undefined) return y !== 0n ? s.or(s.not(condition), then) : s.and(condition, then);
  }
  if (condition.kind === "icmp" && condition.data === "ne") return select(s, s.not(condition), other, then);
  if (then.kind === "select" && then.inputs[0] === condition) return select(s, condition, then.inputs[1]!, other);
  if (other.kind === "select" && other.inputs[0] === condition) return select(s, condition, then, other.inputs[2]!);
  return (
    movedBit(s, condition, then, other) ??
    minMaxOf(s, condition, then, other) ??
    s.graph.pure("select", then.width, [condition, then, other])
  );
}
/** (x & 2^i) == 0 ? 0 : 2^j is that bit, moved from i to j. */
function movedBit(s: Simplifier, condition: Node, then: Node, other: Node): Node | undefined {
  if (condition.kind !== "icmp" || valueOf(condition.inputs[1]) !== 0n) return undefined;
  const predicate = condition.data;
  if (predicate !== "eq" && predicate !== "ne") return undefined;
  const [unset, set] = predicate === "eq" ? [then, other] : [other, then];
  const tested = condition.inputs[0]!;
  const mask = tested.kind === "and" ? valueOf(tested.inputs[1]) : undefined;
  const from = mask === undefined ? undefined : powerOfTwo(BigInt.asUintN(tested.width, mask));
  const value = valueOf(set);
  if (valueOf(unset) !== 0n || from === undefined || value === undefined || tested.width !== then.width) return undefined;
  const to = powerOfTwo(BigInt.asUintN(then.width, value));
  if (to === undefined) {
    if (then.width !== 32) return undefined;
    // The bit in all places, and of those the ones asked for.
    const top = s.shl(tested, s.constant(32, 31 - from));
    return s.and(s.sar(top, s.constant(32, 31)), set);
  }
  return to >= from ? s.shl(tested, s.constant(then.width, to - from)) : s.shr(tested, s.constant(then.width, from - to));
}
function minMaxOf(s: Simplifier, condition: Node, then: Node, other: Node): Node | undefined {
  if (condition.kind !== "icmp" || then.width < 32) return undefined;
  const [a, b] = condition.inputs as [Node, Node];
  const predicate = condition.data;
  if (predicate.length !== 3) return undefined;
  const sign = predicate[0] === "s" ? "s" : "u";
  const isLess = predicate[1] === "l";
  if (then === a && other === b) return minMax(s, `${sign}${isLess ? "min" : "max"}`, a, b);
  return then === b && other === a ? minMax(s, `${sign}${isLess ? "max" : "min"}`, a, b) : undefined;
}
export function minMax(s: Simplifier, kind: ExtremumKind, left: Node, right: Node): Node {
  const [a, b] = s.ordered(left, right);
  const [x, y] = [valueOf(a), valueOf(b)];
  if (a === b) return a;
  const [sign, isMin] = [kind[0] as "s" | "u", kind.endsWith("min")];
  if (isAtMost(a, b, sign, MOST_NESTED)) return isMin ? a : b;
  if (isAtMost(b, a, sign, MOST_NESTED)) return isMin ? b : a;
  if (x !== undefined && y !== undefined) {
    const less = sign === "s" ? x < y : BigInt.asUintN(a.width, x) < BigInt.asUintN(a.width, y);
    return isMin === less ? a : b;
  }
  if (sign === "s" && isNonNegative(a) && isNonNegative(b)) return minMax(s, isMin ? "umin" : "umax", a, b);
  if (y !== undefined && kind === "umin" && maximumOf(a) <= BigInt.asUintN(a.width, y)) return a;
  return s.make(kind, a, b);
}

const FLOAT_INVERSE: Readonly<Record<string, string>> = {
  eq: "neu",
  neu: "eq",
  ne: "equ",
  equ: "ne",
  lt: "geu",
  geu: "lt",
  le: "gtu",
  gtu: "le",
  gt: "leu",
  leu: "gt",
  ge: "ltu",
  ltu: "ge",
  num: "nan",
  nan: "num",
};
/** The inverse of a comparison; undefined if the node is no comparison. */
export function opposite(s: Simplifier, a: Node): Node | undefined {
  if (a.kind === "icmp") return icmp(s, INVERTED_CMPI[a.data], a.inputs[0]!, a.inputs[1]!);
  const inverse = operationOf(a).startsWith("setp.") ? invertedFloatCompare(operationOf(a)) : undefined;
  return inverse === undefined ? undefined : s.graph.ptx(inverse, 1, a.inputs);
}
/** `setp.lt.f32` and `setp.geu.f32` are opposites. */
function invertedFloatCompare(mnemonic: string): string | undefined {
  const [, predicate, ...rest] = mnemonic.split(".");
  const inverse = FLOAT_INVERSE[predicate!];
  return inverse && ["setp", inverse, ...rest].join(".");
}
