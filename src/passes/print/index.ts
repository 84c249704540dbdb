export * from "./test-print-alias.js";
export * from "./test-print-alignment.js";
