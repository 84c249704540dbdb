/**
 * A part of a tensor: of one in shared memory, in Triton's IR.
 *
 *     %47 = tensor.extract_slice %41[%i, 0, 0] [1, 16, 16] [1, 1, 1] : tensor<3x16x16xf16, #shared> to tensor<16x16xf16, #shared>
 *
 * Source: mlir/include/mlir/Dialect/Tensor/IR/TensorOps.td, Tensor_ExtractSliceOp; Triton 2.1's triton_gpu.extract_slice.
 */
import type { OpParser, OpPrinter, ParsedOperand } from "../../../ir/asm.js";
import { DenseArrayAttr, i32ArrayAttr, i64ArrayAttr } from "../../../ir/builtin-attrs.js";
import { indexType, RankedTensorType } from "../../../ir/builtin-types.js";
import { AnyRankedTensor, DenseI64ArrayAttr, Index, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { AttrSizedOperandSegments, Pure } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";

/** In a static list the place of an operand. */
const DYNAMIC_ENTRY = -(2n ** 63n);
const LISTS = ["static_offsets", "static_sizes", "static_strides"] as const;

/** Defines the op under a dialect's name. */
export const defineExtractSlice = (name: string) =>
  defineOp(name, () => ({
    summary: "extract slice operation",
    operands: { source: AnyRankedTensor, offsets: variadic(Index), sizes: variadic(Index), strides: variadic(Index) },
    attrs: { static_offsets: DenseI64ArrayAttr, static_sizes: DenseI64ArrayAttr, static_strides: DenseI64ArrayAttr },
    results: { result: AnyRankedTensor },
    traits: [AttrSizedOperandSegments, Pure],
    parse,
    print: ({ op, source, offsets, sizes, strides, result }, p) => {
      p.write(` ${p.value(source)}`);
      [offsets, sizes, strides].forEach((values, i) => p.write(`${i === 0 ? "" : " "}[${listText(op, LISTS[i]!, values, p)}]`));
      p.optAttrDict(op, [...LISTS, "operandSegmentSizes"]);
      p.write(` : ${p.type(source.type)} to ${p.type(result.type)}`);
    },
    verify({ op, source, offsets, sizes, strides, result }, report) {
      const from = RankedTensorType.is(source.type) ? source.type.params : undefined;
      const to = RankedTensorType.is(result.type) ? result.type.params : undefined;
      if (!from || !to) return;
      if (from.elementType !== to.elementType) report.error("expected the element type of the source", name);
      [offsets, sizes, strides].forEach((values, i) => {
        const statics = entries(op, LISTS[i]!);
        const dynamic = statics.filter((entry) => entry === DYNAMIC_ENTRY).length;
        if (statics.length !== from.shape.length) report.error(`expected ${from.shape.length} entries in ${LISTS[i]}`, name);
        else if (dynamic !== values.length) report.error(`expected ${dynamic} operands for ${LISTS[i]}, got ${values.length}`, name);
      });
    },
  }));

export const ExtractSliceOp = defineExtractSlice("tensor.extract_slice");

function parse(p: OpParser): void {
  const source = p.operand();
  const groups = LISTS.map((list) => {
    const operands: ParsedOperand[] = [];
    const statics = p.list("[", "]", () => {
      const operand = p.optOperand();
      if (operand) operands.push(operand);
      return operand ? DYNAMIC_ENTRY : p.integer();
    });
    p.setAttr(list, i64ArrayAttr(p.ctx, statics));
    return operands;
  });
  p.optAttrDict();
  const type = p.colonType();
  p.keyword("to");
  p.state.operands.push(p.resolve(source, type));
  for (const operand of groups.flat()) p.state.operands.push(p.resolve(operand, indexType(p.ctx)));
  p.setAttr("operandSegmentSizes", i32ArrayAttr(p.ctx, [1, ...groups.map((group) => group.length)]));
  p.state.types.push(p.type());
}

function entries(op: Operation, list: string): readonly bigint[] {
  const attr = op.attr(list);
  return DenseArrayAttr.is(attr) ? attr.params.elements : [];
}
function listText(op: Operation, list: string, values: readonly Value[], p: OpPrinter): string {
  let next = 0;
  return entries(op, list)
    .map((entry) => (entry === DYNAMIC_ENTRY ? p.value(values[next++]!) : String(entry)))
    .join(", ");
}
