import { FloatType, IntegerType, VectorType } from "../../../ir/builtin-types.js";
import { I1, I32, typeConstraint } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { AllTypesMatch, Pure } from "../../../ir/traits.js";
import { ShuffleMode } from "../attrs.js";

const AnyIntegerOrFloatOr1DVector = typeConstraint("Integer or Float or fixed-length vector of Integer or Float values of ranks 1", (t) => {
  const scalar = VectorType.is(t) && t.params.shape.length === 1 ? t.params.elementType : t;
  return IntegerType.is(scalar) || FloatType.is(scalar);
});

/** Source: mlir/include/mlir/Dialect/GPU/IR/GPUOps.td, GPU_ShuffleOp. */
export const ShuffleOp = defineOp("gpu.shuffle", () => ({
  summary: "Shuffles values within a subgroup.",
  operands: { value: AnyIntegerOrFloatOr1DVector, offset: I32, width: I32 },
  attrs: { mode: ShuffleMode },
  results: { shuffleResult: AnyIntegerOrFloatOr1DVector, valid: I1 },
  traits: [Pure, AllTypesMatch("value", "shuffleResult")],
  format: "$mode $value `,` $offset `,` $width attr-dict `:` type($value)",
  resultNames: () => ["shuffleResult", "valid"],
}));
