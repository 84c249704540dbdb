/**
 * The state that the sanitizer keeps for a kernel: the addresses of its buffers and mbarriers, and tables in global scratch memory of who has
 * seen which write or read. Groups of warps get the tables as captures.
 * Source: lib/Dialect/TritonInstrument/IR/Utility.cpp, AuxDataMap.
 */

import { ALLOCATION_OFFSET } from "../../../analysis/allocation.js";
import { getForwardSlice } from "../../../analysis/slices.js";
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { CallOp, FuncOp } from "../../../dialects/tt/ops/function.js";
import { AtomicRMWOp } from "../../../dialects/tt/ops/memory.js";
import { pointerType } from "../../../dialects/tt/types.js";
import { maybeLookupNumWarps } from "../../../dialects/ttg/num-warps.js";
import { AsyncCommitGroupOp, AsyncCopyGlobalToLocalOp, AsyncWaitOp } from "../../../dialects/ttg/ops/async-copy.js";
import { LocalAllocOp, LocalDeallocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescIndexOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import { GlobalScratchAllocOp } from "../../../dialects/ttg/ops/misc.js";
import { partitionRegionsOf, WarpSpecializeOp, WarpSpecializePartitionsOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import { ExperimentalBufferPointersOp, type MemType } from "../../../dialects/tti/ops/instrument.js";
import { InitBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { TMEMAllocOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { AsyncTMACopyLocalToGlobalOp, TMAStoreWaitOp } from "../../../dialects/ttng/ops/tma.js";
import { WarpGroupDotOp, WarpGroupDotWaitOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import { tmemColumns } from "../../../dialects/ttng/tmem-layout.js";
import { i32Attr, intOf } from "../../../ir/builtin-attrs.js";
import { bitWidth, i32, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Region } from "../../../ir/region.js";
import type { Value } from "../../../ir/value.js";
import type { PassReport } from "../../../pass/define-pass.js";
import { PassError } from "../../../pass/pass-error.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { stateType, TensorCode } from "./tensor-code.js";

/** Threads that do things in order: the default group of warps and up to 15 others; as many of TMA and of tensor cores follow them. */
export const NUM_THREADS = 16;
export const TMA_THREADS = NUM_THREADS;
export const TENSOR_CORE_THREADS = 2 * NUM_THREADS;
/** Columns of a table with a place for each of them. */
const THREAD_COLUMNS = 64;

export const MEM_TYPES = ["shared_mem", "tensor_mem"] as const satisfies readonly MemType[];
/** Operations that are waited for by counting groups. */
export type CommitKind = "async_copy_global_to_shared" | "warpgroup_mma operand read" | "async_copy_shared_to_global";
const COMMITS: readonly { readonly kind: CommitKind; readonly ops: readonly { readonly is: (op: Operation) => boolean }[] }[] = [
  { kind: "async_copy_global_to_shared", ops: [AsyncCopyGlobalToLocalOp, AsyncCommitGroupOp, AsyncWaitOp] },
  { kind: "warpgroup_mma operand read", ops: [WarpGroupDotOp, WarpGroupDotWaitOp] },
  { kind: "async_copy_shared_to_global", ops: [AsyncTMACopyLocalToGlobalOp, TMAStoreWaitOp] },
];

/** A table: the pointer to it or the tensor itself, and its type as a tensor. */
export interface Table {
  readonly value: Value;
  readonly type: TensorType;
}
type PerMemory = Partial<Record<MemType, Table>>;
/** The state as a function or a group of warps knows it. */
export interface RegionState {
  readonly buffers: PerMemory;
  readonly writeVisibility: PerMemory;
  readonly readVisibility: PerMemory;
  readonly writeTracking: PerMemory;
  readonly readTracking: PerMemory;
  readonly commits: Partial<Record<CommitKind, Table>>;
  barriers?: Table;
  barrierStates?: Table;
  waiting?: Table;
  lock?: Value;
}
const emptyState = (): RegionState => ({
  buffers: {},
  writeVisibility: {},
  readVisibility: {},
  writeTracking: {},
  readTracking: {},
  commits: {},
});

export class TrackedState {
  readonly #regions = new Map<Region, RegionState>();
  readonly #groups: readonly { readonly op: Operation; readonly regions: readonly Region[] }[];
  readonly #entry: Region;

  constructor(
    readonly module: Operation,
    readonly entryPoint: Operation,
    readonly rw: Rewriter,
    report: PassReport,
  ) {
    this.#entry = entryPoint.regions[0]!;
    const groups: Operation[] = [];
    entryPoint.walkPostOrder((op) => void (WarpSpecializeOp.is(op) && groups.push(op)));
    this.#groups = groups.map((op) => ({ op, regions: partitionRegionsOf(op) }));
    this.#fill(buffersOf(module, report));
  }

  /** The state where an op is: of its group of warps, or of its function. */
  at(op: Operation): RegionState {
    for (let region = op.region!; ; ) {
      const parent = region.parentOp!;
      if (FuncOp.is(parent) || WarpSpecializePartitionsOp.is(parent) || !parent.block) return this.#state(region);
      region = parent.block.region!;
    }
  }
  #state(region: Region): RegionState {
    let state = this.#regions.get(region);
    if (!state) this.#regions.set(region, (state = emptyState()));
    return state;
  }

  #fill({ buffers, barriers }: Buffers): void {
    this.rw.loc = this.entryPoint.locRef;
    this.rw.setStart(this.#entry.firstBlock!);
    for (const memory of MEM_TYPES) {
      const offsets = buffers[memory];
      if (offsets.length === 0) continue;
      this.#addPointers(memory, offsets, (state, table) => (state.buffers[memory] = table));
      this.#addTable([offsets.length], 64, (state, table) => (state.writeVisibility[memory] = table));
      this.#addTable([offsets.length, THREAD_COLUMNS], 64, (state, table) => (state.readVisibility[memory] = table));
    }
    if (barriers.length > 0) {
      this.#addPointers("shared_mem", barriers, (state, table) => (state.barriers = table));
      this.#addTable([barriers.length], 32, (state, table) => (state.barrierStates = table));
      this.#addTable([barriers.length], 32, (state, table) => (state.waiting = table));
      for (const memory of MEM_TYPES) {
        const shape = [buffers[memory].length, barriers.length];
        if (shape[0] === 0) continue;
        this.#addTable(shape, 8, (state, table) => (state.writeTracking[memory] = table));
        this.#addTable(shape, 64, (state, table) => (state.readTracking[memory] = table));
      }
    }
    const lock = this.#makeLock();
    this.#state(this.#entry).lock = lock;
    this.#capture(lock, (region, value) => (this.#state(region).lock = value));
    for (const { kind, ops } of COMMITS) {
      const used = this.module.walk((op) => (ops.some((def) => def.is(op)) ? "interrupt" : undefined));
      const rows = buffers.shared_mem.length;
      if (used && rows > 0) this.#addTable([rows, NUM_THREADS], 8, (state, table) => (state.commits[kind] = table));
    }
  }

  /** Addresses are made again by each group. */
  #addPointers(memType: MemType, offsets: readonly number[], keep: (state: RegionState, table: Table) => void): void {
    const { rw } = this;
    const make = (region: Region): void => {
      const type = this.#type(region, [offsets.length], 64);
      keep(this.#state(region), { value: rw.value(ExperimentalBufferPointersOp, { offsets, memType }, { types: [type] }), type });
    };
    make(this.#entry);
    rw.preserving(() => {
      for (const { op, regions } of this.#groups)
        for (const region of regions) {
          rw.loc = region.parentOp?.locRef ?? op.locRef;
          rw.setStart(region.firstBlock!);
          make(region);
        }
    });
  }
  /** A table of zeros in scratch memory, which groups get a pointer to. */
  #addTable(shape: readonly number[], bits: number, keep: (state: RegionState, table: Table) => void): void {
    const { rw } = this;
    const code = new TensorCode(rw);
    const type = this.#type(this.#entry, shape, bits);
    const zero = code.all(0, type);
    const bytes = bits / 8;
    const types = [pointerType(type.params.elementType)];
    const nbytes = shape.reduce((n, extent) => n * extent, bytes);
    const value = rw.value(GlobalScratchAllocOp, { nbytes, alignment: bytes }, { types });
    code.store(value, zero, type);
    keep(this.#state(this.#entry), { value, type });
    this.#capture(value, (region, captured) => keep(this.#state(region), { value: captured, type: this.#type(region, shape, bits) }));
  }
  #makeLock(): Value {
    const { rw } = this;
    const { ctx } = rw;
    const lock = rw.value(GlobalScratchAllocOp, { nbytes: 4, alignment: 4 }, { types: [pointerType(i32(ctx))] });
    const val = rw.value(ConstantOp, { value: i32Attr(ctx, 0) });
    rw.create(AtomicRMWOp, { atomic_rmw_op: "exch", sem: "acq_rel", scope: "gpu", ptr: lock, val }, { types: [i32(ctx)] });
    return lock;
  }
  #capture(value: Value, keep: (region: Region, value: Value) => void): void {
    for (const { op, regions } of this.#groups) {
      this.rw.modify(op, () => op.appendOperands([value]));
      for (const region of regions) keep(region, region.firstBlock!.addArgument(value.type, op.locRef));
    }
  }
  #type(region: Region, shape: readonly number[], bits: number): TensorType {
    return stateType(this.rw.ctx, shape, bits, maybeLookupNumWarps(region.firstBlock!.firstOp!) ?? 4);
  }
}

// --- the buffers of a module ----------------------------------------------------------------------

interface Buffers {
  readonly buffers: Readonly<Record<MemType, readonly number[]>>;
  readonly barriers: readonly number[];
}
type Alloc = NonNullable<ReturnType<typeof LocalAllocOp.match>> | NonNullable<ReturnType<typeof TMEMAllocOp.match>>;

/** The offsets of all buffers, each copy of a multi-buffer by itself; filled up with 0 to a power of two. */
function buffersOf(module: Operation, report: PassReport): Buffers {
  const found = { shared_mem: new Set<number>(), tensor_mem: new Set<number>(), barriers: new Set<number>() };
  const add = (set: Set<number>, alloc: Alloc, offset: number, copyOf: () => number): void => {
    set.add(offset);
    if (!isMultiBuffered(alloc.result)) return;
    const size = copyOf();
    for (let i = 1; i < (alloc.result.type as MemDesc).params.shape[0]!; i++) set.add(offset + i * size);
  };
  for (const { op, alloc, isShared } of allocsOf(module)) {
    if (!canBeInstrumented(op, report)) continue;
    const { shape, elementType } = (alloc.result.type as MemDesc).params;
    if (!isShared)
      add(found.tensor_mem, alloc, tensorMemoryOffset(op), () => Math.trunc(tmemColumns(alloc.result.type as MemDesc) / shape[0]!));
    else {
      const bytes = shape.slice(1).reduce((n, extent) => n * extent, Math.trunc(bitWidth(elementType)! / 8));
      add(
        isBarrier(op) ? found.barriers : found.shared_mem,
        alloc,
        offsetOf(op, ALLOCATION_OFFSET, "allocate-shared-memory-nv"),
        () => bytes,
      );
    }
  }
  const filled = (set: Set<number>): number[] => {
    const offsets = [...set];
    while (offsets.length & (offsets.length - 1)) offsets.push(0);
    return offsets;
  };
  return { buffers: { shared_mem: filled(found.shared_mem), tensor_mem: filled(found.tensor_mem) }, barriers: filled(found.barriers) };
}
/** Allocations of shared memory, then those of tensor memory. */
function allocsOf(module: Operation): { readonly op: Operation; readonly alloc: Alloc; readonly isShared: boolean }[] {
  const shared: Operation[] = [];
  const tensor: Operation[] = [];
  module.walkPostOrder((op) => {
    if (LocalAllocOp.is(op)) shared.push(op);
    else if (TMEMAllocOp.is(op)) tensor.push(op);
  });
  return [
    ...shared.map((op) => ({ op, alloc: LocalAllocOp.match(op)!, isShared: true })),
    ...tensor.map((op) => ({ op, alloc: TMEMAllocOp.match(op)!, isShared: false })),
  ];
}
function offsetOf(op: Operation, attr: string, by: string): number {
  const offset = intOf(op.attr(attr));
  if (offset === undefined) throw new PassError(op, `its buffer has no place yet: run ${by} before`, "lower.not-allocated");
  return offset;
}
function tensorMemoryOffset(op: Operation): number {
  const by = "triton-tensor-memory-allocation";
  return offsetOf(op, "tensor_memory_col_offset", by) | (offsetOf(op, "tensor_memory_row_offset", by) << 16);
}
function canBeInstrumented(op: Operation, report: PassReport): boolean {
  const users = op.results.flatMap((result) => result.users());
  if (users.some((user) => CallOp.is(user))) {
    report.warning(op, "Allocation is used in a function call, cannot instrument", "consan.skipped");
    return false;
  }
  if (users.every((user) => !MemDescIndexOp.is(user))) return true;
  if (users.every((user) => MemDescIndexOp.is(user) || LocalDeallocOp.is(user) || WarpSpecializeOp.is(user))) return true;
  report.warning(op, "Allocation is used in an inconsistent way, cannot instrument", "consan.skipped");
  return false;
}
/** Copies are told apart by `memdesc_index`, here or in a group of warps. */
function isMultiBuffered(buffer: Value): boolean {
  for (const { owner, index } of buffer.uses()) {
    if (MemDescIndexOp.is(owner)) return true;
    if (WarpSpecializeOp.is(owner) && partitionRegionsOf(owner).some((region) => isMultiBuffered(region.firstBlock!.args[index]!)))
      return true;
  }
  return false;
}
function isBarrier(alloc: Operation): boolean {
  let found = false;
  const filter = (op: Operation): boolean => {
    const isInit = InitBarrierOp.is(op);
    found ||= isInit;
    return !isInit;
  };
  getForwardSlice(alloc, { filter });
  return found;
}
