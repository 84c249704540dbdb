import { ConstantOp } from "../../../dialects/arith/ops/index.js";
import { ArefBufferOp, ArefGetEnterOp, ArefGetExitOp, ArefPutEnterOp, ArefPutExitOp } from "../../../dialects/nvws/ops/aref.js";
import { AsyncOpAttr, type AsyncOpKind } from "../../../dialects/nvws/types.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import { MMAv5OpInterface, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { PoisonOp } from "../../../dialects/ub/ops/index.js";
import { boolAttr } from "../../../ir/builtin-attrs.js";
import { numElements } from "../../../ir/builtin-types.js";
import type { LocationRef } from "../../../ir/location.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { WARP_SPECIALIZE } from "../../ttg/fuse-nested-loops/fuse-one-level.js";
import { DISALLOW_ACC_MULTI_BUFFER, findAncestorInBlock } from "../../ttg/software-pipelining/pipelined-loops.js";
import {
  getStageCluster,
  getWarpSpecializeTag,
  place,
  type StageCluster,
  setWarpSpecializeTag,
} from "../automatic-warp-specialization/partition.js";
import { loopsToSpecialize } from "../automatic-warp-specialization/partition-scheduling.js";
import { mmaOf } from "../completion-barrier.js";
import { refuse } from "../not-specializable.js";
import { hasAccReadModifyWrite, isAccMultibufferingPossible } from "../pipeline/mma-v5.js";
import { clearTokenOperand } from "../tensor-memory/remove-tmem-tokens.js";
import { buffersOf, bufferViewType, createAlloc, createAref, multiBufferedType, tokenType } from "./buffers.js";
import { splitTokenBranches } from "./split-token-branches.js";
import { type Access, type Owner, ownedAccesses, ownerKey, ownersOf, type TmemAccesses, tmemAccesses } from "./tmem-access-dag.js";

/** The elements of 32 bits that tensor memory has. */
const TENSOR_MEMORY = 128 * 512;

export const insertTmemAref = definePass("nvws-insert-tmem-aref", {
  name: "NVWSInsertTmemAref",
  summary: "Insert tmem arefs between producer and consumer partitions.",
  source: "third_party/nvidia/lib/Dialect/NVWS/Transforms/InsertTmemAref.cpp",
  statistics: { arefs: "buffers in tensor memory that go from one partition to another" },
  run(root, pass) {
    const rw = new Rewriter(root.ctx, pass.listener);
    root.walkPostOrder((func) => {
      if (!FuncOp.is(func)) return;
      const { dividesByFlow } = func.ctx.triton;
      if (dividesByFlow && loopsToSpecialize(func).length === 0) return;
      const all: TmemAccesses[] = [];
      func.walkPostOrder((op) => void (TMEMAllocOp.is(op) && all.push(tmemAccesses(op))));
      /** The elements of tensor memory that are handed over so far. */
      let elements = 0;
      for (const accesses of all) {
        const { outside, owners } = ownersOf(accesses);
        if (owners.length > 2) refuse(accesses.alloc.op, "more than two partitions access this tensor memory");
        if (owners.length + (outside ? 1 : 0) < 2) continue;
        const numBuffers = dividesByFlow ? numBuffersByFlow(accesses, elements) : areSeparateRounds(accesses) ? 2 : 1;
        elements += numElements((accesses.alloc.result.type as MemDesc).params.shape) * numBuffers;
        rw.from(accesses.alloc, () => handOver(rw, accesses, owners, numBuffers));
        pass.count("arefs");
      }
      splitTokenBranches(rw, func);
    });
  },
});

/** Who holds the buffer at some point, and how it got it. */
interface State {
  readonly rw: Rewriter;
  readonly aref: Value;
  readonly alloc: Value;
  /** Replaces the tokens that the accesses made. */
  readonly poison: Value;
  holds: "put" | "get";
  owner: Owner | undefined;
  token: Value;
  /** The buffer itself, once it was asked for. */
  buffer: Value | undefined;
  /** How it was accessed last; since 3.7 by each owner. */
  lastKind: AsyncOpKind | undefined;
  readonly kinds: Map<string, AsyncOpKind>;
  /** Where each owner last accessed it in the loop's schedule, since 3.7. */
  readonly places: Map<string, StageCluster | undefined>;
}

/** Gives an op to a partition; outside of the partition's loop it names that too. */
function placeFor<T extends { readonly op: Operation }>(view: T, owner: Owner | undefined, at: StageCluster | undefined): T {
  place(view, owner && [owner.id], at);
  if (!owner) return view;
  for (let loop = view.op.parentOfType(ForOp); loop; loop = loop.parentOfType(ForOp))
    if (getWarpSpecializeTag(loop) !== undefined) return view;
  setWarpSpecializeTag(view.op, owner.tag);
  return view;
}

