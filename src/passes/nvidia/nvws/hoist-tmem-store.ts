import { getBackwardSlice, getForwardSlice } from "../../../analysis/slices.js";
import { CmpIOp } from "../../../dialects/arith/ops/index.js";
import { AssumeOp } from "../../../dialects/llvm/ops/assume.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { GetNumProgramsOp, GetProgramIdOp } from "../../../dialects/tt/ops/program.js";
import { TTG_CONVERT_LAYOUT_PATTERNS } from "../../../dialects/ttg/canonicalize/index.js";
import { AsyncTokenType } from "../../../dialects/ttg/types.js";
import { PARTITION } from "../../../dialects/ttg/verify-attr.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { Dominance } from "../../../ir/dominance.js";
import { constantInt, isZeroInt } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { pattern } from "../../../rewrite/pattern.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { WARP_SPECIALIZE } from "../../ttg/fuse-nested-loops/fuse-one-level.js";
import { addIterArgsToLoop, appendToYield } from "../../ttg/replace-with-new-signature.js";
import { bodyOf } from "../../ttg/software-pipelining/pipelined-loops.js";
import {
  getPartitionIds,
  getPartitionOutputs,
  hasPartition,
  insertAll,
  setPartition,
  setPartitionOutputs,
} from "../automatic-warp-specialization/partition.js";
import { loopsToSpecialize } from "../automatic-warp-specialization/partition-scheduling.js";
import { mmaOf } from "../completion-barrier.js";
import { refuse } from "../not-specializable.js";

/** The partition of the dots, to which stores belong that stay in the loop. */
const MULTIPLYING = [1];

export const hoistTmemStore = definePass("nvws-hoist-tmem-store", {
  name: "NVWSHoistTmemStore",
  summary: "Hoist tmem_store before the inner loop to the top level if possible",
  source: "third_party/nvidia/lib/Dialect/NVWS/Transforms/HoistTmemStore.cpp",
  statistics: { allocs: "allocations hoisted out of the warp-specialized loop" },
  run(root, { listener, count, fail }) {
    if (!applyPatternsGreedily(root, [foldStoreIntoAlloc, ...TTG_CONVERT_LAYOUT_PATTERNS], { listener }).converged) return fail();
    const rw = new Rewriter(root.ctx, listener);
    for (const loop of loopsToSpecialize(root)) {
      const allocs: Operation[] = [];
      loop.op.walkPostOrder((op) => void (TMEMAllocOp.match(op)?.src && isOverwritten(op) && allocs.push(op)));
      for (const op of allocs)
        rw.from(op, () => {
          if (hoist(rw, op)) count("allocs");
          else setPartition(op, MULTIPLYING);
        });
    }
  },
});

const isInSpecializedLoop = (op: Operation): boolean => {
  for (let loop = op.parentOfType(ForOp); loop; loop = loop.parentOfType(ForOp)) if (loop.hasAttr(WARP_SPECIALIZE)) return true;
  return false;
};

/** The first value that is stored becomes the initial value of the allocation. */
const foldStoreIntoAlloc = pattern("fold-tmem-store-into-alloc", TMEMAllocOp, ({ op, src, token }, rw) => {
  if (src || !isInSpecializedLoop(op)) return rw.noMatch("the allocation has a value, or is in no warp-specialized loop");
  const dominance = new Dominance();
  const store = op.results
    .flatMap((result) => result.users())
    .map((user) => TMEMStoreOp.match(user))
    .find((each) => each?.src.definingOp && dominance.properlyDominates(each.src.definingOp, op));
  if (!store) return rw.noMatch("nothing is stored that is there before the allocation");
  const types = [op.result(0).type, AsyncTokenType.get(rw.ctx, {})];
  const made = rw.setBefore(op).create(TMEMAllocOp, { src: store.src }, { loc: op.locRef, types });
  if (token) rw.replaceAllUses(token, made.token!);
  if (store.token) rw.replaceAllUses(store.token, made.token!);
  // It may have had several partitions, but who hands it over has one.
  if (hasPartition(store.op)) setPartition(made.op, getPartitionIds(store.op));
  rw.erase(store.op);
  rw.replace(op, made.op.results.slice(0, op.numResults));
  return true;
});

