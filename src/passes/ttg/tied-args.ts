import { ForOp } from "../../dialects/scf/ops/for.js";
import { IfOp } from "../../dialects/scf/ops/if.js";
import { WhileOp } from "../../dialects/scf/ops/while.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";

/** The values that are one along an op's control flow. Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp, getTiedArgs. */
export function tiedArgs(op: Operation, index: number): Value[] {
  const loop = ForOp.match(op);
  if (loop) {
    const block = loop.region.firstBlock!;
    return [block.args[index + 1]!, op.result(index), block.lastOp!.operand(index), loop.initArgs[index]!];
  }
  if (WhileOp.is(op)) {
    const [before, after] = op.regions.map((region) => region.firstBlock!) as [NonNullable<typeof op.block>, NonNullable<typeof op.block>];
    // The first operand of the condition is whether to go on.
    return [before.args[index]!, op.result(index), before.lastOp!.operand(index + 1), op.operand(index), after.args[index]!];
  }
  if (!IfOp.is(op)) return [];
  const yields = op.regions.flatMap((region) => [...region.blocks()].map((block) => block.lastOp!).filter((end) => YieldOp.is(end)));
  return [...yields.map((end) => end.operand(index)), op.result(index)];
}
