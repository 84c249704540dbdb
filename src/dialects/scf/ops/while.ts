import { AnyType, I1, SizedRegion1, variadic } from "../../../ir/constraints.js";
import { defineOp, type View } from "../../../ir/define-op.js";
import { implement, LoopLike, RegionBranch, RegionBranchTerminator } from "../../../ir/interfaces.js";
import { constantInt } from "../../../ir/match.js";
import { HasParent, Pure, RecursiveMemoryEffects, SingleBlock, Terminator } from "../../../ir/traits.js";
import { type AssignmentList, parseAssignmentList, printAssignmentList, withTypes } from "./assignment-list.js";
import { verifyTerminatorKind } from "./verify-terminator.js";
import { YieldOp } from "./yield.js";

/** Ends the `before` region of a while: goes on to `after` or leaves. Source: mlir/include/mlir/Dialect/SCF/IR/SCFOps.td, ConditionOp. */
export const ConditionOp = defineOp("scf.condition", () => ({
  summary: "loop continuation condition",
  operands: { condition: I1, args: variadic(AnyType) },
  traits: [HasParent("scf.while"), Pure, Terminator],
  interfaces: [
    implement(RegionBranchTerminator, {
      successorOperands: (op) => op.operandUses.slice(1),
      successors(op, constants) {
        const known = constantInt(constants[0]);
        const after = op.parentOp!.regions[1]!;
        if (known === undefined) return [after, "parent"];
        return [known !== 0n ? after : "parent"];
      },
    }),
  ],
  format: "`(` $condition `)` attr-dict ($args^ `:` type($args))?",
}));

/**
 * A loop whose `before` region computes the condition, and whose `after` region is the body.
 * Source: mlir/include/mlir/Dialect/SCF/IR/SCFOps.td, WhileOp.
 */
export const WhileOp = defineOp("scf.while", () => ({
  summary: "a generic 'while' loop",
  operands: { inits: variadic(AnyType) },
  results: { results: variadic(AnyType) },
  regions: { before: SizedRegion1, after: SizedRegion1 },
  traits: [SingleBlock, RecursiveMemoryEffects],
  interfaces: [
    implement(RegionBranch, {
      successors(op, from) {
        const [before, after] = [op.regions[0]!, op.regions[1]!];
        return from === before ? ["parent", after] : [before];
      },
      entryOperands: (op) => op.operands,
    }),
    implement(LoopLike, {
      loopRegions: (op) => op.regions,
      inits: (op) => op.operands,
      regionIterArgs: (op) => op.regions[0]!.firstBlock!.args,
      yieldedValues: (op) => op.regions[1]!.firstBlock!.lastOp!.operands,
    }),
  ],

  parse(p) {
    const carried: AssignmentList = p.atPunct("(") ? parseAssignmentList(p) : { args: [], inits: [] };
    const at = p.pos;
    p.punct(":");
    const { inputs, results } = p.functionType();
    p.state.types.push(...results);
    if (inputs.length !== carried.inits.length)
      p.fail(
        `custom op '${p.opName}' expected as many input types as operands (expected ${carried.inits.length} got ${inputs.length})`,
        at,
        "scf.while",
      );
    p.state.operands.push(...p.resolveAll(carried.inits, inputs));
    p.region(withTypes(carried.args, inputs));
    p.keyword("do");
    p.region();
    p.optAttrDictWithKeyword();
  },
  print({ op, inits, results, before, after }, p) {
    printAssignmentList(p, " ", before.firstBlock!.args, inits);
    const types = p.functionType(
      inits.map((v) => v.type),
      results.map((v) => v.type),
    );
    p.write(` : ${types} `);
    p.region(before, { entryArgs: false });
    p.write(" do ");
    p.region(after);
    p.optAttrDictWithKeyword(op);
  },

  verify({ before, after }, report) {
    if (verifyTerminatorKind(before, ConditionOp, "expects the 'before' region to terminate with 'scf.condition'", report))
      verifyTerminatorKind(after, YieldOp, "expects the 'after' region to terminate with 'scf.yield'", report);
  },
}));
export type WhileView = View<typeof WhileOp>;
