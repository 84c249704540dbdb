import type { OpParser, OpPrinter } from "../../../ir/asm.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import {
  DenseElementsAttr,
  DenseResourceAttr,
  DenseStringElementsAttr,
  FloatAttr,
  IntegerAttr,
  StringAttr,
  typeOfAttr,
} from "../../../ir/builtin-attrs.js";
import { elementTypeOrSelf, IndexType, IntegerType, isInteger, VectorType } from "../../../ir/builtin-types.js";
import { AnyAttr, AnyType, type AttrConstraint } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { ConstantLike, PredOpTrait, Pure } from "../../../ir/traits.js";

const isElements = (attr: Attribute): boolean =>
  DenseElementsAttr.is(attr) || DenseStringElementsAttr.is(attr) || DenseResourceAttr.is(attr);
const isValue = (attr: Attribute): boolean => IntegerAttr.is(attr) || FloatAttr.is(attr) || isElements(attr);
const TypedAttr: AttrConstraint<Attribute> = {
  ...AnyAttr,
  description: "TypedAttr instance",
  test: (attr) => isValue(attr) || StringAttr.is(attr) || "type" in attr.params,
};
const sameType = PredOpTrait(
  "all of {value, result} have same type",
  (op: Operation) => typeOfAttr(op.attr("value")!) === op.result(0).type,
);

/** Source: mlir/include/mlir/Dialect/Arith/IR/ArithOps.td, Arith_ConstantOp. */
export const ConstantOp = defineOp("arith.constant", () => ({
  summary: "integer or floating point constant",
  attrs: { value: TypedAttr },
  results: { result: AnyType },
  traits: [ConstantLike, Pure, sameType],
  parse(p: OpParser) {
    p.optAttrDict();
    const value = p.attribute();
    p.setAttr("value", value);
    p.state.types.push(typeOfAttr(value));
  },
  print({ op, value }, p: OpPrinter) {
    p.optAttrDict(op, ["value"]);
    p.write(` ${p.attr(value)}`);
  },
  inferTypes: ({ view }) => [typeOfAttr(view.value)],
  resultNames: ({ value }) => [constantName(value)],
  verifyDependsOn: "types and attributes",
  verify({ value, result: { type } }, report) {
    if (IntegerType.is(type) && !isInteger(type)) report.error("integer return type must be signless", "arith.constant");
    else if (!isValue(value)) report.error("value must be an integer, float, or elements attribute", "arith.constant");
    else if (VectorType.is(type) && type.params.scalable?.some(Boolean) && !(DenseElementsAttr.is(value) && value.params.splat))
      report.error(
        "intializing scalable vectors with elements attribute is not supported unless it's a vector splat", // sic
        "arith.constant",
      );
  },
  fold: ({ value }): FoldResult => value,
}));

/** Whether arith.constant can hold that value (ConstantOp::isBuildableWith). */
export function isBuildableWith(value: Attribute, type: Type): boolean {
  const element = elementTypeOrSelf(type);
  return isValue(value) && typeOfAttr(value) === type && (!IntegerType.is(element) || isInteger(element));
}

/** `c42_i32`, `true`, `cst`: how the printer names a constant. */
export function constantName(value: Attribute): string {
  if (!IntegerAttr.is(value)) return "cst";
  const { type } = value.params;
  if (isInteger(type, 1)) return value.params.value ? "true" : "false";
  const suffix = IndexType.is(type) ? "" : `_${typeName(type)}`;
  return `c${value.params.value}${suffix}`;
}
function typeName(type: Type): string {
  const { width, signedness } = IntegerType.params(type);
  return `${signedness === "signless" ? "i" : signedness === "signed" ? "si" : "ui"}${width}`;
}
