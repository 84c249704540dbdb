import { postDominates } from "../../../analysis/post-dominance.js";
import { ConstantOp, SelectOp, XOrIOp } from "../../../dialects/arith/ops/index.js";
import { FOR_CANONICALIZATION } from "../../../dialects/scf/canonicalize/index.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { AsyncTokenType, type MemDesc } from "../../../dialects/ttg/types.js";
import { MMAv5OpInterface } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { PoisonOp } from "../../../dialects/ub/ops/index.js";
import { boolAttr } from "../../../ir/builtin-attrs.js";
import type { View } from "../../../ir/define-op.js";
import { isPureOp } from "../../../ir/interfaces.js";
import { isOneInt, isZeroInt } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { pattern } from "../../../rewrite/pattern.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { addIterArgsToLoop, appendToYield, sinkValueRedefinition } from "../../ttg/replace-with-new-signature.js";
import { bodyOf, findAncestorInBlock, isDefinedOutsideOfLoop } from "../../ttg/software-pipelining/pipelined-loops.js";

export const hoistTmemAlloc = definePass("tritongpu-hoist-tmem-alloc", {
  name: "TritonGPUHoistTMEMAlloc",
  summary: "Hoist TMEM allocations out of the loop",
  source: "lib/Dialect/TritonGPU/Transforms/HoistTMEMAlloc.cpp",
  options: {
    hoistOutOfIf: option.bool({ default: false, alias: "post-pipeline", summary: "Hoist TMEM allocations out of if statements" }),
  },
  statistics: { allocs: "allocations hoisted out of loops" },
  run(root, { options, listener, report, count, fail }) {
    const rw = new Rewriter(root.ctx, listener);
    const mmas: Operation[] = [];
    root.walkPostOrder((op) => void (op.def.interface(MMAv5OpInterface) && mmas.push(op)));
    for (const mma of options.hoistOutOfIf ? [] : mmas) {
      const loop = ForOp.match(mma.parentOp ?? undefined);
      if (!loop) continue;
      hoistInvariantInputs(mma, loop);
      const alloc = TMEMAllocOp.match(mma.def.interface(MMAv5OpInterface)!.accumulator(mma).definingOp);
      if (!alloc?.token || alloc.op.region !== mma.region) continue;
      const last = lastMemoryUse(alloc.token);
      if (!last) {
        // Triton ends here.
        report.error(alloc.op, "can't hoist TMEM alloc with multiple or conditional uses");
        return fail();
      }
      rw.from(alloc, () => hoist(rw, alloc, loop, last));
      count("allocs");
    }
    const patterns = [rotateStore, rotateLoad, combineLoadAndStore, combineStoreAndSelect, sinkLoad, removeUnusedLoad];
    if (options.hoistOutOfIf) patterns.push(combineStoreAndAlloc, hoistOutOfIf, forwardLoad);
    patterns.push(...FOR_CANONICALIZATION);
    if (!applyPatternsGreedily(root, patterns, { listener }).converged) return fail();
    if (options.hoistOutOfIf && root.ctx.triton.sinksTmemAllocs && !applyPatternsGreedily(root, [sinkAlloc], { listener }).converged)
      return fail();
    const allocs: Operation[] = [];
    root.walkPostOrder((op) => void (TMEMAllocOp.is(op) && allocs.push(op)));
    for (const op of allocs) rw.from(op, () => splitInitialValue(rw, TMEMAllocOp.match(op)!));
  },
});

type Alloc = View<typeof TMEMAllocOp>;
const token = (rw: Rewriter) => AsyncTokenType.get(rw.ctx, {});
const always = (rw: Rewriter, loc: Operation["locRef"]): Value => rw.value(ConstantOp, { value: boolAttr(rw.ctx, true) }, { loc });
/** The load with a token that made a value. */
function tokenLoad(value: Value): (View<typeof TMEMLoadOp> & { readonly token: Value }) | undefined {
  const load = TMEMLoadOp.match(value.definingOp);
  return load?.token ? (load as View<typeof TMEMLoadOp> & { readonly token: Value }) : undefined;
}

/** Moves allocations that the loop does not change, with what they hold, before it. */
function hoistInvariantInputs(mma: Operation, loop: ForView): void {
  for (const operand of mma.operands) {
    const alloc = isDefinedOutsideOfLoop(loop, operand) ? undefined : TMEMAllocOp.match(operand.definingOp);
    if (!alloc?.src || (alloc.result.type as MemDesc).params.mutableMemory) continue;
    const toHoist = [alloc.op];
    let src = alloc.src;
    for (let def = src.definingOp; def && !isDefinedOutsideOfLoop(loop, src); def = src.definingOp) {
      if (!isPureOp(def) || def.numOperands !== 1) break;
      toHoist.push(def);
      src = def.operand(0);
    }
    if (isDefinedOutsideOfLoop(loop, src)) for (const op of toHoist.reverse()) op.moveBefore(loop.op);
  }
}

