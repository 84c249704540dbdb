/** Settings of a compilation, and the passes that it runs. */
export { pipelineOf } from "../compile/compile.js";
export { pipelineRange, positionOf, type RangeRequest, type Settings, settingsOf } from "../compile/compile-source.js";
