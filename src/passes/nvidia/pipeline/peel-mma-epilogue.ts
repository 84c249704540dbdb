/**
 * Loops that wait for tcgen05 instructions in their last stage: the last round is taken out, so that no round is masked only for a wait.
 * Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/SoftwarePipeliner.cpp, expandLoops.
 */
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { MaskOp, PredicateStageOp } from "../../../dialects/ttg/ops/misc.js";
import { WarpSpecializeOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import { WaitBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { PoisonOp } from "../../../dialects/ub/ops/index.js";
import { boolAttr } from "../../../ir/builtin-attrs.js";
import { isZeroInt } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { peelLoopEpilogue } from "../../tt/peel-loop-epilogue.js";
import type { CoarseSchedule } from "../../ttg/software-pipelining/coarse-schedule.js";
import { emitPredicateForStage } from "../../ttg/software-pipelining/loop-expander.js";
import { bodyOf } from "../../ttg/software-pipelining/pipelined-loops.js";

/** Whether the last round of a loop is to be taken out. Its predicates must be `ttg.predicate_stage` then. */
export function wantsPeeledEpilogue(loop: ForView, schedule: CoarseSchedule): boolean {
  for (let op = loop.op.parentOp; op; op = op.parentOp) if (WarpSpecializeOp.is(op)) return false;
  const ops = bodyOf(loop).opsWithoutTerminator();
  const isLastWait = (op: Operation): boolean => WaitBarrierOp.is(op) && schedule.slots.get(op)?.stage === schedule.numStages - 1;
  return ops.some((op) => op.def.interface(MMAv5OpInterface)) && ops.some(isLastWait);
}

/** Takes it out; what no round after it would need does not happen there. */
export function peelMmaEpilogue(rw: Rewriter, loop: ForView): void {
  const masks: Operation[] = [];
  peelLoopEpilogue(loop, rw, (_, op, isEpilogue) => {
    if (isEpilogue && MaskOp.is(op)) masks.push(op);
    const predicate = PredicateStageOp.match(op);
    if (!predicate) return op;
    const { iv, ub: upperBound, step, maxStage, stage } = predicate;
    rw.setBefore(op);
    const known = (value: boolean) => rw.create(ConstantOp, { value: boolAttr(rw.ctx, value) }, { loc: op.locRef }).op;
    if (isEpilogue) return known(false);
    if (stage === maxStage - 1) return known(true);
    const loc = iv.definingOp?.locRef ?? iv.loc;
    return emitPredicateForStage(rw, { loc }, { iv, upperBound, step, rest: maxStage - stage }).definingOp!;
  });
  for (const mask of masks) {
    if (!isZeroInt(mask.operand(0))) continue;
    rw.setBefore(mask);
    const values = mask.resultTypes.map((type) => rw.value(PoisonOp, {}, { loc: mask.locRef, types: [type] }));
    rw.replace(mask, values);
  }
}
