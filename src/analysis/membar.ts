/**
 * Puts barriers where threads would else read shared memory before others wrote it, or write it before others read it:
 *
 *     ttg.local_store %x, %a
 *     ttg.local_barrier                 <- put here
 *     %y = ttg.local_load %a
 *
 * Each straight run of ops (a block, cut at ops whose regions control flow enters) is gone through with the accesses that no barrier
 * has followed yet; an access that overlaps one of them gets a barrier before it. Runs are visited, first come first served, until
 * what is pending at their ends stays the same. Barriers go in on the way, as in Triton, whose order of visits decides where.
 * Source: lib/Analysis/Membar.cpp.
 */
import { BarrierOp } from "../dialects/gpu/ops/barrier.js";
import { ReturnOp, CallOp as TTCallOp } from "../dialects/tt/ops/function.js";
import { toLinearLayout } from "../dialects/ttg/encodings/define-encoding.js";
import { AsyncWaitOp } from "../dialects/ttg/ops/async-copy.js";
import { ConvertLayoutOp } from "../dialects/ttg/ops/convert-layout.js";
import { MemDescSubsliceOp } from "../dialects/ttg/ops/memdesc-views.js";
import { LocalBarrierOp } from "../dialects/ttg/ops/misc.js";
import * as ttg from "../dialects/ttg/ops/since-3-7.js";
import { WarpSpecializePartitionsOp } from "../dialects/ttg/ops/warp-specialize.js";
import type { MemDesc } from "../dialects/ttg/types.js";
import {
  ArriveBarrierOp,
  BarrierExpectOp,
  ClusterBarrierOp,
  ClusterWaitOp,
  InitBarrierOp,
  InvalBarrierOp,
  WaitBarrierOp,
} from "../dialects/ttng/ops/barrier.js";
import { TCGen5CommitOp } from "../dialects/ttng/ops/tc-gen5-mma.js";
import { AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp, TMAStoreWaitOp } from "../dialects/ttng/ops/tma.js";
import type { Attribute } from "../ir/attribute.js";
import type { Block } from "../ir/block.js";
import type { TensorType } from "../ir/builtin-types.js";
import type { OpDef } from "../ir/define-op.js";
import { BranchOp, CallOp, isMemoryEffectFree, RegionBranch, RegionBranchTerminator } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import { lookupSymbol } from "../ir/symbol-table.js";
import { attrText } from "../ir/text-hook.js";
import type { Value } from "../ir/value.js";
import { isCvtBlockSync, isCvtWarpSync } from "../layout/conversion.js";
import type { Rewriter } from "../rewrite/rewriter.js";
import type { Allocation, ModuleAllocation, SharedBuffer } from "./allocation.js";

/** How two ops access the same memory. */
interface Meeting {
  readonly beforeReads: boolean;
  readonly afterReads: boolean;
  /** Both access one allocation of the kernel's own. */
  readonly sameBuffer: boolean;
}
/** May `after` follow `before` without a barrier though they access the same memory? */
export type MembarFilter = (before: Operation, after: Operation, meeting: Meeting) => boolean;

/** Puts barriers, `ttg.local_barrier` ops, into all functions of a module. Returns how many. */
export function insertBarriers(allocation: ModuleAllocation, rw: Rewriter, filter?: MembarFilter): number {
  let count = 0;
  const insert = (op: Operation): void => {
    count++;
    rw.from(op, () =>
      rw.ctx.triton.barriersNameMemory
        ? rw.create(ttg.BarrierOp, { addrSpace: ttg.LOCAL }, { loc: op.locRef })
        : rw.create(LocalBarrierOp, {}, { loc: op.locRef }),
    );
  };
  const visit: Visit = (op, pending, context) =>
    visitMembar(op, pending, context, filter, {
      before: () => {
        rw.setBefore(op);
        insert(op);
      },
      after: () => {
        rw.setAfter(op);
        insert(op);
      },
    });
  followAccesses(allocation, visit);
  return count;
}

