/** Arithmetic on pairs of elements at once, as the author of a kernel asks for it (since 3.8). Source: what Triton 3.8.0 takes and prints. */
import type { TensorType } from "../../../ir/builtin-types.js";
import { i32EnumAttr, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { typeText } from "../../../ir/text-hook.js";
import { Pure } from "../../../ir/traits.js";
import { FloatTensor, Tensor } from "../../tt/constraints.js";
import { ttngTraits } from "../ttng-op.js";

export const PackedArithKindAttr = i32EnumAttr("PackedArithKind", "", { add: 0, sub: 1, mul: 2, fma: 3, min: 4, max: 5 });

/** The types that an instruction takes and has: all the same, or one of these. */
const MIXED: Readonly<Record<string, readonly string[]>> = {
  add: ["f32: f16 f32", "f32: bf16 f32", "f16: f32 f32", "bf16: f32 f32"],
  sub: ["f32: f16 f32", "f32: bf16 f32", "f16: f32 f32", "bf16: f32 f32"],
  mul: ["f16: f32 f32", "bf16: f32 f32", "f16: f16 bf16", "bf16: bf16 f16"],
  fma: ["f32: f16 f32 f32", "f32: bf16 f32 f32"],
};
function isSignature(kind: string, to: string, from: readonly string[]): boolean {
  const ofPairs = kind === "min" || kind === "max" ? ["f16", "bf16"] : ["f32", "f16", "bf16"];
  if (ofPairs.includes(to) && from.length === (kind === "fma" ? 3 : 2) && from.every((type) => type === to)) return true;
  return MIXED[kind]?.includes(`${to}: ${from.join(" ")}`) ?? false;
}

export const PackedArithOp = defineOp("ttng.packed_arith", () => ({
  summary: "packed arithmetic",
  operands: { operands: variadic(Tensor) },
  attrs: { op_kind: PackedArithKindAttr },
  results: { result: FloatTensor },
  traits: ttngTraits(Pure),
  verify({ operands, op_kind, result }, report) {
    const types = [result, ...operands].map(({ type }) => typeText((type as TensorType).params.elementType));
    const [to, ...from] = types;
    if (isSignature(op_kind, to!, from)) return;
    report.error(`unsupported ${op_kind} signature ${to}x2 <- (${from.map((type) => `${type}x2`).join(", ")})`, "ttng.packed_arith");
  },
  format: "$op_kind $operands attr-dict `:` functional-type($operands, results)",
}));
