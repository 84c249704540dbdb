export * from "./debug-info.js";
export * from "./enums.js";
export * from "./loops.js";
export * from "./memory.js";
export * from "./values.js";
