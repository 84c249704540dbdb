/**
 * Pointers and mask of a block of a tensor in memory, from its base, shape, strides and offsets. For a block of 16 rows:
 *
 *     ptr  = splat(base) + broadcast((offset0 + range(16))[:, None] * stride0) + ...
 *     mask = broadcast(0 <= (offset0 + range(16))[:, None] < shape0) & ...
 *
 * All numbers are 64-bit. Source: RewriteTensorPointer.cpp, RewriteTensorDescriptorToPointer.cpp.
 */

import { AddIOp, AndIOp, CmpIOp, ConstantOp, ExtSIOp, MulIOp } from "../../dialects/arith/ops/index.js";
import { AddPtrOp } from "../../dialects/tt/ops/pointer.js";
import { MakeRangeOp } from "../../dialects/tt/ops/program.js";
import { BroadcastOp, ExpandDimsOp, ReshapeOp, SplatOp } from "../../dialects/tt/ops/shape.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import type { Builder } from "../../ir/builder.js";
import { floatAttr, intAttr } from "../../ir/builtin-attrs.js";
import { FloatType, i1, i32, i64, RankedTensorType, tensorType } from "../../ir/builtin-types.js";
import type { LocationRef } from "../../ir/location.js";
import type { Value } from "../../ir/value.js";

/** The tensor in memory, and the shape of the block. */
export interface BlockOfTensor {
  readonly base: Value;
  readonly shape: readonly Value[];
  readonly strides: readonly Value[];
  readonly blockShape: readonly number[];
}
/** The Builder or Rewriter that makes the ops, and their location. */
export interface Maker {
  readonly rw: Pick<Builder, "value" | "ctx">;
  readonly loc: LocationRef;
}

/** A vector of numbers along dimension `dim`, as a tensor with extent 1 in the others. */
export function expandOffsets({ rw, loc }: Maker, rank: number, offsets: Value, dim: number): Value {
  if (rank > 1 && rw.ctx.triton.reshapesOffsets) {
    const { elementType, shape } = RankedTensorType.params(offsets.type);
    const unit = Array.from({ length: rank }, (_, axis) => (axis === dim ? shape[0]! : 1));
    return rw.value(ReshapeOp, { src: offsets }, { types: [tensorType(unit, elementType)], loc });
  }
  let expanded = offsets;
  for (let axis = 0; axis < rank; axis++) if (axis !== dim) expanded = rw.value(ExpandDimsOp, { src: expanded, axis }, { loc });
  return expanded;
}

/** offset, offset + 1, ... along dimension `dim` of the block. */
export function expandedOffsetWithRange(maker: Maker, blockShape: readonly number[], offset: Value, dim: number): Value {
  const { rw, loc } = maker;
  const extent = blockShape[dim]!;
  const row = tensorType([extent], i64(rw.ctx));
  const splat = rw.value(SplatOp, { src: offset }, { types: [row], loc });
  const range = rw.value(MakeRangeOp, { start: 0, end: extent }, { types: [tensorType([extent], i32(rw.ctx))], loc });
  const wide = rw.value(ExtSIOp, { in: range }, { types: [row], loc });
  return expandOffsets(maker, blockShape.length, rw.value(AddIOp, { lhs: splat, rhs: wide }, { loc }), dim);
}

/** The pointers to all elements; `range(dim)` gives the offsets along a dimension. */
export function blockPointers({ rw, loc }: Maker, block: BlockOfTensor, range: (dim: number) => Value): Value {
  const { base, strides, blockShape } = block;
  const offsetType = tensorType(blockShape, i64(rw.ctx));
  const types = [tensorType(blockShape, base.type)];
  let ptr = rw.value(SplatOp, { src: base }, { types, loc });
  for (let dim = 0; dim < blockShape.length; dim++) {
    const offsets = range(dim);
    // A splat of the whole expanded shape keeps what is known of the stride's divisibility.
    const stride = rw.value(SplatOp, { src: strides[dim]! }, { types: [offsets.type], loc });
    const scaled = rw.value(MulIOp, { lhs: offsets, rhs: stride }, { loc });
    const offset = rw.value(BroadcastOp, { src: scaled }, { types: [offsetType], loc });
    ptr = rw.value(AddPtrOp, { ptr, offset }, { types, loc });
  }
  return ptr;
}

/** Which elements lie in the tensor, looking at `dims` only; undefined when there are none to look at. */
export function blockMask(
  { rw, loc }: Maker,
  block: BlockOfTensor,
  range: (dim: number) => Value,
  dims: readonly number[],
): Value | undefined {
  const types = [tensorType(block.blockShape, i1(rw.ctx))];
  let mask: Value | undefined;
  for (const dim of dims) {
    const offsets = range(dim);
    const splat = (src: Value): Value => rw.value(SplatOp, { src }, { types: [offsets.type], loc });
    const zero = splat(rw.value(ConstantOp, { value: intAttr(i64(rw.ctx), 0) }, { loc }));
    const notBelow = rw.value(CmpIOp, { predicate: "sge", lhs: offsets, rhs: zero }, { loc });
    const below = rw.value(CmpIOp, { predicate: "slt", lhs: offsets, rhs: splat(block.shape[dim]!) }, { loc });
    const inside = rw.value(AndIOp, { lhs: notBelow, rhs: below }, { loc });
    const broadcast = rw.value(BroadcastOp, { src: inside }, { types, loc });
    mask = mask ? rw.value(AndIOp, { lhs: mask, rhs: broadcast }, { loc }) : broadcast;
  }
  return mask;
}

/** The number 0 of an integer or float type, or a float's NaN. */
export function paddingValue(elementType: Type, nan = false): Attribute {
  return FloatType.is(elementType) ? floatAttr(elementType, nan ? NaN : 0) : intAttr(elementType, 0);
}
