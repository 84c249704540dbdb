/** Execution on the CPU, and validation of each pass by it. */
export { run } from "../explain/run-kernel.js";
export { validate } from "../explain/validate-trace.js";
export type { RunOptions, RunResult } from "../simulate/tensor/run.js";
export { type ValidateOptions, type Validation, validationText } from "../simulate/validate.js";
