/** The code of an outer loop before, between and after its inner loops. Source: lib/Dialect/TritonGPU/Transforms/FuseNestedLoops.cpp, Logue. */
import type { Dominance } from "../../../ir/dominance.js";
import type { Operation } from "../../../ir/operation.js";
import type { Region } from "../../../ir/region.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

export interface Logue {
  /** Consecutive ops. */
  readonly ops: readonly Operation[];
  /** The results that ops after these use. */
  readonly outputs: readonly Value[];
}

/** The ops from `first` on, up to `end`. */
export function createLogue(first: Operation, end: Operation, dominance: Dominance): Logue {
  const ops: Operation[] = [];
  for (let op = first; op !== end; op = op.next!) ops.push(op);
  const last = ops.at(-1);
  const isOutput = (value: Value): boolean => value.users().some((user) => dominance.properlyDominates(last!, user));
  return { ops, outputs: ops.flatMap((op) => op.results.filter(isOutput)) };
}

/** Uses of the outputs outside `region`, which holds the ops by now, become uses of `values`. */
export function replaceOutputs(rw: Rewriter, { outputs }: Logue, values: readonly Value[], region: Region): void {
  outputs.forEach((output, i) => void rw.replaceUsesWhere(output, values[i]!, ({ owner }) => !owner.region!.isInside(region)));
}
