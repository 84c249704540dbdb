import type { OpParser } from "../../../ir/asm.js";
import type { Type } from "../../../ir/attribute.js";
import type { Block } from "../../../ir/block.js";
import { DenseElementsAttr, denseElements, i32ArrayAttr, intsOf, typeOfAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, IntegerType, shapedParams, VectorType } from "../../../ir/builtin-types.js";
import {
  AnyInteger,
  AnySuccessor,
  AnyType,
  DenseI32ArrayAttr,
  ElementsAttrC,
  optionalAttr,
  VariadicSuccessor,
  variadic,
} from "../../../ir/constraints.js";
import { defineOp, type View } from "../../../ir/define-op.js";
import { BranchOp as BranchOpInterface, implement } from "../../../ir/interfaces.js";
import { constantUint } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import { typeText } from "../../../ir/text-hook.js";
import { AttrSizedOperandSegments, defineTrait, Pure, Terminator } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";

/** The case values as unsigned integers of the flag's width. */
export function caseValues(op: Operation): readonly bigint[] {
  const attr = op.attr("case_values");
  if (!DenseElementsAttr.is(attr)) return [];
  const { type, elements, splat } = attr.params;
  const { shape, elementType } = shapedParams(type);
  const width = IntegerType.match(elementType)?.params.width ?? 64;
  return Array.from({ length: shape[0] ?? 0 }, (_, i) => BigInt.asUintN(width, elements[splat ? 0 : i]!));
}

/** Start and size of the operands of successor `index`: the default's, then those of each case. */
function operandRange(op: Operation, index: number): { start: number; size: number } {
  const [, numDefault] = intsOf(op.attr("operandSegmentSizes"))! as readonly [number, number];
  if (index === 0) return { start: 1, size: numDefault };
  const cases = intsOf(op.attr("case_operand_segments"))!;
  let start = 1 + numDefault;
  for (let i = 1; i < index; i++) start += cases[i - 1] ?? 0;
  return { start, size: cases[index - 1] ?? 0 };
}
/** The operands of case `index`. */
export function caseOperands(op: Operation, index: number): readonly Value[] {
  const { start, size } = operandRange(op, index + 1);
  return op.operands.slice(start, start + size);
}

/** The sizes of the cases' operand groups fit the operands (VariadicOfVariadic). */
const CaseOperandSegments = defineTrait("CaseOperandSegments", {
  structural: true,
  verify(op, report) {
    const sizes = intsOf(op.attr("case_operand_segments"));
    const count = intsOf(op.attr("operandSegmentSizes"))?.[2];
    if (!sizes || count === undefined) return;
    const total = sizes.reduce((a, b) => a + b, 0);
    if (total !== count)
      report.error(
        `caseOperands count (${count}) does not match with the total size (${total}) specified in attribute 'case_operand_segments'`,
        "cf.switch",
      );
  },
});

/** Source: mlir/include/mlir/Dialect/ControlFlow/IR/ControlFlowOps.td, SwitchOp. */
export const SwitchOp = defineOp("cf.switch", () => ({
  summary: "Switch operation",
  operands: { flag: AnyInteger, defaultOperands: variadic(AnyType), caseOperands: variadic(AnyType) },
  attrs: { case_values: optionalAttr(ElementsAttrC), case_operand_segments: DenseI32ArrayAttr },
  successors: { defaultDestination: AnySuccessor, caseDestinations: VariadicSuccessor },
  traits: [AttrSizedOperandSegments, CaseOperandSegments, Pure, Terminator],
  interfaces: [
    implement(BranchOpInterface, {
      successorOperandRange: operandRange,
      successorForOperands(op, constants) {
        const known = constantUint(constants[0]);
        const values = caseValues(op);
        if (values.length === 0) return op.successors[0]!.block;
        return known === undefined ? undefined : op.successors[values.indexOf(known) + 1]!.block;
      },
    }),
  ],

  parse(p) {
    const flag = p.operand();
    const type = p.colonType();
    p.punct(",");
    p.punct("[");
    const target = (): { readonly block: Block; readonly operands: readonly Value[] } => {
      p.punct(":");
      return p.successorWithOperands();
    };
    p.keyword("default");
    const fallback = target();
    const values: bigint[] = [];
    const targets: { readonly block: Block; readonly operands: readonly Value[] }[] = [];
    while (p.optPunct(",")) {
      values.push(p.integer(Math.min(bitWidth(type) ?? 64, 64)));
      targets.push(target());
    }
    p.punct("]");
    p.optAttrDict();
    p.state.operands.push(p.resolve(flag, type), ...fallback.operands, ...targets.flatMap((t) => t.operands));
    p.state.successors.push(fallback.block, ...targets.map((t) => t.block));
    if (values.length > 0) p.setAttr("case_values", caseValuesAttr(p, type, values));
    const sizes = targets.map((t) => t.operands.length);
    p.setAttr("case_operand_segments", i32ArrayAttr(p.ctx, sizes));
    p.setAttr("operandSegmentSizes", i32ArrayAttr(p.ctx, [1, fallback.operands.length, sizes.reduce((a, b) => a + b, 0)]));
  },
  print({ op, flag, defaultOperands, defaultDestination, caseDestinations }, p) {
    p.write(` ${p.value(flag)} : ${p.type(flag.type)}, [`);
    p.newline();
    p.write(`  default: ${p.successor(defaultDestination, defaultOperands)}`);
    const values = caseValues(op);
    values.forEach((value, i) => {
      p.write(",");
      p.newline();
      p.write(`  ${value}: ${p.successor(caseDestinations[i]!, caseOperands(op, i))}`);
    });
    if (values.length > 0) p.newline();
    p.write("]");
    p.optAttrDict(op, ["case_values", "case_operand_segments", "operandSegmentSizes"]);
  },

  verify({ op, flag, case_values, case_operand_segments, caseDestinations }, report) {
    if (!case_values) {
      if (caseDestinations.length > 0) report.error("has case destinations but no case values", "cf.switch");
      return;
    }
    const { elementType } = shapedParams(typeOfAttr(case_values));
    if (elementType !== flag.type)
      return void report.error(
        `'flag' type ('${typeText(flag.type)}') should match case value type ('${typeText(elementType)}')`,
        "cf.switch",
      );
    const count = caseValues(op).length;
    if (count !== caseDestinations.length)
      report.error(`number of case values (${count}) should match number of case destinations (${caseDestinations.length})`, "cf.switch");
    else if (case_operand_segments.length !== count)
      report.error(`has ${case_operand_segments.length} groups of case operands but ${count} case destinations`, "cf.switch");
  },
}));
export type SwitchView = View<typeof SwitchOp>;

function caseValuesAttr(p: OpParser, type: Type, values: readonly bigint[]) {
  if (!IntegerType.is(type)) return p.fail(`custom op '${p.opName}' expects an integer flag`, undefined, "cf.switch");
  const vector = VectorType.get(p.ctx, { shape: [values.length], elementType: type, scalable: undefined });
  return denseElements(
    vector,
    values.map((v) => BigInt.asIntN(type.params.width, v)),
  );
}
