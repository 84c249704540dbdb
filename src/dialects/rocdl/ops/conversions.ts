/** Conversions between floats of 32 and 16 bits and those of 8 and 4 bits, several at once. Source: ROCDLOps.td. */

import type { Type } from "../../../ir/attribute.js";
import { type FloatKind, floatType, i16, VectorType } from "../../../ir/builtin-types.js";
import { BoolAttr, F32, I32, I32Attr, type TypeConstraint, typeConstraint } from "../../../ir/constraints.js";
import type { Context } from "../../../ir/context.js";
import { defineOp } from "../../../ir/define-op.js";
import { AllTypesMatch, Pure } from "../../../ir/traits.js";
import { LLVMType } from "../../llvm/type-constraints.js";

/** A vector of two elements. */
function pairOf(name: string, element: (ctx: Context) => Type): TypeConstraint {
  const build = (ctx: Context): Type => VectorType.get(ctx, { shape: [2], elementType: element(ctx), scalable: undefined });
  return typeConstraint(`vector of two ${name}`, (t) => t === build(t.ctx), build);
}
const floats = (kind: FloatKind): TypeConstraint => pairOf(kind, (ctx) => floatType(ctx, kind));
const F16_PAIR = floats("f16");
const BF16_PAIR = floats("bf16");
const I16_PAIR = pairOf("i16", i16);

export const CvtPkRtzOp = defineOp("rocdl.cvt.pkrtz", () => ({
  summary: "two f32 to f16, rounded towards zero",
  operands: { srcA: F32, srcB: F32 },
  results: { res: LLVMType },
  traits: [Pure],
  format: "attr-dict $srcA `,` $srcB `:` type($res)",
}));

const widened = (name: string) =>
  defineOp(`rocdl.cvt.pk.f32.${name}`, () => ({
    summary: "two of four floats of 8 bits to f32",
    operands: { src: I32 },
    attrs: { wordSel: BoolAttr },
    results: { res: LLVMType },
    traits: [Pure],
    format: "attr-dict $src `[` $wordSel `]` `:` type($res)",
  }));
const narrowed = (name: string) =>
  defineOp(`rocdl.cvt.pk.${name}.f32`, () => ({
    summary: "two f32 to floats of 8 bits, half of a word",
    operands: { srcA: F32, srcB: F32, old: I32 },
    attrs: { wordSel: BoolAttr },
    results: { res: I32 },
    traits: [Pure],
    format: "attr-dict $srcA `,` $srcB `->` $old `[` $wordSel `]` `:` type($res)",
  }));
const scaledWidened = (wide: string, narrow: string) =>
  defineOp(`rocdl.cvt.scalef32.pk.${wide}.${narrow}`, () => ({
    summary: "two floats of 8 or 4 bits of a word, times a scale",
    operands: { src: I32, scale: F32 },
    attrs: { [narrow === "fp4" ? "srcSelIndex" : "srcLoHiSel"]: narrow === "fp4" ? I32Attr : BoolAttr },
    results: { res: LLVMType },
    traits: [Pure],
    format: `attr-dict $src \`[\` $${narrow === "fp4" ? "srcSelIndex" : "srcLoHiSel"} \`]\` \`,\` $scale \`:\` type($res)`,
  }));
/** The pair is one operand for 16 bits, and two for f32. */
const scaledNarrowed = (narrow: string, wide: string) =>
  defineOp(`rocdl.cvt.scalef32.pk.${narrow}.${wide}`, () => ({
    summary: "two floats, divided by a scale, to floats of 8 bits, half of a word",
    operands:
      wide === "f32"
        ? { oldVdst: I16_PAIR, src0: F32, src1: F32, scale: F32 }
        : { oldVdst: I16_PAIR, src0: wide === "f16" ? F16_PAIR : BF16_PAIR, scale: F32 },
    attrs: { dstLoHiSel: BoolAttr },
    results: { res: I16_PAIR },
    traits: [Pure, AllTypesMatch("res", "oldVdst")],
    format: `attr-dict $src0 \`,\`${wide === "f32" ? " $src1 `,`" : ""} $scale \`->\` $oldVdst \`[\` $dstLoHiSel \`]\` \`:\` type($res)`,
  }));

const WIDE = ["f32", "f16", "bf16"];
const NARROW = ["fp8", "bf8"];
/** By what follows `rocdl.`. */
export const CONVERSIONS: Readonly<Record<string, ReturnType<typeof widened>>> = Object.fromEntries(
  [
    ...NARROW.flatMap((name) => [widened(name), narrowed(name)]),
    ...WIDE.flatMap((wide) => NARROW.flatMap((narrow) => [scaledWidened(wide, narrow), scaledNarrowed(narrow, wide)])),
    ...WIDE.map((wide) => scaledWidened(wide, "fp4")),
  ].map((def) => [def.name.slice("rocdl.".length), def as never] as const),
);
