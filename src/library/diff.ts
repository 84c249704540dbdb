/** Differences between steps and between compilations. */
export { type Alignment, align, type Row } from "../diff/align.js";
export { type Comparison, compareTraces, type Difference } from "../diff/compare-traces.js";
export { countsText, unified } from "../diff/hunks.js";
export { type StepDiff, stepDiff } from "../diff/step-diff.js";
