import type { OpParser, OpPrinter } from "../../../ir/asm.js";
import type { Type } from "../../../ir/attribute.js";
import { DenseElementsAttr, denseElements } from "../../../ir/builtin-attrs.js";
import { i1, isInteger, isShaped, RankedTensorType, UnrankedTensorType, VectorType } from "../../../ir/builtin-types.js";
import { AnyType } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { isOneInt, isPoison, isZeroInt } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import { typeText } from "../../../ir/text-hook.js";
import { AllTypesMatch, PredOpTrait, Pure } from "../../../ir/traits.js";
import { BoolLike, i1SameShape } from "../constraints.js";
import { CmpIOp } from "./compare.js";
import { type Constants, ELEMENTWISE } from "./families.js";

const shapeText = (type: Type): string | undefined => (isShaped(type) ? type.params.shape.join("x") : undefined);
const ConditionFits = PredOpTrait("condition is signless i1 or has matching shape", (op: Operation) => {
  const condition = op.operand(0).type;
  const shape = shapeText(condition);
  return isInteger(condition, 1) || (shape !== undefined && shape === shapeText(op.result(0).type));
});

/** Source: mlir/include/mlir/Dialect/Arith/IR/ArithOps.td, SelectOp. */
export const SelectOp = defineOp("arith.select", () => ({
  summary: "select operation",
  operands: { condition: BoolLike, true_value: AnyType, false_value: AnyType },
  results: { result: AnyType },
  traits: [Pure, AllTypesMatch("true_value", "false_value", "result"), ConditionFits, ...ELEMENTWISE],
  parse(p: OpParser) {
    const at = p.pos;
    const operands = p.operands();
    if (operands.length !== 3) p.fail("expected 3 operands", at);
    p.optAttrDict();
    let type = p.colonType();
    let conditionType: Type = i1(p.ctx);
    // A condition that is no i1 has its type written before that of the values.
    if (p.optPunct(",")) {
      conditionType = type;
      type = p.type();
    }
    p.state.types.push(type);
    p.state.operands.push(...p.resolveAll(operands, [conditionType, type, type]));
  },
  print({ op, condition, result }, p: OpPrinter) {
    p.write(` ${p.values(op.operands)}`);
    p.optAttrDict(op);
    p.write(" : ");
    if (isShaped(condition.type) || UnrankedTensorType.is(condition.type)) p.write(`${p.type(condition.type)}, `);
    p.write(p.type(result.type));
  },
  verifyDependsOn: "types and attributes",
  verify({ condition: { type: given }, result: { type } }, report) {
    if (isInteger(given, 1)) return;
    if (!RankedTensorType.is(type) && !VectorType.is(type) && !UnrankedTensorType.is(type))
      return void report.error(`expected condition to be a signless i1, but got '${typeText(given)}'`, "arith.select");
    const wanted = i1SameShape(type);
    if (given !== wanted)
      report.error(
        `expected condition type to have the same shape as the result type, expected '${typeText(wanted)}', but got '${typeText(given)}'`,
        "arith.select",
      );
  },
  fold({ condition, true_value: yes, false_value: no, result }, constants): FoldResult {
    if (yes === no) return yes;
    if (isOneInt(constants[0])) return yes;
    if (isZeroInt(constants[0])) return no;
    if (isPoison(constants[1])) return no;
    if (isPoison(constants[2])) return yes;
    if (isInteger(result.type, 1) && isOneInt(constants[1]) && isZeroInt(constants[2])) return condition;
    const cmp = CmpIOp.match(condition.definingOp);
    if (cmp && (cmp.predicate === "eq" || cmp.predicate === "ne")) {
      const { lhs, rhs } = cmp;
      if ((lhs === yes && rhs === no) || (rhs === yes && lhs === no)) return cmp.predicate === "ne" ? yes : no;
    }
    return selectElements(constants);
  },
}));

/** Selects among constant elements where the condition is a constant that is no splat. */
function selectElements([condition, yes, no]: Constants): FoldResult {
  if (!DenseElementsAttr.is(condition) || !DenseElementsAttr.is(yes) || !DenseElementsAttr.is(no)) return undefined;
  const a = yes.params;
  const b = no.params;
  return denseElements(
    a.type,
    condition.params.elements.map((c, i) => (c !== 0n ? a.elements[a.splat ? 0 : i]! : b.elements[b.splat ? 0 : i]!)),
  );
}