/** A stretch of shared memory, the same object for the same one. Units: bytes. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  /** The part of the buffer that is accessed, where that is known. */
  readonly slice?: Slice;
  /** The buffer, unless it is a callee's. */
  readonly buffer?: SharedBuffer;
}
interface Slice {
  readonly encoding: Attribute;
  readonly offsets: readonly number[];
  readonly shape: readonly number[];
}
type Accesses = Map<Stretch, Set<Operation>>;

/** Accesses to shared memory that no barrier has followed yet. */
export class PendingAccesses {
  readonly reads: Accesses = new Map();
  readonly writes: Accesses = new Map();

  read(stretch: Stretch, op: Operation): void {
    note(this.reads, stretch, op);
  }
  write(stretch: Stretch, op: Operation): void {
    note(this.writes, stretch, op);
  }
  /** Takes in the accesses of another. */
  join(other: PendingAccesses): void {
    joinInto(this.reads, other.reads);
    joinInto(this.writes, other.writes);
  }
  /** These accesses, as a caller sees them whose buffer for the callee begins at `offset`. */
  movedBy(offset: number): PendingAccesses {
    const moved = new PendingAccesses();
    const move = ({ start, end }: Stretch): Stretch => ({ start: start + offset, end: end + offset });
    for (const [stretch, ops] of this.reads) moved.reads.set(move(stretch), ops);
    for (const [stretch, ops] of this.writes) moved.writes.set(move(stretch), ops);
    return moved;
  }
  clear(): void {
    this.reads.clear();
    this.writes.clear();
  }
  copy(): PendingAccesses {
    const copy = new PendingAccesses();
    copy.join(this);
    return copy;
  }
  equals(other: PendingAccesses): boolean {
    return sameAccesses(this.reads, other.reads) && sameAccesses(this.writes, other.writes);
  }
  /** Must `next` wait for one of these: a read after a write, a write after a read or a write after a write of the same bytes? */
  conflictsWith(next: PendingAccesses, filter: MembarFilter | undefined): boolean {
    const [reads, writes] = [true, false];
    return (
      overlap(this.writes, next.reads, writes, reads, filter) ||
      overlap(this.reads, next.writes, reads, writes, filter) ||
      overlap(this.writes, next.writes, writes, writes, filter)
    );
  }
}

function joinInto(into: Accesses, from: Accesses): void {
  for (const [stretch, ops] of from) for (const op of ops) note(into, stretch, op);
}
function note(accesses: Accesses, stretch: Stretch, op: Operation): void {
  const ops = accesses.get(stretch);
  if (ops) ops.add(op);
  else accesses.set(stretch, new Set([op]));
}
function sameAccesses(a: Accesses, b: Accesses): boolean {
  if (a.size !== b.size) return false;
  for (const [stretch, ops] of a) {
    const others = b.get(stretch);
    if (others?.size !== ops.size) return false;
    for (const op of ops) if (!others.has(op)) return false;
  }
  return true;
}
function overlap(before: Accesses, after: Accesses, beforeReads: boolean, afterReads: boolean, filter: MembarFilter | undefined): boolean {
  for (const [a, earlier] of before)
    for (const [b, later] of after) {
      if (a.start >= b.end || b.start >= a.end || areApart(a.slice, b.slice)) continue;
      if (!filter) return true;
      const meeting = { beforeReads, afterReads, sameBuffer: a.buffer?.kind === "explicit" && a.buffer === b.buffer };
      for (const first of earlier) for (const second of later) if (!filter(first, second, meeting)) return true;
    }
  return false;
}

/** Do two slices of the same layout share no element? */
const areApart = (a: Slice | undefined, b: Slice | undefined): boolean =>
  a !== undefined &&
  a.encoding === b?.encoding &&
  a.offsets.some((start, d) => start + a.shape[d]! <= b.offsets[d]! || b.offsets[d]! + b.shape[d]! <= start);

