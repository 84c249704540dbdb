/**
 * tcgen05.mma: one thread of the first warp starts instructions for the whole CTA, which read A and B from shared memory (A perhaps
 * from tensor memory) and add to D in tensor memory; barriers are signalled when they are done.
 *
 *     @$5 tcgen05.mma.cta_group::1.kind::f16 [ $0 + 0 ], $1, $2, $3, $4;
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/DotOpToLLVM/MMAv5.cpp.
 */
import { voidType } from "../../../dialects/llvm/types/types.js";
import { ClusterArriveOp, ClusterWaitOp } from "../../../dialects/nvvm/ops/synchronization.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import { TensorMemoryEncoding } from "../../../dialects/ttng/attrs.js";
import { scaledDims, sharedByCommit, TCGen5CommitOp, TCGen5MMAOp, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { memoryLayout } from "../../../dialects/ttng/ops/tensor-memory.js";
import { tmemColumns } from "../../../dialects/ttng/tmem-layout.js";
import { descOf, elementOf, runsOnTwoCTAs } from "../../../dialects/ttng/ttng-op.js";
import type { Type } from "../../../ir/attribute.js";
import { bitWidth, i32, intType, isFloat, isInteger } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Value } from "../../../ir/value.js";
import { getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { LayoutError } from "../../../layout/layout-error.js";
import { sharedMemoryObject, shmemAffineBase } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { groupMask, leadsPair, sharingBitsOf } from "./cta-groups.js";
import { electPredicate, electPredicateWarp0, uniformWarpId } from "./elect.js";
import { beforeSignal } from "./mbarrier.js";
import { mmaSharedOperand, type SharedOperand, sharedOperandLayout } from "./mma-shared-operand.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";
import { PtxBuilder, type PtxOperand } from "./ptx-builder.js";
import { dropToken } from "./tensor-memory.js";
import { ctaGroup, tmemAddress } from "./tensor-memory-views.js";

/** Where an operand is: a descriptor of shared memory, or an address in tensor memory and a distance from it. */
interface Place {
  readonly base: Value;
  readonly offset?: number;
}
const operandAt = (ptx: PtxBuilder, { base, offset }: Place): PtxOperand =>
  offset === undefined ? ptx.input(base, "l") : ptx.address(base, "r", offset);

/** The shape of one instruction, and how often it is repeated to cover the whole dot. */
interface Tiling {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly reps: readonly [m: number, n: number, k: number];
  readonly transposeA: boolean;
  readonly transposeB: boolean;
}

/** The parts of the lowering that differ between dots with and without scales. */
interface Dot {
  readonly view: Pick<View<typeof TCGen5MMAOp>, "a" | "b" | "d" | "useD" | "pred" | "barriers" | "barrier_preds" | "op">;
  /** The shape of the whole dot, in one CTA. */
  readonly shape: readonly [m: number, n: number, k: number];
  /** The depth of one instruction. */
  readonly k: number;
  readonly bitsA: number;
  readonly bitsB: number;
  readonly accumulator: (m: number, n: number, tiling: Tiling) => Place;
  readonly instruction: (
    at: readonly [m: number, n: number, k: number],
    tiling: Tiling,
    a: Place,
    b: Value,
    d: Place,
    useD: Value,
    elected: Value,
  ) => void;
}

/** The instructions are in a block of their own, which only the first warp enters. */
function lowerDot(lo: Lowering, dot: Dot): void {
  const { b } = lo;
  const twoCTAs = runsOnTwoCTAs(lo.module);
  const warp = uniformWarpId(lo);
  const isWarp0 = b.icmp("eq", warp, b.i32(0));
  const { barriers, barrier_preds } = dot.view;
  let pred = lo.value(dot.view.pred);
  if (twoCTAs) {
    if (!lo.forms.pairsInClusters) {
      // Both have to have their operands.
      b.create(ClusterArriveOp, { aligned: true });
      b.create(ClusterWaitOp, { aligned: true });
    }
    pred = b.and(pred, leadsPair(lo));
  }
  pred = b.and(pred, isWarp0);
  if (barriers.length > 0) beforeSignal(lo);
  const start = lo.addBlockAfter(b.block);
  const end = lo.addBlockAfter(start);
  lo.condBranch(pred, start, end);
  b.setEnd(start);
  const elected = electPredicate(lo);
  startInstructions(lo, dot, twoCTAs, elected);
  barriers.forEach((barrier, i) => {
    const told = b.and(lo.value(barrier_preds[i]!), elected);
    commit(lo, sharedMemoryObject(lo, barrier).base, told, sharedByCommit(dot.view.op));
  });
  lo.branch(end, []);
  b.setEnd(end);
}

function startInstructions(lo: Lowering, { view, shape, k, bitsA, bitsB, ...dot }: Dot, twoCTAs: boolean, elected: Value): void {
  const { encoding } = descOf(view.d).params;
  if (!TensorMemoryEncoding.is(encoding)) throw new LayoutError("the accumulator is not in tensor memory");
  const { blockM: m } = encoding.params;
  // A slice may be narrower than the buffer's blocks.
  const n = Math.min(encoding.params.blockN, shape[1]);
  const baseOf = (value: Value): Value => shmemAffineBase(lo, sharedMemoryObject(lo, value), descOf(value).params);
  const inShared = (value: Value, base: Value, bits: number, tile: readonly [number, number], mnDim: 0 | 1): SharedOperand =>
    mmaSharedOperand(lo, { ...sharedOperandLayout(descOf(value), bits === 4), base, tile, mnDim, version: 5 });
  const baseA = TensorMemoryEncoding.is(descOf(view.a).params.encoding) ? undefined : baseOf(view.a);
  const baseB = baseOf(view.b);
  const sharedA = baseA && inShared(view.a, baseA, bitsA, [m, k], 0);
  const ofA = sharedA
    ? (row: number, column: number): Place => ({ base: sharedA.descriptor(row, column) })
    : tmemOperand(lo, view.a, bitsA);
  // Two CTAs do one dot together: D has the rows of each, and half of B's columns is in either.
  const ofB = inShared(view.b, baseB, bitsB, [k, twoCTAs ? n / 2 : n], 1);
  const reps = [m, n, k].map((size, i) => Math.ceil(shape[i]! / size)) as [number, number, number];
  const tiling: Tiling = { m, n, k, reps, transposeA: sharedA?.transposed ?? false, transposeB: !ofB.transposed };
  if (isFloat(elementOf(view.a), "f32") && (tiling.transposeA || tiling.transposeB))
    throw new LayoutError("operands of tf32 are contiguous along the dimension that is summed over");
  for (let repM = 0; repM < reps[0]; repM++)
    for (let repN = 0; repN < reps[1]; repN++) {
      const accumulator = dot.accumulator(repM, repN, tiling);
      let useD = lo.value(view.useD);
      for (let repK = 0; repK < reps[2]; repK++) {
        const a = ofA(repM * m, repK * k);
        const b = ofB.descriptor(repK * k, repN * n);
        dot.instruction([repM, repN, repK], tiling, a, b, accumulator, useD, elected);
        useD = lo.b.i1(true);
      }
    }
}

/** Tiles of an operand in tensor memory. Columns are counted in numbers of `width` bits, which bytes may hold two of. */
function tmemOperand(lo: Lowering, buffer: Value, width: number): (row: number, column: number) => Place {
  const base = tmemAddress(lo, buffer);
  const layout = memoryLayout(descOf(buffer)).pseudoinvert();
  const [dim0 = "", dim1 = ""] = layout.inDimNames;
  const bits = bitWidth(elementOf(buffer))!;
  return (row, column) => {
    const at = layout.apply({ [dim0]: row, [dim1]: (column * width) / bits });
    return { base, offset: Math.trunc((at["col"]! * bits) / 32) | (at["row"]! << 16) };
  };
}

// --- instruction descriptors ----------------------------------------------------------------------

/** The bits that descriptors of both kinds share: types of A and B, which of them is transposed, N and M. */
function descriptorBits(typeA: number, typeB: number, tiling: Tiling, m: number): number {
  const { n, transposeA, transposeB } = tiling;
  return (typeA << 7) | (typeB << 10) | (Number(transposeA) << 15) | (Number(transposeB) << 16) | ((n >> 3) << 17) | ((m >> 4) << 24);
}

/** The kind of an instruction for operands of a type, and the type's number in it. */
function kindOf(type: Type, isUnsigned: boolean): { readonly kind: string; readonly code: number } | undefined {
  if (isFloat(type, "f16")) return { kind: "f16", code: 0 };
  if (isFloat(type, "bf16")) return { kind: "f16", code: 1 };
  if (isFloat(type, "f32")) return { kind: "tf32", code: 2 };
  if (isFloat(type, "f8E4M3FN")) return { kind: "f8f6f4", code: 0 };
  if (isFloat(type, "f8E5M2")) return { kind: "f8f6f4", code: 1 };
  return isInteger(type, 8) && type.ctx.triton.asksTypesOfTcgen05 ? { kind: "i8", code: isUnsigned ? 0 : 1 } : undefined;
}

type ScaledView = View<typeof TCGen5MMAScaledOp>;
type ScaledKind = "mxf8f6f4" | "mxf4" | "mxf4nvf4";
/** Scales of one instruction along K. */
const SCALE_VECTORS: Readonly<Record<ScaledKind, 1 | 2 | 4>> = { mxf8f6f4: 1, mxf4: 2, mxf4nvf4: 4 };

/** Both fp4 with K contiguous: twice as deep as what else there is, with scales of e4m3 (nvfp4) or powers of two. */
function scaledKind({ a, b, a_type, b_type, a_scale, b_scale }: ScaledView): ScaledKind {
  if (a_type !== "e2m1" || b_type !== "e2m1") return "mxf8f6f4";
  const alongK = !isTransposed(a) && isTransposed(b);
  if ([a_scale, b_scale].every((scale) => isFloat(elementOf(scale), "f8E4M3FN"))) {
    if (!alongK) throw new LayoutError("operands of nvfp4 are contiguous along the dimension that is summed over");
    return "mxf4nvf4";
  }
  return alongK ? "mxf4" : "mxf8f6f4";
}
function isTransposed(value: Value): boolean {
  const params = encodingParams(descOf(value).params.encoding);
  if (params?.kind === "nvmma_shared") return params.transposed;
  return params?.kind === "shared_linear" && params.layout.getBasis("offset", 0, "dim0") !== 0;
}
/** Bits of an element and its number in the descriptor. */
const SCALED_TYPES: Readonly<Record<string, { readonly bits: number; readonly code: number }>> = {
  e4m3: { bits: 8, code: 0 },
  e5m2: { bits: 8, code: 1 },
  e2m3: { bits: 6, code: 3 },
  e3m2: { bits: 6, code: 4 },
  e2m1: { bits: 4, code: 5 },
};

/** `part` says which of the scales in a word belong to the instruction. */
function scaledDescriptor(kind: ScaledKind, codes: readonly [number, number], tiling: Tiling, part: number): number {
  if (kind === "mxf8f6f4") return descriptorBits(...codes, tiling, tiling.m) | (part << 4) | (1 << 23) | (part << 29);
  const scale = kind === "mxf4" ? 2 * part : part;
  return descriptorBits(1, 1, tiling, tiling.m) | (scale << 4) | (Number(kind === "mxf4") << 23) | (scale << 29);
}

// --- dots -----------------------------------------------------------------------------------------

const shapePerCTA = ({ params }: MemDesc): number[] => getShapePerCTAOf(encodingParams(params.encoding)!, params.shape);

function lowerPlain(lo: Lowering, view: View<typeof TCGen5MMAOp>): false | void {
  const { op, a, b, d, token, is_unsigned } = view;
  const ofA = kindOf(elementOf(a), is_unsigned);
  const ofB = kindOf(elementOf(b), is_unsigned);
  if (!ofA || !ofB) return lo.fail(op, "operands of that type are for ttng.tc_gen5_mma_scaled", "lower.mma");
  const accumulators = tmemOperand(lo, d, bitWidth(elementOf(d))!);
  const [m = 1, n = 1] = shapePerCTA(descOf(d));
  const bits = bitWidth(elementOf(a))!;
  const dType = isFloat(elementOf(d), "f16") ? 0 : isInteger(elementOf(d), 32) ? 2 << 4 : 1 << 4;
  const rows = runsOnTwoCTAs(lo.module) ? 2 : 1;
  lowerDot(lo, {
    view,
    shape: [m, n, descOf(a).params.shape[1]!],
    k: 256 / bits,
    bitsA: bits,
    bitsB: bitWidth(elementOf(b))!,
    accumulator: (repM, repN, tiling) => accumulators(repM * tiling.m, repN * tiling.n),
    instruction(_at, tiling, placeA, placeB, accumulator, use, elected) {
      const descriptor = lo.b.i32(descriptorBits(ofA.code, ofB.code, tiling, rows * tiling.m) | dType);
      emit(lo, ofA.kind, [placeA, placeB, accumulator], descriptor, [], use, elected);
    },
  });
  return dropToken(lo, op, token);
}

function lowerScaled(lo: Lowering, view: ScaledView): false | void {
  const { op, d, a_scale, b_scale, a_type, b_type, token } = view;
  const kind = scaledKind(view);
  const typeA = SCALED_TYPES[a_type];
  const typeB = SCALED_TYPES[b_type];
  if (!typeA || !typeB) return lo.fail(op, `tcgen05.mma has no operands of ${typeA ? b_type : a_type}`, "lower.mma");
  const { aM, bN, aK } = scaledDims(op);
  const addressD = tmemAddress(lo, d);
  const scales = [a_scale, b_scale].map((scale) => ({ address: tmemAddress(lo, scale), columns: tmemColumns(descOf(scale)) }));
  /** Instructions that share a word of scales. */
  const perWord = 4 / SCALE_VECTORS[kind];
  lowerDot(lo, {
    view,
    shape: [aM, bN, aK],
    k: kind === "mxf8f6f4" ? 32 : 64,
    bitsA: typeA.bits,
    bitsB: typeB.bits,
    accumulator(repM, repN, tiling) {
      const columns = Math.ceil((tiling.m * tiling.n * bitWidth(elementOf(d))!) / (128 * 32));
      return { base: addressD, offset: columns * (repM + repN * tiling.reps[0]) };
    },
    instruction([repM, repN, repK], tiling, placeA, placeB, accumulator, use, elected) {
      const words = Math.ceil(tiling.reps[2] / perWord);
      const word = Math.trunc(repK / perWord);
      const places = scales.map(({ address, columns }, i) => {
        const [rep, count] = i === 0 ? [repM, tiling.reps[0]] : [repN, tiling.reps[1]];
        const perBlock = Math.max(Math.ceil(columns / (count * words)), i === 0 ? 0 : 2);
        return lo.b.add(address, lo.b.i32((rep + word * count) * perBlock));
      });
      const descriptor = lo.b.i32(scaledDescriptor(kind, [typeA.code, typeB.code], tiling, repK % perWord));
      const size = lo.forms.namesScaleBlocks ? `block${kind === "mxf4nvf4" ? 16 : 32}` : `scale_vec::${SCALE_VECTORS[kind]}X`;
      emit(lo, `${kind}.block_scale.${size}`, [placeA, placeB, accumulator], descriptor, places, use, elected);
    },
  });
  return dropToken(lo, op, token);
}

function emit(
  lo: Lowering,
  kind: string,
  [a, b, d]: readonly [Place, Value, Place],
  descriptor: Value,
  scales: readonly Value[],
  useD: Value,
  elected: Value,
): void {
  const ptx = new PtxBuilder();
  const operands = [
    operandAt(ptx, d),
    operandAt(ptx, a),
    ptx.input(b, "l"),
    ptx.input(descriptor, "r"),
    ...scales.map((scale) => ptx.address(scale, "r")),
    ptx.input(useD, "b"),
  ];
  ptx.instruction([`tcgen05.mma.${ctaGroup(lo)}.kind::${kind}`], operands, ptx.input(elected, "b"));
  ptx.launch(lo.b, voidType(lo.ctx));
}

/**
 * Signals a barrier when the instructions started before are done: also that of the other CTA where two work together, and those of all CTAs
 * that share one of `buffers`, which they may write again then.
 */
function commit(lo: Lowering, barrier: Value, pred: Value, buffers: readonly Value[]): void {
  const { b, ctx } = lo;
  const arrive = `@$0 tcgen05.commit.${ctaGroup(lo)}.mbarrier::arrive::one`;
  const twoCTAs = runsOnTwoCTAs(lo.module);
  if (!lo.forms.pairsInClusters) {
    const ctas = b.int(intType(ctx, 16), 0x3);
    if (twoCTAs) b.inlineAsm(`${arrive}.shared::cluster.multicast::cluster.b64 [$1], $2;`, "b,l,h", [pred, barrier, ctas], voidType(ctx));
    else b.inlineAsm(`${arrive}.b64 [$1];`, "b,l", [pred, barrier], voidType(ctx));
    return;
  }
  const pair = twoCTAs ? 1 : 0;
  const shared = buffers.length === 0 ? [pair] : buffers.map((buffer) => sharingBitsOf(buffer) | pair);
  let mask: Value | undefined;
  for (const bits of shared) {
    if (bits === 0) continue;
    const group = groupMask(lo, bits);
    mask = mask ? b.or(group, mask) : group;
  }
  const address = b.ptrtoint(barrier, i32(ctx));
  if (mask) b.inlineAsm(`${arrive}.shared::cluster.multicast::cluster.b64 [$1], $2;`, "b,r,h", [pred, address, mask], voidType(ctx));
  else b.inlineAsm(`${arrive}.shared::cluster.b64 [$1];`, "b,r", [pred, address], voidType(ctx));
}

export const TC_GEN5_MMA: readonly LoweringRule[] = [
  rule(TCGen5MMAOp, (view, lo) => lowerPlain(lo, view)),
  rule(TCGen5MMAScaledOp, (view, lo) => lowerScaled(lo, view)),
  rule(TCGen5CommitOp, ({ barrier, pred, descs }, lo) => {
    beforeSignal(lo);
    const { base } = sharedMemoryObject(lo, barrier);
    const elected = electPredicateWarp0(lo);
    let told = pred ? lo.b.and(lo.value(pred), elected) : elected;
    if (lo.forms.pairsInClusters && runsOnTwoCTAs(lo.module)) told = lo.b.and(told, leadsPair(lo));
    commit(lo, base, told, descs);
  }),
];
