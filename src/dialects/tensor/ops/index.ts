export * from "./extract-slice.js";
