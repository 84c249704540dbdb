/**
 * tt-step as a library: compiles Triton kernels pass by pass, as Triton 3.6 does, and explains what the passes did. It needs no
 * node and no files; what a kernel imports is read by the caller's `readFile`.
 *
 * Bad input is a value of kind `error` or has diagnostics; a function throws only for a bug.
 */
export * from "./library/compile.js";
export * from "./library/diff.js";
export * from "./library/execute.js";
export * from "./library/explain.js";
export * from "./library/findings.js";
export * from "./library/layouts.js";
export * from "./library/limits.js";
export * from "./library/names.js";
export * from "./library/pipeline.js";
export * from "./library/sources.js";
export * from "./library/targets.js";
export * from "./library/trace.js";
