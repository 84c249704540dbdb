export * from "./assert.js";
export * from "./branch.js";
export * from "./switch.js";
