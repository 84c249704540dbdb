/** Every op of rocdl but those that differ by their names alone. */
export * from "./buffer.js";
export * from "./lanes.js";
export * from "./synchronization.js";
