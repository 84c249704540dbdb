/** Where a region that is measured begins and ends. Source: ProtonOps.td. */
import { StrAttr, Unit } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";

export const RecordOp = defineOp("proton.record", () => ({
  summary: "Record an event",
  attrs: { isStart: Unit, name: StrAttr },
  format: "(`start` $isStart^):(`end`)? $name attr-dict",
  effects: () => [{ kind: "read" }, { kind: "write" }],
}));
