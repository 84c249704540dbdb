/** Patterns of the cf dialect. Source: mlir/lib/Dialect/ControlFlow/IR/ControlFlowOps.cpp. */

import type { Block } from "../../ir/block.js";
import { boolAttr, type DenseAttr, denseElements } from "../../ir/builtin-attrs.js";
import { IntegerType, i1, VectorType } from "../../ir/builtin-types.js";
import { constantUint, isNonZeroInt, isOneInt, isZeroInt } from "../../ir/match.js";
import type { Value } from "../../ir/value.js";
import { type Pattern, pattern } from "../../rewrite/pattern.js";
import type { Rewriter } from "../../rewrite/rewriter.js";
import { ConstantOp, SelectOp } from "../arith/ops/index.js";
import { AssertOp } from "./ops/assert.js";
import { BranchOp, CondBranchOp, type CondBranchView } from "./ops/branch.js";
import { caseOperands, caseValues, SwitchOp, type SwitchView } from "./ops/switch.js";

/** Where a branch goes, and with what. */
interface Target {
  readonly block: Block;
  readonly operands: readonly Value[];
}

/** The target of the jump in a block that holds nothing else; undefined when the block does more. */
function collapseBranch({ block, operands }: Target): Target | undefined {
  if (block.firstOp !== block.lastOp) return undefined;
  const jump = BranchOp.match(block.lastOp);
  if (!jump) return undefined;
  for (const arg of block.args) if (arg.users().some((user) => user !== jump.op)) return undefined;
  // An endless loop stays.
  if (jump.dest === block) return undefined;
  return { block: jump.dest, operands: jump.destOperands.map((v) => (v.owner === block ? operands[v.index]! : v)) };
}

/** assert true goes. */
const eraseTrueAssert = pattern("assert-op", AssertOp, (view, rw) =>
  isOneInt(view.arg) ? rw.erase(view) : rw.noMatch("condition is not known to be true"),
);

/** A jump to a block that only it jumps to merges the two; a jump to a jump goes to its end. */
const canonicalizeBranch = pattern("branch-op", BranchOp, ({ op, dest, destOperands }, rw) => {
  const parent = op.block!;
  if (dest === parent) return rw.noMatch("jumps to itself");
  if (dest.singlePredecessor()) {
    rw.mergeBlocks(dest, parent, destOperands);
    return rw.erase(op);
  }
  const target = collapseBranch({ block: dest, operands: destOperands });
  if (!target) return rw.noMatch("destination does more than jump");
  rw.replaceWith(op, BranchOp, { dest: target.block, destOperands: target.operands });
  return true;
});

function replaceByJump(rw: Rewriter, { op }: CondBranchView | SwitchView, { block, operands }: Target): true {
  rw.replaceWith(op, BranchOp, { dest: block, destOperands: operands });
  return true;
}
const trueTarget = (b: CondBranchView): Target => ({ block: b.trueDest, operands: b.trueDestOperands });
const falseTarget = (b: CondBranchView): Target => ({ block: b.falseDest, operands: b.falseDestOperands });

const simplifyConstCondBranchPred = pattern("simplify-const-cond-branch-pred", CondBranchOp, (branch, rw) => {
  if (isNonZeroInt(branch.condition)) return replaceByJump(rw, branch, trueTarget(branch));
  if (isZeroInt(branch.condition)) return replaceByJump(rw, branch, falseTarget(branch));
  return rw.noMatch("condition is not constant");
});

const simplifyPassThroughCondBranch = pattern("simplify-pass-through-cond-branch", CondBranchOp, (branch, rw) => {
  const yes = collapseBranch(trueTarget(branch));
  const no = collapseBranch(falseTarget(branch));
  if (!yes && !no) return rw.noMatch("destinations do more than jump");
  const [onTrue, onFalse] = [yes ?? trueTarget(branch), no ?? falseTarget(branch)];
  rw.replaceWith(branch, CondBranchOp, {
    condition: branch.condition,
    trueDest: onTrue.block,
    trueDestOperands: onTrue.operands,
    falseDest: onFalse.block,
    falseDestOperands: onFalse.operands,
    branch_weights: branch.branch_weights,
  });
  return true;
});

