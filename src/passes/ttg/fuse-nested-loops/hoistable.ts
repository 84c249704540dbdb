/** Computations that can go elsewhere with all they need. Source: Pipeliner/PipeliningUtility.cpp, getDominatingValueSetOpsToHoist, hoistOpsBefore. */
import { topologicalSort } from "../../../analysis/slices.js";
import type { Dominance } from "../../../ir/dominance.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

/**
 * The ops to move before `ref` so that all of `values` can be used there; undefined when one of them cannot move
 * (`canHoist`), or needs a block argument that it may not use (`canUseArg`).
 */
export function opsToHoist(
  dominance: Dominance,
  ref: Operation,
  values: readonly Value[],
  canHoist: (op: Operation) => boolean,
  canUseArg: (arg: Value) => boolean,
): Set<Operation> | undefined {
  const visited = new Set<Operation>();
  const queue = [...values];
  for (const value of queue) {
    if (dominance.valueDominates(value, ref)) continue;
    const op = value.definingOp;
    if (!op) {
      if (!canUseArg(value)) return undefined;
      continue;
    }
    if (visited.has(op)) continue;
    if (!canHoist(op)) return undefined;
    visited.add(op);
    queue.push(...op.operands);
  }
  return visited;
}

/** Moves ops before `ref`, in program order. */
export function hoistOpsBefore(rw: Rewriter, ref: Operation, ops: Iterable<Operation>): void {
  for (const op of topologicalSort([...ops])) rw.moveBefore(op, ref);
}
