/** Conditions to pipeline tcgen05 ops in a loop. Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/MMAv5PipelineUtility.cpp. */
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { DotOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { sharedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { LocalAllocOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescReshapeOp, MemDescTransOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import { MMAv5OpInterface, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import { isOneInt, isZeroInt } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { bodyOf, findAncestorInBlock, isDefinedOutsideOfLoop } from "../../ttg/software-pipelining/pipelined-loops.js";
import { getCopyVecBytes } from "../../ttg/software-pipelining/shared-encoding-of-users.js";
import { isTMALoad } from "../tma/tma-copies.js";
import { getSharedEncoding } from "./shared-encoding.js";

/** Where the operands of an instruction come from. */
export interface MmaOperands {
  /** All are from outside, or from loads that are pipelined. */
  readonly isPipelineable: boolean;
  /** It is known which ops write them. */
  readonly isDetermined: boolean;
  /** The ops that write operands which are not pipelined. */
  readonly unpipelineable: readonly Operation[];
}

/** The op that allocates what an instruction adds to, if it is before the loop. */
function allocOutside(mma: Operation, loop: ForView): ReturnType<typeof TMEMAllocOp.match> {
  const accumulator = mma.def.interface(MMAv5OpInterface)!.accumulator(mma);
  return isDefinedOutsideOfLoop(loop, accumulator) ? TMEMAllocOp.match(accumulator.definingOp) : undefined;
}
const isIn = (loop: ForView, op: Operation): boolean => loop.op.isProperAncestorOf(op);

export function mmaOperands(mma: Operation, loop: ForView, isPipelined: (load: Operation) => boolean): MmaOperands {
  const unpipelineable: Operation[] = [];
  let isDetermined = true;
  if (!allocOutside(mma, loop)) return { isPipelineable: false, isDetermined, unpipelineable };
  const check = (operands: readonly Value[]): void => {
    // As upstream, the op found for one operand is kept for the next.
    let foundDef: Operation | undefined;
    for (const operand of operands) {
      const { fits, def } = operandSource(operand, loop, isPipelined);
      foundDef = def ?? foundDef;
      if (fits) continue;
      if (foundDef) unpipelineable.push(foundDef);
      else isDetermined = false;
    }
  };
  const dot = mma.def.interface(DotOpInterface);
  if (dot) check([dot.a(mma), dot.b(mma)]);
  const scaled = TCGen5MMAScaledOp.match(mma);
  if (scaled) {
    if (!areScalesPipelineable(scaled, loop)) return { isPipelineable: false, isDetermined: false, unpipelineable };
    check([scaled.a_scale, scaled.b_scale]);
  }
  return { isPipelineable: isDetermined && unpipelineable.length === 0, isDetermined, unpipelineable };
}

/** Whether the scales of an instruction are in shared memory, or there before the loop. */
export function areScalesPipelineable({ a_scale, b_scale }: View<typeof TCGen5MMAScaledOp>, loop: ForView): boolean {
  const isShared = ({ type }: Value): boolean => sharedParams((type as MemDesc).params.encoding) !== undefined;
  return [a_scale, b_scale].every((scale) => isShared(scale) || isDefinedOutsideOfLoop(loop, scale));
}

/** Whether an operand is there before the round needs it, and what writes it. */
function operandSource(
  operand: Value,
  loop: ForView,
  isPipelined: (load: Operation) => boolean,
): { readonly fits: boolean; readonly def?: Operation } {
  if (isDefinedOutsideOfLoop(loop, operand)) return { fits: true };
  let def = operand.definingOp;
  while (def && (MemDescTransOp.is(def) || MemDescReshapeOp.is(def))) def = def.operand(0).definingOp;
  if (!def) return { fits: false };
  if (LocalStoreOp.is(def) || TMEMStoreOp.is(def) || TMEMAllocOp.is(def)) return { fits: false, def };
  const alloc = LocalAllocOp.match(def);
  if (!alloc) return { fits: false };
  if (!alloc.src) return { fits: false, def };
  if (isDefinedOutsideOfLoop(loop, alloc.src)) return { fits: true, def };
  const load = alloc.src.definingOp;
  if (!load || (!LoadOp.is(load) && !isTMALoad(load))) return { fits: false, def };
  return { fits: isPipelined(load) && canBeAsyncLoad(load), def: load };
}
function canBeAsyncLoad(load: Operation): boolean {
  return isTMALoad(load) || getCopyVecBytes(load.result(0).type as TensorType, getSharedEncoding(load)) >= 4;
}

/** Whether what the loop reads from the accumulator comes back to it changed. */
export function hasAccReadModifyWrite(mma: Operation, loop: ForView): boolean {
  const alloc = allocOutside(mma, loop);
  if (!alloc) return true;
  const users = alloc.op.results.flatMap((result) => result.users()).filter((user) => isIn(loop, user));
  const stores = new Set(users.filter((user) => TMEMStoreOp.is(user)));
  const loads = users.filter((user) => TMEMLoadOp.is(user));
  if (stores.size === 0 || loads.length === 0) return false;
  const read = loads.map((load) => load.result(0));
  const modified: Value[] = [];
  const seen = new Set<Value>();
  /** Follows values; returns whether one of `from` reaches a store. */
  const follow = (from: Value[], isModified: boolean): boolean => {
    for (let value = from.pop(); value; value = from.pop()) {
      if (seen.has(value)) continue;
      seen.add(value);
      for (const { owner, index } of value.uses()) {
        if (stores.has(owner)) {
          if (isModified) return true;
        } else if (YieldOp.is(owner)) {
          const parent = owner.parentOp!;
          if (IfOp.is(parent)) from.push(parent.result(index));
          if (parent === loop.op) from.push(bodyOf(loop).args[index + 1]!);
        } else modified.push(...owner.results);
      }
    }
    return false;
  };
  follow(read, false);
  return follow(modified, true);
}

/** Whether the loop writes the accumulator anew somewhere: only there another buffer can take its place. */
export function isAccMultibufferingPossible(mma: Operation, loop: ForView): boolean {
  const body = bodyOf(loop);
  let flag = mma.operand(mma.def.interface(MMAv5OpInterface)!.indexOfUseD(mma));
  if (isZeroInt(flag)) return true;
  const seen = new Set<Value>();
  let initial: Value | undefined;
  while (flag.argOwner === body && flag.index > 0 && !seen.has(flag)) {
    seen.add(flag);
    initial = loop.initArgs[flag.index - 1];
    flag = body.lastOp!.operand(flag.index - 1);
  }
  // Only the first round does not add.
  if (mma.ctx.triton.beginsInFirstRound && initial && isZeroInt(initial) && isOneInt(flag)) return true;
  if (flag.definingOp && isIn(loop, flag.definingOp)) return true;
  const alloc = allocOutside(mma, loop);
  return usersOf(alloc).some((user) => TMEMStoreOp.is(user) && isIn(loop, user));
}
const usersOf = (alloc: ReturnType<typeof allocOutside>): Operation[] => alloc?.op.results.flatMap((result) => result.users()) ?? [];

/** Whether the loop reads the accumulator: rounds that overlap then need one each. */
export function requiresAccMultiBuffering(mma: Operation, loop: ForView): boolean {
  const alloc = allocOutside(mma, loop);
  return !alloc || usersOf(alloc).some((user) => TMEMLoadOp.is(user) && isIn(loop, user));
}

/** Whether the accumulator is read later in the round. */
export function hasLoadsAfterMMA(mma: Operation, loop: ForView): boolean {
  return usersOf(allocOutside(mma, loop)).some((user) => {
    const top = TMEMLoadOp.is(user) ? findAncestorInBlock(bodyOf(loop), user) : undefined;
    return top !== undefined && mma.isBeforeInBlock(top);
  });
}
