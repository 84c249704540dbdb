/** Which loads of a scheduled loop become copies to buffers, and how many buffers each takes. Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/LowerLoops.cpp. */
import type { ModuleAxisInfo } from "../../../analysis/module-axis-info.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescViewTrait } from "../../../dialects/ttg/ttg-op.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import { WaitBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { WarpGroupDotOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { Attribute } from "../../../ir/attribute.js";
import { bitWidth, RankedTensorType, type TensorType } from "../../../ir/builtin-types.js";
import { isZeroFloat, isZeroInt } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { getCTALayout } from "../../../layout/encoding-queries.js";
import { getDefaultBlockedEncoding } from "../../../layout/encodings/blocked.js";
import type { CoarseSchedule, Slot } from "../../ttg/software-pipelining/coarse-schedule.js";
import { bodyOf, findAncestorInBlock } from "../../ttg/software-pipelining/pipelined-loops.js";
import { canBeConvertedToAsyncLoad, getCopyVecBytes, loadContiguity } from "../../ttg/software-pipelining/shared-encoding-of-users.js";
import { isTMALoad } from "../tma/tma-copies.js";
import { getSharedEncoding } from "./shared-encoding.js";

/** A load that becomes a copy to a ring of buffers. */
export interface AsyncLoad {
  /** A tt.load, descriptor_load or descriptor_gather. */
  readonly op: Operation;
  readonly buffers: number;
  readonly contiguity: number;
  readonly encoding: Attribute;
}

/**
 * The ops of the loop's body that use a result, themselves or by what is nested in them, through views and carried values.
 * Users that `accepts` declines do not count.
 */
export function getTopLevelUsersInLoop(op: Operation, loop: ForView, accepts: (user: Operation) => boolean = () => true): Set<Operation> {
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
      else if (accepts(use.owner)) {
        const user = findAncestorInBlock(body, use.owner);
        if (user) users.add(user);
      }
    }
  }
  return users;
}

/** How many stages lie between an op and its first use. */
export function getDefUseStageDiff(op: Operation, loop: ForView, schedule: CoarseSchedule): number {
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
  // A wait says that the buffer is in use until then.
  for (const user of users) if (WaitBarrierOp.is(user)) first = Math.max(schedule.get(user).stage, first!);
  return first === undefined ? 0 : first - def.stage;
}

/** Where what one of `ops` loads is used first. */
export function firstUse(ops: readonly Operation[], loop: ForView, schedule: CoarseSchedule): Slot {
  let best: Operation | undefined;
  for (const user of new Set(ops.flatMap((op) => [...getTopLevelUsersInLoop(op, loop)]))) {
    if (best) {
      const [a, b] = [schedule.get(user), schedule.get(best)];
      const order = a.stage - b.stage || a.cluster.index - b.cluster.index;
      if (order > 0 || (order === 0 && !user.isBeforeInBlock(best))) continue;
    }
    best = user;
  }
  return schedule.get(best!);
}

/** Whether what is loaded is needed in registers: users cannot all read the buffer that it is copied to. */
export function mustLoadToRegisters(op: Operation): boolean {
  const other = LoadOp.match(op)?.other;
  // A copy fills masked places with zeros only.
  if (other && !isZero(other)) return true;
  if (!op.result(0).hasOneUse()) return true;
  const alloc = LocalAllocOp.match(op.result(0).firstUse!.owner);
  if (!alloc) return true;
  return isTMALoad(op) && getSharedEncoding(op) !== (alloc.result.type as MemDesc).params.encoding;
}
/** Whether wgmma reads what was loaded straight from its buffer, which must outlive the round. */
function requiresAdditionalBuffer(op: Operation): boolean {
  if (mustLoadToRegisters(op)) return false;
  const readByDot = (value: Value): boolean =>
    value.users().some((user) => (user.def.traits.has(MemDescViewTrait) ? readByDot(user.result(0)) : WarpGroupDotOp.is(user)));
  return readByDot(op.result(0).firstUse!.owner.result(0));
}
export const isZero = (value: Value): boolean => isZeroInt(value) || isZeroFloat(value);

/** The buffers that a load is to have; undefined when it stays a load. */
export function asyncLoadOf(op: Operation, loop: ForView, schedule: CoarseSchedule, axes: ModuleAxisInfo): AsyncLoad | undefined {
  const load = LoadOp.match(op);
  if (!load && !isTMALoad(op)) return undefined;
  const stageDiff = getDefUseStageDiff(op, loop, schedule);
  if (stageDiff === 0) return undefined;
  const buffers = stageDiff + (requiresAdditionalBuffer(op) ? 1 : 0);
  const { type } = op.result(0);
  if (!RankedTensorType.is(type)) {
    if (bitWidth(type)! < 32) return undefined;
    const cga = getCTALayout(getDefaultBlockedEncoding([1], 1, 32, 1))!;
    const encoding = encodingAttr(op.ctx, { kind: "swizzled_shared", vec: 1, perPhase: 1, maxPhase: 1, order: [0], cga });
    return { op, buffers, contiguity: 1, encoding };
  }
  const encoding = getSharedEncoding(op);
  if (!load) return { op, buffers, contiguity: 1, encoding };
  if (!canBeConvertedToAsyncLoad(load, axes) || getCopyVecBytes(type as TensorType, encoding) < 4) return undefined;
  return { op, buffers, contiguity: loadContiguity(load, axes), encoding };
}
