/**
 * Turns the pipelined loads of a scheduled loop into copies to a ring of buffers in shared memory.
 * Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/LowerLoops.cpp.
 */
import type { ModuleAxisInfo } from "../../../analysis/module-axis-info.js";
import { ConstantOp, SelectOp, XOrIOp } from "../../../dialects/arith/ops/index.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { SplatOp, UnsplatOp } from "../../../dialects/tt/ops/shape.js";
import { encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { enclosingModule, getNumCTAs, getThreadsPerWarp } from "../../../dialects/ttg/num-warps.js";
import { AsyncCommitGroupOp, AsyncCopyGlobalToLocalOp, AsyncWaitOp } from "../../../dialects/ttg/ops/async-copy.js";
import { LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import type { Type } from "../../../ir/attribute.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, numElements, RankedTensorType, tensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { getDefaultBlockedEncoding } from "../../../layout/encodings/blocked.js";
import { type Explain, RemarkRefs } from "../../../pass/remark.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";
import { addIterArgsToLoop, appendToYield } from "../../ttg/replace-with-new-signature.js";
import { replaceUsesWithLocalLoad } from "../../ttg/shared-memory-uses.js";
import { createAlloc, createSingleBufferView } from "../../ttg/software-pipelining/buffers.js";
import { CoarseSchedule, inSlot } from "../../ttg/software-pipelining/coarse-schedule.js";
import { bodyOf, forLoops } from "../../ttg/software-pipelining/pipelined-loops.js";
import { isTMALoad } from "../tma/tma-copies.js";
import { whyNoAsyncCopy } from "./explain-pipelining.js";
import { lowerMMAs } from "./lower-mma-v5.js";
import { lowerTMADescriptors } from "./lower-tma-descriptors.js";
import { type AsyncLoad, asyncLoadOf, firstUse, getDefUseStageDiff, isZero } from "./pipelined-loads.js";
import { createIncrementModulo, type Indices, type Ring } from "./rings.js";
import { createBarriersAndWaits, createTMAAsyncCopy } from "./tma-loads.js";

/** Lowers every scheduled loop. Returns how many there were. */
export function lowerLoops(rw: Rewriter, root: Operation, axes: () => ModuleAxisInfo, explain?: Explain): number {
  const loops = forLoops(root);
  if (loops.length === 0) return 0;
  const axisInfo = axes();
  let lowered = 0;
  for (const loop of loops) {
    const schedule = CoarseSchedule.deserialize(loop);
    if (!schedule) continue;
    schedule.serialize(lowerTMADescriptors(rw, lowerLoads(rw, lowerMMAs(rw, loop, schedule), schedule, axisInfo, explain), schedule));
    lowered++;
  }
  return lowered;
}

function lowerLoads(rw: Rewriter, before: ForView, schedule: CoarseSchedule, axes: ModuleAxisInfo, explain: Explain | undefined): ForView {
  const loads = bodyOf(before)
    .opsWithoutTerminator()
    .flatMap((op) => asyncLoadOf(op, before, schedule, axes) ?? []);
  if (explain) explainBuffers(explain, before, loads, schedule, axes);
  for (const { op } of loads) if (!RankedTensorType.is(op.result(0).type)) rw.from(op, () => scalarToTensorLoad(rw, op, before, schedule));
  if (loads.length === 0) return before;
  const allocs = new Map(
    loads.map((load) => [load.op, rw.from(load.op, () => createAlloc(rw, before.op, load.op, load.encoding, load.buffers))]),
  );
  const { loop, indices } = rw.from(before, () => addIndices(rw, before, loads));
  const barriers = createBarriersAndWaits(rw, loop, loads, indices, schedule);
  for (const { op, buffers, contiguity } of loads) {
    const ring = { alloc: allocs.get(op)!, ...indices.get(buffers)! };
    rw.from(op, () => {
      // Nobody uses it, here as upstream.
      rw.setBefore(loop).create(ConstantOp, { value: i32Attr(rw.ctx, 0) }, { loc: loop.op.locRef });
      const load = LoadOp.match(op);
      if (load) createAsyncCopy(rw, loop, load, ring, contiguity, schedule);
      else createTMAAsyncCopy(rw, loop, op, ring, barriers.get(op)!, schedule);
    });
  }
  schedule.scheduleDependencies(loop);
  // Copies of rounds that do not exist may still be on their way.
  if (!loads.every(({ op }) => isTMALoad(op))) {
    rw.setAfter(loop);
    rw.from(loop, () => rw.create(AsyncWaitOp, { asyncToken: [], num: 0 }, { loc: loop.op.locRef }));
  }
  return loop;
}

/**
 * Carries two counters for each size of ring: equal ones, so that each can be computed anew in its own stage. Rings that TMA fills
 * have a phase as well, which distinguishes one round through the ring's barriers from the next.
 */
function addIndices(rw: Rewriter, before: ForView, loads: readonly AsyncLoad[]): { loop: ForView; indices: Map<number, Indices> } {
  const options = { loc: before.op.locRef };
  const constant = (n: number): Value => rw.value(ConstantOp, { value: i32Attr(rw.ctx, n) }, options);
  rw.setBefore(before);
  const [minusOne, zero, one] = [constant(-1), constant(0), constant(1)] as [Value, Value, Value];
  // By the number of buffers: whether TMA fills any of them.
  const rings = new Map<number, boolean>();
  for (const { op, buffers } of loads) rings.set(buffers, rings.get(buffers) || isTMALoad(op));
  const inits = [...rings.values()].flatMap((hasTMALoad) => [minusOne, minusOne, ...(hasTMALoad ? [zero] : [])]);
  const loop = addIterArgsToLoop(rw, before, inits);
  const body = bodyOf(loop);
  let next = body.args.length - inits.length;
  const indices = new Map<number, Indices>();
  for (const [buffers, hasTMALoad] of rings) {
    rw.setStart(body);
    const size = constant(buffers);
    const insert = createIncrementModulo(rw, options, body.args[next++]!, size, zero, one).value;
    const extract = createIncrementModulo(rw, options, body.args[next++]!, size, zero, one);
    indices.set(buffers, { insert, extract: extract.value, phase: undefined });
    if (!hasTMALoad) continue;
    const lhs = body.args[next++]!;
    const true_value = rw.value(XOrIOp, { lhs, rhs: one }, options);
    const phase = rw.value(SelectOp, { condition: extract.wraps, true_value, false_value: lhs }, options);
    indices.set(buffers, { insert, extract: extract.value, phase });
  }
  appendToYield(
    loop,
    [...indices.values()].flatMap(({ insert, extract, phase }) => [insert, extract, ...(phase ? [phase] : [])]),
  );
  return { loop, indices };
}

/** A scalar is copied as a tensor of one element. */
function scalarToTensorLoad(rw: Rewriter, op: Operation, loop: ForView, schedule: CoarseSchedule): void {
  const result = op.result(0);
  const scalar = result.type;
  const module = enclosingModule(op);
  const blocked = getDefaultBlockedEncoding([1], lookupNumWarps(op), getThreadsPerWarp(module), getNumCTAs(module));
  const encoding = encodingAttr(op.ctx, blocked);
  const slot = schedule.get(op);
  inSlot(rw.setBefore(op), schedule, slot, () =>
    op.operands.forEach((src, i) => {
      op.setOperand(i, rw.value(SplatOp, { src }, { loc: op.locRef, types: [tensorType([1], src.type, encoding)] }));
    }),
  );
  op.setResultType(0, tensorType([1], scalar, encoding));
  const use = firstUse([op], loop, schedule);
  const unsplat = inSlot(rw.setAfter(op), schedule, use, () => rw.create(UnsplatOp, { src: result }, { loc: op.locRef, types: [scalar] }));
  rw.replaceUsesWhere(result, unsplat.op.result(0), ({ owner }) => owner !== unsplat.op);
}

function createAsyncCopy(
  rw: Rewriter,
  loop: ForView,
  { op, ptr: src, mask, other, result, cache, evict, isVolatile }: View<typeof LoadOp>,
  { alloc, insert, extract }: Ring,
  contiguity: number,
  schedule: CoarseSchedule,
): void {
  const loc = op.locRef;
  const use = firstUse([op], loop, schedule);
  rw.setBefore(op);
  const commit = inSlot(rw, schedule, schedule.get(op), () => {
    const parts = { src, result: createSingleBufferView(rw, alloc, insert), mask, other, cache, evict, isVolatile, contiguity };
    return rw.value(AsyncCommitGroupOp, { inputTokens: [rw.value(AsyncCopyGlobalToLocalOp, parts, { loc })] }, { loc });
  });
  inSlot(rw, schedule, use, () => {
    const token = rw.value(AsyncWaitOp, { asyncToken: [commit], num: 0 }, { loc });
    const buffer = createSingleBufferView(rw, alloc, extract);
    if (!other || isZero(other)) return void replaceUsesWithLocalLoad(rw, result, buffer, token);
    if (!result.hasUses()) return;
    const true_value = rw.value(LocalLoadOp, { src: buffer, token }, { loc, types: [result.type] });
    rw.replaceAllUses(result, rw.value(SelectOp, { condition: mask!, true_value, false_value: other }, { loc }));
  });
  schedule.erase(op);
  rw.erase(op);
}

/** Says what the stages of a loop are, and what becomes of its loads. */
function explainBuffers(
  explain: Explain,
  loop: ForView,
  loads: readonly AsyncLoad[],
  schedule: CoarseSchedule,
  axes: ModuleAxisInfo,
): void {
  const bytesOf = (type: Type): number => {
    const shape = RankedTensorType.is(type) ? type.params.shape : [1];
    return (numElements(shape) * bitWidth(elementTypeOrSelf(type))!) / 8;
  };
  let bytes = 0;
  for (const { op, buffers, contiguity } of loads) {
    const { type } = op.result(0);
    const perBuffer = bytesOf(type);
    const width = (contiguity * bitWidth(elementTypeOrSelf(type))!) / 8;
    bytes += buffers * perBuffer;
    const copy = isTMALoad(op) ? "TMA copy" : `cp.async of ${width} bytes at once`;
    explain(op, "pipeline.load", {
      kind: "applied",
      message: `{0} becomes a ${copy} into a ring of ${buffers} buffer${buffers === 1 ? "" : "s"} of ${perBuffer} bytes`,
      fields: { buffers, bytes: buffers * perBuffer, ...(isTMALoad(op) ? {} : { copyBytes: width }) },
    });
  }
  const copied = new Set(loads.map(({ op }) => op));
  for (const op of bodyOf(loop).opsWithoutTerminator()) {
    const load = LoadOp.match(op);
    if (!load || copied.has(op) || getDefUseStageDiff(op, loop, schedule) === 0) continue;
    const refs = new RemarkRefs(op);
    const reason = whyNoAsyncCopy(load, axes, refs) ?? "a scalar of less than 4 bytes";
    explain(op, "async-copy.width", {
      kind: "missed",
      message: `{0} stays a load to registers though it is started ahead: ${reason}`,
      refs: refs.list,
    });
  }
  const refs = new RemarkRefs(loop.op);
  const names = loads.map(({ op }) => refs.of(op));
  explain(loop.op, "pipeline.loop", {
    kind: "applied",
    message: `{0} gets ${schedule.numStages} stages; ${names.length === 0 ? "nothing is" : `${names.join(" and ")} ${names.length === 1 ? "is" : "are"}`} copied to shared memory, ${bytes} bytes in all`,
    refs: refs.list,
    fields: { stages: schedule.numStages, buffers: loads.map(({ buffers }) => buffers), bytes },
  });
}
