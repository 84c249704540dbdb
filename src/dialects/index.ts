/** Every dialect, in the order in which they depend on each other. */
import type { DialectDef } from "../ir/define-dialect.js";
import { func } from "./func/index.js";
import { llvm } from "./llvm/index.js";
import { nvgpu, nvgpuBefore36 } from "./nvgpu/index.js";
import { nvvm } from "./nvvm/index.js";
import { nvws } from "./nvws/index.js";
import { tensor } from "./tensor/index.js";
import { TRITON_DIALECTS } from "./triton.js";
import { tritonGpu } from "./triton_gpu/index.js";
import { tritonNvidiaGpu } from "./triton_nvidia_gpu/index.js";

export const ALL_DIALECTS: readonly DialectDef[] = [
  ...TRITON_DIALECTS,
  ...[nvws, llvm, nvvm, nvgpu],
  // Only what older Tritons wrote.
  ...[func, tensor, tritonGpu, tritonNvidiaGpu, nvgpuBefore36],
];
