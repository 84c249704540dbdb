import { topologicalSort } from "../../analysis/slices.js";
import { partitionRegionsOf } from "../../dialects/ttg/ops/warp-specialize.js";
import { cloneOperation, Mapping } from "../../ir/clone.js";
import { isPureOp } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";

/** As many ops are computed again at most, to save one capture. */
const MOST_OPS = 16;

/**
 * Captures of a `ttg.warp_specialize` that are arguments of the kernel, or cheap to compute from them, need no shared memory: each partition
 * uses the argument or computes the value itself. Source: ConvertWarpSpecializeToLLVM.cpp, elideTrivialCaptures.
 */
export function elideTrivialCaptures(func: Operation, specialized: readonly Operation[]): void {
  const entry = func.regions[0]!.firstBlock!;
  for (const op of specialized) {
    const partitions = partitionRegionsOf(op);
    const elided = new Set<number>();
    op.operands.forEach((capture, i) => {
      const ops = trivialComputation(capture, (arg) => arg.argOwner === entry);
      if (!ops) return;
      elided.add(i);
      const sorted = topologicalSort([...ops]);
      for (const region of partitions) {
        const block = region.firstBlock!;
        const mapping = new Mapping();
        const first = block.firstOp;
        for (const original of sorted) block.insert(cloneOperation(original, mapping), first);
        block.args[i]!.replaceAllUsesWith(mapping.get(capture));
      }
    });
    op.eraseOperands(elided);
    for (const region of partitions) for (const i of [...elided].reverse()) region.firstBlock!.eraseArgument(i);
  }
}

/** The pure ops from which a value follows; undefined when it takes anything else, or too many. */
function trivialComputation(value: Value, isGiven: (arg: Value) => boolean): ReadonlySet<Operation> | undefined {
  const ops = new Set<Operation>();
  const values = new Set<Value>([value]);
  for (const at of values) {
    const op = at.definingOp;
    if (!op) {
      if (!isGiven(at)) return undefined;
      continue;
    }
    if (!isPureOp(op)) return undefined;
    ops.add(op);
    for (const operand of op.operands) values.add(operand);
  }
  return ops.size <= MOST_OPS ? ops : undefined;
}
