/** Finds what limits a kernel on a GPU, without one. */
export { GPU_PRODUCTS, type GpuProduct, type Pipe, type TensorKind } from "../gpu/products.js";
export { type LimitsQuestion, limits } from "../limits/ask.js";
export type { Bound, LatencyBound } from "../limits/bounds.js";
export type { Coverage, LoopCount, Traffic } from "../limits/counts.js";
export { type GridOf, readGrid } from "../limits/grid.js";
export type { Cost, Limits, LoopCost, OpCost } from "../limits/limits.js";
export type { Occupancy, OccupancyLimit } from "../limits/occupancy.js";
export { pruningJson, type Sweep, type SweepAxis, type SweepEntry, type SweepQuestion, sweep, sweepText } from "../limits/sweep.js";
export { limitsText } from "../limits/text.js";
