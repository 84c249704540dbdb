/**
 * Channels between tasks: a channel leads from a load or dot, which one task does, to an op of other tasks that uses its result.
 * Source: WarpSpecialization/WSCodePartition.cpp, CodePartitionUtility.h.
 */
import { getBackwardSlice } from "../../../analysis/slices.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { DotOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import { Dominance } from "../../../ir/dominance.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import { NUM_STAGES } from "../../ttg/software-pipelining/pipelined-loops.js";
import { refuse } from "../not-specializable.js";
import { getAsyncTaskIds, sameTasks } from "./async-task-ids.js";
import { isTransposition } from "./partition-scheme.js";

export interface Channel {
  readonly producer: number;
  readonly consumers: readonly number[];
  /** The op that uses what is handed over, as operand `index`. */
  readonly dst: Operation;
  readonly index: number;
  readonly numBuffers: number;
}
export const srcValueOf = ({ dst, index }: Channel): Value => dst.operand(index);
/** The op that makes what is handed over: at last the load from a buffer that was put in its place. */
export function srcOpOf(channel: Channel): Operation {
  const op = srcValueOf(channel).definingOp;
  if (!op) refuse(channel.dst, "what a loop carries cannot be handed from warp group to warp group");
  return op;
}

/** Channels of a function, in program order of the ops that they start at. */
export function collectChannels(func: Operation, numBuffers: number): Channel[] {
  const dominance = new Dominance();
  const channels: Channel[] = [];
  func.walkPostOrder((op) => {
    if (!LoadOp.is(op) && !DescriptorLoadOp.is(op) && !op.def.interface(DotOpInterface)) return;
    const [producer, ...others] = getAsyncTaskIds(op);
    if (producer === undefined || others.length > 0) return;
    if (op.def.interface(MMAv5OpInterface)) refuse(op, `'${op.name}' is no op of Hopper's: its tasks cannot be code of their own`);
    const stages = intOf(op.parentOfType(ForOp)?.attr(NUM_STAGES));
    for (const result of op.results)
      for (const { owner, index } of realUsesOf(result)) {
        const after = op.block === owner.block ? op : op.parentOp!;
        if (!dominance.properlyDominates(after, owner)) continue;
        const consumers = getAsyncTaskIds(owner).filter((id) => id !== producer);
        if (consumers.length === 0) continue;
        if (ForOp.is(owner) || IfOp.is(owner))
          refuse(owner, `'${owner.name}' takes what one warp group computes, but belongs to others as well`);
        channels.push({ producer, consumers, dst: owner, index, numBuffers: stages ?? numBuffers });
      }
  });
  return channels;
}

/** Uses of a value, the first one in each op; those of yields are uses of what they yield it to. */
function realUsesOf(root: Value): Set<OpOperand> {
  const uses = new Set<OpOperand>();
  const visit = (value: Value): void => {
    for (const { owner, index } of value.uses()) {
      if (YieldOp.is(owner)) visit(owner.parentOp!.result(index));
      else uses.add(owner.operandUses.find((use) => use.value === value)!);
    }
  };
  visit(root);
  return uses;
}

/** Who reads what an op uses: of a buffer that is filled with it those who read that, through transpositions. */
export function getActualConsumers(op: Operation): Operation[] {
  if (!LocalAllocOp.is(op)) return [op];
  const readers = new Set<Operation>();
  const visit = (view: Operation): void => {
    for (const user of view.result(0).users()) {
      if (isTransposition(user)) visit(user);
      else readers.add(user);
    }
  };
  visit(op);
  return [...readers];
}
/** The only op that reads what an op uses; the op itself when there are several. */
export function getUniqueActualConsumer(op: Operation): Operation {
  const consumers = getActualConsumers(op);
  return consumers.length === 1 ? consumers[0]! : op;
}

/** Channels that share a buffer (by producer) and those that share tokens and barriers (by consumer). */
export interface ChannelGroups {
  readonly byProducer: readonly (readonly Channel[])[];
  readonly byConsumer: readonly (readonly Channel[])[];
}

/** Upstream's maps are keyed by pointers, and their order changes from run to run; here it is that of the channels. */
export function groupChannels(channels: readonly Channel[]): ChannelGroups {
  const byProducer = new Map<Operation, Channel[]>();
  const byConsumer = new Map<Operation, Channel[]>();
  const add = (groups: Map<Operation, Channel[]>, key: Operation, channel: Channel): void => {
    const group = groups.get(key);
    if (group) group.push(channel);
    else groups.set(key, [channel]);
  };
  for (const channel of channels) {
    add(byProducer, srcOpOf(channel), channel);
    const mergeable = [...byConsumer.values()].find(([first]) => canBeMerged(channel, first!));
    if (mergeable) mergeable.push(channel);
    else add(byConsumer, channel.dst, channel);
  }
  for (const group of byConsumer.values()) {
    const { block } = srcOpOf(group[0]!);
    const at = new Map([...block!.ops()].map((op, i) => [op, i]));
    group.sort((a, b) => (at.get(srcOpOf(a)) ?? 0) - (at.get(srcOpOf(b)) ?? 0));
  }
  return { byProducer: [...byProducer.values()], byConsumer: [...byConsumer.values()] };
}

/** Whether two channels lead from one block to one op, at last: then one set of barriers does for both. */
function canBeMerged(a: Channel, b: Channel): boolean {
  const [srcA, srcB] = [srcOpOf(a), srcOpOf(b)];
  if (srcA.block !== srcB.block) return false;
  if (a.dst === b.dst) return true;
  if (!sameTasks(srcA, srcB) || !sameTasks(a.dst, b.dst)) return false;
  const reader = getUniqueActualConsumer(a.dst);
  return reader === getUniqueActualConsumer(b.dst) && reader.block === a.dst.block;
}

/** Brings producers of one block in an order in which no consumer waits for what only others need, each right after its operands. */
export function reorderProducerOps(channels: readonly Channel[]): void {
  const { block } = srcOpOf(channels[0]!);
  if (channels.some((channel) => srcOpOf(channel).block !== block)) return;
  const groups = new Map<number, Channel[]>();
  for (const channel of channels) {
    const first = channel.consumers[0]!;
    groups.set(first, [...(groups.get(first) ?? []), channel]);
  }
  if (groups.size <= 1) return;
  const ordered = [...groups.keys()]
    .sort((a, b) => a - b)
    .flatMap((id) => groups.get(id)!.sort((a, b) => a.consumers.length - b.consumers.length))
    .map(srcOpOf);
  let last = srcOpOf(channels[0]!);
  for (const op of ordered) {
    if (op !== last) op.moveAfter(last);
    last = op;
  }
  for (const op of ordered.reverse())
    for (const above of getBackwardSlice(op, { omitBlockArguments: true })) if (above.block === block) above.moveBefore(op);
}
