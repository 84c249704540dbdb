/**
 * Dots by wgmma: the four warps of a group multiply together, B (and mostly A) straight from shared memory, and go on before it is done.
 *
 *     wgmma.fence.sync.aligned
 *     wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {...}, descriptor of A, descriptor of B, useC, ...     for each tile and k step
 *     wgmma.commit_group.sync.aligned
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/DotOpToLLVM/WGMMA.cpp; DotOpToLLVM.cpp, WarpGroupDotWaitOpConversion.
 */

import { LLVMStructType, structElements, structType } from "../../../dialects/llvm/types/types.js";
import { WGMMAOp, WGMMAWaitGroupOp } from "../../../dialects/nvgpu/ops/ops.js";
import { WgmmaFenceAlignedOp, WgmmaGroupSyncAlignedOp } from "../../../dialects/nvvm/ops/synchronization.js";
import { distributedParams, toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import { type MemDesc, MemDescType } from "../../../dialects/ttg/types.js";
import { needsPartialAccumulator, WarpGroupDotOp, WarpGroupDotWaitOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { Type } from "../../../ir/attribute.js";
import { f16, floatKind, i32, isFloat, isInteger, shapedParams, type TensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import { isZeroFloat, isZeroInt } from "../../../ir/match.js";
import type { Value } from "../../../ir/value.js";
import { divideLeft } from "../../../layout/divide.js";
import type { NvidiaMmaParams } from "../../../layout/encoding-params.js";
import { getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { LayoutError } from "../../../layout/layout-error.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import { memDescOf, sharedMemoryObject, shmemAffineBase } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { applyLinearLayout } from "../../ttg-to-llvm/thread-indices.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import { uniformWarpId } from "./elect.js";
import { mmaSharedOperand, type SharedOperand, sharedOperandLayout } from "./mma-shared-operand.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";

type StructType = Parameters<typeof structElements>[0];
type Dot = View<typeof WarpGroupDotOp>;
const elementOf = (value: Value): Type => shapedParams(value.type).elementType;

/** How PTX names the element types of operands. */
function operandType(type: Type, allowTF32: boolean): string | undefined {
  if (isInteger(type, 8)) return "s8";
  const kind = floatKind(type);
  const names: Readonly<Record<string, string>> = { f16: "f16", bf16: "bf16", f8E5M2: "e5m2", f8E4M3FN: "e4m3" };
  if (kind === "f32") return allowTF32 ? "tf32" : undefined;
  return kind === undefined ? undefined : names[kind];
}
const resultType = (type: Type): string | undefined =>
  isFloat(type, "f32") ? "f32" : isFloat(type, "f16") ? "f16" : isInteger(type, 32) ? "s32" : undefined;

/** Elements as the instruction's registers: those of less than 32 bits are put together. */
function registersOf(lo: Lowering, elements: readonly Value[]): readonly Value[] {
  const { b, ctx } = lo;
  const { type } = elements[0]!;
  const bits = scalarBits(type);
  if (bits >= 32) return elements;
  const perWord = 32 / bits;
  return Array.from({ length: elements.length / perWord }, (_, i) => {
    let pack = b.undef(vecType(type, perWord));
    for (let j = 0; j < perWord; j++) pack = b.insertElement(pack, elements[i * perWord + j]!, b.i32(j));
    return b.bitcast(pack, i32(ctx));
  });
}
/** A copy, which ptxas may put after a wait. */
function copied(lo: Lowering, register: Value): Value {
  const { b, ctx } = lo;
  const move = (word: Value): Value => b.inlineAsm("mov.b32 $0, $1;", "=r,r", [word], i32(ctx));
  return isInteger(register.type) ? move(register) : b.bitcast(move(b.bitcast(register, i32(ctx))), register.type);
}
function struct(lo: Lowering, values: readonly Value[]): Value {
  const type = structType(
    lo.ctx,
    values.map((v) => v.type),
  );
  return lo.b.packStruct(type, values);
}
function addStructs(lo: Lowering, x: Value, y: Value): Value {
  const { b } = lo;
  let sum = b.undef(x.type);
  structElements(x.type as StructType).forEach((_, i) => {
    const left = b.extractValue(x, i);
    sum = b.insertValue(sum, b.fadd(left, b.extractValue(y, i)), i);
  });
  return sum;
}

/** Where a matrix in shared memory begins for the group of this warp: groups share the result's rows and columns. Units: 16 bytes. */
function warpGroupOffset(lo: Lowering, layout: LinearLayout, bits: number, result: TensorType, mnDim: 0 | 1): Value {
  const ofResult = toLinearLayout(result.params.shape, result.params.encoding!);
  const dims = ofResult.outDimNames;
  const ofWarps = ofResult.sublayout(["warp"], [dims[mnDim]!]).multiply(LinearLayout.identity1D(1, "warp", dims[1 - mnDim]!));
  const offsets = ofWarps.transposeOuts(layout.inDimNames).compose(layout);
  const inUnits = divideLeft(offsets, LinearLayout.zeros1D(1, "warp", "offset", 128 / bits));
  if (!inUnits) throw new LayoutError("warp groups begin within 16 bytes");
  const bases = inUnits.getInDimBases("warp").map((basis, i) => (i < 2 ? basis.map(() => 0) : basis));
  const ofGroups = LinearLayout.fromBases([["warp", bases]], offsets.getOutDims(), false);
  return applyLinearLayout(lo, ofGroups, [["warp", uniformWarpId(lo)]])[0]!;
}

function sharedOperand(lo: Lowering, value: Value, base: Value, tile: readonly [number, number], mnDim: 0 | 1, dot: Dot): SharedOperand {
  const { layout, bits } = sharedOperandLayout(value.type as MemDesc);
  const warpOffset = () => warpGroupOffset(lo, layout, bits, dot.d.type as TensorType, mnDim);
  return mmaSharedOperand(lo, { layout, bits, base, tile, mnDim, version: 3, warpOffset });
}

function lowerDot(dot: Dot, lo: Lowering): false | void {
  const { op, a, b: right, c, d, useC, inputPrecision, maxNumImpreciseAcc, isAsync } = dot;
  const { b, ctx } = lo;
  const result = (d.type as TensorType).params;
  const mma = distributedParams(result.encoding) as NvidiaMmaParams;
  const allowTF32 = inputPrecision === "tf32";
  const [eltTypeA, eltTypeB] = [operandType(elementOf(a), allowTF32), operandType(elementOf(right), allowTF32)];
  const eltTypeC = resultType(result.elementType);
  if (!eltTypeC) return lo.fail(op, "Unsupported mma result type found", "lower.mma");
  if (!eltTypeA || !eltTypeB) return lo.fail(op, "Unsupported mma operand type found", "lower.mma");

  const baseOf = (value: Value) => shmemAffineBase(lo, sharedMemoryObject(lo, value), memDescOf(value));
  const aBase = MemDescType.is(a.type) ? baseOf(a) : undefined;
  const bBase = baseOf(right);
  const [instrM, n, k] = mma.instrShape as [number, number, number];
  const m = 4 * instrM;
  const tileM = instrM * mma.warpsPerCTA[0]!;
  const tileN = n * mma.warpsPerCTA[1]!;
  const [rows, columns] = getShapePerCTAOf(mma, result.shape) as [number, number];
  const [repM, repN] = [Math.ceil(rows / tileM), Math.ceil(columns / tileN)];
  const repK = Math.ceil(shapedParams(a.type).shape[1]! / k);
  const fromShared = aBase && sharedOperand(lo, a, aBase, [m, k], 0, dot);
  const aElements = fromShared ? [] : lo.elements(a);
  const bShared = sharedOperand(lo, right, bBase, [k, n], 1, dot);
  const layoutA = fromShared?.transposed ? "col" : "row";
  const layoutB = bShared.transposed ? "col" : "row";

  const acc = lo.elements(c);
  const accSize = n / 2;
  const perA = (instrM * k) / 32;
  // Registers are put together before the fence.
  const moved = (register: Value): Value => (lo.forms.movesOperandsOfWgmma ? copied(lo, register) : register);
  const tiles = Array.from({ length: repM * repN }, (_, tile) => {
    const part = (elements: readonly Value[], i: number, size: number) => registersOf(lo, elements.slice(i * size, (i + 1) * size));
    const row = Math.trunc(tile / repN);
    const accRegisters = part(acc, tile, accSize);
    const aRegisters = fromShared ? [] : Array.from({ length: repK }, (_, rk) => part(aElements, row * repK + rk, perA).map(moved));
    return { row, column: tile % repN, accRegisters, aRegisters };
  });
  b.create(WgmmaFenceAlignedOp, {});
  const zeroAcc = isZeroFloat(c) || isZeroInt(c);
  const partly = needsPartialAccumulator(dot);
  const out: Value[] = [];
  for (const { row, column, accRegisters, aRegisters } of tiles) {
    const type = structType(
      ctx,
      accRegisters.map((v) => v.type),
    );
    let sum = zeroAcc ? undefined : b.packStruct(type, accRegisters);
    let partial: Value | undefined;
    let use = b.i1(!zeroAcc);
    if (useC) use = b.and(use, lo.value(useC));
    let imprecise = 0;
    for (let rk = 0; rk < repK; rk++) {
      const opA = fromShared ? fromShared.descriptor(row * tileM, rk * k) : struct(lo, aRegisters[rk]!);
      const opB = bShared.descriptor(rk * k, column * tileN);
      const types = { eltTypeA, eltTypeB, eltTypeC, layoutA, layoutB };
      const product = b.value(WGMMAOp, { opA, opB, useC: use, opC: partly ? partial : sum, m, n, k, ...types }, type);
      use = b.i1(true);
      imprecise += k;
      if (!partly) sum = product;
      else if (imprecise < maxNumImpreciseAcc && rk < repK - 1) partial = product;
      else {
        sum = sum ? addStructs(lo, sum, product) : product;
        imprecise = 0;
        partial = undefined;
      }
    }
    out.push(...b.unpackStruct(sum!));
  }
  b.create(WgmmaGroupSyncAlignedOp, {});
  const done = isAsync ? out : b.unpackStruct(waitGroup(lo, struct(lo, out), 0));
  // Halves are two to a register.
  const halves = (word: Value) => b.unpackVector(b.bitcast(word, vecType(f16(ctx), 2)));
  lo.setElements(d, eltTypeC === "f16" ? done.flatMap(halves) : done);
}

function waitGroup(lo: Lowering, input: Value, pendings: number): Value {
  return lo.b.value(WGMMAWaitGroupOp, { input, pendings }, input.type);
}

export const WGMMA: readonly LoweringRule[] = [
  rule(WarpGroupDotOp, lowerDot),
  rule(WarpGroupDotWaitOp, ({ op, inputs, outputs, pendings }, lo) => {
    if (inputs.some((input) => !LLVMStructType.is(convertType(input.type))))
      return lo.fail(op, "waits are for results in registers and buffers in shared memory, which wgmma works on");
    const [only] = inputs;
    if (only && inputs.length === 1) return lo.setValue(outputs[0]!, waitGroup(lo, lo.value(only), pendings));
    const { b } = lo;
    const parts = inputs.map((input) => structElements(convertType(input.type) as StructType));
    let packed = b.undef(structType(lo.ctx, parts.flat()));
    let next = 0;
    for (const [i, part] of parts.entries())
      for (let j = 0; j < part.length; j++) packed = b.insertValue(packed, lo.element(inputs[i]!, j), next++);
    const waited = waitGroup(lo, packed, pendings);
    next = 0;
    for (const [i, part] of parts.entries()) {
      const first = next;
      next += part.length;
      lo.setStruct(outputs[i]!, part.length, (j) => b.extractValue(waited, first + j));
    }
  }),
];
