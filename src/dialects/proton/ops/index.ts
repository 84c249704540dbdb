export * from "./record.js";
