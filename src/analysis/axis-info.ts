/**
 * Facts about a value along each of its dimensions, for choosing how wide memory accesses can be.
 *
 *     [[10, 11, 12, 13, 18, 19, 20, 21],
 *      [20, 21, 22, 23, 28, 29, 30, 31]]
 *
 * has contiguity [1, 4] (runs of four consecutive integers along the rows), divisibility [1, 2] (the first elements of the
 * runs, 10, 18, 20, 28, are all divisible by 2) and constancy [1, 1] (no runs of equal values). Pointers count as their
 * address: contiguity is in elements, divisibility in bytes.
 * Source: include/triton/Analysis/AxisInfo.h, lib/Analysis/AxisInfo.cpp.
 */

import { argumentAttr } from "../dialects/builtin/function-op.js";
import { PointerType } from "../dialects/tt/types.js";
import { WarpSpecializePartitionsOp } from "../dialects/ttg/ops/warp-specialize.js";
import type { Attribute } from "../ir/attribute.js";
import { DenseElementsAttr, IntegerAttr } from "../ir/builtin-attrs.js";
import { bitWidth, numElements, RankedTensorType, shapedParams } from "../ir/builtin-types.js";
import { FunctionOp, RegionBranch } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";

/** Facts about a tensor of integers or pointers, for each dimension. Source: include/triton/Analysis/AxisInfo.h. */
export interface AxisInfo {
  /** Length of the shortest run of consecutive integers along each dimension. */
  readonly contiguity: readonly number[];
  /** The largest power of two that divides the first element of every such run; in bytes for pointers. */
  readonly divisibility: readonly number[];
  /** Length of the shortest run of equal values along each dimension. */
  readonly constancy: readonly number[];
  /** The value, where all elements are known to be this integer; in 64 bits. */
  readonly constantValue: bigint | undefined;
}

/** 2^62 stands for "any power of two". All numbers here are powers of two or small, so that doubles hold them exactly. */
export const MAX_DIVISOR = 2 ** 62;

/** The largest power of two that divides `value` (a 64 bit integer). */
export function highestPowOf2Divisor(value: bigint): number {
  const n = BigInt.asIntN(64, value);
  return n === 0n || n === -(1n << 63n) ? MAX_DIVISOR : Number(n & -n);
}

/** 0 is neutral, and hides what follows it. Arguments are not negative. */
export function gcd(a: number, b: number, ...rest: readonly number[]): number {
  if (a === 0) return b;
  if (b === 0) return a;
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return rest.length === 0 ? x : gcd(x, rest[0]!, ...rest.slice(1));
}

/** Product of divisors; MAX_DIVISOR where it would overflow. */
export function multiplyDivisor(a: number, b: number): number {
  return a > Math.trunc(MAX_DIVISOR / b) ? MAX_DIVISOR : a * b;
}

export const rankOf = (info: AxisInfo): number => info.contiguity.length;

/** Knowledge without a constant, dimension by dimension. */
export function axisInfo(
  contiguity: readonly number[],
  divisibility: readonly number[],
  constancy: readonly number[],
  constantValue?: bigint,
): AxisInfo {
  return { contiguity, divisibility, constancy, constantValue };
}

/** The divisibility along `dim` of a value that is either of two. */
export function divisibilityFromContiguity(a: AxisInfo, b: AxisInfo, dim: number): number {
  const [ca, cb] = [a.contiguity[dim]!, b.contiguity[dim]!];
  const [da, db] = [a.divisibility[dim]!, b.divisibility[dim]!];
  if (ca === cb || ca === MAX_DIVISOR || cb === MAX_DIVISOR) return gcd(da, db);
  // Runs are cut: elements that were inside a run become first elements.
  return gcd(da, db, ca, cb);
}

