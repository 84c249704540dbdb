/** LLVM IR for AMDGPU, as Triton hands it to LLVM. Source: third_party/amd/backend/compiler.py, make_llir; python/triton_amd.cc. */
import { type AmdGpu, isaVersion } from "../../gpu/amd.js";
import type { Operation } from "../../ir/operation.js";
import type { LlvmIrTarget } from "../llvm-ir/target.js";

/** LLVM's own for the triple. Source: llvm/lib/TargetParser/TargetDataLayout.cpp. */
const DATA_LAYOUT =
  "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9";
/** The version of the code object's ABI. */
const ABI_VERSION = 500;

export interface AmdgcnOptions {
  readonly gpu: AmdGpu;
  readonly numWarps: number;
  /** Waves that a SIMD unit is to hold; 0 leaves it to LLVM. */
  readonly wavesPerEu: number;
  readonly flushesDenormals: boolean;
  /** Whether LLVM schedules for instructions in parallel. */
  readonly schedulesIlp: boolean;
}

/** A constant that ROCm's device libraries read. */
const control = (name: string, bits: number, value: number): string =>
  `@__oclc_${name} = linkonce_odr protected local_unnamed_addr addrspace(4) constant i${bits} ${value}, align ${bits / 8}`;

/** The kernel is the first function that is defined. */
export function amdgcnTarget(
  module: Operation,
  { gpu, numWarps, wavesPerEu, flushesDenormals, schedulesIlp }: AmdgcnOptions,
): LlvmIrTarget {
  const first = [...module.regions[0]!.firstBlock!.ops()].find((op) => op.name === "llvm.func" && !op.regions[0]!.empty);
  return {
    dataLayout: DATA_LAYOUT,
    triple: "amdgcn-amd-amdhsa",
    flags: [`!{i32 1, !"amdhsa_code_object_version", i32 ${ABI_VERSION}}`],
    globals: [
      control("ISA_version", 32, isaVersion(gpu)),
      control("ABI_version", 32, ABI_VERSION),
      control("finite_only_opt", 8, 0),
      control("correctly_rounded_sqrt32", 8, 1),
      control("unsafe_math_opt", 8, 0),
      control("wavefrontsize64", 8, gpu.warpSize === 64 ? 1 : 0),
    ],
    kernel: (func) =>
      func === first
        ? {
            convention: "amdgpu_kernel",
            attributes: [
              ["amdgpu-flat-work-group-size", `1,${numWarps * gpu.warpSize}`],
              ...(schedulesIlp ? [["amdgpu-sched-strategy", "iterative-ilp"] as const] : []),
              ["uniform-work-group-size", "true"],
              ["amdgpu-waves-per-eu", `${wavesPerEu}, ${wavesPerEu}`],
              ["denormal-fp-math-f32", flushesDenormals ? "preserve-sign" : "ieee"],
            ],
            argumentWords: ["inreg"],
          }
        : undefined,
  };
}
