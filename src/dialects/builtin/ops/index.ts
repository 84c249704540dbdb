export * from "./module.js";
export * from "./unrealized-conversion-cast.js";
