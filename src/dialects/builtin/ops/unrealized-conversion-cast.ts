import { AnyType, variadic } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { Pure } from "../../../ir/traits.js";

/** Source: mlir/include/mlir/IR/BuiltinOps.td, UnrealizedConversionCastOp. */
export const UnrealizedConversionCastOp = defineOp("builtin.unrealized_conversion_cast", () => ({
  summary: "an unrealized conversion from one set of types to another",
  operands: { inputs: variadic(AnyType) },
  results: { outputs: variadic(AnyType) },
  traits: [Pure],
  format: "($inputs^ `:` type($inputs))? `to` type($outputs) attr-dict",

  verify({ op }, report) {
    if (op.results.length === 0) report.error("expected at least one result for cast operation", "verify.cast");
  },
  // cast(cast(x)) -> x where the types come back; a cast that changes nothing goes.
  fold({ inputs, outputs }): FoldResult {
    if (inputs.length === 0 || inputs.length !== outputs.length) return undefined;
    if (inputs.every((value, i) => value.type === outputs[i]!.type)) return inputs;
    const inner = UnrealizedConversionCastOp.match(inputs[0]!.definingOp);
    if (!inner || inner.outputs.length !== inputs.length || inner.inputs.length !== outputs.length) return undefined;
    if (inputs.some((value, i) => value !== inner.outputs[i]) || inner.inputs.some((value, i) => value.type !== outputs[i]!.type))
      return undefined;
    return inner.inputs;
  },
}));
