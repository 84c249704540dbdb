/** The code that Triton 3.6 makes for AMD's GPUs where versions differ. Source: third_party/amd/lib/TritonAMDGPUToLLVM. */
import type { CodeForms } from "../../ttg-to-llvm/code-forms.js";
import { skipBarrier } from "./async-waits.js";

export const AMD_FORMS: CodeForms = {
  warpIdOp: false,
  knownCTA: true,
  pointeeTypes: false,
  shiftsBits: false,
  scansByLoadShared: false,
  countsByAtomics: false,
  sharesStrings: false,
  wideScratchOffsets: false,
  skipBarrier,
};
