export * from "./counters.js";
export * from "./memory.js";
