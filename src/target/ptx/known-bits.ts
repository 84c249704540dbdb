/** Which bits of an integer node are known to be zero or one. Source: llvm/lib/Analysis/ValueTracking.cpp, KnownBits.cpp. */
import { effectOf, isPure, type Node, valueOf } from "./graph.js";

export interface KnownBits {
  /** Bits that are 0, and bits that are 1. */
  readonly zero: bigint;
  readonly one: bigint;
}

const known = new WeakMap<Node, KnownBits>();
const UNKNOWN: KnownBits = { zero: 0n, one: 0n };
export const maskOf = (width: number): bigint => (1n << BigInt(width)) - 1n;

/** Inputs come first, on a stack of their own: chains may be many thousands of operations deep. */
export function knownBits(root: Node): KnownBits {
  const work = [root];
  for (let node = work.at(-1); node; node = work.at(-1)) {
    const missing = known.has(node) || !isPure(node) || node.kind === "ptx" ? [] : node.inputs.filter((input) => !known.has(input));
    if (missing.length > 0) {
      work.push(...missing);
      continue;
    }
    if (!known.has(node)) known.set(node, compute(node));
    work.pop();
  }
  return known.get(root)!;
}
/** Notes that a phi has zeros in its lowest bits: that is known only when its loop is complete. Nodes made before do not heed it. */
export const noteTrailingZeros = (phi: Node<"phi">, count: number): unknown => known.set(phi, { zero: maskOf(count), one: 0n });
/** Zero bits below the lowest bit that may be one. */
export function trailingZeros(node: Node): number {
  const { zero } = knownBits(node);
  let count = 0;
  while (count < node.width && (zero >> BigInt(count)) & 1n) count++;
  return count;
}
/** Whether the sign bit is known to be zero. */
export const isNonNegative = (node: Node): boolean => ((knownBits(node).zero >> BigInt(node.width - 1)) & 1n) === 1n;
/** How many of the highest bits are known to be the sign. Source: llvm/lib/Analysis/ValueTracking.cpp, ComputeNumSignBits. */
export function signBits(node: Node, steps = 4): number {
  const { zero } = knownBits(node);
  let zeros = 0;
  while (zeros < node.width && (zero >> BigInt(node.width - 1 - zeros)) & 1n) zeros++;
  return Math.max(1, zeros, steps === 0 ? 1 : signBitsOf(node, steps - 1));
}
function signBitsOf(node: Node, steps: number): number {
  const [a, b] = node.inputs as [Node, Node];
  const count = Number(valueOf(b) ?? -1n);
  switch (node.kind) {
    case "sar":
      return Math.min(node.width, signBits(a, steps) + Math.max(0, count));
    case "shl":
      return count < 0 ? 1 : signBits(a, steps) - count;
    case "sext":
      return node.width - a.width + signBits(a, steps);
    case "and":
    case "or":
    case "xor":
    case "smin":
    case "smax":
      return Math.min(signBits(a, steps), signBits(b, steps));
    case "select":
      return Math.min(signBits(b, steps), signBits(node.inputs[2]!, steps));
    case "const": {
      const value = valueOf(node)!;
      return node.width - bitLength(value < 0n ? ~value : value);
    }
    default:
      return 1;
  }
}
/** Bits that may be one. */
export const possible = (node: Node): bigint => maskOf(node.width) & ~knownBits(node).zero;
/** The largest value that the node may have, unsigned. */
export const maximumOf = possible;
/** Whether no bit may be set in both. */
export const disjoint = (a: Node, b: Node): boolean => (possible(a) & possible(b)) === 0n;

