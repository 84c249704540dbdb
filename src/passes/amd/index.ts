/** Passes for AMD's GPUs alone. */
export {};
