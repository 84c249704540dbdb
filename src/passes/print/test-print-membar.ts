import { allocateSharedMemory } from "../../analysis/allocation.js";
import { canSkipBarSync, insertBarriers } from "../../analysis/membar.js";
import { definePass } from "../../pass/define-pass.js";
import { Rewriter } from "../../rewrite/rewriter.js";

export const testPrintMembar = definePass("test-print-membar", {
  name: "TestMembar",
  summary: "print the result of the allocation pass",
  // Puts in the barriers that the conversion to LLVM would put in, and leaves the rest as it is.
  source: "test/lib/Analysis/TestMembar.cpp",
  statistics: { barriers: "barriers inserted" },
  testOnly: true,
  run(root, { listener, count, report }) {
    const allocation = allocateSharedMemory(root);
    if (allocation.recursive) return report.error(root, "functions call each other in a circle");
    count("barriers", insertBarriers(allocation, new Rewriter(root.ctx, listener), canSkipBarSync));
  },
});
