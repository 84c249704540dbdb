export * from "./constant.js";
