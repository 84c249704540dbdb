import { enclosingModule } from "../../dialects/ttg/num-warps.js";
import { type AmdFamily, amdFamilyOf, archOf } from "../../gpu/amd.js";
import { stringOf } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";

/** The family of GPUs that the module around `op` is for, by its `ttg.target`; undefined where that names none. */
export function familyOfModule(op: Operation): AmdFamily | undefined {
  return amdFamilyOf(archOf(stringOf(enclosingModule(op)?.attr("ttg.target"))) ?? "");
}
