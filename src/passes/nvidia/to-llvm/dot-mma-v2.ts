/**
 * Dots as mma.sync: the operands of each instruction are registers of 32 bits put together from a thread's elements, and the
 * accumulator's registers are used again for the result.
 *
 *     mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/DotOpToLLVM/MMAv2.cpp.
 */

import { structType } from "../../../dialects/llvm/types/types.js";
import { DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { distributedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { DotI8Op } from "../../../dialects/tti/ops/instrument.js";
import type { Type } from "../../../ir/attribute.js";
import { bitWidth, f16, f32, floatKind, floatType, i32, isFloat, isInteger, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { DotOperandParams, NvidiaMmaParams } from "../../../layout/encoding-params.js";
import { getElemsPerThread, getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { isSmallF64, nvidiaMmaRepForOperand } from "../../../layout/encodings/nvidia-mma.js";
import { LayoutError } from "../../../layout/layout-error.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import { emitOffsetForLayout } from "../../ttg-to-llvm/thread-indices.js";
import { convertType, elementsPerThread } from "../../ttg-to-llvm/type-converter.js";
import type { Lowering } from "./nvidia-lowering.js";
import { PtxBuilder, type PtxOperand } from "./ptx-builder.js";

const tensorOf = (value: Value): TensorType => value.type as TensorType;
const elementOf = (value: Value): Type => tensorOf(value).params.elementType;
const dotOperandOf = (value: Value): DotOperandParams => distributedParams(tensorOf(value).params.encoding) as DotOperandParams;

// --- instructions -------------------------------------------------------------------------------

/** How PTX names the element types of operands. */
function ptxType(type: Type): string | undefined {
  if (isInteger(type, 8)) return "s8";
  const kind = floatKind(type);
  const names: Readonly<Record<string, string>> = { f16: "f16", bf16: "bf16", f32: "tf32", f64: "f64", f8E5M2: "e5m2", f8E4M3FN: "e4m3" };
  return kind === undefined ? undefined : names[kind];
}
/** m, n and k of the instruction for an operand type. */
const SHAPES: Readonly<Record<string, string>> = {
  f16: "m16n8k16",
  bf16: "m16n8k16",
  tf32: "m16n8k8",
  s8: "m16n8k32",
  e5m2: "m16n8k32",
  e4m3: "m16n8k32",
  f64: "m8n8k4",
};
const MMA = "mma.sync.aligned";

/** The instruction of a dot; undefined when the tensor cores have none for these types. */
function mmaInstruction(a: Type, b: Type, d: Type, arch: { readonly turing: boolean; readonly hopper: boolean }): string | undefined {
  const [pa, pb] = [ptxType(a), ptxType(b)];
  const f8 = pa?.startsWith("e") && pb?.startsWith("e");
  if (!pa || !pb || (pa !== pb && !f8)) return undefined;
  if (pa === "f64" || isFloat(d, "f64"))
    return pa === "f64" && isFloat(d, "f64") && !arch.turing
      ? `${MMA}.${arch.hopper ? "m16n8k16" : "m8n8k4"}.row.col.f64.f64.f64.f64`
      : undefined;
  if (arch.hopper) return undefined;
  if (pa === "s8") {
    if (!isInteger(d, 32)) return undefined;
    return `${MMA}.${arch.turing ? "m8n8k16" : SHAPES[pa]}.row.col.satfinite.s32.s8.s8.s32`;
  }
  const acc = isFloat(d, "f32") ? "f32" : isFloat(d, "f16") && pa !== "bf16" && pa !== "tf32" ? "f16" : undefined;
  if (!acc) return undefined;
  if (arch.turing) return pa === "f16" ? `${MMA}.m16n8k8.row.col.${acc}.f16.f16.${acc}` : undefined;
  return `${MMA}.${SHAPES[pa]}.row.col.${acc}.${pa}.${pb}.${acc}`;
}

/** The instruction of a dot of blocks with scales, and how many scales belong to one of its k steps. */
function scaledInstruction(op: Operation): { readonly text: string; readonly scales: number } | undefined {
  const { a, b, d, a_elem_type, b_elem_type, b_scale } = DotScaledOp.match(op)!;
  if (!isFloat(elementOf(d), "f32")) return undefined;
  const [pa, pb] = [ptxType(elementOf(a)), ptxType(elementOf(b))];
  const kind = (k: string, vec: number) => `row.col.kind::${k}.block_scale.scale_vec::${vec}X.f32`;
  if (pa?.startsWith("e") && pb?.startsWith("e"))
    return { text: `${MMA}.m16n8k32.${kind("mxf8f6f4", 1)}.${pa}.${pb}.f32.ue8m0`, scales: 1 };
  if (a_elem_type !== "e2m1" || b_elem_type !== "e2m1") return undefined;
  const nv = b_scale !== undefined && isFloat(elementOf(b_scale), "f8E4M3FN");
  const text = `${MMA}.m16n8k64.${kind("mxf4nvf4", nv ? 4 : 2)}.e2m1.e2m1.f32.${nv ? "ue4m3" : "ue8m0"}`;
  return { text, scales: nv ? 4 : 2 };
}

// --- operands -----------------------------------------------------------------------------------

/** Registers that one instruction takes along m, n and k. */
interface NumRegisters {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}
/** The registers of an operand by batch, row (or column) and place along k. */
class OperandTable {
  readonly #values = new Map<number, Value>();
  set(batch: number, outer: number, k: number, value: Value): void {
    this.#values.set((batch * 4096 + outer) * 4096 + k, value);
  }
  get(batch: number, outer: number, k: number): Value {
    return this.#values.get((batch * 4096 + outer) * 4096 + k)!;
  }
}

/**
 * The order in which elements make up instructions, where a thread has more neighbours along k (kWidth) than one instruction takes:
 * those beyond go to the following instructions. Indices into a run of elements as long as the result.
 */
function largeKOrder(isA: boolean, kWidth: number, perWord: number, repK: number, numElems: number): number[] {
  const order: number[] = [];
  if (kWidth / perWord <= repK) {
    for (let rep = 0; rep < kWidth / perWord; rep++)
      for (let tile = 0; tile < (isA ? 4 : 2); tile++) for (let e = 0; e < perWord; e++) order.push(rep * perWord + tile * kWidth + e);
    return order;
  }
  // A short k repeats elements within a tile: the repeats go to the end, and are not used.
  const mTiles = isA ? 2 : 1;
  const perTile = mTiles * 2 * kWidth;
  const perMma = mTiles * 2 * perWord;
  const mmaWidth = Math.floor(kWidth / perWord / 2);
  const reps = perTile / (mmaWidth * perMma);
  for (let rep = 0; rep < reps; rep++)
    for (let tile = 0; tile < numElems / perTile; tile++)
      for (let width = 0; width < mmaWidth; width++)
        for (let kTile = 0; kTile < 2; kTile++)
          for (let mTile = 0; mTile < mTiles; mTile++)
            for (let e = 0; e < perWord; e++)
              order.push(rep * mmaWidth * perMma + width * 2 * perWord + tile * perTile + mTile * kWidth + kTile * perWord + e);
  return order;
}

/**
 * The elements of 64 bits as instructions take them, by their rows (or columns) and places along k: neighbours along k go to
 * following instructions. Indices into a thread's elements.
 */
function wideOrder(value: Value, isA: boolean, repOuter: number, repK: number, registers: NumRegisters): number[] {
  const offsets = emitOffsetForLayout(tensorOf(value));
  const places = (dim: number) => [...new Set(offsets.map((offset) => offset.at(dim)!))].sort((x, y) => x - y);
  const [outerDim, kDim] = isA ? [-2, -1] : [-1, -2];
  const [batches, outers, ks] = [places(-3), places(outerDim), places(kDim)];
  const perOuter = isA ? registers.m : registers.n;
  if (ks.length !== repK * registers.k) throw new LayoutError("threads hold the same elements of f64 along k");
  const order: number[] = [];
  for (const batch of batches)
    for (let outer = 0; outer < repOuter; outer++)
      for (const k of ks)
        for (let v = 0; v < perOuter; v++) {
          const row = outers[(outer * perOuter + v) % outers.length]!;
          order.push(offsets.findIndex((offset) => offset.at(-3) === batch && offset.at(outerDim) === row && offset.at(kDim) === k));
        }
  return order;
}

function operandTable(lo: Lowering, value: Value, batches: number, repOuter: number, repK: number, registers: NumRegisters): OperandTable {
  const { b, ctx } = lo;
  const encoding = dotOperandOf(value);
  const isA = encoding.opIdx === 0;
  const element = convertType(elementOf(value));
  const bits = scalarBits(element);
  const perWord = Math.max(Math.floor(32 / bits), 1);
  let elements = lo.elements(value);
  if (encoding.kWidth > 1 && bits === 64) {
    const given = elements;
    elements = wideOrder(value, isA, repOuter, repK, registers).map((i) => given[i]!);
  } else if (bits * encoding.kWidth > Math.max(32, bits)) {
    const order = largeKOrder(isA, encoding.kWidth, perWord, repK, elements.length);
    const given = elements;
    elements = given.map((_, i) => given[i - (i % order.length) + order[i % order.length]!]!);
  }
  const table = new OperandTable();
  let next = 0;
  const word = (): Value => {
    const items = elements.slice(next, next + perWord).map((e) => (lo.folding && e.type === element ? e : b.bitcast(e, element)));
    next += perWord;
    let vector = b.undef(vecType(element, perWord));
    items.forEach((item, i) => {
      vector = b.insertElement(vector, item, b.i32(i));
    });
    return bits === 64 ? vector : b.bitcast(vector, i32(ctx));
  };
  const perOuter = isA ? registers.m : registers.n;
  for (let batch = 0; batch < batches; batch++)
    for (let outer = 0; outer < repOuter; outer++)
      for (let k = 0; k < repK; k++)
        for (let vk = 0; vk < registers.k; vk++)
          for (let v = 0; v < perOuter; v++) table.set(batch, outer * perOuter + v, k * registers.k + vk, word());
  return table;
}

/** The accumulator's registers when its elements have 16 bits: pairs of them. */
function packAccumulator(lo: Lowering, c: Value, count: number): readonly Value[] {
  const { b } = lo;
  return Array.from({ length: count / 2 }, (_, i) => {
    let pair = b.undef(vecType(convertType(elementOf(c)), 2));
    for (const j of [0, 1]) pair = b.insertElement(pair, lo.element(c, 2 * i + j), b.i32(j));
    return pair;
  });
}

// --- the dot ------------------------------------------------------------------------------------

/** Where an instruction finds its operands. */
interface MmaStep {
  readonly ptx: PtxBuilder;
  readonly batch: number;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly a: OperandTable;
  readonly b: OperandTable;
  /** The accumulator's registers of this tile. */
  readonly acc: readonly Value[];
}
/** Writes the text of one tile's instructions. */
type EmitMma = (step: MmaStep) => void;

const isTuring = (d: Value): boolean => {
  const mma = distributedParams(tensorOf(d).params.encoding) as NvidiaMmaParams;
  return mma.versionMajor === 2 && mma.versionMinor === 1;
};

/** A dot of bytes whose sum wraps around, each operand with or without a sign. */
export function lowerDotI8(lo: Lowering, op: Operation): void {
  const { d, aSigned, bSigned } = DotI8Op.match(op)!;
  const turing = isTuring(d);
  const sign = (signed: boolean): string => (signed ? "s8" : "u8");
  const text = `${MMA}.${turing ? "m8n8k16" : SHAPES["s8"]}.row.col.s32.${sign(aSigned)}.${sign(bSigned)}.s32`;
  const registers: NumRegisters = { m: 2, n: 1, k: 2 };
  lowerTiles(lo, op, registers, turing ? turingInt8(text, registers) : plainMma(text, registers, "=r", "r"));
}

export function lowerMmaV2(lo: Lowering, op: Operation): false | void {
  const [a, b] = [op.operand(0), op.operand(1)];
  const d = op.result(0);
  const mma = distributedParams(tensorOf(d).params.encoding) as NvidiaMmaParams;
  const isF64 = isFloat(elementOf(d), "f64");
  const turing = isTuring(d);
  const small = isSmallF64(mma);
  const hopper = lo.target.gpu.f64Mma === "m16n8k16" && isFloat(elementOf(a), "f64") && !lo.ctx.triton.smallF64Dots;
  const text = mmaInstruction(elementOf(a), elementOf(b), elementOf(d), { turing, hopper });
  if (text === undefined) return lo.fail(op, "Unsupported MMA instruction for the given mma type", "lower.mma");
  if (isF64 && [a, b].some((operand) => dotOperandOf(operand).kWidth > 1))
    lo.noteCrash(op, "it takes no operands of f64 whose threads hold neighbours along k (kWidth)");
  const registers: NumRegisters = small ? { m: 1, n: 1, k: 1 } : { m: 2, n: 1, k: isF64 ? 4 : 2 };
  const packed = isInteger(elementOf(d), 32) || isFloat(elementOf(d), "f16");
  const emit: EmitMma = turing
    ? isInteger(elementOf(d), 32)
      ? turingInt8(text, registers)
      : turingF16(text, registers, packed)
    : small
      ? smallF64(text)
      : isF64 && !hopper
        ? ampereF64(text, registers)
        : plainMma(text, registers, isF64 ? "=d" : packed ? "=r" : "=f", isF64 ? "d" : "r");
  lowerTiles(lo, op, registers, emit);
}

export function lowerMmaScaled(lo: Lowering, op: Operation): false | void {
  const instruction = scaledInstruction(op);
  const { a_scale, b_scale } = DotScaledOp.match(op)!;
  if (!instruction || !a_scale || !b_scale) return lo.fail(op, "Unsupported MMA instruction for the given mma type", "lower.mma");
  const { b } = lo;
  const [aScales, bScales] = [lo.elements(a_scale), lo.elements(b_scale)];
  const registers: NumRegisters = { m: 2, n: 1, k: 2 };
  const repK = repetitions(op).k;
  const { scales } = instruction;
  const pack = (bytes: readonly Value[], from: number): Value => {
    let word = b.zext(bytes[from]!, i32(lo.ctx));
    for (let i = 1; i < scales; i++) {
      const byte = b.zext(bytes[from + i]!, i32(lo.ctx));
      word = b.or(word, b.shl(byte, b.i32(i * 8)));
    }
    return word;
  };
  lowerTiles(lo, op, registers, (step) => {
    const aScale = pack(aScales, (step.m * repK + step.k) * scales);
    const bScale = pack(bScales, (step.n * repK + step.k) * scales);
    const { ptx } = step;
    const selector = () => ptx.list([ptx.constant("0"), ptx.constant("0")]);
    const [ret, aArgs, bArgs, cArgs] = plainOperands(step, registers, "=f", "r");
    const operands = [ret, aArgs, bArgs, cArgs, ptx.input(aScale, "r"), selector(), ptx.input(bScale, "r"), selector()];
    ptx.instruction([instruction.text], operands);
  });
}

function repetitions(op: Operation): { readonly batch: number; readonly m: number; readonly n: number; readonly k: number } {
  const rep = (value: Value): number[] => {
    const { shape, encoding, elementType } = tensorOf(value).params;
    const dot = distributedParams(encoding);
    if (dot?.kind !== "dot_op" || dot.parent.kind !== "nvidia_mma") throw new LayoutError("operands of mma have its ttg.dot_op layouts");
    return nvidiaMmaRepForOperand(dot.parent, getShapePerCTAOf(dot, shape), bitWidth(elementType)!, dot.opIdx);
  };
  const [a, b] = [rep(op.operand(0)), rep(op.operand(1))];
  return { batch: a[0]!, m: a[1]!, n: b[2]!, k: a[2]! };
}

function lowerTiles(lo: Lowering, op: Operation, registers: NumRegisters, emit: EmitMma): void {
  const { b, ctx } = lo;
  const d = op.result(0);
  const { shape, encoding, elementType } = tensorOf(d).params;
  const rep = repetitions(op);
  const bits = bitWidth(elementType)!;
  const pairs = bits === 16 ? packAccumulator(lo, op.operand(2), elementsPerThread(d.type)) : undefined;
  const a = operandTable(lo, op.operand(0), rep.batch, rep.m, rep.k, registers);
  const bTable = operandTable(lo, op.operand(1), rep.batch, rep.n, rep.k, registers);
  const acc = [...(pairs ?? lo.elements(op.operand(2)))];

  const count = bits === 64 ? 2 * registers.m : bits / 8;
  const perRegister = bits === 64 ? 1 : 4 / count;
  const register = isInteger(elementType) ? i32(ctx) : bits === 16 ? vecType(f16(ctx), 2) : bits === 64 ? floatType(ctx, "f64") : f32(ctx);
  const resultType = structType(ctx, new Array<Type>(count).fill(register));
  const perThread = getElemsPerThread(distributedParams(encoding)!, shape);
  const batchOffset = (perThread.at(-2)! * perThread.at(-1)!) / perRegister;
  const columns = rep.n * 2;

  for (let batch = 0; batch < rep.batch; batch++)
    for (let k = 0; k < rep.k; k++)
      for (let m = 0; m < rep.m; m++)
        for (let n = 0; n < rep.n; n++) {
          const first = (registers.m * m * columns + count * perRegister * registers.n * n) / perRegister + batchOffset * batch;
          const ptx = new PtxBuilder();
          emit({ ptx, batch, m, n, k, a, b: bTable, acc: acc.slice(first, first + count) });
          const out = ptx.launch(b, resultType);
          for (let i = 0; i < count; i++) acc[first + i] = b.extractValue(out, i);
        }

  const element = convertType(elementType);
  const cast = (v: Value): Value => (lo.folding && v.type === element ? v : b.bitcast(v, element));
  lo.setElements(
    d,
    acc.flatMap((v) =>
      perRegister === 1 ? [cast(v)] : Array.from({ length: perRegister }, (_, i) => cast(b.extractElement(v, b.i32(i)))),
    ),
  );
}

/** The four operands of the usual instruction, in the order in which their registers are numbered: result, accumulator, a, b. */
function plainOperands(
  step: MmaStep,
  registers: NumRegisters,
  ret: string,
  operand: string,
): [PtxOperand, PtxOperand, PtxOperand, PtxOperand] {
  const { ptx, batch, a, b } = step;
  const [m, n, k] = [step.m * registers.m, step.n * registers.n, step.k * registers.k];
  const outputs = step.acc.map(() => ptx.output(ret));
  const acc = step.acc.map((value, i) => ptx.tied(value, i));
  const aArgs: PtxOperand[] = [];
  for (let vk = 0; vk < registers.k; vk++) for (const vm of [0, 1]) aArgs.push(ptx.input(a.get(batch, m + vm, k + vk), operand));
  const bArgs: PtxOperand[] = [];
  for (let vk = 0; vk < registers.k; vk++) bArgs.push(ptx.input(b.get(batch, n, k + vk), operand));
  return [ptx.list(outputs), ptx.list(aArgs), ptx.list(bArgs), ptx.list(acc)];
}
function plainMma(text: string, registers: NumRegisters, ret: string, operand: string): EmitMma {
  return (step) => step.ptx.instruction([text], plainOperands(step, registers, ret, operand));
}

/** Two halves of the accumulator, each with its registers, as m8 instructions want them. */
function halves({ ptx, acc }: MmaStep, constraint: string): readonly { readonly ret: PtxOperand; readonly c: PtxOperand }[] {
  const half = acc.length / 2;
  const rets = [0, 1].map(() => ptx.list(Array.from({ length: half }, () => ptx.output(constraint))));
  const cs = [0, 1].map((h) => ptx.list(Array.from({ length: half }, (_, i) => ptx.tied(acc[h * half + i]!, h * half + i))));
  return rets.map((ret, h) => ({ ret, c: cs[h]! }));
}
function ampereF64(text: string, registers: NumRegisters): EmitMma {
  return (step) => {
    const { ptx, batch, a, b } = step;
    const [m, n, k] = [step.m * registers.m, step.n * registers.n, step.k * registers.k];
    const [upper, lower] = halves(step, "=d");
    for (let vk = 0; vk < registers.k; vk++) {
      const one = (value: Value) => ptx.list([ptx.input(value, "d")]);
      const a1 = one(a.get(batch, m, k + vk));
      const b1 = one(b.get(batch, n, k + vk));
      const a2 = one(a.get(batch, m + 1, k + vk));
      ptx.instruction([text], [upper!.ret, a1, b1, upper!.c]);
      ptx.instruction([text], [lower!.ret, a2, b1, lower!.c]);
    }
  };
}
function smallF64(text: string): EmitMma {
  return ({ ptx, batch, m, n, k, a, b, acc }) => {
    const ret = ptx.list(acc.map(() => ptx.output("=d")));
    const c = ptx.list(acc.map((value, i) => ptx.tied(value, i)));
    const bArg = ptx.list([ptx.input(b.get(batch, n, k), "d")]);
    ptx.instruction([text], [ret, ptx.list([ptx.input(a.get(batch, m, k), "d")]), bArg, c]);
  };
}
function turingInt8(text: string, registers: NumRegisters): EmitMma {
  return (step) => {
    const { ptx, batch, a, b } = step;
    const [m, n, k] = [step.m * registers.m, step.n * registers.n, step.k * registers.k];
    const [upper, lower] = halves(step, "=r");
    const one = (value: Value) => ptx.list([ptx.input(value, "r")]);
    const pairs = [0, 1].flatMap((vm) => [0, 1].map((vk) => [one(a.get(batch, m + vm, k + vk)), one(b.get(batch, n, k + vk))] as const));
    pairs.forEach(([x, y], i) => {
      const { ret, c } = (i < 2 ? upper : lower)!;
      ptx.instruction([text], [ret, x, y, c]);
    });
  };
}
function turingF16(text: string, registers: NumRegisters, packed: boolean): EmitMma {
  return (step) => {
    const { ptx, batch, a, b } = step;
    const [m, n, k] = [step.m * registers.m, step.n * registers.n, step.k * registers.k];
    const ret = ptx.list(step.acc.map(() => ptx.output(packed ? "=r" : "=f")));
    const c = ptx.list(step.acc.map((value, i) => ptx.tied(value, i)));
    const steps = [0, 1].map((vk) => {
      const x = ptx.list([0, 1].map((vm) => ptx.input(a.get(batch, m + vm, k + vk), "r")));
      return [x, ptx.list([ptx.input(b.get(batch, n, k + vk), "r")])] as const;
    });
    for (const [x, y] of steps) ptx.instruction([text], [ret, x, y, c]);
  };
}
