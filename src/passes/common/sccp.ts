import { constantAnalyses } from "../../analysis/dataflow/constant-propagation.js";
import type { ConstantLattice } from "../../analysis/dataflow/dead-code.js";
import { DataFlowSolver } from "../../analysis/dataflow/solver.js";
import type { Block } from "../../ir/block.js";
import { wouldOpBeTriviallyDead } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { OperationFolder } from "../../rewrite/operation-folder.js";
import { Rewriter } from "../../rewrite/rewriter.js";

export const sccp = definePass("sccp", {
  name: "SCCP",
  summary: "sparse conditional constant propagation",
  source: "mlir/lib/Transforms/SCCP.cpp",
  statistics: { replaced: "values replaced by constants" },
  run(root, { listener, count }) {
    const { code, constants } = constantAnalyses();
    new DataFlowSolver().run(root, [code, constants]);

    const rw = new Rewriter(root.ctx, listener);
    const folder = new OperationFolder(root.ctx, listener);
    const replace = (value: Value, block: Block): boolean => {
      const known: ConstantLattice | undefined = constants.get(value);
      if (known === undefined || known === "unknown") return false;
      const constant = rw.from(value.definingOp ?? block.parentOp!, () =>
        folder.getOrCreateConstant(block, known.dialect, known.value, value.type),
      );
      if (!constant) return false;
      if (value.definingOp) rw.noteOrigin(constant, value.definingOp);
      rw.replaceAllUses(value, constant);
      count("replaced");
      return true;
    };

    const worklist: Block[] = [];
    const add = (regions: readonly Region[]): void => {
      for (const region of regions) for (let block = region.lastBlock; block; block = block.prev) worklist.push(block);
    };
    add(root.regions);
    for (let block = worklist.pop(); block; block = worklist.pop()) {
      for (let op = block.firstOp; op; ) {
        const next: Operation | null = op.next;
        let all = op.results.length > 0;
        for (const result of op.results) if (!replace(result, block)) all = false;
        if (all && wouldOpBeTriviallyDead(op)) rw.erase(op);
        else add(op.regions);
        op = next;
      }
      for (const arg of block.args) replace(arg, block);
    }
  },
});
