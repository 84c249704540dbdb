/**
 * Dots done by tcgen05 (sm_100): operands in shared memory, the accumulator in tensor memory.
 *
 *     %d = tt.dot %a, %b, %c
 *
 * becomes `ttng.tmem_alloc %c`, `ttng.tc_gen5_mma local_alloc(%a), local_alloc(%b), %acc` and `ttng.tmem_load`; softer forms of
 * waiting, and accumulators that stay in memory, come with later passes.
 * Source: lib/Dialect/TritonGPU/Transforms/AccelerateMatmul.cpp, BlockedToMMAv5, ScaledBlockedToMMAv5.
 */

import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { valueLocation } from "../../../dialects/scf/build.js";
import { DescriptorGatherOp, DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { DotOp, DotScaledOp } from "../../../dialects/tt/ops/dot.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { ReshapeOp, TransOp } from "../../../dialects/tt/ops/shape.js";
import { distributedParams, encodingAttr, encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { ConvertLayoutOp, throughConversions } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp, LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import { AsyncTokenType, type MemDesc, memDescType } from "../../../dialects/ttg/types.js";
import { TensorMemorySpace } from "../../../dialects/ttng/attrs.js";
import { TCGen5MMAOp, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMLoadOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { getDefaultLayoutForTmemLdSt, tmemSharing } from "../../../dialects/ttng/tmem-layout.js";
import type { GpuTarget } from "../../../gpu/nvidia.js";
import { boolAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, isFloat, RankedTensorType, type TensorType, withEncoding } from "../../../ir/builtin-types.js";
import { typeText } from "../../../ir/text-hook.js";
import type { Value } from "../../../ir/value.js";
import type { DistributedParams, TmemParams } from "../../../layout/encoding-params.js";
import { getCTALayout, getCTASplitNumOf, getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import type { PassReport } from "../../../pass/define-pass.js";
import type { Explain } from "../../../pass/remark.js";
import { pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { convertLayout } from "../../ttg/distributed-op-encoding.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";
import { explainFma, explainTcgen05, onlyAsTf32 } from "./explain-matmul.js";
import { computeOrigBitWidth, mmaVersionToInstrShape } from "./mma-layout.js";
import { mmaVersionFor, sharedMMAOperand } from "./mma-operands.js";
import { tmemCopyScale } from "./tmem-copy-scales.js";

/** Tried before mma and the decomposition of scaled dots. */
const BENEFIT = { benefit: 10 };
const typeOf = (value: Value): TensorType => value.type as TensorType;
const elementText = (value: Value): string => typeText(typeOf(value).params.elementType);

export const blockedToMMAv5 = (gpu: GpuTarget, report: PassReport, explain: Explain | undefined) =>
  pattern(
    "blocked-to-mma-v5",
    DotOp,
    (dot, rw) => {
      const { op, d } = dot;
      const { shape } = typeOf(d).params;
      const params = distributedParams(typeOf(d).params.encoding);
      if (!params || params.kind === "nvidia_mma") return rw.noMatch("the result has no layout or that of an instruction");
      if (!gpu.mmaVersions.includes(5) || mmaVersionFor(op, gpu, report) !== 5) return rw.noMatch("not for tcgen05");
      if (Math.min(computeOrigBitWidth(dot.a), computeOrigBitWidth(dot.b)) >= 32 && dot.inputPrecision !== "tf32") {
        explain?.(op, "matmul.declined", explainFma([onlyAsTf32(dot.inputPrecision)]));
        return rw.noMatch("f32 without tf32");
      }
      const shapePerCTA = getShapePerCTAOf(params, shape);
      const twoCTAs = rw.ctx.triton.pairsCTAs && canUseTwoCTAs(dot.b, params, shapePerCTA);
      const rhs = twoCTAs ? splitBOperand(rw, dot.b) : dot.b;
      // Transposed tf32 needs a swizzle that is not supported.
      const allowTranspose = !isFloat(typeOf(dot.a).params.elementType, "f32");
      const a = sharedMMAOperand(rw, dot.a, { opIdx: 0, allowTranspose, dot: op });
      const b = sharedMMAOperand(rw, rhs, { opIdx: 1, allowTranspose, dot: op });
      const instrShape = mmaVersionToInstrShape(5, shapePerCTA, typeOf(dot.a).params.elementType, lookupNumWarps(op), op.ctx.triton)!;
      const [blockM, blockN] = instrShape as [number, number];
      explain?.(op, "matmul.mma", explainTcgen05([elementText(dot.a), elementText(dot.b), elementText(d)], instrShape, twoCTAs));
      const { acc, type } = accumulator(rw, dot.c, lookupNumWarps(op), params, blockM, blockN, twoCTAs);
      const yes = trueValue(rw);
      const token = AsyncTokenType.get(rw.ctx, {});
      const mma = rw.create(
        TCGen5MMAOp,
        { a, b, d: acc.result, acc_dep: acc.token, useD: yes, pred: yes, barriers: [], barrier_preds: [], two_ctas: twoCTAs },
        { types: [token] },
      );
      const loaded = rw.create(TMEMLoadOp, { src: acc.result, dep: mma.token }, { types: [type, token] });
      rw.replaceWith(op, ConvertLayoutOp, { src: loaded.result }, { types: [d.type] });
      return true;
    },
    BENEFIT,
  );

export const scaledBlockedToMMAv5 = (gpu: GpuTarget, report: PassReport, explain: Explain | undefined) =>
  pattern(
    "scaled-blocked-to-mma-v5",
    DotScaledOp,
    (dot, rw) => {
      const { op, d, a_scale, b_scale } = dot;
      const params = distributedParams(typeOf(d).params.encoding);
      if (!params || params.kind === "nvidia_mma") return rw.noMatch("the result has no layout or that of an instruction");
      if (!a_scale || !b_scale) return rw.noMatch("a scale is missing");
      const [m, n] = getShapePerCTAOf(params, typeOf(d).params.shape) as [number, number];
      const numWarps = lookupNumWarps(op);
      if (!gpu.mmaVersions.includes(5)) return rw.noMatch("no tcgen05");
      if (numWarps !== 4 && numWarps !== 8) return rw.noMatch("tensor memory is read by 4 or 8 warps");
      if (m < 128 || n < 16) return rw.noMatch("too small");
      const [a16, b16] = [dot.a_elem_type, dot.b_elem_type].map((type) => type === "fp16" || type === "bf16");
      if (a16 !== b16) {
        report.crash(op, "it makes a tcgen05.mma whose operands are of different kinds, which does not verify");
        return rw.noMatch("no instruction has an operand of 16 bits and one of at most 8");
      }
      const operand = (value: Value, opIdx: 0 | 1, isFp4: boolean, mixed: boolean, kPack: boolean): Value =>
        // Packed fp4 wants k contiguous.
        sharedMMAOperand(rw, value, { opIdx, allowTranspose: !isFp4, fp4Padded: mixed || !kPack, forceTranspose: !kPack, dot: op, report });
      const [aFp4, bFp4] = [dot.a_elem_type === "e2m1", dot.b_elem_type === "e2m1"];
      const mixed = dot.a_elem_type !== dot.b_elem_type;
      const a = operand(dot.a, 0, aFp4, mixed && aFp4, dot.lhs_k_pack);
      const b = operand(dot.b, 1, bFp4, mixed && !aFp4 && bFp4, dot.rhs_k_pack);
      const blockN = Math.min(n, 256);
      explain?.(
        op,
        "matmul.mma",
        explainTcgen05([dot.a_elem_type, dot.b_elem_type, elementText(d)], [128, blockN, aFp4 && bFp4 ? 64 : 32]),
      );
      const { acc, type } = accumulator(rw, dot.c, numWarps, params, 128, blockN, false);
      const encoding: TmemParams = { kind: "tensor_memory_scales_encoding", ...tmemSharing(rw.ctx, getCTALayout(params)!) };
      const scales = [a_scale, b_scale].map((scale) => {
        const { shape, elementType } = typeOf(scale).params;
        const desc = memDescType(shape, elementType, encodingAttr(rw.ctx, encoding), TensorMemorySpace.get(rw.ctx, {}));
        const layout = getDefaultLayoutForTmemLdSt(desc, numWarps, getCTALayout(distributedParams(typeOf(scale).params.encoding)!)!);
        return { scale, desc, layout };
      });
      const inTensorMemory = (src: Value, desc: MemDesc): Value => rw.create(TMEMAllocOp, { src }, { types: [desc] }).result;
      const copied = ({ scale, desc, layout }: (typeof scales)[number]): Value =>
        tmemCopyScale(rw, scale) ?? inTensorMemory(convertLayout(rw, scale, layout, op.locRef), desc);
      const staged = (): Value[] => {
        const loaded = scales.map(({ scale }) => addSmemStageToScaleLoad(rw, scale));
        const converted = scales.map(({ layout }, i) => convertLayout(rw, loaded[i]!, layout, op.locRef));
        return scales.map(({ desc }, i) => inTensorMemory(converted[i]!, desc));
      };
      const [aScale, bScale] = rw.ctx.triton.stagesScales ? staged() : scales.map(copied);
      const yes = trueValue(rw);
      const token = AsyncTokenType.get(rw.ctx, {});
      const mma = rw.create(
        TCGen5MMAScaledOp,
        {
          a,
          b,
          d: acc.result,
          acc_dep: acc.token,
          a_scale: aScale!,
          b_scale: bScale!,
          useD: yes,
          pred: yes,
          barriers: [],
          barrier_preds: [],
          a_type: dot.a_elem_type,
          b_type: dot.b_elem_type,
        },
        { types: [token] },
      );
      const loaded = rw.create(TMEMLoadOp, { src: acc.result, dep: mma.token }, { types: [type, token] });
      rw.replaceWith(op, ConvertLayoutOp, { src: loaded.result }, { types: [d.type] });
      return true;
    },
    BENEFIT,
  );

const trueValue = (rw: Rewriter): Value => rw.value(ConstantOp, { value: boolAttr(rw.ctx, true) });

/** The accumulator in tensor memory, and the type in which it is read back. */
function accumulator(rw: Rewriter, c: Value, numWarps: number, like: DistributedParams, blockM: number, blockN: number, twoCTAs: boolean) {
  const { shape, elementType } = typeOf(c).params;
  const sharing = tmemSharing(rw.ctx, getCTALayout(like)!);
  const colStride = Math.trunc(32 / bitWidth(elementType)!);
  const encoding: TmemParams = { kind: "tensor_memory_encoding", blockM, blockN, colStride, ...sharing, twoCTAs };
  const desc = memDescType(shape, elementType, encodingAttr(rw.ctx, encoding), TensorMemorySpace.get(rw.ctx, {}), true);
  const type = withEncoding(typeOf(c), getDefaultLayoutForTmemLdSt(desc, numWarps, getCTALayout(like)!));
  const src = rw.value(ConvertLayoutOp, { src: c }, { types: [type] });
  return { acc: rw.create(TMEMAllocOp, { src }, { types: [desc, AsyncTokenType.get(rw.ctx, {})] }), type };
}

/** A pair of CTAs can share an instruction when they split the rows and b is loaded, half by each. */
function canUseTwoCTAs(b: Value, result: DistributedParams, [m, n]: readonly number[]): boolean {
  if (getCTASplitNumOf(result).join() !== "2,1" || m! < 64 || n! < 32) return false;
  const op = throughConversions(b).definingOp;
  return op !== undefined && (LoadOp.is(op) || DescriptorLoadOp.is(op) || DescriptorGatherOp.is(op));
}
function splitBOperand(rw: Rewriter, operand: Value): Value {
  const b = throughConversions(operand);
  const load = b.definingOp!;
  const type = typeOf(b);
  const cga = LinearLayout.fromBases([["block", [[0, 1]]]], ["dim0", "dim1"]);
  const split = encodingAttr(rw.ctx, replaceCTALayout(encodingParams(type.params.encoding) as DistributedParams, cga));
  return rw.preserving(() => {
    rw.setBefore(load);
    for (const use of load.operandUses)
      if (RankedTensorType.is(use.value.type))
        rw.setOperand(load, use.index, convertLayout(rw, use.value, split, valueLocation(use.value)));
    load.setResultType(0, withEncoding(type, split));
    rw.setAfter(load);
    const back = rw.create(ConvertLayoutOp, { src: b }, { loc: load.locRef, types: [type] });
    rw.replaceUsesWhere(b, back.result, (use) => use.owner !== back.op);
    return b;
  });
}
function replaceCTALayout(layout: DistributedParams, cga: LinearLayout): DistributedParams {
  if (layout.kind === "slice") return { ...layout, parent: replaceCTALayout(layout.parent, cga) };
  return layout.kind === "blocked" ? { ...layout, cga } : layout;
}

/** load(scale) -> local_load(local_alloc(load(scale))): the pipeliner then keeps the buffer, and scales are copied from it. */
function addSmemStageToScaleLoad(rw: Rewriter, scale: Value): Value {
  let op = scale.definingOp;
  let consumed = false;
  while (op && !LoadOp.is(op) && !DescriptorLoadOp.is(op)) {
    if (!ReshapeOp.is(op) && !TransOp.is(op) && !ConvertLayoutOp.is(op)) return scale;
    op = op.operand(0).definingOp;
    consumed = true;
  }
  if (!op) return scale;
  const source = op.result(0);
  const loc = op.locRef;
  const { shape, elementType, encoding } = typeOf(source).params;
  const shared = encodingAttr(rw.ctx, {
    kind: "nvmma_shared",
    swizzlingByteWidth: 0,
    transposed: false,
    elementBitWidth: bitWidth(elementType)!,
    fp4Padded: false,
    cga: getCTALayout(distributedParams(encoding)!)!,
  });
  return rw.preserving(() => {
    rw.builder.setAfterValue(source);
    const type = memDescType(shape, elementType, shared, SharedMemorySpace.get(rw.ctx, {}));
    const alloc = rw.create(LocalAllocOp, { src: source }, { loc, types: [type] });
    rw.setAfter(alloc);
    const loaded = rw.value(LocalLoadOp, { src: alloc.result }, { loc, types: [source.type] });
    rw.replaceUsesWhere(source, loaded, (use) => use.owner !== alloc.op);
    return consumed ? scale : loaded;
  });
}
