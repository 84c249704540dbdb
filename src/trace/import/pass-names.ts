/** Flags of passes by the names that dumps show. */
import { PASSES } from "../../passes/index.js";

/** `tritongpu-coalesce` for `TritonGPUCoalesce`; undefined for a pass that Triton 3.6 does not have. */
export function flagOfPass(name: string): string | undefined {
  return [...PASSES.values()].find((pass) => pass.name === name)?.flag;
}
