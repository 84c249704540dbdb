import { defineOp, type OpDef } from "./define-op.js";

/** An op as another dialect, or an older version of one, had it under another name: `nvgpu.cluster_id` for `nvg.cluster_id`. */
export function renamedOp(def: OpDef, name: string): OpDef {
  const own = defineOp(name, {});
  const { viewOf, match, is } = own;
  return Object.assign(own, def, { name, dialect: own.name.slice(0, name.indexOf(".")), viewOf, match, is, program: undefined });
}
