export { assignLatencies } from "./assign-latencies.js";
export { pipeline } from "./pipeline.js";
export { scheduleLoops } from "./schedule-loops.js";
