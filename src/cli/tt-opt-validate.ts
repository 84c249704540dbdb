/** `tt-opt --validate`: executes what each pass makes, with what is stated in `args.json` beside the input. */
import { kernelOf } from "../dialects/builtin/function-op.js";
import type { Operation } from "../ir/operation.js";
import { argumentNames } from "../simulate/tensor/arguments.js";
import { isExecutable, Validator } from "../simulate/validate.js";
import type { Io } from "./io.js";
import { NO_SIMULATION, simulationOptions } from "./simulation-args.js";

export { validationText } from "../simulate/validate.js";

/** `text` is what the module was parsed from. */
export function validatorOf(module: Operation, text: string, input: string, io: Io): Validator | { readonly error: string } {
  if (!isExecutable(module)) return new Validator();
  const options = simulationOptions(input, NO_SIMULATION, { module, names: argumentNames(kernelOf(module)!, text) }, io);
  if ("error" in options) return options;
  io.stderr.write(options.report);
  return new Validator(options);
}
