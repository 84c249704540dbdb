/**
 * After the number of warps of a warp-specialized partition has changed: ops of ttng that need layouts of their own get them
 * anew. Source: lib/Conversion/TritonToTritonGPU/RelayoutTritonGPU.cpp.
 */
import { encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { enclosingModule, getNumCTAs, getThreadsPerWarp, maybeLookupNumWarps } from "../../dialects/ttg/num-warps.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import { LocalLoadOp } from "../../dialects/ttg/ops/local-memory.js";
import type { MemDesc } from "../../dialects/ttg/types.js";
import { isDistributedLayoutTMemCompatible, TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../dialects/ttng/ops/tensor-memory.js";
import { AsyncTMAGatherOp, AsyncTMAScatterOp } from "../../dialects/ttng/ops/tma.js";
import { getDefaultLayoutForTmemLdSt } from "../../dialects/ttng/tmem-layout.js";
import type { Type } from "../../ir/attribute.js";
import { type TensorType, withEncoding } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { getCTALayout } from "../../layout/encoding-queries.js";
import { definePass } from "../../pass/define-pass.js";
import { type ConversionPattern, conversionPattern } from "../../rewrite/conversion-pattern.js";
import { applyPartialConversion } from "../../rewrite/dialect-conversion.js";
import type { TypeConverter } from "../../rewrite/type-converter.js";
import { gatherScatterPattern, hasLegalTypes, tritonGpuConversionTarget, tritonGpuTypeConverter } from "./triton-gpu-conversion.js";

export const relayoutTritonGpu = definePass("relayout-tritongpu", {
  name: "RelayoutTritonGPU",
  summary: "relayout pass for `ttg` and `ttng` operations",
  source: "lib/Conversion/TritonToTritonGPU/RelayoutTritonGPU.cpp",
  run(root, { listener, fail }) {
    const module = enclosingModule(root);
    const numWarps = maybeLookupNumWarps(root) ?? 4;
    const converter = tritonGpuTypeConverter({ numWarps, threadsPerWarp: getThreadsPerWarp(module), numCTAs: getNumCTAs(module) }, true);
    const target = tritonGpuConversionTarget(converter).addDynamicallyLegalDialect((op) => hasLegalTypes(op, converter), "ttng");
    if (root.ctx.triton.relayoutsLocalLoads)
      target
        .addDynamicallyLegalOp((op) => hasLegalTypes(op, converter), LocalLoadOp)
        .addDynamicallyLegalOp((op) => hasLegalTypes(op, converter) && registersFit(op), TMEMLoadOp, TMEMStoreOp, TMEMAllocOp);
    if (!applyPartialConversion(root, target, patterns(converter), { listener }).ok) fail();
  },
});

/** Whether the tensor that is read from tensor memory, or written to it, has a layout for that. */
function registersFit(op: Operation): boolean {
  const load = TMEMLoadOp.match(op);
  const store = TMEMStoreOp.match(op);
  const tensor = load?.result ?? store?.src ?? TMEMAllocOp.match(op)!.src;
  const buffer = load?.src ?? store?.dst ?? op.result(0);
  return !tensor || isDistributedLayoutTMemCompatible(op, tensor.type as TensorType, buffer.type as MemDesc);
}

function patterns(converter: TypeConverter): ConversionPattern[] {
  const options = { converter };
  /** The type of a tensor as tensor memory is read and written. */
  const registers = (type: Type, buffer: Type, op: Operation): TensorType => {
    const converted = converter.convertType(type) as TensorType;
    const cga = getCTALayout(encodingParams(converted.params.encoding)!)!;
    return withEncoding(converted, getDefaultLayoutForTmemLdSt(buffer as MemDesc, maybeLookupNumWarps(op) ?? 4, cga));
  };
  return [
    gatherScatterPattern(AsyncTMAGatherOp, 1, converter),
    gatherScatterPattern(AsyncTMAScatterOp, 1, converter),
    conversionPattern(
      "relayout-local-load",
      LocalLoadOp,
      ({ op, result }, _, rw) => rw.modify(op, () => op.setResultType(0, converter.convertType(result.type)!)),
      options,
    ),
    conversionPattern(
      "relayout-tmem-load",
      TMEMLoadOp,
      ({ op, src, result }, _, rw) => {
        const type = registers(result.type, src.type, op);
        const wanted = op.ctx.triton.tmemLoadsKeepLayout ? converter.convertType(result.type)! : type;
        rw.modify(op, () => op.setResultType(0, type));
        if (op.ctx.triton.tmemLoadsKeepLayout && type === wanted) return true;
        const converted = rw.setAfter(op).value(ConvertLayoutOp, { src: result }, { types: [wanted] });
        for (const use of result.uses()) if (use.owner !== converted.definingOp) use.set(converted);
        return true;
      },
      options,
    ),
    conversionPattern(
      "relayout-tmem-store",
      TMEMStoreOp,
      (store, adaptor, rw) => {
        const types = [registers(store.src.type, store.dst.type, store.op)];
        const src = rw.value(ConvertLayoutOp, { src: adaptor.src }, { types });
        return rw.modify(store, (op) => op.setOperand(store.dep ? 2 : 1, src));
      },
      options,
    ),
    conversionPattern(
      "relayout-tmem-alloc",
      TMEMAllocOp,
      (alloc, adaptor, rw) => {
        if (!alloc.src || !adaptor.src) return true;
        const types = [registers(alloc.src.type, alloc.result.type, alloc.op)];
        const src = rw.value(ConvertLayoutOp, { src: adaptor.src }, { types });
        return rw.modify(alloc, (op) => op.setOperand(0, src));
      },
      options,
    ),
  ];
}
