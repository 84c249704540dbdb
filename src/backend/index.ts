/** The backends: their pipelines and passes. */
import { AMD } from "./amd/amd.js";
import type { HipOptions } from "./amd/options.js";
import type { Backend } from "./backend.js";
import { NVIDIA } from "./nvidia/nvidia.js";
import type { CudaOptions } from "./nvidia/options.js";

type AnyBackend = Backend<CudaOptions> | Backend<Partial<HipOptions>>;
export const BACKENDS: readonly AnyBackend[] = [NVIDIA, AMD];

/** The backend of a target that one of them owns. */
export const backendOf = (target: string): AnyBackend => BACKENDS.find(({ owns }) => owns(target))!;
