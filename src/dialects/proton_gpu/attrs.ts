/** Attributes of proton_gpu. Source: ProtonGPUAttrDefs.td. */
import { defineAttr } from "../../ir/attribute.js";

/** `#proton_gpu.global_memory`: the buffer of a segment is in global memory. */
export const GlobalMemorySpace = defineAttr<Record<string, never>>("proton_gpu.global_memory");
