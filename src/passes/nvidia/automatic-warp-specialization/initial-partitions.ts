/** The first division of a loop: loads, tcgen05 instructions, and who uses them. Source: PartitionScheduling.cpp, getInitialPartitions. */

import { Exp2Op } from "../../../dialects/math/ops/float.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { ElementwiseInlineAsmOp } from "../../../dialects/tt/ops/elementwise.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescViewTrait } from "../../../dialects/ttg/ttg-op.js";
import { type MemDesc, MemDescType } from "../../../dialects/ttg/types.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { RankedTensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { bodyOf, findAncestorInBlock, getNestedOperands, isDefinedOutsideOfLoop } from "../../ttg/software-pipelining/pipelined-loops.js";
import { mmaOf } from "../completion-barrier.js";
import { refuse } from "../not-specializable.js";
import { hasAccReadModifyWrite } from "../pipeline/mma-v5.js";
import { getSharedEncoding } from "../pipeline/shared-encoding.js";
import { isTMALoad } from "../tma/tma-copies.js";
import { elementsOf } from "./flow-graph.js";
import {
  addPartition,
  assign,
  getDefinitionAndDistance,
  getPartitionIds,
  hasPartition,
  isIn,
  type Partition,
  partitionsOf,
} from "./partition.js";

/** Elements from which on an exponential is worth a partition of its own. */
const MANY_ELEMENTS = 256;

/** Partition 0 computes, 1 has the tcgen05 instructions, 2 the loads; undefined where there are neither of these. */
export function initialPartitions(rw: Rewriter, loop: ForView): Partition[] | undefined {
  const given = partitionsOf(loop);
  if (given) return given;
  const partitions: Partition[] = [];
  const computing = addPartition(partitions, 0);
  const multiplying = addPartition(partitions, 1);
  const loading = addPartition(partitions, 0);
  const ops = [...bodyOf(loop).ops()];
  const loads = ops.filter(isTMALoad).flatMap((load) => assignLoad(load, loading));
  const mmas = ops.filter((op) => op.def.interface(MMAv5OpInterface));
  for (const mma of mmas) assignMma(rw, loop, mma, multiplying);
  if (loads.length === 0 && mmas.length === 0) return undefined;
  for (const op of bodyOf(loop).ops()) {
    if ((!Exp2Op.is(op) && !ElementwiseInlineAsmOp.is(op)) || elementsOf(op) <= MANY_ELEMENTS) continue;
    assign(op, computing);
    assignDependencies(loop, partitions, computing, op);
  }
  for (const load of loads) assignUsers(loop, computing, load);
  const users = [computing];
  while (users.length < mmas.length) users.push(addPartition(partitions, users.length));
  for (let i = mmas.length - 1; i >= 0; i--) assignUsers(loop, users[i]!, mmas[i]!);
  return partitions;
}

/** A load goes with the buffers that it fills. */
function assignLoad(load: Operation, loading: Partition): Operation[] {
  assign(load, loading);
  const assigned = [load];
  const encoding = getSharedEncoding(load);
  for (const user of load.result(0).users()) {
    const isBuffer = LocalAllocOp.is(user) && (user.result(0).type as MemDesc).params.encoding === encoding;
    if (!isBuffer && !TMEMAllocOp.is(user)) continue;
    assign(user, loading);
    assigned.push(user);
  }
  return assigned;
}