function acquire(state: State, loc: LocationRef, owner: Owner | undefined, at: StageCluster | undefined): void {
  const { rw, aref } = state;
  const options = { loc, types: [bufferViewType(buffersOf(aref), true), tokenType(rw.ctx)] };
  const enter = state.holds === "put" ? rw.create(ArefPutEnterOp, { aref }, options) : rw.create(ArefGetEnterOp, { aref }, options);
  state.token = placeFor(enter, owner, at).token;
  state.owner = owner;
  if (owner) state.places.set(ownerKey(owner), at);
  state.buffer = undefined;
}
/** `after`: the op after which that is, which says where in the schedule until 3.7. */
function release(state: State, loc: LocationRef, after: Operation | undefined): void {
  const { rw, aref, token, owner, kinds, places } = state;
  const { dividesByFlow } = rw.ctx.triton;
  const value = dividesByFlow ? kinds.get(ownerKey(owner)) : state.lastKind;
  if (!value) return refuse(state.alloc.definingOp!, "tensor memory is handed over before anybody accesses it");
  const at = dividesByFlow ? owner && places.get(ownerKey(owner)) : getStageCluster(after);
  const args = { aref, token, async_ops: [AsyncOpAttr.get(rw.ctx, { value })] };
  placeFor(state.holds === "put" ? rw.create(ArefPutExitOp, args, { loc }) : rw.create(ArefGetExitOp, args, { loc }), owner, at);
  state.holds = state.holds === "put" ? "get" : "put";
}
/** The buffer, asked for at the insertion point unless it was before. */
function bufferFor(state: State, owner: Owner | undefined, op: Operation): Value {
  if (!state.buffer) {
    const { rw, aref, token } = state;
    const options = { loc: op.locRef, types: [bufferViewType(buffersOf(aref), true)] };
    state.buffer = placeFor(rw.create(ArefBufferOp, { aref, token }, options), owner, getStageCluster(op)).buffers[0]!;
  }
  return state.buffer;
}

/** Whether the next round may begin before the last one is read. */
function areSeparateRounds({ alloc }: TmemAccesses): boolean {
  const possible = alloc.result.users().flatMap((user) => {
    const loop = user.def.interface(MMAv5OpInterface) && ForOp.match(user.parentOp!);
    if (!loop) return [];
    const disallows = (alloc.op.ctx.triton.dividesByFlow ? outerLoop(user)! : loop.op).hasAttr(DISALLOW_ACC_MULTI_BUFFER);
    return [!hasAccReadModifyWrite(user, loop) && isAccMultibufferingPossible(user, loop) && !disallows];
  });
  return possible.length > 0 && possible.every((each) => each);
}

/** Since 3.7: two where one partition computes and another one only reads, and there is room. */
function numBuffersByFlow(accesses: TmemAccesses, taken: number): number {
  const { alloc } = accesses;
  if (!isProducedAndConsumed(accesses)) return 1;
  const mmas = alloc.result.users().filter((user) => user.def.interface(MMAv5OpInterface) && ForOp.is(user.parentOp!));
  if (mmas.length === 0) return 2;
  const { shape } = (alloc.result.type as MemDesc).params;
  const fits = taken + shape[0]! * shape[1]! * 2 <= TENSOR_MEMORY && !(shape[1] === 256 && mmas.some((mma) => TCGen5MMAScaledOp.is(mma)));
  return fits && areSeparateRounds(accesses) ? 2 : 1;
}
function isProducedAndConsumed(accesses: TmemAccesses): boolean {
  const all = ownedAccesses(accesses);
  let produces = true;
  let changes = 0;
  for (const [i, { op, owner }] of all.slice(0, -1).entries()) {
    const isWrite = TMEMStoreOp.is(op) || op.def.interface(MMAv5OpInterface) !== undefined;
    if ((isWrite || TMEMLoadOp.is(op)) && isWrite !== produces) return false;
    if (ownerKey(owner) === ownerKey(all[i + 1]!.owner)) continue;
    produces = !produces;
    changes++;
  }
  return changes === 2;
}

/** The warp-specialized loop around an op. */
function outerLoop(op: Operation): Operation | undefined {
  let loop = op.parentOfType(ForOp);
  while (loop && !loop.hasAttr(WARP_SPECIALIZE)) loop = loop.parentOfType(ForOp);
  return loop;
}

