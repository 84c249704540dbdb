/**
 * How many bytes of shared memory an op needs while it runs, to hand elements from thread to thread.
 * Source: lib/Analysis/Allocation.cpp, defaultAllocationAnalysisScratchSizeFn; third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/Allocation.cpp.
 */
import { GatherOp, HistogramOp } from "../dialects/tt/ops/gather.js";
import { AtomicCASOp, AtomicRMWOp } from "../dialects/tt/ops/memory.js";
import { ReduceOp, ScanOp } from "../dialects/tt/ops/reduce.js";
import { getPointeeType, PointerType } from "../dialects/tt/types.js";
import { encodingParams, toLinearLayout } from "../dialects/ttg/encodings/define-encoding.js";
import { enclosingModule, getThreadsPerWarp, TARGET } from "../dialects/ttg/num-warps.js";
import { ConvertLayoutOp } from "../dialects/ttg/ops/convert-layout.js";
import { LocalAtomicScatterRMWOp } from "../dialects/ttg/ops/local-scatter.js";
import { targetOf } from "../dialects/ttg/target.js";
import { TensormapCreateOp } from "../dialects/ttng/ops/tma.js";
import { archOf } from "../gpu/amd.js";
import { gpuOf } from "../gpu/nvidia.js";
import type { Type } from "../ir/attribute.js";
import { stringOf } from "../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, numElements, RankedTensorType, type TensorType } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { actionRemoveBroadcastedRegs } from "../layout/column-action.js";
import { cvtNeedsSharedMemory } from "../layout/conversion.js";
import { getShapePerCTAOf } from "../layout/encoding-queries.js";
import type { LinearLayout } from "../layout/linear-layout.js";
import { type MatrixInstructions, optimalSwizzlingLdSt, swizzlingOn } from "../layout/swizzle.js";
import { reduceRounds } from "./reduce-layouts.js";
import { bytesOfElements, isWarpLocalGather, reduceScratchShape, scanGeometry, scanSource, sourceTensor } from "./reduce-scan-geometry.js";

/** Bytes of scratch memory that an op needs; 0 for most. */
export type ScratchSize = (op: Operation) => number;

/** For any target: conversions with plain loads and stores. */
export const defaultScratchSize: ScratchSize = (op) => scratchSize(op, (src, dst, bits) => optimalSwizzlingLdSt(src, dst, bits));

/** For an NVIDIA target: conversions with the matrix instructions that it has. */
export function nvidiaScratchSize(target: MatrixInstructions): ScratchSize {
  return (op) => scratchSize(op, nvidiaSwizzling(target));
}
const nvidiaSwizzling =
  (target: MatrixInstructions): Swizzle =>
  (src, dst, bits) =>
    swizzlingOn(target, src, dst, bits).smem;
/** How conversions of the module around `op` use shared memory, by its `ttg.target`; as for sm_80 where that names no GPU. */
export const swizzlingFor = (op: Operation, otherwise: MatrixInstructions = targetOf(op) ?? gpuOf(80)): Swizzle =>
  archOf(stringOf(enclosingModule(op)?.attr(TARGET))) ? optimalSwizzlingLdSt : nvidiaSwizzling(otherwise);
/** The scratch memory that `op` needs on the GPU that its module is for; on `otherwise`, if it is NVIDIA's. */
export const scratchSizeOnTarget = (op: Operation, otherwise?: MatrixInstructions): number => scratchSize(op, swizzlingFor(op, otherwise));

/** The bits of an element as conversions store it: pointers have 64, and nothing less than 8. */
export function storedBitWidth(type: Type): number {
  const element = elementTypeOrSelf(type);
  return PointerType.is(element) ? 64 : Math.max(bitWidth(element) ?? 64, 8);
}

type Swizzle = (src: LinearLayout, dst: LinearLayout, bitwidth: number) => LinearLayout;

