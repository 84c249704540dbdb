import { sharedMemoryAliases } from "../../analysis/alias.js";
import { ForOp } from "../../dialects/scf/ops/for.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { BranchOp } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { ValueNames } from "../../syntax/name-values.js";

export const testPrintAlias = definePass("test-print-alias", {
  name: "TestAlias",
  summary: "print the result of the alias analysis pass",
  // A remark on each value that may refer to a buffer in shared memory: which ones.
  source: "test/lib/Analysis/TestAlias.cpp",
  anchor: "tt.func",
  testOnly: true,
  run(root, { report }) {
    let module = root;
    while (module.parentOp) module = module.parentOp;
    const names = new ValueNames(module, { nameLocAsPrefix: false, generic: false });
    root.walk((func) => {
      if (!FuncOp.is(func)) return;
      const aliases = sharedMemoryAliases(func);
      const tell = (op: Operation, value: Value, like: Value = value): void => {
        const buffers = [...aliases(like)].map((buffer) => names.name(buffer)).sort();
        if (buffers.length > 0) report.remark(op, `${names.name(value)} -> ${buffers.join(",")}`);
      };
      func.walk((op) => {
        if (op.numResults === 0) {
          if (op.def.interface(BranchOp)) for (const arg of op.block!.args) tell(op, arg);
          return;
        }
        const loop = ForOp.match(op);
        if (loop) loop.initArgs.forEach((init, i) => tell(op, loop.region.firstBlock!.args[i + 1]!, init));
        for (const result of op.results) tell(op, result);
      });
    });
  },
});
