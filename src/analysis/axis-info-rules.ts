/**
 * The axis info of an op's result, given its operands: one rule for each kind of op that upstream has a rule for.
 * Source: lib/Analysis/AxisInfo.cpp, the visitors.
 */

import * as arith from "../dialects/arith/ops/index.js";
import { UnrealizedConversionCastOp } from "../dialects/builtin/ops/index.js";
import { SetAutoLayoutOp } from "../dialects/gluon/ops/set-auto-layout.js";
import * as tt from "../dialects/tt/ops/index.js";
import { getPointeeBitWidth } from "../dialects/tt/types.js";
import { ConvertLayoutOp } from "../dialects/ttg/ops/convert-layout.js";
import { PoisonOp } from "../dialects/ub/ops/index.js";
import { DenseElementsAttr, IntegerAttr } from "../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, IntegerType, isIndex, RankedTensorType } from "../ir/builtin-types.js";
import type { OpDef } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import {
  type AxisInfo,
  axisInfo,
  divisibilityFromContiguity,
  gcd,
  highestPowOf2Divisor,
  MAX_DIVISOR,
  multiplyDivisor,
  pessimisticAxisInfo,
  rankOf,
} from "./axis-info.js";

/** Undefined: nothing follows for this op, take the worst case. */
export type AxisInfoRule = (op: Operation, operands: readonly AxisInfo[]) => AxisInfo | undefined;

const shapeOf = (op: Operation): readonly number[] | undefined => {
  const { type } = op.result(0);
  return RankedTensorType.is(type) ? type.params.shape : undefined;
};
const int64 = (value: bigint): bigint => BigInt.asIntN(64, value);
const isContiguousDim = (info: AxisInfo, shape: readonly number[], dim: number): boolean => info.contiguity[dim] === shape[dim];
const isConstantDim = (info: AxisInfo, shape: readonly number[], dim: number): boolean => info.constancy[dim] === shape[dim];
/** 2^n, 2^n + 1, ... is divisible by 1 only once it is multiplied or shifted. */
const divisibilityOfAll = (info: AxisInfo, dim: number): number => (info.contiguity[dim]! > 1 ? 1 : info.divisibility[dim]!);

const sameAsOperand: AxisInfoRule = (_, [source]) => source;

/** All elements are this number. */
export function constantInfo(op: Operation, rank: number, value: bigint): AxisInfo {
  const ones = new Array<number>(rank).fill(1);
  return axisInfo(ones, new Array<number>(rank).fill(highestPowOf2Divisor(value)), shapeOf(op) ?? ones, value);
}

// --- two operands ------------------------------------------------------------------------------

export interface BinaryRule {
  contiguity?(op: Operation, a: AxisInfo, b: AxisInfo, dim: number): number;
  divisibility?(op: Operation, a: AxisInfo, b: AxisInfo, dim: number): number;
  constancy?(op: Operation, a: AxisInfo, b: AxisInfo, dim: number): number;
  constant?(op: Operation, a: AxisInfo, b: AxisInfo): bigint | undefined;
}
export const commonConstancy = (a: AxisInfo, b: AxisInfo, dim: number): number => gcd(a.constancy[dim]!, b.constancy[dim]!);

/** The rule of an op with two operands, from rules for each property. */
export function binary(rule: BinaryRule): AxisInfoRule {
  return (op, [a, b]) => {
    const value = rule.constant?.(op, a!, b!);
    if (value !== undefined) return constantInfo(op, rankOf(a!), int64(value));
    const dims = a!.contiguity.map((_, d) => d);
    return axisInfo(
      dims.map((d) => rule.contiguity?.(op, a!, b!, d) ?? 1),
      dims.map((d) => rule.divisibility?.(op, a!, b!, d) ?? 1),
      dims.map((d) => rule.constancy?.(op, a!, b!, d) ?? commonConstancy(a!, b!, d)),
    );
  };
}
/** The constant that `fold` makes of two. */
const foldedBy =
  (fold: (a: bigint, b: bigint) => bigint | undefined) =>
  (_: Operation, a: AxisInfo, b: AxisInfo): bigint | undefined =>
    a.constantValue === undefined || b.constantValue === undefined ? undefined : fold(a.constantValue, b.constantValue);

