import { defineDialect } from "../../ir/define-dialect.js";
import { renamedOp } from "../../ir/renamed-op.js";
import * as ops from "./ops/index.js";

export const nvgpu = defineDialect("nvg", { ops: [ops] });

/** The dialect under its name before 3.3. */
export const nvgpuBefore36 = defineDialect("nvgpu", {
  ops: [Object.fromEntries(nvgpu.ops.map((def) => [def.name, renamedOp(def, def.name.replace("nvg.", "nvgpu."))]))],
});
