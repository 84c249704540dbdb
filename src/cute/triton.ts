/**
 * Between CuTe's thread-value layouts and Triton's linear layouts. Both say which element a thread holds as which value;
 * Triton splits the thread into lane and warp and names images of powers of two:
 *
 *   ((_4,_8),(_2,_2)):((_32,_1),(_16,_8)) over 16x8
 *   register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]
 *
 * A CuTe layout adds, a linear one takes exclusive or: they agree exactly when no two bases share a bit.
 */
import * as any from "./composed-layout.js";
import { product } from "./int-tuple.js";
import * as plain from "./layout.js";
import { type AnyLayout, asInt, CuteError, dyn, get, type Layout, lit, numberOf, type Term, tuple } from "./term.js";

/** The images of the powers of two of each input, as coordinates. */
export interface TvBases {
  readonly register: readonly (readonly number[])[];
  readonly lane: readonly (readonly number[])[];
  readonly warp: readonly (readonly number[])[];
}

/** The bases of a (thread, value) layout over a column-major tile of `shape`; an error when it is not linear. */
export function basesOfTv(tv: AnyLayout, shape: readonly number[], threadsPerWarp = 32): TvBases {
  const domain = any.shape(tv);
  const [threads, values] = [sizeOf(get(domain, 0), "threads"), sizeOf(get(domain, 1), "values")];
  const elements = shape.reduce((a, b) => a * b, 1);
  for (const [i, n] of shape.entries()) powerOfTwo(n, `extent ${i}`);
  const at = (thread: number, value: number): readonly number[] => {
    const offset = any.apply(tv, tuple(dyn(thread), dyn(value)));
    if (offset.kind === "tuple") return shape.map((_, i) => numberOf(get(offset, i)));
    const index = asInt(offset)?.value ?? Number.NaN;
    if (!(0 <= index && index < elements))
      throw new CuteError(`thread ${thread}, value ${value} is at ${index}, outside of the tile of ${elements} elements`);
    return coordinates(index, shape);
  };
  const powers = (n: number) => Array.from({ length: Math.log2(n) }, (_, i) => 1 << i);
  if (at(0, 0).some((x) => x !== 0)) throw new CuteError("not a linear layout: thread 0 does not hold element 0 first");
  const lanes = Math.min(threads, threadsPerWarp);
  const bases: TvBases = {
    register: powers(values).map((v) => at(0, v)),
    lane: powers(lanes).map((t) => at(t, 0)),
    warp: powers(threads / lanes).map((w) => at(w * lanes, 0)),
  };
  checkLinear(bases, at, threads, values);
  return bases;
}

function checkLinear(bases: TvBases, at: (t: number, v: number) => readonly number[], threads: number, values: number): void {
  const threadBases = [...bases.lane, ...bases.warp];
  for (let t = 0; t < threads; t++) {
    for (let v = 0; v < values; v++) {
      const expected = xorOf(threadBases, t, xorOf(bases.register, v, at(0, 0)));
      if (at(t, v).some((x, i) => x !== expected[i]))
        throw new CuteError(`not a linear layout: thread ${t}, value ${v} is not where its bits say`);
    }
  }
}

function xorOf(bases: readonly (readonly number[])[], index: number, start: readonly number[]): readonly number[] {
  let out = start;
  bases.forEach((b, i) => {
    if ((index >> i) & 1) out = out.map((x, d) => x ^ b[d]!);
  });
  return out;
}

/** `#ttg.linear<{register = .., lane = .., warp = .., block = []}>`. */
export function linearAttribute(b: TvBases): string {
  return `#ttg.linear<{register = ${list(b.register)}, lane = ${list(b.lane)}, warp = ${list(b.warp)}, block = []}>`;
}
const list = (bases: readonly (readonly number[])[]): string => `[${bases.map((b) => `[${b.join(", ")}]`).join(", ")}]`;

/** The (thread, value) layout over a column-major tile of `shape` with these bases, if addition can express it. */
export function tvOfBases(b: TvBases, shape: readonly number[]): Layout | string {
  const strides = shape.map((_, i) => shape.slice(0, i).reduce((x, y) => x * y, 1));
  const offset = (basis: readonly number[]) => basis.reduce((sum, x, i) => sum + x * strides[i]!, 0);
  let used = 0;
  for (const basis of [...b.register, ...b.lane, ...b.warp].map(offset)) {
    if ((used & basis) !== 0)
      return "no CuTe layout: two bases move the same coordinate bit, which is an exclusive or, not a sum (a swizzle)";
    used |= basis;
  }
  const mode = (bases: readonly (readonly number[])[]): Layout =>
    bases.length === 0
      ? plain.trivial
      : plain.coalesce(plain.layout(tuple(...bases.map(() => lit(2))), tuple(...bases.map((x) => lit(offset(x))))));
  return plain.concat(mode([...b.lane, ...b.warp]), mode(b.register));
}

function coordinates(index: number, shape: readonly number[]): number[] {
  return shape.map((n) => {
    const c = index % n;
    index = Math.floor(index / n);
    return c;
  });
}

function sizeOf(t: Term, what: string): number {
  const n = numberOf(product(t));
  powerOfTwo(n, `the number of ${what}`);
  return n;
}

function powerOfTwo(n: number, what: string): void {
  if (n <= 0 || (n & (n - 1)) !== 0) throw new CuteError(`a linear layout needs powers of two; ${what} is ${n}`);
}
