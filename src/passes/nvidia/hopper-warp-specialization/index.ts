/** Warp specialization on Hopper (and Ampere): `nvgpu-warp-specialization`. Blackwell's is in `automatic-warp-specialization`. */
export { testWSCodePartition } from "./code-partition.js";
export { testWSDataPartition } from "./data-partition.js";
export { testTaskIdPropagate } from "./task-id-propagation.js";
export { testWSTaskPartition } from "./task-partition.js";
export { warpSpecialization } from "./warp-specialization.js";
