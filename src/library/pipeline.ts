/** Settings of a compilation, and the passes that it runs. */
export { pipelineOf, type RunStep, stepsToRun } from "../compile/compile.js";
export { insertedText, pipelineRange, positionOf, type RangeRequest, type Settings, settingsOf } from "../compile/compile-source.js";
