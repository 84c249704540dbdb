/** The record of a compilation. */
export type { Remark } from "../pass/remark.js";
export { fromJson, toJson } from "../trace/json.js";
export type { LineTable, StepText } from "../trace/line-table.js";
export { type PipelineStep, STAGES, type Stage } from "../trace/stage.js";
export { type Artifacts, findStep, type MachineCode, type SassLine, type Step, stepBanner, type Trace } from "../trace/trace.js";
