/** Patterns of scf.execute_region. Source: mlir/lib/Dialect/SCF/IR/SCF.cpp. */
import { FunctionOp } from "../../../ir/interfaces.js";
import { pattern } from "../../../rewrite/pattern.js";
import { BranchOp } from "../../cf/ops/branch.js";
import { ExecuteRegionOp } from "../ops/execute-region.js";
import { YieldOp } from "../ops/yield.js";
import { replaceOpWithRegion } from "./replace-with-region.js";

/** A region of one block goes in line. */
export const singleBlockExecuteInliner = pattern("single-block-execute-inliner", ExecuteRegionOp, ({ op, region, no_inline }, rw) => {
  if (!region.hasOneBlock || no_inline) return rw.noMatch("several blocks, or it may not be inlined");
  return replaceOpWithRegion(rw, op, region);
});

/** A region of several blocks goes in line where the parent may hold several. */
export const multiBlockExecuteInliner = pattern("multi-block-execute-inliner", ExecuteRegionOp, ({ op, region, no_inline }, rw) => {
  if (no_inline) return rw.noMatch("it may not be inlined");
  const parent = op.parentOp;
  if (!parent || !(parent.def.interface(FunctionOp) || ExecuteRegionOp.is(parent))) return rw.noMatch("the parent holds one block only");
  const before = op.block!;
  const after = rw.splitBlock(before, op);
  rw.setEnd(before).create(BranchOp, { dest: region.firstBlock!, destOperands: [] }, { loc: op.locRef });
  for (const block of region.blocks()) {
    const terminator = block.lastOp!;
    if (!YieldOp.is(terminator)) continue;
    rw.setBefore(terminator).create(BranchOp, { dest: after, destOperands: terminator.operands }, { loc: terminator.locRef });
    rw.erase(terminator);
  }
  rw.inlineRegionBefore(region, after.region!, after);
  return rw.replace(
    op,
    op.results.map((result) => after.addArgument(result.type, op.locRef)),
  );
});
