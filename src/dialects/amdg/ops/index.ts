/** Every op of amdg. */
export * from "./barrier.js";
export * from "./buffer.js";
export * from "./masked.js";
export * from "./scheduling.js";
export * from "./tdm.js";
export * from "./tiles.js";
export * from "./upcast.js";