const simplifyCondBranchIdenticalSuccessors = pattern("simplify-cond-branch-identical-successors", CondBranchOp, (branch, rw) => {
  const { op, condition, trueDest, falseDest, trueDestOperands, falseDestOperands } = branch;
  if (trueDest !== falseDest) return rw.noMatch("successors differ");
  if (trueDestOperands.every((v, i) => v === falseDestOperands[i])) return replaceByJump(rw, branch, trueTarget(branch));
  if (trueDest.predecessors().some((p) => p !== op.block)) return rw.noMatch("others jump there too");
  const operands = trueDestOperands.map((yes, i) => {
    const no = falseDestOperands[i]!;
    return yes === no ? yes : rw.value(SelectOp, { condition, true_value: yes, false_value: no }, { loc: op.locRef, types: [yes.type] });
  });
  return replaceByJump(rw, branch, { block: trueDest, operands });
});

const simplifyCondBranchFromCondBranchOnSameCondition = pattern(
  "simplify-cond-branch-from-cond-branch-on-same-condition",
  CondBranchOp,
  (branch, rw) => {
    const block = branch.op.block!;
    const before = CondBranchOp.match(block.singlePredecessor()?.lastOp);
    if (!before || before.condition !== branch.condition) return rw.noMatch("predecessor does not branch on the same condition");
    return replaceByJump(rw, branch, block === before.trueDest ? trueTarget(branch) : falseTarget(branch));
  },
);

/** In a successor that nothing else jumps to the condition is known. */
const condBranchTruthPropagation = pattern("cond-branch-truth-propagation", CondBranchOp, ({ op, condition, trueDest, falseDest }, rw) => {
  let changed = false;
  for (const [dest, value] of [
    [trueDest, true],
    [falseDest, false],
  ] as const) {
    if (!dest.singlePredecessor()) continue;
    let constant: Value | undefined;
    for (const use of condition.uses()) {
      if (use.owner.block !== dest) continue;
      changed = true;
      constant ??= rw.value(ConstantOp, { value: boolAttr(op.ctx, value) }, { loc: op.locRef, types: [i1(op.ctx)] });
      const known = constant;
      rw.modify(use.owner, () => use.set(known));
    }
  }
  return changed;
});

// --- switch -----------------------------------------------------------------------------------

interface Case extends Target {
  readonly value: bigint;
}
function casesOf(view: SwitchView): Case[] {
  return caseValues(view.op).map((value, i) => ({ value, block: view.caseDestinations[i]!, operands: caseOperands(view.op, i) }));
}
const defaultTarget = (view: SwitchView): Target => ({ block: view.defaultDestination, operands: view.defaultOperands });
const sameValues = (a: readonly Value[], b: readonly Value[]): boolean => a.length === b.length && a.every((v, i) => v === b[i]);

function replaceSwitch(rw: Rewriter, view: SwitchView, fallback: Target, cases: readonly Case[]): true {
  const { type } = view.flag;
  const values = cases.map((c) => c.value);
  const attr: DenseAttr | undefined =
    values.length === 0
      ? undefined
      : denseElements(
          VectorType.get(rw.ctx, { shape: [values.length], elementType: type, scalable: undefined }),
          values.map((v) => BigInt.asIntN(IntegerType.params(type).width, v)),
        );
  rw.replaceWith(view, SwitchOp, {
    flag: view.flag,
    defaultDestination: fallback.block,
    defaultOperands: fallback.operands,
    caseDestinations: cases.map((c) => c.block),
    caseOperands: cases.flatMap((c) => c.operands),
    case_operand_segments: cases.map((c) => c.operands.length),
    case_values: attr,
  });
  return true;
}
function foldSwitch(rw: Rewriter, view: SwitchView, value: bigint): true {
  return replaceByJump(rw, view, casesOf(view).find((c) => c.value === value) ?? defaultTarget(view));
}

