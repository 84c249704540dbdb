/**
 * Whether computing a slice again, in another layout, costs less than the conversion that it saves.
 * Source: lib/Dialect/TritonGPU/Transforms/RemoveLayoutConversions.cpp, LayoutRematerialization::backwardRematerialization.
 */
import { topologicalSort } from "../../../analysis/slices.js";
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { AddFOp, MulFOp } from "../../../dialects/arith/ops/float.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { ReduceOp } from "../../../dialects/tt/ops/reduce.js";
import { distributedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import { bitWidth, FloatType, numElements, RankedTensorType, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { getThreadsPerWarp, getWarpsPerCTA } from "../../../layout/encoding-queries.js";

/** Costs in thousandths of a multiprocessor's cycle. */
export interface RematerializationCost {
  readonly convert: number;
  /** Infinite where the slice must not be computed twice. */
  readonly rematerialize: number;
}

/** The cost of a conversion, and the cost to compute again the ops of its slice that others need as they are. */
export function rematerializationCost(convert: Operation, slice: Iterable<Value>): RematerializationCost {
  const ops = new Set<Operation>();
  for (const { definingOp } of slice) if (definingOp) ops.add(definingOp);
  const singleUse = singleUseOps(ops, convert);
  let rematerialize = 0;
  for (const op of ops) if (!singleUse.has(op)) rematerialize += costOf(op);
  return { convert: convertCost(convert.operand(0)), rematerialize };
}

/** The cost of a conversion of a value. */
export function convertCost(value: Value): number {
  // A round trip through shared memory in at least one 4-byte word for each of 32 banks, store and load, twice for the barriers.
  return 32 * byteCount(value, 32, 32);
}

/** The ops all of whose uses lead to the conversion by ops of the slice: they move rather than being duplicated. */
function singleUseOps(ops: ReadonlySet<Operation>, convert: Operation): Set<Operation> {
  const single = new Set<Operation>();
  const sorted = topologicalSort([...ops]);
  for (let i = sorted.length - 1; i >= 0; i--) {
    const op = sorted[i]!;
    if (op.results.every((result) => onlyUsedBy(result, single, convert))) single.add(op);
  }
  return single;
}
function onlyUsedBy(value: Value, single: ReadonlySet<Operation>, convert: Operation): boolean {
  for (let use = value.firstUse; use; use = use.nextUse) if (use.owner !== convert && !single.has(use.owner)) return false;
  return true;
}

function costOf(op: Operation): number {
  if (ConstantOp.is(op)) return 0;
  return isArithmetic(op) ? mathFactor(op) * bytesOfResults(op) : memoryCost(op);
}
export const isArithmetic = (op: Operation): boolean => op.def.dialect === "arith" || op.def.dialect === "math";
export const mathFactor = (op: Operation): number => (EXPENSIVE_MATH.has(op.name) ? 8 : 1);
/** The cost of a load or reduction; other ops cost nothing. */
export function memoryCost(op: Operation): number {
  // Taken to be in the L1 cache.
  if (LoadOp.is(op) || LocalLoadOp.is(op)) return 8 * bytesOfResults(op);
  const reduce = ReduceOp.match(op);
  return reduce ? reduceCost(op, reduce.axis) : 0;
}
function bytesOfResults(op: Operation): number {
  return op.results.reduce((bytes, result) => bytes + byteCount(result), 0);
}

/** Several instructions, or less than 16 results per cycle and multiprocessor (CUDA programming guide, arithmetic instructions). */
const EXPENSIVE_MATH: ReadonlySet<string> = new Set([
  "arith.divf",
  ...["erfc", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "ctpop", "ctlz", "cttz", "exp", "exp2", "expm1", "log", "log2"].map(math),
  ...["log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "powf", "sqrt", "rsqrt", "erf", "cbrt"].map(math),
]);
function math(name: string): string {
  return `math.${name}`;
}

/** Bytes of a tensor, counting at least so many elements of so many bits; pointers have no bits. */
export function byteCount({ type }: Value, minElementCount = 0, minBitWidth = 0): number {
  const params = RankedTensorType.is(type) ? type.params : undefined;
  const elements = params ? numElements(params.shape) : 0;
  const bits = params ? (bitWidth(params.elementType) ?? 0) : 0;
  return Math.floor((Math.max(elements, minElementCount) * Math.max(bits, minBitWidth)) / 8);
}

/** Lanes and, eight times as dear, warps that take part. Sums of floats must not be computed twice: they would differ. */
function reduceCost(op: Operation, axis: number): number {
  const { shape, elementType, encoding } = (op.operand(0).type as TensorType).params;
  if (FloatType.is(elementType) && shape[axis]! > 2) {
    const ordered = op.walk((nested) => (AddFOp.is(nested) || MulFOp.is(nested) ? "interrupt" : undefined));
    if (ordered) return Infinity;
  }
  const params = distributedParams(encoding)!;
  return getThreadsPerWarp(params, shape)[axis]! + 8 * getWarpsPerCTA(params, shape)[axis]!;
}
