/** The initial contents of memory: a function of seed, argument and element index only. */
import { bytesOf, type ElementKind, type FloatElementKind, isFloatKind } from "./numbers/element.js";

/**
 * How a buffer begins. `random`: floats from N(0, 1), integers from 0..15. `special`: as `random`, but that every other float is zero,
 * infinite, NaN, denormal, or very large; with `rate` as `edges`, but that one in so many is infinite or NaN. `edges`: floats as `random`, but that one in four is a zero of either sign, denormal (not where all are `normal`),
 * or no fraction. `wide`: integers of either sign and any size, the extremes among them; for divisors without -2 to 2, for `bits` none
 * that is infinite or NaN when it is read as a float. `range`: integers, or floats, from low to high (excluded); with `step` low plus multiples of it; with `rate` one in so many is NaN, of integers -1.
 * `permutation`: 0..count-1 in some order. `monotone`: rising from low by steps of 0..step. `pointers`: each element is the address of a
 * buffer of its own, of elements `element`.
 */
export type InitialValues =
  | { readonly kind: "random" | "zeros" | "arange" }
  | { readonly kind: "edges"; readonly normal?: boolean }
  | { readonly kind: "special"; readonly rate?: number; readonly normal?: boolean }
  | { readonly kind: "wide"; readonly use?: "divisor" | "bits" }
  | { readonly kind: "range"; readonly low: number; readonly high: number; readonly step?: number; readonly rate?: number }
  | { readonly kind: "permutation"; readonly count: number }
  | { readonly kind: "monotone"; readonly low: number; readonly step: number }
  | { readonly kind: "pointers"; readonly element: ElementKind };

/** The value of element `index` of argument `argument`; not for `pointers`. */
export function initialValue(
  init: Exclude<InitialValues, { kind: "pointers" }>,
  element: ElementKind,
  seed: number,
  argument: number,
  index: number,
): number {
  switch (init.kind) {
    case "zeros":
      return 0;
    case "arange":
      return index;
    case "random":
      return isFloatKind(element) ? normal(seed, argument, index) : hash(seed, argument, index, 0) >>> 28;
    case "special": {
      if (!isFloatKind(element)) return initialValue({ kind: "random" }, element, seed, argument, index);
      const at = hash(seed, argument, index, 0);
      if (init.rate === undefined) return at >>> 27 < SPECIAL.length ? SPECIAL[at >>> 27]! : normal(seed, argument, index);
      const isSpecial = hash(seed, argument, index, 3) % init.rate === 0;
      return isSpecial ? [Infinity, -Infinity, NaN][at % 3]! : initialValue({ ...init, kind: "edges" }, element, seed, argument, index);
    }
    case "edges": {
      if (!isFloatKind(element)) return initialValue({ kind: "random" }, element, seed, argument, index);
      const at = hash(seed, argument, index, 0);
      if (at >>> 30 !== 0) return normal(seed, argument, index);
      const values = EDGES[element];
      const value = values[(at >>> 1) % values.length]!;
      return (at & 1 ? -1 : 1) * (init.normal && value < LEAST_NORMAL ? 0 : value);
    }
    case "wide":
      return isFloatKind(element)
        ? initialValue({ kind: "edges" }, element, seed, argument, index)
        : wide(8 * bytesOf(element), init.use, seed, argument, index);
    case "range": {
      if (init.rate !== undefined && hash(seed, argument, index, 3) % init.rate === 0) return isFloatKind(element) ? Number.NaN : -1;
      const offset = (hash(seed, argument, index, 0) / 2 ** 32) * (init.high - init.low);
      const value = init.low + (init.step === undefined ? offset : Math.floor(offset / init.step) * init.step);
      return isFloatKind(element) ? value : Math.floor(value);
    }
    case "permutation":
      return permuted(index % init.count, init.count, seed, argument);
    case "monotone":
      // Steps of `step` in the mean: the value is near index * step and never falls.
      return init.low + index * init.step + Math.floor((hash(seed, argument, index, 0) / 2 ** 32) * (init.step + 1));
  }
}

const SPECIAL = [0, -0, Infinity, -Infinity, NaN, 3e38, -3e38, 1e9, -1e6, 1e5, 1e-30, 88, -104, 1, -1] as const;

/** The least normal f32, the kind in which narrower floats are computed. */
const LEAST_NORMAL = 2 ** -126;
/** Their denormals, the least of them first; and what is alike in all kinds. */
const COMMON = [0, 0, 1, 2, 0.5, 3.25, 48];
const EDGES: Readonly<Record<FloatElementKind, readonly number[]>> = {
  f64: [2 ** -1074, 2 ** -1030, ...COMMON],
  f32: [2 ** -149, 2 ** -130, ...COMMON],
  bf16: [2 ** -133, 2 ** -128, ...COMMON],
  f16: [2 ** -24, 2 ** -16, ...COMMON],
  f8E5M2: [2 ** -16, ...COMMON],
  f8E4M3FN: [2 ** -9, ...COMMON],
  f8E4M3B15: [2 ** -17, 0, 0, 1, 0.5],
};

/** An integer of `width` bits: one in eight an extreme, three small, the others of a random size. */
function wide(width: number, use: "divisor" | "bits" | undefined, seed: number, argument: number, index: number): number {
  const h = hash(seed, argument, index, 0);
  const half = 2 ** (width - 1);
  // For 64 bits, the largest double below 2^63.
  const most = width === 64 ? half - 1024 : half - 1;
  const bits = (hash(seed, argument, index, 1) | 0) * 2 ** (width - 32) + (width === 64 ? hash(seed, argument, index, 2) : 0);
  const random = Math.floor(bits / 2 ** ((h >>> 3) % width));
  let value = random;
  if ((h & 7) === 0) value = [-half, most, -1, 0, 1, 1 - half, half / 2, -half / 2][(h >>> 3) & 7]!;
  else if ((h & 7) < 4) value = ((h >>> 3) & 31) - 16;
  // Without the highest bit of its exponent a float is small.
  if (use === "bits") return random - (Math.floor(random / (half / 2)) & 1) * (half / 2);
  return use === "divisor" && Math.abs(value) < 3 ? (value < 0 ? -7 : 7) : value;
}

/** 32 mixed bits. */
export function hash(seed: number, argument: number, index: number, stream: number): number {
  let h = mix(seed ^ Math.imul(argument + 1, 0x9e3779b1));
  h = mix(h ^ (index | 0) ^ Math.imul(stream + 1, 0x85ebca6b));
  return mix(h ^ Math.imul(Math.floor(index / 2 ** 32), 0xc2b2ae35)) >>> 0;
}

function mix(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Box and Muller's transform of two hashes. */
function normal(seed: number, argument: number, index: number): number {
  const radius = Math.sqrt(-2 * Math.log((hash(seed, argument, index, 1) + 1) / 2 ** 32));
  return radius * Math.cos((2 * Math.PI * hash(seed, argument, index, 2)) / 2 ** 32);
}

/** A bijection of 0..count-1: a Feistel network over the next even number of bits, walked until it lands inside. */
function permuted(index: number, count: number, seed: number, argument: number): number {
  let bits = 1;
  while (2 ** (2 * bits) < count) bits++;
  const mask = 2 ** bits - 1;
  let value = index;
  do {
    let left = Math.floor(value / 2 ** bits);
    let right = value & mask;
    for (let round = 0; round < 4; round++) [left, right] = [right, left ^ (hash(seed, argument, right, 3 + round) & mask)];
    value = left * 2 ** bits + right;
  } while (value >= count);
  return value;
}