/** The part of its buffer that `value` is, as since 3.7; undefined where that is the whole or is not known. */
function sliceOf(value: Value): Slice | undefined {
  const slice = value.type.ctx.triton.tellsSlicesApart ? MemDescSubsliceOp.match(value.definingOp) : undefined;
  if (!slice) return undefined;
  const { shape, allocShape, encoding } = (value.type as MemDesc).params;
  const whole = (slice.src.type as MemDesc).params.shape;
  return allocShape.length === whole.length && allocShape.every((n, d) => n === whole[d])
    ? { encoding, offsets: slice.offsets, shape }
    : undefined;
}

/** The facts that a visit may use. */
export interface AccessContext {
  readonly allocation: Allocation;
  readonly stretchOf: (buffer: SharedBuffer, slice?: Slice) => Stretch;
  /** The accesses that are pending when a function returns to its caller. */
  readonly pendingAfter: (callee: Operation) => PendingAccesses | undefined;
}
/** Visits an op: changes `pending` to what is pending after it. */
export type Visit = (op: Operation, pending: PendingAccesses, context: AccessContext) => void;

/** Follows the accesses through all functions, callees first. */
export function followAccesses(module: ModuleAllocation, visit: Visit): void {
  const stretches = new Map<SharedBuffer, Map<string, Stretch>>();
  const stretchOf = (buffer: SharedBuffer, slice?: Slice): Stretch => {
    let ofBuffer = stretches.get(buffer);
    if (!ofBuffer) stretches.set(buffer, (ofBuffer = new Map()));
    const key = slice ? `${attrText(slice.encoding)} ${slice.offsets} ${slice.shape}` : "";
    let stretch = ofBuffer.get(key);
    if (!stretch)
      ofBuffer.set(key, (stretch = { start: buffer.offset, end: buffer.offset + buffer.size, buffer, ...(slice && { slice }) }));
    return stretch;
  };
  const after = new Map<Operation, PendingAccesses>();
  for (const func of module.functions)
    after.set(func, followFunction(func, visit, { allocation: module.of(func)!, stretchOf, pendingAfter: (callee) => after.get(callee) }));
}

/** A run of ops, by what it comes after: the start of a block, or an op with regions. */
type RunStart = Block | Operation;

function followFunction(func: Operation, visit: Visit, context: AccessContext): PendingAccesses {
  const pendingIn = new Map<RunStart, PendingAccesses>();
  const pendingOut = new Map<RunStart, PendingAccesses>();
  const { controlReachesWarpGroups } = func.ctx.triton;
  const entry = func.regions[0]?.firstBlock;
  const queue: RunStart[] = !controlReachesWarpGroups ? entryBlocks(func) : entry ? [entry] : [];
  for (const run of queue) {
    const pending = pendingIn.get(run)?.copy() ?? new PendingAccesses();
    let successors: readonly RunStart[] = [];
    for (let op = run.isOperation ? (run as Operation).next : (run as Block).firstOp; op; op = op.next) {
      const isEnd = op.def.isTerminator || op.def.interface(RegionBranch) !== undefined;
      if (!isEnd || controlReachesWarpGroups) visit(op, pending, context);
      if (isEnd) {
        successors = successorsOf(op);
        break;
      }
    }
    if (pendingOut.get(run)?.equals(pending)) continue;
    pendingOut.set(run, pending);
    for (const next of successors) {
      const into = pendingIn.get(next);
      if (into) into.join(pending);
      else pendingIn.set(next, pending.copy());
      queue.push(next);
    }
  }

  const atReturn = new PendingAccesses();
  func.walk((op) => {
    if (!ReturnOp.is(op)) return;
    // The run that the return ends.
    let run: RunStart = op.block!;
    for (let at = op.prev; at; at = at.prev)
      if (pendingOut.has(at)) {
        run = at;
        break;
      }
    const pending = pendingOut.get(run);
    if (pending) atReturn.join(pending);
  });
  return atReturn;
}

