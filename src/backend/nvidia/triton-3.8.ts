/** The parts of the CUDA backend that are Triton 3.8's own, measured with 3.8.0. */
import { TRITON_3_8 } from "../../support/triton-version.js";
import type { VersionRules } from "./pipeline.js";
import { RULES_3_7 } from "./triton-3.7.js";

export const RULES_3_8: VersionRules = {
  ...RULES_3_7,
  version: TRITON_3_8,
  blockPointers: false,
  prefetches: ["Ampere", "Ada"],
  lowersThenCanonicalizes: true,
  reducesLoads: true,
};
