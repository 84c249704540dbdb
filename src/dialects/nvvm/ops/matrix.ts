/** Matrix operations: ldmatrix, mma, wgmma, tcgen05. Source: mlir/include/mlir/Dialect/LLVMIR/NVVMOps.td, NVVMDialect.cpp. */

import type { ParsedOperand } from "../../../ir/asm.js";
import type { Type } from "../../../ir/attribute.js";
import { i32ArrayAttr } from "../../../ir/builtin-attrs.js";
import { IntegerType, i32, isFloat, isInteger, VectorType } from "../../../ir/builtin-types.js";
import {
  AnyType,
  anyOf,
  defaultAttr,
  I1,
  I8,
  I16,
  I32,
  I32Attr,
  I64,
  optional,
  optionalAttr,
  type TypeConstraint,
  typeConstraint,
  Unit,
  variadic,
} from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { typeText } from "../../../ir/text-hook.js";
import { AttrSizedOperandSegments, PredOpTrait } from "../../../ir/traits.js";
import { AnyStruct, LLVMType, Pointer, pointerIn } from "../../llvm/type-constraints.js";
import { LLVMStructType, structElements, structType } from "../../llvm/types/types.js";
import * as A from "../attrs.js";
import { hasMma, mmaTypes } from "./mma-variants.js";

const Shared = pointerIn(3);
const Tensor = pointerIn(6);

// --- fragments in shared memory --------------------------------------------------------------

const fragment = {
  layout: A.enumC(A.MMALayoutAttr),
  shape: A.kindC(A.LdStMatrixShapeAttr),
  eltType: A.enumC(A.LdStMatrixEltTypeAttr),
} as const;
const sizeOf = (shape: unknown): { m: number; n: number; k: number } => {
  const { m, n, k } = (shape as { readonly params: { readonly m: bigint; readonly n: bigint; readonly k?: bigint } }).params;
  return { m: Number(m), n: Number(n), k: Number(k ?? 0) };
};
export const LdMatrixOp = defineOp("nvvm.ldmatrix", () => ({
  operands: { ptr: Shared },
  attrs: { num: I32Attr, ...fragment },
  results: { res: AnyType },
  format: "$ptr attr-dict `:` functional-type($ptr, $res)",
  verify({ op, num, layout, shape, eltType, res }, report) {
    const { m, n } = sizeOf(shape);
    const wrong = (message: string) => void report.error(message);
    if (m === 8 && n === 8) {
      if (num !== 1 && num !== 2 && num !== 4) return wrong("expected num attribute to be 1, 2 or 4 for 8x8 matrix");
      if (eltType !== "b16") return wrong("expected element type to be b16 for 8x8 matrix");
    } else if (m === 8 && n === 16) {
      if (num !== 1 && num !== 2 && num !== 4) return wrong("expected num attribute to be 1, 2 or 4 for 8x16 matrix");
      if (layout !== "row") return wrong("expected layout to be row for 8x16 matrix");
      if (!eltType.startsWith("b8x16")) return wrong("expected element type to be b8x16.b4x16_p64 or b8x16.b6x16_p32 for 8x16 matrix");
    } else if (m === 16 && n === 16) {
      if (num !== 1 && num !== 2) return wrong("expected num attribute to be 1 or 2 for 16x16 matrix");
      if (layout !== "col") return wrong("expected layout to be col for 16x16 matrix");
      if (eltType === "b16") return wrong("expected element type to be b8, b8x16.b4x16_p64 or b8x16.b6x16_p32 for 16x16 matrix");
    } else return wrong("expected shape to be 8x8, 8x16 or 16x16");
    const registers = m === 16 ? num * 2 : num;
    const word = i32(op.ctx);
    if (
      registers === 1
        ? res.type !== word
        : res.type !==
          structType(
            op.ctx,
            Array.from({ length: registers }, () => word),
          )
    )
      wrong(
        registers === 1
          ? "expected destination type is i32"
          : `expected destination type is a structure of ${registers} elements of type i32`,
      );
  },
}));
export const StMatrixOp = defineOp("nvvm.stmatrix", () => ({
  operands: { ptr: Shared, sources: variadic(I32) },
  attrs: fragment,
  format: "$ptr `,` $sources attr-dict `:` type(operands)",
  verify({ layout, shape, eltType, sources }, report) {
    const { m, n } = sizeOf(shape);
    const wrong = (message: string) => void report.error(message);
    if (![1, 2, 4].includes(sources.length)) return wrong("expected num attribute to be 1, 2 or 4");
    if (m === 8 && n === 8) {
      if (eltType !== "b16") wrong("expected element type to be B16 for 8x8 matrix");
    } else if (m === 16 && n === 8) {
      if (eltType !== "b8") wrong("expected element type to be B8 for 16x8 matrix");
      else if (layout !== "col") wrong("expected layout to be col for 16x8 matrix");
    } else wrong("expected shape to be 8x8 or 16x8");
  },
}));

