/** The parts of the CUDA backend that are Triton 3.7's own, measured with 3.7.1. */
import { TRITON_3_7 } from "../../support/triton-version.js";
import type { VersionRules } from "./pipeline.js";

export const RULES_3_7: VersionRules = {
  version: TRITON_3_7,
  dividesOneStage: false,
  blockPointers: true,
  prefetches: undefined,
  lowersThenCanonicalizes: false,
  reducesLoads: false,
};
