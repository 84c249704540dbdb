/** Barriers in place of an aref, and waiting for them. Source: third_party/nvidia/lib/Dialect/NVWS/Transforms/LowerAref.cpp. */

import { topologicalSort } from "../../../analysis/slices.js";
import { ConstantOp } from "../../../dialects/arith/ops/index.js";
import { DescriptorLoadOpInterface } from "../../../dialects/nvws/interfaces.js";
import { ArefBufferOp, ArefGetEnterOp, ArefGetExitOp, ArefPutEnterOp, ArefPutExitOp } from "../../../dialects/nvws/ops/aref.js";
import { DescriptorGatherOp, DescriptorLoadOp } from "../../../dialects/nvws/ops/descriptor.js";
import { AsyncOpAttr, type AsyncOpKind } from "../../../dialects/nvws/types.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { MemDescIndexOp, MemDescReshapeOp, MemDescTransOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import { MemDescViewTrait } from "../../../dialects/ttg/ttg-op.js";
import { type MemDesc, memDescType } from "../../../dialects/ttg/types.js";
import { ArriveBarrierOp, BarrierExpectOp, FenceAsyncSharedOp, WaitBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { MMAv5OpInterface, TCGen5CommitOp, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp } from "../../../dialects/ttng/ops/tma.js";
import type { Attribute } from "../../../ir/attribute.js";
import { boolAttr, unitAttr } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { createSingleBufferView } from "../../ttg/software-pipelining/buffers.js";
import { findAncestorInBlock, getNumStagesOrDefault, isDefinedOutsideOfLoop } from "../../ttg/software-pipelining/pipelined-loops.js";
import {
  getPartitionIds,
  getStageCluster,
  getWarpSpecializeTag,
  hasPartition,
  place,
  setWarpSpecializeTag,
} from "../automatic-warp-specialization/partition.js";
import { refuse } from "../not-specializable.js";
import { areScalesPipelineable } from "../pipeline/mma-v5.js";
import { getTopLevelUsersInLoop } from "../pipeline/pipelined-loads.js";
import { createBarrierAlloc } from "../pipeline/rings.js";
import { translateTMAIndices } from "../tma/descriptor-layouts.js";
import { arefDepth, isScales } from "./buffers.js";

/** The buffers and barriers of an aref. */
interface ArefBarriers {
  readonly aref: Value;
  readonly buffers: readonly Value[];
  readonly empty: Value;
  readonly full: Value;
}

const kindsOf = (attrs: readonly Attribute[]): AsyncOpKind[] => attrs.flatMap((attr) => (AsyncOpAttr.is(attr) ? [attr.params.value] : []));

/** Makes the barriers before an aref, for as many arrivals as there are; they end after its last user. */
export function createArefBarriers(rw: Rewriter, op: Operation, users: readonly Operation[]): ArefBarriers {
  const lastUser = topologicalSort([...new Set(users)]).at(-1);
  const last = findAncestorInBlock(op.block!, lastUser ?? refuse(op, "nobody uses the aref"))!;
  const { producers, consumers } = arrivals(users);
  const depth = arefDepth(op.operand(0).type as MemDesc);
  const empty = createBarrierAlloc(rw, op, depth, consumers, last);
  // They end after the first ones.
  const full = createBarrierAlloc(rw, op, depth, producers, empty.firstUse!.owner);
  return { aref: op.result(0), buffers: op.operands, empty, full };
}

/** How many arrivals complete a phase: one for each way in which a partition leaves the aref. */
function arrivals(users: readonly Operation[]): { readonly producers: number; readonly consumers: number } {
  const counts = { producers: 0, consumers: 0 };
  const seen = { producers: new Set<number>(), consumers: new Set<number>() };
  for (const user of users) {
    if (!hasPartition(user)) continue;
    const ids = getPartitionIds(user);
    if (ids.size !== 1) refuse(user, "several partitions use the aref at once");
    const exit = ArefPutExitOp.match(user) ?? ArefGetExitOp.match(user);
    if (!exit) continue;
    const side = ArefPutExitOp.is(user) ? "producers" : "consumers";
    const [id] = ids;
    if (seen[side].has(id!)) continue;
    seen[side].add(id!);
    const known: readonly AsyncOpKind[] = side === "producers" ? ["tc5mma", "tma_load", "none"] : ["tc5mma", "wgmma", "none"];
    for (const kind of kindsOf(exit.async_ops)) {
      if (!known.includes(kind)) refuse(user, `the aref cannot be left by '${kind}' here`);
      counts[side]++;
    }
  }
  // Outside of warp-specialized loops there is one arrival.
  return { producers: counts.producers || 1, consumers: counts.consumers || 1 };
}

/** The tcgen05 instructions that read the buffers, and the number of stages of loops that name none. */
interface AsyncConsumers {
  readonly mmas: ReadonlySet<Operation>;
  readonly numStages: number;
}
/** The tcgen05 instructions that read the buffers in a partition of their own. */
export function asyncConsumers(aref: Value): Set<Operation> {
  const isMma = (op: Operation): boolean => op.def.interface(MMAv5OpInterface) !== undefined;
  const found = new Set<Operation>();
  for (const enter of aref.users()) {
    if (!ArefGetEnterOp.is(enter) || (hasPartition(enter) && [...getPartitionIds(enter)][0] === 0)) continue;
    for (const consumer of enter.results.flatMap((result) => result.users())) {
      const loop = ForOp.match(consumer.parentOfType(ForOp));
      if (isMma(consumer)) found.add(consumer);
      else if (loop)
        for (const user of getTopLevelUsersInLoop(consumer, loop, isMma))
          found.add(isMma(user) ? user : refuse(user, "a tcgen05 instruction within the op reads what another partition loads"));
    }
  }
  return found;
}

/** Puts the barriers for an op on the aref after it. The op itself stays. */
export function lowerArefUser(rw: Rewriter, aref: ArefBarriers, op: Operation, consumers: AsyncConsumers): void {
  rw.setAfter(op);
  const [putEnter, getEnter] = [ArefPutEnterOp.match(op), ArefGetEnterOp.match(op)];
  const exit = ArefPutExitOp.match(op) ?? ArefGetExitOp.match(op);
  const buffer = ArefBufferOp.match(op);
  if (putEnter) lowerPutEnter(rw, aref, op, consumers);
  else if (getEnter) {
    wait(rw, op, aref.full, getEnter.stage!, getEnter.phase!);
    getEnter.buffers.forEach((old, i) => {
      const view = viewOf(rw, aref.buffers[i]!, op, getEnter.stage!);
      rw.replaceAllUses(old, view);
      makeViewsMutable(view);
    });
  } else if (exit) lowerExit(rw, aref, op, exit.stage!, kindsOf(exit.async_ops));
  else if (buffer) buffer.buffers.forEach((old, i) => rw.replaceAllUses(old, viewOf(rw, aref.buffers[i]!, op, buffer.stage!)));
  else refuse(op, "the op cannot use an aref");
}

/** Gives an op to the partitions of another one, and names its loop if that does. */
export function placeAs<T extends { readonly op: Operation }>(view: T, op: Operation): T {
  if (!hasPartition(op)) return view;
  const tag = getWarpSpecializeTag(op);
  if (tag !== undefined) setWarpSpecializeTag(view.op, tag);
  return place(view, getPartitionIds(op), getStageCluster(op));
}
function barrierOf(rw: Rewriter, op: Operation, barriers: Value, stage: Value): Value {
  const barrier = createSingleBufferView(rw, barriers, stage);
  placeAs({ op: barrier.definingOp! }, op);
  return barrier;
}
function wait(rw: Rewriter, op: Operation, barriers: Value, stage: Value, phase: Value): void {
  const alloc = barrierOf(rw, op, barriers, stage);
  placeAs(rw.create(WaitBarrierOp, { alloc, phase, deps: [] }, { loc: op.locRef }), op);
}
function viewOf(rw: Rewriter, buffers: Value, op: Operation, index: Value): Value {
  const type = buffers.type as MemDesc;
  if (isScales(type)) return buffers;
  const { shape, elementType, encoding, memorySpace } = type.params;
  const types = [memDescType(shape.slice(1), elementType, encoding, memorySpace, true)];
  return placeAs(rw.create(MemDescIndexOp, { src: buffers, index }, { loc: op.locRef, types }), op).result;
}
/** Makes the views of a buffer mutable: a consumer's buffer was immutable, but the aref's own buffer is not. */
function makeViewsMutable(value: Value): void {
  for (const user of value.users()) {
    if (!user.def.traits.has(MemDescViewTrait)) continue;
    const { shape, elementType, encoding, memorySpace } = (user.result(0).type as MemDesc).params;
    user.setResultType(0, memDescType(shape, elementType, encoding, memorySpace, true));
    makeViewsMutable(user.result(0));
  }
}

function lowerPutEnter(rw: Rewriter, aref: ArefBarriers, op: Operation, { mmas, numStages }: AsyncConsumers): void {
  const { buffers, token, stage, phase } = ArefPutEnterOp.match(op)!;
  wait(rw, op, aref.empty, stage!, phase!);
  const views = buffers.map((_, i) => viewOf(rw, aref.buffers[i]!, op, stage!));
  const exit = token.users().find((user) => ArefPutExitOp.is(user));
  if (!exit) return;
  const kinds = kindsOf(ArefPutExitOp.match(exit)!.async_ops);
  if (kinds.includes("tma_load")) lowerLoads(rw, op, buffers, barrierOf(rw, op, aref.full, stage!));
  if (kinds.includes("tma_load") || kinds.includes("cp_async")) for (const mma of mmas) setAsync(rw, mma, numStages);
  buffers.forEach((old, i) => rw.replaceAllUses(old, views[i]!));
}
function lowerLoads(rw: Rewriter, op: Operation, buffers: readonly Value[], barrier: Value): void {
  const options = { loc: op.locRef };
  const loads = buffers.flatMap((buffer) => buffer.users().filter((user) => user.def.interface(DescriptorLoadOpInterface)));
  if (loads.length > buffers.length) refuse(op, "several loads write to the same buffer");
  if (loads.length === 0) return;
  const size = loads.reduce((sum, load) => sum + load.def.interface(DescriptorLoadOpInterface)!.txCount(load), 0);
  const pred = placeAs(rw.create(ConstantOp, { value: boolAttr(rw.ctx, true) }, options), op).result;
  placeAs(rw.create(BarrierExpectOp, { alloc: barrier, size, pred }, options), op);
  for (const load of loads) {
    rw.setBefore(load);
    lowerLoad(rw, load, barrier, pred);
    rw.erase(load);
  }
}
function lowerLoad(rw: Rewriter, op: Operation, barrier: Value, pred: Value): void {
  const loc = op.locRef;
  const gather = DescriptorGatherOp.match(op);
  if (gather) {
    const { desc, x_offsets, y_offset, result } = gather;
    placeAs(rw.create(AsyncTMAGatherOp, { desc, x_offsets, y_offset, barrier, result, pred }, { loc }), op);
    return;
  }
  const { desc, indices, result } = DescriptorLoadOp.match(op)!;
  const coord = translateTMAIndices(rw, loc, desc, indices);
  coord.forEach((value, i) => {
    if (value === indices[i]) return;
    const { definingOp } = value;
    placeAs({ op: definingOp! }, op);
    for (const operand of definingOp!.operands)
      if (operand.definingOp && !hasPartition(operand.definingOp)) placeAs({ op: operand.definingOp }, op);
  });
  placeAs(rw.create(AsyncTMACopyGlobalToLocalOp, { desc, coord, offsets: [], barrier, result, pred }, { loc }), op);
}

/** The instruction is not waited for, unless it needs scales that nobody hands over. */
function setAsync(rw: Rewriter, mma: Operation, numStages: number): void {
  const scaled = TCGen5MMAScaledOp.match(mma);
  const loop = ForOp.match(mma.parentOfType(ForOp));
  if (rw.ctx.triton.dividesByFlow && (!loop || getNumStagesOrDefault(loop, numStages) <= 1)) return;
  if (scaled) {
    if (!loop) refuse(mma, "the instruction is in no loop");
    const comesByAref = (value: Value): boolean => {
      if (isDefinedOutsideOfLoop(loop, value)) return true;
      let def = value.definingOp;
      while (def && (MemDescTransOp.is(def) || MemDescReshapeOp.is(def))) def = def.operand(0).definingOp;
      return def !== undefined && (ArefPutEnterOp.is(def) || ArefGetEnterOp.is(def) || ArefBufferOp.is(def));
    };
    if (!areScalesPipelineable(scaled, loop) || ![scaled.a_scale, scaled.b_scale].every(comesByAref))
      return void rw.setAttr(mma, "is_async", undefined);
  }
  rw.setAttr(mma, "is_async", unitAttr(rw.ctx));
}

function lowerExit(rw: Rewriter, aref: ArefBarriers, op: Operation, stage: Value, kinds: readonly AsyncOpKind[]): void {
  const options = { loc: op.locRef };
  const isPut = ArefPutExitOp.is(op);
  if (kinds.includes("none") && needsFence(aref, isPut)) placeAs(rw.create(FenceAsyncSharedOp, { bCluster: false }, options), op);
  const barrier = barrierOf(rw, op, isPut ? aref.full : aref.empty, stage);
  for (const kind of kinds) {
    if (kind === "none" || kind === "wgmma") placeAs(rw.create(ArriveBarrierOp, { alloc: barrier, count: 1 }, options), op);
    else if (kind === "tc5mma" || kind === "tmem_copy") placeAs(rw.create(TCGen5CommitOp, { barrier, descs: [] }, options), op);
    // TMA arrives by itself.
    else if (kind !== "tma_load") refuse(op, `the aref cannot be left by '${kind}'`);
  }
}
/** Whether a fence is needed: threads access shared memory before, or after, the hardware does. */
function needsFence({ aref, buffers }: ArefBarriers, isPut: boolean): boolean {
  if (isPut && !SharedMemorySpace.is((buffers[0]!.type as MemDesc).params.memorySpace)) return false;
  const other = isPut ? ArefGetExitOp : ArefPutExitOp;
  const byHardware: AsyncOpKind = isPut ? "tc5mma" : "tma_load";
  return aref.users().some((user) => kindsOf(other.match(user)?.async_ops ?? []).includes(byHardware));
}
