/** ttng: mbarriers, fences, and barriers of clusters. */

import * as ttng from "../../../dialects/ttng/ops/index.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Rule } from "../instructions.js";
import { learn } from "../partition-order.js";
import type { AsyncOp } from "../shared-memory.js";
import { numberAt, type Tensor } from "../value.js";
import { nothing } from "./shared.js";
import { descAt, on, slotFinder } from "./slots.js";

const fence: Rule = () => (_, machine) => machine.shared.fence();
const initBarrier: Rule = ({ op, ins }) => {
  const { count } = ttng.InitBarrierOp.match(op)!;
  return ({ env }, machine) => void machine.shared.initBarrier(descAt(env, ins[0]), count);
};
const invalBarrier: Rule =
  ({ ins }) =>
  ({ env }) => {
    const { buffer, at } = descAt(env, ins[0]);
    buffer.barriers.delete(at[0]!);
  };
const barrierExpect: Rule = (instruction) => {
  const v = ttng.BarrierExpectOp.match(instruction.op)!;
  const [alloc, pred] = [v.alloc, v.pred].map(slotFinder(instruction));
  return ({ env }, machine) => {
    if (!on(env, pred)) return;
    const barrier = machine.shared.barrier(instruction.op, descAt(env, alloc));
    machine.shared.transfer(barrier, v.size);
    machine.shared.arrive(instruction.op, barrier, 1);
  };
};
const waitBarrier: Rule = (instruction) => {
  const { op } = instruction;
  const v = ttng.WaitBarrierOp.match(op)!;
  const [alloc, phase, pred] = [v.alloc, v.phase, v.pred].map(slotFinder(instruction));
  return ({ env }, machine) => {
    if (!on(env, pred)) return;
    const barrier = machine.shared.barrier(op, descAt(env, alloc));
    const parity = numberAt(env[phase!] as Tensor);
    const { clock } = machine.current;
    machine.wait(op, `phase ${parity} of a barrier (${barrier.pending} arrivals and ${barrier.bytes} bytes to come)`, () => {
      const ended = machine.shared.phaseEnded(barrier, parity);
      if (ended) learn(clock.times, barrier.known);
      return ended;
    });
  };
};
const arriveBarrier: Rule = (instruction) => {
  const { op } = instruction;
  const v = ttng.ArriveBarrierOp.match(op)!;
  const [alloc, pred] = [v.alloc, v.pred].map(slotFinder(instruction));
  return ({ env }, machine) => {
    if (on(env, pred)) machine.shared.arrive(op, machine.shared.barrier(op, descAt(env, alloc)), v.count);
  };
};
/** Every thread of the program arrives when its copies are done; unless `noIncrement`, it had announced itself first. */
const copyArrive: Rule = ({ op, ins }) => {
  const { noIncrement } = ttng.AsyncCopyMbarrierArriveOp.match(op)!;
  return ({ env }, machine) => {
    const barrier = machine.shared.barrier(op, descAt(env, ins[0]));
    const { async } = machine.current;
    const copies = [...async.groups.flat(), ...async.open];
    const all: AsyncOp = machine.shared.begin({
      op,
      effect: () => {
        for (const { end } of copies) end();
        if (noIncrement) machine.shared.arrive(op, barrier, barrier.pending);
      },
    });
    barrier.waitsFor.push(all);
  };
};

export const MBARRIERS: readonly (readonly [OpDef, Rule])[] = [
  [ttng.FenceAsyncSharedOp, fence],
  [ttng.FenceMBarrierInitReleaseClusterOp, nothing],
  [ttng.ClusterArriveOp, nothing],
  [ttng.ClusterBarrierOp, nothing],
  [ttng.ClusterWaitOp, nothing],
  [ttng.InitBarrierOp, initBarrier],
  [ttng.InvalBarrierOp, invalBarrier],
  [ttng.BarrierExpectOp, barrierExpect],
  [ttng.WaitBarrierOp, waitBarrier],
  [ttng.ArriveBarrierOp, arriveBarrier],
  [ttng.AsyncCopyMbarrierArriveOp, copyArrive],
];