/** The AxisInfo of a value that is either of two; `a` itself when `b` adds nothing. Rank 0 means "not known yet". */
export function joinAxisInfo(a: AxisInfo, b: AxisInfo): AxisInfo {
  if (a === b || rankOf(b) === 0) return a;
  if (rankOf(a) === 0) return b;
  const joined = axisInfo(
    a.contiguity.map((c, d) => gcd(c, b.contiguity[d]!)),
    a.contiguity.map((_, d) => divisibilityFromContiguity(a, b, d)),
    a.constancy.map((c, d) => gcd(c, b.constancy[d]!)),
    a.constantValue === b.constantValue ? a.constantValue : undefined,
  );
  return sameAxisInfo(a, joined) ? a : joined;
}

export function sameAxisInfo(a: AxisInfo, b: AxisInfo): boolean {
  return (
    a.constantValue === b.constantValue &&
    same(a.contiguity, b.contiguity) &&
    same(a.divisibility, b.divisibility) &&
    same(a.constancy, b.constancy)
  );
}
const same = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((x, i) => x === b[i]);

/** The number that a hint gives for each dimension, from a dense attribute or a single number; 1 for a dimension without a number. */
export function hintOf(attr: Attribute | undefined, rank: number): readonly number[] | undefined {
  const dimensions = (numberOf: (dim: number) => number | undefined) => Array.from({ length: rank }, (_, dim) => numberOf(dim) ?? 1);
  if (IntegerAttr.is(attr)) {
    const { value, type } = attr.params;
    return dimensions((dim) => (dim === 0 ? Number(BigInt.asUintN(bitWidth(type) ?? 64, value)) : undefined));
  }
  if (!DenseElementsAttr.is(attr)) return undefined;
  const { elements, splat, type } = attr.params;
  const count = splat ? numElements(shapedParams(type).shape) : elements.length;
  return dimensions((dim) => (dim < count ? Number(elements[splat ? 0 : dim]) : undefined));
}

/**
 * The AxisInfo of a value in the worst case: only from hints on its op or on its function's argument. Values from control flow may be
 * anything at first (`hopeful`), until they are joined with the incoming values.
 */
export function pessimisticAxisInfo(value: Value, hopeful = true): AxisInfo {
  const rank = shapeRank(value);
  const op = value.definingOp;
  const owner = op ?? (value.argOwner!.region?.firstBlock === value.argOwner ? value.argOwner!.parentOp : null);
  const fromControlFlow = hopeful && (owner?.def.interface(RegionBranch) !== undefined || (!op && WarpSpecializePartitionsOp.is(owner)));
  const all = new Array<number>(rank).fill(fromControlFlow ? MAX_DIVISOR : 1);
  let hint: ((name: string) => readonly number[] | undefined) | undefined;
  if (op) hint = (name) => hintOf(op.attr(name), rank);
  else if (owner && isFunction(owner)) hint = (name) => hintOf(argumentAttr(owner, value.index, name), rank);
  return axisInfo(hint?.("tt.contiguity") ?? all, hint?.("tt.divisibility") ?? all, hint?.("tt.constancy") ?? all);
}
/** Nothing at all: not even what hints say. */
export function noAxisInfo(value: Value): AxisInfo {
  const ones = new Array<number>(shapeRank(value)).fill(1);
  return axisInfo(ones, ones, ones);
}
const isFunction = (op: Operation): boolean => op.def.interface(FunctionOp) !== undefined;

function shapeRank({ type }: Value): number {
  if (RankedTensorType.is(type)) return type.params.shape.length;
  if (PointerType.is(type) && RankedTensorType.is(type.params.pointeeType)) return type.params.pointeeType.params.shape.length;
  return 1;
}

/** As upstream prints it: `contiguity = [4], divisibility = [16], constancy = [1], constant_value = <none>`. */
export function axisInfoText({ contiguity, divisibility, constancy, constantValue }: AxisInfo): string {
  const list = (numbers: readonly number[]) => `[${numbers.map((n) => BigInt(n)).join(", ")}]`;
  const constant = constantValue === undefined ? "<none>" : String(constantValue);
  return `contiguity = ${list(contiguity)}, divisibility = ${list(divisibility)}, constancy = ${list(constancy)}, constant_value = ${constant}`;
}