function compute(node: Node): KnownBits {
  const mask = maskOf(node.width);
  const constant = valueOf(node);
  if (constant !== undefined) {
    const value = constant & mask;
    return { zero: mask & ~value, one: value };
  }
  const [a, b] = node.inputs as [Node, Node];
  switch (node.kind) {
    case "and": {
      const [x, y] = [knownBits(a), knownBits(b)];
      return { zero: x.zero | y.zero, one: x.one & y.one };
    }
    case "or": {
      const [x, y] = [knownBits(a), knownBits(b)];
      return { zero: x.zero & y.zero, one: x.one | y.one };
    }
    case "xor": {
      const [x, y] = [knownBits(a), knownBits(b)];
      return { zero: (x.zero & y.zero) | (x.one & y.one), one: (x.zero & y.one) | (x.one & y.zero) };
    }
    case "shl": {
      const count = valueOf(b);
      if (count === undefined) return UNKNOWN;
      const x = knownBits(a);
      return { zero: ((x.zero << count) | maskOf(Number(count))) & mask, one: (x.one << count) & mask };
    }
    case "shr": {
      const count = valueOf(b);
      if (count === undefined) return UNKNOWN;
      const x = knownBits(a);
      return { zero: (x.zero >> count) | (mask & ~(mask >> count)), one: x.one >> count };
    }
    case "sar": {
      const count = valueOf(b);
      if (count === undefined || !isNonNegative(a)) return UNKNOWN;
      const x = knownBits(a);
      return { zero: (x.zero >> count) | (mask & ~(mask >> count)), one: x.one >> count };
    }
    case "zext": {
      const x = knownBits(a);
      return { zero: x.zero | (mask & ~maskOf(a.width)), one: x.one };
    }
    case "sext": {
      const x = knownBits(a);
      const high = mask & ~maskOf(a.width);
      const sign = 1n << BigInt(a.width - 1);
      return { zero: x.zero | (x.zero & sign ? high : 0n), one: x.one | (x.one & sign ? high : 0n) };
    }
    case "trunc": {
      const x = knownBits(a);
      return { zero: x.zero & mask, one: x.one & mask };
    }
    case "select": {
      const [x, y] = [knownBits(node.inputs[1]!), knownBits(node.inputs[2]!)];
      return { zero: x.zero & y.zero, one: x.one & y.one };
    }
    case "smin":
    case "smax":
    case "umax": {
      const [x, y] = [knownBits(a), knownBits(b)];
      const sign = 1n << BigInt(node.width - 1);
      let [zero, one] = [x.zero & y.zero, x.one & y.one];
      if (node.kind === "smax") zero |= (x.zero | y.zero) & sign;
      if (node.kind === "smin") one |= (x.one | y.one) & sign;
      if (node.kind === "smin" && zero & sign) zero |= mask & ~maskOf(bitLength(smaller(maximumOf(a), maximumOf(b))));
      return { zero, one };
    }
    case "add":
    case "sub":
    case "mul": {
      // Low bits that are zero in both stay zero; a sum of small numbers stays small.
      const low = node.kind === "mul" ? trailingZeros(a) + trailingZeros(b) : Math.min(trailingZeros(a), trailingZeros(b));
      let zero = maskOf(Math.min(low, node.width));
      if (node.kind !== "sub") {
        const most = node.kind === "add" ? maximumOf(a) + maximumOf(b) : maximumOf(a) * maximumOf(b);
        if (most <= mask) zero |= mask & ~maskOf(bitLength(most));
      }
      return { zero, one: 0n };
    }
    case "umin":
    case "udiv": {
      const most = node.kind === "umin" ? smaller(maximumOf(a), maximumOf(b)) : maximumOf(a);
      return { zero: mask & ~maskOf(bitLength(most)), one: 0n };
    }
    case "urem": {
      const most = smaller(maximumOf(a), maximumOf(b));
      return { zero: mask & ~maskOf(bitLength(most)), one: 0n };
    }
    case "special":
      return { zero: mask & ~maskOf(node.data.most === undefined ? 32 : bitLength(BigInt(node.data.most))), one: 0n };
    case "effect":
      return UNKNOWN;
    case "result": {
      const effect = effectOf(a);
      return effect?.kind === "load" && effect.bits === 8 ? { zero: mask & ~0xffn, one: 0n } : UNKNOWN;
    }
    case "ptx":
      return node.data === "popc.b32" ? { zero: mask & ~63n, one: 0n } : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

const smaller = (x: bigint, y: bigint): bigint => (x <= y ? x : y);
export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}
/** The exponent of a power of two. */
export function powerOfTwo(value: bigint): number | undefined {
  return value > 0n && (value & (value - 1n)) === 0n ? value.toString(2).length - 1 : undefined;
}
