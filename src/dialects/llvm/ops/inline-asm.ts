import { ArrayAttrC, defaultAttr, optional, optionalAttr, StrAttr, Unit, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { AsmDialect, TailCallKind } from "../constraints.js";
import { LLVMType } from "../type-constraints.js";

/** PTX (or other assembly) with operands by constraints. Source: LLVMOps.td, LLVM_InlineAsmOp. */
export const InlineAsmOp = defineOp("llvm.inline_asm", () => ({
  operands: { operands: variadic(LLVMType) },
  attrs: {
    asm_string: StrAttr,
    constraints: StrAttr,
    has_side_effects: Unit,
    is_align_stack: Unit,
    tail_call_kind: defaultAttr(TailCallKind, "none"),
    asm_dialect: optionalAttr(AsmDialect),
    operand_attrs: optionalAttr(ArrayAttrC),
  },
  results: { res: optional(LLVMType) },
  format:
    "(`has_side_effects` $has_side_effects^)? (`is_align_stack` $is_align_stack^)? (`tail_call_kind` `=` $tail_call_kind^)? (`asm_dialect` `=` $asm_dialect^)? (`operand_attrs` `=` $operand_attrs^)? attr-dict $asm_string `,` $constraints operands `:` functional-type(operands, results)",
  effects: ({ has_side_effects }) => (has_side_effects ? [{ kind: "write" }, { kind: "read" }] : []),
  verifyDependsOn: "types and attributes",
  verify({ tail_call_kind }, report) {
    if (tail_call_kind === "musttail") report.error("tail call kind 'musttail' is not supported by this operation");
  },
}));
