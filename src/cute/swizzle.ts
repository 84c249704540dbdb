/**
 * Swizzles exchange bits of an offset so that rows of shared memory start in different banks:
 *
 *   Sw<2,1,3>:  ...YY.ZZ.   ->   ...YY.(ZZ xor YY).      2 bits, 1 untouched below, distance 3
 *
 * An offset whose high bits are known only at run time keeps its static bits in `MixedBits`, so that a slice of a
 * swizzled layout can still become a plain one.
 * Source: cute/swizzle.hpp.
 */
import { bitAnd, bitOr, bitXor, mul, safeDiv, shiftRight, sub } from "./arithmetic.js";
import { idx2crd } from "./stride.js";
import { asInt, CuteError, dyn, type Int, isTuple, type Layout, lit, one, type Swizzle, type Term } from "./term.js";

/** A swizzle; the distance is at least the number of bits. */
export function swizzle(bits: number, base: number, shift: number = bits): Swizzle {
  if (bits < 0 || base < 0) throw new CuteError("a swizzle's bits and base are not negative");
  if (Math.abs(shift) < bits) throw new CuteError(`a swizzle of ${bits} bits must be shifted by at least ${bits}`);
  return { kind: "swizzle", bits, base, shift };
}

/** The bits that select (Y) and the bits that are changed (Z). */
export const yMask = (s: Swizzle): number => ((1 << s.bits) - 1) << (s.base + Math.max(0, s.shift));
export const zMask = (s: Swizzle): number => ((1 << s.bits) - 1) << (s.base - Math.min(0, s.shift));

/** The offset after the swizzle. */
export function applySwizzle(s: Swizzle, offset: Term): Term {
  return xorBits(offset, shiftBits(andBits(offset, lit(yMask(s))), s.shift));
}

/** The swizzle with these Y and Z bits; an error when no swizzle has them. */
export function swizzleOfMasks(y: number, z: number): Swizzle {
  const count = popcount(y);
  if (count !== popcount(z)) throw new CuteError("make_swizzle: the numbers of bits in Y and Z differ");
  const low = (x: number) => (x === 0 ? 32 : 31 - Math.clz32(x & -x));
  const result = swizzle(count, Math.min(low(y), low(z)) % 32, low(y) - low(z));
  if ((yMask(result) | zMask(result)) >>> 0 !== (y | z) >>> 0) throw new CuteError("make_swizzle: the bits are not contiguous");
  return result;
}

/** Two swizzles of the same distance as one. */
export function composeSwizzles(a: Swizzle, b: Swizzle): Swizzle {
  if (a.shift !== b.shift) throw new CuteError("composition: only swizzles of the same shift can be merged");
  return swizzleOfMasks(yMask(a) ^ yMask(b), zMask(a) ^ zMask(b));
}

/** The same swizzle for elements `n` times as large, or an n-th. */
export function upcastSwizzle(s: Swizzle, n: number): Swizzle {
  const base = s.base - log2(n);
  return base >= 0 ? swizzle(s.bits, base, s.shift) : swizzle(Math.max(s.bits + base, 0), 0, s.shift);
}
export const downcastSwizzle = (s: Swizzle, n: number): Swizzle => swizzle(s.bits, s.base + log2(n), s.shift);

function log2(n: number): number {
  if (n <= 0 || (n & (n - 1)) !== 0) throw new CuteError(`a swizzle can be recast by powers of two only, not by ${n}`);
  return 31 - Math.clz32(n);
}

function popcount(x: number): number {
  let n = 0;
  for (let v = x >>> 0; v !== 0; v = (v & (v - 1)) >>> 0) n++;
  return n;
}

/** `s | (d & f)`, with as many bits static as possible. */
function makeMixed(s: number, d: Int, f: number): Term {
  const flags = (f & ~s) >>> 0;
  if (flags === 0 || d.isStatic) return bitOr(lit(s | 0), bitAnd(d, lit(flags | 0)));
  return { kind: "mixed", staticBits: s >>> 0, flags, dynamic: (d.value & flags) >>> 0 };
}

