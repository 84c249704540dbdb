/**
 * Moves conversions of an if's result into the branch that needs them, when the other can compute its value in the layout:
 *
 *     %x = scf.if %c { scf.yield %loaded } else { scf.yield %constant }      // #a
 *     %y = ttg.convert_layout %x                                             // #a -> #b
 *
 * Source: lib/Dialect/TritonGPU/Transforms/RemoveLayoutConversions.cpp, hoistConvertIntoConditionals.
 */
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { Mapping } from "../../../ir/clone.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { convertLayout } from "../distributed-op-encoding.js";
import type { ConvertSlice } from "./convert-backward-slice.js";
import {
  type ConvertView,
  encodingOfTensor,
  forEachConversion,
  type LayoutRematerialization,
  type Removed,
} from "./layout-rematerialization.js";

/** Returns how many conversions moved. */
export function hoistConvertIntoConditionals(func: Operation, rw: Rewriter, onRemoved?: Removed): number {
  return forEachConversion(func, rw, hoist, onRemoved);
}

const isIf = (op: Operation): boolean => IfOp.is(op);

function hoist(convert: ConvertView, remat: LayoutRematerialization): void {
  const found = remat.getRematerializableSlice(convert.op.operandUses[0]!, encodingOfTensor(convert.result), isIf);
  if (typeof found === "string") return;
  const { slice, layout } = found;
  const merge = (other: ConvertSlice): void => {
    for (const value of other.slice) slice.add(value);
    for (const [value, encoding] of other.layout) if (!layout.has(value)) layout.set(value, encoding);
    for (const [value, by] of other.existing) found.existing.set(value, by);
  };
  /** Results of ifs, and the yielded operand at which a conversion is to be. */
  const hoistAbove: (readonly [Value, OpOperand])[] = [];
  /** Results of ifs that are converted as they are. */
  const terminals: Value[] = [];
  // Before 3.7 a branch was looked at alone, even where a value is wanted in another layout already.
  const known = remat.rw.ctx.triton.branchesKnowSlices ? found : undefined;
  // Grows while it is visited.
  for (const value of slice) {
    const ifOp = IfOp.match(value.definingOp);
    if (!ifOp) continue;
    const rootLayout = layout.get(value)!;
    const [thenUse, elseUse] = [ifOp.thenRegion, ifOp.elseRegion].map((region) => region.firstBlock!.lastOp!.operandUses[value.index]!);
    const thenFound = remat.getRematerializableSlice(thenUse!, rootLayout, isIf, known);
    const elseFound = remat.getRematerializableSlice(
      elseUse!,
      rootLayout,
      isIf,
      known && typeof thenFound !== "string" ? thenFound : known,
    );
    if (typeof thenFound !== "string" && typeof elseFound !== "string") {
      merge(thenFound);
      merge(elseFound);
    } else if (typeof thenFound !== "string" && ForOp.is(ifOp.op.parentOp)) {
      hoistAbove.push([value, elseUse!]);
      merge(thenFound);
    } else if (typeof elseFound !== "string" && ForOp.is(ifOp.op.parentOp)) {
      hoistAbove.push([value, thenUse!]);
      merge(elseFound);
    }
    // Outside a loop a branch is taken to run as often as what follows it: nothing to gain.
    else terminals.push(value);
  }
  if (hoistAbove.length === 0) return;

  const { rw } = remat;
  const mapping = new Mapping();
  const convertHere = (value: Value, like: Value): void => {
    mapping.map(value, convertLayout(rw, value, layout.get(like)!, convert.op.locRef));
    slice.delete(value);
  };
  for (const value of terminals) {
    rw.setAfter(value.definingOp!);
    convertHere(value, value);
  }
  for (const [result, edge] of hoistAbove) {
    rw.setBefore(edge.owner);
    convertHere(edge.value, result);
  }
  remat.rewriteSlice(found, convert, mapping);
}
