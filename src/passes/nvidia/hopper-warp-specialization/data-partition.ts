/**
 * Cuts what several consumers do in parts, one for each of them: a dot of 128x128 becomes two of 64x128 for two warp groups.
 * Source: WarpSpecialization/WSDataPartition.cpp.
 */
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { FOR_CANONICALIZATION, IF_CANONICALIZATION } from "../../../dialects/scf/canonicalize/index.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { WarpGroupDotOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { PatternSet } from "../../../rewrite/pattern-set.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { forOpDeadArgElimination } from "../../ttg/for-op-dead-arg-elimination.js";
import { refuse } from "../not-specializable.js";
import { addAsyncTaskIds, getAsyncTaskIds, setAsyncTaskIds } from "./async-task-ids.js";
import { computePartitionScheme, isTransposition, type PartitionScheme, WHOLE } from "./partition-scheme.js";
import { sliceOps } from "./slice-ops.js";

/** Cuts a function for its consumers. False when that cannot be; a single consumer does all as it is. */
export function doDataPartition(rw: Rewriter, func: Operation, numConsumerGroups: number): boolean {
  const scheme = computePartitionScheme(func);
  if (!scheme) return numConsumerGroups <= 1;
  rewriteRematerializedOps(rw, scheme);
  for (let i = 0; i < scheme.numPartitions; i++) sliceOps(rw, scheme, i);
  func.walk((op) => {
    if (ForOp.is(op) && op.regions[0]!.firstBlock!.lastOp!.numOperands !== op.numResults)
      refuse(op, "a value that the loop carries is cut for warp groups, but not in every round");
  });
  if (!doDeepCleanup(rw, func, scheme)) return false;
  fixTaskIds(func);
  return true;
}

/** Makes the second one of each op that is needed for two dimensions, and gives it to those who need that one. */
function rewriteRematerializedOps(rw: Rewriter, scheme: PartitionScheme): void {
  for (const [op, dims] of scheme.rematerialized) {
    if (!ConstantOp.is(op)) refuse(op, "a buffer is needed in parts along two dimensions by different warp groups");
    for (const dim of [...dims].slice(1)) {
      const copy = rw.setBefore(op).clone(op);
      setAsyncTaskIds(copy, getAsyncTaskIds(op));
      scheme.ops.add(copy);
      scheme.setDim(copy, dim);
      rw.replaceUsesWhere(op.result(0), copy.result(0), ({ owner }) => {
        if (!scheme.ops.has(owner)) refuse(owner, `'${owner.name}' uses a constant that is cut for warp groups, but is not cut itself`);
        const own = scheme.dimOf(owner);
        if (isTransposition(owner)) return scheme.through(owner, own, true) === dim;
        return (WarpGroupDotOp.is(owner) && scheme.isAlongK(owner) ? WHOLE : own) === dim;
      });
    }
  }
}

const cleanUp = new PatternSet([forOpDeadArgElimination, ...FOR_CANONICALIZATION, ...IF_CANONICALIZATION]);

/** Erases what parts have taken the place of, and what only that needed. */
function doDeepCleanup(rw: Rewriter, func: Operation, scheme: PartitionScheme): boolean {
  for (;;) {
    const unused: Operation[] = [];
    func.walkPostOrder((op) => {
      if (scheme.ops.has(op) && !YieldOp.is(op) && !op.isUsed()) unused.push(op);
    });
    if (unused.length === 0) return true;
    for (const op of unused) {
      scheme.ops.delete(op);
      rw.erase(op);
    }
    if (!applyPatternsGreedily(func, cleanUp, { listener: rw.listener }).converged) return false;
  }
}

/** Constants were united and yields made anew: each op again belongs to the tasks of those who use it. */
function fixTaskIds(func: Operation): void {
  const covers = (all: readonly number[], some: readonly number[]): boolean => some.every((id) => all.includes(id));
  for (let changed = true; changed; ) {
    changed = false;
    func.walkPostOrder((op) => {
      const ids = getAsyncTaskIds(op);
      for (const { value } of op.operandUses) {
        const def = value.definingOp;
        if (!def || LoadOp.is(def) || DescriptorLoadOp.is(def)) continue;
        const defIds = getAsyncTaskIds(def);
        if (!covers(defIds, ids)) {
          if (YieldOp.is(op) || ForOp.is(op) || IfOp.is(op)) continue;
          if (def.def.dialect === "arith") {
            addAsyncTaskIds(def, ids);
            changed = true;
          }
        }
        if (value.hasOneUse() && !covers(ids, defIds) && (YieldOp.is(op) || IfOp.is(op))) {
          addAsyncTaskIds(op, defIds);
          changed = true;
        }
      }
    });
  }
}

export const testWSDataPartition = definePass("nvgpu-test-ws-data-partition", {
  name: "NVGPUTestWSDataPartition",
  summary: "test warp specialization data partition",
  // Cuts ops of several consumers in one part for each.
  source: "third_party/nvidia/hopper/lib/Transforms/WarpSpecialization/WSDataPartition.cpp",
  testOnly: true,
  options: { numWarpGroups: option.int({ default: 0, summary: "number of warp groups for warp specialization" }) },
  run(root, pass) {
    const { numWarpGroups } = pass.options;
    const rw = new Rewriter(root.ctx, pass.listener);
    root.walkPostOrder((func) => {
      if (!FuncOp.is(func) || numWarpGroups <= 2) return;
      if (!doDataPartition(rw, func, numWarpGroups - 1)) pass.fail();
    });
  },
});