/** The blocks that no control flow inside the function leads to: its own entry and those of regions that only their op knows how to run. */
function entryBlocks(func: Operation): Block[] {
  const blocks: Block[] = [];
  func.walk((op) => {
    if (op.def.interface(RegionBranch)) return;
    for (const region of op.regions) if (region.firstBlock) blocks.push(region.firstBlock);
  });
  return blocks;
}

function successorsOf(op: Operation): readonly RunStart[] {
  if (WarpSpecializePartitionsOp.is(op) && op.ctx.triton.controlReachesWarpGroups) return op.regions.map((region) => region.firstBlock!);
  if (op.def.interface(BranchOp)) return op.successors.map(({ block }) => block);
  const branch = op.def.interface(RegionBranch);
  if (branch) return branch.successors(op, "parent").map((to) => (to === "parent" ? op : to.firstBlock!));
  const parent = op.parentOp!;
  const around = parent.def.interface(RegionBranch);
  // A return.
  if (!around) return [];
  const targets = op.def.interface(RegionBranchTerminator)?.successors?.(op, []) ?? around.successors(parent, op.region!);
  return targets.map((to) => (to === "parent" ? parent : to.firstBlock!));
}

/** The accesses of an op to the buffers that its operands and results may be; of a call those that its callee leaves pending. */
export function accessesOf(op: Operation, { allocation, stretchOf, pendingAfter }: AccessContext): PendingAccesses {
  const accesses = new PendingAccesses();
  if (TTCallOp.is(op)) {
    const callee = lookupSymbol(op, op.def.interface(CallOp)?.callee(op) ?? "");
    const pending = callee && pendingAfter(callee);
    const offset = op.ctx.triton.movesCalleeAccesses ? (allocation.bufferOf(op)?.offset ?? 0) : 0;
    if (pending) accesses.join(offset === 0 ? pending : pending.movedBy(offset));
    return accesses;
  }
  for (const { kind, value } of op.def.effects?.(op.def.viewOf(op) as never) ?? []) {
    if (!value || (kind !== "read" && kind !== "write")) continue;
    for (const buffer of allocation.buffersOf(value)) accesses[kind](stretchOf(buffer, sliceOf(value)), op);
  }
  return accesses;
}

/** The scratch memory that an op other than a call uses. */
export function scratchOf(op: Operation, { allocation, stretchOf }: AccessContext): Stretch | undefined {
  const buffer = TTCallOp.is(op) ? undefined : allocation.bufferOf(op);
  return buffer && buffer.kind !== "explicit" ? stretchOf(buffer) : undefined;
}

const ALL: Stretch = { start: 0, end: Infinity };

function visitMembar(
  op: Operation,
  pending: PendingAccesses,
  context: AccessContext,
  filter: MembarFilter | undefined,
  barrier: { before(): void; after(): void },
): void {
  if (isBarrier(op) || WarpSpecializePartitionsOp.is(op)) return pending.clear();
  if (signalsAfterBarrier(op)) pending.clear();
  // The data is ready for the threads that waited; the other threads need a barrier.
  if (isCopyWait(op) && !(op.ctx.triton.defersWaitBarriers ? waitsBeforeUse(op) : isBarrier(op.next))) {
    barrier.after();
    return pending.clear();
  }
  const own = accessesOf(op, context);
  if (ArriveBarrierOp.is(op) && !signalsAfterBarrier(op)) {
    // Others go on from here: all that was done before must be there.
    own.read(ALL, op);
    own.write(ALL, op);
  }
  const scratch = scratchOf(op, context);
  // Scratch memory is written, then read, with barriers of the op's own in between.
  if (scratch) own.write(scratch, op);
  const needed = pending.conflictsWith(own, filter);
  if (needed) barrier.before();
  if (needed || (scratch && !isWarpSynchronous(op))) pending.clear();
  if (scratch) own.read(scratch, op);
  pending.join(own);
}

