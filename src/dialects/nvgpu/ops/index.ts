export * from "./ops.js";
