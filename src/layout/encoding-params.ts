/**
 * The layout encodings of Triton as plain data, before any IR: one readonly object per attribute, told apart by `kind`
 * (the mnemonic of the attribute). The attribute definitions of the `ttg` and `ttng` dialects wrap these.
 *
 * `#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>` is
 *
 *     { kind: "blocked", sizePerThread: [1, 4], threadsPerWarp: [4, 8], warpsPerCTA: [4, 1], order: [1, 0], cga: defaultCga(2) }
 *
 * Units: sizes count elements, lanes, warps or CTAs along each tensor dimension; `order` lists dimensions, fastest first.
 * `cga` is the `CGALayout`: a layout from `block` to `dim0, dim1, ...` that says which part of the tensor each CTA holds
 * (`defaultCga(rank)` for a single CTA, `cgaFromSplitParams` for the older CTAsPerCGA / CTASplitNum / CTAOrder).
 * Source: TritonGPUAttrDefs.td, TritonNvidiaGPUAttrDefs.td.
 */
import type { LinearLayout } from "./linear-layout.js";

/** Registers, lanes and warps tile the tensor as nested boxes. `#ttg.blocked`. */
export interface BlockedParams {
  readonly kind: "blocked";
  readonly sizePerThread: readonly number[];
  readonly threadsPerWarp: readonly number[];
  readonly warpsPerCTA: readonly number[];
  readonly order: readonly number[];
  readonly cga: LinearLayout;
}

/** The parent with dimension `dim` squeezed out. `#ttg.slice`. */
export interface SliceParams {
  readonly kind: "slice";
  readonly dim: number;
  readonly parent: DistributedParams;
}

/** Any map from register, lane, warp, block to the tensor whose bases move in one dimension each. `#ttg.linear`. */
export interface LinearParams {
  readonly kind: "linear";
  /** In dims register, lane, warp, block; out dims dim0, dim1, ... */
  readonly layout: LinearLayout;
}

/** As `#ttg.linear`, but warps may move in several dimensions, and places may hold equal elements in any way. `#ttg.generic_linear`. */
export interface GenericLinearParams {
  readonly kind: "generic_linear";
  readonly layout: LinearLayout;
}

/** The accumulator of a tensor core instruction: version 1 (Volta, no linear layout), 2 (mma) or 3 (wgmma). `#ttg.nvidia_mma`. */
export interface NvidiaMmaParams {
  readonly kind: "nvidia_mma";
  readonly versionMajor: number;
  readonly versionMinor: number;
  readonly warpsPerCTA: readonly number[];
  readonly cga: LinearLayout;
  /** [m, n] (with a leading batch 1 at rank 3) for version 2, [m, n, k] for version 3. */
  readonly instrShape: readonly number[];
}

/** The accumulator of an AMD matrix core (CDNA) instruction. `#ttg.amd_mfma`. */
export interface AmdMfmaParams {
  readonly kind: "amd_mfma";
  /** 1: gfx908, 2: gfx90a, 3: gfx942, 4: gfx950. */
  readonly version: number;
  readonly warpsPerCTA: readonly number[];
  /** [m, n, k]. */
  readonly instrShape: readonly number[];
  readonly isTransposed: boolean;
  readonly cga: LinearLayout;
  /** All ones when the attribute does not spell it out; as long as `instrShape` then. */
  readonly tilesPerWarp: readonly number[];
  /** 32 unless spelled out. */
  readonly elementBitWidth: number;
}

/** The accumulator of an AMD WMMA (RDNA) instruction. `#ttg.amd_wmma`; the attribute spells the flag `isTranspose`. */
export interface AmdWmmaParams {
  readonly kind: "amd_wmma";
  readonly version: number;
  readonly isTransposed: boolean;
  readonly warpsPerCTA: readonly number[];
  /** All ones when the attribute does not spell it out; as long as `instrShape` then. */
  readonly tilesPerWarp: readonly number[];
  readonly cga: LinearLayout;
  /** Since 3.7: register, warp -> the tiles of a CTA, of which warpsPerCTA and tilesPerWarp follow. */
  readonly ctaLayout?: LinearLayout;
  /** [m, n, k]; [16, 16, 16] unless spelled out. */
  readonly instrShape: readonly number[];
}

/** Operand `opIdx` of the dot whose result has the encoding `parent`. `#ttg.dot_op`. */
export interface DotOperandParams {
  readonly kind: "dot_op";
  readonly opIdx: number;
  readonly parent: DistributedParams;
  /** Consecutive elements along k in one thread; 0 (not printed) under a blocked parent. */
  readonly kWidth: number;
}

/** Row-major-like shared memory with xor swizzling of `vec` elements. `#ttg.swizzled_shared`. */
export interface SwizzledSharedParams {
  readonly kind: "swizzled_shared";
  readonly vec: number;
  readonly perPhase: number;
  readonly maxPhase: number;
  readonly order: readonly number[];
  readonly cga: LinearLayout;
}

