/** Source: mlir/lib/Dialect/Utils/StaticValueUtils.cpp, constantTripCount; mlir/lib/Dialect/SCF/IR/SCF.cpp, computeUbMinusLb. */
import { storageWidth } from "../../ir/builtin-attrs.js";
import { constantInt } from "../../ir/match.js";
import type { Value } from "../../ir/value.js";
import { OVERFLOW } from "../arith/attrs.js";
import { AddIOp } from "../arith/ops/index.js";

/** A view of `scf.for`. */
interface CountedLoop {
  readonly lowerBound: Value;
  readonly upperBound: Value;
  readonly step: Value;
  readonly unsignedCmp: unknown;
}

/** How often the body runs, where that is known. */
export function staticTripCount({ lowerBound, upperBound, step, unsignedCmp }: CountedLoop): bigint | undefined {
  return constantTripCount(lowerBound, upperBound, step, !unsignedCmp);
}

/**
 * The number of iterations from constant bounds, or bounds a known distance apart, and a constant step. As upstream, 3.6 uses signed
 * division for unsigned loops too, and a step that is not positive gives 0; up to 3.7 so does a distance that wraps.
 */
export function constantTripCount(lower: Value, upper: Value, step: Value, isSigned: boolean): bigint | undefined {
  if (lower === upper) return 0n;
  const width = storageWidth(lower.type);
  const signed = (value: bigint): bigint => BigInt.asIntN(width, value);
  const read = (value: bigint): bigint => (isSigned ? signed(value) : BigInt.asUintN(width, value));
  const { countsUnsignedRounds: exact, countsFarRounds } = lower.type.ctx.triton;
  const stepBits = constantInt(step);
  const stepValue = stepBits !== undefined && exact ? read(stepBits) : stepBits;
  if (exact && stepValue === 0n) return undefined;
  if (!exact && stepValue !== undefined && stepValue <= 0n) return 0n;
  const lowerValue = constantInt(lower);
  const upperValue = constantInt(upper);
  if ((lowerValue === undefined) !== (upperValue === undefined)) return undefined;
  let distance: bigint;
  if (lowerValue !== undefined && upperValue !== undefined) {
    if (read(upperValue) <= read(lowerValue)) return 0n;
    distance = countsFarRounds || (exact && !isSigned) ? read(upperValue) - read(lowerValue) : signed(upperValue - lowerValue);
    if (isSigned && distance < 0n) return 0n;
  } else {
    const known = upperMinusLower(lower, upper, isSigned);
    if (known === undefined) return undefined;
    distance = signed(known);
    if (distance < 0n) return 0n;
  }
  if (stepValue === undefined || stepValue < 0n) return undefined;
  const count = distance / stepValue;
  return distance % stepValue === 0n ? count : count + 1n;
}

/** `c` when the upper bound is `lower + c` and the sum is known not to wrap. */
function upperMinusLower(lower: Value, upper: Value, isSigned: boolean): bigint | undefined {
  const sum = AddIOp.match(upper.definingOp);
  if (!sum || sum.lhs !== lower) return undefined;
  const needed = isSigned ? OVERFLOW.nsw : OVERFLOW.nuw;
  return (sum.overflowFlags & needed) === needed ? constantInt(sum.rhs) : undefined;
}
