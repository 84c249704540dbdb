/** The parts of the CUDA backend that are Triton 3.9's own, measured with 3.9.0. */
import { TRITON_3_9 } from "../../support/triton-version.js";
import type { VersionRules } from "./pipeline.js";
import { RULES_3_8 } from "./triton-3.8.js";

export const RULES_3_9: VersionRules = { ...RULES_3_8, version: TRITON_3_9 };
