import { defineOp, type OpDef } from "./define-op.js";

/** An op as another dialect, or an older version of one, had it under another name: `nvgpu.cluster_id` for `nvg.cluster_id`. */
export const renamedOp = (def: OpDef, name: string): OpDef => defineOp(name, def.spec);
