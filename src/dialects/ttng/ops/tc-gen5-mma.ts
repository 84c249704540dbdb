/** tcgen05.mma. Source: TritonNvidiaGPUOps.td; Ops.cpp, TCGen5MMAOp, TCGen5MMAScaledOp; Dialect.cpp, verifyMMAv5Op. */
import type { Type } from "../../../ir/attribute.js";
import { intsOf } from "../../../ir/builtin-attrs.js";
import { bitWidth, isFloat, isInteger } from "../../../ir/builtin-types.js";
import { I1, optional, Unit, variadic } from "../../../ir/constraints.js";
import { defineOp, type MemoryEffect, type OpReport } from "../../../ir/define-op.js";
import { defineInterface, implement } from "../../../ir/interfaces.js";
import { constantInt } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import { typeText } from "../../../ir/text-hook.js";
import { AttrSizedOperandSegments, defineTrait } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import type { EncodingParams, TensorMemoryParams } from "../../../layout/encoding-params.js";
import { getCTALayout, getCTASplitNumOf, getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { ScaleDotElemTypeAttr } from "../../tt/enums.js";
import { DotOpInterface, DotOpTrait } from "../../tt/op-interfaces.js";
import { encodingParams, toLinearLayout } from "../../ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../../ttg/encodings/shared-memory.js";
import { readsShared, writesShared } from "../../ttg/ttg-op.js";
import { AsyncToken, type MemDesc, MemDescOperand } from "../../ttg/types.js";
import { TensorMemoryEncoding } from "../attrs.js";
import { descOf, elementOf, readsTensorMemory, ttngTraits, verifyCompletionBarrier, writesTensorMemory } from "../ttng-op.js";

/** The interface of both tcgen05.mma ops for passes. */
export interface MMAv5Op {
  a(op: Operation): Value;
  accumulator(op: Operation): Value;
  /** The number of the operand that says whether it adds to the accumulator. The predicate is the next one. */
  indexOfUseD(op: Operation): number;
}
export const MMAv5OpInterface = defineInterface<MMAv5Op>("MMAv5OpInterface");

/** How many rows of tensor memory a buffer takes. Source: Dialect.cpp, getTmemAllocSizes. */
export function tmemRows(desc: MemDesc): number {
  const layout = toLinearLayout(desc.params.shape.slice(-2), desc.params.encoding);
  const rows = layout.getInDimSize("row");
  // With one 16-row block per warp only half of the rows are allocated.
  return (layout.getInDimBases("row")[4] ?? [1]).every((b) => b === 0) ? rows / 2 : rows;
}

const MMAv5OpTrait = defineTrait("MMAv5OpInterface", {
  verify(op, report) {
    const mma = op.def.interface(MMAv5OpInterface)!;
    const interleaved = (value: Value) => {
      const { encoding } = descOf(value).params;
      return TensorMemoryEncoding.is(encoding) && encoding.params.blockM === 64 && tmemRows(descOf(value)) !== 64;
    };
    if (interleaved(mma.a(op)) && interleaved(mma.accumulator(op)))
      report.error("does not support blockM=64 with interleaved blocks in TMEM layout", "ttng.mma");
  },
});
/** Both ops have a, b, d, a token or none, `scales` scales, useD and pred. */
const mmaV5 = (scales: number) =>
  implement(MMAv5OpInterface, {
    a: (op) => op.operand(0),
    accumulator: (op) => op.operand(2),
    indexOfUseD: (op) => 3 + (intsOf(op.attr("operandSegmentSizes"))?.[3] ?? 0) + scales,
  });

/** The kind of tcgen05.mma that takes operands of a type, and the accumulators it can have. With `integers` i8 is a number, else two of fp4. */
function kindOf(
  type: Type,
  integers: boolean,
): { readonly kind: string; readonly accumulators: readonly ("f16" | "f32" | "i32")[] } | undefined {
  if (integers && isInteger(type, 8)) return { kind: "i8", accumulators: ["i32"] };
  if (isFloat(type, "f32")) return { kind: "tf32", accumulators: ["f32"] };
  if (isFloat(type, "f16")) return { kind: "f16", accumulators: ["f16", "f32"] };
  if (isFloat(type, "bf16")) return { kind: "f16", accumulators: ["f32"] };
  if (isFloat(type, "f8E4M3FN") || isFloat(type, "f8E5M2") || isInteger(type, 8)) return { kind: "f8f6f4", accumulators: ["f16", "f32"] };
  return undefined;
}
/** The text pairs barriers with predicates, so there are as many. */
function verifyBarriers(barriers: readonly Value[], preds: readonly Value[], report: OpReport): boolean {
  if (barriers.length === preds.length) return true;
  report.error(`expected a predicate for each barrier, but found ${barriers.length} barriers and ${preds.length} predicates`, "ttng.mma");
  return false;
}
function verifyElementTypes(a: Type, b: Type, d: Type, integers: boolean, report: OpReport): boolean {
  const error = (message: string) => (report.error(message, "ttng.mma"), false);
  const ofA = kindOf(a, integers);
  const ofB = kindOf(b, integers);
  const name = (t: Type) => `'${typeText(t)}'`;
  if (!ofA) return error(`unsupported LHS operand dtype: ${name(a)}`);
  if (!ofB) return error(`unsupported RHS operand dtype: ${name(b)}`);
  if (ofA.kind !== ofB.kind)
    return error(`LHS and RHS operand dtypes kinds don't match: LHS kind is ${ofA.kind} but RHS kind is ${ofB.kind}`);
  if ([ofA, ofB].every(({ accumulators }) => accumulators.some((kind) => typeText(d) === kind))) return true;
  const allowed = ofA.accumulators.map((kind) => `'${kind}'`).join(", ");
  return error(
    `unsupported accumulator dtype for operand types ${name(a)} and ${name(b)}, accumulator dtype is ${name(d)} but must be one of [${allowed}]`,
  );
}

/** The rules of 3.8 for how CTAs share a dot. */
function verifyCTAs(values: readonly [a: Value, b: Value, d: Value], twoCTAs: boolean, report: OpReport): void {
  const error = (message: string) => void report.error(message, "ttng.mma");
  const [ofA, ofB, ofD] = values.map((value) => encodingParams(descOf(value).params.encoding)!) as [
    EncodingParams,
    EncodingParams,
    TensorMemoryParams,
  ];
  const columns = getShapePerCTAOf(ofD, mmaShape(values[2]))[1]!;
  if (Math.min(ofD.blockN, columns) > 256) return error("The block size of the return operand must be less than or equal to 256");
  for (const [params, name, dim] of [
    [ofA, "LHS", "dim1"],
    [ofB, "RHS", "dim0"],
  ] as const) {
    const split = getCTALayout(params)?.getOutDimSize(dim) ?? 1;
    if (split !== 1) return error(`${name} CTASplit along K should be 1, but got ${split}`);
  }
  if (twoCTAs && getCTALayout(ofB)?.getInDimBases("block")[0]?.join() !== "0,1")
    return error("twoCTA mode expects the first basis of the cga_layout of the RHS to be [0, 1]");
  if (twoCTAs && columns > 256)
    return error(
      "We don't allow to emit more than one mma instruction along N. Reduce the block or increase the number of warps or CTAs along N",
    );
  for (const [params, name] of [
    [ofD, "The returned value's"],
    [ofA, "The LHS operand's"],
  ] as const)
    if (params.kind === "tensor_memory_encoding" && params.twoCTAs !== twoCTAs)
      return error(`${name} encoding must have twoCTA=${Number(twoCTAs)} to be used in a ${twoCTAs ? "twoCTA" : "non-twoCTA"} kernel`);
  const [blocksOfA, blocksOfB, blocksOfD] = values.map((value) => {
    const layout = toLinearLayout(mmaShape(value), descOf(value).params.encoding);
    return layout.hasInDim("block") ? layout.getInDimBases("block") : [];
  });
  for (const [i, got] of blocksOfD!.entries()) {
    const expected = [blocksOfA![i]![0]!, twoCTAs && i === 0 ? 0 : blocksOfB![i]![1]!];
    if (got.join() !== expected.join())
      return error(`expected block basis ${expected.join(", ")} at result index ${i}, but got ${got.join(", ")}`);
  }
}

/** Reads and writes of the accumulator and the operands. */
function mmaEffects(a: Value, b: Value, d: Value, useD: Value, scales: readonly Value[]): readonly MemoryEffect[] {
  const effects: MemoryEffect[] = constantInt(useD) === 0n ? [] : [readsTensorMemory(d)];
  effects.push(writesTensorMemory(d));
  effects.push(SharedMemorySpace.is(descOf(a).params.memorySpace) ? readsShared(a) : readsTensorMemory(a));
  effects.push(readsShared(b), ...scales.map(readsTensorMemory));
  return effects;
}

/** Since 3.8 the mbarriers that a dot signals count as written by it. */
const barrierEffects = (barriers: readonly Value[]): readonly MemoryEffect[] =>
  barriers[0]?.type.ctx.triton.dotsWriteBarriers ? barriers.map(writesShared) : [];

const mmaShape = (value: Value): readonly number[] => descOf(value).params.shape;

export const TCGen5MMAOp = defineOp("ttng.tc_gen5_mma", () => ({
  summary: "block level op mapping to tensorcore gen5 mma",
  operands: {
    a: MemDescOperand,
    b: MemDescOperand,
    d: MemDescOperand,
    acc_dep: optional(AsyncToken),
    useD: I1,
    pred: I1,
    barriers: variadic(MemDescOperand),
    barrier_preds: variadic(I1),
  },
  attrs: { is_async: Unit, two_ctas: Unit, multicast: Unit, is_unsigned: Unit },
  results: { token: optional(AsyncToken) },
  traits: ttngTraits(DotOpTrait, MMAv5OpTrait, AttrSizedOperandSegments),
  interfaces: [
    mmaV5(0),
    implement(DotOpInterface, {
      a: (op) => op.operand(0),
      b: (op) => op.operand(1),
      d: (op) => op.operand(2),
      verifyDims: (op) => mmaShape(op.operand(0)).at(-1) === mmaShape(op.operand(1))[mmaShape(op.operand(0)).length - 2],
    }),
  ],
  format:
    "$a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $useD`,` $pred `` custom<BarriersAndPreds>($barriers, $barrier_preds) attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($d)) (`,` qualified(type($barriers))^)?",
  verify({ op, a, b, d, barriers, barrier_preds, is_async, two_ctas }, report) {
    const error = (message: string) => void report.error(message, "ttng.mma");
    if (!verifyBarriers(barriers, barrier_preds, report)) return;
    if (!is_async && barriers.length > 0) return error("The op is synchronous but a barrier is present.");
    if (!barriers.every((barrier) => verifyCompletionBarrier(op, barrier, report))) return;
    if (!verifyElementTypes(elementOf(a), elementOf(b), elementOf(d), d.type.ctx.triton.asksTypesOfTcgen05, report)) return;
    const { checksMemory } = op.ctx.triton;
    for (const [value, name] of [
      [a, "LHS"],
      [b, "RHS"],
      [d, "Return"],
    ] as const)
      if (checksMemory && mmaShape(value).length !== 2) return error(`${name} operand must have a rank-2 tensor`);
    const ofA = encodingParams(descOf(a).params.encoding);
    const ofB = encodingParams(descOf(b).params.encoding);
    const ofD = encodingParams(descOf(d).params.encoding);
    if (!ofA || !["nvmma_shared", "shared_linear", "tensor_memory_encoding"].includes(ofA.kind))
      return error("LHS operand must have a NVMMAShared or TensorMemory encoding");
    if (!ofB || !["nvmma_shared", "shared_linear"].includes(ofB.kind)) return error("RHS operand must have a NVMMAShared encoding");
    if (ofD?.kind !== "tensor_memory_encoding") return error("Return operand must have a TensorMemory encoding");
    if (ofD.fp4Padded) return error("Accumulator must not be fp4_padded");
    if (ofA.kind === "tensor_memory_encoding" && ofA.colStride !== 1) return error("The col stride of the LHS operand must be 1");
    if (ofA.kind === "tensor_memory_encoding" && ofA.fp4Padded)
      return error("fp4_padded tensor memory LHS is only supported by scaled MMA");
    const width = bitWidth(elementOf(d))!;
    if (ofD.colStride !== 32 / width) return error(`The col stride of the return operand must be 32 / ${width} but got ${ofD.colStride}`);
    if (checksMemory) return verifyCTAs([a, b, d], two_ctas, report);
    if (!two_ctas) return;
    for (const [params, name, expected] of [
      [ofA, "LHS", [2, 1]],
      [ofB, "RHS", [1, 2]],
      [ofD, "returned value", [2, 1]],
    ] as const) {
      const split = getCTASplitNumOf(params);
      if (split.join() !== expected.join())
        return error(`The op is two CTAs but the split num of the ${name} is not ${expected.join(", ")}. Got ${split.join(", ")}`);
    }
    if (!ofD.twoCTAs) return error("The returned value's encoding must have twoCTA=true to be used in a twoCTA matmul");
    if (ofA.kind === "tensor_memory_encoding" && !ofA.twoCTAs)
      error("The LHS operand's encoding must have twoCTA=true to be used in a twoCTA matmul");
  },
  effects: ({ a, b, d, useD, barriers }) => [...mmaEffects(a, b, d, useD, []), ...barrierEffects(barriers)],
}));

/** Rows, columns and depth of the operands of a scaled mma, fp4 counted as two where it is packed along that dimension. */
export function scaledDims(op: Operation): { readonly aM: number; readonly aK: number; readonly bK: number; readonly bN: number } {
  const [a, b] = [op.operand(0), op.operand(1)];
  const ofA = encodingParams(descOf(a).params.encoding);
  const ofB = encodingParams(descOf(b).params.encoding);
  const transA = ofA?.kind === "nvmma_shared" && ofA.transposed;
  const transB = ofB?.kind === "nvmma_shared" && !ofB.transposed;
  const isFp4 = (name: string) => ScaleDotElemTypeAttr.read(op.attr(name)!) === "e2m1";
  const [aM = 0, aK = 0] = mmaShape(a).slice(-2);
  const [bK = 0, bN = 0] = mmaShape(b).slice(-2);
  const packed = (name: string, here: boolean) => (isFp4(name) && here ? 2 : 1);
  return {
    aM: aM * packed("a_type", transA),
    aK: aK * packed("a_type", !transA),
    bK: bK * packed("b_type", !transB),
    bN: bN * packed("b_type", transB),
  };
}

const isFloat8 = (name: string): boolean => name === "e4m3" || name === "e5m2";
/** The rules of 3.8 for a first operand in tensor memory. */
function verifyScaledLHS(element: Type, fp4Padded: boolean, ofA: string, ofB: string, error: (message: string) => void): void {
  if (ofA === "e2m1") {
    if (!isInteger(element, 8)) error("expected e2m1 LHS operand to have i8 storage");
    else if (fp4Padded && !isFloat8(ofB)) error("can only use fp4_padded LHS when RHS is float8");
    else if (!fp4Padded && isFloat8(ofB)) error("expected e2m1 LHS operand to be fp4_padded when RHS is float8");
  } else if (!isFloat(element, "f8E4M3FN") && !isFloat(element, "f8E5M2")) error("unsupported LHS operand type for scaled MMA");
  else if (!isFloat8(ofA)) error("expected float8 LHS operand to have e4m3 or e5m2 format");
}

export const TCGen5MMAScaledOp = defineOp("ttng.tc_gen5_mma_scaled", () => ({
  summary: "block level op mapping to tensorcore gen5 mma",
  operands: {
    a: MemDescOperand,
    b: MemDescOperand,
    d: MemDescOperand,
    acc_dep: optional(AsyncToken),
    a_scale: MemDescOperand,
    b_scale: MemDescOperand,
    useD: I1,
    pred: I1,
    barriers: variadic(MemDescOperand),
    barrier_preds: variadic(I1),
  },
  attrs: { a_type: ScaleDotElemTypeAttr, b_type: ScaleDotElemTypeAttr, is_async: Unit, two_ctas: Unit, multicast: Unit },
  results: { token: optional(AsyncToken) },
  traits: ttngTraits(DotOpTrait, MMAv5OpTrait, AttrSizedOperandSegments),
  interfaces: [
    mmaV5(2),
    implement(DotOpInterface, {
      a: (op) => op.operand(0),
      b: (op) => op.operand(1),
      d: (op) => op.operand(2),
      verifyDims: (op) => scaledDims(op).aK === scaledDims(op).bK,
      verifyOutputDims: (op) => {
        const [m, n] = mmaShape(op.operand(2)).slice(-2);
        return m === scaledDims(op).aM && n === scaledDims(op).bN;
      },
    }),
  ],
  format:
    "$a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $a_scale `,` $b_scale `,` $useD `,` $pred `lhs` `=` $a_type `rhs` `=` $b_type `` custom<BarriersAndPreds>($barriers, $barrier_preds) attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($d)) `,` qualified(type($a_scale)) `,` qualified(type($b_scale)) (`,` qualified(type($barriers))^)?",
  verify({ op, a, b, d, a_type, b_type, barriers, barrier_preds, is_async }, report) {
    if (!verifyBarriers(barriers, barrier_preds, report)) return;
    if (op.ctx.triton.checksMemory && !is_async && barriers.length > 0)
      return void report.error("The op is synchronous but a barrier is present.", "ttng.mma");
    if (!barriers.every((barrier) => verifyCompletionBarrier(op, barrier, report))) return;
    if (!verifyElementTypes(elementOf(a), elementOf(b), elementOf(d), false, report) || !op.ctx.triton.checksMemory) return;
    const error = (message: string) => void report.error(message, "ttng.mma");
    const ofD = encodingParams(descOf(d).params.encoding);
    if (ofD?.kind !== "tensor_memory_encoding") return error("expected accumulator layout to be a TensorMemoryLayout");
    if (ofD.fp4Padded) return error("accumulator layout must not be fp4_padded");
    if (ofD.blockM !== 128) return error("only supports instruction shape blockM=128");
    const ofA = encodingParams(descOf(a).params.encoding);
    if (ofA?.kind === "tensor_memory_encoding") verifyScaledLHS(elementOf(a), ofA.fp4Padded === true, a_type, b_type, error);
  },
  effects: ({ a, b, d, useD, a_scale, b_scale, barriers }) => [
    ...mmaEffects(a, b, d, useD, [a_scale, b_scale]),
    ...barrierEffects(barriers),
  ],
}));

/** The buffers of a dot, if all CTAs that share one of them are to know when it is done. */
export function sharedByCommit(op: Operation): readonly Value[] {
  if (!op.hasAttr("multicast")) return [];
  const scaled = TCGen5MMAScaledOp.match(op);
  return [op.operand(0), op.operand(1), ...(scaled ? [scaled.a_scale, scaled.b_scale] : [])];
}

export const TCGen5CommitOp = defineOp("ttng.tc_gen5_commit", () => ({
  summary: "make an mbarrier track completion of all prior async tcgen5 ops",
  // Since 3.7 it goes to the CTAs that share these buffers too.
  operands: { barrier: MemDescOperand, pred: optional(I1), descs: variadic(MemDescOperand) },
  sizesWithout: (operands, { triton }) => (triton.barriersOfClusters ? undefined : [1, operands - 1, 0]),
  attrs: { two_ctas: Unit },
  traits: ttngTraits(AttrSizedOperandSegments),
  format: "$barrier (`,` $pred^)? (`descs` $descs^)? attr-dict `:` qualified(type($barrier)) (`,` qualified(type($descs))^)?",
  verify: ({ op, barrier }, report) => void verifyCompletionBarrier(op, barrier, report),
  effects: ({ barrier }) => [writesShared(barrier)],
}));