const contiguityOfSum: BinaryRule["contiguity"] = (_, a, b, d) =>
  Math.max(gcd(a.constancy[d]!, b.contiguity[d]!), gcd(a.contiguity[d]!, b.constancy[d]!));
const commonDivisibility: BinaryRule["divisibility"] = (_, a, b, d) => gcd(a.divisibility[d]!, b.divisibility[d]!);

export const SUM: BinaryRule = { contiguity: contiguityOfSum, divisibility: commonDivisibility, constant: foldedBy((a, b) => a + b) };
export const DIFFERENCE: BinaryRule = {
  // A falling sequence does not count as contiguous.
  contiguity: (_, a, b, d) => gcd(a.contiguity[d]!, b.constancy[d]!),
  divisibility: commonDivisibility,
  constant: foldedBy((a, b) => a - b),
};
/** Offsets count elements, addresses bytes. */
export const elementBytes = (op: Operation): number => Math.max(1, Math.trunc(getPointeeBitWidth(op.operand(0).type) / 8));
export const ADDRESS: BinaryRule = {
  contiguity: contiguityOfSum,
  divisibility: (op, a, b, d) => gcd(a.divisibility[d]!, multiplyDivisor(b.divisibility[d]!, elementBytes(op))),
  constant: (op, a, b) => foldedBy((x, y) => x + y * BigInt(elementBytes(op)))(op, a, b),
};

const mul = binary({
  contiguity: (_, a, b, d) => Math.max(b.constantValue === 1n ? a.contiguity[d]! : 1, a.constantValue === 1n ? b.contiguity[d]! : 1),
  divisibility: (_, a, b, d) =>
    multiplyDivisor(
      b.constantValue === 1n ? a.divisibility[d]! : divisibilityOfAll(a, d),
      a.constantValue === 1n ? b.divisibility[d]! : divisibilityOfAll(b, d),
    ),
  constant: (op, a, b) => foldedBy((x, y) => x * y)(op, a, b) ?? (a.constantValue === 0n || b.constantValue === 0n ? 0n : undefined),
});

export const QUOTIENT: BinaryRule = {
  contiguity: (_, a, b, d) => (b.constantValue === 1n ? a.contiguity[d]! : 1),
  // k * n, k * n + 1, ... divided by p * m has the same quotient for gcd(k, p) neighbours.
  constancy(op, a, b, d) {
    const constancy = commonConstancy(a, b, d);
    const shape = shapeOf(op);
    if (!shape || !isContiguousDim(a, shape, d) || !isConstantDim(b, shape, d)) return constancy;
    return Math.max(constancy, gcd(a.contiguity[d]!, a.divisibility[d]!, b.divisibility[d]!));
  },
  divisibility(_, a, b, d) {
    if (a.constantValue === 0n || b.constantValue === 1n) return a.divisibility[d]!;
    const by = b.constantValue === undefined ? 0n : b.constantValue < 0n ? -b.constantValue : b.constantValue;
    if (by === 0n || (by & (by - 1n)) !== 0n || a.contiguity[d] !== 1) return 1;
    return Math.max(1, Math.trunc(a.divisibility[d]! / Number(by)));
  },
  constant: foldedBy((a, b) => (b === 0n ? undefined : a / b)),
};
const div = binary(QUOTIENT);