/** The dot of an inner loop that alone uses an allocation. */
function onlyDot(alloc: Operation): { readonly loop: ForView; readonly mma: Operation } | undefined {
  const token = TMEMAllocOp.match(alloc)?.token;
  const use = token?.hasOneUse() ? token.firstUse! : undefined;
  const loop = use && ForOp.match(use.owner);
  const carried = loop && bodyOf(loop).args[use.index - 2];
  const mma = carried?.hasOneUse() ? carried.firstUse!.owner : undefined;
  return mma?.def.interface(MMAv5OpInterface) ? { loop: loop!, mma } : undefined;
}
/** Whether the dot's first round does not read what is there. */
function isOverwritten(alloc: Operation): boolean {
  const only = onlyDot(alloc);
  if (!only) return false;
  const { loop, mma } = only;
  const useD = mma.operand(mma.def.interface(MMAv5OpInterface)!.indexOfUseD(mma));
  return useD.argOwner === bodyOf(loop) && useD.index > 0 && isZeroInt(loop.initArgs[useD.index - 1]);
}

/** Moves an allocation out of all loops; false where the dot's loop may run in some rounds and not in others. */
function hoist(rw: Rewriter, alloc: Operation): boolean {
  const around: ForView[] = [];
  for (let loop = ForOp.match(alloc.parentOfType(ForOp)); loop; loop = ForOp.match(loop.op.parentOfType(ForOp))) {
    around.push(loop);
    if (loop.op.hasAttr(WARP_SPECIALIZE)) break;
  }
  const inner = [onlyDot(alloc)!.loop, ...around.slice(0, -1)];
  for (const [i, { lowerBound, upperBound }] of inner.entries())
    for (const outer of around.slice(i)) {
      const induction = bodyOf(outer).args[0]!;
      if ((dependsOn(lowerBound, induction) || dependsOn(upperBound, induction)) && !runsOnce(lowerBound, upperBound)) return false;
    }
  alloc.moveBefore(around.at(-1)!.op);
  alloc.removeAttr(PARTITION);
  let token = TMEMAllocOp.match(alloc)!.token!;
  const use = token.firstUse!;
  const index = use.index - 3;
  const owner = getPartitionOutputs(use.owner)[index]!;
  const loops = around.reverse().map((old) => {
    const outputs = getPartitionOutputs(old.op);
    const ids = insertAll(getPartitionIds(old.op), owner);
    const loop = addIterArgsToLoop(rw, old, [token]);
    setPartitionOutputs(loop.op, [...outputs, owner]);
    setPartition(loop.op, ids);
    token = bodyOf(loop).args.at(-1)!;
    return loop;
  });
  use.set(token);
  token = use.owner.result(index);
  while (token.hasUses()) token = tokenAfter(token.firstUse!.owner);
  for (const loop of loops.reverse()) {
    appendToYield(loop, [token]);
    setPartition(bodyOf(loop).lastOp!, getPartitionIds(loop.op));
    token = loop.op.results.at(-1)!;
  }
  return true;
}
function tokenAfter(op: Operation): Value {
  const token = op.def.interface(MMAv5OpInterface) ? mmaOf(op).token : (TMEMLoadOp.match(op) ?? TMEMStoreOp.match(op))?.token;
  return token ?? refuse(op, "the op uses the token of tensor memory and hands on none");
}

/** Whether a value is computed from a loop's induction variable. */
function dependsOn({ definingOp }: Value, induction: Value): boolean {
  if (!definingOp) return false;
  const slice = new Set([definingOp, ...getBackwardSlice(definingOp, { omitBlockArguments: true })]);
  return induction.users().some((user) => slice.has(user));
}

/** Whether a loop is known to have a round, by constants and by what the kernel assumes. */
function runsOnce(lowerBound: Value, upperBound: Value): boolean {
  const most = boundsOf(lowerBound)[1];
  const least = boundsOf(upperBound)[0];
  return most !== undefined && least !== undefined && most < least;
}
type Bound = bigint | undefined;
function boundsOf(value: Value): readonly [least: Bound, most: Bound] {
  const known = constantInt(value);
  if (known !== undefined) return [known, known];
  for (const op of getForwardSlice(value)) {
    const compare = CmpIOp.match(AssumeOp.match(op)?.cond.definingOp);
    if (!compare || (compare.lhs !== value && compare.rhs !== value)) continue;
    const isLhs = compare.lhs === value;
    const limit = constantInt(isLhs ? compare.rhs : compare.lhs);
    if (limit === undefined || compare.predicate === "ne") continue;
    if (compare.predicate === "eq") return [limit, limit];
    if (compare.predicate.startsWith("u")) return [undefined, undefined];
    const strict = compare.predicate.endsWith("t") ? 1n : 0n;
    if ((compare.predicate[1] === "g") === isLhs) return [limit + strict, undefined];
    return [GetProgramIdOp.is(value.definingOp) || GetNumProgramsOp.is(value.definingOp) ? 0n : undefined, limit - strict];
  }
  return [undefined, undefined];
}
