import type { Type } from "../../../ir/attribute.js";
import { unitAttr } from "../../../ir/builtin-attrs.js";
import { indexType, isIndex } from "../../../ir/builtin-types.js";
import { AnySignlessIntegerOrIndex, AnyType, SizedRegion1, Unit, variadic } from "../../../ir/constraints.js";
import { defineOp, type View } from "../../../ir/define-op.js";
import { ensureTerminator } from "../../../ir/implicit-terminator.js";
import { ConditionallySpeculatable, implement, LoopLike, RegionBranch } from "../../../ir/interfaces.js";
import { constantInt } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import { AllTypesMatch, AutomaticAllocationScope, RecursiveMemoryEffects, SingleBlockImplicitTerminator } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { constantTripCount } from "../trip-count.js";
import { type AssignmentList, parseAssignmentList, printAssignmentList, withTypes } from "./assignment-list.js";
import { YieldOp } from "./yield.js";

const bodyArgs = (op: Operation): readonly Value[] => op.regions[0]!.firstBlock!.args;
const initsOf = (op: Operation): readonly Value[] => op.operands.slice(3);
const tripCount = (op: Operation): bigint | undefined =>
  constantTripCount(op.operand(0), op.operand(1), op.operand(2), !op.hasAttr("unsignedCmp"));
const iterArgsOf = (op: Operation): readonly Value[] => bodyArgs(op).slice(1);

/**
 * A counted loop with loop-carried values: body arguments are the induction variable, then those values.
 * Source: mlir/include/mlir/Dialect/SCF/IR/SCFOps.td, ForOp.
 */
export const ForOp = defineOp("scf.for", () => ({
  summary: "for operation",
  operands: {
    lowerBound: AnySignlessIntegerOrIndex,
    upperBound: AnySignlessIntegerOrIndex,
    step: AnySignlessIntegerOrIndex,
    initArgs: variadic(AnyType),
  },
  attrs: { unsignedCmp: Unit },
  results: { results: variadic(AnyType) },
  regions: { region: SizedRegion1 },
  traits: [
    SingleBlockImplicitTerminator("scf.yield"),
    AutomaticAllocationScope,
    AllTypesMatch("lowerBound", "upperBound", "step"),
    RecursiveMemoryEffects,
  ],
  interfaces: [
    implement(LoopLike, {
      loopRegions: (op) => op.regions,
      inits: initsOf,
      regionIterArgs: iterArgsOf,
      yieldedValues: (op) => op.regions[0]!.firstBlock!.lastOp!.operands,
      loopResults: (op) => op.results,
      inductionVars: (op) => bodyArgs(op).slice(0, 1),
    }),
    implement(RegionBranch, {
      // From the op and from the body alike: into the body (again) or out. Since 3.7 a known number of rounds decides.
      successors(op, from) {
        const body = op.regions[0]!;
        const rounds = op.ctx.triton.cleansRegions ? tripCount(op) : undefined;
        if (rounds !== undefined && from === "parent") return [rounds === 0n ? "parent" : body];
        return rounds === 1n ? ["parent"] : [body, "parent"];
      },
      entryOperands: initsOf,
      inputs: (op, to) => (to === "parent" ? op.results : iterArgsOf(op)),
    }),
    implement(ConditionallySpeculatable, {
      // Only a step of 1 is sure to reach the bound.
      speculatable: (op) => (constantInt(op.operand(2)) === 1n ? "recursive" : "no"),
    }),
  ],

  parse(p) {
    if (p.optKeyword("unsigned")) p.setAttr("unsignedCmp", unitAttr(p.ctx));
    const iv = p.argument();
    p.punct("=");
    const lower = p.operand();
    p.keyword("to");
    const upper = p.operand();
    p.keyword("step");
    const step = p.operand();
    let carried: AssignmentList = { args: [], inits: [] };
    let types: readonly Type[] = [];
    if (p.optKeyword("iter_args")) {
      carried = parseAssignmentList(p);
      p.punct("->");
      types = p.atPunct("(") ? p.list("(", ")", () => p.type()) : [p.type()];
    }
    if (carried.args.length !== types.length)
      p.fail(`custom op '${p.opName}' mismatch in number of loop-carried values and defined values`, undefined, "scf.for");
    const type = p.optPunct(":") ? p.type() : indexType(p.ctx);
    p.state.types.push(...types);
    for (const bound of [lower, upper, step]) p.state.operands.push(p.resolve(bound, type));
    carried.inits.forEach((init, i) => p.state.operands.push(p.resolve(init, types[i]!)));
    const body = p.region([{ ...iv, type }, ...withTypes(carried.args, types)]);
    ensureTerminator(body, YieldOp, p.opLoc);
    p.optAttrDict();
  },
  print({ op, lowerBound, upperBound, step, initArgs, unsignedCmp, region }, p) {
    const [iv, ...iterArgs] = region.firstBlock!.args as [Value, ...Value[]];
    if (unsignedCmp) p.write(" unsigned");
    p.write(` ${p.value(iv)} = ${p.value(lowerBound)} to ${p.value(upperBound)} step ${p.value(step)}`);
    printAssignmentList(p, " iter_args", iterArgs, initArgs);
    if (initArgs.length > 0) p.write(` -> (${p.types(initArgs.map((v) => v.type))})`);
    p.write(isIndex(iv.type) ? " " : `  : ${p.type(iv.type)} `);
    p.region(region, { entryArgs: false, terminators: initArgs.length > 0 });
    p.optAttrDict(op, ["unsignedCmp"]);
  },

  verify({ initArgs, results }, report) {
    if (initArgs.length !== results.length) report.error("mismatch in number of loop-carried values and defined values", "scf.for");
  },
  verifyRegions({ lowerBound, initArgs, results, region }, report) {
    const [iv, ...iterArgs] = region.firstBlock!.args;
    if (iv?.type !== lowerBound.type) return void report.error("expected induction variable to be same type as bounds and step", "scf.for");
    if (iterArgs.length !== results.length)
      return void report.error("mismatch in number of basic block args and defined values", "scf.for");
    for (let i = 0; i < results.length; i++) {
      if (initArgs[i]!.type !== results[i]!.type)
        return void report.error(`types mismatch between ${i}th iter operand and defined value`, "scf.for");
      if (iterArgs[i]!.type !== results[i]!.type)
        return void report.error(`types mismatch between ${i}th iter region arg and defined value`, "scf.for");
    }
  },
}));
export type ForView = View<typeof ForOp>;
