/**
 * The loads of a scheduled loop go through buffers in LDS: from registers, or straight where asynchronous copies are wanted.
 * Source: third_party/amd/lib/TritonAMDGPUTransforms/LowerLoops.cpp.
 */
import type { ModuleAxisInfo } from "../../../analysis/module-axis-info.js";
import { AddIOp, CmpIOp, ConstantOp, SelectOp } from "../../../dialects/arith/ops/index.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { AsyncCommitGroupOp, AsyncCopyGlobalToLocalOp, AsyncWaitOp } from "../../../dialects/ttg/ops/async-copy.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import { bitWidth, numElements, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { type Explain, RemarkRefs } from "../../../pass/remark.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { addIterArgsToLoop, appendToYield } from "../../ttg/replace-with-new-signature.js";
import { replaceUsesWithLocalLoad } from "../../ttg/shared-memory-uses.js";
import { createAlloc, createSingleBufferView } from "../../ttg/software-pipelining/buffers.js";
import { type Cluster, CoarseSchedule } from "../../ttg/software-pipelining/coarse-schedule.js";
import { bodyOf, forLoops } from "../../ttg/software-pipelining/pipelined-loops.js";
import { scheduleDistanceOneDependencies, scheduleRemainingToLastStage } from "../../ttg/software-pipelining/schedule-rest.js";
import { loadContiguity } from "../../ttg/software-pipelining/shared-encoding-of-users.js";
import { familyOfModule } from "../module-target.js";
import {
  BYPASS_LDS,
  CHAINED_CLUSTERS,
  CHAINED_STAGES,
  type ChainedCluster,
  chainedDots,
  largestDistance,
  loadsOf,
  type PipelinedLoad,
  type PipelinedLoads,
} from "./loads.js";
import { canBeAsync, type LayoutRequest, sharedEncodingForDots } from "./shared-encoding.js";

export interface LoweringOptions {
  readonly useAsyncCopy: boolean;
  readonly usePingpong: boolean;
  readonly explain: Explain | undefined;
}

/** Lowers every scheduled loop. Returns how many there were. */
export function lowerLoops(rw: Rewriter, root: Operation, axes: () => ModuleAxisInfo, options: LoweringOptions): number {
  const loops = forLoops(root);
  if (loops.length === 0) return 0;
  const axisInfo = axes();
  return loops.filter((loop) => lowerLoop(rw, loop, axisInfo, options)).length;
}

function lowerLoop(rw: Rewriter, loop: ForView, axes: ModuleAxisInfo, options: LoweringOptions): boolean {
  const schedule = CoarseSchedule.deserialize(loop, false);
  if (!schedule) return false;
  const { numStages } = schedule;
  const request: LayoutRequest = { axes, family: familyOfModule(loop.op), useAsyncCopy: options.useAsyncCopy };
  const loads = new Map<Operation, PipelinedLoad>();
  for (const [load, { distance, use }] of loadsOf(loop, axes, numStages)) {
    const bypasses = load.hasAttr(BYPASS_LDS);
    if (bypasses) load.removeAttr(BYPASS_LDS);
    loads.set(load, { distance, use, encoding: bypasses ? undefined : sharedEncodingForDots(load, request) });
  }
  const lowering = new LoopLowering(rw, loop, loads, schedule, request, options.explain);
  const made = chainedDots(loop, numStages, loads)
    ? lowering.chained()
    : lowering.single(options.usePingpong && numStages === 3 && options.useAsyncCopy);
  schedule.serialize(made);
  return true;
}

/** The ops that a load became. */
interface Stream {
  readonly load: Operation;
  /** The copy with its group and wait; or the new load with the view of the buffer and the store to it. */
  readonly copy: Operation;
  readonly next: readonly Operation[];
  readonly wait: Operation | undefined;
  readonly localLoad: Operation | undefined;
}

class LoopLowering {
  constructor(
    readonly rw: Rewriter,
    readonly before: ForView,
    readonly loads: PipelinedLoads,
    readonly schedule: CoarseSchedule,
    readonly request: LayoutRequest,
    readonly explain: Explain | undefined,
  ) {}

  /** Loads in the first stages, what uses them in the last one. */
  single(waitAtTail: boolean): ForView {
    const { schedule, loads } = this;
    const last = schedule.numStages - 1;
    const storeStage = largestDistance(loads);
    if (storeStage > last) return this.before;
    const waitStage = waitAtTail ? Math.max(0, last - 1) : last;
    // A copy straight to LDS has no registers to wait in.
    const numBuffers = Math.max(1, last - storeStage) + (this.request.useAsyncCopy ? 1 : 0);
    const loadsAndStoresMeet = storeStage === last;
    const slots = [...schedule.slots.values()].map((slot) => ({ slot, isLoad: slot.cluster.index === 0 }));
    schedule.clusters.length = 0;
    const clusters = Array.from({ length: 5 }, () => schedule.newClusterAtBack());
    const at = (index: number): Cluster => clusters[index]!;
    // A wait comes first in a round, or last in the one before; loads, then what is computed, then stores.
    const [wait, global, store, compute] = [at(waitAtTail ? 4 : 0), at(1), at(3), at(loadsAndStoresMeet ? 4 : 1)];
    for (const { slot, isLoad } of slots) slot.cluster = isLoad ? global : compute;
    const { loop, streams } = this.#createStreams(numBuffers);
    for (const stream of streams) {
      const { stage, cluster } = schedule.get(stream.load);
      schedule.insert(stream.copy, stage, cluster);
      for (const op of stream.next) {
        if (stream.wait) schedule.insert(op, stage, cluster);
        else schedule.insert(op, storeStage, store);
      }
      if (stream.wait && stage !== last) schedule.insert(stream.wait, waitStage, wait);
    }
    this.#scheduleRest(loop, compute);
    return loop;
  }

  /** Two dots that feed one another: a stage of its own for the loads of each. */
  chained(): ForView {
    const { schedule, rw } = this;
    while (schedule.clusters.length < CHAINED_CLUSTERS.length) schedule.newClusterAtBack();
    const clusters = Object.fromEntries(CHAINED_CLUSTERS.map((name, i) => [name, schedule.clusters[i]!])) as Record<
      ChainedCluster,
      Cluster
    >;
    const { loop, streams } = this.#createStreams(this.request.useAsyncCopy ? 2 : 1);
    for (const { load, copy, next, wait, localLoad } of streams) {
      const { stage, cluster } = schedule.get(load);
      schedule.insert(copy, stage, cluster);
      const dot = stage === CHAINED_STAGES.globalLoad1 ? 1 : 2;
      for (const op of next) {
        if (wait) schedule.insert(op, stage, cluster);
        else schedule.insert(op, CHAINED_STAGES[`localWrite${dot}`], clusters[`localWrite${dot}`]);
      }
      const readStage = CHAINED_STAGES[`localLoad${dot}`];
      if (wait) schedule.insert(wait, readStage, clusters[`asyncWait${dot}`]);
      if (!localLoad) continue;
      schedule.insert(localLoad, readStage, clusters[`localLoad${dot}`]);
      // A conversion goes with the load, so that the two become one.
      const users = localLoad.result(0).users();
      const user = wait && users.length > 1 ? undefined : users[0];
      if (ConvertLayoutOp.is(user)) schedule.insert(user!, readStage, clusters[`localLoad${dot}`]);
    }
    for (const load of this.loads.keys()) {
      schedule.erase(load);
      if (!load.isUsed()) rw.erase(load);
    }
    this.#scheduleRest(loop, schedule.clusters[CHAINED_CLUSTERS.length - 1]!);
    return loop;
  }

  #scheduleRest(loop: ForView, cluster: Cluster): void {
    this.schedule.scheduleDependencies(loop);
    scheduleDistanceOneDependencies(loop, this.schedule);
    scheduleRemainingToLastStage(loop, this.schedule, cluster);
  }

  /** Puts each load with a layout in LDS into a ring of buffers, and carries the number of the buffer in use. */
  #createStreams(numBuffers: number): { readonly loop: ForView; readonly streams: readonly Stream[] } {
    const { rw, before, loads } = this;
    const options = { loc: before.op.locRef };
    return rw.from(before, () => {
      rw.setBefore(before);
      const [minusOne, zero, one, size] = [-1, 0, 1, numBuffers].map((n) =>
        rw.value(ConstantOp, { value: i32Attr(rw.ctx, n) }, options),
      ) as [Value, Value, Value, Value];
      const loop = addIterArgsToLoop(rw, before, [minusOne]);
      const body = bodyOf(loop);
      rw.setStart(body);
      const next = rw.value(AddIOp, { lhs: body.args.at(-1)!, rhs: one }, options);
      const fits = rw.value(CmpIOp, { predicate: "slt", lhs: next, rhs: size }, options);
      const index = rw.value(SelectOp, { condition: fits, true_value: next, false_value: zero }, options);
      appendToYield(loop, [index]);
      const streams: Stream[] = [];
      for (const [load, { encoding }] of loads) {
        if (!encoding || !LoadOp.is(load)) continue;
        const alloc = rw.from(load, () => createAlloc(rw, loop.op, load, encoding, numBuffers));
        const isAsync = this.request.useAsyncCopy && canBeAsync(load, numBuffers, encoding, this.request);
        streams.push(rw.from(load, () => (isAsync ? this.#asyncCopy(load, alloc, index) : this.#streamCopy(load, alloc, index))));
      }
      if (this.explain) this.#explainLoads(loop, streams, numBuffers, this.explain);
      return { loop, streams };
    });
  }
  #asyncCopy(load: Operation, alloc: Value, index: Value): Stream {
    const { rw } = this;
    const view = LoadOp.match(load)!;
    const { ptr: src, mask, other, cache, evict, isVolatile, result } = view;
    const options = { loc: load.locRef };
    const buffer = createSingleBufferView(rw.setBefore(load), alloc, index);
    const contiguity = loadContiguity(view, this.request.axes);
    const copy = rw.create(
      AsyncCopyGlobalToLocalOp,
      { src, result: buffer, mask, other, cache, evict, isVolatile, contiguity },
      options,
    ).op;
    const commit = rw.create(AsyncCommitGroupOp, { inputTokens: [copy.result(0)] }, options).op;
    const wait = rw.create(AsyncWaitOp, { asyncToken: [commit.result(0)], num: 0 }, options).op;
    return { load, copy, next: [commit], wait, localLoad: replaceUsesWithLocalLoad(rw, result, buffer, wait.result(0)) };
  }
  #streamCopy(load: Operation, alloc: Value, index: Value): Stream {
    const { rw } = this;
    const buffer = createSingleBufferView(rw.setBefore(load), alloc, index);
    const copy = rw.clone(load);
    const store = rw.create(LocalStoreOp, { src: copy.result(0), dst: buffer }, { loc: load.locRef }).op;
    return {
      load,
      copy,
      next: [buffer.definingOp!, store],
      wait: undefined,
      localLoad: replaceUsesWithLocalLoad(rw, load.result(0), buffer),
    };
  }

  #explainLoads(loop: ForView, streams: readonly Stream[], numBuffers: number, explain: Explain): void {
    let bytes = 0;
    const made = new Map(streams.map((stream) => [stream.load, stream]));
    for (const [load, { encoding }] of this.loads) {
      const stream = made.get(load);
      if (!stream) {
        const reason = encoding ? "it is no tt.load" : "its users do not read operands of dots from one layout in shared memory";
        explain(load, "pipeline.load", {
          kind: "applied",
          message: `{0} is started ahead and stays in registers: ${reason}`,
          fields: { reason },
        });
        continue;
      }
      const { shape, elementType } = (load.result(0).type as TensorType).params;
      const size = (numElements(shape) * (bitWidth(elementType) ?? 64)) / 8;
      bytes += numBuffers * size;
      const how = stream.wait ? "is copied straight to" : "is loaded to registers and stored to";
      explain(stream.copy, "pipeline.load", {
        kind: "applied",
        message: `{0} ${how} a ring of ${numBuffers} buffer${numBuffers === 1 ? "" : "s"} of ${size} bytes`,
        fields: { buffers: numBuffers, bytes: numBuffers * size },
      });
    }
    const refs = new RemarkRefs(loop.op);
    explain(loop.op, "pipeline.loop", {
      kind: "applied",
      message: `{0} gets ${this.schedule.numStages} stages; ${streams.length} of ${this.loads.size} loads go through shared memory, ${bytes} bytes in all`,
      refs: refs.list,
      fields: { stages: this.schedule.numStages, buffers: numBuffers, bytes },
    });
  }
}
