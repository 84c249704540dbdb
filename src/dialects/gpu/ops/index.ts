export * from "./barrier.js";
export * from "./ids.js";
export * from "./shuffle.js";
