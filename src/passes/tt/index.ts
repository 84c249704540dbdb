export * from "./combine.js";
export * from "./licm.js";
export * from "./loop-aware-cse.js";
export * from "./loop-unroll.js";
export * from "./reorder-broadcast.js";
export * from "./rewrite-tensor-descriptor-to-pointer.js";
export * from "./rewrite-tensor-pointer.js";
export * from "./test-loop-peeling.js";
