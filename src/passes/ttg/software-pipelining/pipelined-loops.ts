/** Loop queries of the pipeliner's passes, and the attributes that they share. Source: Pipeliner/PipeliningUtility.cpp. */
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { WhileOp } from "../../../dialects/scf/ops/while.js";
import type { Block } from "../../../ir/block.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import { withinAt } from "../../../pass/pass-error.js";

/** How many stages later the results of an op are used. */
export const LATENCY = "tt.latency";
/** How many stages later an instruction is waited for. */
export const SELF_LATENCY = "tt.self_latency";
/** The user wants one accumulator only. */
export const DISALLOW_ACC_MULTI_BUFFER = "tt.disallow_acc_multi_buffer";
/** The stages that the user wants a loop to have. */
export const NUM_STAGES = "tt.num_stages";
/** The stage of an op in its loop's schedule. */
export const LOOP_STAGE = "loop.stage";
/** The cluster of an op: its place within a round of the pipelined loop. */
export const LOOP_CLUSTER = "loop.cluster";
/** The last stage of a loop that has a schedule. */
export const SCHEDULED_MAX_STAGE = "tt.scheduled_max_stage";

/** All scf.for, inner ones first. */
export function forLoops(root: Operation): ForView[] {
  const loops: ForView[] = [];
  root.walkPostOrder((op) => {
    const loop = ForOp.match(op);
    if (loop) loops.push(loop);
  });
  return loops;
}
/** The block of a loop. */
export const bodyOf = (loop: ForView): Block => loop.region.firstBlock!;

/** Whether a value is from outside of a loop. */
export const isDefinedOutsideOfLoop = (loop: ForView, value: Value): boolean => !loop.op.isAncestorOf(value.parentBlock!.parentOp!);

/** Whether a value reaches over more than one round: a carried value is handed on as it is. */
export const loopHasDistGreaterThanOne = (loop: ForView): boolean =>
  bodyOf(loop).lastOp!.operandUses.some(({ value }) => !value.definingOp);
/** Whether a loop holds another one directly. */
export function isOuterLoop(loop: ForView): boolean {
  for (const op of bodyOf(loop).ops()) if (ForOp.is(op) || WhileOp.is(op)) return true;
  return false;
}
/** The stages a loop is to have: its own attribute decides, or the pass's option. */
export function getNumStagesOrDefault(loop: ForView, numStages: number): number {
  const stages = intOf(loop.op.attr(NUM_STAGES)) ?? numStages;
  withinAt(loop.op, "pipeline-stages", stages);
  return stages;
}

/** Calls `visit` with the operands of an op, and of those nested in it, that are values from outside of it. Innermost ops first. */
export function visitNestedOperands(op: Operation, visit: (use: OpOperand) => void): void {
  op.walkPostOrder((nested) => {
    for (const use of nested.operandUses) if (use.value.parentBlock!.parentOp!.isProperAncestorOf(op)) visit(use);
  });
}
/** The values from outside that an op, or one nested in it, uses. Innermost ops first, each value once. */
export function getNestedOperands(op: Operation): Set<Value> {
  const values = new Set<Value>();
  visitNestedOperands(op, ({ value }) => values.add(value));
  return values;
}
/** The op of `block` that is `op` or holds it. */
export function findAncestorInBlock(block: Block, op: Operation): Operation | undefined {
  for (let at: Operation | null = op; at; at = at.parentOp) if (at.block === block) return at;
  return undefined;
}

/** Removes the schedules of loops from the IR. */
export function dropSchedules(root: Operation): void {
  root.walkPostOrder((op) => {
    for (const name of [LOOP_STAGE, LOOP_CLUSTER, SCHEDULED_MAX_STAGE]) if (op.hasAttr(name)) op.removeAttr(name);
  });
}
