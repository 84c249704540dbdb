export * from "./canonicalize.js";
export * from "./cse.js";
export * from "./inline.js";
export * from "./symbol-dce.js";
