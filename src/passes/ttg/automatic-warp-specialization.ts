import { ForOp } from "../../dialects/scf/ops/for.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { cse, sccp } from "../common/index.js";
import { WARP_SPECIALIZE } from "./fuse-nested-loops/fuse-one-level.js";
import { scheduleLoops } from "./pipeline/index.js";

export const automaticWarpSpecialization = definePass("tritongpu-automatic-warp-specialization", {
  name: "TritonGPUAutomaticWarpSpecialization",
  summary: "automatic warp specialization of loops",
  description: `
    Gives the parts of loops with \`tt.warp_specialize\` to different warp groups. Without such loops constants are propagated, equal values
    merged, and what is left of latencies becomes a schedule.`,
  source: "lib/Dialect/TritonGPU/Transforms/WarpSpecialization/AutomaticWarpSpecialization.cpp",
  options: { numStages: option.int({ default: 3, summary: "number of pipeline stages" }) },
  run(root, { runNested, report, fail }) {
    root.walk((op) => {
      if (!ForOp.is(op) || !op.hasAttr(WARP_SPECIALIZE)) return undefined;
      report.warning(op, "partition of loops among warp groups is not built yet: they stay as they are", "pass.not-built");
      return "interrupt";
    });
    if (!runNested([sccp(), cse(), scheduleLoops()], root)) fail();
  },
});
