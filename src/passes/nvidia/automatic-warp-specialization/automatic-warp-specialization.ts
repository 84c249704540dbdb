import { ForOp } from "../../../dialects/scf/ops/for.js";
import { MakeTensorDescOp } from "../../../dialects/tt/ops/pointer.js";
import { PARTITION, PARTITION_OUTPUTS } from "../../../dialects/ttg/verify-attr.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { cse, sccp } from "../../common/index.js";
import { WARP_SPECIALIZE } from "../../ttg/fuse-nested-loops/fuse-one-level.js";
import { CoarseSchedule } from "../../ttg/software-pipelining/coarse-schedule.js";
import { hoistTmemStore, insertAref, insertTmemAref, lowerAref, lowerWarpGroup } from "../nvws/index.js";
import { scheduleLoops } from "../pipeline/index.js";
import { lowerTMADescriptors } from "../pipeline/lower-tma-descriptors.js";
import { PARTITION_STAGES, WARP_SPECIALIZE_TAG } from "./partition.js";
import { partitionLoops } from "./partition-loops.js";
import { partitionScheduling } from "./partition-scheduling.js";

export const automaticWarpSpecialization = definePass("tritongpu-automatic-warp-specialization", {
  name: "TritonGPUAutomaticWarpSpecialization",
  summary: "automatic warp specialization of loops",
  source: "lib/Dialect/TritonGPU/Transforms/WarpSpecialization/AutomaticWarpSpecialization.cpp",
  options: { numStages: option.int({ default: 3, summary: "number of pipeline stages" }) },
  run(root, { options: { numStages }, listener, runNested, fail }) {
    const { dividesByFlow, forgetsDivision } = root.ctx.triton;
    const steps = [
      partitionScheduling(),
      ...(dividesByFlow ? [hoistTmemStore()] : []),
      insertAref(),
      insertTmemAref(),
      sccp(),
      cse(),
      lowerAref({ numStages }),
      partitionLoops(),
      lowerWarpGroup(),
      scheduleLoops(),
    ];
    if (!runNested(steps, root)) return fail();
    if (!dividesByFlow) return;
    bufferDescriptors(new Rewriter(root.ctx, listener), root, numStages);
    if (!forgetsDivision) return;
    root.walk((op) => {
      for (const name of [PARTITION, PARTITION_OUTPUTS, PARTITION_STAGES, WARP_SPECIALIZE_TAG]) op.removeAttr(name);
    });
  },
});

/** Descriptors that loops make get a place for each copy that goes on, and one more. */
function bufferDescriptors(rw: Rewriter, root: Operation, numStages: number): void {
  const loops = new Set<Operation>();
  root.walkPostOrder((loop) => {
    if (!ForOp.is(loop) || !loop.hasAttr(WARP_SPECIALIZE)) return;
    loop.walkPostOrder((op) => void (MakeTensorDescOp.is(op) && loops.add(op.parentOfType(ForOp)!)));
  });
  for (const loop of loops) lowerTMADescriptors(rw, ForOp.match(loop)!, new CoarseSchedule(numStages + 2));
}
