/** What memory holds before anything was written: a function of seed, argument and element index alone. */
import { type ElementKind, isFloatKind } from "./numbers/element.js";

/**
 * How a buffer begins. `random`: floats from N(0, 1), integers from 0..15. `special`: as `random`, but that every other float is
 * zero, infinite, NaN, denormal, or very large. `range`: integers, or floats, from low to high (excluded).
 * `permutation`: 0..count-1 in some order. `monotone`: rising from low by steps of 0..step. `pointers`: each element is the address of a
 * buffer of its own, of elements `element`.
 */
export type InitialValues =
  | { readonly kind: "random" | "special" | "zeros" | "arange" }
  | { readonly kind: "range"; readonly low: number; readonly high: number }
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
      const at = hash(seed, argument, index, 0) >>> 27;
      return isFloatKind(element) && at < SPECIAL.length ? SPECIAL[at]! : initialValue({ kind: "random" }, element, seed, argument, index);
    }
    case "range": {
      const value = init.low + (hash(seed, argument, index, 0) / 2 ** 32) * (init.high - init.low);
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
