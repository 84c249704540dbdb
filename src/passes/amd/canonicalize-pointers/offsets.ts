/**
 * Offsets in two parts: a scalar that all elements share, and a tensor for the rest.
 * Source: third_party/amd/lib/TritonAMDGPUTransforms/CanonicalizePointers.cpp, createDecomposeOffsetFromExpr and what it calls.
 */
import { AddIOp, ConstantOp, ExtSIOp, MulIOp, TruncIOp } from "../../../dialects/arith/ops/index.js";
import { BroadcastOp, ExpandDimsOp, SplatOp } from "../../../dialects/tt/ops/shape.js";
import type { Type } from "../../../ir/attribute.js";
import { IntegerAttr, intAttr, splatOf } from "../../../ir/builtin-attrs.js";
import { elementTypeOrSelf, IntegerType, intType, isInteger, RankedTensorType, withElementType } from "../../../ir/builtin-types.js";
import type { LocationRef } from "../../../ir/location.js";
import { constantOf, isZeroInt, scalarOrSplat } from "../../../ir/match.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

/** Tensors that are known to repeat a scalar, by the scalar and their type. */
export class KnownSplats {
  readonly #splats = new Map<Value, Map<Type, Value>>();
  get(scalar: Value, type: Type): Value | undefined {
    return this.#splats.get(scalar)?.get(type);
  }
  set(scalar: Value, splat: Value): void {
    const ofScalar = this.#splats.get(scalar) ?? new Map<Type, Value>();
    this.#splats.set(scalar, ofScalar.set(splat.type, splat));
  }
}

const widthOf = (value: Value): number => {
  const type = elementTypeOrSelf(value.type);
  return IntegerType.is(type) ? type.params.width : 64;
};
/** Whether a scalar is a constant integer. */
export const isScalarConstant = (value: Value): boolean => IntegerAttr.is(ConstantOp.match(value.definingOp)?.value);
export const isScalarZero = (value: Value): boolean => isScalarConstant(value) && isZeroInt(value);
export function isTensorZero(value: Value): boolean {
  const splat = SplatOp.match(value.definingOp);
  if (splat) return IntegerType.is(elementTypeOrSelf(value.type)) && isScalarZero(splat.src);
  return IntegerType.is(elementTypeOrSelf(value.type)) && ConstantOp.is(value.definingOp) && isZeroInt(value);
}

const extendOffset = (rw: Rewriter, loc: LocationRef, offset: Value, to: Type): Value =>
  rw.createOrFold(ExtSIOp, { in: offset }, { loc, types: [withElementType(offset.type, to)] });
/** The offset with fewer bits; one of 32 bits stays. */
export function truncateOffset(rw: Rewriter, loc: LocationRef, offset: Value, to: Type): Value {
  if (isInteger(elementTypeOrSelf(offset.type), 32)) return offset;
  return rw.createOrFold(TruncIOp, { in: offset }, { loc, types: [withElementType(offset.type, to)] });
}
/** The offset with elements of type `to`. */
export function castOffset(rw: Rewriter, loc: LocationRef, offset: Value, to: Type): Value {
  const [from, width] = [widthOf(offset), IntegerType.is(to) ? to.params.width : 64];
  if (from === width) return offset;
  return from < width ? extendOffset(rw, loc, offset, to) : truncateOffset(rw, loc, offset, to);
}
const widerType = (a: Value, b: Value): Type => elementTypeOrSelf((widthOf(a) > widthOf(b) ? a : b).type);

/** The sum of two scalars, or of two tensors. */
export function addOffsets(rw: Rewriter, loc: LocationRef, a: Value, b: Value): Value {
  const type = widerType(a, b);
  const isZero = (value: Value): boolean => isTensorZero(value) || isScalarZero(value);
  if (isZero(a)) return castOffset(rw, loc, b, type);
  if (isZero(b)) return castOffset(rw, loc, a, type);
  return rw.createOrFold(AddIOp, { lhs: castOffset(rw, loc, a, type), rhs: castOffset(rw, loc, b, type) }, { loc });
}
/** The sum of a scalar and a tensor. */
export function addUniform(rw: Rewriter, loc: LocationRef, uniform: Value, rest: Value): Value {
  const type = widerType(uniform, rest);
  if (isScalarZero(uniform)) return castOffset(rw, loc, rest, type);
  const src = castOffset(rw, loc, uniform, type);
  const tensor = castOffset(rw, loc, rest, type);
  const splat = rw.value(SplatOp, { src }, { loc, types: [tensor.type] });
  return isTensorZero(rest) ? splat : rw.createOrFold(AddIOp, { lhs: splat, rhs: tensor }, { loc });
}

