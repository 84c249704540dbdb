/**
 * Finds values that are constants, by folding ops whose operands are, in code that can be reached.
 * Source: mlir/lib/Analysis/DataFlow/ConstantPropagationAnalysis.cpp.
 */
import { WarpSpecializePartitionsOp } from "../../dialects/ttg/ops/warp-specialize.js";
import { Attribute } from "../../ir/attribute.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { foldOperation } from "../../rewrite/fold.js";
import { type ConstantLattice, DeadCodeAnalysis } from "./dead-code.js";
import { blockStart } from "./solver.js";
import { SparseForwardAnalysis } from "./sparse-forward.js";

export interface ConstantAnalyses {
  readonly code: DeadCodeAnalysis;
  readonly constants: SparseForwardAnalysis<ConstantLattice>;
}

/** Dead-code analysis and constant propagation, which need each other; run both, with what builds on them. */
export function constantAnalyses(): ConstantAnalyses {
  const code = new DeadCodeAnalysis();
  const constants = new SparseForwardAnalysis<ConstantLattice>(
    {
      name: "sparse-constant-propagation",
      entry: () => "unknown",
      join: (a, b) => (a === "unknown" || (b !== "unknown" && a.value === b.value) ? a : "unknown"),
      visitOperation,
      visitOtherArguments(op, values, first, count, self) {
        if (WarpSpecializePartitionsOp.is(op) && op.ctx.triton.controlReachesWarpGroups) visitCaptures(op, values, self);
        else self.setToEntry(values.filter((_, i) => i < first || i >= first + count));
      },
    },
    code,
  );
  code.constants = (value, reader) => {
    const fact = constants.fact(value);
    fact.subscribe(reader);
    return fact.value;
  };
  return { code, constants };
}

/** Warp groups get what the op around them captures. */
function visitCaptures(partitions: Operation, args: readonly Value[], self: SparseForwardAnalysis<ConstantLattice>): void {
  const captures = partitions.parentOp!.operands;
  for (const arg of args) self.join(arg, self.fact(captures[arg.index]!).dependOn(blockStart(arg.argOwner!), self).value);
}

function visitOperation(
  op: Operation,
  operands: readonly (ConstantLattice | undefined)[],
  self: SparseForwardAnalysis<ConstantLattice>,
): void {
  // A fold of an op with regions might change it.
  if (op.regions.length > 0) return self.setToEntry(op.results);
  const known: (Attribute | undefined)[] = [];
  for (const operand of operands) {
    if (operand === undefined) return;
    known.push(operand === "unknown" ? undefined : operand.value);
  }
  const { ctx } = op;
  const before = { values: op.operands, attrs: op.attrs, version: ctx.version };
  const folded = foldOperation(op, known);
  if (folded === undefined) return self.setToEntry(op.results);
  if (folded === "inPlace") {
    // That was for constants that the op may not have: undo it.
    op.setOperands(before.values);
    op.setAttrs(before.attrs);
    ctx.version = before.version;
    return self.setToEntry(op.results);
  }
  folded.forEach((result, i) => {
    if (result instanceof Attribute) self.join(op.result(i), { value: result, dialect: op.def.dialect });
    else self.join(op.result(i), self.get(result));
  });
}
