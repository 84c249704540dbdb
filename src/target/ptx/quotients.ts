/** Divisions: by constants they are products, shifts and masks. Source: llvm/lib/CodeGen/SelectionDAG/TargetLowering.cpp, BuildSDIV. */
import { type Graph, type Node, valueOf } from "./graph.js";
import { isNonNegative, maximumOf, powerOfTwo } from "./known-bits.js";
import type { Simplifier } from "./simplify.js";

export function udiv(s: Simplifier, a: Node, b: Node): Node {
  const folded = s.fold("udiv", a, b);
  if (folded) return folded;
  const y = valueOf(b);
  if (y === 1n) return a;
  const count = y === undefined ? undefined : powerOfTwo(BigInt.asUintN(a.width, y));
  if (count !== undefined) return s.shr(a, s.constant(a.width, count));
  if (y !== undefined && maximumOf(a) < BigInt.asUintN(a.width, y)) return s.constant(a.width, 0);
  if (y !== undefined && y !== 0n && a.width === 32) return unsignedQuotient(s, a, BigInt.asUintN(32, y));
  return ofWords(s, "udiv", a, b) ?? s.make("udiv", a, b);
}
export function urem(s: Simplifier, a: Node, b: Node): Node {
  const folded = s.fold("urem", a, b);
  if (folded) return folded;
  const y = valueOf(b);
  if (y !== undefined) {
    const unsigned = BigInt.asUintN(a.width, y);
    if (powerOfTwo(unsigned) !== undefined) return s.and(a, s.constant(a.width, unsigned - 1n));
    if (maximumOf(a) < unsigned) return a;
    if (unsigned !== 0n && a.width === 32) return s.sub(a, s.mul(udiv(s, a, b), b));
  }
  return ofWords(s, "urem", a, b) ?? s.make("urem", a, b);
}
export function sdiv(s: Simplifier, a: Node, b: Node): Node {
  const folded = s.fold("sdiv", a, b);
  if (folded) return folded;
  const y = valueOf(b);
  if (y === 1n) return a;
  if (isNonNegative(a) && isNonNegative(b)) return udiv(s, a, b);
  const count = y === undefined || y <= 0n ? undefined : powerOfTwo(y);
  if (count !== undefined && count > 0) return s.sar(roundedTowardsZero(s, a, count), s.constant(a.width, count));
  if (y !== undefined && y > 1n && a.width === 32) return signedQuotient(s, a, y);
  return ofWords(s, "sdiv", a, b) ?? s.make("sdiv", a, b);
}
export function srem(s: Simplifier, a: Node, b: Node): Node {
  const folded = s.fold("srem", a, b);
  if (folded) return folded;
  if (isNonNegative(a) && isNonNegative(b)) return urem(s, a, b);
  const y = valueOf(b);
  const count = y === undefined ? undefined : powerOfTwo(y < 0n ? -y : y);
  if (count === 0) return s.constant(a.width, 0);
  if (count !== undefined) return s.sub(a, s.and(roundedTowardsZero(s, a, count), s.constant(a.width, -1n << BigInt(count))));
  if (y !== undefined && y > 1n && a.width === 32) return s.sub(a, s.mul(sdiv(s, a, b), b));
  return ofWords(s, "srem", a, b) ?? s.make("srem", a, b);
}
/**
 * A division of 64 bits whose numbers are words takes a fraction of the instructions as one of 32 bits.
 * Source: llvm/lib/Transforms/Scalar/CorrelatedValuePropagation.cpp, narrowSDivOrSRem, narrowUDivOrURem.
 */
