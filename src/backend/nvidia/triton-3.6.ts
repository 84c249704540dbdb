/** The parts of the CUDA backend that are Triton 3.6's own. */
import { TRITON_3_6 } from "../../support/triton-version.js";
import type { VersionRules } from "./pipeline.js";

export const RULES_3_6: VersionRules = {
  version: TRITON_3_6,
  dividesOneStage: true,
  blockPointers: true,
  prefetches: undefined,
  lowersThenCanonicalizes: false,
  reducesLoads: false,
};
