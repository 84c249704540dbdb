export { fuseNestedLoops } from "./fuse-nested-loops.js";
