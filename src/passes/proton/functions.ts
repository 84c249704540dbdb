import { FunctionOp } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { PassReport } from "../../pass/define-pass.js";

/** The one function with a body: the profiler measures kernels whose calls were inlined. */
export function theFunction(module: Operation, report: PassReport): Operation | undefined {
  const functions: Operation[] = [];
  module.walk((op) => void (op.def.interface(FunctionOp) && op.regions[0]?.firstBlock && functions.push(op)));
  if (functions.length === 1) return functions[0];
  report.error(module, `one function is measured at a time, and this module has ${functions.length}`, "lower.unsupported");
  return undefined;
}