function scratchSize(op: Operation, swizzle: Swizzle): number {
  const reduce = ReduceOp.match(op);
  if (reduce) {
    const src = sourceTensor(op);
    if (op.ctx.triton.reducesByConversions) return reduceScratch(op, reduce.axis);
    const shape = reduceScratchShape(src, reduce.axis);
    return shape ? numElements(shape) * bytesOfElements(src.elementTypes) : 0;
  }
  const scan = ScanOp.match(op);
  if (scan) {
    // The lowering knows no other layout.
    if (sourceTensor(op).encoding.kind !== "blocked") return 0;
    const src = scanSource(op);
    const { axisNumWarps, scratchElems } = scanGeometry(src, scan.axis);
    return axisNumWarps === 1 ? 0 : scratchElems * bytesOfElements(src.elementTypes);
  }
  const gather = GatherOp.match(op);
  if (gather) {
    if (isWarpLocalGather(op, gather.axis)) return 0;
    const { shape, elementType } = tensorOf(gather.src);
    return numElements(shape) * bytesOfElements([elementType]);
  }
  const histogram = HistogramOp.match(op);
  if (histogram) {
    const bins = Math.max(numElements(tensorOf(histogram.result).shape), getThreadsPerWarp(enclosingModule(op)));
    return Math.trunc((bins * storedBitWidth(histogram.result.type)) / 8);
  }
  const cvt = ConvertLayoutOp.match(op);
  if (cvt) return conversionSize(tensorOf(cvt.src), tensorOf(cvt.result), swizzle);
  if (AtomicRMWOp.is(op) || AtomicCASOp.is(op) || LocalAtomicScatterRMWOp.is(op)) return atomicSize(op);
  // A TMA descriptor.
  return TensormapCreateOp.is(op) ? 128 : 0;
}

const tensorOf = (value: Value): TensorType["params"] => (value.type as TensorType).params;

/** The bytes that a conversion between two layouts needs; with plain loads and stores where nothing else is said. */
export function conversionSize(src: TensorType["params"], dst: TensorType["params"], swizzle: Swizzle = optimalSwizzlingLdSt): number {
  const from = toLinearLayout(src.shape, src.encoding!);
  const to = toLinearLayout(dst.shape, dst.encoding!);
  if (!cvtNeedsSharedMemory(from, to)) return 0;
  return (
    bytesOfConversion(from, to, storedBitWidth(src.elementType), swizzle) /
    (src.elementType.ctx.triton.convertsAcrossCTAs ? ctasOf(from) : 1)
  );
}
function bytesOfConversion(from: LinearLayout, to: LinearLayout, bits: number, swizzle: Swizzle): number {
  const smem = swizzle(actionRemoveBroadcastedRegs(from).apply(from), actionRemoveBroadcastedRegs(to).apply(to), bits);
  return ((smem.getTotalOutDimSize() / smem.getInDimSize("reps")) * bits) / 8;
}
/** How many CTAs have different elements. */
const ctasOf = (layout: LinearLayout): number => 2 ** layout.getPackedBases("block").filter((v) => v !== 0).length;
/** The bytes that a conversion takes with plain loads and stores, as those of reductions are. */
export const conversionScratch = (from: LinearLayout, to: LinearLayout, bits: number): number =>
  bytesOfConversion(from, to, bits, optimalSwizzlingLdSt) / ctasOf(from);

/** The bytes that the largest conversion of a reduction takes. */
function reduceScratch(op: Operation, axis: number): number {
  const { shape, encoding } = tensorOf(op.operand(0));
  const { rounds } = reduceRounds(toLinearLayout(shape, encoding!), axis);
  const bytesOf = (from: LinearLayout, to: LinearLayout): number =>
    op.operands.reduce((total, { type }) => total + conversionScratch(from, to, storedBitWidth(type)), 0);
  return Math.max(0, ...rounds.map(({ from, to }) => bytesOf(from, to)));
}

/** All threads see the value that an atomic op found, also those that take no part because they repeat others' elements. */
function atomicSize(op: Operation): number {
  const { type } = op.result(0);
  if (!op.result(0).hasUses()) return 0;
  const bytes = storedBitWidth(elementTypeOrSelf(LocalAtomicScatterRMWOp.is(op) ? type : getPointeeType(op.operand(0).type)!)) / 8;
  if (!RankedTensorType.is(type)) return bytes;
  const { shape, encoding } = (type as TensorType).params;
  const repeated = [...toLinearLayout(shape, encoding!).getFreeVariableMasks().values()].some((mask) => mask !== 0);
  return repeated ? numElements(getShapePerCTAOf(encodingParams(encoding)!, shape)) * bytes : 0;
}
