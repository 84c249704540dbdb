/** Arithmetic on pairs of elements, as the author of a kernel asks for it. Source: what Triton 3.8.0 makes of ttng.packed_arith. */
import { PackedArithOp } from "../../../dialects/ttng/ops/packed-arith.js";
import { intType, type TensorType } from "../../../ir/builtin-types.js";
import { typeText } from "../../../ir/text-hook.js";
import type { Value } from "../../../ir/value.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";
import { PtxBuilder, registerSizeCode } from "./ptx-builder.js";

export const PACKED_ARITH: readonly LoweringRule[] = [
  rule(PackedArithOp, ({ op, operands, op_kind, result }, lo) => {
    const element = (result.type as TensorType).params.elementType;
    if (operands.some(({ type }) => (type as TensorType).params.elementType !== element))
      return lo.fail(op, "no GPU that is compiled for takes pairs of several types in one instruction", "lower.unsupported");
    const lists = operands.map((operand) => lo.elements(operand));
    const values: Value[] = [];
    const count = lists[0]!.length;
    if (count % 2 !== 0) return lo.fail(op, "each thread needs an even number of elements for packed arithmetic", "lower.unsupported");
    const name = [op_kind, op_kind === "fma" ? "rn" : "", `${typeText(element)}x2`];
    for (let i = 0; i < count; i += 2)
      values.push(
        ...onPair(
          lo,
          name,
          lists.map((list) => [list[i]!, list[i + 1]!]),
        ),
      );
    return lo.setElements(result, values);
  }),
];

function onPair(lo: Lowering, name: readonly string[], operands: readonly (readonly Value[])[]): readonly Value[] {
  const { b, ctx } = lo;
  const element = convertType(operands[0]![0]!.type);
  const bits = 2 * scalarBits(element);
  const code = registerSizeCode(bits, false);
  const ptx = new PtxBuilder();
  const packed = operands.map((pair) => b.bitcast(b.packVector(pair), intType(ctx, bits)));
  const out = ptx.output(`=${code}`);
  ptx.instruction(name, [out, ...packed.map((value) => ptx.input(value, code))]);
  return b.unpackVector(b.bitcast(ptx.launch(b, intType(ctx, bits), false), vecType(element, 2)));
}
