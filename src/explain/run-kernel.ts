/** Runs a kernel of a module on the CPU. */

import { type Rejected, rejected } from "../compile/source.js";
import { kernelOf } from "../dialects/builtin/function-op.js";
import { FunctionOp } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import { symbolName } from "../ir/symbol-table.js";
import { type RunOptions, type RunResult, runModule } from "../simulate/tensor/run.js";
import { isExecutable } from "../simulate/validate.js";
import { nearestText } from "../support/nearest.js";

/** Runs a kernel of TTIR or TTGIR, by default the first public function. A fault while it runs is a finding of the result. */
export function run(module: Operation, options: RunOptions = {}): ({ readonly kind: "ran" } & RunResult) | Rejected {
  const kernel = kernelOf(module, options.kernel);
  if (!kernel) {
    if (options.kernel === undefined) return rejected("there is no public function to run");
    const names: string[] = [];
    module.walk((op) => void (op.def.interface(FunctionOp) && names.push(symbolName(op) ?? "")));
    return rejected(`there is no function '${options.kernel}'${nearestText(options.kernel, names)}`);
  }
  if (!isExecutable(module, kernel)) return rejected(`'${symbolName(kernel) ?? ""}' is no kernel of TTIR or TTGIR`);
  return { kind: "ran", ...runModule(module, options) };
}
