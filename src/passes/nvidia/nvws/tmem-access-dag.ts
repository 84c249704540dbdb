/**
 * Who accesses a buffer in tensor memory in which order: the way of its token, through loops and branches.
 *
 *     tmem_alloc -> for { mma -> yield } -> tmem_load
 *
 * Source: third_party/nvidia/lib/Dialect/NVWS/Transforms/InsertTmemAref.cpp, TmemAccessDag.
 */

import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import type { View } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import { getPartitionIds, getPartitionOutputs, getWarpSpecializeTag, hasPartition } from "../automatic-warp-specialization/partition.js";
import { mmaOf } from "../completion-barrier.js";
import { refuse } from "../not-specializable.js";

/** A partition of one of the function's warp-specialized loops. */
export interface Owner {
  readonly id: number;
  readonly tag: number;
}
/** A key that is equal for equal owners. No owner: the code outside of partitions. */
export const ownerKey = (owner: Owner | undefined): string => (owner ? `${owner.id} ${owner.tag}` : "");

/** An access, or a loop or branch with accesses. */
export interface Access {
  readonly op: Operation;
  /** The operand that is the token, by number. */
  readonly tokenOperand: number | undefined;
  owner: Owner | undefined;
  /** The access before in the same block. */
  readonly before: Operation | undefined;
  /** The loop or branch around; of a yield the first access of its block. */
  around: Operation | undefined;
  /** The blocks of a loop or branch, by their first accesses. */
  readonly blocks: Access[];
  /** The result that is the token, by number; of loops and branches. */
  tokenResult: number | undefined;
  next: Access | undefined;
}

/** The accesses of a buffer, from the first one on. */
export interface TmemAccesses {
  readonly alloc: View<typeof TMEMAllocOp>;
  /** Who writes the initial value, if there is one. */
  readonly owner: Owner | undefined;
  readonly first: Access;
}

export function tmemAccesses(op: Operation): TmemAccesses {
  const alloc = TMEMAllocOp.match(op)!;
  const owner = alloc.src ? ownerOf(op) : undefined;
  if (!alloc.token) {
    const use = alloc.src && onlyUse(alloc.result);
    if (!use) refuse(op, "tensor memory without a token is used several times or never, or has no initial value");
    return { alloc, owner, first: makeAccess(use.owner, { owner: ownerOf(use.owner), before: op }) };
  }
  const use = onlyUse(alloc.token) ?? refuse(op, "the token of tensor memory has several users or none");
  const { first } = follow(use, op);
  return { alloc, owner, first: first ?? refuse(op, "nobody accesses the tensor memory before its token is handed on") };
}
const onlyUse = (value: Value): OpOperand | undefined => (value.hasOneUse() ? value.firstUse! : undefined);

function makeAccess(op: Operation, rest: Partial<Access>): Access {
  return {
    op,
    tokenOperand: undefined,
    owner: undefined,
    before: undefined,
    around: undefined,
    blocks: [],
    tokenResult: undefined,
    next: undefined,
    ...rest,
  };
}

/** The partition of an op, or for an op with regions that which needs a result. */
function ownerOf(op: Operation, result = 0): Owner | undefined {
  if (!hasPartition(op)) return undefined;
  const ids = op.regions.length > 0 ? getPartitionOutputs(op)[result]! : getPartitionIds(op);
  const [id] = ids;
  if (id === undefined || ids.size !== 1) refuse(op, "several partitions access tensor memory here, or none");
  for (let at: Operation | undefined = op; at; at = at.parentOfType(ForOp)) {
    const tag = getWarpSpecializeTag(at);
    if (tag !== undefined) return { id, tag };
  }
  return refuse(op, "the op is in no warp-specialized loop");
}

/** The accesses that follow in a block, up to its yield, and the token that is yielded or has no use. */
interface Way {
  readonly first: Access | undefined;
  readonly last: Access | undefined;
  readonly token: Value;
}

