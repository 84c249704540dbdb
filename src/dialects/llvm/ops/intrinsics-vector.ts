/** Intrinsics of vectors. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td. */

import type { Type } from "../../../ir/attribute.js";
import { VectorType } from "../../../ir/builtin-types.js";
import {
  AnyFloat,
  AnySignlessInteger,
  BoolAttr,
  DictArrayAttr,
  I32,
  I32Attr,
  I64Attr,
  optional,
  optionalAttr,
  type TypeConstraint,
  Unit,
  variadic,
} from "../../../ir/constraints.js";
import { defineOp, type OpDef, type OpReport } from "../../../ir/define-op.js";
import { typeText } from "../../../ir/text-hook.js";
import { AllTypesMatch, PredOpTrait, Pure, SameOperandsAndResultElementType } from "../../../ir/traits.js";
import { Fastmath } from "../constraints.js";
import { I1Vector, LLVMType, LLVMVector, Pointer, vectorOf } from "../type-constraints.js";
import { bitsOf, isScalableVector } from "../types/compatible.js";

const results = { res: LLVMType };
const IntVector = vectorOf(AnySignlessInteger);
const FloatVector = vectorOf(AnyFloat);
const FORMAT = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
const sizeOf = (type: Type): number => (VectorType.is(type) ? (type.params.shape[0] ?? 1) : 1);

// --- reductions ------------------------------------------------------------------------------

const reduceI = (name: string) =>
  defineOp(`llvm.intr.vector.reduce.${name}`, () => ({
    operands: { in: IntVector },
    results,
    traits: [Pure, SameOperandsAndResultElementType],
  }));
const reduceF = (name: string) =>
  defineOp(`llvm.intr.vector.reduce.${name}`, () => ({
    operands: { in: FloatVector },
    attrs: { fastmathFlags: Fastmath },
    results,
    traits: [Pure, SameOperandsAndResultElementType],
    format: FORMAT,
  }));
const accumulate = (name: string) =>
  defineOp(`llvm.intr.vector.reduce.${name}`, () => ({
    operands: { start_value: AnyFloat, input: FloatVector },
    attrs: { fastmathFlags: Fastmath },
    results,
    traits: [Pure, SameOperandsAndResultElementType],
  }));
export const VectorReduceAddOp = reduceI("add");
export const VectorReduceAndOp = reduceI("and");
export const VectorReduceMulOp = reduceI("mul");
export const VectorReduceOrOp = reduceI("or");
export const VectorReduceSMaxOp = reduceI("smax");
export const VectorReduceSMinOp = reduceI("smin");
export const VectorReduceUMaxOp = reduceI("umax");
export const VectorReduceUMinOp = reduceI("umin");
export const VectorReduceXorOp = reduceI("xor");
export const VectorReduceFMaxOp = reduceF("fmax");
export const VectorReduceFMaximumOp = reduceF("fmaximum");
export const VectorReduceFMinOp = reduceF("fmin");
export const VectorReduceFMinimumOp = reduceF("fminimum");
export const VectorReduceFAddOp = accumulate("fadd");
export const VectorReduceFMulOp = accumulate("fmul");

// --- parts of vectors ------------------------------------------------------------------------

const notHuge = (...names: readonly string[]) =>
  PredOpTrait("vectors are not bigger than 2^17 bits.", (op) => {
    const view = op.def.viewOf(op) as Readonly<Record<string, { readonly type: Type }>>;
    return names.every((name) => bitsOf(view[name]!.type) <= 131072);
  });
