/** The NVIDIA GPU that a module is compiled for. Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp, getNVIDIAComputeCapability. */

import { TARGET } from "../../dialects/ttg/num-warps.js";
import { capabilityOf } from "../../gpu/nvidia.js";
import { stringOf } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";

/** 80 for `ttg.target = "cuda:80"`; undefined where the module names no NVIDIA GPU. */
export function getNVIDIAComputeCapability(module: Operation): number | undefined {
  return capabilityOf(stringOf(module.attr(TARGET)));
}
