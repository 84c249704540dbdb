/**
 * How the threads of a CTA share a reduction, a scan or a gather: what stays within threads and warps, and what must go through
 * shared memory. Allocation sizes scratch buffers by it, and the lowering fills them.
 *
 *     tt.reduce along 1 of tensor<64x64xf32> with 2 of 4 warps along dimension 1
 *
 * leaves one partial result per row and warp: a scratch buffer of 64x2 f32. Source: lib/Analysis/Utility.cpp.
 */
import { distributedParams, toLinearLayout } from "../dialects/ttg/encodings/define-encoding.js";
import type { Type } from "../ir/attribute.js";
import { bitWidth, numElements, RankedTensorType, type TensorType } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import { actionRemoveBroadcastedRegs } from "../layout/column-action.js";
import type { DistributedParams } from "../layout/encoding-params.js";
import { getContigPerThread, getOrder, getThreadsPerWarp, getWarpsPerCTA, toLinearEncoding } from "../layout/encoding-queries.js";
import { LayoutError } from "../layout/layout-error.js";
import { standardOutDimNames } from "../layout/standard-dims.js";

/** The tensor that a reduction or scan runs over; that of its first operand, as all have the same shape and layout. */
export interface SourceTensor {
  readonly shape: readonly number[];
  readonly encoding: DistributedParams;
  /** The element type of each operand. */
  readonly elementTypes: readonly Type[];
}
/** The shape, encoding and element types that a reduction or scan works on. */
export function sourceTensor(op: Operation): SourceTensor {
  const { shape, encoding } = tensorParams(op.operand(0).type);
  return { shape, encoding: distributed(encoding), elementTypes: op.operands.map((v) => tensorParams(v.type).elementType) };
}

/** The shape of what the warps hand each other in a reduction; undefined when each warp has all it needs. Units: elements. */
export function reduceScratchShape({ shape, encoding }: SourceTensor, axis: number): number[] | undefined {
  const warps = getWarpsPerCTA(encoding, shape)[axis]!;
  return warps === 1 ? undefined : shape.map((extent, dim) => (dim === axis ? warps : extent));
}

/** The counts that a scan's lowering uses. Axis: along the scan; the others are independent scans side by side. */
export interface ScanGeometry {
  readonly axisNumElementsPerThread: number;
  readonly nonAxisNumElementsPerThread: number;
  /** Lanes with different elements along the axis. */
  readonly axisNumThreadsPerWarp: number;
  readonly nonAxisNumThreadsPerWarp: number;
  /** Warps with different elements along the axis. */
  readonly axisNumWarps: number;
  readonly nonAxisNumThreadsPerCTA: number;
  /** How often the layout's tile repeats along the axis, and over the other dimensions. */
  readonly axisNumBlocks: number;
  readonly nonAxisNumBlocks: number;
  /** Elements that warps hand each other. */
  readonly scratchElems: number;
}
/** How many elements, threads and warps lie along the axis of a scan and across it. */
export function scanGeometry({ shape, encoding }: SourceTensor, axis: number): ScanGeometry {
  const elements = getContigPerThread(encoding, shape);
  const threads = getThreadsPerWarp(encoding, shape);
  const warps = getWarpsPerCTA(encoding, shape);
  const blocks = shape.map((extent, d) => Math.ceil(extent / (elements[d]! * threads[d]! * warps[d]!)));
  const others = (sizes: readonly number[]): number => sizes.reduce((total, size, d) => (d === axis ? total : total * size), 1);
  const nonAxisNumThreadsPerWarp = others(threads);
  const nonAxisNumElementsPerThread = others(elements);
  const nonAxisNumBlocks = others(blocks);
  return {
    axisNumElementsPerThread: elements[axis]!,
    nonAxisNumElementsPerThread,
    axisNumThreadsPerWarp: threads[axis]!,
    nonAxisNumThreadsPerWarp,
    axisNumWarps: warps[axis]!,
    nonAxisNumThreadsPerCTA: others(warps) * nonAxisNumThreadsPerWarp,
    axisNumBlocks: blocks[axis]!,
    nonAxisNumBlocks,
    scratchElems: numElements(warps) * nonAxisNumThreadsPerWarp * nonAxisNumElementsPerThread * blocks[axis]! * nonAxisNumBlocks,
  };
}

/** The tensor as a scan sees it: each element once in a thread, as since 3.8. A blocked layout, which is the only kind that it is lowered for, says in what order. */
export function scanSource(op: Operation): SourceTensor & { readonly order: readonly number[] } {
  const source = sourceTensor(op);
  const { shape, encoding } = source;
  const order = encoding.kind === "blocked" ? encoding.order : getOrder(encoding, shape);
  const { layout } = toLinearEncoding(shape, encoding);
  const unique = actionRemoveBroadcastedRegs(layout);
  if (!op.ctx.triton.scansUniqueElements || unique.isIdentity) return { ...source, order };
  return { ...source, encoding: { kind: "linear", layout: unique.apply(layout) }, order };
}

/**
 * Whether each warp owns all the elements that its indices of a `tt.gather` may name, with source and index columns in the same lanes:
 * then warp shuffles do.
 */
export function isWarpLocalGather(gather: Operation, axis: number): boolean {
  const src = tensorParams(gather.operand(0).type);
  const indices = tensorParams(gather.operand(1).type);
  const from = toLinearLayout(src.shape, src.encoding!);
  const at = toLinearLayout(indices.shape, indices.encoding!);
  const names = standardOutDimNames(src.shape.length);
  const along = [names[axis]!];
  const beyondWarp = ["block", "warp"];
  if (!from.sublayoutIsZero(beyondWarp, along) || !at.sublayoutIsZero(beyondWarp, along)) return false;
  const others = names.filter((_, dim) => dim !== axis);
  return [beyondWarp, ["lane"]].every((dims) => from.sublayout(dims, others).equals(at.sublayout(dims, others)));
}

/** Bytes that one element of each of these types takes, each rounded up. */
export function bytesOfElements(types: readonly Type[]): number {
  return types.reduce((total, type) => total + Math.ceil((bitWidth(type) ?? 64) / 8), 0);
}

function tensorParams(type: Type): TensorType["params"] {
  if (!RankedTensorType.is(type)) throw new LayoutError("a tensor is expected");
  return type.params;
}
function distributed(encoding: TensorType["params"]["encoding"]): DistributedParams {
  const params = distributedParams(encoding);
  if (!params) throw new LayoutError("a distributed layout is expected");
  return params;
}