function assignMma(rw: Rewriter, loop: ForView, mma: Operation, multiplying: Partition): void {
  assign(mma, multiplying);
  const token = mmaOf(mma).acc_dep ?? refuse(mma, "its accumulator has no token");
  const store = TMEMStoreOp.match(opOfLastRound(loop, token));
  // A store that does not hang on what the instruction computes.
  if (!hasAccReadModifyWrite(mma, loop) && store && isDefinedOutsideOfLoop(loop, store.src)) assign(store.op, multiplying);
  const views = mma.operands.flatMap(({ definingOp }) => definingOp ?? []);
  for (let view = views.pop(); view; view = views.pop()) {
    if (!view.def.traits.has(MemDescViewTrait)) continue;
    let own = view;
    if (!usersOf(view).every((user) => isIn(multiplying, user))) {
      own = rw.setBefore(view).clone(view);
      view.results.forEach((result, i) => void rw.replaceUsesWhere(result, own.result(i), ({ owner }) => isIn(multiplying, owner)));
    }
    assign(own, multiplying);
    const { definingOp } = own.operand(0);
    if (definingOp) views.push(definingOp);
  }
}
const usersOf = (op: Operation): Operation[] => op.results.flatMap((result) => result.users());

/** The op of the loop that made a value, in this round or the one before. */
function opOfLastRound(loop: ForView, value: Value): Operation | undefined {
  const body = bodyOf(loop);
  const def = value.argOwner === body && value.index > 0 ? body.lastOp!.operand(value.index - 1) : value;
  return def.definingOp && loop.op.isProperAncestorOf(def.definingOp) ? def.definingOp : undefined;
}

/** Gives an op to a partition unless it has one. */
function tryAssign(op: Operation, partition: Partition): boolean {
  if (hasPartition(op)) return false;
  assign(op, partition);
  return true;
}

/** The definitions of what an op uses, in the loop's body, of this round or an earlier one. */
export function definitionsOf(loop: ForView, op: Operation): Operation[] {
  const body = bodyOf(loop);
  const definitions: Operation[] = [];
  for (const value of getNestedOperands(op)) {
    if (value.parentBlock !== body || value === body.args[0]) continue;
    const def = getDefinitionAndDistance(loop, value)?.def;
    if (def?.parentBlock === body) definitions.push(def.definingOp!);
  }
  return definitions;
}
/** Whether something that is some partition's own leads to an op. */
export function hasDefPartition(loop: ForView, root: Operation, partitions: readonly Partition[]): boolean {
  const seen = new Set([root]);
  for (const op of seen) {
    if (hasPartition(op) && getPartitionIds(op).size !== partitions.length) return true;
    for (const def of definitionsOf(loop, op)) seen.add(def);
  }
  return false;
}

/** Assigns the ops that an op is computed from, up to ops that are assigned already or come from no partition. */
function assignDependencies(loop: ForView, partitions: readonly Partition[], partition: Partition, root: Operation): void {
  const body = bodyOf(loop);
  const work = [...getNestedOperands(root)].filter(({ type }) => RankedTensorType.is(type) || MemDescType.is(type));
  const seen = new Set<Value>();
  for (let dep = work.pop(); dep; dep = work.pop()) {
    if (!dep.definingOp) {
      // Upstream runs in circles where carried values take turns.
      if (dep.argOwner !== body || dep.index === 0 || seen.has(dep)) continue;
      seen.add(dep);
      work.push(body.lastOp!.operand(dep.index - 1));
      continue;
    }
    const def = findAncestorInBlock(body, dep.definingOp);
    if (def && hasDefPartition(loop, def, partitions) && tryAssign(def, partition)) work.push(...getNestedOperands(def));
  }
}

/** Assigns the users of an op, also in later rounds, up to ops that are assigned already. */
function assignUsers(loop: ForView, partition: Partition, root: Operation): void {
  const body = bodyOf(loop);
  const usesOf = (op: Operation): OpOperand[] => op.results.flatMap((result) => [...result.uses()]);
  const work = usesOf(root);
  const seen = new Set<Value>();
  for (let use = work.pop(); use; use = work.pop()) {
    const user = findAncestorInBlock(body, use.owner)!;
    if (user === body.lastOp) {
      const carried = body.args[use.index + 1]!;
      if (seen.has(carried)) continue;
      seen.add(carried);
      work.push(...carried.uses());
    } else if (tryAssign(user, partition)) work.push(...usesOf(user));
  }
}