function follow(start: OpOperand, beforeStart: Operation | undefined): Way {
  let first: Access | undefined;
  let last: Access | undefined;
  let before = beforeStart;
  const add = (access: Access): void => {
    first ??= access;
    if (last) last.next = access;
    last = access;
    before = access.op;
  };
  for (let use = start; ; ) {
    const { owner: op, index, value } = use;
    if (YieldOp.is(op)) return { first, last, token: value };
    const access = makeAccess(op, { tokenOperand: index, owner: op.regions.length === 0 ? ownerOf(op) : undefined, before });
    add(access);
    let token = tokenAfter(access);
    if (!token.hasUses()) return { first, last, token };
    // A branch does not name the token: it is used in both of its blocks.
    while (!token.hasOneUse()) {
      const branch = accessOfBranch(token, before);
      add(branch);
      token = branch.op.result(branch.tokenResult!);
      if (!token.hasUses()) refuse(branch.op, "nobody uses the token of tensor memory that the branch hands on");
    }
    use = token.firstUse!;
  }
}

function tokenAfter(access: Access): Value {
  const { op } = access;
  if (ForOp.is(op)) return accessesOfLoop(access);
  const token = op.def.interface(MMAv5OpInterface) ? mmaOf(op).token : (TMEMLoadOp.match(op) ?? TMEMStoreOp.match(op))?.token;
  return token ?? refuse(op, "the op uses the token of tensor memory and hands on none");
}

/** Adds the end of a block to its accesses. */
function endBlock(way: Way, around: Operation, end: Operation, index: number, owner: Owner | undefined): Access {
  const access = makeAccess(end, { tokenOperand: index, owner, before: way.last?.op, around: way.first?.op ?? around });
  if (way.last) way.last.next = access;
  const first = way.first ?? access;
  first.around = around;
  return first;
}

function accessesOfLoop(access: Access): Value {
  const { op } = access;
  const index = access.tokenOperand! - 3;
  const body = op.regions[0]!.firstBlock!;
  const carried = body.args[index + 1];
  const use = carried && onlyUse(carried);
  const way = use && follow(use, undefined);
  if (!way?.first || !body.lastOp!.operand(index).definingOp)
    refuse(op, "the loop carries a token of tensor memory that it does not use, or uses several times");
  access.owner = ownerOf(op, index);
  access.tokenResult = index;
  access.blocks.push(endBlock(way, op, body.lastOp!, index, access.owner));
  return op.result(index);
}

function accessOfBranch(token: Value, before: Operation | undefined): Access {
  const uses = [...token.uses()];
  const op = uses[0]!.owner.parentOp!;
  const blocks = op.regions.map((region) => region.firstBlock);
  const inBlocks = blocks.map((block) => uses.find(({ owner }) => owner.block === block));
  const [inThen, inElse] = inBlocks;
  if (!IfOp.is(op) || uses.length !== 2 || !inThen || !inElse)
    return refuse(uses[0]!.owner, "a token of tensor memory has several uses that are not the two sides of a branch");
  const ways = [follow(inThen, undefined), follow(inElse, undefined)] as const;
  const index = blocks[0]!.lastOp!.operands.indexOf(ways[0].token);
  if (index < 0) refuse(op, "the branch does not hand on the token of tensor memory");
  const owner = ownerOf(op, index);
  const ends = ways.map((way, i) => endBlock(way, op, blocks[i]!.lastOp!, index, owner));
  return makeAccess(op, { owner, before, blocks: ends, tokenResult: index });
}

/** The accesses of partitions in order, with the writing of an initial value. */
export function ownedAccesses({ alloc, owner, first }: TmemAccesses): readonly Pick<Access, "op" | "owner">[] {
  const found: Pick<Access, "op" | "owner">[] = alloc.src && owner ? [{ op: alloc.op, owner }] : [];
  const visit = (start: Access): void => {
    for (let access: Access | undefined = start; access; access = access.next) {
      if (access.owner) found.push(access);
      access.blocks.forEach(visit);
    }
  };
  visit(first);
  return found;
}

/** Everybody who accesses the buffer, by partition; `outside` when code outside of partitions does so after one of them. */
export function ownersOf({ alloc, owner, first }: TmemAccesses): { readonly outside: boolean; readonly owners: readonly Owner[] } {
  const owners = new Map<string, Owner>();
  if (alloc.src && owner) owners.set(ownerKey(owner), owner);
  let outside = false;
  const visit = (start: Access): void => {
    for (let access: Access | undefined = start; access; access = access.next) {
      if (access.owner) owners.set(ownerKey(access.owner), access.owner);
      else outside = owners.size > 0;
      access.blocks.forEach(visit);
    }
  };
  visit(first);
  return { outside, owners: [...owners.values()].sort((a, b) => a.id - b.id || a.tag - b.tag) };
}
