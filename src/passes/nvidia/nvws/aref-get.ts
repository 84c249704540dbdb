/** The consumer's side of a value that comes from another partition. Source: third_party/nvidia/lib/Dialect/NVWS/Transforms/InsertAref.cpp. */

import { ArefGetEnterOp, ArefGetExitOp } from "../../../dialects/nvws/ops/aref.js";
import { AsyncOpAttr, type AsyncOpKind } from "../../../dialects/nvws/types.js";
import { valueLocation } from "../../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { UnsplatOp } from "../../../dialects/tt/ops/shape.js";
import { LocalAllocOp, LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { WarpGroupDotOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { Block } from "../../../ir/block.js";
import { RankedTensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { replaceUsesAndPropagateType } from "../../ttg/shared-memory-uses.js";
import { CoarseSchedule } from "../../ttg/software-pipelining/coarse-schedule.js";
import { findAncestorInBlock, forLoops, SCHEDULED_MAX_STAGE } from "../../ttg/software-pipelining/pipelined-loops.js";
import {
  getPartitionIds,
  getStageCluster,
  hasPartition,
  place,
  type StageCluster,
  setPartition,
} from "../automatic-warp-specialization/partition.js";
import { refuse } from "../not-specializable.js";
import { getTopLevelUsersInLoop } from "../pipeline/pipelined-loads.js";
import { tensorTypeOfScalar } from "./aref-put.js";
import { lastOf } from "./block-order.js";
import { buffersOf, bufferViewType, tokenType } from "./buffers.js";
import { type Consumer, transitiveConsumers } from "./consumers.js";

/** A partition reads a value from an aref, from its first use in `block` on. */
export function getFromAref(rw: Rewriter, loop: ForView, aref: Value, block: Block, consumer: Consumer): void {
  const { partition, values, uses } = consumer;
  const ids = [partition];
  const [first] = values;
  const loc = valueLocation(first!);
  const from = uses.map(({ owner }) => findAncestorInBlock(block, owner)!).reduce((a, b) => (b.isBeforeInBlock(a) ? b : a));
  const places = placesOfUses(loop, consumer);
  rw.setBefore(from);
  const types = [bufferViewType(buffersOf(aref), false), tokenType(rw.ctx)];
  const enter = place(rw.create(ArefGetEnterOp, { aref }, { loc, types }), ids, places.enter);
  const consumers = transitiveConsumers(values, partition);
  if (consumers.length === 0) refuse(from, "several partitions, or several at once, read a buffer that another one fills");
  const buffer = enter.buffers[0]!;
  let last: Operation | undefined;
  const load = (value: Value, type: Value["type"]): Value => {
    const local = place(rw.create(LocalLoadOp, { src: buffer }, { loc, types: [type] }), ids, places.enter);
    // Once it is in registers the buffer is free, unless it is used as a buffer too.
    if (buffer.hasOneUse() || type !== value.type) last = local.op;
    return local.result;
  };
  for (const value of values) {
    if (LocalAllocOp.is(value.definingOp))
      replaceUsesAndPropagateType(rw, value, buffer, (old, view) => {
        if (!getPartitionIds(old).has(partition)) refuse(old, "several partitions read a buffer that another one fills");
        setPartition(view, ids);
      });
    else if (RankedTensorType.is(value.type)) {
      const local = load(value, value.type);
      for (const use of uses) if (use.value === value) use.set(local);
    } else {
      const src = load(value, tensorTypeOfScalar(value));
      const scalar = place(rw.create(UnsplatOp, { src }, { loc }), ids, places.enter).result;
      for (const use of uses) use.set(scalar);
    }
  }
  rw.setAfter(last ?? lastOf(consumers)!);
  // The ops in a loop say how it uses the buffer.
  const users = aref.type.ctx.triton.dividesByFlow && consumers.length > 1 ? consumers.filter((op) => !ForOp.is(op)) : consumers;
  const async_ops = [...new Set(users.map(kindOf))].map((value) => AsyncOpAttr.get(rw.ctx, { value }));
  place(rw.create(ArefGetExitOp, { aref, token: enter.token, async_ops }, { loc }), ids, places.exit);
}

function kindOf(consumer: Operation): AsyncOpKind {
  if (WarpGroupDotOp.is(consumer)) return "wgmma";
  return consumer.def.interface(MMAv5OpInterface) ? "tc5mma" : "none";
}

/** Where in the loop's schedule a partition begins and ends to use values. */
function placesOfUses(
  loop: ForView,
  { partition, values }: Consumer,
): { readonly enter?: StageCluster | undefined; readonly exit?: StageCluster | undefined } {
  const { dividesByFlow } = loop.op.ctx.triton;
  const scheduled = dividesByFlow ? forLoops(loop.op).findLast(({ op }) => op.hasAttr(SCHEDULED_MAX_STAGE)) : loop;
  const schedule = scheduled && CoarseSchedule.deserialize(scheduled);
  // Values of outside of the scheduled loop have no place in it.
  const inLoop = [...values].filter(({ definingOp }) => !dividesByFlow || (definingOp && scheduled?.op.isAncestorOf(definingOp)));
  if (!schedule || inLoop.length === 0) return {};
  const users = new Set<Operation>();
  for (const value of inLoop) {
    const { definingOp, argOwner } = value;
    if (argOwner) {
      const around = argOwner.parentOp!;
      const yielded = ForOp.is(around) ? argOwner.lastOp!.operand(value.index - 1).definingOp : undefined;
      const at = getStageCluster(yielded ?? refuse(around, "a carried value that goes to another partition comes from two rounds before"));
      return { enter: at, exit: at };
    }
    for (const user of getTopLevelUsersInLoop(definingOp!, scheduled, (op) => hasPartition(op) && getPartitionIds(op).has(partition)))
      users.add(user);
  }
  for (const user of users) if (!schedule.has(user)) refuse(user, "the op's place in the loop's schedule is not known");
  const [first = refuse(loop.op, "a value that another partition uses has no user")] = users;
  let [enter, exit] = [first, first];
  for (const user of users) {
    if (schedule.isOpBefore(user, enter)) enter = user;
    if (schedule.isOpBefore(exit, user)) exit = user;
  }
  return { enter: getStageCluster(enter), exit: getStageCluster(exit) };
}