export const REMAINDER: BinaryRule = {
  // k * n, k * n + 1, ... modulo p * m rises by one for gcd(k, p) neighbours.
  contiguity(op, a, b, d) {
    const shape = shapeOf(op);
    if (!shape || !isContiguousDim(a, shape, d) || !isConstantDim(b, shape, d)) return 1;
    return gcd(a.contiguity[d]!, a.divisibility[d]!, b.divisibility[d]!);
  },
  divisibility: (_, a, b, d) => (b.constancy[d]! > 1 ? gcd(a.divisibility[d]!, b.divisibility[d]!) : 1),
  constancy: (op, a, b, d) => (b.constantValue === 1n ? shapeOf(op)?.[d] : undefined) ?? commonConstancy(a, b, d),
  constant: (op, a, b) => foldedBy((x, y) => (y === 0n ? undefined : x % y))(op, a, b) ?? (b.constantValue === 1n ? 0n : undefined),
};
const rem = binary(REMAINDER);

/** Whether Triton's own analysis, which divides the machine's integers, is killed by SIGFPE here. */
export function killsUpstream({ def }: Operation, [a, b]: readonly AxisInfo[]): boolean {
  const rule = AXIS_INFO_RULES.get(def);
  if ((rule !== div && rule !== rem) || a?.constantValue === undefined) return false;
  return b?.constantValue === 0n || (b?.constantValue === -1n && a.constantValue === -(2n ** 63n));
}

const logical = (fold: (a: bigint, b: bigint) => bigint): AxisInfoRule => binary({ constant: foldedBy(fold) });

/** Shifting by nothing changes nothing. */
const contiguityOfShift: BinaryRule["contiguity"] = (_, a, b, d) => (b.constantValue === 0n ? a.contiguity[d]! : 1);
const pow2 = (shift: bigint): number => Number(int64(1n << (shift & 63n)));
const shl = binary({
  contiguity: contiguityOfShift,
  divisibility(_, a, b, d) {
    const shift = b.constantValue ?? 0n;
    return multiplyDivisor(shift === 0n ? a.divisibility[d]! : divisibilityOfAll(a, d), pow2(shift));
  },
  constant: foldedBy((a, b) => a << (b & 63n)),
});
const shr = binary({
  contiguity: contiguityOfShift,
  divisibility(_, a, b, d) {
    if (b.constantValue === undefined) return 1;
    const divisibility = b.constantValue === 0n ? a.divisibility[d]! : divisibilityOfAll(a, d);
    return Math.max(1, Math.trunc(divisibility / pow2(b.constantValue)));
  },
  constant: foldedBy((a, b) => a >> (b & 63n)),
});

/** One of two in each element. */
const extremum =
  (choose: (a: bigint, b: bigint) => bigint): AxisInfoRule =>
  (op, [a, b]) => {
    if (a!.constantValue !== undefined && b!.constantValue !== undefined)
      return constantInfo(op, rankOf(a!), choose(a!.constantValue, b!.constantValue));
    return axisInfo(
      a!.contiguity.map((c, d) => gcd(c, b!.contiguity[d]!)),
      a!.contiguity.map((_, d) => divisibilityFromContiguity(a!, b!, d)),
      a!.constancy.map((c, d) => gcd(c, b!.constancy[d]!)),
    );
  };
// Math.max takes no bigint.
const max = extremum((a, b) => (b - a > 0n ? b : a));
const min = extremum((a, b) => (b - a < 0n ? b : a));

// --- comparing and selecting --------------------------------------------------------------------

const uint64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const COMPARE: Readonly<Record<string, (a: bigint, b: bigint) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  slt: (a, b) => a < b,
  sle: (a, b) => a <= b,
  sgt: (a, b) => a > b,
  sge: (a, b) => a >= b,
  ult: (a, b) => uint64(a) < uint64(b),
  ule: (a, b) => uint64(a) <= uint64(b),
  ugt: (a, b) => uint64(a) > uint64(b),
  uge: (a, b) => uint64(a) >= uint64(b),
};

