/** A GPU of any vendor by the name of its target: what the language, and Python code that asks for the machine, see of it. */
import { type AmdGpu, amdGpuOf, archOf } from "./amd.js";
import { CAPABILITIES, capabilityOf, type GpuTarget, gpuOf } from "./nvidia.js";

/** A GPU of any vendor: what compilation for it needs to know. */
export interface Gpu {
  /** `cuda:90`, `hip:gfx942`. */
  readonly target: string;
  /** As in Triton's GPUTarget: 90, gfx942. */
  readonly backend: "cuda" | "hip";
  readonly arch: number | string;
  /** As in Triton's messages: sm90, gfx942. */
  readonly archName: string;
  readonly warpSize: number;
  /** Bytes that a CTA can use; undefined for a GPU that has no row. */
  readonly sharedMemoryPerCta: number | undefined;
  /** M, N and K of the smallest dot on elements of so many bits. */
  readonly smallestDot: (bits: number) => readonly [m: number, n: number, k: number];
  /** The vendor's row. */
  readonly cuda?: GpuTarget;
  readonly hip?: AmdGpu;
}

/** The GPU of a target that can be compiled for; undefined for any other name. */
export function gpuCalled(target: string): Gpu | undefined {
  const hip = amdGpuOf(archOf(target) ?? "");
  if (hip) {
    const { arch, warpSize, sharedMemoryPerCta } = hip;
    return { target, backend: "hip", arch, archName: arch, warpSize, sharedMemoryPerCta, smallestDot: () => [1, 1, 1], hip };
  }
  const capability = capabilityOf(target);
  if (capability === undefined) return undefined;
  const cuda = gpuOf(capability);
  return {
    target,
    backend: "cuda",
    arch: capability,
    archName: `sm${capability}`,
    warpSize: cuda.warpSize,
    sharedMemoryPerCta: CAPABILITIES.includes(capability) ? cuda.sharedMemoryPerCta : undefined,
    smallestDot: (bits) => [1, 1, bits === 8 ? 32 : 16],
    cuda,
  };
}

/** The text of a target's kernels that is assembled: LLVM IR by LLVM for AMD's GPUs, PTX by ptxas for all others. */
export const assembles = (target: string | undefined): "ptx" | "llir" => (archOf(target) === undefined ? "ptx" : "llir");

/** Elements of a float type that one instruction of an atomic takes, as far as Triton knows it; else there is no limit. */
export function elementsOfAtomic(target: string | undefined, operation: string, element: string, bits: number): number {
  if (archOf(target)) return Math.max(1, Math.trunc(32 / bits));
  const capability = capabilityOf(target);
  if (operation !== "fadd" || capability === undefined || capability >= 90) return Infinity;
  return element === "f32" || element === "bf16" ? 1 : element === "f16" ? 2 : Infinity;
}
