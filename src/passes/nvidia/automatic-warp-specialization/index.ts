/** Warp specialization on Blackwell: `tritongpu-automatic-warp-specialization`, over the dialect `nvws`. */
export { automaticWarpSpecialization } from "./automatic-warp-specialization.js";
export { optimizePartitionWarps } from "./optimize-partition-warps.js";
export { partitionLoops } from "./partition-loops.js";
export { partitionScheduling } from "./partition-scheduling.js";
