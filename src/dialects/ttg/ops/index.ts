export * from "./async-copy.js";
export * from "./convert-layout.js";
export * from "./local-memory.js";
export * from "./local-scatter.js";
export * from "./memdesc-views.js";
export * from "./misc.js";
export * from "./since-3-7.js";
export * from "./warp-specialize.js";