// --- mma.sync --------------------------------------------------------------------------------

const FRAGMENTS = [
  ["A", "multiplicandAPtxType"],
  ["B", "multiplicandBPtxType"],
  ["C", undefined],
] as const;

export const MmaOp = defineOp("nvvm.mma.sync", () => ({
  operands: { operandA: variadic(LLVMType), operandB: variadic(LLVMType), operandC: variadic(LLVMType) },
  attrs: {
    shape: A.kindC(A.MMAShapeAttr),
    b1Op: optionalAttr(A.enumC(A.MMAB1OpAttr)),
    intOverflowBehavior: optionalAttr(A.enumC(A.MMAIntOverflowAttr)),
    layoutA: A.enumC(A.MMALayoutAttr),
    layoutB: A.enumC(A.MMALayoutAttr),
    multiplicandAPtxType: optionalAttr(A.enumC(A.MMATypesAttr)),
    multiplicandBPtxType: optionalAttr(A.enumC(A.MMATypesAttr)),
  },
  results: { res: AnyStruct },
  traits: [AttrSizedOperandSegments],
  parse(p) {
    const groups: ParsedOperand[][] = [];
    for (const [name] of FRAGMENTS) {
      p.keyword(name);
      p.punct("[");
      groups.push(p.operands());
      p.punct("]");
    }
    p.optAttrDict();
    p.punct(":");
    const at = p.pos;
    const { inputs, results } = p.functionType();
    if (inputs.length !== 3) p.fail("expected one type for each operand segment but got " + inputs.length + " types", at, "parse.type");
    groups.forEach((group, i) => {
      for (const operand of group) p.state.operands.push(p.resolve(operand, inputs[i]!));
      const attr = FRAGMENTS[i]![1];
      if (!attr || p.state.attrs.some(([name]) => name === attr)) return;
      const inferred = inferType(inputs[i]!, false);
      if (inferred) p.setAttr(attr, A.MMATypesAttr.get(p.ctx, { value: inferred }));
    });
    p.state.types.push(...results);
    p.setAttr(
      "operandSegmentSizes",
      i32ArrayAttr(
        p.ctx,
        groups.map((g) => g.length),
      ),
    );
  },
  print({ op, operandA, operandB, operandC, res }, p) {
    const elided = ["operandSegmentSizes"];
    const groups = [operandA, operandB, operandC];
    groups.forEach((group, i) => {
      const [name, attr] = FRAGMENTS[i]!;
      p.write(` ${name}[${p.values(group)}] `);
      if (attr && group[0] && inferType(group[0].type, false)) elided.push(attr);
    });
    p.optAttrDict(op, elided);
    const types = groups.map((group) => p.type(group[0]!.type));
    p.write(` : (${types.join(", ")}) -> ${p.type(res.type)}`);
  },
  verify({ op, operandA, operandB, operandC, res, shape, multiplicandAPtxType: ptxType, b1Op, intOverflowBehavior }, report) {
    const wrong = (message: string): void => void report.error(message);
    const { m, n, k } = sizeOf(shape);
    if (m === 16 && ptxType && !hasMma(m, ptxType)) return void report.plain(`invalid shape or multiplicand type: ${ptxType}`);
    const allowed = ptxType && mmaTypes(op.ctx, ptxType, m, n, k);
    if (!allowed) return wrong(`unimplemented variant for MMA shape <${m}, ${n}, ${k}>`);
    const same = (a: readonly Type[], b: readonly Type[]) => a.length === b.length && a.every((type, i) => type === b[i]);
    for (const [name, operands] of [
      ["A", operandA],
      ["B", operandB],
      ["C", operandC],
    ] as const) {
      const types = operands.map(({ type }) => type);
      if (allowed[name].some((expected) => same(expected, types))) continue;
      const expected = allowed[name].map((types) => `${types.length}x${typeText(types[0]!)} `).join("");
      return wrong(`Could not match types for the ${name} operands; expected one of ${expected}but got ${types.map(typeText).join(", ")}`);
    }
    const results = allowed.result.map((types) => structType(op.ctx, types));
    if (!results.includes(res.type))
      return wrong(
        `Could not match allowed types for the result; expected one of ${results.map(typeText).join(", ")} but got ${typeText(res.type)}`,
      );
    if (ptxType === "b1" && !b1Op) return wrong("op requires b1Op attribute");
    if (/^[su][48]$/.test(ptxType) && !intOverflowBehavior) return wrong("op requires intOverflowBehavior attribute");
  },
}));
/** The PTX type that an operand's type implies, if it does. */
function inferType(type: Type, accumulator: boolean): "f64" | "f16" | "f32" | "tf32" | "s32" | undefined {
  if (isFloat(type, "f64")) return "f64";
  const isHalf2 =
    VectorType.is(type) && type.params.shape.length === 1 && type.params.shape[0] === 2 && isFloat(type.params.elementType, "f16");
  if (isFloat(type, "f16") || isHalf2) return "f16";
  if (isFloat(type, "f32")) return accumulator ? "f32" : "tf32";
  if (IntegerType.is(type)) return accumulator ? "s32" : undefined;
  const first = LLVMStructType.is(type) ? structElements(type)[0] : undefined;
  return first && inferType(first, accumulator);
}