function ofWords(s: Simplifier, kind: "udiv" | "urem" | "sdiv" | "srem", a: Node, b: Node): Node | undefined {
  if (a.width !== 64) return undefined;
  const isSigned = kind[0] === "s";
  const isWord = (node: Node): boolean => {
    const value = valueOf(node);
    if (isSigned && value !== undefined) return value === BigInt.asIntN(32, value);
    return (isSigned && node.kind === "sext") || maximumOf(node) < 1n << (isSigned ? 31n : 32n);
  };
  // -2^31 / -1 is no word.
  if (!isWord(a) || !isWord(b) || (isSigned && !isNonNegative(a) && !isNonNegative(b) && (valueOf(b) ?? -1n) === -1n)) return undefined;
  const made = s.binary(kind, s.trunc(a, 32), s.trunc(b, 32));
  return isSigned ? s.sext(made, 64) : s.zext(made, 64);
}
/** Remainders where the quotient is there as well: what is left of the dividend. Source: llvm/lib/Transforms/Scalar/DivRemPairs.cpp. */
export function remaindersOfQuotients(graph: Graph, live: ReadonlySet<Node>): Map<Node, Node> {
  const quotients = new Map<string, Node>();
  const keyOf = (node: Node): string => `${node.kind[0]} ${node.inputs[0]!.id} ${node.inputs[1]!.id}`;
  for (const node of live) if (node.kind === "sdiv" || node.kind === "udiv") quotients.set(keyOf(node), node);
  const replaced = new Map<Node, Node>();
  if (quotients.size === 0) return replaced;
  for (const node of live) {
    const quotient = node.kind === "srem" || node.kind === "urem" ? quotients.get(keyOf(node)) : undefined;
    if (!quotient) continue;
    const [a, b] = node.inputs as [Node, Node];
    graph.loc = node.loc;
    replaced.set(node, graph.pure("sub", node.width, [a, graph.pure("mul", node.width, [quotient, b])]));
  }
  return replaced;
}
/**
 * x / d by a product with 2^(32 + k) / d, rounded up. Where that has 33 bits, the upper one is added by hand.
 * Source: Granlund, Montgomery, "Division by Invariant Integers using Multiplication".
 */
function unsignedQuotient(s: Simplifier, a: Node, divisor: bigint): Node {
  const even = (divisor & 1n) === 0n ? BigInt(trailingZeroBits(divisor)) : 0n;
  const most = maximumOf(a);
  const bits = BigInt(divisor.toString(2).length);
  for (let k = 0n; k <= bits; k++) {
    const magic = ((1n << (32n + k)) + divisor - 1n) / divisor;
    const excess = magic * divisor - (1n << (32n + k));
    // Exact for all x up to `most` where the excess stays below one quotient.
    if (magic >> 32n === 0n && excess * most < 1n << (32n + k)) return s.shr(mulHigh(s, "u", a, magic), s.constant(32, k));
  }
  if (even > 0n) return udiv(s, s.shr(a, s.constant(32, even)), s.constant(32, divisor >> even));
  const magic = ((1n << (32n + bits)) + divisor - 1n) / divisor - (1n << 32n);
  const high = mulHigh(s, "u", a, magic);
  const sum = s.add(s.shr(s.sub(a, high), s.constant(32, 1)), high);
  return s.shr(sum, s.constant(32, bits - 1n));
}
function signedQuotient(s: Simplifier, a: Node, divisor: bigint): Node {
  let k = 0n;
  let magic = 0n;
  for (; k < 32n; k++) {
    magic = (1n << (32n + k)) / divisor + 1n;
    const excess = magic * divisor - (1n << (32n + k));
    if (excess <= 1n << (k + 1n)) break;
  }
  const wraps = magic >= 1n << 31n;
  const high = mulHigh(s, "s", a, magic);
  const quotient = s.sar(wraps ? s.add(high, a) : high, s.constant(32, k));
  // The quotient rounded down has the sign of x, which is not needed any more then.
  return s.add(quotient, s.shr(quotient, s.constant(32, 31)));
}
function mulHigh(s: Simplifier, sign: "u" | "s", a: Node, factor: bigint): Node {
  return s.graph.ptx(`mul.hi.${sign}32`, 32, [a, s.constant(32, factor)]);
}
/** x + (x < 0 ? 2^count - 1 : 0) */
function roundedTowardsZero(s: Simplifier, a: Node, count: number): Node {
  const sign = s.sar(a, s.constant(a.width, a.width - 1));
  return s.add(a, s.shr(sign, s.constant(a.width, a.width - count)));
}

const trailingZeroBits = (value: bigint): number => value.toString(2).length - 1 - value.toString(2).lastIndexOf("1");
