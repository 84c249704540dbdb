/** Why a dot is, or is not, given to tensor cores: what `supportMMA` asks for, condition by condition, in words. */

import type { DotOp } from "../../../dialects/tt/ops/dot.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { maybeLookupNumWarps } from "../../../dialects/ttg/num-warps.js";
import { supportMMAOperand } from "../../../dialects/ttg/support-mma.js";
import type { MmaVersion } from "../../../gpu/nvidia.js";
import type { Type } from "../../../ir/attribute.js";
import { bitWidth, IntegerType, isFloat, isInteger, type TensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import { typeText } from "../../../ir/text-hook.js";
import type { NvidiaMmaParams } from "../../../layout/encoding-params.js";
import { getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import type { RemarkField, RemarkText } from "../../../pass/remark.js";

type Dot = View<typeof DotOp>;
const tensor = (type: Type): TensorType["params"] => (type as TensorType).params;
const NAMES: Readonly<Record<number, string>> = { 2: "mma", 3: "wgmma", 5: "tcgen05" };

/** The conditions of a tensor core version that a dot does not meet; empty when the version can compute the dot. */
export function unmetConditions(dot: Dot, version: MmaVersion): string[] {
  const { a, b, d, inputPrecision, maxNumImpreciseAcc } = dot;
  const [lhs, rhs, result] = [a, b, d].map((value) => tensor(value.type).elementType) as [Type, Type, Type];
  const name = NAMES[version]!;
  const unmet: string[] = [];
  const need = (condition: boolean, words: () => string): void => {
    if (!condition) unmet.push(words());
  };
  if (version !== 2) {
    const { shape, encoding } = tensor(d.type);
    const params = encodingParams(encoding);
    const shapePerCTA = params ? getShapePerCTAOf(params, shape) : shape;
    const rank = shapePerCTA.length;
    const numWarps = maybeLookupNumWarps(dot.op) ?? 0;
    const k = tensor(a.type).shape.at(-1) ?? 0;
    const minK = Math.trunc(256 / (bitWidth(lhs) ?? 1));
    const [m, n] = [shapePerCTA[rank - 2]!, shapePerCTA[rank - 1]!];
    need(rank === 2, () => `${name} has no batch dimension, the dot is of rank ${rank}`);
    need(m % 64 === 0, () => `M = ${m} is no multiple of 64`);
    const { narrowestDot, asksTypesOfTcgen05 } = dot.op.ctx.triton;
    need(n % narrowestDot === 0, () => `N = ${n} is no multiple of ${narrowestDot}`);
    need(k >= minK, () => `K = ${k} is less than the ${minK} of one instruction on ${typeText(lhs)}`);
    if (version === 5) {
      const integer = [lhs, rhs, result].find((type) => IntegerType.is(type));
      const summed = asksTypesOfTcgen05 && isInt8(lhs) && isInt8(rhs) && isInteger(result, 32);
      const taken = asksTypesOfTcgen05 ? "integers but i8 summed in i32" : "integers";
      need(!integer || summed, () => `${name} takes no ${taken}, and there is ${typeText(integer!)}`);
      need(numWarps === 4 || numWarps === 8, () => `${name} needs 4 or 8 warps, not ${numWarps}`);
      if (!asksTypesOfTcgen05) return unmet;
      need(![lhs, rhs, result].some((type) => isFloat(type, "f64")), () => `${name} takes no f64`);
      if (isFloat(lhs, "f32") && isFloat(rhs, "f32")) need(inputPrecision === "tf32", () => onlyAsTf32(inputPrecision));
      return unmet;
    }
    need(numWarps % 4 === 0, () => `${name} needs warps in groups of four, not ${numWarps}`);
    const isFp8 = isFloat(lhs, "f8E5M2") || isFloat(lhs, "f8E4M3FN");
    const known = isFp8 || isInt8(lhs) || isFloat(lhs, "f16") || isFloat(lhs, "bf16") || isFloat(lhs, "f32");
    need(known, () => `${name} takes no ${typeText(lhs)}`);
    need(
      !(isFp8 && isFloat(result, "f32") && maxNumImpreciseAcc < 32),
      () => `${name} sums fp8 products with less than f32's precision, and maxNumImpreciseAcc = ${maxNumImpreciseAcc} forbids that`,
    );
  }
  if (isFloat(lhs, "f32") && isFloat(rhs, "f32")) need(inputPrecision === "tf32", () => onlyAsTf32(inputPrecision));
  else
    for (const [element, operand] of [
      [lhs, "a"],
      [rhs, "b"],
    ] as const)
      need(supportMMAOperand(element, version), () => `${name} takes no ${typeText(element)}, the type of operand ${operand}`);
  return unmet;
}
/** The condition that f32 does not meet. */
export const onlyAsTf32 = (inputPrecision: string): string => `tensor cores take f32 only as tf32, and inputPrecision is ${inputPrecision}`;
const isInt8 = (type: Type): boolean => isInteger(type, 8) || isInteger(type, 8, "signed") || isInteger(type, 8, "unsigned");

/** The dot was given to an instruction; `passedOver` are the better versions that cannot do it. */
export function explainMma(dot: Dot, mma: NvidiaMmaParams, kWidths: readonly number[], passedOver: readonly MmaVersion[]): RemarkText {
  const { versionMajor, instrShape, warpsPerCTA } = mma;
  const [a, b, d] = [dot.a, dot.b, dot.d].map((value) => typeText(tensor(value.type).elementType)) as [string, string, string];
  const reasons = passedOver.map((version) => `not by ${NAMES[version]}: ${unmetConditions(dot, version).join(", ")}`);
  return {
    kind: "applied",
    message: `{0} is done by ${NAMES[versionMajor] ?? "mma"} (version ${versionMajor}) on ${a} and ${b}, summed in ${d}: instruction shape ${instrShape.join("x")}, ${warpsPerCTA.join("x")} warps${kWidths.length > 0 ? `, kWidth ${[...new Set(kWidths)].join(" and ")}` : ""}${reasons.length > 0 ? `; ${reasons.join("; ")}` : ""}`,
    fields: { version: versionMajor, instrShape, warpsPerCTA, kWidth: kWidths, a, b, d, notMet: reasons },
  };
}

/** A dot of blocks was given to mma, which takes their scales. */
export function explainScaledMma([a, b]: readonly [a: string, b: string], { instrShape, warpsPerCTA }: NvidiaMmaParams): RemarkText {
  return {
    kind: "applied",
    message: `{0} is done by mma (version 2) on ${a} and ${b} with scales, summed in f32: instruction shape ${instrShape.join("x")}, ${warpsPerCTA.join("x")} warps`,
    fields: { version: 2, instrShape, warpsPerCTA, kWidth: [], a, b, d: "f32", notMet: [] },
  };
}

/** The dot was given to tcgen05, which sums in tensor memory. The types are those of the operands and of the sum. */
export function explainTcgen05(
  types: readonly [a: string, b: string, d: string],
  instrShape: readonly number[],
  twoCTAs = false,
): RemarkText {
  const [a, b, d] = types;
  const pair = twoCTAs ? ", by two CTAs together" : "";
  return {
    kind: "applied",
    message: `{0} is done by tcgen05 (version 5) on ${a} and ${b}, summed in ${d} in tensor memory: instruction shape ${instrShape.join("x")}${pair}`,
    fields: { version: 5, instrShape, twoCTAs, a, b, d, notMet: [] },
  };
}

/** The dot was given to no instruction, and is done by multiply-adds of single numbers. */
export function explainFma(unmet: readonly string[]): RemarkText {
  const fields: Record<string, RemarkField> = { version: 0, notMet: unmet };
  return { kind: "missed", message: `{0} is done without tensor cores, by fused multiply-adds: ${unmet.join("; ")}`, fields };
}
