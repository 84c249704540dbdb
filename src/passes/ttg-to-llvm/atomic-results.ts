/** Results of atomics on tensors. Source: lib/Conversion/TritonGPUToLLVM/Utility.cpp, finalizeTensorAtomicResults. */
import { toLinearLayout } from "../../dialects/ttg/encodings/define-encoding.js";
import type { Type } from "../../ir/attribute.js";
import { RankedTensorType, shapedParams } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { sharedMemoryBase } from "./control-flow.js";
import type { Lowering } from "./lowering.js";
import { lowerLdSt } from "./shared-access.js";
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
  if (!op.hasAttr("allocation.offset") || !RankedTensorType.is(result.type)) return lo.setElements(result, values);
  const full = toLinearLayout(result.type.params.shape, result.type.params.encoding!);
  const layout = full.sublayout(["register", "lane", "warp"], full.outDimNames);
  const place = {
    layout: layout.reshapeOuts([["offset", layout.getTotalOutDimSize()]]),
    element,
    base: sharedMemoryBase(lo, op),
    affineOffset: b.i32(0),
    maskSpan: 0,
  };
  const ids = laneAndWarpId(lo);
  const length = (vector: Type): number => shapedParams(vector).shape[0]!;
  lowerLdSt<Value>(lo, place, values, ids, (vals, address, index, vector) => {
    lo.code.storeShared(lo, address, b.packVector(vals.slice(index, index + length(vector))), { predicate });
    return [];
  });
  lo.code.barrier(lo);
  // As upstream, which hands the values to the loads too: what is loaded stays in the order of the addresses, which is that of the
  // registers only where vectors need no other order of them.
  const loaded = lowerLdSt<Value>(lo, place, values, ids, (_vals, address, _index, vector) =>
    b.unpackVector(lo.code.loadShared(lo, address, vector)),
  );
  lo.setElements(result, loaded);
}
