/** Buffers that an aref hands between partitions. Source: third_party/nvidia/lib/Dialect/NVWS/Transforms/Utilities.cpp. */
import { ArefCreateOp } from "../../../dialects/nvws/ops/aref.js";
import { ArefType } from "../../../dialects/nvws/types.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { AsyncTokenType, type MemDesc, memDescType } from "../../../dialects/ttg/types.js";
import { TMEMAllocOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import type { Type } from "../../../ir/attribute.js";
import type { Context } from "../../../ir/context.js";
import type { LocationRef } from "../../../ir/location.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

export const tokenType = (ctx: Context): Type => AsyncTokenType.get(ctx, {});

/** Scales in tensor memory have one buffer, whatever the depth. */
export const isScales = ({ params }: MemDesc): boolean => encodingParams(params.encoding)?.kind === "tensor_memory_scales_encoding";
/** How many buffers there are. */
export const arefDepth = (buffers: MemDesc): number => (isScales(buffers) ? 1 : buffers.params.shape[0]!);

/** `depth` buffers of a type. */
export function multiBufferedType(buffer: MemDesc, depth: number): MemDesc {
  const { shape, elementType, encoding, memorySpace } = buffer.params;
  return memDescType(isScales(buffer) ? shape : [depth, ...shape], elementType, encoding, memorySpace, true);
}
/** One of several buffers, as an aref hands it out. */
export function bufferViewType(buffers: MemDesc, mutableMemory: boolean): MemDesc {
  const { shape, elementType, encoding, memorySpace, allocShape } = buffers.params;
  return memDescType(isScales(buffers) ? shape : shape.slice(1), elementType, encoding, memorySpace, mutableMemory, allocShape);
}
/** The type of an aref's first buffers. */
export const buffersOf = (aref: Value): MemDesc => aref.definingOp!.operand(0).type as MemDesc;

/** Allocates buffers in shared or tensor memory. */
export function createAlloc(rw: Rewriter, type: MemDesc, loc: LocationRef): Value {
  const options = { loc, types: [type] };
  return SharedMemorySpace.is(type.params.memorySpace)
    ? rw.value(LocalAllocOp, {}, options)
    : rw.create(TMEMAllocOp, {}, options).op.result(0);
}
export function createAref(rw: Rewriter, buffers: readonly Value[], loc: LocationRef): Value {
  const baseType = buffers.map(({ type }) => type);
  return rw.value(ArefCreateOp, { buffers }, { loc, types: [ArefType.get(rw.ctx, { baseType })] });
}
