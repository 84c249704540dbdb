export * from "./classify.js";
export * from "./float.js";
export * from "./integer.js";
