/** The GPU that a module is compiled for. */
import { capabilityOf, type GpuTarget, gpuOf } from "../../gpu/nvidia.js";
import { stringOf } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import { enclosingModule, TARGET } from "./num-warps.js";

/** The row for `ttg.target = "cuda:80"` of the module around `op`, or of `op` itself; undefined where it names no NVIDIA GPU. */
export function targetOf(op: Operation): GpuTarget | undefined {
  const capability = capabilityOf(stringOf(enclosingModule(op)?.attr(TARGET)));
  return capability === undefined ? undefined : gpuOf(capability);
}
