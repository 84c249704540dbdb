/** Source: lib/Dialect/TritonNvidiaGPU/Transforms/TensorMemoryAllocation.cpp, getAlloc. */
import { SelectOp } from "../../../dialects/arith/ops/select.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { WhileOp } from "../../../dialects/scf/ops/while.js";
import { WarpSpecializePartitionsOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import { MemDescViewTrait } from "../../../dialects/ttg/ttg-op.js";
import { TMEMAllocOp, TMEMSubSliceOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import type { Block } from "../../../ir/block.js";
import { BranchOp } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";

/** The `ttng.tmem_alloc` ops whose buffer a value may be a view of, through loops, branches and selects. */
export function tensorMemoryAllocsOf(value: Value): Operation[] {
  const allocs: Operation[] = [];
  const seen = new Set<Value>([value]);
  for (const at of seen) {
    const op = at.definingOp;
    if (op && TMEMAllocOp.is(op)) allocs.push(op);
    else for (const from of op ? sourcesOfResult(op, at.index) : sourcesOfArgument(at.argOwner!, at.index)) seen.add(from);
  }
  return allocs;
}

function sourcesOfResult(op: Operation, index: number): readonly Value[] {
  if (op.def.traits.has(MemDescViewTrait) || TMEMSubSliceOp.is(op)) return [op.operand(0)];
  const select = SelectOp.match(op);
  if (select) return [select.true_value, select.false_value];
  if (IfOp.is(op)) return op.regions.map((region) => region.firstBlock!.lastOp!.operand(index));
  const loop = ForOp.match(op);
  if (loop) return [yielded(loop.region.firstBlock!, index), loop.initArgs[index]!];
  const loopWhile = WhileOp.match(op);
  // The first operand of scf.condition is the condition.
  return loopWhile ? [yielded(loopWhile.before.firstBlock!, index + 1)] : [];
}

function sourcesOfArgument(block: Block, index: number): readonly Value[] {
  if (!block.isEntry)
    return block.predecessors().flatMap((from) => {
      const branch = from.lastOp!;
      const successor = branch.successors.findIndex((s) => s.block === block);
      const range = branch.def.interface(BranchOp)?.successorOperandRange(branch, successor);
      return range ? [branch.operand(range.start + index)] : [];
    });
  const parent = block.parentOp!;
  if (WarpSpecializePartitionsOp.is(parent)) return [parent.parentOp!.operand(index)];
  const loop = ForOp.match(parent);
  if (loop) return [yielded(block, index - 1), loop.initArgs[index - 1]!];
  const loopWhile = WhileOp.match(parent);
  if (!loopWhile) return [];
  if (block.region === loopWhile.after) return [yielded(loopWhile.before.firstBlock!, index + 1)];
  return [yielded(loopWhile.after.firstBlock!, index), loopWhile.inits[index]!];
}

const yielded = (block: Block, index: number): Value => block.lastOp!.operand(index);
