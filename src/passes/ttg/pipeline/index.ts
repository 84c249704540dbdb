export { assignLatencies } from "./assign-latencies.js";
export { scheduleLoops } from "./schedule-loops.js";
