/**
 * TMA loads for the same consumer share an aref, and so barriers.
 * Source: third_party/nvidia/lib/Dialect/NVWS/Transforms/LowerAref.cpp, combineArefs.
 */

import { ConstantOp } from "../../../dialects/arith/ops/index.js";
import { ArefGetEnterOp, ArefGetExitOp, ArefPutEnterOp, ArefPutExitOp } from "../../../dialects/nvws/ops/aref.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescViewTrait } from "../../../dialects/ttg/ttg-op.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import type { Attribute } from "../../../ir/attribute.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { bodyOf, findAncestorInBlock } from "../../ttg/software-pipelining/pipelined-loops.js";
import { getPartitionIds } from "../automatic-warp-specialization/partition.js";
import { refuse } from "../not-specializable.js";
import { placeAs } from "./aref-barriers.js";
import { firstOf } from "./block-order.js";
import { createAref, tokenType } from "./buffers.js";

export function combineArefs(rw: Rewriter, loop: ForView): void {
  // Upstream's order of groups is by address.
  const groups = new Map<Operation, Map<number, Operation[]>>();
  const add = (op: Operation): void => {
    const consumer = ArefGetEnterOp.is(op) && dominantConsumer(op, loop);
    if (!consumer) return;
    const [id, ...others] = getPartitionIds(op);
    if (id === undefined || others.length > 0) refuse(op, "several partitions use the aref at once");
    let byPartition = groups.get(consumer);
    if (!byPartition) groups.set(consumer, (byPartition = new Map()));
    byPartition.set(id, [...(byPartition.get(id) ?? []), op]);
  };
  if (loop.op.ctx.triton.dividesByFlow) [...bodyOf(loop).ops()].forEach(add);
  else loop.op.walkPostOrder(add);
  for (const byPartition of groups.values()) for (const getEnters of byPartition.values()) if (getEnters.length > 1) combine(rw, getEnters);
}

/** The op of the loop's body before which a consumer's buffer must be full. */
function dominantConsumer(getEnter: Operation, loop: ForView): Operation | undefined {
  const sinks = sinksOf(getEnter.result(0));
  const first = firstOf(sinks);
  return first && findAncestorInBlock(bodyOf(loop), first);
}
function sinksOf(value: Value): Operation[] {
  return value.users().flatMap((user) => {
    if (user.def.interface(MMAv5OpInterface) || LocalLoadOp.is(user)) return [user];
    return user.def.traits.has(MemDescViewTrait) ? sinksOf(user.result(0)) : [];
  });
}

function combine(rw: Rewriter, getEnters: readonly Operation[]): void {
  const arefs = getEnters.map((enter) => enter.operand(0).definingOp!);
  const users = arefs.flatMap((aref) => aref.result(0).users());
  const putEnters = users.filter((user) => ArefPutEnterOp.is(user));
  const putExits = users.filter((user) => ArefPutExitOp.is(user));
  const getExits = users.filter((user) => ArefGetExitOp.is(user));
  const producers = new Set(putEnters.map((enter) => [...getPartitionIds(enter)][0]));
  if (producers.size > 1) return;
  const last = lastInBlock(arefs);
  rw.from(last, () => {
    const buffers = arefs.map((aref) => aref.operand(0));
    const aref = createAref(rw.setBefore(last), buffers, last.locRef);
    const put = combineSide(rw, aref, putEnters, putExits, undefined);
    // The gets come after the puts.
    combineSide(rw, aref, getEnters, getExits, put);
    for (const op of [...putExits, ...putEnters, ...getExits, ...getEnters, ...arefs])
      if (op.isUsed()) refuse(op, "what one partition gets together with other loads is used by a further partition too");
      else rw.erase(op);
  });
}

/** One pair of enter and exit in place of several. Returns the exit. */
function combineSide(
  rw: Rewriter,
  aref: Value,
  enters: readonly Operation[],
  exits: readonly Operation[],
  after: Operation | undefined,
): Operation {
  const isPut = ArefPutEnterOp.is(enters[0]!);
  const [first, last] = [firstInBlock(enters), lastInBlock(exits)];
  const { locRef: loc } = first;
  const types = [...enters.map((enter) => enter.result(0).type), tokenType(rw.ctx)];
  const async_ops = [...new Set<Attribute>(exits.flatMap((exit) => (ArefPutExitOp.match(exit) ?? ArefGetExitOp.match(exit))!.async_ops))];
  rw.setAfter(aref.definingOp!);
  const zero = placeAs(rw.create(ConstantOp, { value: i32Attr(rw.ctx, 0) }, { loc: aref.definingOp!.locRef }), first).result;
  if (after) rw.setAfter(after);
  else rw.setBefore(first);
  const made = { aref, stage: zero, phase: zero };
  const enter = placeAs(isPut ? rw.create(ArefPutEnterOp, made, { loc, types }) : rw.create(ArefGetEnterOp, made, { loc, types }), first);
  rw.setBefore(last);
  const args = { aref, token: enter.token, stage: zero, async_ops };
  const exit = placeAs(isPut ? rw.create(ArefPutExitOp, args, { loc }) : rw.create(ArefGetExitOp, args, { loc }), last);
  enters.forEach((old, i) => {
    moveUsersAfter(old, enter.op);
    rw.replaceAllUses(old.result(0), enter.buffers[i]!);
  });
  return exit.op;
}
const inSameBlock = (ops: readonly Operation[]): readonly Operation[] => {
  for (const op of ops) if (op.block !== ops[0]!.block) refuse(op, "buffers that are used together are handed over in different blocks");
  return ops;
};
const firstInBlock = (ops: readonly Operation[]): Operation => inSameBlock(ops).reduce((a, b) => (b.isBeforeInBlock(a) ? b : a));
const lastInBlock = (ops: readonly Operation[]): Operation => inSameBlock(ops).reduce((a, b) => (a.isBeforeInBlock(b) ? b : a));

/** Moves the users of an op's results after `target`, and then their users too. */
function moveUsersAfter(op: Operation, target: Operation): void {
  for (const user of op.results.flatMap((result) => result.users())) {
    const inBlock =
      findAncestorInBlock(target.block!, user) ?? refuse(user, "the op uses a buffer in another block than where it is handed over");
    if (!inBlock.isBeforeInBlock(target)) continue;
    inBlock.moveAfter(target);
    moveUsersAfter(inBlock, inBlock);
  }
}
