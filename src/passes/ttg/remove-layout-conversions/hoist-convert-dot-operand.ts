/**
 * Moves conversions to dot operands next to the loads that feed them, so that the loads can be pipelined:
 *
 *     %a = tt.load %p                    // #blocked
 *     %b = arith.extf %a                 // #blocked
 *     %c = ttg.convert_layout %b         // #blocked -> #dot_op
 *
 * becomes load, convert_layout, extf, as extf moves nothing between threads.
 * Source: lib/Dialect/TritonGPU/Transforms/RemoveLayoutConversions.cpp, hoistConvertDotOperand.
 */
import { postDominates } from "../../../analysis/post-dominance.js";
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { DotOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { BroadcastOp, ExpandDimsOp, JoinOp, ReshapeOp, SplitOp, TransOp } from "../../../dialects/tt/ops/shape.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { Fp4ToFpOp } from "../../../dialects/ttg/ops/misc.js";
import { UpcastFpOpInterface } from "../../../dialects/ttg/upcast-fp.js";
import { encodingOf } from "../../../ir/builtin-types.js";
import { Mapping } from "../../../ir/clone.js";
import type { OpDef } from "../../../ir/define-op.js";
import { isMemoryEffectFree } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { Elementwise } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { convertLayout } from "../distributed-op-encoding.js";
import {
  type ConvertView,
  encodingOfTensor,
  forEachConversion,
  type LayoutRematerialization,
  type Removed,
} from "./layout-rematerialization.js";

/** Returns how many conversions moved. */
export function hoistConvertDotOperand(func: Operation, rw: Rewriter, onRemoved?: Removed): number {
  const dots = new MmaDots();
  return forEachConversion(func, rw, (convert, remat) => hoist(convert, remat, dots), onRemoved);
}

function hoist(convert: ConvertView, remat: LayoutRematerialization, dots: MmaDots): void {
  const { op, result } = convert;
  if (!op.parentOp || !dots.in(op.parentOp).some((dot) => postDominates(dot, op))) return;
  const found = remat.getConvertBackwardSlice(op.operandUses[0]!, encodingOfTensor(result), (inner) => !movesNothing(inner));
  if (typeof found === "string") return;

  const { slice, layout } = found;
  const { rw } = remat;
  const mapping = new Mapping();
  const inner = new Set<Value>();
  // Conversions of loads that come before one that stops everything stay, without users, for the cleanup: as upstream.
  for (const value of slice) {
    const def = value.definingOp;
    if (!def) return;
    if (LoadOp.is(def) || DescriptorLoadOp.is(def)) {
      rw.setAfter(def);
      const loaded = def.result();
      mapping.map(loaded, convertLayout(rw, loaded, layout.get(loaded)!, op.locRef));
    } else if (ConstantOp.is(def) || movesNothing(def)) inner.add(value);
    else return;
  }
  if (inner.size > 0) remat.rewriteSlice({ ...found, slice: inner }, convert, mapping);
}

const MOVES_NOTHING: ReadonlySet<OpDef> = new Set<OpDef>([
  ...[BroadcastOp, Fp4ToFpOp, ConvertLayoutOp],
  ...[ExpandDimsOp, ReshapeOp, TransOp, JoinOp, SplitOp],
]);
/** Whether every thread computes its part of the result from its part of the operands. */
function movesNothing(op: Operation): boolean {
  if (MOVES_NOTHING.has(op.def) || op.def.interface(UpcastFpOpInterface)) return true;
  return op.def.traits.has(Elementwise) && isMemoryEffectFree(op);
}

/** Dots on operands of tensor cores in registers, by the op that they are nested in. */
class MmaDots {
  readonly #dots = new Map<Operation, readonly Operation[]>();

  in(parent: Operation): readonly Operation[] {
    let dots = this.#dots.get(parent);
    if (!dots) this.#dots.set(parent, (dots = findDots(parent)));
    return dots;
  }
}
function findDots(parent: Operation): Operation[] {
  const dots: Operation[] = [];
  parent.walkPostOrder((op) => {
    if (!op.def.interface(DotOpInterface)) return;
    const operand = encodingParams(encodingOf(op.operand(0).type));
    if (operand?.kind !== "dot_op") return;
    const { kind } = operand.parent;
    if (kind === "nvidia_mma" || kind === "amd_mfma" || kind === "amd_wmma") dots.push(op);
  });
  return dots;
}
