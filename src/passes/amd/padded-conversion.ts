/**
 * Conversions of layouts through shared memory whose rows are padded, in rounds of the tiles of both layouts, as
 * `amdg.use_padded_scratch_shmem` asks for. Others are swizzled. Source: third_party/amd/lib/Analysis/AMDGPUAllocation.cpp.
 */
import { conversionSize, defaultScratchSize, type ScratchSize, storedBitWidth } from "../../analysis/scratch-size.js";
import { PADDED_SCRATCH } from "../../dialects/amdg/attrs.js";
import { distributedParams, toLinearLayout } from "../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import { numElements, type TensorType } from "../../ir/builtin-types.js";
import { cvtNeedsSharedMemory } from "../../layout/conversion.js";
import { getContigPerThread, getOrder, getShapePerCTAOf, getShapePerCTATile } from "../../layout/encoding-queries.js";

const MOST_BITS = 128;

type Tensor = TensorType["params"];

/** How a conversion goes through padded memory. */
export interface PaddedConversion {
  /** The elements that one round moves. */
  readonly shape: readonly number[];
  /** The dimensions, the contiguous one first. */
  readonly order: readonly number[];
  /** Elements that a thread stores and loads at once. */
  readonly storeVec: number;
  readonly loadVec: number;
  /** Elements between rows. */
  readonly padding: number;
}
/** How a conversion between two layouts of registers goes through padded memory. */
export function paddedConversion(src: Tensor, dst: Tensor): PaddedConversion {
  const [from, to] = [distributedParams(src.encoding)!, distributedParams(dst.encoding)!];
  const tileOf = (params: typeof from): number[] => {
    const tile = getShapePerCTATile(params, src.shape);
    return getShapePerCTAOf(params, src.shape).map((extent, dim) => Math.min(extent, tile[dim]!));
  };
  const other = tileOf(to);
  const shape = tileOf(from).map((extent, dim) => Math.max(extent, other[dim]!));
  const [srcOrder, order] = [getOrder(from, src.shape), getOrder(to, dst.shape)];
  const inner = src.shape.length - 1;
  const fits = (vec: number): number => Math.min(vec, shape[order[0]!]!, MOST_BITS / storedBitWidth(src.elementType));
  const contiguous = order[0] === inner;
  const storeVec = fits(contiguous && srcOrder[0] === inner ? getContigPerThread(from, src.shape)[inner]! : 1);
  const loadVec = fits(contiguous ? getContigPerThread(to, dst.shape)[inner]! : 1);
  const oneRow = shape.length <= 1 || numElements(shape) === shape[order[0]!];
  return { shape, order, storeVec, loadVec, padding: oneRow ? 0 : Math.max(storeVec, loadVec) };
}

/** The bytes of shared memory that a conversion needs. */
export function conversionBytes(src: Tensor, dst: Tensor, padded: boolean): number {
  if (!padded) return conversionSize(src, dst);
  if (!cvtNeedsSharedMemory(toLinearLayout(src.shape, src.encoding!), toLinearLayout(dst.shape, dst.encoding!))) return 0;
  const { shape, order, padding } = paddedConversion(src, dst);
  const rows = numElements(shape) / shape[order[0]!]!;
  return (rows * (shape[order[0]!]! + padding) * storedBitWidth(src.elementType)) / 8;
}

/** The scratch memory of an op on an AMD target. */
export const amdScratchSize: ScratchSize = (op) => {
  const cvt = op.hasAttr(PADDED_SCRATCH) ? ConvertLayoutOp.match(op) : undefined;
  if (!cvt) return defaultScratchSize(op);
  return conversionBytes((cvt.src.type as TensorType).params, (cvt.result.type as TensorType).params, true);
};
