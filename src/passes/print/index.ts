export * from "./test-print-alias.js";
export * from "./test-print-alignment.js";
export * from "./test-print-allocation.js";
export * from "./test-print-membar.js";
