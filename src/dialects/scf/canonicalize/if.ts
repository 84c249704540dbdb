/** Patterns of scf.if. Source: mlir/lib/Dialect/SCF/IR/SCF.cpp. */
import type { Block } from "../../../ir/block.js";
import { boolAttr } from "../../../ir/builtin-attrs.js";
import { i1 } from "../../../ir/builtin-types.js";
import { cloneOperation, Mapping } from "../../../ir/clone.js";
import { constantInt, constantOf, isOneInt } from "../../../ir/match.js";
import type { Region } from "../../../ir/region.js";
import type { Value } from "../../../ir/value.js";
import { pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { AndIOp, ConstantOp, SelectOp, XOrIOp } from "../../arith/ops/index.js";
import { buildIf } from "../build.js";
import { IfOp, type IfView } from "../ops/if.js";
import { YieldOp } from "../ops/yield.js";
import { replaceOpWithRegion } from "./replace-with-region.js";

const thenBlock = ({ thenRegion }: IfView): Block => thenRegion.lastBlock!;
const elseBlock = ({ elseRegion }: IfView): Block | undefined => elseRegion.lastBlock ?? undefined;
const yieldedBy = (block: Block | undefined): readonly Value[] => block?.lastOp?.operands ?? [];
const regionOf = (value: Value): Region | null | undefined => value.parentBlock?.region;
const holdsOneOp = (block: Block): boolean => block.firstOp !== null && block.firstOp === block.lastOp;

/** Whether `condition` is the negation of `of`. */
function isNot(condition: Value, of: Value): boolean {
  const not = XOrIOp.match(condition.definingOp);
  return not !== undefined && not.lhs === of && isOneInt(not.rhs);
}

/** Two ifs in a row on the same condition, or on its negation, become one. */
export const combineIfs = pattern("combine-ifs", IfOp, (nextIf, rw) => {
  const prevIf = IfOp.match(nextIf.op.prev);
  if (!prevIf) return rw.noMatch("no scf.if before");
  // The blocks of the second by the first one's condition; undefined: it has none for that case.
  let nextThen: Block | undefined;
  let nextElse: Block | undefined;
  if (nextIf.condition === prevIf.condition) [nextThen, nextElse] = [thenBlock(nextIf), elseBlock(nextIf)];
  if (isNot(nextIf.condition, prevIf.condition) || isNot(prevIf.condition, nextIf.condition)) {
    nextElse = thenBlock(nextIf);
    nextThen = elseBlock(nextIf) ?? nextThen;
  }
  if (!nextThen && !nextElse) return rw.noMatch("conditions differ");

  const prevThenYielded = thenBlock(prevIf).lastOp!.operands;
  const prevElseYielded = yieldedBy(elseBlock(prevIf));
  prevIf.results.forEach((result, i) => {
    if (i >= prevElseYielded.length) return;
    for (const use of result.uses()) {
      const region = use.owner.region!;
      if (nextThen && region.isInside(nextThen.region!)) rw.modify(use.owner, () => use.set(prevThenYielded[i]!));
      else if (nextElse && region.isInside(nextElse.region!)) rw.modify(use.owner, () => use.set(prevElseYielded[i]!));
    }
  });

  const types = [...prevIf.op.resultTypes, ...nextIf.op.resultTypes];
  const combined = buildIf(rw.builder, types, prevIf.condition, false, { loc: nextIf.op.locRef });
  rw.eraseBlock(thenBlock(combined));
  rw.inlineRegionBefore(prevIf.thenRegion, combined.thenRegion, combined.thenRegion.firstBlock);
  if (nextThen) appendBlock(rw, nextThen, thenBlock(combined));
  rw.inlineRegionBefore(prevIf.elseRegion, combined.elseRegion, combined.elseRegion.firstBlock);
  if (nextElse) {
    const into = elseBlock(combined);
    if (into) appendBlock(rw, nextElse, into);
    else rw.inlineRegionBefore(nextElse.region!, combined.elseRegion, null);
  }
  const numPrev = prevIf.results.length;
  const results = combined.op.results;
  rw.replace(prevIf, results.slice(0, numPrev));
  return rw.replace(nextIf, results.slice(numPrev));
});
/** Moves the ops of `block` to the end of `into`, which then yields the values of both. */
function appendBlock(rw: Rewriter, block: Block, into: Block): void {
  const first = into.lastOp!;
  const second = block.lastOp!;
  rw.mergeBlocks(block, into);
  rw.setEnd(into).create(YieldOp, { results: [...first.operands, ...second.operands] }, { loc: second.locRef });
  rw.erase(first);
  rw.erase(second);
}

/** An if that holds but another one becomes one if on both conditions. */
export const combineNestedIfs = pattern("combine-nested-ifs", IfOp, (outer, rw) => {
  const { op } = outer;
  const [inner, terminator] = [thenBlock(outer).firstOp!, thenBlock(outer).lastOp!];
  if (inner.next !== terminator) return rw.noMatch("then region holds not just one op");
  const outerElse = elseBlock(outer);
  if (outerElse && !holdsOneOp(outerElse)) return rw.noMatch("else region is not empty");
  const nested = IfOp.match(inner);
  if (!nested) return rw.noMatch("no scf.if inside");
  const nestedElse = elseBlock(nested);
  if (nestedElse && !holdsOneOp(nestedElse)) return rw.noMatch("inner else region is not empty");

  const thenYield = terminator.operands;
  const elseYield = yieldedBy(outerElse);
  // Yielded values that do not come from the inner if: chosen by the outer condition alone.
  const selects: number[] = [];
  for (let i = 0; i < thenYield.length; i++) {
    const value = thenYield[i]!;
    if (value.definingOp === inner) {
      if (nestedElse!.lastOp!.operand(value.index) !== elseYield[i]) return rw.noMatch("else values differ");
      thenYield[i] = thenBlock(nested).lastOp!.operand(value.index);
    } else if (regionOf(value) === outer.thenRegion) return rw.noMatch("yielded value is defined inside");
    else selects.push(i);
  }

  const loc = op.locRef;
  const condition = rw.value(AndIOp, { lhs: outer.condition, rhs: nested.condition }, { loc });
  const newIf = rw.create(IfOp, { condition }, { loc, types: op.resultTypes });
  const newThen = rw.createBlock(newIf.thenRegion);
  const results: Value[] = [...newIf.op.results];
  rw.setBefore(newIf);
  for (const i of selects)
    results[i] = rw.value(
      SelectOp,
      { condition: outer.condition, true_value: thenYield[i]!, false_value: elseYield[i]! },
      { loc, types: [thenYield[i]!.type] },
    );
  rw.mergeBlocks(thenBlock(nested), newThen);
  const oldYield = newThen.lastOp!;
  rw.setEnd(newThen).replaceWith(oldYield, YieldOp, { results: thenYield });
  if (elseYield.length > 0) {
    const newElse = rw.createBlock(newIf.elseRegion);
    rw.setEnd(newElse).create(YieldOp, { results: elseYield }, { loc });
  }
  return rw.replace(op, results);
});

/** Inside the branches the condition is known. */
export const conditionPropagation = pattern("condition-propagation", IfOp, ({ op, condition, thenRegion, elseRegion }, rw) => {
  if (constantOf(condition)) return rw.noMatch("condition is a constant already");
  const constants: [Value | undefined, Value | undefined] = [undefined, undefined];
  let changed = false;
  for (const use of condition.uses()) {
    const region = use.owner.region!;
    const known = region.isInside(thenRegion) ? 1 : region.isInside(elseRegion) ? 0 : undefined;
    if (known === undefined) continue;
    changed = true;
    const constant = (constants[known] ??= rw.value(
      ConstantOp,
      { value: boolAttr(op.ctx, known === 1) },
      { loc: op.locRef, types: [i1(op.ctx)] },
    ));
    rw.modify(use.owner, () => use.set(constant));
  }
  return changed;
});

/** Results whose values are defined outside become selects. */
export const convertTrivialIfToSelect = pattern("convert-trivial-if-to-select", IfOp, (view, rw) => {
  const { op, condition, results: oldResults } = view;
  if (oldResults.length === 0) return rw.noMatch("no results");
  const trueValues = thenBlock(view).lastOp!.operands;
  const falseValues = elseBlock(view)!.lastOp!.operands;
  const isInside = (i: number, thenRegion: Region, elseRegion: Region): boolean =>
    regionOf(trueValues[i]!) === thenRegion || regionOf(falseValues[i]!) === elseRegion;
  const stay = oldResults.flatMap((_, i) => (isInside(i, view.thenRegion, view.elseRegion) ? [trueValues[i]!.type] : []));
  if (stay.length === oldResults.length) return rw.noMatch("every result is computed inside");

  const loc = op.locRef;
  const replacement = buildIf(rw.builder, stay, condition, false, { loc });
  rw.eraseBlock(thenBlock(replacement));
  replacement.thenRegion.takeBlocksOf(view.thenRegion);
  replacement.elseRegion.takeBlocksOf(view.elseRegion);
  const trueYields: Value[] = [];
  const falseYields: Value[] = [];
  rw.setBefore(replacement);
  const results = oldResults.map((_, i): Value => {
    const [yes, no] = [trueValues[i]!, falseValues[i]!];
    if (isInside(i, replacement.thenRegion, replacement.elseRegion)) {
      trueYields.push(yes);
      falseYields.push(no);
      return replacement.op.result(trueYields.length - 1);
    }
    return yes === no ? yes : rw.value(SelectOp, { condition, true_value: yes, false_value: no }, { loc, types: [yes.type] });
  });
  replaceYield(rw, thenBlock(replacement), trueYields);
  replaceYield(rw, elseBlock(replacement)!, falseYields);
  return rw.replace(op, results);
});
function replaceYield(rw: Rewriter, block: Block, values: readonly Value[]): void {
  const old = block.lastOp!;
  rw.setEnd(block).replaceWith(old, YieldOp, { results: values });
}

/** An else branch that does nothing goes. */
export const removeEmptyElseBranch = pattern("remove-empty-else-branch", IfOp, (view, rw) => {
  if (view.results.length > 0) return rw.noMatch("has results");
  const block = elseBlock(view);
  if (!block || !holdsOneOp(block)) return rw.noMatch("else branch is absent or does something");
  const newIf = rw.insert(cloneOperation(view.op, new Mapping(), { regions: false }));
  rw.inlineRegionBefore(view.thenRegion, newIf.regions[0]!);
  return rw.erase(view);
});

/** The condition is a constant: the branch taken goes in line. */
export const removeStaticCondition = pattern("remove-static-condition", IfOp, ({ op, condition, thenRegion, elseRegion }, rw) => {
  const known = constantInt(condition);
  if (known === undefined) return rw.noMatch("condition is not constant");
  if (known !== 0n) return replaceOpWithRegion(rw, op, thenRegion);
  return elseRegion.empty ? rw.erase(op) : replaceOpWithRegion(rw, op, elseRegion);
});

/** Results that nobody uses go. */
export const removeUnusedResults = pattern("remove-unused-results", IfOp, (view, rw) => {
  const { op, condition } = view;
  const used = op.results.filter((result) => result.hasUses());
  if (used.length === op.results.length) return rw.noMatch("every result is used");
  const newIf = rw.create(IfOp, { condition }, { loc: op.locRef, types: used.map((r) => r.type) });
  const blocks = [rw.createBlock(newIf.thenRegion), rw.createBlock(newIf.elseRegion)];
  [thenBlock(view), elseBlock(view)!].forEach((block, i) => {
    rw.mergeBlocks(block, blocks[i]!);
    rw.modify(blocks[i]!.lastOp!, (terminator) => terminator.setOperands(used.map((r) => terminator.operand(r.index))));
  });
  const results = op.results.slice();
  used.forEach((result, i) => (results[result.index] = newIf.op.result(i)));
  rw.replace(op, results);
  return true;
});

/** Results that are the same in both branches, or the condition, or its negation. */
export const replaceIfYieldWithConditionOrValue = pattern("replace-if-yield-with-condition-or-value", IfOp, (view, rw) => {
  const { op, condition } = view;
  if (op.results.length === 0) return rw.noMatch("no results");
  const trueYield = thenBlock(view).lastOp!;
  const falseYield = elseBlock(view)!.lastOp!;
  rw.setBefore(op);
  let changed = false;
  // As upstream, users do not hear of this.
  const replaceResult = (result: Value, by: () => Value): void => {
    if (!result.hasUses()) return;
    result.replaceAllUsesWith(by());
    changed = true;
  };
  op.results.forEach((result, i) => {
    const [yes, no] = [trueYield.operand(i), falseYield.operand(i)];
    if (yes === no) return replaceResult(result, () => yes);
    if (yes.type !== i1(op.ctx)) return;
    const [yesValue, noValue] = [constantInt(yes), constantInt(no)];
    if (yesValue === undefined || noValue === undefined) return;
    if (yesValue === 0n && noValue !== 0n) replaceResult(result, () => negation(rw, view, yes));
    else if (yesValue !== 0n && noValue === 0n) replaceResult(result, () => condition);
  });
  return changed;
});
function negation(rw: Rewriter, { op, condition }: IfView, constantLike: Value): Value {
  const type = i1(op.ctx);
  const dialect = op.ctx.dialects.get(constantLike.definingOp!.def.dialect)!;
  const one = dialect.materializeConstant!(rw.builder, boolAttr(op.ctx, true), type, op.locRef)!;
  return rw.value(XOrIOp, { lhs: condition, rhs: one.result(0) }, { loc: op.locRef });
}