/** As swizzled_shared, but the pattern rotates from one block of rows to the next. `#ttg.amd_rotating_shared`. */
export interface AmdRotatingSharedParams {
  readonly kind: "amd_rotating_shared";
  readonly vec: number;
  readonly perPhase: number;
  readonly maxPhase: number;
  readonly order: readonly number[];
  readonly cga: LinearLayout;
}

/** Shared memory as wgmma, tcgen05 and TMA want it. `#ttg.nvmma_shared`. */
export interface NvmmaSharedParams {
  readonly kind: "nvmma_shared";
  /** 0, 32, 64 or 128 bytes. */
  readonly swizzlingByteWidth: number;
  readonly transposed: boolean;
  readonly elementBitWidth: number;
  readonly fp4Padded: boolean;
  /** Its rank is the rank of the encoding (the attribute's `rank` key). */
  readonly cga: LinearLayout;
  /** Since 3.8: columns are contiguous in a transposed layout also where nothing is swizzled; before, rows are. */
  readonly turnsPlain?: true;
}

/** Any map from offset, block to the tensor. `#ttg.shared_linear`. */
export interface SharedLinearParams {
  readonly kind: "shared_linear";
  /** In dims offset, block; out dims dim0, dim1, ... */
  readonly layout: LinearLayout;
  /** Bytes. */
  readonly alignment: number;
}

/** A shared_linear-like map with `paddings[i]` elements inserted after every `intervals[i]`. `#ttg.padded_shared`. */
export interface PaddedSharedParams {
  readonly kind: "padded_shared";
  readonly intervals: readonly number[];
  readonly paddings: readonly number[];
  /** In dims offset, block; out dims dim0, dim1, ...: which element comes at an offset when padding is not counted. */
  readonly linearComponent: LinearLayout;
}

/** Tensor memory (Blackwell), in dims row and col. `#ttng.tensor_memory_encoding`. */
export interface TensorMemoryParams {
  readonly kind: "tensor_memory_encoding";
  readonly blockM: number;
  readonly blockN: number;
  readonly colStride: number;
  readonly CTASplitM: number;
  readonly CTASplitN: number;
  /** Since 3.8 how CTAs share it, where there are several: the numbers before follow from it. Older versions have the numbers alone. */
  readonly cga?: LinearLayout | undefined;
  readonly twoCTAs: boolean;
  /** Bytes of two fp4 each, that have a column for each (since 3.8). */
  readonly fp4Padded?: boolean;
}

/** Tensor memory that holds block scales. `#ttng.tensor_memory_scales_encoding`. */
export interface TensorMemoryScalesParams {
  readonly kind: "tensor_memory_scales_encoding";
  readonly CTASplitM: number;
  readonly CTASplitN: number;
  readonly cga?: LinearLayout | undefined;
}

/** Encodings that say which thread holds what (DistributedEncodingTrait). */
export type DistributedParams =
  | BlockedParams
  | SliceParams
  | LinearParams
  | GenericLinearParams
  | NvidiaMmaParams
  | AmdMfmaParams
  | AmdWmmaParams
  | DotOperandParams;

/** Encodings of matrix instructions' results (MmaEncodingTrait). */
export type MmaParams = NvidiaMmaParams | AmdMfmaParams | AmdWmmaParams;

/** Encodings that say which shared memory offset holds what (SharedEncodingTrait). */
export type SharedParams = SwizzledSharedParams | AmdRotatingSharedParams | NvmmaSharedParams | SharedLinearParams | PaddedSharedParams;

/** Encodings of tensor memory. */
export type TmemParams = TensorMemoryParams | TensorMemoryScalesParams;

/** Every encoding. */
export type EncodingParams = DistributedParams | SharedParams | TmemParams;

/** The mnemonic of an encoding. */
export type EncodingKind = EncodingParams["kind"];

/** Does the encoding distribute a tensor over threads? */
export function isDistributed(params: EncodingParams): params is DistributedParams {
  switch (params.kind) {
    case "blocked":
    case "slice":
    case "linear":
    case "generic_linear":
    case "nvidia_mma":
    case "amd_mfma":
    case "amd_wmma":
    case "dot_op":
      return true;
    default:
      return false;
  }
}

/** Does the encoding lay a tensor out in shared memory? */
export function isShared(params: EncodingParams): params is SharedParams {
  return !isDistributed(params) && params.kind !== "tensor_memory_encoding" && params.kind !== "tensor_memory_scales_encoding";
}

/** Is the encoding the result of a matrix instruction? */
export function isMma(params: EncodingParams): params is MmaParams {
  return params.kind === "nvidia_mma" || params.kind === "amd_mfma" || params.kind === "amd_wmma";
}
