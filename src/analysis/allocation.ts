/**
 * Where in shared memory the buffers of a function lie: those of `ttg.local_alloc` and the scratch memory that ops need while they
 * run. Buffers that are never alive at the same time may share memory:
 *
 *     %a = ttg.local_alloc : 64x64xf16    alive in [0, 3)    offset 0
 *     tt.reduce (256 bytes of scratch)    alive in [2, 3)    offset 8192
 *     %b = ttg.local_alloc : 64x64xf16    alive in [4, 6)    offset 0
 *
 * A call needs the memory of its callee as scratch. Source: lib/Analysis/Allocation.cpp.
 */
import { AsyncRegions } from "../dialects/tt/traits.js";
import { PointerType } from "../dialects/tt/types.js";
import { encodingParams } from "../dialects/ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../dialects/ttg/encodings/shared-memory.js";
import { alignmentOrDefault, LocalAllocOp } from "../dialects/ttg/ops/local-memory.js";
import { totalPartitionWarps, WarpSpecializeOp } from "../dialects/ttg/ops/warp-specialize.js";
import { type MemDescParams, MemDescType } from "../dialects/ttg/types.js";
import { isAnyTensorDesc } from "../dialects/ttng/types.js";
import type { Attribute, Type } from "../ir/attribute.js";
import { intOf } from "../ir/builtin-attrs.js";
import { bitWidth, numElements } from "../ir/builtin-types.js";
import { CallOp, FunctionOp } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import { lookupSymbol } from "../ir/symbol-table.js";
import type { Value } from "../ir/value.js";
import { getAllocationShapePerCTA, sizeInMemory } from "../layout/encoding-queries.js";
import { PassError } from "../pass/pass-error.js";
import { sharedMemoryAliases } from "./alias.js";
import { callGraphOf } from "./call-graph.js";
import { type ConcurrentPart, placeBuffers } from "./place-buffers.js";
import { defaultScratchSize, type ScratchSize, storedBitWidth } from "./scratch-size.js";
import { type LiveRange, liveRange, numberOps } from "./value-liveness.js";

/** The attribute of an op whose buffer has its place. */
export const ALLOCATION_OFFSET = "allocation.offset";
/** The attribute of a module: bytes of shared memory that a CTA needs. */
export const SHARED = "ttg.shared";

/** A part of shared memory that an op uses. Units: bytes. */
export interface SharedBuffer {
  /** explicit: the op is a `ttg.local_alloc`; scratch: the op needs it while it runs; virtual: it is what a callee needs. */
  readonly kind: "explicit" | "scratch" | "virtual";
  readonly owner: Operation;
  readonly size: number;
  readonly alignment: number;
  readonly offset: number;
  /** From which op of the function to which it is in use, in post-order; `end` is Infinity for what a function needs throughout. */
  readonly live: LiveRange;
}

/** The buffers of one function. */
export interface Allocation {
  readonly func: Operation;
  /** In the order of the ops, explicit ones first. */
  readonly buffers: readonly SharedBuffer[];
  /** Bytes. */
  readonly sharedMemorySize: number;
  /** The buffer that an op allocates or needs while it runs. */
  bufferOf(op: Operation): SharedBuffer | undefined;
  /** The buffers that a value may be a view of. */
  buffersOf(value: Value): readonly SharedBuffer[];
}

/** Offsets of all buffers of shared memory in a module. */
export interface ModuleAllocation {
  readonly module: Operation;
  /** The functions, callees before callers. Empty when they call each other in a circle; `recursive` is a call of it. */
  readonly functions: readonly Operation[];
  readonly recursive: Operation | undefined;
  /** The functions that nobody calls: kernels. */
  readonly roots: readonly Operation[];
  /** Bytes that the kernels need. */
  readonly sharedMemorySize: number;
  of(func: Operation): Allocation | undefined;
}

/** Places the buffers of all functions of a module. */
export function allocateSharedMemory(module: Operation, scratchSize: ScratchSize = defaultScratchSize): ModuleAllocation {
  const graph = callGraphOf(module);
  const order = graph.postOrder();
  const byFunction = new Map<Operation, Allocation>();
  for (const func of order ?? []) byFunction.set(func, allocateFunction(func, byFunction, scratchSize));
  return {
    module,
    functions: order ?? [],
    recursive: order ? undefined : graph.recursiveCall(),
    roots: graph.roots,
    sharedMemorySize: Math.max(0, ...graph.roots.map((func) => byFunction.get(func)?.sharedMemorySize ?? 0)),
    of: (func) => byFunction.get(func),
  };
}

/** The offset that `allocate-shared-memory` gave an op's buffer, in bytes. */
export function allocationOffset(op: Operation): number | undefined {
  return intOf(op.attr(ALLOCATION_OFFSET));
}
/** The same for an op that cannot do without it. */
export function givenOffset(op: Operation, attr: Attribute | undefined = op.attr(ALLOCATION_OFFSET)): number {
  const offset = intOf(attr);
  if (offset === undefined || offset < 0)
    throw new PassError(op, `the offset in '${ALLOCATION_OFFSET}' must be an integer of at least 0`, "lower.unsupported");
  return offset;
}

type Unplaced = { -readonly [K in keyof SharedBuffer]: SharedBuffer[K] };

