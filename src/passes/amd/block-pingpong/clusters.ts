/**
 * The orders in which a loop's body is cut into clusters of memory accesses and of matrix instructions.
 * Source: third_party/amd/lib/TritonAMDGPUTransforms/BlockPingpong.cpp, transform*.
 */
import { CondBarrierOp, MemoryCounterWaitOp } from "../../../dialects/amdg/ops/scheduling.js";
import { CmpIOp, ConstantOp, DivSIOp } from "../../../dialects/arith/ops/index.js";
import { BarrierOp } from "../../../dialects/gpu/ops/barrier.js";
import { IDS } from "../../../dialects/rocdl/ops/ids.js";
import { SBarrierOp, SchedBarrierOp, SchedGroupBarrierOp, SetPrioOp } from "../../../dialects/rocdl/ops/synchronization.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { encodingAttr, encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { AsyncWaitOp } from "../../../dialects/ttg/ops/async-copy.js";
import { LocalLoadOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescSubsliceOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import { type MemDesc, memDescType } from "../../../dialects/ttg/types.js";
import { i32Attr, unitAttr } from "../../../ir/builtin-attrs.js";
import { i32, type TensorType, tensorType } from "../../../ir/builtin-types.js";
import { Mapping } from "../../../ir/clone.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { DotOperandParams } from "../../../layout/encoding-params.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import type { LoopOps } from "./loop-ops.js";
import { Placer } from "./placer.js";

type Pair = readonly [Operation, Operation];
/** The ops of a loop with one dot, each with two accesses. */
export interface MatmulOps {
  readonly dot: Operation;
  readonly loads: Pair;
  readonly localLoads: Pair;
}

/** 4 warps, two workgroups on a SIMD unit: one memory cluster and one dot cluster. */
export function oneCluster(rw: Rewriter, { op: loop }: ForView, { dot, loads, localLoads }: MatmulOps): void {
  const place = new Placer(rw, loop.locRef, dot.prev!).schedBarrier(1);
  const beforeDot = place.last;
  place.at(localLoads[0]).priority(1).moveWithNeeds(loads[0]);
  place.schedBarrier().moveWithNeeds(localLoads[1]);
  place.priority(0).moveWithNeeds(loads[1]);
  place.at(beforeDot).moveWithPriority(dot);
}

/** Half of each operand is read, then the other half; a dot cluster for each. Returns the first of the dots, or why there are none. */
export function twoClusters(rw: Rewriter, { dot, loads, localLoads }: MatmulOps, stores: Pair): Operation | string {
  const { locRef } = dot;
  const sliced = slice(rw, dot, loads[0], localLoads, 2);
  if (typeof sliced === "string") return sliced;
  const { dots, reads } = sliced;
  const place = new Placer(rw, locRef, loads[1]).move(...reads[0]!).schedBarrier();
  place.move(loads[0]).schedBarrier();
  place.move(...reads[1]!).schedBarrier();
  // No wait for what was read, which LLVM can then place in the dot cluster.
  place.move(loads[1]).sBarrier().schedBarrier();
  place.moveWithPriority(dots[0]!).clusterBarrier();
  place.moveWithNeeds(stores[0]).moveWithNeeds(stores[1]).clusterBarrier();
  place.moveWithPriority(dots[1]!).clusterBarrierAtEnd();
  return dots[0]!;
}

/** A quarter of each operand at a time, which a large tile needs to fit in registers. Returns as `twoClusters`. */
export function fourClusters(rw: Rewriter, { dot, loads, localLoads }: MatmulOps, stores: Pair): Operation | string {
  const { locRef } = dot;
  const sliced = slice(rw, dot, loads[0], localLoads, 4);
  if (typeof sliced === "string") return sliced;
  const { dots, reads } = sliced;
  const place = new Placer(rw, locRef, loads[1]).move(...reads[0]!).clusterBarrier();
  place.moveWithPriority(dots[0]!).clusterBarrier();
  place.move(loads[1], ...reads[1]!).clusterBarrier();
  place.moveWithPriority(dots[1]!).clusterBarrier();
  place.move(...reads[2]!, ...reads[3]!).clusterBarrier();
  place.moveWithPriority(dots[2]!).clusterBarrier();
  place.moveWithNeeds(stores[0]).moveWithNeeds(stores[1]).clusterBarrier();
  place.moveWithPriority(dots[3]!).clusterBarrierAtEnd();
  return dots[0]!;
}

/** Copies, and then all else; the lowering to LLVM divides the scaled dot in two. */
export function copiesFirst(rw: Rewriter, dot: Operation, { waits, commits, loads }: LoopOps): void {
  const place = new Placer(rw, dot.locRef, waits[0]!);
  for (const op of [...commits, ...loads]) place.moveWithNeeds(op);
  place.schedBarrier().sBarrier().schedBarrier();
  rw.setAttr(dot, "pingpong_2step", unitAttr(rw.ctx));
}

/** All reads of shared memory, then the copies of the next rounds beside the dot. */
export function readsFirst(rw: Rewriter, { op: loop }: ForView, ops: LoopOps): void {
  const { dots, copies, commits, localLoads, waits } = ops;
  const place = new Placer(rw, loop.locRef, copies[1]!);
  let wait = waits[0]!;
  if (waits.length > 1) {
    const asyncToken = waits.flatMap((op) => op.operands);
    wait = rw.setAfter(copies[1]!).create(AsyncWaitOp, { asyncToken, num: 0 }, { loc: loop.locRef }).op;
    for (const old of waits) rw.replace(old, wait);
  }
  place.moveWithNeeds(localLoads[0]!).moveWithNeeds(localLoads[1]!).schedBarrier();
  place.move(copies[0]!, commits[0]!).schedBarrier();
  place.move(wait).schedBarrier();
  // A matrix instruction and three scalar ones in turn.
  const [matrix, scalar] = [
    { mask: 8, size: 1, groupId: 0 },
    { mask: 4, size: 3, groupId: 0 },
  ];
  for (const group of [matrix, scalar, matrix, scalar, matrix]) place.add(SchedGroupBarrierOp, group);
  place.move(copies[1]!, commits[1]!, dots[0]!).schedBarrier().sBarrier().schedBarrier();
}

/** Two dots that feed one another: the pipeliner made a memory cluster for each, and barriers go between. */
export function chainedClusters(rw: Rewriter, { op: loop }: ForView, [first, second]: Pair): string | undefined {
  const isStart = (op: Operation | null): boolean => !op || AsyncWaitOp.is(op) || LocalStoreOp.is(op);
  const starts = [first, second].map((dot) => {
    let op: Operation | null = dot;
    while (!isStart(op)) op = op!.next;
    return op;
  });
  const [start1, start2] = starts;
  if (!start1 || !start2 || start1 === start2) return "there are not memory accesses after each of the two dots";
  const place = new Placer(rw, loop.locRef, first).addBefore(SBarrierOp, {}).addBefore(SchedBarrierOp, { mask: 0 });
  // Memory goes first, since its few vector instructions would otherwise wait for those of the dots.
  const memory = (start: Operation): void => {
    place.at(start).addBefore(SchedBarrierOp, { mask: 0 });
    // There will be a barrier after an asynchronous wait anyway.
    if (AsyncWaitOp.is(start)) place.schedBarrier();
    else place.addBefore(BarrierOp, {});
    place.addBefore(SetPrioOp, { priority: 1 });
  };
  const waitForReads = (): Placer => place.addBefore(MemoryCounterWaitOp, { ds: 0 });
  memory(start1);
  place.at(second).addBefore(SchedBarrierOp, { mask: 0 }).addBefore(SetPrioOp, { priority: 0 });
  waitForReads().addBefore(SBarrierOp, {}).addBefore(SchedBarrierOp, { mask: 0 });
  memory(start2);
  place.at(place.last.block!.lastOp!).addBefore(SchedBarrierOp, { mask: 0 }).addBefore(SetPrioOp, { priority: 0 });
  waitForReads();
  return undefined;
}

/** The second half of the warps waits before the loop until the first one comes to a barrier in it, and the first one after the loop. */
export function startInTurn(rw: Rewriter, { op: loop }: ForView): void {
  const options = { loc: loop.locRef };
  const number = (value: number): Value => rw.value(ConstantOp, { value: i32Attr(rw.ctx, value) }, options);
  rw.setBefore(loop).create(BarrierOp, {}, options);
  const thread = rw.value(IDS["workitem.id.x"]!, {}, { ...options, types: [i32(rw.ctx)] });
  const [zero, half] = [number(0), number(256)];
  const lhs = rw.value(DivSIOp, { lhs: thread, rhs: half }, options);
  const isFirst = rw.value(CmpIOp, { predicate: "eq", lhs, rhs: zero }, options);
  const isSecond = rw.value(CmpIOp, { predicate: "ne", lhs, rhs: zero }, options);
  rw.create(CondBarrierOp, { pred: isSecond }, options);
  rw.setAfter(loop).create(CondBarrierOp, { pred: isFirst }, options);
}

/** The dot as several along k, and for each the ops that read its operands; a text says why it cannot be. */
function slice(
  rw: Rewriter,
  dot: Operation,
  after: Operation,
  localLoads: readonly Operation[],
  count: number,
): { readonly dots: readonly Operation[]; readonly reads: readonly (readonly Operation[])[] } | string {
  const k = (dot.operand(1).type as TensorType).params.shape[0]!;
  if (k % count !== 0) return `K = ${k} is no multiple of ${count}`;
  const width = k / count;
  const dotLayout = encodingParams((dot.result(0).type as TensorType).params.encoding)!;
  const { kWidth } = encodingParams((dot.operand(0).type as TensorType).params.encoding) as DotOperandParams;
  rw.setAfter(after);
  const reads: Operation[][] = Array.from({ length: count }, () => []);
  const parts: Operation[][] = [[], []];
  for (const opIdx of [0, 1]) {
    const load = dot.operand(opIdx).definingOp;
    if (!LocalLoadOp.is(load)) return "an operand of the dot is computed from what was read from shared memory";
    if (width < 16) return `a part would be ${width} long along k, and no matrix instruction is that short`;
    const src = load!.operand(0);
    const { shape, elementType, encoding, memorySpace, mutableMemory, allocShape } = (src.type as MemDesc).params;
    const kDim = opIdx === 0 ? 1 : 0;
    const part = shape.map((extent, dim) => (dim === kDim ? width : extent));
    const options = { loc: load!.locRef };
    const view = memDescType(part, elementType, encoding, memorySpace, mutableMemory, allocShape);
    const layout = encodingAttr(rw.ctx, { kind: "dot_op", opIdx, parent: dotLayout, kWidth } as DotOperandParams);
    for (const [i, list] of reads.entries()) {
      const offsets = kDim === 1 ? [0, i * width] : [i * width, 0];
      const subslice = rw.create(MemDescSubsliceOp, { src, offsets }, { ...options, types: [view] });
      const read = rw.create(LocalLoadOp, { src: subslice.result }, { ...options, types: [tensorType(part, elementType, layout)] }).op;
      list.push(subslice.op, read);
      parts[opIdx]!.push(read);
    }
  }
  const dots: Operation[] = [];
  for (let i = 0; i < count; i++) {
    const mapping = new Mapping();
    mapping.map(dot.operand(0), parts[0]![i]!.result(0));
    mapping.map(dot.operand(1), parts[1]![i]!.result(0));
    if (i > 0) mapping.map(dot.operand(2), dots[i - 1]!.result(0));
    dots.push(rw.clone(dot, mapping));
  }
  rw.replace(dot, dots.at(-1)!);
  for (const load of localLoads) if (!load.isUsed()) rw.erase(load);
  return { dots, reads };
}
