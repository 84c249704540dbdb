import { MemDescIndexOp, MemDescReshapeOp, MemDescSubsliceOp, MemDescTransOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import { WarpSpecializePartitionsOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import { ArriveBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMSubSliceOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { TENSOR_MEMORY } from "../../../dialects/ttng/ttng-op.js";
import { isPureOp, memoryEffects } from "../../../ir/interfaces.js";
import { constantInt } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { getNestedOperands } from "../../ttg/software-pipelining/pipelined-loops.js";

export const interleaveTMem = definePass("triton-nvidia-interleave-tmem", {
  name: "TritonNvidiaGPUInterleaveTMemPass",
  summary: "Interleave TMEM loads/stores.",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/InterleaveTMem.cpp",
  statistics: { moved: "accesses moved" },
  run(root, { count }) {
    const toSink: { readonly op: Operation; readonly buffer: Value }[] = [];
    root.walkPostOrder((op) => {
      if (TMEMLoadOp.is(op)) toSink.push({ op, buffer: op.operand(0) });
      else if (TMEMAllocOp.is(op)) toSink.push({ op, buffer: op.result(0) });
    });
    for (const { op, buffer } of toSink) while (sink(chainOf(op), buffer)) count("moved");
  },
});

/** An op and the pure ops that follow it, each the only user of the one before. */
function chainOf(op: Operation): Operation[] {
  const chain = [op];
  for (let last = op; ; chain.push(last)) {
    const users = last.results.flatMap((result) => result.users());
    if (users.length !== 1 || users[0] !== last.next || !isPureOp(users[0])) return chain;
    last = users[0];
  }
}

/** Moves a chain as far down as it can go. Returns whether it moved. */
function sink(chain: readonly Operation[], buffer: Value): boolean {
  const after = chain.at(-1)!.next;
  const results = new Set(chain.flatMap((op) => op.results));
  let before: Operation | null = null;
  for (let next = after; next && !next.def.isTerminator; next = next.next) {
    before = next;
    // Arrivals may say that the buffer is free.
    if (ArriveBarrierOp.is(next) || [...getNestedOperands(next)].some((value) => results.has(value)) || mayWrite(next, buffer)) break;
  }
  if (!before || before === after) return false;
  for (const op of chain) op.moveBefore(before);
  return true;
}

function mayWrite(op: Operation, buffer: Value): boolean {
  const effects = memoryEffects(op);
  if (!effects) return true;
  return effects.some(({ kind, resource, value }) => {
    if (kind !== "write" && kind !== "free") return false;
    return resource === undefined || resource === "default" || (resource === TENSOR_MEMORY && (!value || mayAlias(value, buffer)));
  });
}

/** A part of an allocation: for each dimension where it begins and ends; undefined where that is not known. */
interface Access {
  readonly alloc: Value;
  readonly ranges: readonly (readonly [start: number, end: number] | undefined)[];
  /** Dimensions in front that a view has lost. */
  readonly rankOffset: number;
}
function mayAlias(a: Value, b: Value): boolean {
  const [first, second] = [accessOf(a), accessOf(b)];
  if (!first || !second) return true;
  if (first.alloc !== second.alloc) return false;
  return first.ranges.every((range, dim) => {
    const other = second.ranges[dim];
    return !range || !other || (range[0] < other[1] && other[0] < range[1]);
  });
}
/** The allocation that a buffer is a part of; undefined when that is not known. */
function accessOf(buffer: Value): Access | undefined {
  const parent = buffer.argOwner?.parentOp;
  if (parent && WarpSpecializePartitionsOp.is(parent)) return accessOf(parent.parentOp!.operand(buffer.index));
  const def = buffer.definingOp;
  if (!def) return undefined;
  const { shape } = (def.result(0).type as MemDesc).params;
  if (TMEMAllocOp.is(def)) return { alloc: buffer, ranges: shape.map((size) => [0, size] as const), rankOffset: 0 };
  if (MemDescTransOp.is(def) || MemDescReshapeOp.is(def)) return accessOf(def.operand(0));
  const part = TMEMSubSliceOp.match(def);
  const from = part || MemDescIndexOp.is(def) || MemDescSubsliceOp.is(def) ? accessOf(def.operand(0)) : undefined;
  if (!from) return undefined;
  if (!part) return viewOf(def, from, shape);
  const start = from.ranges[1] && from.ranges[1][0] + part.N;
  return start === undefined ? from : { ...from, ranges: from.ranges.with(1, [start, start + shape[1]!]) };
}
function viewOf(op: Operation, from: Access, shape: readonly number[]): Access {
  const slice = MemDescSubsliceOp.match(op);
  const index = slice ? undefined : constantInt(op.operand(1));
  const offsets = slice?.offsets ?? [
    index === undefined ? undefined : Number(index),
    ...new Array<number>(Math.max(0, shape.length - 1)).fill(0),
  ];
  const rankOffset = (op.operand(0).type as MemDesc).params.shape.length - shape.length;
  const ranges = offsets.map((offset, i) => {
    const range = from.ranges[i + from.rankOffset];
    if (!range || offset === undefined) return undefined;
    const start = range[0] + offset;
    return [start, start + (i >= rankOffset ? shape[i - rankOffset]! : 1)] as const;
  });
  return { alloc: from.alloc, ranges: [...from.ranges.slice(0, from.rankOffset), ...ranges], rankOffset };
}