const simplifySwitchWithOnlyDefault = pattern("simplify-switch-with-only-default", SwitchOp, (view, rw) =>
  view.caseDestinations.length > 0 ? rw.noMatch("has cases") : replaceByJump(rw, view, defaultTarget(view)),
);

const dropSwitchCasesThatMatchDefault = pattern("drop-switch-cases-that-match-default", SwitchOp, (view, rw) => {
  const fallback = defaultTarget(view);
  const all = casesOf(view);
  const kept = all.filter((c) => c.block !== fallback.block || !sameValues(c.operands, fallback.operands));
  if (kept.length === all.length) return rw.noMatch("no case goes where the default goes");
  return replaceSwitch(rw, view, fallback, kept);
});

const simplifyConstSwitchValue = pattern("simplify-const-switch-value", SwitchOp, (view, rw) => {
  const value = constantUint(view.flag);
  return value === undefined ? rw.noMatch("flag is not constant") : foldSwitch(rw, view, value);
});

const simplifyPassThroughSwitch = pattern("simplify-pass-through-switch", SwitchOp, (view, rw) => {
  let changed = false;
  const collapsed = <T extends Target>(target: T): T => {
    const end = collapseBranch(target);
    if (end) changed = true;
    return end ? { ...target, ...end } : target;
  };
  const cases = casesOf(view).map(collapsed);
  const fallback = collapsed(defaultTarget(view));
  return changed ? replaceSwitch(rw, view, fallback, cases) : rw.noMatch("destinations do more than jump");
});

const simplifySwitchFromSwitchOnSameCondition = pattern("simplify-switch-from-switch-on-same-condition", SwitchOp, (view, rw) => {
  const block = view.op.block!;
  const before = SwitchOp.match(block.singlePredecessor()?.lastOp);
  if (!before || before.flag !== view.flag || before.defaultDestination === block)
    return rw.noMatch("predecessor does not come here by a case of the same flag");
  const taken = casesOf(before).find((c) => c.block === block);
  return taken ? foldSwitch(rw, view, taken.value) : replaceByJump(rw, view, defaultTarget(view));
});

const simplifySwitchFromDefaultSwitchOnSameCondition = pattern(
  "simplify-switch-from-default-switch-on-same-condition",
  SwitchOp,
  (view, rw) => {
    const block = view.op.block!;
    const before = SwitchOp.match(block.singlePredecessor()?.lastOp);
    if (!before || before.flag !== view.flag || before.defaultDestination !== block)
      return rw.noMatch("predecessor does not come here by the default of the same flag");
    const impossible = new Set(casesOf(before).flatMap((c) => (c.block === block ? [] : [c.value])));
    const all = casesOf(view);
    const kept = all.filter((c) => !impossible.has(c.value));
    return kept.length === all.length ? rw.noMatch("every case is possible") : replaceSwitch(rw, view, defaultTarget(view), kept);
  },
);

export const CF_CANONICALIZATION: readonly Pattern[] = [
  eraseTrueAssert,
  canonicalizeBranch,
  simplifyConstCondBranchPred,
  simplifyPassThroughCondBranch,
  simplifyCondBranchIdenticalSuccessors,
  simplifyCondBranchFromCondBranchOnSameCondition,
  condBranchTruthPropagation,
  simplifySwitchWithOnlyDefault,
  dropSwitchCasesThatMatchDefault,
  simplifyConstSwitchValue,
  simplifyPassThroughSwitch,
  simplifySwitchFromSwitchOnSameCondition,
  simplifySwitchFromDefaultSwitchOnSameCondition,
];
