/**
 * tcgen05 instructions of a scheduled loop run on: each signals a barrier, for which somebody waits later in the round or in the next one.
 * Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/LowerLoops.cpp, lowerMMAs.
 */
import { ConstantOp, SelectOp, XOrIOp } from "../../../dialects/arith/ops/index.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { LocalAllocOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { AsyncTokenType, type MemDesc, memDescType } from "../../../dialects/ttg/types.js";
import { WaitBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { MMAv5OpInterface, TCGen5MMAOp, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { PoisonOp } from "../../../dialects/ub/ops/index.js";
import { boolAttr, i32Attr, intOf, unitAttr } from "../../../ir/builtin-attrs.js";
import type { View } from "../../../ir/define-op.js";
import { Dominance } from "../../../ir/dominance.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { PassError } from "../../../pass/pass-error.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { addIterArgsToLoop, appendToYield } from "../../ttg/replace-with-new-signature.js";
import { replaceUsesAndPropagateType } from "../../ttg/shared-memory-uses.js";
import { createSingleBufferView } from "../../ttg/software-pipelining/buffers.js";
import { type CoarseSchedule, inSlot, type Slot } from "../../ttg/software-pipelining/coarse-schedule.js";
import { bodyOf, findAncestorInBlock, SELF_LATENCY } from "../../ttg/software-pipelining/pipelined-loops.js";
import { addCompletionBarrier } from "../completion-barrier.js";
import { clearTokenOperand } from "../tensor-memory/remove-tmem-tokens.js";
import { mmaOperands } from "./mma-v5.js";
import { createBarrierAlloc, createIncrementModulo } from "./rings.js";

type Alloc = View<typeof TMEMAllocOp>;

/** Returns the loop, which is a new one when instructions of it were made asynchronous. */
export function lowerMMAs(rw: Rewriter, before: ForView, schedule: CoarseSchedule): ForView {
  const mmas: Operation[] = [];
  before.op.walkPostOrder((op) => void (op.def.interface(MMAv5OpInterface) && mmas.push(op)));
  let loop = before;
  for (const mma of mmas) loop = rw.from(mma, () => lowerMMA(rw, mma, loop, schedule));
  return loop;
}

function lowerMMA(rw: Rewriter, mma: Operation, before: ForView, schedule: CoarseSchedule): ForView {
  const accumulator = mma.def.interface(MMAv5OpInterface)!.accumulator(mma);
  const alloc = TMEMAllocOp.match(accumulator.definingOp);
  // Before 3.7 nothing but an allocation would do.
  if (!alloc && !rw.ctx.triton.pipelinesAnyAccumulator) return before;
  const selfLatency = intOf(mma.attr(SELF_LATENCY)) ?? 0;
  mma.removeAttr(SELF_LATENCY);
  if (selfLatency === 0) return before;
  const buffers = accumulatorBuffers(alloc?.op.results ?? [accumulator], before, schedule);
  if (buffers > 1 && !alloc) return before;
  const options = { loc: before.op.locRef };
  rw.setBefore(before);
  const [minusOne, zero] = [-1, 0].map((n) => rw.value(ConstantOp, { value: i32Attr(rw.ctx, n) }, options)) as [Value, Value];
  const inits = [zero, zero, ...(buffers > 1 ? [minusOne] : [])];
  const loop = addIterArgsToLoop(rw, before, inits);
  const [phase, barrierIdx, bufIdx] = bodyOf(loop).args.slice(-inits.length) as [Value, Value, Value | undefined];
  appendToYield(loop, bodyOf(loop).args.slice(-inits.length));
  createBarrierAndWaits(rw, loop, schedule, { mma, accumulator, selfLatency, phase, barrierIdx });
  if (bufIdx && alloc) multibufferTensorMemory(rw, loop, schedule, alloc, bufIdx, buffers);
  return loop;
}

/** How many accumulators there are at a time, by the places of the first and last op that uses one. */
function accumulatorBuffers(accumulator: readonly Value[], loop: ForView, schedule: CoarseSchedule): number {
  let first: Operation | undefined;
  let last: Operation | undefined;
  for (const user of accumulator.flatMap((result) => result.users())) {
    if (!loop.op.isProperAncestorOf(user)) continue;
    const top = findAncestorInBlock(bodyOf(loop), user)!;
    if (!first || schedule.isOpBefore(top, first)) first = top;
    if (!last || schedule.isOpBefore(last, top)) last = top;
  }
  const [from, to] = [schedule.get(first!), schedule.get(last!)];
  const overlaps = from.cluster.index < to.cluster.index || (from.cluster === to.cluster && first!.isBeforeInBlock(last!));
  return to.stage - from.stage + (overlaps ? 1 : 0);
}

interface MmaToLower {
  readonly mma: Operation;
  readonly accumulator: Value;
  readonly selfLatency: number;
  readonly phase: Value;
  readonly barrierIdx: Value;
}
function createBarrierAndWaits(rw: Rewriter, loop: ForView, schedule: CoarseSchedule, parts: MmaToLower): void {
  const { mma, accumulator, phase, barrierIdx } = parts;
  const wait = placeOfWait(rw, loop, schedule, parts);
  const own = { ...schedule.get(mma) };
  const numStages = wait.stage - own.stage + 1;
  const atMma = { loc: mma.locRef };
  const atLoop = { loc: loop.op.locRef };
  const barriers = createBarrierAlloc(rw, loop.op, numStages);
  const i32 = (n: number): Value => rw.value(ConstantOp, { value: i32Attr(rw.ctx, n) }, atLoop);
  rw.setBefore(mma);
  const { index, zero, one, modulus, barrier } = inSlot(rw, schedule, own, () => {
    const pred = rw.value(ConstantOp, { value: boolAttr(rw.ctx, true) }, atMma);
    const [zero, one, modulus] = [i32(0), i32(1), i32(numStages)] as [Value, Value, Value];
    const index = numStages > 1 ? barrierIdx : zero;
    const barrier = createSingleBufferView(rw, barriers, index);
    addCompletionBarrier(rw, mma, barrier, pred);
    rw.setAttr(mma, "is_async", unitAttr(rw.ctx));
    return { index, zero, one, modulus, barrier };
  });
  const scaled = TCGen5MMAScaledOp.match(mma);
  const deps = [mma.operand(0), mma.operand(1), ...(scaled ? [scaled.a_scale, scaled.b_scale] : [])];
  inSlot(rw.setAfter(mma), schedule, wait, () => rw.create(WaitBarrierOp, { alloc: barrier, phase, deps }, atMma));
  // Reads in branches wait by themselves when they come before that.
  for (const user of accumulator.users()) {
    if (!TMEMLoadOp.is(user) || user.block === mma.block) continue;
    const top = findAncestorInBlock(bodyOf(loop), user);
    const slot = top && schedule.get(top);
    if (!slot || slot.stage >= wait.stage) continue;
    inSlot(rw.setBefore(user), schedule, slot, () => rw.create(WaitBarrierOp, { alloc: barrier, phase, deps }, atMma));
  }
  const terminator = bodyOf(loop).lastOp!;
  inSlot(rw.setBefore(terminator), schedule, own, () => {
    const flipped = rw.value(XOrIOp, { lhs: phase, rhs: one }, atMma);
    if (numStages === 1) return replaceOperands(terminator, phase, flipped);
    const next = createIncrementModulo(rw, atMma, index, modulus, zero, one);
    replaceOperands(terminator, phase, rw.value(SelectOp, { condition: next.wraps, true_value: flipped, false_value: phase }, atMma));
    replaceOperands(terminator, index, next.value);
  });
}
function replaceOperands(op: Operation, from: Value, to: Value): void {
  for (const use of op.operandUses) if (use.value === from) use.set(to);
}

/** Where an instruction is waited for: before its result is read, or its operands are written anew. */
function placeOfWait(rw: Rewriter, loop: ForView, schedule: CoarseSchedule, { mma, accumulator, selfLatency }: MmaToLower): Slot {
  const own = { ...schedule.get(mma) };
  const candidates = new Set<Operation>();
  for (const user of accumulator.users()) if (TMEMLoadOp.is(user) && user.block === mma.block) candidates.add(user);
  const { isPipelineable, isDetermined, unpipelineable } = mmaOperands(mma, loop, (load) => own.stage > schedule.get(load).stage);
  const writers = unpipelineable.map((def) => hoistBufferOutOfLoop(rw, loop, def, schedule) ?? def);
  if (!isPipelineable && isDetermined) for (const def of writers) candidates.add(def);
  // Since 3.7 it is the first one that runs after the instruction, not the first one of a round.
  const sync = rw.ctx.triton.syncsAfterInstruction
    ? schedule.firstAfter(mma, candidates, loop)
    : [...candidates].reduce<Operation | undefined>((first, op) => (first && !schedule.isOpBefore(op, first) ? first : op), undefined);
  if (!sync || !isDetermined) return { stage: own.stage + selfLatency, cluster: own.cluster };
  const stage = schedule.isOpBefore(sync, mma) ? own.stage + 1 : schedule.get(sync).stage;
  return { stage, cluster: schedule.newClusterBefore(schedule.splitClusterBefore(sync, loop)) };
}

/** Allocates a buffer before the loop, which then only writes it. Returns the op that does; undefined for other ops. */
function hoistBufferOutOfLoop(rw: Rewriter, loop: ForView, op: Operation, schedule: CoarseSchedule): Operation | undefined {
  if ((!TMEMAllocOp.is(op) && !LocalAllocOp.is(op)) || !loop.op.isProperAncestorOf(op)) return undefined;
  const options = { loc: op.locRef };
  const alloc = rw.setBefore(loop).clone(op);
  const { shape, elementType, encoding, memorySpace } = (op.result(0).type as MemDesc).params;
  alloc.setResultType(0, memDescType(shape, elementType, encoding, memorySpace, true));
  alloc.setOperands([]);
  return inSlot(rw.setAfter(op), schedule, schedule.get(op), () => {
    const src = op.operand(0);
    const dst = alloc.result(0);
    const pred = TMEMAllocOp.is(op) ? rw.value(ConstantOp, { value: boolAttr(rw.ctx, true) }, options) : undefined;
    const store = pred
      ? rw.create(TMEMStoreOp, { dst, src, pred }, { ...options, types: [] }).op
      : rw.create(LocalStoreOp, { src, dst }, options).op;
    replaceUsesAndPropagateType(rw, op.result(0), dst);
    schedule.erase(op);
    rw.erase(op);
    return store;
  });
}

/** Makes a ring of accumulators; the next one is taken where the old value ends. */
function multibufferTensorMemory(rw: Rewriter, loop: ForView, schedule: CoarseSchedule, old: Alloc, bufIdx: Value, buffers: number): void {
  const dominance = new Dominance();
  const atLoop = { loc: loop.op.locRef };
  const atAlloc = { loc: old.op.locRef };
  const token = AsyncTokenType.get(rw.ctx, {});
  const { shape, elementType, encoding, memorySpace } = (old.result.type as MemDesc).params;
  const types = [memDescType([buffers, ...shape], elementType, encoding, memorySpace, true), token];
  const alloc = rw.setBefore(old).create(TMEMAllocOp, {}, { ...atAlloc, types });
  const i32 = (n: number): Value => rw.value(ConstantOp, { value: i32Attr(rw.ctx, n) }, atAlloc);
  const [modulus, zero, one] = [i32(buffers), i32(0), i32(1)] as [Value, Value, Value];
  const noToken = rw.setBefore(loop).value(PoisonOp, {}, { ...atLoop, types: [token] });
  const switches: { readonly op: Operation; readonly index: Value }[] = [{ op: bodyOf(loop).firstOp!, index: bufIdx }];
  const current = (op: Operation): Value => switches.findLast((at) => dominance.properlyDominates(at.op, op))!.index;
  const dropTokens = (op: Operation): void => {
    clearTokenOperand(op);
    for (const result of op.results) if (AsyncTokenType.is(result.type)) rw.replaceAllUses(result, noToken);
  };
  const switchTo = (op: Operation, from: Value, to: Value): void => {
    rw.replaceUsesWhere(from, to, ({ owner }) => dominance.properlyDominates(op, owner));
    switches.push({ op, index: to });
  };
  const view = (index: Value): Value => createSingleBufferView(rw, alloc.result, index);
  for (const user of old.result.users()) {
    dropTokens(user);
    const inLoop = loop.op.isProperAncestorOf(user);
    const slot = inLoop ? schedule.slots.get(user) : undefined;
    rw.setBefore(user);
    if (TMEMStoreOp.is(user)) {
      const { pred } = TMEMStoreOp.match(user)!;
      inSlot(rw, schedule, slot, () => {
        if (!inLoop) return rw.setOperand(user, 0, view(zero));
        const from = current(user);
        const next = createIncrementModulo(rw, atLoop, from, modulus, zero, one).value;
        const to = rw.value(SelectOp, { condition: pred, true_value: next, false_value: from }, atAlloc);
        switchTo(user, from, to);
        return rw.setOperand(user, 0, view(to));
      });
    } else if (TMEMLoadOp.is(user)) {
      const index = inLoop ? current(user) : loop.op.result(bufIdx.index - 1);
      inSlot(rw, schedule, slot, () => rw.setOperand(user, 0, view(index)));
    } else if (TCGen5MMAOp.is(user) || TCGen5MMAScaledOp.is(user)) {
      inSlot(rw, schedule, slot, () => {
        const useD = user.operand(user.def.interface(MMAv5OpInterface)!.indexOfUseD(user));
        const from = current(user);
        const next = createIncrementModulo(rw, atLoop, from, modulus, zero, one).value;
        const to = rw.value(SelectOp, { condition: useD, true_value: from, false_value: next }, atAlloc);
        switchTo(user, from, to);
        rw.setOperand(user, 2, view(to));
      });
    } else throw new PassError(user, `'${user.name}' uses an accumulator that is to have several buffers`, "pass.accumulator");
  }
  if (old.token) rw.replaceAllUses(old.token, alloc.op.result(1));
  rw.erase(old.op);
  const { index } = switches.at(-1)!;
  if (index !== bufIdx) rw.replaceUsesWhere(bufIdx, index, ({ owner }) => dominance.properlyDominates(index.definingOp!, owner));
}