export const VectorInsertOp = defineOp("llvm.intr.vector.insert", () => ({
  operands: { dstvec: LLVMVector, srcvec: LLVMVector },
  attrs: { pos: I64Attr },
  results: { res: LLVMVector },
  traits: [
    Pure,
    AllTypesMatch("dstvec", "res"),
    notHuge("srcvec", "dstvec"),
    PredOpTrait(
      "it is not inserting scalable into fixed-length vectors.",
      (op) => !isScalableVector(op.operand(1).type) || isScalableVector(op.operand(0).type),
    ),
  ],
  format: "$srcvec `,` $dstvec `[` $pos `]` attr-dict `:` type($srcvec) `into` type($res)",
}));
export const VectorExtractOp = defineOp("llvm.intr.vector.extract", () => ({
  operands: { srcvec: LLVMVector },
  attrs: { pos: I64Attr },
  results: { res: LLVMVector },
  traits: [
    Pure,
    notHuge("srcvec", "res"),
    PredOpTrait(
      "it is not extracting scalable from fixed-length vectors.",
      (op) => !isScalableVector(op.result().type) || isScalableVector(op.operand(0).type),
    ),
  ],
  format: "$srcvec `[` $pos `]` attr-dict `:` type($res) `from` type($srcvec)",
}));
export const VectorInterleave2Op = defineOp("llvm.intr.vector.interleave2", () => ({
  operands: { vec1: LLVMVector, vec2: LLVMVector },
  results,
  traits: [
    Pure,
    AllTypesMatch("vec1", "vec2"),
    PredOpTrait("result has twice as many elements as 'vec1'", (op) => sizeOf(op.result().type) === 2 * sizeOf(op.operand(0).type)),
  ],
}));
export const VectorDeinterleave2Op = defineOp("llvm.intr.vector.deinterleave2", () => ({
  operands: { vec: LLVMVector },
  results,
  traits: [Pure],
}));
export const StepVectorOp = defineOp("llvm.intr.stepvector", () => ({
  results: { res: IntVector },
  traits: [Pure],
  format: "attr-dict `:` type($res)",
}));
export const VScaleOp = defineOp("llvm.intr.vscale", () => ({ results }));
export const GetActiveLaneMaskOp = defineOp("llvm.intr.get.active.lane.mask", () => ({
  operands: { base: AnySignlessInteger, n: AnySignlessInteger },
  results,
  traits: [Pure],
  format: "$base `,` $n attr-dict `:` type($base) `,` type($n) `to` type($res)",
}));

// --- matrices --------------------------------------------------------------------------------

export const MatrixColumnMajorLoadOp = defineOp("llvm.intr.matrix.column.major.load", () => ({
  operands: { data: Pointer, stride: AnySignlessInteger },
  attrs: { isVolatile: BoolAttr, rows: I32Attr, columns: I32Attr },
  results: { res: LLVMVector },
  format: "$data `,` `<` `stride` `=` $stride `>` attr-dict`:` type($res) `from` qualified(type($data)) `stride` type($stride)",
}));
export const MatrixColumnMajorStoreOp = defineOp("llvm.intr.matrix.column.major.store", () => ({
  operands: { matrix: LLVMVector, data: Pointer, stride: AnySignlessInteger },
  attrs: { isVolatile: BoolAttr, rows: I32Attr, columns: I32Attr },
  format:
    "$matrix `,` $data `,` `<` `stride` `=` $stride `>` attr-dict`:` type($matrix) `to` qualified(type($data)) `stride` type($stride)",
}));
export const MatrixMultiplyOp = defineOp("llvm.intr.matrix.multiply", () => ({
  operands: { lhs: LLVMVector, rhs: LLVMVector },
  attrs: { lhs_rows: I32Attr, lhs_columns: I32Attr, rhs_columns: I32Attr },
  results: { res: LLVMVector },
  format: "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($res)",
}));
export const MatrixTransposeOp = defineOp("llvm.intr.matrix.transpose", () => ({
  operands: { matrix: LLVMVector },
  attrs: { rows: I32Attr, columns: I32Attr },
  results: { res: LLVMVector },
  format: "$matrix attr-dict `:` type($matrix) `into` type($res)",
}));

// --- masked memory ---------------------------------------------------------------------------

