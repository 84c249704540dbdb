/** Operations of a warp and of single values. Source: mlir/include/mlir/Dialect/LLVMIR/NVVMOps.td, NVVMDialect.cpp. */
import { i1, i32, VectorType } from "../../../ir/builtin-types.js";
import {
  AnyType,
  anyOf,
  BoolAttr,
  defaultAttr,
  F,
  F32,
  I1,
  I8,
  I16,
  I32,
  I64,
  optional,
  StrAttr,
  type TypeConstraint,
  typeConstraint,
  Unit,
  variadic,
} from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { AttrSizedOperandSegments, Pure } from "../../../ir/traits.js";
import { LLVMType } from "../../llvm/type-constraints.js";
import { LLVMStructType, structElements } from "../../llvm/types/types.js";
import * as A from "../attrs.js";

export const ShflOp = defineOp("nvvm.shfl.sync", () => ({
  operands: { thread_mask: I32, val: LLVMType, offset: I32, mask_and_clamp: I32 },
  attrs: { kind: A.enumC(A.ShflKindAttr), return_value_and_is_valid: Unit },
  results: { res: LLVMType },
  format: "$kind $thread_mask `,` $val `,` $offset `,` $mask_and_clamp attr-dict `:` type($val) `->` type($res)",
  verify({ op, res, return_value_and_is_valid }, report) {
    if (!return_value_and_is_valid) return;
    const second = LLVMStructType.is(res.type) && structElements(res.type).length === 2 ? structElements(res.type)[1] : undefined;
    if (second !== i1(op.ctx)) report.plain("expected return type to be a two-element struct with i1 as the second element");
  },
}));
export const VoteSyncOp = defineOp("nvvm.vote.sync", () => ({
  operands: { mask: I32, pred: I1 },
  attrs: { kind: A.enumC(A.VoteSyncKindAttr) },
  results: { res: anyOf("32-bit signless integer or 1-bit signless integer", I32, I1) },
  format: "$kind $mask `,` $pred attr-dict `->` type($res)",
  verify({ kind, res }, report) {
    if (kind === "ballot" && !I32.test(res.type)) report.error("vote.sync 'ballot' returns an i32");
    else if (kind !== "ballot" && !I1.test(res.type)) report.error("vote.sync 'any', 'all' and 'uni' returns an i1");
  },
}));
export const MatchSyncOp = defineOp("nvvm.match.sync", () => ({
  operands: { thread_mask: I32, val: anyOf("32-bit signless integer or 64-bit signless integer", I32, I64) },
  attrs: { kind: A.enumC(A.MatchSyncKindAttr) },
  results: {
    res: anyOf(
      "32-bit signless integer or LLVM structure type",
      I32,
      typeConstraint("", (t) => LLVMStructType.is(t)),
    ),
  },
  format: "$kind $thread_mask `,` $val attr-dict `:` type($val) `->` type($res)",
  verify({ op, kind, res }, report) {
    if (kind === "any") {
      if (!I32.test(res.type)) report.error("match.sync 'any' returns an i32");
      return;
    }
    const elements = LLVMStructType.is(res.type) ? structElements(res.type) : [];
    if (elements.length !== 2 || elements[0] !== i32(op.ctx) || elements[1] !== i1(op.ctx))
      report.error("match.sync 'all' returns a two element struct with first element as i32 and second element as i1");
  },
}));
export const ReduxOp = defineOp("nvvm.redux.sync", () => ({
  operands: { val: LLVMType, mask_and_clamp: I32 },
  attrs: { kind: A.enumC(A.ReduxKindAttr), abs: defaultAttr(BoolAttr, false), nan: defaultAttr(BoolAttr, false) },
  results: { res: LLVMType },
  format: "$kind $val `,` $mask_and_clamp attr-dict `:` type($val) `->` type($res)",
}));

// --- conversions -----------------------------------------------------------------------------

export const RcpApproxFtzF32Op = defineOp("nvvm.rcp.approx.ftz.f", () => ({
  operands: { arg: F32 },
  results: { res: F32 },
  traits: [Pure],
  format: "$arg attr-dict `:` type($res)",
}));
const vectorOf = (element: TypeConstraint, length: number): TypeConstraint =>
  typeConstraint(
    `vector of ${element.description} values of length ${length}`,
    (t) => VectorType.is(t) && t.params.shape.length === 1 && t.params.shape[0] === length && element.test(t.params.elementType),
  );
const BF16 = F("bf16", "bfloat16 type");
const F16 = F("f16", "16-bit float");
const PACKED = anyOf("16-bit signless integer or vector of 8-bit signless integer values of length 2", I16, vectorOf(I8, 2));
const rounding = defaultAttr(A.enumC(A.FPRoundingModeAttr), "none");
const saturation = defaultAttr(A.enumC(A.SaturationModeAttr), "none");
const relu = defaultAttr(BoolAttr, false);

