export * from "./execute-region.js";
export * from "./for.js";
export * from "./forall.js";
export * from "./if.js";
export * from "./index-switch.js";
export * from "./parallel.js";
export * from "./while.js";
export * from "./yield.js";