/** Allocates before the loop, which carries the token of what is in there. */
function hoist(rw: Rewriter, alloc: Alloc, before: ForView, last: Value): void {
  const options = { loc: alloc.op.locRef };
  rw.setBefore(before);
  const pred = always(rw, options.loc);
  const made = rw.clone(alloc.op);
  made.setOperands([]);
  const loop = addIterArgsToLoop(rw, before, [made.result(1)]);
  let carried = bodyOf(loop).args.at(-1)!;
  appendToYield(loop, [last]);
  if (alloc.src) {
    const operands = { dst: made.result(0), dep: carried, src: alloc.src, pred };
    carried = rw
      .setBefore(alloc)
      .create(TMEMStoreOp, operands, { ...options, types: [token(rw)] })
      .op.result(0);
  }
  rw.replace(alloc, [made.result(0), carried]);
}
/** The token of the last access, where it is a single one in the same block and no region or loop hands the token on. */
function lastMemoryUse(first: Value): Value | undefined {
  const last = new Set<Value | undefined>();
  const seen = new Set<Value>([first]);
  for (const at of seen) {
    if (!at.hasUses()) last.add(at);
    for (const user of at.users()) {
      const next = user.results.find(({ type }) => AsyncTokenType.is(type));
      if (next) seen.add(next);
      else last.add(undefined);
    }
  }
  const [only] = last;
  return last.size === 1 && only?.parentBlock === first.parentBlock ? only : undefined;
}

/** Mutable allocations have no initial value downstream: it is stored. */
function splitInitialValue(rw: Rewriter, { op, src, result, token: made }: Alloc): void {
  if (!src || !(result.type as MemDesc).params.mutableMemory) return;
  rw.setAfter(op);
  const operands = { dst: result, dep: made, src, pred: always(rw, op.locRef) };
  const store = rw.create(TMEMStoreOp, operands, { loc: op.locRef, types: [token(rw)] });
  rw.replaceUsesWhere(made!, store.op.result(0), ({ owner }) => owner !== store.op);
  op.setOperands([]);
}

/** A store of what is there already, or something else: a store on a condition. */
const combineStoreAndSelect = pattern("combine-tmem-store-and-select", TMEMStoreOp, (store, rw) => {
  const select = store.dep && SelectOp.match(store.src.definingOp);
  if (!select) return rw.noMatch("no select is stored");
  const isThere = (value: Value): boolean => {
    const load = tokenLoad(value);
    return load?.result === value && load.src === store.dst && load.token === store.dep;
  };
  const [ofTrue, ofFalse] = [isThere(select.true_value), isThere(select.false_value)];
  if (ofTrue === ofFalse) return rw.noMatch("neither value is there already");
  const loc = select.op.locRef;
  let pred = select.condition;
  if (ofTrue) pred = rw.value(XOrIOp, { lhs: pred, rhs: always(rw, loc) }, { loc });
  const operands = { dst: store.dst, dep: store.dep, src: ofTrue ? select.false_value : select.true_value, pred };
  rw.replaceWith(store, TMEMStoreOp, operands, { types: [token(rw)] });
  return true;
});

const removeUnusedLoad = pattern("remove-unused-tmem-load", TMEMLoadOp, (load, rw) => {
  if (!load.dep || load.result.hasUses()) return rw.noMatch("it is used");
  rw.replaceAllUses(load.token!, load.dep);
  return true;
});

const combineLoadAndStore = pattern("combine-tmem-load-and-store", TMEMStoreOp, (store, rw) => {
  const load = store.dep && tokenLoad(store.dep);
  if (!load || load.result !== store.src || load.src !== store.dst) return rw.noMatch("it does not store what is there");
  return rw.replace(store, load.token);
});

/** The first of the ops that encloses or is what uses a value, in the innermost block around all users. */
function nearestCommonDominator(users: readonly Operation[]): Operation | undefined {
  const [first] = users;
  for (let at: Operation | null | undefined = first; at; at = at.parentOp) {
    const { block } = at;
    const tops = block ? users.map((user) => findAncestorInBlock(block, user)) : [];
    if (tops.length > 0 && tops.every((top) => top)) return tops.reduce((a, b) => (b!.isBeforeInBlock(a!) ? b : a));
  }
  return undefined;
}
const sinkLoad = pattern("sink-tmem-load", TMEMLoadOp, (load, rw) => {
  const { op } = load;
  if (!load.dep || !load.token) return rw.noMatch("it has no token");
  let loop = op.parentOp;
  while (loop && !ForOp.is(loop)) loop = loop.parentOp;
  if (!loop) return rw.noMatch("it is in no loop");
  const target = nearestCommonDominator(load.result.users());
  const inBlock = target && findAncestorInBlock(op.block!, target);
  if (!target || !inBlock || inBlock === op || !op.isBeforeInBlock(inBlock)) return rw.noMatch("it does not dominate its users");
  const uses = [...load.token.uses()];
  if (!uses.every(({ owner }) => owner !== target && postDominates(owner, target))) return rw.noMatch("other accesses come before");
  let next = op.next;
  while (next && TMEMLoadOp.is(next)) next = next.next;
  if (target === next) return rw.noMatch("it is there already");
  rw.moveBefore(op, target);
  const redefined = sinkValueRedefinition(rw, load.dep, load.token, target.block!);
  if (redefined !== load.token) for (const use of uses) use.set(redefined);
  return true;
});