// --- wgmma -----------------------------------------------------------------------------------

const Layout = A.enumC(A.MMALayoutAttr);
const WgmmaType = A.enumC(A.WGMMATypesAttr);
export const WgmmaMmaAsyncOp = defineOp("nvvm.wgmma.mma_async", () => ({
  operands: { inouts: AnyStruct, descriptorA: I64, descriptorB: I64 },
  attrs: {
    shape: A.kindC(A.MMAShapeAttr),
    typeA: WgmmaType,
    typeB: WgmmaType,
    typeD: WgmmaType,
    scaleD: A.enumC(A.WGMMAScaleOutAttr),
    scaleA: A.enumC(A.WGMMAScaleInAttr),
    scaleB: A.enumC(A.WGMMAScaleInAttr),
    layoutA: Layout,
    layoutB: Layout,
    satfinite: optionalAttr(A.enumC(A.MMAIntOverflowAttr)),
  },
  results: { results: AnyStruct },
  traits: [PredOpTrait("input struct and result struct must be the same type", (op: Operation) => op.operand(0).type === op.result().type)],
  format:
    "$descriptorA `,` $descriptorB `,` $inouts `,` $shape `,` `D` `[` $typeD `,` $scaleD (`,` $satfinite^)? `]` `,` `A` `[` $typeA `,` $scaleA `,` $layoutA `]` `,` `B` `[` $typeB `,` $scaleB `,` $layoutB `]` attr-dict `:` type($inouts) `->` type($results)",
}));

// --- tensor memory ---------------------------------------------------------------------------

