import { accessWidth } from "../../../analysis/access-width.js";
import { explainAccess } from "../../../analysis/explain-access.js";
import { type ModuleAxisInfo, moduleAxisInfo } from "../../../analysis/module-axis-info.js";
import { DescriptorOpInterface, DescriptorStoreLikeOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { PointerType } from "../../../dialects/tt/types.js";
import { encodingAttr, encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { getThreadsPerWarp } from "../../../dialects/ttg/num-warps.js";
import type { Attribute } from "../../../ir/attribute.js";
import { bitWidth, RankedTensorType, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { getCTALayout, getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { makeBlocked } from "../../../layout/encodings/blocked.js";
import { getMatrixOrder } from "../../../layout/encodings/matrix-order.js";
import { definePass } from "../../../pass/define-pass.js";
import { RemarkRefs, type RemarkText } from "../../../pass/remark.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { convertDistributedOpEncoding } from "../distributed-op-encoding.js";
import { getMemAccessPtr, lookupNumWarps } from "../memory-access.js";
import { type CoalescedLayout, CoalescedLayouts } from "./coalesced-layouts.js";

export const coalesce = definePass("tritongpu-coalesce", {
  name: "TritonGPUCoalesce",
  summary: "coalesce memory accesses",
  source: "lib/Dialect/TritonGPU/Transforms/Coalesce.cpp, CoalesceUtils.cpp",
  statistics: { accesses: "memory accesses given a layout", widened: "accesses of more than one element per thread at once" },
  run(root, { analysis, listener, report, count, explain }) {
    const axes = analysis(moduleAxisInfo);
    if (axes.recursive) return report.error(axes.recursive, "Cycle detected in call graph");
    const threadsPerWarp = getThreadsPerWarp(root);
    const layouts = new Map<Operation, Attribute>();
    const coalesced = new CoalescedLayouts(root, axes, threadsPerWarp);
    root.walkPostOrder((op) => {
      const type = getMemAccessPtr(op)?.type;
      // Before the conversion to TritonGPU there is nothing to choose.
      if (!RankedTensorType.is(type) || !PointerType.is(type.params.elementType) || !type.params.encoding) return;
      const chosen = coalesced.layoutFor(op);
      const { layout, perThread } = chosen;
      explain?.(op, "coalesce.access", explainLayout(op, chosen, axes));
      count("accesses");
      if (perThread > 1) count("widened");
      layouts.set(op, encodingAttr(op.ctx, layout));
    });
    root.walkPostOrder((op) => {
      const moved = tensorOfDescriptorOp(op);
      if (moved?.params.encoding) layouts.set(op, descriptorLayout(op, moved, threadsPerWarp));
    });
    const rw = new Rewriter(root.ctx, listener);
    for (const [op, layout] of layouts) convertDistributedOpEncoding(rw, op, layout);
  },
});

/** The layout chosen for an access, how wide the access becomes, and what holds it back. */
function explainLayout(op: Operation, { layout, perThread, own }: CoalescedLayout, axes: ModuleAxisInfo): RemarkText {
  const refs = new RemarkRefs(op);
  const { order } = layout;
  const { message, widest, fields } = explainAccess(accessWidth(op, axes, { dim: order[0]!, perThread })!, axes, refs);
  const wider = perThread > own ? `, as wide as an access that depends on the same values` : "";
  return {
    kind: widest ? "applied" : "missed",
    message: `order [${order.join(", ")}] with ${perThread} element${perThread === 1 ? "" : "s"} a thread${wider}. ${message}`,
    refs: refs.list,
    fields: { ...fields, order, perThread },
  };
}

/** The tensor that is loaded or stored through a descriptor. */
function tensorOfDescriptorOp(op: Operation): TensorType | undefined {
  const store = op.def.interface(DescriptorStoreLikeOpInterface);
  if (store) return store.src(op).type as TensorType;
  return op.def.interface(DescriptorOpInterface) && op.numResults === 1 ? (op.result(0).type as TensorType) : undefined;
}

/** TMA coalesces by itself; the layout decides how wide shared memory is accessed: up to 16 bytes. */
function descriptorLayout(op: Operation, type: TensorType, threadsPerWarp: number): Attribute {
  const { shape, elementType } = type.params;
  const numWarps = lookupNumWarps(op);
  const encoding = encodingParams(type.params.encoding)!;
  const numElems = getShapePerCTAOf(encoding, shape).reduce((n, size) => n * size, 1);
  const perThread = Math.max(Math.trunc(numElems / (numWarps * threadsPerWarp)), 1);
  const sizePerThread = shape.map(() => 1);
  sizePerThread[shape.length - 1] = Math.min(perThread, Math.trunc(128 / bitWidth(elementType)!));
  const order = getMatrixOrder(shape.length, true);
  return encodingAttr(op.ctx, makeBlocked({ shape, sizePerThread, order, numWarps, threadsPerWarp }, getCTALayout(encoding)!));
}
