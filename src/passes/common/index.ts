export * from "./canonicalize.js";
export * from "./cse.js";
export * from "./inline.js";
export * from "./loop-invariant-code-motion.js";
export * from "./reconcile-unrealized-casts.js";
export * from "./sccp.js";
export * from "./symbol-dce.js";
