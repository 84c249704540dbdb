export * from "./aref.js";
export * from "./descriptor.js";
export * from "./token.js";
export * from "./warp-group.js";