export const ConvertFloatToTF32Op = defineOp("nvvm.convert.float.to.tf32", () => ({
  operands: { src: F32 },
  attrs: { rnd: rounding, sat: saturation, relu },
  results: { res: I32 },
  format: "$src attr-dict",
  verify({ rnd, relu: isRelu }, report) {
    if (rnd === "rna" && isRelu) report.plain("Relu not supported with rna rounding mode.");
    else if (!["rn", "rz", "rna"].includes(rnd)) report.plain("Only {rn,rz,rna} rounding modes supported for ConvertFloatToTF32Op.");
  },
}));
export const ConvertF32x2ToF6x2Op = defineOp("nvvm.convert.f32x2.to.f6x2", () => ({
  operands: { a: F32, b: F32 },
  attrs: { type: A.enumC(A.ConvertFP6TypeAttr), relu },
  results: { dst: PACKED },
  format: "$type $a `,` $b attr-dict `:` type($dst)",
}));
export const ConvertF32x2ToF8x2Op = defineOp("nvvm.convert.f32x2.to.f8x2", () => ({
  operands: { a: F32, b: F32 },
  attrs: { type: A.enumC(A.ConvertFP8TypeAttr), rnd: rounding, sat: saturation, relu },
  results: { dst: PACKED },
  format: "$type $a `,` $b attr-dict `:` type($dst)",
  verify({ type, rnd, sat, relu: isRelu }, report) {
    if (type === "ue8m0") {
      if (rnd !== "rz" && rnd !== "rp")
        report.error("Only RZ or RP rounding modes are supported for conversions from f32x2 to .ue8m0x2 type");
      else if (isRelu) report.error("relu not supported for conversions to .ue8m0x2 type");
    } else if (rnd !== "rn") report.error("Only RN rounding mode is supported for conversions from f32x2 to .e4m3x2 or .e5m2x2 types");
    else if (sat !== "satfinite")
      report.error("Only SATFINITE saturation mode is supported for conversions from f32x2 to .e4m3x2 or .e5m2x2 types");
  },
}));
export const ConvertF16x2ToF8x2Op = defineOp("nvvm.convert.f16x2.to.f8x2", () => ({
  operands: { a: vectorOf(F16, 2) },
  attrs: { type: A.enumC(A.ConvertFP8TypeAttr), relu },
  results: { dst: PACKED },
  format: "$type $a attr-dict `:` type($a) `->` type($dst)",
  verify({ type }, report) {
    if (type === "ue8m0") report.error("Only .e4m3 or .e5m2 types are supported for conversions from f16x2 to f8x2.");
  },
}));
export const ConvertBF16x2ToF8x2Op = defineOp("nvvm.convert.bf16x2.to.f8x2", () => ({
  operands: { a: vectorOf(BF16, 2) },
  attrs: { type: A.enumC(A.ConvertFP8TypeAttr), rnd: rounding, sat: saturation },
  results: { dst: PACKED },
  format: "$type $a attr-dict `:` type($a) `->` type($dst)",
  verify({ type, rnd }, report) {
    if (type !== "ue8m0") report.error("Only .ue8m0 type is supported for conversions from bf16x2 to f8x2.");
    else if (rnd !== "rz" && rnd !== "rp") report.error("Only RZ and RP rounding modes are supported for conversions from bf16x2 to f8x2.");
  },
}));

// --- dot products and inline PTX -------------------------------------------------------------

const dotType = A.enumC(A.DotAccumulateTypeAttr);
export const DotAccumulate4WayOp = defineOp("nvvm.dot.accumulate.4way", () => ({
  operands: { a: vectorOf(I8, 4), b: vectorOf(I8, 4), c: I32 },
  attrs: { a_type: dotType, b_type: dotType },
  results: { res: I32 },
  format: "$a $a_type `,` $b $b_type `,` $c attr-dict `:` type($a) `,` type($b)",
}));
export const DotAccumulate2WayOp = defineOp("nvvm.dot.accumulate.2way", () => ({
  operands: { a: vectorOf(I16, 2), b: vectorOf(I8, 4), c: I32 },
  attrs: { a_type: dotType, b_type: dotType, b_hi: BoolAttr },
  results: { res: I32 },
  format: "$a $a_type `,` $b $b_type `,` $c attr-dict `:` type($a) `,` type($b)",
}));
export const InlinePtxOp = defineOp("nvvm.inline_ptx", () => ({
  operands: { readOnlyArgs: variadic(AnyType), readWriteArgs: variadic(AnyType), predicate: optional(I1) },
  attrs: { ptxCode: StrAttr },
  results: { writeOnlyArgs: variadic(AnyType) },
  traits: [AttrSizedOperandSegments],
  format:
    "$ptxCode ( `ro` `(` $readOnlyArgs^ `:` type($readOnlyArgs) `)` )? ( `rw` `(` $readWriteArgs^ `:` type($readWriteArgs) `)` )? (`,` `predicate` `=` $predicate^)? attr-dict ( `->` type($writeOnlyArgs)^ )?",
}));
