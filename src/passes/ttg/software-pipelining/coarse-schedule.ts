/**
 * A coarse schedule of a loop: each op has a stage (how many rounds after its own it runs) and a cluster (where in a round).
 * Ops of one cluster keep their order. Source: include/triton/Dialect/TritonGPU/Transforms/Schedule.h, Pipeliner/Schedule.cpp.
 */
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { i32Attr, intOf } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { PassError } from "../../../pass/pass-error.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { bodyOf, getNestedOperands, LOOP_CLUSTER, LOOP_STAGE, SCHEDULED_MAX_STAGE } from "./pipelined-loops.js";

/** A group of ops; `index` is its place in the list of clusters. */
export interface Cluster {
  index: number;
}
/** Where an op is in a schedule. */
export interface Slot {
  stage: number;
  cluster: Cluster;
}
/** An op with its place. */
export interface Scheduled extends Slot {
  readonly op: Operation;
}

/** A stage and a cluster for each op of a loop. Source: include/triton/Dialect/TritonGPU/Transforms/Schedule.h. */
export class CoarseSchedule {
  readonly clusters: Cluster[] = [];
  readonly slots = new Map<Operation, Slot>();
  constructor(public numStages = 0) {}

  newClusterAtBack(): Cluster {
    const cluster = { index: this.clusters.length };
    this.clusters.push(cluster);
    return cluster;
  }
  newClusterAtFront(): Cluster {
    return this.#insertCluster(0);
  }
  newClusterBefore(cluster: Cluster): Cluster {
    return this.#insertCluster(cluster.index);
  }
  #insertCluster(at: number): Cluster {
    const cluster = { index: at };
    this.clusters.splice(at, 0, cluster);
    for (let i = at + 1; i < this.clusters.length; i++) this.clusters[i]!.index = i;
    return cluster;
  }

  get empty(): boolean {
    return this.slots.size === 0;
  }
  has(op: Operation): boolean {
    return this.slots.has(op);
  }
  get(op: Operation): Slot {
    const slot = this.slots.get(op);
    if (!slot) throw new PassError(op, "the loop's schedule has no stage for the op, which it needs", "pass.schedule");
    return slot;
  }
  insert(op: Operation, stage: number, cluster: Cluster): void {
    this.numStages = Math.max(this.numStages, stage + 1);
    this.slots.set(op, { stage, cluster });
  }
  insertIfAbsent(op: Operation, stage: number, cluster: Cluster): boolean {
    if (this.slots.has(op)) return false;
    this.insert(op, stage, cluster);
    return true;
  }
  /** Puts an op there unless it is earlier already. Returns whether that changed anything. */
  insertMinimum(op: Operation, stage: number, cluster: Cluster): boolean {
    const slot = this.slots.get(op);
    if (!slot) {
      this.slots.set(op, { stage, cluster });
      return true;
    }
    if (stage > slot.stage || (stage === slot.stage && cluster.index >= slot.cluster.index)) return false;
    slot.stage = stage;
    slot.cluster = cluster;
    return true;
  }
  erase(op: Operation): void {
    this.slots.delete(op);
  }

  /** Whether `a` comes before `b` when all rounds are written out. */
  isOpBefore(a: Operation, b: Operation): boolean {
    const [first, second] = [this.get(a), this.get(b)];
    if (first.stage !== second.stage) return first.stage < second.stage;
    if (first.cluster !== second.cluster) return first.cluster.index < second.cluster.index;
    return a.isBeforeInBlock(b);
  }
  /** The first of some ops that runs after `op` when rounds overlap. Source: Schedule.cpp, LinearizedIterator (3.7). */
  firstAfter(op: Operation, among: ReadonlySet<Operation>, loop: ForView): Operation | undefined {
    const ops = bodyOf(loop).opsWithoutTerminator();
    const { stage, cluster } = this.get(op);
    for (let limit = stage, at = cluster.index, from = ops.indexOf(op) + 1; ; from = 0) {
      for (const other of ops.slice(from)) {
        const slot = this.slots.get(other);
        if (slot?.cluster.index !== at) continue;
        if (other === op && limit >= this.numStages) return undefined;
        if (slot.stage <= limit && among.has(other)) return other;
      }
      at = (at + 1) % this.clusters.length;
      if (at === 0) limit++;
    }
  }
  /** Moves what is before `op` in its cluster to a new one before it. Returns the op's cluster. */
  splitClusterBefore(op: Operation, loop: ForView): Cluster {
    const { cluster } = this.get(op);
    let before: Cluster | undefined;
    for (const other of bodyOf(loop).opsWithoutTerminator()) {
      if (other === op) break;
      const slot = this.slots.get(other);
      if (slot?.cluster === cluster) slot.cluster = before ??= this.newClusterBefore(cluster);
    }
    return cluster;
  }

  /** Schedules what an op needs with it; `includeArg` goes through carried values to the round before. */
  insertDepsOfOp(op: Operation, stage: number, cluster: Cluster, includeArg: boolean): void {
    const block = op.block!;
    for (const operand of getNestedOperands(op)) {
      let value = operand;
      const seen = new Set<Value>();
      while (includeArg && value.argOwner === block && value.index > 0 && !seen.has(value)) {
        seen.add(value);
        value = block.lastOp!.operand(value.index - 1);
      }
      const def = value.definingOp;
      if (def?.block === block && this.insertMinimum(def, stage, cluster)) this.insertDepsOfOp(def, stage, cluster, includeArg);
    }
  }
  /** Schedules what the scheduled ops need, stage by stage. */
  scheduleDependencies(loop: ForView): void {
    const ops = this.getOpsInOrder(loop);
    for (let stage = 0; stage < this.numStages; stage++)
      for (const { op, stage: own, cluster } of ops) if (own === stage) this.insertDepsOfOp(op, stage, cluster, false);
  }

  /** The loop's scheduled ops, cluster by cluster. */
  getOpsInOrder(loop: ForView): Scheduled[] {
    const byCluster: Scheduled[][] = this.clusters.map(() => []);
    for (const op of bodyOf(loop).opsWithoutTerminator()) {
      const slot = this.slots.get(op);
      if (slot) byCluster[slot.cluster.index]!.push({ op, ...slot });
    }
    return byCluster.flat();
  }

  /** Writes the schedule to the IR as attributes. */
  serialize(loop: ForView): void {
    const { ctx } = loop.op;
    for (const { op, stage, cluster } of this.getOpsInOrder(loop)) {
      op.setAttr(LOOP_STAGE, i32Attr(ctx, stage));
      op.setAttr(LOOP_CLUSTER, i32Attr(ctx, cluster.index));
    }
    const known = intOf(loop.op.attr(SCHEDULED_MAX_STAGE));
    loop.op.setAttr(SCHEDULED_MAX_STAGE, i32Attr(ctx, Math.max(this.numStages - 1, known ?? -1)));
  }
  /** The schedule that a loop's attributes describe; undefined when it has none. Clusters before the first used one go, or stay empty. */
  static deserialize(loop: ForView, normalize = true): CoarseSchedule | undefined {
    const maxStage = intOf(loop.op.attr(SCHEDULED_MAX_STAGE));
    if (maxStage === undefined) return undefined;
    const schedule = new CoarseSchedule(maxStage + 1);
    const placed: { readonly op: Operation; readonly stage: number; readonly cluster: number }[] = [];
    for (const op of bodyOf(loop).opsWithoutTerminator()) {
      const stage = intOf(op.attr(LOOP_STAGE));
      const cluster = intOf(op.attr(LOOP_CLUSTER));
      if (stage !== undefined && cluster !== undefined) placed.push({ op, stage, cluster });
    }
    if (placed.length === 0) return schedule;
    const first = normalize ? placed.reduce((least, { cluster }) => Math.min(least, cluster), Infinity) : 0;
    const last = placed.reduce((most, { cluster }) => Math.max(most, cluster), 0);
    for (let i = first; i <= last; i++) schedule.newClusterAtBack();
    for (const { op, stage, cluster } of placed) schedule.insert(op, stage, schedule.clusters[cluster - first]!);
    return schedule;
  }
}

/** Runs `body`; what it makes gets that place in the schedule, if there is one. Source: Schedule.h, OpBuilderForStage. */
export function inSlot<T>({ builder }: Rewriter, schedule: CoarseSchedule, slot: Slot | undefined, body: () => T): T {
  const { onInsert } = builder;
  builder.onInsert = (op) => {
    onInsert?.(op);
    if (slot) schedule.insert(op, slot.stage, slot.cluster);
  };
  try {
    return body();
  } finally {
    builder.onInsert = onInsert;
  }
}
