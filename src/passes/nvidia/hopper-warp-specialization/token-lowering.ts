/**
 * A token becomes two rings of barriers, one for full and one for free buffers; acquire and wait wait for them, commit and release
 * arrive at them. Source: WarpSpecialization/WSLowerToken.cpp.
 */
import { XOrIOp } from "../../../dialects/arith/ops/bitwise.js";
import { ExtUIOp } from "../../../dialects/arith/ops/cast.js";
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { BarrierOp } from "../../../dialects/gpu/ops/index.js";
import { ConsumerReleaseOp, ConsumerWaitOp, CreateTokenOp, ProducerAcquireOp, ProducerCommitOp } from "../../../dialects/nvws/ops/token.js";
import { enclosingModule, getNumCTAs } from "../../../dialects/ttg/num-warps.js";
import * as ttg from "../../../dialects/ttg/ops/since-3-7.js";
import { partitionRegionsOf, WarpSpecializeOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import { ArriveBarrierOp, InitBarrierOp, WaitBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { boolAttr, i32Attr } from "../../../ir/builtin-attrs.js";
import { i32 } from "../../../ir/builtin-types.js";
import { ancestorInRegion } from "../../../ir/dominance.js";
import type { LocationRef } from "../../../ir/location.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { createSingleBufferView } from "../../ttg/software-pipelining/buffers.js";
import { refuse } from "../not-specializable.js";
import { TaskBuilder } from "./async-task-ids.js";
import { barrierAlloc, bufferView } from "./buffers.js";

/** All threads of a task arrive. */
const THREADS_PER_TASK = 128;

/** Lowers all tokens of the module that a function is in. */
export function doTokenLowering(rw: Rewriter, func: Operation): void {
  const module = enclosingModule(func)!;
  if (getNumCTAs(module) !== 1) refuse(func, "warp groups of several CTAs cannot hand values to each other");
  const tokens: Operation[] = [];
  module.walkPostOrder((op) => {
    if (CreateTokenOp.is(op)) tokens.push(op);
  });
  for (const token of tokens) rw.from(token, () => lowerToken(rw, token));
}

interface Barriers {
  readonly full: Value;
  readonly empty: Value;
  /** How many arrivals say that a buffer is full. */
  readonly fullCount: number;
  readonly loc: LocationRef;
}

function lowerToken(rw: Rewriter, op: Operation): void {
  const { numBuffers, loadType, result } = CreateTokenOp.match(op)!;
  const loc = op.locRef;
  rw.setBefore(op);
  const full = barrierAlloc(rw, op, numBuffers);
  const empty = barrierAlloc(rw, op, numBuffers);
  const barriers = { full, empty, fullCount: loadType === "tmaLoadOp" ? 1 : THREADS_PER_TASK, loc };
  for (let i = 0; i < numBuffers; i++) {
    const index = rw.value(ConstantOp, { value: i32Attr(rw.ctx, i) }, { loc });
    rw.create(InitBarrierOp, { alloc: createSingleBufferView(rw, full, index), count: barriers.fullCount }, { loc });
    rw.create(InitBarrierOp, { alloc: createSingleBufferView(rw, empty, index), count: THREADS_PER_TASK }, { loc });
  }
  if (rw.ctx.triton.barriersNameMemory) rw.create(ttg.BarrierOp, { addrSpace: ttg.LOCAL }, { loc });
  else rw.create(BarrierOp, {}, { loc });

  for (const { owner, index } of [...result.uses()]) {
    if (!WarpSpecializeOp.is(owner)) lowerUser(rw, owner, barriers);
    else {
      for (const region of partitionRegionsOf(owner))
        for (const user of region.firstBlock!.args[index]!.users()) lowerUser(rw, user, barriers);
      replaceCapture(rw, owner, index, [full, empty]);
    }
  }
  rw.erase(op);
}

/** The partitions get other values in place of a capture that they no longer use. */
function replaceCapture(rw: Rewriter, wsOp: Operation, index: number, values: readonly Value[]): void {
  wsOp.eraseOperands(new Set([index]));
  wsOp.appendOperands(values);
  for (const region of partitionRegionsOf(wsOp)) {
    const block = region.firstBlock!;
    block.eraseArgument(index);
    for (const value of values) {
      const arg = block.addArgument(value.type, value.definingOp!.locRef);
      rw.replaceUsesWhere(value, arg, ({ owner }) => ancestorInRegion(owner, block.region!) !== undefined);
    }
  }
}

/** Lowers an op on a token to ops on a barrier. */
function lowerUser(rw: Rewriter, op: Operation, { full, empty, fullCount, loc }: Barriers): void {
  const acquire = ProducerAcquireOp.match(op);
  const wait = acquire ?? ConsumerWaitOp.match(op);
  const release = ConsumerReleaseOp.match(op);
  if (ProducerCommitOp.is(op) && fullCount !== 1)
    refuse(op, "only loads through tensor descriptors can be handed to other warp groups: nothing signals that others are done");
  const b = new TaskBuilder(rw.setBefore(op)).inTasksOf(op);
  const alloc = bufferView(b, acquire || release ? empty : full, op.operand(1), { loc });
  const at = { loc: op.locRef };
  if (wait) {
    // A buffer is free at first: its producer waits for the phase before.
    const before = acquire && rw.value(ConstantOp, { value: boolAttr(rw.ctx, true) }, at);
    const parity = before ? rw.value(XOrIOp, { lhs: wait.phase, rhs: before }, at) : wait.phase;
    const phase = rw.value(ExtUIOp, { in: parity }, { ...at, types: [i32(rw.ctx)] });
    b.create(WaitBarrierOp, { alloc, phase, deps: [] }, at);
  } else b.create(ArriveBarrierOp, { alloc, count: release ? THREADS_PER_TASK : fullCount }, at);
  rw.erase(op);
}
