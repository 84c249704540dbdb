import type { OpParser, OpPrinter } from "../../../ir/asm.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import { IntegerAttr, typeOfAttr } from "../../../ir/builtin-attrs.js";
import { IndexType, isInteger } from "../../../ir/builtin-types.js";
import { AnyAttr, AnyType, type AttrConstraint } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { ConstantLike, Pure } from "../../../ir/traits.js";

const TypedAttr: AttrConstraint<Attribute> = { ...AnyAttr, description: "TypedAttr instance" };

/** Source: mlir/include/mlir/Dialect/Arith/IR/ArithOps.td, Arith_ConstantOp. */
export const ConstantOp = defineOp("arith.constant", {
  summary: "integer or floating point constant",
  attrs: { value: TypedAttr },
  results: { result: AnyType },
  traits: [ConstantLike, Pure],
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
  verify({ value, result }, report) {
    if (typeOfAttr(value) !== result.type) report.error("value type must match return type", "arith.constant");
    else if (isInteger(result.type, undefined, "signed") || isInteger(result.type, undefined, "unsigned"))
      report.error("integer return type must be signless", "arith.constant");
  },
  fold: ({ value }): FoldResult => value,
});

/** `c42_i32`, `true`, `cst`: how the printer names a constant. */
export function constantName(value: Attribute): string {
  if (!IntegerAttr.is(value)) return "cst";
  const { type } = value.params;
  if (isInteger(type, 1)) return value.params.value ? "true" : "false";
  const suffix = IndexType.is(type) ? "" : `_${typeName(type)}`;
  return `c${value.params.value}${suffix}`;
}
function typeName(type: Type): string {
  const { width, signedness } = type.params as { readonly width: number; readonly signedness: string };
  return `${signedness === "signless" ? "i" : signedness === "signed" ? "si" : "ui"}${width}`;
}