function handOver(rw: Rewriter, accesses: TmemAccesses, owners: readonly Owner[], numBuffers: number): void {
  const { alloc, first } = accesses;
  const { op } = alloc;
  const loc = op.locRef;
  const loop = outerLoop(op);
  rw.setBefore(loop ?? op);
  const aref = createAref(rw, [createAlloc(rw, multiBufferedType(alloc.result.type as MemDesc, numBuffers), loc)], loc);
  const poison = rw.value(PoisonOp, {}, { loc, types: [tokenType(rw.ctx)] });
  const state: State = {
    rw,
    aref,
    alloc: alloc.result,
    poison,
    holds: "put",
    owner: undefined,
    token: poison,
    buffer: undefined,
    lastKind: undefined,
    kinds: new Map(),
    places: new Map(),
  };
  // In the loop the first user is the first owner.
  const owner = !alloc.src && loop ? first.owner : accesses.owner;
  const at = getStageCluster(op);
  rw.setBefore(op);
  acquire(state, loc, owner, at);
  // If code outside of partitions acquires the buffer, the first partition releases it.
  for (let access: Access | undefined = first; access && !state.owner; access = access.next) state.owner = access.owner;
  if (alloc.src) {
    const dst = bufferFor(state, owner, op);
    accessed(state, owner, "none");
    const pred = placeFor(rw.create(ConstantOp, { value: boolAttr(rw.ctx, true) }, { loc }), owner, at).result;
    placeFor(rw.create(TMEMStoreOp, { dst, src: alloc.src, pred }, { loc, types: [] }), owner, at);
  }
  const last = handOverAt(state, first, owner);
  rw.setAfter(loop ? last.op : findAncestorInBlock(aref.definingOp!.block!, last.op)!);
  if (!loop && last.owner) state.places.set(ownerKey(last.owner), undefined);
  release(state, last.op.locRef, last.op);
  if (state.holds !== "get") return;
  // An outer loop would wait for ever for who has put and not got.
  const other = owners.find((each) => ownerKey(each) !== ownerKey(state.owner));
  acquire(state, last.op.locRef, other, undefined);
  release(state, last.op.locRef, undefined);
}

/** Notes how an owner has accessed the buffer. */
function accessed(state: State, owner: Owner | undefined, kind: AsyncOpKind): void {
  state.lastKind = kind;
  state.kinds.set(ownerKey(owner), kind);
}

/** Hands the buffer over before each access of another owner than before. Returns the last access. */
function handOverAt(state: State, first: Access, before: Owner | undefined): Access {
  let current = before;
  for (let access = first; ; access = access.next) {
    // On entering the warp-specialized loop everybody waits anyway.
    if (current && ownerKey(access.owner) !== ownerKey(current)) changeOwner(state, access);
    for (const block of access.blocks) {
      const inner: State = { ...state, kinds: new Map(state.kinds), places: new Map(state.places) };
      if (ForOp.is(access.op) && access.tokenOperand !== undefined) {
        inner.token = access.op.regions[0]!.firstBlock!.args[access.tokenOperand - 2]!;
        inner.buffer = undefined;
      }
      handOverAt(inner, block, access.owner);
      state.lastKind = inner.lastKind;
      for (const [key, kind] of inner.kinds) state.kinds.set(key, kind);
      state.owner = inner.owner;
    }
    rewriteAccess(state, access);
    if (!access.next) return access;
    current = access.owner;
  }
}

function changeOwner(state: State, { op, before, around, owner }: Access): void {
  const { rw } = state;
  const from = before ?? around!;
  if (before) rw.setAfter(before);
  else rw.setStart(op.block!);
  release(state, from.locRef, owner ? before : undefined);
  rw.setBefore(op);
  // A yield has no place in the schedule: the first access of its block stands for it.
  const to = YieldOp.is(op) ? around! : op;
  const last = state.rw.ctx.triton.dividesByFlow && owner ? state.places.get(ownerKey(owner)) : undefined;
  acquire(state, to.locRef, owner, getStageCluster(to) ?? last);
}

function rewriteAccess(state: State, { op, owner, tokenOperand, tokenResult }: Access): void {
  const { rw, alloc, poison } = state;
  rw.setBefore(op);
  const isMma = op.def.interface(MMAv5OpInterface) !== undefined;
  if (isMma || TMEMLoadOp.is(op) || TMEMStoreOp.is(op)) {
    accessed(state, owner, isMma ? "tc5mma" : "none");
    if (owner) state.places.set(ownerKey(owner), getStageCluster(op));
    const token = isMma ? mmaOf(op).token : (TMEMLoadOp.match(op) ?? TMEMStoreOp.match(op))?.token;
    if (!isMma) op.setOperand(0, bufferFor(state, owner, op));
    if (!isMma || mmaOf(op).d === alloc) {
      clearTokenOperand(op);
      if (token) rw.replaceAllUses(token, poison);
    }
    if (isMma) for (const use of op.operandUses) if (use.value === alloc) use.set(bufferFor(state, owner, op));
  } else if (YieldOp.is(op)) op.setOperand(tokenOperand!, state.token);
  else if (!IfOp.is(op) && !ForOp.is(op)) refuse(op, "the op cannot access tensor memory of several partitions");
  else if (tokenResult !== undefined) {
    if (ForOp.is(op)) op.setOperand(tokenOperand!, state.token);
    state.token = op.result(tokenResult);
    state.buffer = undefined;
  }
}
