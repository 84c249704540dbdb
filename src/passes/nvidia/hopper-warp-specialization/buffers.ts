/**
 * Buffers, tokens and barriers of channels, made at the start of the function.
 * Source: WarpSpecialization/WSCodePartition.cpp, createBuffer, createToken, createBarrierAlloc.
 */
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { CreateTokenOp } from "../../../dialects/nvws/ops/token.js";
import { TokenType } from "../../../dialects/nvws/types.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { DotOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { distributedParams, encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { enclosingModule, getNumCTAs } from "../../../dialects/ttg/num-warps.js";
import { AsyncCopyGlobalToLocalOp } from "../../../dialects/ttg/ops/async-copy.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescIndexOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import { WarpSpecializeOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import { type MemDesc, memDescType } from "../../../dialects/ttg/types.js";
import { barrierType } from "../../../dialects/ttng/barrier-type.js";
import { InitBarrierOp, InvalBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import type { Attribute } from "../../../ir/attribute.js";
import { i32Attr, unitAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, RankedTensorType, tensorType } from "../../../ir/builtin-types.js";
import type { LocationRef } from "../../../ir/location.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { getCTALayout, getOrderForMemory } from "../../../layout/encoding-queries.js";
import { nvmmaSharedFor } from "../../../layout/encodings/nvmma-shared.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { createSingleBufferView } from "../../ttg/software-pipelining/buffers.js";
import { refuse } from "../not-specializable.js";
import { getEncodingFromDescriptor } from "../tma/descriptor-layouts.js";
import { isTMALoad } from "../tma/tma-copies.js";
import type { TaskBuilder } from "./async-task-ids.js";
import { type Channel, type ChannelGroups, getActualConsumers, srcOpOf, srcValueOf } from "./channels.js";

export type BufferMap = ReadonlyMap<Channel, Value>;

/** One ring of buffers for each producer; outside of loops it has one buffer. */
export function createBuffers(rw: Rewriter, func: Operation, { byProducer }: ChannelGroups): BufferMap {
  const buffers = new Map<Channel, Value>();
  rw.setStart(func.regions[0]!.firstBlock!);
  for (const group of byProducer) {
    const channel = group[0]!;
    const src = srcOpOf(channel);
    const { type } = srcValueOf(channel);
    if (!RankedTensorType.is(type)) refuse(src, "only tensors can be handed from warp group to warp group");
    const { shape, elementType } = type.params;
    const count = src.parentOfType(ForOp) ? channel.numBuffers : 1;
    const bufferType = memDescType([count, ...shape], elementType, sharedEncodingOf(channel), SharedMemorySpace.get(rw.ctx, {}), true);
    const buffer = rw.from(src, () => rw.value(LocalAllocOp, {}, { loc: func.locRef, types: [bufferType] }));
    for (const c of group) buffers.set(c, buffer);
  }
  return buffers;
}
function sharedEncodingOf(channel: Channel): Attribute {
  const src = srcOpOf(channel);
  const type = srcValueOf(channel).type as ReturnType<typeof tensorType>;
  const { shape, elementType, encoding } = type.params;
  const params = distributedParams(encoding)!;
  const order = getOrderForMemory(params, shape);
  const cga = getCTALayout(params)!;
  if (getActualConsumers(channel.dst).some((op) => op.def.interface(DotOpInterface)))
    return encodingAttr(src.ctx, nvmmaSharedFor(shape, order, cga, bitWidth(elementType)!, false));
  if (DescriptorLoadOp.is(src)) return getEncodingFromDescriptor(type, src.operand(0));
  return encodingAttr(src.ctx, { kind: "swizzled_shared", vec: 1, perPhase: 1, maxPhase: 1, order, cga });
}

/** One buffer of a ring, for the tasks that `b` makes ops for. */
export function bufferView(
  b: TaskBuilder,
  buffer: Value,
  index: Value,
  options: { readonly loc?: LocationRef; readonly mutable?: boolean } = {},
): Value {
  const { shape, elementType, encoding, memorySpace } = (buffer.type as MemDesc).params;
  const types = [memDescType(shape.slice(1), elementType, encoding, memorySpace, options.mutable ?? true)];
  return b.value(MemDescIndexOp, { src: buffer, index }, { loc: options.loc ?? buffer.definingOp!.locRef, types });
}

/** By what those who share a consumer tell each other that a buffer is full or free. */
export interface CommChannel {
  /** One for each task that consumes. */
  readonly tokens: ReadonlyMap<number, Value>;
  /** Where the producer itself signals a barrier: a TMA copy. */
  readonly producerBarrier: Value | undefined;
}

/** The ops that were made for a channel: what fills the buffer, and what reads it. */
export interface CopyOps {
  readonly producer: Operation;
  readonly consumer: Operation;
}

export function createTokens(
  rw: Rewriter,
  func: Operation,
  { byConsumer }: ChannelGroups,
  copies: ReadonlyMap<Channel, CopyOps>,
): CommChannel[] {
  const start = func.regions[0]!.firstBlock!;
  const behind = start.firstOp!;
  return byConsumer.map((group) => {
    const channel = group[0]!;
    const src = srcOpOf(channel);
    return rw.from(src, () => {
      const producerBarrier = isTMALoad(src) ? createBarrierAlloc(rw.setStart(start), func, channel.numBuffers) : undefined;
      const copy = copies.get(channel)!.producer;
      const loadType = AsyncCopyGlobalToLocalOp.is(copy) ? "asyncLoadOp" : DescriptorLoadOp.is(copy) ? "tmaLoadOp" : "localStoreOp";
      const numBuffers = src.parentOfType(ForOp) ? channel.numBuffers : 1;
      const types = [tensorType([numBuffers], TokenType.get(rw.ctx, {}))];
      rw.setBefore(behind);
      const tokens = channel.consumers.map((id) => {
        const token = rw.value(CreateTokenOp, { numBuffers, loadType }, { loc: func.locRef, types });
        return [id, token] as const;
      });
      return { producerBarrier, tokens: new Map(inHashOrder(tokens)) };
    });
  });
}

/** As upstream visits a hash table of so few tasks, whose ids are times 37: that of 1 and 2 begins with 2. */
function inHashOrder<T>(entries: readonly (readonly [id: number, T])[]): (readonly [number, T])[] {
  const bucket = (id: number): number => (id * 37) % 64;
  return [...entries].sort(([a], [b]) => bucket(a) - bucket(b));
}

/** Marks the rings of barriers that warp specialization makes. */
const GENERATED = "ttg.ws_generated_barrier";

/** A ring of barriers, to be started. */
export function barrierAlloc(rw: Rewriter, at: Operation, numBarriers: number): Value {
  const types = [barrierType(rw.ctx, getNumCTAs(enclosingModule(at)), numBarriers)];
  const { op, result } = rw.create(LocalAllocOp, {}, { loc: at.locRef, types });
  if (rw.ctx.triton.invalidatesRings) op.setAttr(GENERATED, unitAttr(rw.ctx));
  return result;
}
/** Ends the marked barriers that warp groups use, after the groups. */
export function invalidateBarriers(rw: Rewriter, func: Operation): void {
  const groups: Operation[] = [];
  func.walkPostOrder((op) => {
    if (WarpSpecializeOp.is(op)) groups.push(op);
  });
  for (const op of groups) {
    const { locRef: loc } = op;
    rw.setAfter(op);
    for (const alloc of new Set(op.operands)) {
      if (!alloc.definingOp?.hasAttr(GENERATED)) continue;
      for (let i = 0; i < (alloc.type as MemDesc).params.shape[0]!; i++) {
        const index = rw.value(ConstantOp, { value: i32Attr(rw.ctx, i) }, { loc });
        rw.create(InvalBarrierOp, { alloc: createSingleBufferView(rw, alloc, index) }, { loc });
      }
    }
  }
}
/** Makes a ring of barriers, each for one arrival. */
function createBarrierAlloc(rw: Rewriter, func: Operation, numBarriers: number): Value {
  const { locRef: loc } = func;
  const alloc = barrierAlloc(rw, func, numBarriers);
  for (let i = 0; i < numBarriers; i++) {
    const index = rw.value(ConstantOp, { value: i32Attr(rw.ctx, i) }, { loc });
    rw.create(InitBarrierOp, { alloc: createSingleBufferView(rw, alloc, index), count: 1 }, { loc });
  }
  return alloc;
}
