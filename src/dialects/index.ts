/** Every dialect, in the order in which they depend on each other. */
import type { DialectDef } from "../ir/define-dialect.js";
import { amdg } from "./amdg/index.js";
import { arith } from "./arith/index.js";
import { builtin } from "./builtin/index.js";
import { cf } from "./cf/index.js";
import { func } from "./func/index.js";
import { gluon } from "./gluon/index.js";
import { gpu } from "./gpu/index.js";
import { llvm } from "./llvm/index.js";
import { math } from "./math/index.js";
import { nvgpu, nvgpuBefore36 } from "./nvgpu/index.js";
import { nvvm } from "./nvvm/index.js";
import { nvws } from "./nvws/index.js";
import { proton } from "./proton/index.js";
import { protonGpu } from "./proton_gpu/index.js";
import { rocdl } from "./rocdl/index.js";
import { scf } from "./scf/index.js";
import { tensor } from "./tensor/index.js";
import { tritonGpu } from "./triton_gpu/index.js";
import { tritonNvidiaGpu } from "./triton_nvidia_gpu/index.js";
import { tt } from "./tt/index.js";
import { ttg } from "./ttg/index.js";
import { tti } from "./tti/index.js";
import { ttng } from "./ttng/index.js";
import { ub } from "./ub/index.js";

export const ALL_DIALECTS: readonly DialectDef[] = [
  ...[builtin, arith, math, ub, scf, cf, tt, gpu, ttg, ttng, tti, gluon, nvws, llvm, nvvm, nvgpu, amdg, rocdl, proton, protonGpu],
  // Only what older Tritons wrote.
  ...[func, tensor, tritonGpu, tritonNvidiaGpu, nvgpuBefore36],
];
