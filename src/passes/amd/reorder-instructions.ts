import { getBackwardSlice } from "../../analysis/slices.js";
import { BarrierOp } from "../../dialects/gpu/ops/barrier.js";
import { ForOp } from "../../dialects/scf/ops/for.js";
import { WhileOp } from "../../dialects/scf/ops/while.js";
import { DotOp } from "../../dialects/tt/ops/dot.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { AtomicCASOp, AtomicRMWOp, LoadOp } from "../../dialects/tt/ops/memory.js";
import { encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import { encodingOf, RankedTensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { definePass } from "../../pass/define-pass.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { moveTransposesToSource, sinkConversionsBehindDeallocs } from "../ttg/reorder-instructions.js";
import { leafLoops } from "./loops.js";
import { PIPELINER_PART } from "./pipeline/pipeline.js";

export const reorderInstructionsAmd = definePass("tritonamdgpu-reorder-instructions", {
  name: "TritonAMDGPUReorderInstructions",
  summary: "Reorder instructions",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/ReorderInstructions.cpp",
  statistics: { moved: "operations moved" },
  run(root, { listener, count }) {
    const rw = new Rewriter(root.ctx, listener);
    const moveAfter = (op: Operation, after: Operation): void => {
      if (after.next === op) return;
      count("moved");
      rw.moveAfter(op, after);
    };
    const moveBefore = (op: Operation, before: Operation): void => {
      if (op.next === before || op === before) return;
      count("moved");
      rw.moveBefore(op, before);
    };
    for (const func of root.regions.flatMap((region) => [...region.blocks()].flatMap((block) => [...block.ops()]))) {
      if (!FuncOp.is(func)) continue;
      sinkDotConversions(func, moveBefore);
      sinkConversionsBehindDeallocs(func, moveAfter);
      moveTransposesToSource(func, moveAfter);
      hoistLoadsOfPrologue(func, moveAfter, moveBefore);
      for (const loop of isPureMatmul(func) ? loopsIn(func) : leafLoops(func).filter(isPureMatmulLoop)) sinkSecondLoad(loop, moveBefore);
    }
  },
});

function loopsIn(func: Operation): Operation[] {
  const loops: Operation[] = [];
  func.walkPostOrder((op) => void (ForOp.is(op) && loops.push(op)));
  return loops;
}
function countIn(loop: Operation, is: (op: Operation) => boolean): number {
  let count = 0;
  loop.walk((op) => void (is(op) && count++));
  return count;
}
/** Whether there are loops, each with one dot. */
function isPureMatmul(func: Operation): boolean {
  const loops = loopsIn(func);
  return loops.length > 0 && loops.every((loop) => countIn(loop, DotOp.is) === 1);
}
const isPureMatmulLoop = (loop: Operation): boolean => countIn(loop, DotOp.is) === 1 && countIn(loop, LoadOp.is) >= 2;

/** Conversions to operands of dots move to their one user in another loop: fewer registers are live. */
function sinkDotConversions(func: Operation, moveBefore: (op: Operation, before: Operation) => void): void {
  const found: (readonly [Operation, Operation])[] = [];
  func.walkPostOrder((op) => {
    const result = ConvertLayoutOp.match(op)?.result;
    if (!result?.hasOneUse() || encodingParams(encodingOf(result.type))?.kind !== "dot_op") return;
    const user = result.firstUse!.owner;
    if (user.parentOfType(ForOp) !== op.parentOfType(ForOp)) found.push([op, user]);
  });
  for (const [op, user] of found) moveBefore(op, user);
}

/** Loads that the pipeliner put before a loop, with what they need, move up as far as they can. */
function hoistLoadsOfPrologue(
  func: Operation,
  moveAfter: (op: Operation, after: Operation) => void,
  moveBefore: (op: Operation, before: Operation) => void,
): void {
  const loads = [...func.regions[0]!.blocks()].flatMap((block) =>
    [...block.ops()].filter((op) => LoadOp.is(op) && op.hasAttr(PIPELINER_PART)),
  );
  for (const load of loads.reverse()) {
    const block = load.block!;
    const filter = (op: Operation): boolean => op.block === block;
    const needed = [...getBackwardSlice(load, { omitBlockArguments: true, usesFromAbove: true, filter }), load].reverse();
    const at = earliestPlace(load);
    if (at) {
      for (const op of needed.filter((op) => at.isBeforeInBlock(op))) moveAfter(op, at);
    } else for (const op of needed) moveBefore(op, block.firstOp!);
  }
}
/** The last op before the load that it must not cross: the op of its pointers, an atomic, a barrier or a loop. */
function earliestPlace(load: Operation): Operation | undefined {
  const ptr = load.operand(0);
  let at: Operation | undefined;
  for (let op = load.block!.firstOp; op && op !== load; op = op.next)
    if (ptr.definingOp === op || [AtomicRMWOp, AtomicCASOp, BarrierOp, ForOp, WhileOp].some((def) => def.is(op))) at = op;
  return at;
}

/** The second of two loads of large tiles moves to right before the dot, so that it is issued between matrix instructions. */
function sinkSecondLoad(loop: Operation, moveBefore: (op: Operation, before: Operation) => void): void {
  const ops = [...loop.regions[0]!.firstBlock!.ops()];
  const [a, b, ...more] = ops.filter((op) => LoadOp.is(op));
  const dot = ops.filter((op) => DotOp.is(op)).at(-1);
  if (!a || !b || more.length > 0 || !dot) return;
  const shapeOf = ({ type }: { readonly type: (typeof a.results)[0]["type"] }) => (RankedTensorType.is(type) ? type.params.shape : []);
  const [tileA, tileB] = [shapeOf(a.result(0)), shapeOf(b.result(0))];
  if (tileA.length !== 2 || tileB.length !== 2 || tileA[0]! < 128 || tileA[1]! < 64 || tileB[1]! < 128) return;
  const user = b.result(0).firstUse?.owner;
  if (user && b.isBeforeInBlock(dot) && user.block === dot.block && dot.isBeforeInBlock(user)) moveBefore(b, dot);
}
