import { allocateSharedMemory } from "../../analysis/allocation.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { symbolName } from "../../ir/symbol-table.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";

export const testPrintAllocation = definePass("test-print-allocation", {
  name: "TestAllocation",
  summary: "print the result of the allocation pass",
  // A remark on each op with a buffer in shared memory, and on each function the bytes that it needs.
  source: "test/lib/Analysis/TestAllocation.cpp",
  options: {
    getScratchSizeFunction: option.enum(["None", "ValidConstant"], { default: "None", summary: "Custom scratch size function to use" }),
  },
  testOnly: true,
  run(root, { options, report }) {
    const allocation = allocateSharedMemory(root, options.getScratchSizeFunction === "None" ? undefined : () => 128);
    if (allocation.recursive) return report.error(root, "functions call each other in a circle");
    root.walkPostOrder((func) => {
      const buffers = FuncOp.is(func) ? allocation.of(func) : undefined;
      if (!buffers) return;
      report.remark(func, symbolName(func) ?? "");
      func.walkPostOrder((op) => {
        const buffer = buffers.bufferOf(op);
        if (!buffer) return;
        const kind = buffer.kind === "explicit" ? "" : `${buffer.kind} `;
        report.remark(op, `${kind}offset = ${buffer.offset}, size = ${buffer.size}`);
      });
      report.remark(func, `size = ${buffers.sharedMemorySize}`);
    });
  },
});
