/**
 * A branch that hands tensor memory over and back is three: the scheduler of loops cannot move its parts otherwise.
 *
 *     %t, %v = scf.if %c {            scf.if %c { put.exit }                             // stage 1, partition 1
 *       put.exit                      %p, %v = scf.if %c { ...; yield %poison, %x } ...  // partition 0
 *       ...                     ->    %t = scf.if %c { put.enter; yield } else { ... }   // stage 1, partition 1
 *       %n = put.enter
 *       yield %n, %x
 *     } else { ... }
 *
 * Source: third_party/nvidia/lib/Dialect/NVWS/Transforms/InsertTmemAref.cpp, workaroundForLoopScheduler.
 */

import { ArefPutEnterOp, ArefPutExitOp } from "../../../dialects/nvws/ops/aref.js";
import { buildIf } from "../../../dialects/scf/build.js";
import { IfOp, type IfView } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { PoisonOp } from "../../../dialects/ub/ops/index.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { LOOP_STAGE } from "../../ttg/software-pipelining/pipelined-loops.js";
import {
  getPartitionIds,
  getPartitionOutputs,
  getStageCluster,
  type PartitionIds,
  setPartition,
  setPartitionOutputs,
  setStageCluster,
} from "../automatic-warp-specialization/partition.js";
import { refuse } from "../not-specializable.js";
import { tokenType } from "./buffers.js";

const COMPUTING: PartitionIds = new Set([0]);
const MULTIPLYING: PartitionIds = new Set([1]);

export function splitTokenBranches(rw: Rewriter, func: Operation): void {
  const branches: IfView[] = [];
  func.walkPostOrder((op) => {
    const branch = IfOp.match(op);
    const block = branch?.thenRegion.firstBlock;
    const last = block?.lastOp?.prev;
    if (ArefPutExitOp.is(block?.firstOp) && last && ArefPutEnterOp.is(last)) branches.push(branch!);
  });
  for (const branch of branches) rw.from(branch, () => split(rw, branch));
}

function split(rw: Rewriter, branch: IfView): void {
  const { op, condition, thenRegion, elseRegion } = branch;
  const { dividesByFlow, branchesKeepGroups } = op.ctx.triton;
  const outputs = getPartitionOutputs(op);
  const loc = op.locRef;
  const then = thenRegion.firstBlock!;
  const elseEnd = elseRegion.firstBlock?.lastOp ?? refuse(op, "the branch takes tensor memory on one side only");
  const exit = then.firstOp!;
  const enter = ArefPutEnterOp.match(then.lastOp!.prev)!;
  const index = then.lastOp!.operands.indexOf(enter.token);
  if (index < 0) refuse(op, "the branch takes tensor memory and does not hand it on");
  rw.setBefore(op);
  const exitIf = buildIf(rw.builder, [], condition, false, { loc });
  exit.moveToStart(exitIf.thenRegion.firstBlock!);
  rw.setAfter(op);
  const enterIf = buildIf(rw.builder, [tokenType(rw.ctx)], condition, true, { loc });
  enter.op.moveToStart(enterIf.thenRegion.firstBlock!);
  rw.replaceAllUses(op.result(index), enterIf.op.result(0));
  rw.setEnd(enterIf.thenRegion.firstBlock!).create(YieldOp, { results: [enter.token] }, { loc });
  rw.setEnd(enterIf.elseRegion.firstBlock!).create(YieldOp, { results: [elseEnd.operand(index)] }, { loc });
  const poison = rw.setBefore(op).value(PoisonOp, {}, { loc, types: [tokenType(rw.ctx)] });
  then.lastOp!.setOperand(index, poison);
  elseEnd.setOperand(index, poison);
  const outer = branchesKeepGroups ? outputs[index]! : MULTIPLYING;
  const others = [...getPartitionIds(op)].filter((id) => !outer.has(id));
  const inner = !branchesKeepGroups ? COMPUTING : others.length > 0 ? new Set(others) : getPartitionIds(op);
  for (const [made, moved] of [
    [enterIf, enter.op],
    [exitIf, exit],
  ] as const) {
    made.op.setAttrs(op.attrs);
    if (dividesByFlow) setStageCluster(made.op, getStageCluster(moved));
    else made.op.setAttr(LOOP_STAGE, i32Attr(rw.ctx, 1));
    setPartition(made.op, outer);
  }
  setPartition(op, inner);
  setPartitionOutputs(exitIf.op, []);
  setPartitionOutputs(enterIf.op, [outer]);
  setPartitionOutputs(
    op,
    outputs.map((own, i) => (branchesKeepGroups && i !== index ? own : inner)),
  );
}
