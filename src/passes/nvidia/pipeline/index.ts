export { assignLatencies } from "./assign-latencies.js";
export { pipeline } from "./pipeline.js";
export { scheduleLoops } from "./schedule-loops.js";
export { testPipelineLowerLoop } from "./test-pipeline-lower-loop.js";
