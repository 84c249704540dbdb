import { topologicalSort } from "../../analysis/slices.js";
import { SelectOp } from "../../dialects/arith/ops/select.js";
import { buildIf } from "../../dialects/scf/build.js";
import { IfOp, type IfView } from "../../dialects/scf/ops/if.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import { RankedTensorType } from "../../ir/builtin-types.js";
import type { View } from "../../ir/define-op.js";
import { Dominance } from "../../ir/dominance.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { Rewriter } from "../../rewrite/rewriter.js";

type SelectView = View<typeof SelectOp>;

/**
 *     %s = arith.select %c, %x, %y : tensor<...>
 *     scf.if %c { ... }
 *
 * becomes `%s = scf.if %c -> (tensor<...>) { ...; scf.yield %x } else { scf.yield %y }`: a branch is taken anyway, so that no
 * element needs to be selected.
 */
export const combineTensorSelectAndIf = definePass("tritongpu-combine-tensor-select-and-if", {
  name: "TritonGPUCombineTensorSelectAndIf",
  summary: "Combine tensor select and if",
  source: "lib/Dialect/TritonGPU/Transforms/CombineTensorSelectAndIf.cpp",
  statistics: { combined: "selects that became results of an scf.if" },
  run(root, { listener, count }) {
    const rw = new Rewriter(root.ctx, listener);
    resolveSelectsInBranches(root, rw);
    const selectsOf = new Map<Operation, SelectView[]>();
    const dominance = new Dominance();
    root.walkPostOrder((op) => {
      const select = SelectOp.match(op);
      // Scalars are cheap enough to predicate.
      if (!select || !RankedTensorType.is(select.result.type)) return;
      for (const user of topologicalSort([...new Set(select.condition.users())])) {
        if (!IfOp.is(user) || user.block !== op.block || !canMergeIntoIf(op, user, dominance)) continue;
        const known = selectsOf.get(user);
        if (known) known.push(select);
        else selectsOf.set(user, [select]);
        return;
      }
    });
    for (const [op, selects] of selectsOf) {
      count("combined", selects.length);
      rw.from(op, () => mergeIntoIf(rw, IfOp.match(op)!, selects));
    }
  },
});

/** Inside a branch of an scf.if on its condition a select is one of its values. */
function resolveSelectsInBranches(root: Operation, rw: Rewriter): void {
  const replacements: { readonly user: Operation; readonly from: Value; readonly to: Value }[] = [];
  root.walkPostOrder((op) => {
    const select = SelectOp.match(op);
    if (!select) return;
    for (const conditionUser of select.condition.users()) {
      const branch = IfOp.match(conditionUser);
      if (!branch) continue;
      for (const user of select.result.users()) {
        if (!conditionUser.isProperAncestorOf(user)) continue;
        const inThen = user.region!.isInside(branch.thenRegion);
        replacements.push({ user, from: select.result, to: inThen ? select.true_value : select.false_value });
      }
    }
  });
  for (const { user, from, to } of replacements) rw.replaceUsesWhere(from, to, (use) => use.owner === user);
}

function canMergeIntoIf(select: Operation, branch: Operation, dominance: Dominance): boolean {
  return (
    dominance.dominates(select, branch) &&
    select
      .result(0)
      .users()
      .every((user) => dominance.dominates(branch, user))
  );
}

function mergeIntoIf(rw: Rewriter, branch: IfView, selects: readonly SelectView[]): void {
  const { op } = branch;
  const loc = op.locRef;
  rw.setBefore(op);
  const types = [...op.resultTypes, ...selects.map((select) => select.result.type)];
  const made = buildIf(rw.builder, types, branch.condition, true, { loc });
  const move = (from: Region, to: Region): void => {
    rw.eraseBlock(to.firstBlock!);
    rw.inlineRegionBefore(from, to);
  };
  move(branch.thenRegion, made.thenRegion);
  if (branch.elseRegion.firstBlock) move(branch.elseRegion, made.elseRegion);
  else rw.preserving(() => rw.setEnd(made.elseRegion.firstBlock!).create(YieldOp, { results: [] }, { loc }));
  const extend = (region: Region, values: readonly Value[]): void => {
    const old = region.lastBlock!.lastOp!;
    rw.setBefore(old).create(YieldOp, { results: [...old.operands, ...values] }, { loc });
    rw.erase(old);
  };
  extend(
    made.thenRegion,
    selects.map((select) => select.true_value),
  );
  extend(
    made.elseRegion,
    selects.map((select) => select.false_value),
  );
  const { results } = made.op;
  const numOld = op.numResults;
  rw.replaceOpUses(op, results.slice(0, numOld));
  selects.forEach((select, i) => {
    rw.replace(select, results[numOld + i]!);
  });
  rw.erase(op);
}