const cmpi: AxisInfoRule = (op, [a, b]) => {
  const shape = shapeOf(op);
  if (!shape) return undefined;
  const predicate = arith.CmpIOp.match(op)!.predicate;
  const ones = shape.map(() => 1);
  if (a!.constantValue !== undefined && b!.constantValue !== undefined)
    return axisInfo(ones, ones, shape, COMPARE[predicate]!(a!.constantValue, b!.constantValue) ? 1n : 0n);
  // A constant against 4, 5, 6, 7: the outcome changes at most at the start of a run.
  const [constant, run] = /^[su](gt|le)$/.test(predicate) ? [a!, b!] : /^[su](lt|ge)$/.test(predicate) ? [b!, a!] : [];
  const constancy = shape.map((_, d) => {
    const common = commonConstancy(a!, b!, d);
    if (!constant || !run || !isConstantDim(constant, shape, d)) return common;
    return Math.max(common, gcd(run.contiguity[d]!, a!.divisibility[d]!, b!.divisibility[d]!));
  });
  return axisInfo(ones, ones, constancy);
};

export const select: AxisInfoRule = (op, [condition, a, b]) => {
  if (condition!.constantValue !== undefined) return condition!.constantValue === 0n ? b : a;
  // A scalar condition picks one of the tensors as a whole.
  const scalar = IntegerType.is(op.operand(0).type);
  const among = (x: readonly number[], y: readonly number[]): number[] =>
    x.map((n, d) => (scalar ? gcd(n, y[d]!) : gcd(n, y[d]!, condition!.constancy[d]!)));
  const same = a!.constantValue !== undefined && a!.constantValue === b!.constantValue;
  return axisInfo(
    among(a!.contiguity, b!.contiguity),
    a!.contiguity.map((_, d) => divisibilityFromContiguity(a!, b!, d)),
    same ? (shapeOf(op) ?? a!.contiguity.map(() => 1)) : among(a!.constancy, b!.constancy),
    same ? a!.constantValue : undefined,
  );
};

// --- making and reshaping tensors ---------------------------------------------------------------

type Widen = (bits: number, value: bigint) => bigint;
export const constantWidened =
  (widen: Widen): AxisInfoRule =>
  (op) => {
    const attr = arith.ConstantOp.match(op)!.value;
    const number = (value: bigint, type: Parameters<typeof bitWidth>[0]) => int64(widen(bitWidth(type) ?? 64, value));
    if (IntegerAttr.is(attr)) return constantInfo(op, 1, number(attr.params.value, attr.params.type));
    if (!DenseElementsAttr.is(attr) || !attr.params.splat) return undefined;
    const { type, elements } = attr.params;
    const elementType = elementTypeOrSelf(type);
    if (!RankedTensorType.is(type) || !(IntegerType.is(elementType) || isIndex(elementType))) return undefined;
    return constantInfo(op, type.params.shape.length, number(elements[0]!, elementType));
  };

const poison: AxisInfoRule = (op) => {
  const any = (shapeOf(op) ?? [1]).map(() => MAX_DIVISOR);
  return axisInfo(any, any, any);
};

const makeRange: AxisInfoRule = (op) => {
  const { start, end } = tt.MakeRangeOp.match(op)!;
  // Counted in 32 bits, where 2^30 is the largest power of two.
  const divisor = start === 0 ? 2 ** 30 : highestPowOf2Divisor(BigInt(start));
  return axisInfo([end - start], [divisor], [1]);
};

const splat: AxisInfoRule = (op, [source]) => {
  const shape = shapeOf(op)!;
  return axisInfo(
    shape.map(() => 1),
    shape.map(() => source!.divisibility[0]!),
    shape,
    source!.constantValue,
  );
};

/** Equal pointers under equal masks load equal values; the second operand is the mask. */
const load: AxisInfoRule = (_, [ptr, mask]) => {
  const ones = ptr!.contiguity.map(() => 1);
  return axisInfo(
    ones,
    ones,
    ptr!.constancy.map((c, d) => gcd(c, mask ? mask.constancy[d]! : 0)),
  );
};

