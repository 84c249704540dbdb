/** Writing a tensor descriptor to memory. Source: lib/Dialect/TritonNvidiaGPU/Transforms/TMAUtilities.cpp, createTMADesc. */
import { ConstantOp, MulIOp } from "../../../dialects/arith/ops/index.js";
import type { MakeTensorDescOp } from "../../../dialects/tt/ops/pointer.js";
import type { PointerType, TensorDescType } from "../../../dialects/tt/types.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ReinterpretTensorDescOp, TensormapCreateOp, TensormapFenceproxyAcquireOp } from "../../../dialects/ttng/ops/tma.js";
import type { TypeOf } from "../../../ir/attribute.js";
import { i32Attr, i64Attr } from "../../../ir/builtin-attrs.js";
import { bitWidth, IntegerType, isFloat, type TensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Value } from "../../../ir/value.js";
import { getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { getTMABlockShape } from "../../../layout/encodings/nvmma-shared.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

/** Bytes of a descriptor in memory, which is also its alignment. */
export const TMA_SIZE_BYTES = 128;

/**
 * Writes the descriptor that `make` makes to `tmaPtr`, and returns it as a value; a string says why that cannot be.
 */
export function createTMADesc(rw: Rewriter, tmaPtr: Value, make: View<typeof MakeTensorDescOp>): Value | string {
  const { op, base, shape, strides, result, padding } = make;
  const loc = op.locRef;
  const block = (result.type as TypeOf<typeof TensorDescType>).params.blockType;
  const params = encodingParams(block.params.encoding);
  // Upstream knows the boxes of this layout only.
  if (params?.kind !== "nvmma_shared") return "Unhandled encoding type";
  const i32 = (n: number): Value => rw.value(ConstantOp, { value: i32Attr(rw.ctx, n) }, { loc });
  const box = getTMABlockShape(getShapePerCTAOf(params, block.params.shape), params, false);
  if (params.fp4Padded && box.at(-1) !== 128) return "FP4 padded loads require 128 elements or more in the last dim";
  const box_dim = [...box].reverse().map(i32);
  const pointee = (base.type as TypeOf<typeof PointerType>).params.pointeeType;
  const bytes = rw.value(ConstantOp, { value: i64Attr(rw.ctx, Math.trunc(bitWidth(pointee)! / 8)) }, { loc });
  const global_dim = [...shape].reverse();
  if (params.fp4Padded) global_dim[0] = rw.value(MulIOp, { lhs: global_dim[0]!, rhs: i32(2) }, { loc });
  const one = i32(1);
  const global_stride = strides
    .slice(0, -1)
    .reverse()
    .map((lhs) => rw.value(MulIOp, { lhs, rhs: bytes }, { loc }));
  const elem_type = params.fp4Padded ? TMA_B4X16_P64 : tmaElementType(block);
  if (typeof elem_type === "string") return elem_type;
  const swizzle_mode = [0, 32, 64, 128].indexOf(params.swizzlingByteWidth);
  const dims = { box_dim, global_dim, global_stride, element_stride: shape.map(() => one) };
  const modes = { elem_type, interleave_layout: 0, swizzle_mode, fill_mode: padding === "nan" ? 1 : 0 };
  rw.create(TensormapCreateOp, { desc_ptr: tmaPtr, global_address: base, ...dims, ...modes }, { loc });
  rw.create(TensormapFenceproxyAcquireOp, { desc_ptr: tmaPtr }, { loc });
  return rw.value(ReinterpretTensorDescOp, { rawDesc: tmaPtr }, { loc, types: [result.type] });
}

const TMA_B4X16_P64 = 14;
/** CUtensorMapDataType. */
function tmaElementType({ params: { elementType } }: TensorType): number | string {
  if (isFloat(elementType, "bf16")) return 10;
  if (isFloat(elementType, "f16")) return 6;
  if (isFloat(elementType, "f32")) return 7;
  if (isFloat(elementType, "f64")) return 9;
  const bytes = Math.trunc(bitWidth(elementType)! / 8);
  const signed = IntegerType.is(elementType) && elementType.params.signedness === "signed" ? 1 : 0;
  const code = { 1: 0, 2: 1, 4: 2 + signed, 8: 4 + signed }[bytes];
  return code ?? `Tensor descriptor element type must have size 1, 2, or 4 but got ${bytes}`;
}
