export * from "./compare.js";
export * from "./local-memory.js";
export * from "./tensors-in-shared-memory.js";
