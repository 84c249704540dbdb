/**
 * Turns the pipelined loads of a scheduled loop into copies to a ring of buffers in shared memory.
 * Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/LowerLoops.cpp.
 */
import type { ModuleAxisInfo } from "../../../analysis/module-axis-info.js";
import { AddIOp, CmpIOp, ConstantOp, SelectOp } from "../../../dialects/arith/ops/index.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { SplatOp, UnsplatOp } from "../../../dialects/tt/ops/shape.js";
import { encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { enclosingModule, getNumCTAs, getThreadsPerWarp } from "../../../dialects/ttg/num-warps.js";
import { AsyncCommitGroupOp, AsyncCopyGlobalToLocalOp, AsyncWaitOp } from "../../../dialects/ttg/ops/async-copy.js";
import { LocalAllocOp, LocalDeallocOp, LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescIndexOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import { MemDescViewTrait } from "../../../dialects/ttg/ttg-op.js";
import { type MemDesc, MemDescType, memDescType } from "../../../dialects/ttg/types.js";
import { WarpGroupDotOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, numElements, RankedTensorType, type TensorType, tensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import { isZeroFloat, isZeroInt } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { getCTALayout } from "../../../layout/encoding-queries.js";
import { getDefaultBlockedEncoding } from "../../../layout/encodings/blocked.js";
import { type Explain, RemarkRefs } from "../../../pass/remark.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { lookupNumWarps } from "../memory-access.js";
import { replaceForOpWithNewSignature } from "../replace-with-new-signature.js";
import { CoarseSchedule, type Slot } from "./coarse-schedule.js";
import { whyNoAsyncCopy } from "./explain-pipelining.js";
import { bodyOf, findAncestorInBlock, forLoops } from "./pipelined-loops.js";
import { canBeConvertedToAsyncLoad, getCopyVecBytes, getSharedEncoding, loadContiguity } from "./shared-encoding-of-users.js";

type Load = View<typeof LoadOp>;
interface AsyncLoad {
  readonly load: Load;
  readonly buffers: number;
  readonly contiguity: number;
  readonly encoding: Attribute;
}
/** The counters of a ring of buffers: where the next copy goes, and where the next load comes from. */
interface Indices {
  readonly insert: Value;
  readonly extract: Value;
}

/** Lowers every scheduled loop. Answers how many there were. */
export function lowerLoops(rw: Rewriter, root: Operation, axes: () => ModuleAxisInfo, explain?: Explain): number {
  const loops = forLoops(root);
  if (loops.length === 0) return 0;
  const axisInfo = axes();
  let lowered = 0;
  for (const loop of loops) {
    const schedule = CoarseSchedule.deserialize(loop);
    if (!schedule) continue;
    schedule.serialize(lowerLoads(rw, loop, schedule, axisInfo, explain));
    lowered++;
  }
  return lowered;
}

/** An op of a scheduled loop that is pipelined with wgmma, tcgen05 or TMA. */
export function asynchronousOp(root: Operation): Operation | undefined {
  let found: Operation | undefined;
  for (const loop of forLoops(root))
    if (CoarseSchedule.deserialize(loop))
      loop.op.walk((op) => {
        if ((op.def.dialect === "ttng" && !op.name.startsWith("ttng.warp_group_dot")) || op.name.startsWith("tt.descriptor_")) found = op;
        return found ? "interrupt" : undefined;
      });
  return found;
}

/** The ops of the loop's body that use a result, themselves or by what is nested in them, through views and carried values. */
function getTopLevelUsersInLoop(op: Operation, loop: ForView): Set<Operation> {
  const users = new Set<Operation>();
  const body = bodyOf(loop);
  const seen = new Set<Value>();
  const work: Value[] = [...op.results];
  for (let value = work.pop(); value; value = work.pop()) {
    if (seen.has(value)) continue;
    seen.add(value);
    for (const use of value.uses()) {
      if (use.owner === body.lastOp) work.push(body.args[use.index + 1]!);
      else if (use.owner.def.traits.has(MemDescViewTrait)) work.push(...use.owner.results);
      else {
        const user = findAncestorInBlock(body, use.owner);
        if (user) users.add(user);
      }
    }
  }
  return users;
}

/** How many stages lie between an op and its first use. */
function getDefUseStageDiff(op: Operation, loop: ForView, schedule: CoarseSchedule): number {
  const def = schedule.get(op);
  const users = getTopLevelUsersInLoop(op, loop);
  // A buffer made of what was loaded may go away: then its users use the load.
  for (const user of [...users]) if (LocalAllocOp.is(user)) for (const further of getTopLevelUsersInLoop(user, loop)) users.add(further);
  let first: number | undefined;
  for (const user of users) {
    const use = schedule.get(user);
    // A user later in the round would read what the next copy has overwritten.
    const stage = use.stage + (use.cluster.index > def.cluster.index ? 1 : 0);
    first = Math.min(stage, first ?? stage);
  }
  return first === undefined ? 0 : first - def.stage;
}

function firstUse(op: Operation, loop: ForView, schedule: CoarseSchedule): Slot {
  let best: Operation | undefined;
  for (const user of getTopLevelUsersInLoop(op, loop)) {
    if (best) {
      const [a, b] = [schedule.get(user), schedule.get(best)];
      const order = a.stage - b.stage || a.cluster.index - b.cluster.index;
      if (order > 0 || (order === 0 && !user.isBeforeInBlock(best))) continue;
    }
    best = user;
  }
  return schedule.get(best!);
}

/** Whether wgmma reads what was loaded straight from its buffer, which must outlive the round. */
function requiresAdditionalBuffer({ result, other }: Load): boolean {
  if ((other && !isZero(other)) || !result.hasOneUse()) return false;
  const alloc = result.firstUse!.owner;
  if (!LocalAllocOp.is(alloc)) return false;
  const readByDot = (op: Operation): boolean =>
    op.results.some((value) =>
      value.users().some((user) => (user.def.traits.has(MemDescViewTrait) ? readByDot(user) : WarpGroupDotOp.is(user))),
    );
  return readByDot(alloc);
}
const isZero = (value: Value): boolean => isZeroInt(value) || isZeroFloat(value);

function asyncLoadOf(op: Operation, loop: ForView, schedule: CoarseSchedule, axes: ModuleAxisInfo): AsyncLoad | undefined {
  const load = LoadOp.match(op);
  const stageDiff = load ? getDefUseStageDiff(op, loop, schedule) : 0;
  if (!load || stageDiff === 0) return undefined;
  const buffers = stageDiff + (requiresAdditionalBuffer(load) ? 1 : 0);
  const { type } = load.result;
  if (!RankedTensorType.is(type)) {
    if (bitWidth(type)! < 32) return undefined;
    const cga = getCTALayout(getDefaultBlockedEncoding([1], 1, 32, 1))!;
    const encoding = encodingAttr(op.ctx, { kind: "swizzled_shared", vec: 1, perPhase: 1, maxPhase: 1, order: [0], cga });
    return { load, buffers, contiguity: 1, encoding };
  }
  const encoding = getSharedEncoding(op);
  if (!canBeConvertedToAsyncLoad(load, axes) || getCopyVecBytes(type as TensorType, encoding) < 4) return undefined;
  return { load, buffers, contiguity: loadContiguity(load, axes), encoding };
}

function lowerLoads(rw: Rewriter, before: ForView, schedule: CoarseSchedule, axes: ModuleAxisInfo, explain: Explain | undefined): ForView {
  const loads = bodyOf(before)
    .opsWithoutTerminator()
    .flatMap((op) => asyncLoadOf(op, before, schedule, axes) ?? []);
  if (explain) explainBuffers(explain, before, loads, schedule, axes);
  for (const { load } of loads)
    if (!RankedTensorType.is(load.result.type)) rw.from(load, () => scalarToTensorLoad(rw, load, before, schedule));
  if (loads.length === 0) return before;
  const allocs = new Map(loads.map((asyncLoad) => [asyncLoad, rw.from(asyncLoad.load, () => createAlloc(rw, before, asyncLoad))]));
  const { loop, indices } = rw.from(before, () => addIndices(rw, before, [...new Set(loads.map(({ buffers }) => buffers))]));
  for (const asyncLoad of loads)
    rw.from(asyncLoad.load, () => createAsyncCopy(rw, loop, asyncLoad, allocs.get(asyncLoad)!, indices.get(asyncLoad.buffers)!, schedule));
  schedule.scheduleDependencies(loop);
  // Copies of rounds that do not exist may still be on their way.
  rw.setAfter(loop);
  rw.from(loop, () => rw.create(AsyncWaitOp, { asyncToken: [], num: 0 }, { loc: loop.op.locRef }));
  return loop;
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
  for (const { load, buffers, contiguity } of loads) {
    const { type } = load.result;
    const perBuffer = bytesOf(type);
    const width = (contiguity * bitWidth(elementTypeOrSelf(type))!) / 8;
    bytes += buffers * perBuffer;
    explain(load.op, "pipeline.load", {
      kind: "applied",
      message: `{0} becomes a cp.async of ${width} bytes at once into a ring of ${buffers} buffer${buffers === 1 ? "" : "s"} of ${perBuffer} bytes`,
      fields: { buffers, bytes: buffers * perBuffer, copyBytes: width },
    });
  }
  const copied = new Set(loads.map(({ load }) => load.op));
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
  const names = loads.map(({ load }) => refs.of(load.op));
  explain(loop.op, "pipeline.loop", {
    kind: "applied",
    message: `{0} gets ${schedule.numStages} stages; ${names.length === 0 ? "nothing is" : `${names.join(" and ")} ${names.length === 1 ? "is" : "are"}`} copied to shared memory, ${bytes} bytes in all`,
    refs: refs.list,
    fields: { stages: schedule.numStages, buffers: loads.map(({ buffers }) => buffers), bytes },
  });
}

/** A scalar is copied as a tensor of one element. */
function scalarToTensorLoad(rw: Rewriter, load: Load, loop: ForView, schedule: CoarseSchedule): void {
  const { op, result } = load;
  const scalar = result.type;
  const module = enclosingModule(op);
  const blocked = getDefaultBlockedEncoding([1], lookupNumWarps(op), getThreadsPerWarp(module), getNumCTAs(module));
  const encoding = encodingAttr(op.ctx, blocked);
  const slot = schedule.get(op);
  rw.setBefore(op);
  op.operands.forEach((operand, i) => {
    const splat = rw.create(SplatOp, { src: operand }, { loc: op.locRef, types: [tensorType([1], operand.type, encoding)] });
    schedule.insert(splat.op, slot.stage, slot.cluster);
    op.setOperand(i, splat.op.result(0));
  });
  op.setResultType(0, tensorType([1], scalar, encoding));
  const use = firstUse(op, loop, schedule);
  const unsplat = rw.setAfter(op).create(UnsplatOp, { src: result }, { loc: op.locRef, types: [scalar] });
  schedule.insert(unsplat.op, use.stage, use.cluster);
  rw.replaceUsesWhere(result, unsplat.op.result(0), ({ owner }) => owner !== unsplat.op);
}

function createAlloc(rw: Rewriter, loop: ForView, { load, buffers, encoding }: AsyncLoad): Value {
  const { shape, elementType } = (load.result.type as TensorType).params;
  const type = memDescType([buffers, ...shape], elementType, encoding, SharedMemorySpace.get(rw.ctx, {}), true);
  const alloc = rw.setBefore(loop).value(LocalAllocOp, {}, { loc: load.op.locRef, types: [type] });
  rw.setAfter(loop).create(LocalDeallocOp, { src: alloc }, { loc: loop.op.locRef });
  return alloc;
}

/** Carries two counters for each size of ring: equal ones, so that each can be computed anew in its own stage. */
function addIndices(rw: Rewriter, before: ForView, sizes: readonly number[]): { loop: ForView; indices: Map<number, Indices> } {
  const options = { loc: before.op.locRef };
  const constant = (n: number): Value => rw.value(ConstantOp, { value: i32Attr(rw.ctx, n) }, options);
  rw.setBefore(before);
  const [minusOne, zero, one] = [constant(-1), constant(0), constant(1)] as [Value, Value, Value];
  const first = bodyOf(before).args.length;
  const loop = replaceForOpWithNewSignature(
    rw,
    before,
    sizes.flatMap(() => [minusOne, minusOne]),
  );
  rw.replace(before, loop.op.results.slice(0, before.op.numResults));
  const body = bodyOf(loop);
  const next = (counter: Value, size: Value): Value => {
    const plusOne = rw.value(AddIOp, { lhs: counter, rhs: one }, options);
    const wraps = rw.value(CmpIOp, { predicate: "sge", lhs: plusOne, rhs: size }, options);
    return rw.value(SelectOp, { condition: wraps, true_value: zero, false_value: plusOne }, options);
  };
  const indices = new Map<number, Indices>();
  sizes.forEach((buffers, i) => {
    rw.setStart(body);
    const size = constant(buffers);
    const insert = next(body.args[first + 2 * i]!, size);
    indices.set(buffers, { insert, extract: next(body.args[first + 2 * i + 1]!, size) });
  });
  const yielded = sizes.flatMap((buffers) => [indices.get(buffers)!.insert, indices.get(buffers)!.extract]);
  const terminator = body.lastOp!;
  terminator.setOperands([...terminator.operands, ...yielded]);
  return { loop, indices };
}

function createAsyncCopy(
  rw: Rewriter,
  loop: ForView,
  { load, contiguity }: AsyncLoad,
  alloc: Value,
  at: Indices,
  schedule: CoarseSchedule,
): void {
  const { op, ptr: src, mask, other, result, cache, evict, isVolatile } = load;
  const loc = op.locRef;
  rw.setBefore(loop).create(ConstantOp, { value: i32Attr(rw.ctx, 0) }, { loc: loop.op.locRef });
  const use = firstUse(op, loop, schedule);
  const own = schedule.get(op);
  const placed = <T extends { readonly op: Operation }>({ stage, cluster }: Slot, view: T): T => {
    schedule.insert(view.op, stage, cluster);
    return view;
  };
  const viewOf = (slot: Slot, index: Value): Value => {
    const { shape, elementType, encoding, memorySpace, mutableMemory } = (alloc.type as MemDesc).params;
    const types = [memDescType(shape.slice(1), elementType, encoding, memorySpace, mutableMemory)];
    return placed(slot, rw.create(MemDescIndexOp, { src: alloc, index }, { loc: alloc.definingOp!.locRef, types })).op.result(0);
  };
  rw.setBefore(op);
  const parts = { src, result: viewOf(own, at.insert), mask, other, cache, evict, isVolatile, contiguity };
  const copy = placed(own, rw.create(AsyncCopyGlobalToLocalOp, parts, { loc }));
  const commit = placed(own, rw.create(AsyncCommitGroupOp, { inputTokens: [copy.op.result(0)] }, { loc }));
  const wait = placed(use, rw.create(AsyncWaitOp, { asyncToken: [commit.op.result(0)], num: 0 }, { loc }));
  const buffer = viewOf(use, at.extract);
  const token = wait.op.result(0);
  const loaded = (): Value => placed(use, rw.create(LocalLoadOp, { src: buffer, token }, { loc, types: [result.type] })).op.result(0);
  if (!other || isZero(other)) {
    // A buffer of the same layout need not be filled: the copy's is as good.
    for (const user of result.users()) {
      const userAlloc = LocalAllocOp.match(user);
      if (!userAlloc || (userAlloc.result.type as MemDesc).params.encoding !== (buffer.type as MemDesc).params.encoding) continue;
      replaceUsesAndPropagateType(rw, userAlloc.result, buffer);
      schedule.erase(user);
      rw.erase(user);
    }
    if (result.hasUses()) rw.replaceAllUses(result, loaded());
  } else if (result.hasUses()) {
    const select = { condition: mask!, true_value: loaded(), false_value: other };
    rw.replaceAllUses(result, placed(use, rw.create(SelectOp, select, { loc })).op.result(0));
  }
  schedule.erase(op);
  rw.erase(op);
}

/** The uses of a buffer become uses of another, which may be written to: so may its views. */
function replaceUsesAndPropagateType(rw: Rewriter, from: Value, to: Value): void {
  rw.replaceAllUses(from, to);
  const retype = (buffer: Value): void => {
    for (const user of buffer.users()) {
      if (!user.def.traits.has(MemDescViewTrait)) continue;
      const { type } = user.result(0);
      if (!MemDescType.is(type) || type.params.mutableMemory) continue;
      const { shape, elementType, encoding, memorySpace, allocShape } = type.params;
      user.setResultType(0, memDescType(shape, elementType, encoding, memorySpace, true, allocShape));
      retype(user.result(0));
    }
  };
  retype(to);
}
