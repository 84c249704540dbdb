/** The backends: their pipelines and passes. */
import type { Backend } from "./backend.js";
import { NVIDIA } from "./nvidia/nvidia.js";
import type { TargetOptions } from "./targets.js";

export const BACKENDS: readonly Backend<TargetOptions>[] = [NVIDIA];

/** The backend of a target that one of them owns. */
export const backendOf = (target: string): Backend<TargetOptions> => BACKENDS.find(({ owns }) => owns(target))!;
