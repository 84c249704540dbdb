/** Patterns of scf.while. Source: mlir/lib/Dialect/SCF/IR/SCF.cpp. */
import type { Type } from "../../../ir/attribute.js";
import type { Block } from "../../../ir/block.js";
import { boolAttr } from "../../../ir/builtin-attrs.js";
import { i1 } from "../../../ir/builtin-types.js";
import type { LocationRef } from "../../../ir/location.js";
import type { Value } from "../../../ir/value.js";
import { valuesFromAbove } from "../../../ir/values-from-above.js";
import { pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { INVERTED_CMPI } from "../../arith/attrs.js";
import { CmpIOp, ConstantOp } from "../../arith/ops/index.js";
import { buildWhile, valueLocation } from "../build.js";
import { IfOp } from "../ops/if.js";
import { ConditionOp, WhileOp, type WhileView } from "../ops/while.js";
import { YieldOp } from "../ops/yield.js";

const beforeBlock = ({ before }: WhileView): Block => before.firstBlock!;
const afterBlock = ({ after }: WhileView): Block => after.firstBlock!;
const conditionOf = (view: WhileView) => ConditionOp.match(beforeBlock(view).lastOp)!;
const yieldOf = (view: WhileView) => YieldOp.match(afterBlock(view).lastOp)!;

/** A new loop without blocks. */
function emptyWhile(rw: Rewriter, view: WhileView, types: readonly Type[], inits: readonly Value[]): WhileView {
  return rw.create(WhileOp, { inits }, { loc: view.op.locRef, types });
}
function createBlock(rw: Rewriter, into: WhileView["before"], types: readonly Type[], locs: readonly LocationRef[]): Block {
  const block = rw.createBlock(into);
  types.forEach((type, i) => block.addArgument(type, locs[i]!));
  return block;
}
function replaceYield(rw: Rewriter, view: WhileView, values: readonly Value[]): void {
  const old = yieldOf(view);
  rw.preserving(() => rw.setBefore(old).replaceWith(old, YieldOp, { results: values }));
}
function replaceCondition(rw: Rewriter, view: WhileView, args: readonly Value[]): void {
  const old = conditionOf(view);
  rw.preserving(() => rw.setBefore(old).replaceWith(old, ConditionOp, { condition: old.condition, args }));
}

/** Arguments of `before` that always have their initial value go. */
export const removeLoopInvariantArgsFromBeforeBlock = pattern("remove-loop-invariant-args-from-before-block", WhileOp, (view, rw) => {
  const { op, inits } = view;
  const before = beforeBlock(view);
  const after = afterBlock(view);
  const condArgs = conditionOf(view).args;
  const yielded = yieldOf(view).results;
  const isInvariant = (init: Value, i: number): boolean => {
    const back = yielded[i]!;
    if (back === init) return true;
    if (back.owner !== after) return false;
    const forwarded = condArgs[back.index];
    return forwarded === before.args[i] || forwarded === init;
  };
  const invariant = inits.map(isInvariant);
  if (!invariant.includes(true)) return rw.noMatch("every argument changes");

  const kept = inits.flatMap((_, i) => (invariant[i] ? [] : [i]));
  const locs = kept.map((i) => valueLocation(before.args[i]!));
  const newYields = kept.map((i) => yielded[i]!);
  replaceYield(rw, view, newYields);
  const newWhile = emptyWhile(
    rw,
    view,
    op.resultTypes,
    kept.map((i) => inits[i]!),
  );
  const newBefore = createBlock(
    rw,
    newWhile.before,
    newYields.map((v) => v.type),
    locs,
  );
  let next = 0;
  rw.mergeBlocks(
    before,
    newBefore,
    inits.map((init, i) => (invariant[i] ? init : newBefore.args[next++]!)),
  );
  rw.inlineRegionBefore(view.after, newWhile.after, newWhile.after.firstBlock);
  return rw.replace(op, newWhile.op);
});

/** Values that the condition hands on although they are defined outside are replaced by themselves. */
export const removeLoopInvariantValueYielded = pattern("remove-loop-invariant-value-yielded", WhileOp, (view, rw) => {
  const { op, inits } = view;
  const before = beforeBlock(view);
  const after = afterBlock(view);
  const condArgs = conditionOf(view).args;
  const isKept = condArgs.map((arg) => arg.parentBlock === before);
  if (!isKept.includes(false)) return rw.noMatch("every value is defined inside");
  const kept = condArgs.flatMap((_, i) => (isKept[i] ? [i] : []));
  const types = kept.map((i) => condArgs[i]!.type);
  const locs = kept.map((i) => valueLocation(after.args[i]!));
  replaceCondition(
    rw,
    view,
    kept.map((i) => condArgs[i]!),
  );
  const newWhile = emptyWhile(rw, view, types, inits);
  const newAfter = createBlock(rw, newWhile.after, types, locs);
  const place = new Map(kept.map((i, at) => [i, at]));
  const pick = (from: readonly Value[]): Value[] => condArgs.map((arg, i) => (isKept[i] ? from[place.get(i)!]! : arg));
  const results = pick(newWhile.op.results);
  rw.mergeBlocks(after, newAfter, pick(newAfter.args));
  rw.inlineRegionBefore(view.before, newWhile.before, newWhile.before.firstBlock);
  return rw.replace(op, results);
});

/** In the body the condition is true. */
export const whileConditionTruth = pattern("while-condition-truth", WhileOp, (view, rw) => {
  const { condition, args } = conditionOf(view);
  const afterArgs = afterBlock(view).args.slice();
  let truth: Value | undefined;
  args.forEach((arg, i) => {
    const inner = afterArgs[i]!;
    if (arg !== condition || !inner.hasUses()) return;
    truth ??= rw.value(ConstantOp, { value: boolAttr(view.op.ctx, true) }, { loc: view.op.locRef, types: [i1(view.op.ctx)] });
    rw.replaceAllUses(inner, truth);
  });
  return truth !== undefined;
});

/** In the body a comparison equal or opposite to the condition is known. */
export const whileCmpCond = pattern("while-cmp-cond", WhileOp, (view, rw) => {
  const { condition, args } = conditionOf(view);
  const cmp = CmpIOp.match(condition.definingOp);
  if (!cmp) return rw.noMatch("condition is no comparison");
  const afterArgs = afterBlock(view).args;
  let changed = false;
  args.forEach((arg, i) => {
    for (const side of [0, 1]) {
      if (arg !== cmp.op.operand(side)) continue;
      for (const use of afterArgs[i]!.uses()) {
        const inner = CmpIOp.match(use.owner);
        if (!inner || inner.op.operand(1 - side) !== cmp.op.operand(1 - side)) continue;
        const same = inner.predicate === cmp.predicate;
        if (!same && inner.predicate !== INVERTED_CMPI[cmp.predicate]) continue;
        rw.replaceWith(inner, ConstantOp, { value: boolAttr(view.op.ctx, same) }, { types: [i1(view.op.ctx)] });
        changed = true;
      }
    }
  });
  return changed;
});

/** Results that are used neither outside nor in the body go. */
export const whileUnusedResult = pattern("while-unused-result", WhileOp, (view, rw) => {
  const { op, inits } = view;
  const after = afterBlock(view);
  const condArgs = conditionOf(view).args;
  const kept = op.results.flatMap((result, i) => (result.hasUses() || after.args[i]!.hasUses() ? [i] : []));
  if (kept.length === op.results.length) return rw.noMatch("every result is used");
  const types = kept.map((i) => op.result(i).type);
  replaceCondition(
    rw,
    view,
    kept.map((i) => condArgs[i]!),
  );
  const newWhile = emptyWhile(rw, view, types, inits);
  const newAfter = createBlock(
    rw,
    newWhile.after,
    types,
    types.map(() => op.locRef),
  );
  // Results and arguments without uses need no replacement.
  const results = op.results.slice();
  const args = after.args.slice();
  kept.forEach((i, at) => {
    results[i] = newWhile.op.result(at);
    args[i] = newAfter.args[at]!;
  });
  rw.inlineRegionBefore(view.before, newWhile.before, newWhile.before.firstBlock);
  rw.mergeBlocks(after, newAfter, args);
  return rw.replace(op, results);
});

/** Values that the condition hands on several times are handed on once. */
export const whileRemoveDuplicatedResults = pattern("while-remove-duplicated-results", WhileOp, (view, rw) => {
  const { op, inits } = view;
  const condArgs = conditionOf(view).args;
  const place = new Map<Value, number>();
  for (const arg of condArgs) if (!place.has(arg)) place.set(arg, place.size);
  if (place.size === condArgs.length) return rw.noMatch("no value comes twice");
  const unique = [...place.keys()];
  const newWhile = buildWhile(
    rw.builder,
    unique.map((v) => v.type),
    inits,
    { loc: op.locRef },
  );
  const newBefore = beforeBlock(newWhile);
  const newAfter = afterBlock(newWhile);
  const pick = (from: readonly Value[]): Value[] => condArgs.map((arg) => from[place.get(arg)!]!);
  const results = pick(newWhile.op.results);
  const args = pick(newAfter.args);
  replaceCondition(rw, view, unique);
  rw.mergeBlocks(beforeBlock(view), newBefore, newBefore.args);
  rw.mergeBlocks(afterBlock(view), newAfter, args);
  return rw.replace(op, results);
});

/** Arguments of `before` that nobody uses go. */
export const whileRemoveUnusedArgs = pattern("while-remove-unused-args", WhileOp, (view, rw) => {
  const { op, inits } = view;
  const before = beforeBlock(view);
  const after = afterBlock(view);
  const kept = before.args.flatMap((arg, i) => (arg.hasUses() ? [i] : []));
  if (kept.length === before.args.length) return rw.noMatch("every argument is used");
  const yielded = yieldOf(view).results;
  for (let i = before.args.length - 1; i >= 0; i--) if (!before.args[i]!.hasUses()) before.eraseArgument(i);
  const newWhile = buildWhile(
    rw.builder,
    op.resultTypes,
    kept.map((i) => inits[i]!),
    { loc: op.locRef },
  );
  replaceYield(
    rw,
    view,
    kept.map((i) => yielded[i]!),
  );
  const newBefore = beforeBlock(newWhile);
  const newAfter = afterBlock(newWhile);
  rw.mergeBlocks(before, newBefore, newBefore.args);
  rw.mergeBlocks(after, newAfter, newAfter.args);
  return rw.replace(op, newWhile.op);
});

/** The condition hands the arguments of `before` on in their own order. */
export const whileOpAlignBeforeArgs = pattern("while-op-align-before-args", WhileOp, (view, rw) => {
  const { op, inits } = view;
  const before = beforeBlock(view);
  const after = afterBlock(view);
  const condArgs = conditionOf(view).args;
  const beforeArgs = before.args.slice();
  if (beforeArgs.length === condArgs.length && beforeArgs.every((arg, i) => arg === condArgs[i])) return rw.noMatch("in order already");
  if (new Set(condArgs).size !== condArgs.length || condArgs.length !== beforeArgs.length) return rw.noMatch("no permutation");
  // The position among the arguments of each value that the condition hands on.
  const mapping = condArgs.map((arg) => beforeArgs.indexOf(arg));
  if (mapping.includes(-1)) return rw.noMatch("no permutation");
  replaceCondition(rw, view, beforeArgs);
  const newWhile = buildWhile(
    rw.builder,
    beforeArgs.map((_, j) => op.result(mapping.indexOf(j)).type),
    inits,
    { loc: op.locRef },
  );
  const newBefore = beforeBlock(newWhile);
  const newAfter = afterBlock(newWhile);
  const results = mapping.map((j) => newWhile.op.result(j));
  const args = mapping.map((j) => newAfter.args[j]!);
  rw.mergeBlocks(before, newBefore, newBefore.args);
  rw.mergeBlocks(after, newAfter, args);
  return rw.replace(op, results);
});

/** A branch on the condition of the loop, last before it, moves to the beginning of the body. */
export const whileMoveIfDown = pattern("while-move-if-down", WhileOp, (view, rw) => {
  const { op, inits, before } = view;
  const condition = conditionOf(view);
  const branch = IfOp.match(condition.op.prev);
  if (branch?.condition !== condition.condition) return rw.noMatch("no branch on the condition before it");
  const otherwise = branch.elseRegion.firstBlock;
  if (otherwise && otherwise.firstOp !== otherwise.lastOp) return rw.noMatch("the branch has an else with ops");
  const then = branch.thenRegion.firstBlock!;
  const after = afterBlock(view);
  const thenValue = (result: number): Value => then.lastOp!.operand(result);
  const resultOf = (i: number): number => branch.results.indexOf(condition.op.operand(1 + i));
  // Upstream makes IR here that does not verify: the body does not know the value.
  const isUnknown = (arg: Value, i: number): boolean =>
    arg.hasUses() && resultOf(i) >= 0 && thenValue(resultOf(i)).parentBlock!.region === before;
  if (after.args.some(isUnknown)) return rw.noMatch("the branch hands on a value of the condition");
  // As upstream: a result that the condition hands on twice is the branch's only the first time, the value of its else the second time.
  after.args.forEach((arg, i) => {
    const result = resultOf(i);
    if (result < 0) return;
    const value = thenValue(result);
    rw.replaceAllUses(branch.results[result]!, otherwise!.lastOp!.operand(result));
    rw.replaceAllUses(arg, value);
  });
  const used = [...valuesFromAbove(branch.thenRegion)].filter((value) => value.parentBlock!.region === before);
  const newWhile = emptyWhile(rw, view, [...op.resultTypes, ...used.map(({ type }) => type)], inits);
  rw.inlineRegionBefore(before, newWhile.before);
  rw.inlineRegionBefore(view.after, newWhile.after);
  rw.modify(condition, (at) => at.setOperands([...at.operands, ...used]));
  for (const value of used) {
    const arg = after.addArgument(value.type, op.locRef);
    rw.replaceUsesWhere(value, arg, ({ owner }) => owner.region!.isInside(branch.thenRegion));
  }
  rw.erase(then.lastOp!);
  rw.inlineBlockBefore(then, after.firstOp!);
  rw.erase(branch);
  return rw.replace(op, newWhile.op.results.slice(0, op.results.length));
});