const group = defaultAttr(A.enumC(A.CTAGroupKindAttr), "cta_1");
const AnyOrShared = anyOf("LLVM pointer type or LLVM pointer in address space 3", Pointer, Shared);
export const Tcgen05AllocOp = defineOp("nvvm.tcgen05.alloc", () => ({
  operands: { addr: AnyOrShared, nCols: I32 },
  attrs: { group },
  format: "$addr `,` $nCols attr-dict `:` type(operands)",
}));
export const Tcgen05DeallocOp = defineOp("nvvm.tcgen05.dealloc", () => ({
  operands: { taddr: Tensor, nCols: I32 },
  attrs: { group },
  format: "$taddr `,` $nCols attr-dict `:` type(operands)",
}));
export const Tcgen05RelinquishAllocPermitOp = defineOp("nvvm.tcgen05.relinquish_alloc_permit", () => ({
  attrs: { group },
  format: "attr-dict",
}));
export const Tcgen05FenceOp = defineOp("nvvm.tcgen05.fence", () => ({
  attrs: { kind: A.enumC(A.Tcgen05FenceKindAttr) },
  format: "$kind attr-dict",
}));
export const Tcgen05WaitOp = defineOp("nvvm.tcgen05.wait", () => ({
  attrs: { kind: A.enumC(A.Tcgen05WaitKindAttr) },
  format: "$kind attr-dict",
}));
export const Tcgen05CommitOp = defineOp("nvvm.tcgen05.commit", () => ({
  operands: { addr: AnyOrShared, multicastMask: optional(I16) },
  attrs: { group },
  format: "$addr (`,` `multicast_mask` `=` $multicastMask^)? attr-dict `:` type(operands)",
}));
export const Tcgen05ShiftOp = defineOp("nvvm.tcgen05.shift", () => ({
  operands: { taddr: Tensor },
  attrs: { group },
  format: "$taddr attr-dict `:` type(operands)",
}));
export const Tcgen05CpOp = defineOp("nvvm.tcgen05.cp", () => ({
  operands: { taddr: Tensor, smem_desc: I64 },
  attrs: {
    shape: A.enumC(A.Tcgen05CpShapeAttr),
    group,
    multicast: defaultAttr(A.enumC(A.Tcgen05CpMulticastAttr), "none"),
    srcFormat: optionalAttr(A.enumC(A.Tcgen05CpSrcFormatAttr)),
  },
  format: "$taddr`,` $smem_desc attr-dict",
  verify({ shape, multicast }, report) {
    if (shape === "shape_64x128b") {
      if (!multicast.startsWith("warpx2")) report.plain("Shape 64x128b requires multicast warpx2_01_23 or warpx2_02_13 for tcgen05.cp Op");
    } else if (shape === "shape_32x128b") {
      if (multicast !== "warpx4") report.plain("Shape 32x128b requires multicast warpx4 for tcgen05.cp Op");
    } else if (multicast !== "none") report.plain("Invalid multicast type for tcgen05.cp Op");
  },
}));
export const Tcgen05MmaSmemDescOp = defineOp("nvvm.tcgen05.mma_smem_desc", () => ({
  operands: { startAddr: I32, leadingDimOffset: I32, strideDimOffset: I32, baseOffset: I8, leadingDimMode: I1, swizzleMode: I8 },
  results: { res: I64 },
  format: "`(` operands `)` attr-dict `:` `(` type(operands) `)` `->` type($res)",
}));

const WORDS: TypeConstraint = typeConstraint(
  "32-bit signless integer or vector of 32-bit signless integer values of length 2/4/8/16/32/64/128",
  (t) =>
    isInteger(t, 32) ||
    (VectorType.is(t) &&
      t.params.shape.length === 1 &&
      [2, 4, 8, 16, 32, 64, 128].includes(t.params.shape[0]!) &&
      isInteger(t.params.elementType, 32)),
);
const ldst = A.enumC(A.Tcgen05LdStShapeAttr);
export const Tcgen05LdOp = defineOp("nvvm.tcgen05.ld", () => ({
  operands: { tmemAddr: Tensor, offset: optional(I64) },
  attrs: { pack: Unit, shape: ldst },
  results: { res: WORDS },
  format: "$tmemAddr (`,` $offset^)? (`pack` $pack^)? attr-dict `:` type($res)",
  verify: ({ shape, offset, res }, report) => verifyTransfer(shape, offset !== undefined, res.type, "tcgen05.ld", report),
}));
export const Tcgen05StOp = defineOp("nvvm.tcgen05.st", () => ({
  operands: { tmemAddr: Tensor, val: WORDS, offset: optional(I64) },
  attrs: { unpack: Unit, shape: ldst },
  format: "$tmemAddr `,` $val (`,` $offset^)? (`unpack` $unpack^)? attr-dict `:` type($val)",
  verify: ({ shape, offset, val }, report) => verifyTransfer(shape, offset !== undefined, val.type, "tcgen05.st", report),
}));
function verifyTransfer(shape: string, hasOffset: boolean, type: Type, name: "tcgen05.ld" | "tcgen05.st", report: OpReport): void {
  if (shape === "shape_16x32bx2" && !hasOffset) return void report.plain("shape 16x32bx2 requires offset argument");
  const words = VectorType.is(type) ? type.params.shape[0]! : 1;
  const least = shape === "shape_16x128b" ? 2 : shape === "shape_16x256b" ? 4 : 1;
  const what = name === "tcgen05.ld" ? "result type" : "input";
  if (words < least) report.plain(`invalid ${what} length ${words} for shape ${shape} in ${name} Op`);
}
