export * from "./function.js";
