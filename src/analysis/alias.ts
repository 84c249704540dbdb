/**
 * Which buffers in shared memory a value may refer to. A loop that rotates two buffers
 *
 *     %r = scf.for ... iter_args(%x = %a, %y = %b) { scf.yield %y, %x }
 *
 * leaves %x, %y and %r with both %a and %b.
 * Source: lib/Analysis/Alias.cpp.
 */
import { SharedMemorySpace } from "../dialects/ttg/encodings/shared-memory.js";
import { LocalAllocOp } from "../dialects/ttg/ops/local-memory.js";
import { WarpSpecializePartitionsOp } from "../dialects/ttg/ops/warp-specialize.js";
import { MemDescViewTrait } from "../dialects/ttg/ttg-op.js";
import { MemDescType } from "../dialects/ttg/types.js";
import { PoisonOp } from "../dialects/ub/ops/index.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { constantAnalyses } from "./dataflow/constant-propagation.js";
import { DataFlowSolver, pointAfter } from "./dataflow/solver.js";
import { SparseForwardAnalysis } from "./dataflow/sparse-forward.js";

/** The `ttg.local_alloc` results that a value may be a view of. */
export type AliasInfo = ReadonlySet<Value>;
type Analysis = SparseForwardAnalysis<AliasInfo>;

const NONE: AliasInfo = new Set();

/** Analyses an op and what is nested in it; the returned function gives the buffers of each value. */
export function sharedMemoryAliases(root: Operation): (value: Value) => AliasInfo {
  const { code, constants } = constantAnalyses();
  const aliases: Analysis = new SparseForwardAnalysis<AliasInfo>(
    {
      name: "shared-memory-alias",
      entry: () => NONE,
      join: union,
      visitOperation,
      visitOtherArguments(op, values, first, count, self) {
        if (!WarpSpecializePartitionsOp.is(op)) return self.setToEntry(values.filter((_, i) => i < first || i >= first + count));
        const captures = op.parentOp!.operands;
        values.forEach((arg, i) => {
          self.join(arg, self.fact(captures[i]!).dependOn(pointAfter(op), self).value);
        });
      },
    },
    code,
  );
  // Each op that is isolated from above (a partition holder, say) is a root of its own.
  const solver = new DataFlowSolver();
  root.walk((op) => {
    if (op.def.isIsolated) solver.run(op, [code, constants, aliases]);
  });
  return (value) => aliases.get(value) ?? NONE;
}

function union(a: AliasInfo, b: AliasInfo): AliasInfo {
  let all: Set<Value> | undefined;
  for (const value of b) if (!a.has(value)) (all ??= new Set(a)).add(value);
  return all ?? a;
}

function visitOperation(op: Operation, operands: readonly (AliasInfo | undefined)[], self: Analysis): void {
  const result = op.result(0);
  // Buffers in tensor memory are none of ours.
  if (MemDescType.is(result.type) && !SharedMemorySpace.is(result.type.params.memorySpace)) return;
  if (LocalAllocOp.is(op)) return void self.join(result, new Set([result]));
  if (op.def.traits.has(MemDescViewTrait)) return void self.join(result, operands[0] ?? NONE);
  if (PoisonOp.is(op)) return void self.join(result, NONE);
  self.setToEntry(op.results);
}