interface Parts {
  readonly s: number;
  readonly f: number;
  readonly d: number;
}

/** Mixed bits or a static integer as parts; undefined for a dynamic integer, which ends all tracking. */
function partsOf(t: Term): Parts | undefined {
  if (t.kind === "mixed") return { s: t.staticBits, f: t.flags, d: t.dynamic };
  const v = asInt(t);
  return v?.isStatic ? { s: v.value, f: 0, d: 0 } : undefined;
}

const plain = (t: Term): Int => asInt(t) ?? dyn(0);
const tracked = (a: Term, b: Term): boolean => a.kind === "mixed" || b.kind === "mixed";

/** Bitwise and, keeping track of static bits. */
export function andBits(a: Term, b: Term): Term {
  const [x, y] = [partsOf(a), partsOf(b)];
  if (!tracked(a, b) || !x || !y) return bitAnd(plain(a), plain(b));
  return makeMixed(x.s & y.s, dyn((y.s & x.d) | (x.s & y.d) | (x.d & y.d)), (y.s & x.f) | (x.s & y.f) | (x.f & y.f));
}

/** Bitwise exclusive or, keeping track of static bits. */
export function xorBits(a: Term, b: Term): Term {
  const [x, y] = [partsOf(a), partsOf(b)];
  if (!tracked(a, b) || !x || !y) return bitXor(plain(a), plain(b));
  return makeMixed((~x.s & y.s & ~x.f) | (x.s & ~y.s & ~y.f), dyn((x.s | x.d) ^ (y.s | y.d)), x.f | y.f);
}

/** Shift right by `by`, left when negative. */
export function shiftBits(a: Term, by: number): Term {
  if (a.kind !== "mixed") return shiftRight(plain(a), by);
  const f = (v: number) => (by >= 0 ? v >>> by : v << -by);
  return makeMixed(f(a.staticBits), dyn(f(a.dynamic)), f(a.flags));
}

/** An offset in elements `n` times as large, or an n-th. */
export function upcastOffset(t: Term, n: number): Term {
  if (t.kind !== "mixed") return safeDiv(t, lit(n));
  return makeMixed(Math.trunc(t.staticBits / n), dyn(Math.trunc(t.dynamic / n)), Math.trunc(t.flags / n));
}
export function downcastOffset(t: Term, n: number): Term {
  if (t.kind !== "mixed") return mul(t, lit(n));
  return makeMixed(t.staticBits * n, dyn(t.dynamic * n), t.flags * n);
}

/** The largest power of two that divides an offset for certain. */
export function offsetAlignment(t: Term): Term {
  if (t.kind === "mixed") return lit((t.staticBits | t.flags) & -(t.staticBits | t.flags));
  return t.kind === "int" && t.isStatic ? t : one;
}

/** The offset of `coord` in a layout whose extents are powers of two, the bits of dynamic coordinates marked dynamic. */
export function toMixedBits(l: Layout, coord: Term): Term {
  return mixedOf(l.shape, l.stride, idx2crd(coord, l.shape));
}

function mixedOf(shape: Term, stride: Term, coord: Term): Term {
  if (isTuple(shape)) {
    const [ds, cs] = [isTuple(stride) ? stride.items : [], isTuple(coord) ? coord.items : []];
    const parts = shape.items.map((s, i) => mixedOf(s, ds[i] ?? lit(0), cs[i] ?? lit(0)));
    return parts.reduceRight((acc, p) => xorBits(p, acc));
  }
  const extent = mul(shape, stride);
  const e = asInt(extent);
  if (!e?.isStatic || (e.value !== 0 && (e.value & (e.value - 1)) !== 0))
    throw new CuteError("slicing a swizzled layout needs static powers of two as shape times stride");
  return makeMixed(0, plain(mul(coord, stride)), asInt(mul(sub(shape, one), stride))!.value);
}
