export { assignStagePhase } from "./assign-stage-phase.js";
export { hoistTmemStore } from "./hoist-tmem-store.js";
export { insertAref } from "./insert-aref.js";
export { insertTmemAref } from "./insert-tmem-aref.js";
export { lowerAref } from "./lower-aref.js";
export { lowerWarpGroup } from "./lower-warp-group.js";
