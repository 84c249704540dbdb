/** AxisInfo of the values of one function, along its control flow. Source: lib/Analysis/AxisInfo.cpp, AxisInfoAnalysis. */
import { ForOp } from "../dialects/scf/ops/for.js";
import { KeepsAxisInfo } from "../dialects/tt/traits.js";
import { WarpSpecializePartitionsOp } from "../dialects/ttg/ops/warp-specialize.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { type AxisInfo, axisInfo, gcd, hintOf, joinAxisInfo, pessimisticAxisInfo, rankOf } from "./axis-info.js";
import { killsUpstream } from "./axis-info-rules.js";
import { type AxisInfoVersion, axisInfoVersion } from "./axis-info-versions.js";
import { constantAnalyses } from "./dataflow/constant-propagation.js";
import { DataFlowSolver, pointAfter } from "./dataflow/solver.js";
import { SparseForwardAnalysis } from "./dataflow/sparse-forward.js";

type Analysis = SparseForwardAnalysis<AxisInfo>;

/**
 * Runs the analysis on a function; the result gives what is known of each value, or undefined for unreachable ones. `killing` takes
 * the ops at which upstream's dies: at any time, as constants may be none any more when all is known.
 */
export function analyzeAxisInfo(func: Operation, killing: Set<Operation>): (value: Value) => AxisInfo | undefined {
  const { code, constants } = constantAnalyses();
  const version = axisInfoVersion(func.ctx.triton);
  const axes: Analysis = new SparseForwardAnalysis<AxisInfo>(
    {
      name: "axis-info",
      entry: (value) => version.finish(pessimisticAxisInfo(value, !version.waits)),
      join: (a, b) => version.finish(joinAxisInfo(a, b)),
      visitOperation: (op, operands, self) => visitOperation(op, operands, self, version, killing),
      visitOtherArguments(op, values, first, count, self) {
        if (ForOp.is(op)) visitInductionVar(op, values[0]!, self, version);
        else if (WarpSpecializePartitionsOp.is(op)) visitCaptures(op, values, self);
        else self.setToEntry(values.filter((_, i) => i < first || i >= first + count));
      },
    },
    code,
  );
  // From the outside in: regions isolated from above start with what is known around them.
  const solver = new DataFlowSolver();
  func.walk((op) => {
    if (op.def.isIsolated) solver.run(op, [code, constants, axes]);
  });
  return (value) => axes.get(value);
}

function visitOperation(
  op: Operation,
  operands: readonly (AxisInfo | undefined)[],
  self: Analysis,
  version: AxisInfoVersion,
  killing: Set<Operation>,
): void {
  if (version.waits && operands.some((info) => !info || rankOf(info) === 0)) return;
  const known = operands.map((info, i) => {
    if (info && rankOf(info) > 0) return info;
    // Nothing came here yet: the worst case is taken, and stays.
    const value = op.operand(i);
    self.setToEntry([value]);
    return self.get(value)!;
  });
  if (killsUpstream(op, known)) killing.add(op);
  const info = inferAxisInfo(op, known, version);
  if (!info) return self.setToEntry(op.results);
  for (const result of op.results) self.join(result, info);
}

/** The AxisInfo of an op's results given its operands: from the rule of its kind, and hints on the op. Undefined where nothing follows. */
export function inferAxisInfo(
  op: Operation,
  operands: readonly AxisInfo[],
  { rules, finish } = axisInfoVersion(op.ctx.triton),
): AxisInfo | undefined {
  const info = op.def.traits.has(KeepsAxisInfo) ? operands[0] : rules.get(op.def)?.(op, operands);
  if (!info || rankOf(info) === 0) return undefined;
  return finish(
    axisInfo(
      hintOf(op.attr("tt.contiguity"), rankOf(info)) ?? info.contiguity,
      hintOf(op.attr("tt.divisibility"), rankOf(info)) ?? info.divisibility,
      hintOf(op.attr("tt.constancy"), rankOf(info)) ?? info.constancy,
      info.constantValue,
    ),
  );
}

/** lower bound + k * step */
function visitInductionVar(loop: Operation, inductionVar: Value, self: Analysis, { waits }: AxisInfoVersion): void {
  const read = (value: Value): AxisInfo | undefined => {
    const fact = self.fact(value).dependOn(pointAfter(loop), self);
    if (!waits && (!fact.value || rankOf(fact.value) === 0)) self.setToEntry([value]);
    return self.get(value);
  };
  const { lowerBound, step } = ForOp.match(loop)!;
  const [from, by] = [read(lowerBound), read(step)];
  if (!from || !by) return;
  const info = axisInfo([1], [gcd(from.divisibility[0]!, by.divisibility[0]!)], [1]);
  // As upstream, users are not notified: they are visited after the loop's arguments anyway.
  const fact = self.fact(inductionVar);
  fact.value = fact.value ? joinAxisInfo(fact.value, info) : info;
}

/** The arguments of a partition have the AxisInfo of the operands that it captures. */
function visitCaptures(partitions: Operation, args: readonly Value[], self: Analysis): void {
  const captures = partitions.parentOp!.operands;
  args.forEach((arg, i) => {
    self.join(arg, self.fact(captures[i]!).dependOn(pointAfter(partitions), self).value);
  });
}
