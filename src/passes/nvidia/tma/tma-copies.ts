/** The TMA copy that a load or store through a descriptor stands for. Source: TMALowering.cpp, TMAStoresPipeline.cpp, LowerLoops.cpp. */
import {
  DescriptorGatherOp,
  DescriptorLoadOp,
  DescriptorReduceOp,
  DescriptorScatterOp,
  DescriptorStoreOp,
} from "../../../dialects/tt/ops/descriptor.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import {
  AsyncTMACopyGlobalToLocalOp,
  AsyncTMACopyLocalToGlobalOp,
  AsyncTMAGatherOp,
  AsyncTMAReduceOp,
  AsyncTMAScatterOp,
} from "../../../dialects/ttng/ops/tma.js";
import type { Attribute } from "../../../ir/attribute.js";
import { bitWidth, numElements, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { translateTMAIndices } from "./descriptor-layouts.js";

/** Is it a load that TMA does? */
export const isTMALoad = (op: Operation): boolean => DescriptorLoadOp.is(op) || DescriptorGatherOp.is(op);

/** Bytes that a copy of a tensor brings to each CTA. */
export function bytesPerCTA({ params: { shape, elementType } }: TensorType, encoding: Attribute): number {
  return Math.trunc((numElements(getShapePerCTAOf(encodingParams(encoding)!, shape)) * bitWidth(elementType)!) / 8);
}

/** Starts what a descriptor's load or gather loads, into the buffer `result`; `barrier` hears of its end. */
export function copyFromDescriptor(rw: Rewriter, op: Operation, barrier: Value, result: Value, pred: Value): void {
  const loc = op.locRef;
  const gather = DescriptorGatherOp.match(op);
  if (gather) {
    const { desc, x_offsets, y_offset } = gather;
    rw.create(AsyncTMAGatherOp, { desc, x_offsets, y_offset, barrier, result, pred }, { loc });
    return;
  }
  const { desc, indices } = DescriptorLoadOp.match(op)!;
  const coord = translateTMAIndices(rw, loc, desc, indices);
  rw.create(AsyncTMACopyGlobalToLocalOp, { desc, coord, offsets: [], barrier, result, pred }, { loc });
}

/** Starts what a descriptor's store, reduce or scatter writes, from the buffer `src`. In pipelined loops upstream takes the indices as they are. */
export function copyToDescriptor(rw: Rewriter, op: Operation, src: Value, inLoop = false): void {
  const loc = op.locRef;
  const scatter = DescriptorScatterOp.match(op);
  if (scatter) {
    const { desc, x_offsets, y_offset } = scatter;
    rw.create(AsyncTMAScatterOp, { desc, x_offsets, y_offset, src }, { loc });
    return;
  }
  const reduce = DescriptorReduceOp.match(op);
  const { desc, indices } = reduce ?? DescriptorStoreOp.match(op)!;
  const translated = translateTMAIndices(rw, loc, desc, indices);
  const coord = inLoop ? indices : translated;
  if (reduce) rw.create(AsyncTMAReduceOp, { kind: reduce.kind, desc, coord, src }, { loc });
  else rw.create(AsyncTMACopyLocalToGlobalOp, { desc, coord, src }, { loc });
}
