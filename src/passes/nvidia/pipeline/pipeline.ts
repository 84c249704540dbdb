import { moduleAxisInfo } from "../../../analysis/module-axis-info.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { CoarseSchedule } from "../../ttg/software-pipelining/coarse-schedule.js";
import { pipelineForLoop } from "../../ttg/software-pipelining/loop-expander.js";
import { resolveMaskOps, wrapInMaskOp } from "../../ttg/software-pipelining/mask-ops.js";
import { dropSchedules, forLoops, getNumStagesOrDefault } from "../../ttg/software-pipelining/pipelined-loops.js";
import { updateWaits } from "../../ttg/software-pipelining/update-waits.js";
import { lowerLoops } from "./lower-loops.js";
import { peelMmaEpilogue, wantsPeeledEpilogue } from "./peel-mma-epilogue.js";
import { pipelineTMAStores } from "./tma-stores.js";
import { asyncLaunchDots } from "./wgmma.js";

/** For tests: the stages' predicates stay as `ttg.predicate_stage`. */
const KEEP_PREDICATE_STAGE = "__test_keep_predicate_stage";

export const pipeline = definePass("tritongpu-pipeline", {
  name: "TritonGPUPipeline",
  summary: "pipeline",
  source: "lib/Dialect/TritonGPU/Transforms/Pipeliner/SoftwarePipeliner.cpp",
  options: {
    numStages: option.int({ default: 3, summary: "number of pipeline stages" }),
    dumpIntermediateSteps: option.bool({ default: false, summary: "Dump intermediate steps" }),
  },
  statistics: { lowered: "loops with a schedule", expanded: "loops pipelined" },
  run(root, { options, listener, analysis, dump, count, report, fail, explain }) {
    const rw = new Rewriter(root.ctx, listener);
    count(
      "lowered",
      lowerLoops(rw, root, () => analysis(moduleAxisInfo), explain),
    );
    if (options.dumpIntermediateSteps) dump("LowerLoops", root);
    for (const loop of forLoops(root)) {
      const schedule = CoarseSchedule.deserialize(loop);
      const keepPredicateStage = loop.op.hasAttr(KEEP_PREDICATE_STAGE);
      if (!schedule) continue;
      const peels = !keepPredicateStage && wantsPeeledEpilogue(loop, schedule);
      const made = rw.from(loop, () =>
        pipelineForLoop(rw, loop, schedule.getOpsInOrder(loop), wrapInMaskOp, { keepPredicateStage: keepPredicateStage || peels }),
      );
      if (made && peels) rw.from(made, () => peelMmaEpilogue(rw, made));
      if (made) count("expanded");
      else
        explain?.(loop.op, "pipeline.declined", {
          kind: "missed",
          message: "{0} is not pipelined: its schedule does not fit it",
          fields: { reasons: ["its schedule does not fit it"] },
        });
    }
    let resolved = true;
    resolveMaskOps(rw, root, (op, message) => {
      report.error(op, message);
      resolved = false;
    });
    if (!resolved) return fail();
    if (options.dumpIntermediateSteps) dump("ExpandLoops", root);
    dropSchedules(root);
    for (const loop of forLoops(root)) if (getNumStagesOrDefault(loop, options.numStages) >= 1) asyncLaunchDots(rw, loop, explain);
    updateWaits(rw, root);
    // Folds only: of a dialect without its ops, upstream gets no patterns.
    if (!applyPatternsGreedily(root, [], { listener }).converged) return fail();
    for (const loop of forLoops(root).filter((each) => getNumStagesOrDefault(each, options.numStages) > 1)) pipelineTMAStores(rw, loop);
  },
});
