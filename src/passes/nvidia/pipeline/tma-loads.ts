/**
 * Loads through descriptors in a pipelined loop: TMA copies that signal a barrier, for which the first user waits.
 * Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/LowerLoops.cpp, createTMABarrierAndWait, createTMAAsyncCopy.
 */
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { BarrierExpectOp, WaitBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { boolAttr } from "../../../ir/builtin-attrs.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { replaceUsesWithLocalLoad } from "../../ttg/shared-memory-uses.js";
import { createSingleBufferView } from "../../ttg/software-pipelining/buffers.js";
import { type CoarseSchedule, inSlot } from "../../ttg/software-pipelining/coarse-schedule.js";
import { findAncestorInBlock } from "../../ttg/software-pipelining/pipelined-loops.js";
import { bytesPerCTA, copyFromDescriptor, isTMALoad } from "../tma/tma-copies.js";
import { type AsyncLoad, firstUse, mustLoadToRegisters } from "./pipelined-loads.js";
import { createBarrierAlloc, type Indices, type Ring } from "./rings.js";

/** The barrier that a copy signals, and the wait for it. */
export interface BarrierAndWait {
  readonly barrier: Value;
  readonly wait: Operation;
}

/** Makes one barrier (of a ring of them) for each group of loads, which says how many bytes are to come, and one wait. */
export function createBarriersAndWaits(
  rw: Rewriter,
  loop: ForView,
  loads: readonly AsyncLoad[],
  indices: ReadonlyMap<number, Indices>,
  schedule: CoarseSchedule,
): ReadonlyMap<Operation, BarrierAndWait> {
  const made = new Map<Operation, BarrierAndWait>();
  for (const { ops, buffers } of commonWaitGroups(loads, schedule)) {
    const first = ops[0]!;
    const last = ops.at(-1)!;
    const { insert, extract, phase } = indices.get(buffers)!;
    const size = ops.reduce((bytes, op) => bytes + bytesOf(op.result(0).type as TensorType), 0);
    const options = { loc: loop.op.locRef };
    rw.from(first, () => {
      const alloc = createBarrierAlloc(rw, loop.op, buffers);
      const barrier = inSlot(rw.setBefore(first), schedule, schedule.get(first), () => {
        const view = createSingleBufferView(rw, alloc, insert);
        const pred = rw.value(ConstantOp, { value: boolAttr(rw.ctx, true) }, options);
        rw.create(BarrierExpectOp, { alloc: view, size, pred }, options);
        return view;
      });
      const wait = inSlot(rw.setAfter(last), schedule, firstUse(ops, loop, schedule), () => {
        const view = createSingleBufferView(rw, alloc, extract);
        return rw.create(WaitBarrierOp, { alloc: view, phase: phase!, deps: [] }, options).op;
      });
      for (const op of ops) made.set(op, { barrier, wait });
    });
  }
  return made;
}

const bytesOf = (type: TensorType): number => bytesPerCTA(type, type.params.encoding!);

interface WaitGroup {
  readonly ops: readonly Operation[];
  readonly buffers: number;
}
/** Loads that follow each other, of the same place in the schedule, with no use of one before the last. */
function commonWaitGroups(loads: readonly AsyncLoad[], schedule: CoarseSchedule): WaitGroup[] {
  const buffersOf = new Map(loads.map(({ op, buffers }) => [op, buffers]));
  const groups: WaitGroup[] = [];
  const visited = new Set<Operation>();
  for (const { op: load, buffers } of loads) {
    if (!isTMALoad(load) || visited.has(load)) continue;
    const users = new Set<Operation>();
    const ops: Operation[] = [];
    const add = (op: Operation): void => {
      ops.push(op);
      visited.add(op);
      for (const user of op.result(0).users()) {
        // A buffer for wgmma goes: then its users use the load.
        if (!mustLoadToRegisters(op) && user.block === load.block) for (const further of user.result(0).users()) users.add(further);
        else {
          const inBlock = findAncestorInBlock(load.block!, user);
          if (inBlock) users.add(inBlock);
        }
      }
    };
    add(load);
    const { stage, cluster } = schedule.get(load);
    for (let next = load.next; next && !users.has(next) && !visited.has(next); next = next.next) {
      const own = isTMALoad(next) ? buffersOf.get(next) : undefined;
      if (own === undefined) continue;
      if (own !== buffers) break;
      const slot = schedule.get(next);
      if (slot.stage === stage && slot.cluster === cluster) add(next);
    }
    groups.push({ ops, buffers });
  }
  return groups;
}

/** Makes a load a TMA copy; what uses it reads the buffer after the wait. */
export function createTMAAsyncCopy(
  rw: Rewriter,
  loop: ForView,
  op: Operation,
  { alloc, insert, extract }: Ring,
  { barrier, wait }: BarrierAndWait,
  schedule: CoarseSchedule,
): void {
  const use = firstUse([op], loop, schedule);
  inSlot(rw.setBefore(op), schedule, schedule.get(op), () => {
    const view = createSingleBufferView(rw, alloc, insert);
    const pred = rw.value(ConstantOp, { value: boolAttr(rw.ctx, true) }, { loc: op.locRef });
    copyFromDescriptor(rw, op, barrier, view, pred);
  });
  inSlot(rw.setAfter(wait), schedule, use, () => replaceUsesWithLocalLoad(rw, op.result(0), createSingleBufferView(rw, alloc, extract)));
  schedule.erase(op);
  rw.erase(op);
}