const isCopyWait = (op: Operation): boolean => AsyncWaitOp.is(op) || TMAStoreWaitOp.is(op);
/** Does a wait or a barrier follow in the block before memory is used? */
function waitsBeforeUse(op: Operation): boolean {
  for (let next = op.next; next; next = next.next) {
    if (hasBarrier(next) || isCopyWait(next)) return true;
    if (next.def.interface(RegionBranch) || !isMemoryEffectFree(next)) return false;
  }
  return false;
}
/** Do all threads wait for each other at this op, or before what it is lowered to? */
export const hasBarrier = (op: Operation): boolean => isBarrier(op) || WarpSpecializePartitionsOp.is(op) || signalsAfterBarrier(op);
/** Signals of one thread for all: since 3.8 the code of these ops begins with a barrier. */
const signalsAfterBarrier = (op: Operation): boolean => op.ctx.triton.signalsAfterBarriers && SIGNALS.has(op.def);
const SIGNALS: ReadonlySet<OpDef> = new Set<OpDef>([ArriveBarrierOp, BarrierExpectOp, TCGen5CommitOp]);
function isBarrier(op: Operation | null): boolean {
  if (!op) return false;
  if (BarrierOp.is(op) || LocalBarrierOp.is(op) || ClusterBarrierOp.is(op)) return true;
  if (ClusterWaitOp.is(op)) return op.ctx.triton.convertsAcrossCTAs;
  return ((ttg.BarrierOp.match(op)?.addrSpace ?? 0) & ttg.LOCAL) !== 0;
}
/** Does a conversion have barriers of single warps only? */
function isWarpSynchronous(op: Operation): boolean {
  const cvt = ConvertLayoutOp.match(op);
  if (!cvt) return false;
  const [src, dst] = [cvt.src, cvt.result].map(({ type }) => (type as TensorType).params);
  const [from, to] = [toLinearLayout(src!.shape, src!.encoding!), toLinearLayout(dst!.shape, dst!.encoding!)];
  return isCvtWarpSync(from, to) && (!op.ctx.triton.convertsAcrossCTAs || isCvtBlockSync(from, to));
}

const BY_ONE_THREAD: readonly OpDef[] = [InitBarrierOp, InvalBarrierOp, BarrierExpectOp];
const COPIES: readonly OpDef[] = [AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp];
const BARRIER_USERS: readonly OpDef[] = [WaitBarrierOp, ...COPIES, BarrierExpectOp];

/** Skips barriers between mbarrier ops. Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/TritonGPUToLLVM.cpp, canSkipBarSync. */
export const canSkipBarSync: MembarFilter = (before, after) => {
  const isOneOf = (op: Operation, defs: readonly OpDef[]): boolean => defs.includes(op.def);
  // One thread does things in order, and no wait ends before its copy.
  if (before.ctx.triton.ordersMbarriersByThread)
    return (isOneOf(before, BY_ONE_THREAD) && isOneOf(after, BY_ONE_THREAD)) || (isOneOf(before, COPIES) && WaitBarrierOp.is(after));
  if (InitBarrierOp.is(before) && InitBarrierOp.is(after)) return true;
  if (InvalBarrierOp.is(before) && InvalBarrierOp.is(after)) return true;
  // A warp may not get ahead by a whole phase.
  if (WaitBarrierOp.is(before) && WaitBarrierOp.is(after)) return false;
  // Threads may do these in any order.
  if (isOneOf(before, BARRIER_USERS) && isOneOf(after, BARRIER_USERS)) return true;
  // A wait ends only when the whole copy is there.
  return (WaitBarrierOp.is(before) || isOneOf(before, COPIES)) && !InvalBarrierOp.is(after);
};
