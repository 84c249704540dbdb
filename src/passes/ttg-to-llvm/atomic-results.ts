/** Results of atomics on tensors. Source: lib/Conversion/TritonGPUToLLVM/Utility.cpp, finalizeTensorAtomicResults. */
import { ALLOCATION_OFFSET } from "../../analysis/allocation.js";
import { encodingParams, toLinearLayout } from "../../dialects/ttg/encodings/define-encoding.js";
import type { Type } from "../../ir/attribute.js";
import { RankedTensorType, shapedParams, type TensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { actionRemoveBroadcastedRegs, broadcastAs } from "../../layout/column-action.js";
import type { DistributedParams } from "../../layout/encoding-params.js";
import { getCTALayout, getOrder, getShapePerCTAOf } from "../../layout/encoding-queries.js";
import { combineCtaCgaWithShape } from "../../layout/encodings/combine-cta-cga.js";
import type { LinearLayout } from "../../layout/linear-layout.js";
import { identityStandardND } from "../../layout/standard-dims.js";
import { sharedMemoryBase } from "./control-flow.js";
import type { Lowering } from "./lowering.js";
import { lowerLdSt } from "./shared-access.js";
import type { SharedPlace } from "./target-code.js";
import { laneAndWarpId } from "./thread-indices.js";

/** Hands the elements that some threads read to those that hold the same ones, where memory was allocated for that. */
export function shareAtomicResults(
  lo: Lowering,
  op: Operation,
  values: readonly Value[],
  element: Type,
  predicate: Value | undefined,
): void {
  const { b } = lo;
  const result = op.result(0);
  if (!op.hasAttr(ALLOCATION_OFFSET) || !RankedTensorType.is(result.type)) return lo.setElements(result, values);
  const base = sharedMemoryBase(lo, op);
  const ids = laneAndWarpId(lo);
  const length = (vector: Type): number => shapedParams(vector).shape[0]!;
  const place = (layout: LinearLayout): SharedPlace => ({ layout, element, base, affineOffset: b.i32(0), maskSpan: 0 });
  const store = (layout: LinearLayout, stored: readonly Value[]): void => {
    lowerLdSt<Value>(lo, place(layout), stored, ids, (vals, address, index, vector) => {
      lo.code.storeShared(lo, address, b.packVector(vals.slice(index, index + length(vector))), { predicate });
      return [];
    });
  };
  const load = (layout: LinearLayout, order: readonly Value[]): readonly Value[] =>
    lowerLdSt<Value>(lo, place(layout), order, ids, (_vals, address, _index, vector, ctaId) =>
      b.unpackVector(lo.code.loadShared(lo, address, vector, { ctaId })),
    );

  const full = toLinearLayout(result.type.params.shape, result.type.params.encoding!);
  if (!lo.forms.atomicsInOrder) {
    const layout = full.sublayout(["register", "lane", "warp"], full.outDimNames);
    const offsets = layout.reshapeOuts([["offset", layout.getTotalOutDimSize()]]);
    store(offsets, values);
    lo.code.barrier(lo);
    // As upstream, which hands the values to the loads too: what is loaded stays in the order of the addresses, which is that of the
    // registers only where vectors need no other order of them.
    return lo.setElements(result, load(offsets, values));
  }
  const unique = actionRemoveBroadcastedRegs(full);
  const registers = unique.apply(full);
  const memory = memoryInOrder(result.type.params);
  store(registers.invertAndCompose(memory), unique.applyToValues(values));
  // A CTA that has none of its own reads another's.
  const sizes = { offset: memory.getInDimSize("offset"), block: memory.getInDimSize("block") };
  const owned = memory.reshapeIns([
    ["offset", sizes.offset],
    ["owner", sizes.block],
  ]);
  const from = registers.invertAndCompose(owned).reshapeOuts([
    ["offset", sizes.offset],
    ["block", sizes.block],
  ]);
  if (from.isTrivialOver(["block"])) lo.code.barrier(lo);
  else lo.code.clusterBarrier(lo);
  const loaded = load(from, []);
  lo.setElements(result, unique.isIdentity ? loaded : broadcastAs(loaded, full));
}

/** Shared memory with the tensor's elements in the order of its dimensions, each CTA's in its own. */
function memoryInOrder({ shape, encoding }: TensorType["params"]): LinearLayout {
  const params = encodingParams(encoding) as DistributedParams;
  const own = identityStandardND("offset", getShapePerCTAOf(params, shape), getOrder(params, shape));
  return combineCtaCgaWithShape(own, getCTALayout(params)!, shape);
}
