/**
 * Moves conversions before what makes their source larger:
 *
 *     %b = arith.extf %a                 // f16 -> f32, #a
 *     %c = ttg.convert_layout %b         // #a -> #b
 *
 * becomes convert_layout, extf: half the bytes to move. Likewise for tt.broadcast and tt.expand_dims.
 * Source: lib/Dialect/TritonGPU/Transforms/RemoveLayoutConversions.cpp, hoistConvertOnTopOfExtOrBroadcast.
 */
import { ExtFOp, ExtSIOp, ExtUIOp } from "../../../dialects/arith/ops/cast.js";
import { FpToFpOp } from "../../../dialects/tt/ops/cast.js";
import { BroadcastOp, ExpandDimsOp } from "../../../dialects/tt/ops/shape.js";
import { DotOperandEncoding } from "../../../dialects/ttg/encodings/dot-op.js";
import { type TensorType, withEncoding } from "../../../ir/builtin-types.js";
import { Mapping } from "../../../ir/clone.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { convertLayout } from "../distributed-op-encoding.js";
import { getElementBitWidth } from "../memory-access.js";
import { inferSrcEncoding } from "./infer-encoding.js";
import {
  type ConvertView,
  encodingOfTensor,
  forEachConversion,
  type LayoutRematerialization,
  type Removed,
} from "./layout-rematerialization.js";
import { convertCost } from "./rematerialization-cost.js";
import { convertCost38 } from "./rematerialization-cost-3-8.js";

const GROWS: ReadonlySet<OpDef> = new Set<OpDef>([ExtSIOp, ExtUIOp, ExtFOp, BroadcastOp, ExpandDimsOp]);

/** Returns how many conversions moved. */
export function hoistConvertOnTopOfExtOrBroadcast(func: Operation, rw: Rewriter, onRemoved?: Removed): number {
  return forEachConversion(func, rw, hoist, onRemoved);
}

function isExtOrBroadcast(op: Operation): boolean {
  if (GROWS.has(op.def)) return true;
  if (!FpToFpOp.is(op)) return false;
  return getElementBitWidth(op.operand(0).type as TensorType) < getElementBitWidth(op.result().type as TensorType);
}

function hoist(convert: ConvertView, remat: LayoutRematerialization): void {
  const target = encodingOfTensor(convert.result);
  // Those are hoisted to their loads.
  if (DotOperandEncoding.is(target)) return;
  const found = remat.getRematerializableSlice(convert.op.operandUses[0]!, target, isExtOrBroadcast);
  if (typeof found === "string") return;
  const { slice, layout } = found;

  const from = remat.rw.ctx.triton.leavesOutFitting ? found : undefined;
  // With more than one op to go over the conversion would be duplicated.
  let over: Operation | undefined;
  for (const value of [...slice]) {
    const op = value.definingOp;
    if (!op || !isExtOrBroadcast(op)) continue;
    const srcEncoding = inferSrcEncoding(op, layout.get(value)!);
    if (!srcEncoding) return;
    const further = remat.getRematerializableSlice(op.operandUses[0]!, srcEncoding, undefined, from);
    if (typeof further !== "string" && agree(further.layout, layout)) {
      // All before this op can be computed again too: it needs no conversion.
      for (const inner of further.slice) slice.add(inner);
      for (const [inner, encoding] of further.layout) layout.set(inner, encoding);
      for (const [inner, by] of further.existing) found.existing.set(inner, by);
      continue;
    }
    if (over) return;
    over = op;
  }
  if (!over) return;

  const result = over.result();
  const dstEncoding = layout.get(result)!;
  const srcEncoding = inferSrcEncoding(over, dstEncoding);
  if (!srcEncoding) return;
  const { rw } = remat;
  if (rw.ctx.triton.weighsWidenings) {
    const cost = remat.costOf(convert, found);
    const source = over.operand(0);
    const conversion = rw.ctx.triton.costsFollowLoops ? convertCost38(source, srcEncoding) : convertCost(source);
    if (cost.rematerialize + conversion > cost.convert) return;
  }
  rw.setBefore(over);
  const converted = convertLayout(rw, over.operand(0), srcEncoding, convert.op.locRef);
  const copy = rw.clone(over);
  rw.setOperand(copy, 0, converted);
  copy.setResultType(0, withEncoding(result.type as TensorType, dstEncoding));
  slice.delete(result);
  remat.rewriteSlice(found, convert, new Mapping().map(result, copy.result()));
}

/** Whether no value is wanted in two layouts. */
function agree<K, V>(a: ReadonlyMap<K, V>, b: ReadonlyMap<K, V>): boolean {
  for (const [key, value] of a) if (b.has(key) && b.get(key) !== value) return false;
  return true;
}