/** The scalar that a value repeats (or is, for a scalar argument of a block), made anew for a constant. */
export function repeatedScalar(rw: Rewriter, loc: LocationRef, value: Value, splats?: KnownSplats): Value | undefined {
  const op = value.definingOp;
  if (!op) return RankedTensorType.is(value.type) ? undefined : value;
  const splat = SplatOp.match(op);
  if (splat) {
    splats?.set(splat.src, value);
    return splat.src;
  }
  const constant = RankedTensorType.is(value.type) && ConstantOp.is(op) ? scalarOrSplat(constantOf(value)) : undefined;
  return IntegerAttr.is(constant) ? rw.value(ConstantOp, { value: constant }, { loc }) : undefined;
}

/** A tensor of integers in two parts, whose sum it is. */
export interface Parts {
  readonly uniform: Value;
  readonly rest: Value;
}
/** The parts of `value`, computed at the rewriter's insertion point; a zero has `width` bits where no scalar is known. */
export function decompose(rw: Rewriter, loc: LocationRef, value: Value, width: number, splats?: KnownSplats): Parts {
  const scalar = repeatedScalar(rw, loc, value, splats);
  if (scalar) {
    const zero = splatOf(value.type, intAttr(elementTypeOrSelf(value.type), 0));
    return { uniform: scalar, rest: rw.value(ConstantOp, { value: zero }, { loc }) };
  }
  const op = value.definingOp;
  const of = (operand: Value): Parts => decompose(rw, loc, operand, width, splats);
  const broadcast = BroadcastOp.match(op);
  if (broadcast) {
    const { uniform, rest } = of(broadcast.src);
    return { uniform, rest: rw.value(BroadcastOp, { src: rest }, { loc, types: [value.type] }) };
  }
  const expand = ExpandDimsOp.match(op);
  if (expand) {
    const { uniform, rest } = of(expand.src);
    return { uniform, rest: rw.value(ExpandDimsOp, { src: rest, axis: expand.axis }, { loc }) };
  }
  const add = AddIOp.match(op);
  if (add) {
    const [a, b] = [of(add.lhs), of(add.rhs)];
    const uniform = addOffsets(rw, loc, a.uniform, b.uniform);
    return { uniform, rest: addOffsets(rw, loc, a.rest, b.rest) };
  }
  const multiply = MulIOp.match(op);
  if (multiply) return product(rw, loc, of(multiply.lhs), of(multiply.rhs));
  return { uniform: rw.value(ConstantOp, { value: intAttr(intType(rw.ctx, width), 0) }, { loc }), rest: value };
}
/** (u + r) * (v + s) = u * v + (r * s + u * s + r * v). */
function product(rw: Rewriter, loc: LocationRef, a: Parts, b: Parts): Parts {
  const multiply = (lhs: Value, rhs: Value): Value => rw.value(MulIOp, { lhs, rhs }, { loc });
  const uniform = multiply(a.uniform, b.uniform);
  const splatA = rw.value(SplatOp, { src: a.uniform }, { loc, types: [a.rest.type] });
  const splatB = rw.value(SplatOp, { src: b.uniform }, { loc, types: [b.rest.type] });
  const rests = multiply(a.rest, b.rest);
  const left = multiply(splatA, b.rest);
  const right = multiply(a.rest, splatB);
  const sum = rw.value(AddIOp, { lhs: rests, rhs: left }, { loc });
  return { uniform, rest: rw.value(AddIOp, { lhs: sum, rhs: right }, { loc }) };
}
