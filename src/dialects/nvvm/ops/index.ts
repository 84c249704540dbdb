export * from "./copies.js";
export * from "./matrix.js";
export * from "./registers.js";
export * from "./synchronization.js";
export * from "./warp.js";
export * from "./wmma.js";
