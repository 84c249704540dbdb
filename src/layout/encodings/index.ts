/** Every encoding by its kind, in the order of help. */
import type { EncodingKind, EncodingParams } from "../encoding-params.js";
import { AMD_MFMA } from "./amd-mfma.js";
import { AMD_ROTATING_SHARED } from "./amd-rotating-shared.js";
import { AMD_WMMA } from "./amd-wmma.js";
import { BLOCKED } from "./blocked.js";
import { DOT_OPERAND } from "./dot-operand.js";
import type { Encoding } from "./encoding.js";
import { GENERIC_LINEAR } from "./generic-linear.js";
import { LINEAR } from "./linear.js";
import { NVIDIA_MMA } from "./nvidia-mma.js";
import { NVMMA_SHARED } from "./nvmma-shared.js";
import { PADDED_SHARED } from "./padded-shared.js";
import { SHARED_LINEAR } from "./shared-linear.js";
import { SLICE } from "./slice.js";
import { SWIZZLED_SHARED } from "./swizzled-shared.js";
import { TENSOR_MEMORY, TENSOR_MEMORY_SCALES } from "./tensor-memory.js";

export const ENCODINGS: { readonly [K in EncodingKind]: Encoding<Extract<EncodingParams, { readonly kind: K }>> } = {
  nvidia_mma: NVIDIA_MMA,
  amd_mfma: AMD_MFMA,
  amd_wmma: AMD_WMMA,
  blocked: BLOCKED,
  slice: SLICE,
  dot_op: DOT_OPERAND,
  linear: LINEAR,
  generic_linear: GENERIC_LINEAR,
  swizzled_shared: SWIZZLED_SHARED,
  amd_rotating_shared: AMD_ROTATING_SHARED,
  nvmma_shared: NVMMA_SHARED,
  padded_shared: PADDED_SHARED,
  shared_linear: SHARED_LINEAR,
  tensor_memory_encoding: TENSOR_MEMORY,
  tensor_memory_scales_encoding: TENSOR_MEMORY_SCALES,
};

/** The record of an encoding, to be asked about these parameters only. */
export const recordOf = (params: EncodingParams): Encoding => ENCODINGS[params.kind] as Encoding;
