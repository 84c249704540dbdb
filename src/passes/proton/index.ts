/** Passes of the profiler that measures inside kernels; those of a vendor are in its folder. */
export { allocateProtonGlobalScratchBuffer } from "./allocate-global-scratch-buffer.js";
