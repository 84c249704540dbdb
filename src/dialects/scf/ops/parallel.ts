import type { ParsedOperand } from "../../../ir/asm.js";
import { i32ArrayAttr } from "../../../ir/builtin-attrs.js";
import { indexType, isIndex } from "../../../ir/builtin-types.js";
import { AnyType, Index, SizedRegion1, variadic } from "../../../ir/constraints.js";
import { defineOp, type View } from "../../../ir/define-op.js";
import { ensureTerminator } from "../../../ir/implicit-terminator.js";
import { implement, LoopLike, RegionBranch, RegionBranchTerminator } from "../../../ir/interfaces.js";
import { constantInt } from "../../../ir/match.js";
import { typeText } from "../../../ir/text-hook.js";
import {
  AttrSizedOperandSegments,
  AutomaticAllocationScope,
  HasParent,
  Pure,
  RecursiveMemoryEffects,
  SingleBlockImplicitTerminator,
  Terminator,
} from "../../../ir/traits.js";
import { verifyTerminatorKind } from "./verify-terminator.js";

/** Ends a reduction. Source: mlir/include/mlir/Dialect/SCF/IR/SCFOps.td, ReduceReturnOp. */
export const ReduceReturnOp = defineOp("scf.reduce.return", () => ({
  summary: "terminator for reduce operation",
  operands: { result: AnyType },
  traits: [HasParent("scf.reduce"), Pure, Terminator],
  format: "$result attr-dict `:` type($result)",
  verify({ op, result }, report) {
    const wanted = op.block?.args[0]?.type;
    if (wanted && wanted !== result.type)
      report.error(`must have type '${typeText(wanted)}' (the type of the reduction inputs)`, "scf.reduce.return");
  },
}));

/** Ends the body of a parallel loop with one reduction for each of its results. Source: SCFOps.td, ReduceOp. */
export const ReduceOp = defineOp("scf.reduce", () => ({
  summary: "reduce operation for scf.parallel",
  operands: { operands: variadic(AnyType) },
  regions: { reductions: { ...SizedRegion1, variadic: true } },
  traits: [Terminator, HasParent("scf.parallel"), RecursiveMemoryEffects],
  // No operand goes on to the next iteration.
  interfaces: [implement(RegionBranchTerminator, { successorOperands: () => [] })],
  format: "(`(` $operands^ `:` type($operands) `)`)? $reductions attr-dict",
  verifyRegions({ operands, reductions }, report) {
    for (let i = 0; i < reductions.length; i++) {
      const block = reductions[i]!.firstBlock!;
      const type = operands[i]?.type;
      if (block.empty) return void report.error(`${i}-th reduction has an empty body`, "scf.reduce");
      if (type === undefined || block.args.length !== 2 || block.args.some((arg) => arg.type !== type))
        return void report.error(
          `expected two block arguments with type '${type ? typeText(type) : ""}' in the ${i}-th reduction region`,
          "scf.reduce",
        );
      if (block.lastOp!.def !== ReduceReturnOp)
        return void report.error("reduction bodies must be terminated with an 'scf.reduce.return' op", "scf.reduce");
    }
  },
}));

/** A loop nest whose iterations may run in any order. Source: mlir/include/mlir/Dialect/SCF/IR/SCFOps.td, ParallelOp. */
export const ParallelOp = defineOp("scf.parallel", () => ({
  summary: "parallel for operation",
  operands: { lowerBound: variadic(Index), upperBound: variadic(Index), step: variadic(Index), initVals: variadic(AnyType) },
  results: { results: variadic(AnyType) },
  regions: { region: SizedRegion1 },
  traits: [AttrSizedOperandSegments, SingleBlockImplicitTerminator("scf.reduce"), AutomaticAllocationScope, RecursiveMemoryEffects],
  interfaces: [
    implement(LoopLike, { loopRegions: (op) => op.regions, inductionVars: (op) => op.regions[0]!.firstBlock!.args }),
    implement(RegionBranch, {
      successors: (op) => [op.regions[0]!, "parent"],
      entryOperands: () => [],
      inputs: () => [],
    }),
  ],

  parse(p) {
    const index = indexType(p.ctx);
    const ivs = p.list("(", ")", () => p.argument());
    const sizes: number[] = [];
    const bounds = (): void => {
      const at = p.pos;
      const operands: ParsedOperand[] = p.list("(", ")", () => p.operand());
      if (operands.length !== ivs.length) p.fail(`custom op '${p.opName}' expected ${ivs.length} operands`, at, "scf.parallel");
      for (const operand of operands) p.state.operands.push(p.resolve(operand, index));
      sizes.push(operands.length);
    };
    p.punct("=");
    bounds();
    p.keyword("to");
    bounds();
    p.keyword("step");
    bounds();
    const inits = p.optKeyword("init") ? p.list("(", ")", () => p.operand()) : [];
    sizes.push(inits.length);
    p.state.types.push(...p.optArrowTypes());
    const body = p.region(ivs.map((iv) => ({ ...iv, type: index })));
    p.setAttr("operandSegmentSizes", i32ArrayAttr(p.ctx, sizes));
    p.optAttrDict();
    p.state.operands.push(...p.resolveAll(inits, p.state.types));
    ensureTerminator(body, ReduceOp, p.opLoc);
  },
  print({ op, lowerBound, upperBound, step, initVals, region }, p) {
    p.write(` (${p.values(region.firstBlock!.args)}) = (${p.values(lowerBound)}) to (${p.values(upperBound)}) step (${p.values(step)})`);
    if (initVals.length > 0) p.write(` init (${p.values(initVals)})`);
    p.optArrowTypes(op.resultTypes);
    p.write(" ");
    p.region(region, { entryArgs: false });
    p.optAttrDict(op, ["operandSegmentSizes"]);
  },

  verify({ step, initVals, results, region }, report) {
    const error = (message: string): void => void report.error(message, "scf.parallel");
    if (step.length === 0) return error("needs at least one tuple element for lowerBound, upperBound and step");
    for (const value of step) if ((constantInt(value) ?? 1n) <= 0n) return error("constant step operand must be positive");
    const body = region.firstBlock!;
    if (body.args.length !== step.length)
      return error(`expects the same number of induction variables: ${body.args.length} as bound and step values: ${step.length}`);
    if (body.args.some((arg) => !isIndex(arg.type))) return error("expects arguments for the induction variable to be of index type");
    if (!verifyTerminatorKind(region, ReduceOp, "expects body to terminate with 'scf.reduce'", report)) return;
    const reduce = body.lastOp!;
    const reductions = Math.min(reduce.regions.length, reduce.numOperands);
    if (results.length !== reductions)
      return error(`expects number of results: ${results.length} to be the same as number of reductions: ${reductions}`);
    if (results.length !== initVals.length)
      return error(`expects number of results: ${results.length} to be the same as number of initial values: ${initVals.length}`);
    for (let i = 0; i < reductions; i++) {
      const [wanted, got] = [results[i]!.type, reduce.operand(i).type];
      if (wanted !== got)
        return void report.plain(
          `'scf.reduce' op expects type of ${i}-th reduction operand: '${typeText(got)}' to be the same as the ${i}-th result type: '${typeText(wanted)}'`,
          "scf.parallel",
        );
    }
  },
}));
export type ParallelView = View<typeof ParallelOp>;
