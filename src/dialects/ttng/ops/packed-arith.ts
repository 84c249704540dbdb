/** Arithmetic on pairs of elements at once, as the author of a kernel asks for it (since 3.8). Source: what Triton 3.8.0 takes and prints. */
import { type TensorType, tensorType } from "../../../ir/builtin-types.js";
import { i32EnumAttr, rankedTensorOf, type TypeConstraint, typeConstraint, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { typeText } from "../../../ir/text-hook.js";
import { Pure } from "../../../ir/traits.js";
import { areEquivalentTypes } from "../../tt/traits.js";
import { ttngTraits } from "../ttng-op.js";

export const PackedArithKindAttr = i32EnumAttr("PackedArithKind", "", { add: 0, sub: 1, mul: 2, fma: 3, min: 4, max: 5 });

/** Element types as PTX has them, with how many an instruction takes: two, or four of 8 and 4 bits. */
const LANES: Readonly<Record<string, string>> = {
  f32: "f32x2",
  f16: "f16x2",
  bf16: "bf16x2",
  f8E4M3FN: "e4m3x4",
  f8E5M2: "e5m2x4",
  i8: "e2m1x4",
};
/** The types that an instruction has and takes: all the same, one of these, or several of 8 and 4 bits. */
const MIXED: Readonly<Record<string, readonly string[]>> = {
  add: ["f32: f16 f32", "f32: bf16 f32", "f16: f32 f32", "bf16: f32 f32"],
  sub: ["f32: f16 f32", "f32: bf16 f32", "f16: f32 f32", "bf16: f32 f32"],
  mul: ["f16: f32 f32", "bf16: f32 f32", "f16: f16 bf16", "bf16: bf16 f16"],
  fma: ["f32: f16 f32 f32", "f32: bf16 f32 f32"],
};
function isSignature(kind: string, to: string, from: readonly string[]): boolean {
  if (from.length !== (kind === "fma" ? 3 : 2)) return false;
  const selects = kind === "min" || kind === "max";
  if (LANES[to]?.endsWith("x4"))
    return !selects && (kind === "mul" || from.at(-1) === to) && from.every((type) => LANES[type]?.endsWith("x4"));
  const isOfOneType = from.every((type) => type === to) && (to === "f16" || to === "bf16" || (to === "f32" && !selects));
  return isOfOneType || (MIXED[kind]?.includes(`${to}: ${from.join(" ")}`) ?? false);
}

const elementOf = (text: string): string => LANES[text] ?? text;
const ofElements = (what: string, ...kinds: readonly string[]): TypeConstraint =>
  rankedTensorOf(typeConstraint(`packed arithmetic ${what} element`, (type) => kinds.includes(typeText(type))));
const RESULT = ofElements("result", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2");
const OPERAND = ofElements("operand", ...Object.keys(LANES));

function problemOf(kind: string, operands: readonly TensorType[], result: TensorType): string | undefined {
  const count = kind === "fma" ? 3 : 2;
  if (operands.length !== count) return `${kind} expects ${count} operands but got ${operands.length}`;
  const { shape, elementType, encoding } = result.params;
  if (!encoding) return "requires a distributed tensor layout";
  const types = operands.map(({ params }) => params);
  const from = types.map((type) => typeText(type.elementType));
  const to = typeText(elementType);
  if (!isSignature(kind, to, from)) return `unsupported ${kind} signature ${elementOf(to)} <- (${from.map(elementOf).join(", ")})`;
  const halved = (at: number) => shape.map((extent, d) => (d === at ? extent / 2 : extent)).join("x");
  const packed = types.filter((_, i) => from[i] === "i8").map((type) => type.shape.join("x"));
  if (packed.length > 0 && !shape.some((_, at) => packed.every((text) => text === halved(at))))
    return "requires every fp4 operand to have the result shape with the same single dimension halved";
  for (const [i, type] of types.entries()) {
    if (from[i] === "i8") continue;
    if (type.shape.join("x") !== shape.join("x"))
      return `operand ${i} must have the result shape ${shape.join("x")}, but got ${type.shape.join("x")}`;
    if (!areEquivalentTypes(tensorType(shape, elementType, type.encoding), result))
      return `operand ${i} must have a layout equivalent to the result`;
  }
  return undefined;
}

export const PackedArithOp = defineOp("ttng.packed_arith", () => ({
  summary: "packed arithmetic",
  operands: { operands: variadic(OPERAND) },
  attrs: { op_kind: PackedArithKindAttr },
  results: { result: RESULT },
  traits: ttngTraits(Pure),
  verify({ operands, op_kind, result }, report) {
    const problem = problemOf(
      op_kind,
      operands.map(({ type }) => type as TensorType),
      result.type as TensorType,
    );
    if (problem !== undefined) report.error(problem, "ttng.packed_arith");
  },
  format: "$op_kind $operands attr-dict `:` functional-type($operands, results)",
}));
