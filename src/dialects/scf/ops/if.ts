import { i1 } from "../../../ir/builtin-types.js";
import { AnyType, I1, MaxSizedRegion1, SizedRegion1, variadic } from "../../../ir/constraints.js";
import { defineOp, type FoldResult, type View } from "../../../ir/define-op.js";
import { ensureTerminator } from "../../../ir/implicit-terminator.js";
import { type BranchPoint, implement, RegionBranch } from "../../../ir/interfaces.js";
import { constantInt, isOneInt } from "../../../ir/match.js";
import { Region } from "../../../ir/region.js";
import { NoRegionArguments, RecursivelySpeculatable, RecursiveMemoryEffects, SingleBlockImplicitTerminator } from "../../../ir/traits.js";
import { YieldOp } from "./yield.js";

/** Source: mlir/include/mlir/Dialect/SCF/IR/SCFOps.td, IfOp. */
export const IfOp = defineOp("scf.if", () => ({
  summary: "if-then-else operation",
  operands: { condition: I1 },
  results: { results: variadic(AnyType) },
  regions: { thenRegion: SizedRegion1, elseRegion: MaxSizedRegion1 },
  traits: [SingleBlockImplicitTerminator("scf.yield"), RecursiveMemoryEffects, RecursivelySpeculatable, NoRegionArguments],
  interfaces: [
    implement(RegionBranch, {
      successors(op, from, constants) {
        if (from !== "parent") return ["parent"];
        const otherwise: BranchPoint = op.regions[1]!.empty ? "parent" : op.regions[1]!;
        const known = constantInt(constants?.[0]);
        if (known === undefined) return [op.regions[0]!, otherwise];
        return [known !== 0n ? op.regions[0]! : otherwise];
      },
      entryOperands: () => [],
    }),
  ],

  parse(p) {
    p.state.operands.push(p.resolve(p.operand(), i1(p.ctx)));
    p.state.types.push(...p.optArrowTypes());
    ensureTerminator(p.region(), YieldOp, p.opLoc);
    if (p.optKeyword("else")) ensureTerminator(p.region(), YieldOp, p.opLoc);
    else p.state.regions.push(new Region(p.ctx, null, 1));
    p.optAttrDict();
  },
  print({ op, condition, results, thenRegion, elseRegion }, p) {
    p.write(` ${p.value(condition)}`);
    if (results.length > 0) p.write(` -> (${p.types(results.map((r) => r.type))})`);
    p.write(" ");
    const terminators = results.length > 0;
    p.region(thenRegion, { entryArgs: false, terminators });
    if (!elseRegion.empty) {
      p.write(" else ");
      p.region(elseRegion, { entryArgs: false, terminators });
    }
    p.optAttrDict(op);
  },

  verify({ results, elseRegion }, report) {
    if (results.length > 0 && elseRegion.empty) report.error("must have an else block if defining values", "scf.if");
  },
  /** `if (!c) A else B` is `if (c) B else A`. */
  fold({ op, condition, thenRegion, elseRegion }): FoldResult {
    const not = condition.definingOp;
    if (elseRegion.empty || not?.name !== "arith.xori" || !isOneInt(not.operand(1))) return undefined;
    op.setOperand(0, not.operand(0));
    const thenBlock = thenRegion.firstBlock!;
    elseRegion.firstBlock!.moveTo(thenRegion);
    thenBlock.moveTo(elseRegion);
    return "inPlace";
  },
}));
export type IfView = View<typeof IfOp>;