const combineStoreAndAlloc = pattern("combine-tmem-store-and-alloc", TMEMStoreOp, (store, rw) => {
  const alloc = store.dep && TMEMAllocOp.match(store.dep.definingOp);
  if (!alloc?.token || !isOneInt(store.pred)) return rw.noMatch("it is not the first store");
  const { definingOp: src } = store.src;
  if (store.dst !== alloc.result || alloc.op.block !== store.op.block) return rw.noMatch("it stores elsewhere");
  if (src && src.block === alloc.op.block && alloc.op.isBeforeInBlock(src)) return rw.noMatch("the value comes later");
  alloc.op.setOperands([store.src]);
  return rw.replace(store, alloc.token);
});

/** An allocation in a branch that begins and ends with a value of registers comes before it; the branch hands on a token. */
const hoistOutOfIf = pattern("hoist-tmem-alloc-out-of-if", TMEMAllocOp, (alloc, rw) => {
  const branch = alloc.token && alloc.src && IfOp.match(alloc.op.parentOp ?? undefined);
  if (!branch || branch.elseRegion.empty) return rw.noMatch("it is in no branch");
  const [thenEnd, elseEnd] = branch.op.regions.map((region) => region.firstBlock!.lastOp!) as [Operation, Operation];
  const indices = thenEnd.operands.flatMap((value, i) => {
    const load = tokenLoad(value);
    return load?.result === value && load.src === alloc.result && elseEnd.operand(i) === alloc.src ? [i] : [];
  });
  if (indices.length === 0) return rw.noMatch("the branch does not hand it on");
  alloc.op.moveBefore(branch.op);
  rw.setAfter(branch);
  for (const i of indices) {
    const load = tokenLoad(thenEnd.operand(i))!;
    const made = rw.clone(load.op);
    const result = branch.op.result(i);
    rw.modify(branch, () => {
      rw.replaceAllUses(result, made.result(0));
      made.setOperand(1, result);
      thenEnd.setOperand(i, load.token);
      elseEnd.setOperand(i, alloc.token!);
      branch.op.setResultType(i, token(rw));
    });
  }
  return true;
});

const forwardLoad = pattern("tmem-load-forwarding", TMEMAllocOp, (alloc, rw) => {
  const load = alloc.token && alloc.src && tokenLoad(alloc.src);
  if (!load?.dep || load.op.results.reduce((n, result) => n + result.numUses(), 0) !== 1 || !load.dep.hasOneUse())
    return rw.noMatch("others need what it is filled with");
  if (alloc.result.type !== load.src.type) return rw.noMatch("it is of another type");
  return rw.replace(alloc, [load.src, load.dep]);
});

/** The only op that takes a token, if it writes all of a buffer: a store, or a dot that does not add. `depNo` is the number of that operand. */
function overwriter(dep: Value, buffer: Value): { readonly op: Operation; readonly depNo: number } | undefined {
  if (!dep.hasOneUse()) return undefined;
  const { owner: op, index: depNo } = dep.firstUse!;
  const store = TMEMStoreOp.match(op);
  if (store) return store.dst === buffer && isOneInt(store.pred) ? { op, depNo } : undefined;
  const mma = op.def.interface(MMAv5OpInterface);
  if (!mma || depNo !== 3 || mma.accumulator(op) !== buffer) return undefined;
  const useD = mma.indexOfUseD(op);
  return isZeroInt(op.operand(useD)) && isOneInt(op.operand(useD + 1)) ? { op, depNo } : undefined;
}
/** A buffer that each round of a loop overwrites before it is read is allocated where that happens. */
const sinkAlloc = pattern("sink-tmem-alloc", TMEMAllocOp, (alloc, rw) => {
  const use = alloc.token?.hasOneUse() ? alloc.token.firstUse! : undefined;
  const loop = ForOp.match(use?.owner);
  if (!use || !loop || use.index < 3) return rw.noMatch("no loop alone carries it");
  if (!alloc.result.users().every((user) => loop.op.isProperAncestorOf(user))) return rw.noMatch("it is used outside of the loop");
  const tokenNo = use.index - 3;
  const carried = bodyOf(loop).args[tokenNo + 1]!;
  const user = overwriter(carried, alloc.result);
  if (!user) return rw.noMatch("the loop does not overwrite it first");
  rw.moveBefore(alloc.op, user.op);
  user.op.setOperand(user.depNo, alloc.token!);
  // The loop carries a token for nothing from here on: canonicalization removes it.
  bodyOf(loop).lastOp!.setOperand(tokenNo, carried);
  rw.setBefore(loop);
  use.set(rw.value(PoisonOp, {}, { types: [carried.type], loc: loop.op.locRef }));
  return true;
});