const PointerVector = vectorOf(Pointer);
export const MaskedLoadOp = defineOp("llvm.intr.masked.load", () => ({
  operands: { data: Pointer, mask: I1Vector, pass_thru: optional(LLVMVector) },
  attrs: { alignment: I32Attr, nontemporal: Unit },
  results: { res: LLVMVector },
  format: "operands attr-dict `:` functional-type(operands, results)",
}));
export const MaskedStoreOp = defineOp("llvm.intr.masked.store", () => ({
  operands: { value: LLVMVector, data: Pointer, mask: I1Vector },
  attrs: { alignment: I32Attr },
  format: "$value `,` $data `,` $mask attr-dict `:` type($value) `,` type($mask) `into` qualified(type($data))",
}));
export const MaskedGatherOp = defineOp("llvm.intr.masked.gather", () => ({
  operands: { ptrs: PointerVector, mask: I1Vector, pass_thru: variadic(LLVMVector) },
  attrs: { alignment: I32Attr },
  results: { res: LLVMVector },
  format: "operands attr-dict `:` functional-type(operands, results)",
  verify: ({ ptrs, res }, report) => verifyPointers(ptrs.type, res.type, 1, report),
}));
export const MaskedScatterOp = defineOp("llvm.intr.masked.scatter", () => ({
  operands: { value: LLVMVector, ptrs: PointerVector, mask: I1Vector },
  attrs: { alignment: I32Attr },
  format: "$value `,` $ptrs `,` $mask attr-dict `:` type($value) `,` type($mask) `into` type($ptrs)",
  verify: ({ ptrs, value }, report) => verifyPointers(ptrs.type, value.type, 2, report),
}));
function verifyPointers(pointers: Type, values: Type, operand: number, report: OpReport): void {
  if (!VectorType.is(pointers) || !VectorType.is(values)) return;
  const wanted = VectorType.get(pointers.ctx, { ...values.params, elementType: pointers.params.elementType });
  if (pointers !== wanted) report.error(`expected operand #${operand} type to be '${typeText(wanted)}'`);
}
const argAttrs = { arg_attrs: optionalAttr(DictArrayAttr), res_attrs: optionalAttr(DictArrayAttr) } as const;
export const MaskedExpandloadOp = defineOp("llvm.intr.masked.expandload", () => ({
  operands: { ptr: Pointer, mask: I1Vector, passthru: LLVMVector },
  attrs: argAttrs,
  results,
}));
export const MaskedCompressstoreOp = defineOp("llvm.intr.masked.compressstore", () => ({
  operands: { value: LLVMVector, ptr: Pointer, mask: I1Vector },
  attrs: argAttrs,
}));

// --- vector predication: generic form only ---------------------------------------------------

type Operands = Readonly<Record<string, TypeConstraint>>;
const tail = { mask: I1Vector, evl: I32 };
const predicated = (name: string, operands: Operands, pure = true): OpDef =>
  defineOp(`llvm.intr.vp.${name}`, () => ({ operands: { ...operands, ...tail }, results, traits: pure ? [Pure] : [] }));

/** Operations under a mask and an explicit vector length, by name. */
export const VECTOR_PREDICATION: Readonly<Record<string, OpDef>> = Object.fromEntries(
  [
    ...["add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "ashr", "lshr", "shl", "or", "and", "xor", "smax", "smin", "umax", "umin"].map(
      (name) => predicated(name, { lhs: IntVector, rhs: IntVector }),
    ),
    ...["fadd", "fsub", "fmul", "fdiv", "frem"].map((name) => predicated(name, { lhs: FloatVector, rhs: FloatVector })),
    ...["fma", "fmuladd"].map((name) => predicated(name, { op1: FloatVector, op2: FloatVector, op3: FloatVector })),
    // Upstream calls the operand `op`, which is the name of the operation in views.
    predicated("fneg", { value: FloatVector }),
    ...["zext", "sext", "trunc", "uitofp", "sitofp"].map((name) => predicated(name, { src: IntVector })),
    ...["fptrunc", "fpext", "fptoui", "fptosi"].map((name) => predicated(name, { src: FloatVector })),
    predicated("inttoptr", { src: IntVector }),
    predicated("ptrtoint", { src: PointerVector }),
    // `satrt_value` is upstream's spelling.
    ...["add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin"].map((name) =>
      predicated(`reduce.${name}`, { satrt_value: AnySignlessInteger, val: IntVector }),
    ),
    ...["fadd", "fmul", "fmax", "fmin"].map((name) => predicated(`reduce.${name}`, { satrt_value: AnyFloat, val: FloatVector })),
    ...["select", "merge"].map(
      (name): OpDef =>
        defineOp(`llvm.intr.vp.${name}`, () => ({
          operands: { cond: I1Vector, true_val: LLVMVector, false_val: LLVMVector, evl: I32 },
          results,
          traits: [Pure],
        })),
    ),
    predicated("load", { ptr: Pointer }, false),
    defineOp("llvm.intr.vp.store", () => ({ operands: { val: LLVMVector, ptr: Pointer, ...tail } })) as OpDef,
    defineOp("llvm.intr.experimental.vp.strided.load", () => ({
      operands: { ptr: Pointer, stride: AnySignlessInteger, ...tail },
      results,
    })) as OpDef,
    defineOp("llvm.intr.experimental.vp.strided.store", () => ({
      operands: { val: LLVMVector, ptr: Pointer, stride: AnySignlessInteger, ...tail },
    })) as OpDef,
  ].map((op) => [op.name, op]),
);
