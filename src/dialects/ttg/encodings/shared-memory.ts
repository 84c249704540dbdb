import { defineAttr } from "../../../ir/attribute.js";

/** `#ttg.shared_memory`: the memory space of buffers in shared memory. Source: TritonGPUAttrDefs.td, TTG_SharedMemorySpace. */
export const SharedMemorySpace = defineAttr<Record<string, never>>("ttg.shared_memory", { alias: () => "smem" });