/** A carried value that is stored at once is stored in the round before, and before the loop. */
const rotateStore = pattern("rotate-tmem-store-in-loop", TMEMStoreOp, (store, rw) => {
  const loop = store.dep && ForOp.match(store.op.parentOp ?? undefined);
  if (!loop || ![store.pred, store.dst].every((value) => isDefinedOutsideOfLoop(loop, value))) return rw.noMatch("the loop changes it");
  const body = bodyOf(loop);
  if (store.src.argOwner !== body || !store.src.hasOneUse() || store.dep!.argOwner !== body)
    return rw.noMatch("it stores no carried value");
  const [valueNo, tokenNo] = [store.src.index - 1, store.dep!.index - 1];
  const types = [token(rw)];
  const options = { loc: store.op.locRef, types };
  const { dst, pred } = store;
  const operands = { dst, dep: loop.initArgs[tokenNo]!, src: loop.initArgs[valueNo]!, pred };
  const first = rw.setBefore(loop).create(TMEMStoreOp, operands, options);
  loop.op.setOperand(3 + tokenNo, first.op.result(0));
  const terminator = body.lastOp!;
  rw.replaceAllUses(store.token!, body.args[tokenNo + 1]!);
  rw.moveBefore(store.op, terminator);
  store.op.setOperand(1, terminator.operand(tokenNo));
  terminator.setOperand(tokenNo, store.token!);
  store.op.setOperand(2, terminator.operand(valueNo));
  loadAfterLoop(rw, loop, { loc: store.op.locRef, src: dst, valueNo, tokenNo });
  return true;
});

/** Moves a load whose value is only carried to the next round: the next round loads it, and so does the code after the loop. */
const rotateLoad = pattern("rotate-tmem-load-in-loop", TMEMLoadOp, (load, rw) => {
  const loop = load.dep && ForOp.match(load.op.parentOp ?? undefined);
  if (!loop || !isDefinedOutsideOfLoop(loop, load.src) || !load.result.hasOneUse()) return rw.noMatch("it is not only carried on");
  const { owner: end, index: valueNo } = load.result.firstUse!;
  if (!YieldOp.is(end) || !load.token!.users().includes(end)) return rw.noMatch("it is not only carried on");
  const tokenNo = load.token!.firstUse!.index;
  const alloc = TMEMAllocOp.match(loop.initArgs[tokenNo]?.definingOp);
  if (!alloc?.token || alloc.src) return rw.noMatch("tensor memory holds another value before");
  const body = bodyOf(loop);
  const { locRef: loc } = load.op;
  rw.setBefore(loop);
  const operands = { dst: load.src, dep: alloc.token, src: loop.initArgs[valueNo]!, pred: always(rw, loc) };
  const first = rw.create(TMEMStoreOp, operands, { loc, types: [token(rw)] });
  loop.op.setOperand(3 + tokenNo, first.op.result(0));
  end.setOperand(tokenNo, load.dep!);
  rw.moveBefore(load.op, body.firstOp!);
  const carried = body.args[tokenNo + 1]!;
  load.op.setOperand(1, carried);
  rw.replaceUsesWhere(carried, load.token!, ({ owner }) => owner !== load.op);
  rw.replaceAllUses(body.args[valueNo + 1]!, load.result);
  loadAfterLoop(rw, loop, { loc, src: load.src, valueNo, tokenNo });
  return true;
});

/** Loads the value after the loop for the users of the loop's result; the loop carries its old value unchanged. */
function loadAfterLoop(
  rw: Rewriter,
  loop: ForView,
  {
    loc,
    src,
    valueNo,
    tokenNo,
  }: { readonly loc: Operation["locRef"]; readonly src: Value; readonly valueNo: number; readonly tokenNo: number },
): void {
  const result = loop.op.result(valueNo);
  const types = [result.type, token(rw)];
  const load = rw.setAfter(loop).create(TMEMLoadOp, { src, dep: loop.op.result(tokenNo) }, { loc, types });
  rw.replaceAllUses(result, load.result);
  bodyOf(loop).lastOp!.setOperand(valueNo, bodyOf(loop).args[valueNo + 1]!);
}
