import { layoutRules } from "../../../dialects/tt/infer-layout.js";
import { DotOp } from "../../../dialects/tt/ops/dot.js";
import { ReshapeOp, TransOp } from "../../../dialects/tt/ops/shape.js";
import { TTG_CONVERT_LAYOUT_PATTERNS } from "../../../dialects/ttg/canonicalize/index.js";
import { distributedParams, encodingAttr, encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { NvmmaSharedEncoding } from "../../../dialects/ttg/encodings/nvmma-shared.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp, LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import { inferMemDescReshape, MemDescReshapeOp, MemDescTransOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import { type MemDesc, memDescType } from "../../../dialects/ttg/types.js";
import { convertFromTMEMStore } from "../../../dialects/ttng/canonicalize.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { WarpGroupDotOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import { bitWidth, type TensorType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { getCTALayout, getOrderForMemory } from "../../../layout/encoding-queries.js";
import { swizzledSharedForDot } from "../../../layout/encodings/shared-for-dot.js";
import { transposeLinearLayout } from "../../../layout/standard-dims.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { pattern } from "../../../rewrite/pattern.js";
import { canonicalize } from "../../common/canonicalize.js";
import { operandViewsToMemDesc } from "./operand-views.js";
import { useShmemForScales } from "./shmem-scales.js";

export const optimizeDotOperands = definePass("tritongpu-optimize-dot-operands", {
  name: "TritonGPUOptimizeDotOperands",
  summary: "fuse transpositions",
  source: "lib/Dialect/TritonGPU/Transforms/OptimizeDotOperands.cpp",
  options: { hoistLayoutConversion: option.bool({ default: true, summary: "whether to move conversions to dot operand earlier" }) },
  run(root, { runNested, listener, fail }) {
    if (!runNested([canonicalize()], root)) return fail();
    const patterns = [
      swizzleShmemConvert,
      fuseTransMMAV3Plus,
      reshapeMemDesc,
      root.ctx.triton.stagesScales ? useShmemForScales : operandViewsToMemDesc,
      ...TTG_CONVERT_LAYOUT_PATTERNS,
      convertFromTMEMStore,
    ];
    applyPatternsGreedily(root, patterns, { listener });
  },
});

const typeOf = (value: Value) => (value.type as TensorType).params;
const isSwap = (order: readonly number[]): boolean => order.length === 2 && order[0] === 1 && order[1] === 0;

/** dot(cvt(trans(x)) #dot_operand) -> dot(cvt(local_load(memdesc_trans(local_alloc(x))))), swizzled for that operand */
const swizzleShmemConvert = pattern("swizzle-shmem-convert", ConvertLayoutOp, ({ op, src, result }, rw) => {
  if (!result.hasOneUse() || !DotOp.is(result.firstUse!.owner)) return rw.noMatch("not the operand of one dot");
  const trans = TransOp.match(src.definingOp);
  if (!trans || !isSwap(trans.order)) return rw.noMatch("source is not transposed");
  const dotOperand = encodingParams(typeOf(result).encoding);
  if (dotOperand?.kind !== "dot_op") return rw.noMatch("not a dot operand's layout");
  const from = typeOf(ConvertLayoutOp.match(trans.src.definingOp)?.src ?? trans.src);
  const params = distributedParams(from.encoding)!;
  const encoding = encodingAttr(
    rw.ctx,
    swizzledSharedForDot(dotOperand, {
      shape: from.shape,
      order: getOrderForMemory(params, from.shape),
      cga: transposeLinearLayout(getCTALayout(params)!, trans.order),
      bitwidth: bitWidth(from.elementType)!,
      needTrans: true,
    }),
  );
  rw.setBefore(trans);
  const loc = trans.op.locRef;
  const type = memDescType(from.shape, from.elementType, encoding, SharedMemorySpace.get(rw.ctx, {}));
  const alloc = rw.value(LocalAllocOp, { src: trans.src }, { loc, types: [type] });
  const view = rw.value(MemDescTransOp, { src: alloc, order: [1, 0] }, { loc });
  const load = rw.value(LocalLoadOp, { src: view }, { loc, types: [result.type] });
  return rw.setOperand(op, 0, load);
});

/** wgmma(local_alloc(trans(x))) -> wgmma(memdesc_trans(local_alloc(x))): the instruction reads transposed buffers as well */
const fuseTransMMAV3Plus = pattern("fuse-trans-mma-v3-plus", LocalAllocOp, (alloc, rw) => {
  if (!alloc.src || !alloc.result.hasOneUse()) return rw.noMatch("not made of a tensor, or not used once");
  const user = alloc.result.firstUse!.owner;
  if (!WarpGroupDotOp.is(user) && !user.def.interface(MMAv5OpInterface)) return rw.noMatch("not used by wgmma or tcgen05.mma");
  const trans = TransOp.match(alloc.src.definingOp);
  if (!trans || !isSwap(trans.order)) return rw.noMatch("source is not transposed");
  const { encoding, memorySpace } = (alloc.result.type as MemDesc).params;
  if (!NvmmaSharedEncoding.is(encoding)) return rw.noMatch("no layout of matrix instructions");
  const from = typeOf(trans.src);
  const inner = layoutRules(encoding).inferTransOpEncoding(encoding, from.shape, trans.order, undefined);
  if (!inner) return rw.noMatch("no layout for the source");
  const types = [memDescType(from.shape, from.elementType, inner, memorySpace)];
  const made = rw.value(LocalAllocOp, { src: trans.src }, { types });
  rw.replaceWith(alloc, MemDescTransOp, { src: made, order: [1, 0] });
  return true;
});

/** local_alloc(reshape(x)) -> memdesc_reshape(local_alloc(x)) */
const reshapeMemDesc = pattern("reshape-mem-desc", LocalAllocOp, (alloc, rw) => {
  const reshape = alloc.src && ReshapeOp.match(alloc.src.definingOp);
  if (!reshape) return rw.noMatch("source is not reshaped");
  const type = alloc.result.type as MemDesc;
  // Inferring forwards and backwards is the same for reshapes.
  const inner = inferMemDescReshape(type, typeOf(reshape.src).shape);
  if (typeof inner === "string") return rw.noMatch(inner);
  if (!NvmmaSharedEncoding.is(inner.params.encoding)) return rw.noMatch("no layout of matrix instructions");
  const made = rw.value(LocalAllocOp, { src: reshape.src }, { types: [inner] });
  rw.replaceWith(alloc, MemDescReshapeOp, { src: made }, { types: [type] });
  return true;
});
