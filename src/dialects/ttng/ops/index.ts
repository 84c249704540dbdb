export * from "./barrier.js";
export * from "./clc.js";
export * from "./packed-arith.js";
export * from "./tc-gen5-mma.js";
export * from "./tensor-memory.js";
export * from "./tma.js";
export * from "./warp-group-dot.js";
