/**
 * How old layouts go through shape operations. Where the result is written in the operand's own terms (a slice and its
 * parent) it is an old layout; elsewhere today's rules decide, and their result is compared by meaning. Requirements of an
 * old dot on its operands are not checked.
 */
import type { Attribute } from "../../ir/attribute.js";
import type { InferLayout } from "../tt/infer-layout.js";
import { encodingParams } from "../ttg/encodings/define-encoding.js";
import { inferLayout } from "../ttg/infer-layout.js";
import type { LegacyParams } from "../ttg/legacy-encodings/define-legacy.js";

const field = (attr: Attribute, name: string): unknown => {
  const { names, values } = attr.params as LegacyParams;
  return values[names.indexOf(name)];
};

export const inferOldLayout: InferLayout = {
  ...inferLayout,
  inferReduceOpEncoding: (operand, axis) =>
    operand.ctx.attrDefs.get("triton_gpu.slice")!.get(operand.ctx, { names: ["dim", "parent"], values: [axis, operand] }) as Attribute,
  inferExpandDimsOpEncoding: (operand, axis, report) =>
    operand.def.name === "triton_gpu.slice" && field(operand, "dim") === axis
      ? (field(operand, "parent") as Attribute)
      : inferLayout.inferExpandDimsOpEncoding(operand, axis, report),
  inferDotOpEncoding: () => true,
  verifyDotOpEncodingCompatibility: () => true,
  catProblem: () => undefined,
  verifyLayoutsAreEqual: (shape, expected, got, report) =>
    expected === got || encodingParams(got) === undefined || inferLayout.verifyLayoutsAreEqual(shape, expected, got, report),
};
