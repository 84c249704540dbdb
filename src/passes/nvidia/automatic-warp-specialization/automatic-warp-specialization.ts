import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { cse, sccp } from "../../common/index.js";
import { WARP_SPECIALIZE } from "../../ttg/fuse-nested-loops/fuse-one-level.js";
import { KNOWN, refuse, UNKNOWN } from "../not-specializable.js";
import { insertAref, insertTmemAref, lowerAref, lowerWarpGroup } from "../nvws/index.js";
import { scheduleLoops } from "../pipeline/index.js";
import { partitionLoops } from "./partition-loops.js";
import { partitionScheduling } from "./partition-scheduling.js";

export const automaticWarpSpecialization = definePass("tritongpu-automatic-warp-specialization", {
  name: "TritonGPUAutomaticWarpSpecialization",
  summary: "automatic warp specialization of loops",
  source: "lib/Dialect/TritonGPU/Transforms/WarpSpecialization/AutomaticWarpSpecialization.cpp",
  options: { numStages: option.int({ default: 3, summary: "number of pipeline stages" }), known: KNOWN },
  run(root, { options, runNested, fail }) {
    root.walk((op) => {
      if (!options.known && op.hasAttr(WARP_SPECIALIZE)) refuse(op, UNKNOWN);
    });
    const steps = [partitionScheduling(), insertAref(), insertTmemAref(), sccp(), cse(), lowerAref({ numStages: options.numStages })];
    if (!runNested([...steps, partitionLoops(), lowerWarpGroup(), scheduleLoops()], root)) fail();
  },
});
