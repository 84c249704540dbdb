import type { Fault } from "../fault.js";
import { AMD_FAULTS } from "./amd.js";
import { LOWERING_FAULTS } from "./lowering.js";
import { PTX_FAULTS } from "./ptx.js";
import { TTGIR_FAULTS } from "./ttgir.js";
import { TTIR_FAULTS } from "./ttir.js";

/** Every fault, in the order of the pipeline. */
export const FAULTS: readonly Fault[] = [...TTIR_FAULTS, ...TTGIR_FAULTS, ...LOWERING_FAULTS, ...PTX_FAULTS, ...AMD_FAULTS];
