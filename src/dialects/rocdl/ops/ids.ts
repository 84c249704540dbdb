/** Places of a lane and of its workgroup, and their numbers. Source: ROCDLOps.td. */
import { optionalAttr } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { Pure } from "../../../ir/traits.js";
import { ConstantRangeC } from "../../llvm/constraints.js";
import { LLVMType } from "../../llvm/type-constraints.js";

const id = (name: string) =>
  defineOp(`rocdl.${name}`, () => ({
    summary: "place of a lane or a workgroup, or a number of them",
    attrs: { range: optionalAttr(ConstantRangeC) },
    results: { res: LLVMType },
    traits: [Pure],
    format: "(`range` $range^)? attr-dict `:` type($res)",
  }));

/** By what follows `rocdl.`: `workitem.id.x`. */
export const IDS: Readonly<Record<string, ReturnType<typeof id>>> = Object.fromEntries(
  ["workitem.id", "workgroup.id", "workgroup.dim", "grid.dim"]
    .flatMap((what) => ["x", "y", "z"].map((dim) => `${what}.${dim}`))
    .map((name) => [name, id(name)]),
);
