/**
 * The offset of a pointer into a tensor of at most 2 GiB: such pointers keep their base, so that buffer ops need no bounds.
 * Source: third_party/amd/lib/TritonAMDGPUTransforms/CanonicalizePointers.cpp, ConvertAddPtrOp::rewriteSmallTensorPtr.
 */
import { bitWidth, elementTypeOrSelf, i32, RankedTensorType } from "../../../ir/builtin-types.js";
import type { LocationRef } from "../../../ir/location.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import {
  addOffsets,
  addUniform,
  decompose,
  isScalarConstant,
  isScalarZero,
  KnownSplats,
  repeatedScalar,
  truncateOffset,
} from "./offsets.js";

/** The sum of offsets, of which those that all elements share are added as scalars. */
export function smallTensorOffset(rw: Rewriter, loc: LocationRef, offsets: readonly Value[]): Value {
  const uniforms: Value[] = [];
  const rests: Value[] = [];
  const repeated: { readonly tensor: Value; readonly scalar: Value }[] = [];
  const splats = new KnownSplats();
  for (const offset of offsets) {
    if (!RankedTensorType.is(offset.type)) {
      uniforms.push(offset);
      continue;
    }
    const scalar = repeatedScalar(rw, loc, offset, splats);
    if (scalar) {
      repeated.push({ tensor: offset, scalar });
      continue;
    }
    const { uniform, rest } = decompose(rw, loc, offset, bitWidth(offset.type.params.elementType) ?? 64, splats);
    uniforms.push(uniform);
    rests.push(rest);
  }
  const add = (a: Value | undefined, b: Value): Value => (a ? addOffsets(rw, loc, a, b) : b);
  let uniform = uniforms.reduce<Value | undefined>(add, undefined);
  let rest = rests.reduce<Value | undefined>(add, undefined);
  // A tensor that repeats a scalar is added as a scalar only to another constant: else it would have to be spread once more.
  const asScalar = rests.length > 0 && uniform !== undefined && isScalarConstant(uniform) && !isScalarZero(uniform);
  for (const { tensor, scalar } of repeated) {
    if (asScalar) uniform = add(uniform, scalar);
    else rest = add(rest, tensor);
  }
  const sum = rest ? (uniform ? withUniform(rw, loc, uniform, rest, splats) : rest) : uniform!;
  return (bitWidth(elementTypeOrSelf(sum.type)) ?? 64) > 32 ? truncateOffset(rw, loc, sum, i32(rw.ctx)) : sum;
}

function withUniform(rw: Rewriter, loc: LocationRef, uniform: Value, rest: Value, splats: KnownSplats): Value {
  const splat = splats.get(uniform, rest.type);
  return splat ? addOffsets(rw, loc, splat, rest) : addUniform(rw, loc, uniform, rest);
}
