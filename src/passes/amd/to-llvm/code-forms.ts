/** The code that Triton 3.6 makes for AMD's GPUs where versions differ. Source: third_party/amd/lib/TritonAMDGPUToLLVM. */
import type { AmdFamily } from "../../../gpu/amd.js";
import type { CodeForms } from "../../ttg-to-llvm/code-forms.js";
import { skipBarrier } from "./async-waits.js";

export const amdForms = (family: AmdFamily): CodeForms => ({
  warpIdOp: false,
  // Where there are clusters, the number is read even in a cluster of one.
  knownCTA: family !== "GFX1250",
  pointeeTypes: false,
  shiftsBits: false,
  sharesByVendor: false,
  launchesKernelsAlone: false,
  padsConstantsApart: false,
  padsViewsApart: false,
  atomicsInOrder: false,
  indexesByBits: false,
  sharesStrings: false,
  wideScratchOffsets: false,
  constantsInMemory: false,
  skipBarrier,
});
