import { defineAttr } from "../../ir/attribute.js";
import { tritonGpuLayouts } from "../ttg/legacy-encodings/index.js";

/** `#triton_gpu.shared_memory`: since 3.2 the memory space of buffers. */
export const OldSharedMemorySpace = defineAttr<Record<string, never>>("triton_gpu.shared_memory", {});

/** The layouts, by name. */
export const LAYOUTS = Object.fromEntries(tritonGpuLayouts.attrs.map((def) => [def.name, def]));