const expandDims: AxisInfoRule = (op, [source]) => {
  const { axis } = tt.ExpandDimsOp.match(op)!;
  const insert = (list: readonly number[], n: number) => [...list.slice(0, axis), n, ...list.slice(axis)];
  let divisibility = 1;
  if (source!.constantValue !== undefined) divisibility = highestPowOf2Divisor(source!.constantValue);
  else if (rankOf(source!) > 0)
    divisibility = source!.contiguity.map((_, d) => divisibilityOfAll(source!, d)).reduce((common, n) => gcd(common, n));
  return axisInfo(
    insert(source!.contiguity, 1),
    insert(source!.divisibility, divisibility),
    insert(source!.constancy, 1),
    source!.constantValue,
  );
};

const broadcast: AxisInfoRule = (op, [source]) => {
  const shape = shapeOf(op)!;
  const { type } = op.operand(0);
  const sourceShape = RankedTensorType.is(type) ? type.params.shape : [];
  return axisInfo(
    shape.map((_, d) => (sourceShape[d] === 1 ? 1 : source!.contiguity[d]!)),
    shape.map((_, d) => source!.divisibility[d]!),
    shape.map((size, d) => (sourceShape[d] === 1 ? size : source!.constancy[d]!)),
    source!.constantValue,
  );
};

const trans: AxisInfoRule = (op, [source]) => {
  const { order } = tt.TransOp.match(op)!;
  const permute = (list: readonly number[]) => order.map((d) => list[d]!);
  return axisInfo(permute(source!.contiguity), permute(source!.divisibility), permute(source!.constancy), source!.constantValue);
};

/** A cast between ranks says nothing, and neither does one of nothing, which a conversion that failed leaves. */
const unrealizedCast: AxisInfoRule = (op, [source]) => {
  const shape = shapeOf(op);
  return source && shape && shape.length !== rankOf(source) ? pessimisticAxisInfo(op.result(0)) : source;
};

/** The rules by kind of op. */
export const AXIS_INFO_RULES: ReadonlyMap<OpDef, AxisInfoRule> = new Map<OpDef, AxisInfoRule>([
  [UnrealizedConversionCastOp, unrealizedCast],
  [arith.ExtSIOp, sameAsOperand],
  [arith.ExtUIOp, sameAsOperand],
  [arith.TruncIOp, sameAsOperand],
  [ConvertLayoutOp, sameAsOperand],
  [SetAutoLayoutOp, sameAsOperand],
  [tt.BitcastOp, sameAsOperand],
  [tt.MakeRangeOp, makeRange],
  [PoisonOp, poison],
  [arith.ConstantOp, constantWidened(BigInt.asUintN)],
  [tt.AddPtrOp, binary(ADDRESS)],
  [arith.AddIOp, binary(SUM)],
  [arith.SubIOp, binary(DIFFERENCE)],
  [arith.MulIOp, mul],
  [arith.DivSIOp, div],
  [arith.DivUIOp, div],
  [arith.RemSIOp, rem],
  [arith.RemUIOp, rem],
  [tt.BroadcastOp, broadcast],
  [tt.SplatOp, splat],
  [tt.ExpandDimsOp, expandDims],
  [arith.CmpIOp, cmpi],
  [arith.AndIOp, logical((a, b) => a & b)],
  [arith.OrIOp, logical((a, b) => a | b)],
  [arith.XOrIOp, logical((a, b) => a ^ b)],
  [arith.SelectOp, select],
  [arith.ShLIOp, shl],
  [arith.ShRUIOp, shr],
  [arith.ShRSIOp, shr],
  [arith.MaxSIOp, max],
  [arith.MaxUIOp, max],
  [arith.MinSIOp, min],
  [arith.MinUIOp, min],
  [tt.LoadOp, load],
  [tt.TransOp, trans],
] as unknown as readonly (readonly [OpDef, AxisInfoRule])[]);