function allocateFunction(func: Operation, callees: ReadonlyMap<Operation, Allocation>, scratchSize: ScratchSize): Allocation {
  const explicit: Unplaced[] = [];
  const scratch: Unplaced[] = [];
  const virtual: Unplaced[] = [];
  const ids = numberOps(func);
  const { ctx } = func;
  const { origin } = ctx;
  func.walk((op) => {
    const alloc = LocalAllocOp.match(op);
    if (alloc && SharedMemorySpace.is(descOf(alloc.result).memorySpace)) {
      const buffer = { owner: op, size: bytesOf(descOf(alloc.result)), alignment: alignmentOrDefault(alloc) };
      explicit.push({ kind: "explicit", ...buffer, offset: 0, live: liveRange(alloc.result, ids) });
    }
    // Told as the op whose layouts have no size, where there is one.
    ctx.origin = op.id;
    const need = scratchOf(op, callees, scratchSize);
    ctx.origin = origin;
    if (need.size === 0) return;
    const at = ids.get(op)!;
    const live = op === func ? { start: 0, end: Infinity } : { start: at, end: at + 1 };
    (need.kind === "virtual" ? virtual : scratch).push({ ...need, owner: op, offset: 0, live });
  });

  const byOp = new Map<Operation, Unplaced>([...virtual, ...scratch, ...explicit].map((buffer) => [buffer.owner, buffer]));
  const byValue = explicit.length > 0 ? aliasesIn(func, byOp) : new Map<Value, Unplaced[]>();
  for (const [value, buffers] of byValue) {
    const range = liveRange(value, ids);
    for (const buffer of buffers)
      buffer.live = { start: Math.min(buffer.live.start, range.start), end: Math.max(buffer.live.end, range.end) };
  }
  const buffers = [...explicit, ...scratch, ...virtual];
  const sharedMemorySize = placeBuffers(buffers, concurrentPartOf);
  return {
    func,
    buffers,
    sharedMemorySize,
    bufferOf: (op) => byOp.get(op),
    buffersOf: (value) => byValue.get(value) ?? [],
  };
}

/** The buffers that each value used or made in a function may be a view of. */
function aliasesIn(func: Operation, byOp: ReadonlyMap<Operation, Unplaced>): Map<Value, Unplaced[]> {
  const aliases = sharedMemoryAliases(func);
  const buffers = new Map<Value, Unplaced[]>();
  const note = (value: Value): void => {
    if (buffers.has(value)) return;
    const allocs = aliases(value);
    if (allocs.size > 0)
      buffers.set(
        value,
        [...allocs].map((alloc) => byOp.get(alloc.definingOp!)!),
      );
  };
  func.walk((op) => {
    for (const use of op.operandUses) note(use.value);
    op.results.forEach(note);
  });
  return buffers;
}

/** The region of a buffer's op, where the op around it runs its regions at the same time. */
function concurrentPartOf({ owner }: SharedBuffer): ConcurrentPart | undefined {
  const whole = asyncOpAround(owner);
  return whole && { whole, part: owner.region };
}
function asyncOpAround(op: Operation): Operation | undefined {
  let at = op.parentOp;
  while (at && !at.def.traits.has(AsyncRegions)) at = at.parentOp;
  return at ?? undefined;
}

const SCRATCH_ALIGNMENT = 128;

function scratchOf(
  op: Operation,
  callees: ReadonlyMap<Operation, Allocation>,
  scratchSize: ScratchSize,
): { readonly kind: "scratch" | "virtual"; readonly size: number; readonly alignment: number } {
  const call = op.def.interface(CallOp);
  if (call) {
    const callee = lookupSymbol(op, call.callee(op) ?? "");
    return { kind: "virtual", size: (callee && callees.get(callee)?.sharedMemorySize) ?? 0, alignment: SCRATCH_ALIGNMENT };
  }
  const specialize = WarpSpecializeOp.match(op);
  if (specialize) return { kind: "scratch", size: captureSize(op), alignment: 8 };
  if (op.def.interface(FunctionOp)) return { kind: "scratch", size: mostPartitionWarps(op), alignment: 4 };
  return { kind: "scratch", size: scratchSize(op), alignment: SCRATCH_ALIGNMENT };
}

/** Functions that specialize warps tell each of them by one byte what to run. */
function mostPartitionWarps(func: Operation): number {
  let most = 0;
  func.walk((op) => {
    const specialize = WarpSpecializeOp.match(op);
    if (specialize) most = Math.max(most, totalPartitionWarps(specialize));
  });
  return most;
}
/** The captures of a `ttg.warp_specialize`, packed, in bytes. */
function captureSize(op: Operation): number {
  return op.operands.reduce((total, { type }) => total + capturedBytes(type), 0);
}
function capturedBytes(type: Type): number {
  if (PointerType.is(type) || isAnyTensorDesc(type)) return 8;
  if (MemDescType.is(type)) return SharedMemorySpace.is(type.params.memorySpace) ? 8 + type.params.shape.length * 4 : 8;
  return Math.ceil((bitWidth(type) ?? 64) / 8);
}

const descOf = (value: Value): MemDescParams => (value.type as Type & { readonly params: MemDescParams }).params;

/** Bytes of a whole buffer, padding included. */
function bytesOf({ shape, elementType, encoding }: MemDescParams): number {
  if (shape.includes(0)) return 0;
  const params = encodingParams(encoding)!;
  const elements = sizeInMemory(params, numElements(getAllocationShapePerCTA(params, shape)));
  const bits = PointerType.is(elementType) ? 64 : (bitWidth(elementType) ?? storedBitWidth(elementType));
  return Math.trunc((elements * bits) / 8);
}
