export * from "./convert-scf-to-cf.js";
export * from "./convert-triton-to-tritongpu.js";
export * from "./relayout-tritongpu.js";
