export * from "./canonicalize.js";
