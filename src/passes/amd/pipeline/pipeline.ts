import { moduleAxisInfo } from "../../../analysis/module-axis-info.js";
import { buildIf } from "../../../dialects/scf/build.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { DotOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { AsyncWaitOp } from "../../../dialects/ttg/ops/async-copy.js";
import { MaskOp } from "../../../dialects/ttg/ops/misc.js";
import { stringAttr } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { CoarseSchedule } from "../../ttg/software-pipelining/coarse-schedule.js";
import { type Predicate, pipelineForLoop } from "../../ttg/software-pipelining/loop-expander.js";
import { resolveMaskOps, wrapInMaskOp } from "../../ttg/software-pipelining/mask-ops.js";
import { dropSchedules, forLoops } from "../../ttg/software-pipelining/pipelined-loops.js";
import { combineRedundantWaits } from "../../ttg/software-pipelining/update-waits.js";
import { lowerLoops } from "./lower-loops.js";

/** Marks a load before a loop, which may move up. */
export const PIPELINER_PART = "amd.pipeliner_part";

export const pipelineAmd = definePass("tritonamdgpu-pipeline", {
  name: "TritonAMDGPUPipeline",
  summary: "pipeline",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/Pipeline.cpp",
  options: {
    useAsyncCopy: option.bool({ default: false, summary: "load directly to shared memory", text: "use_async_copy" }),
    usePingpong: option.bool({ default: false, summary: "schedule for block ping-pong", text: "use_pingpong" }),
  },
  statistics: { lowered: "loops with a schedule", expanded: "loops pipelined" },
  run(root, { options, listener, analysis, count, report, fail, explain }) {
    const rw = new Rewriter(root.ctx, listener);
    count(
      "lowered",
      lowerLoops(rw, root, () => analysis(moduleAxisInfo), { ...options, explain }),
    );
    for (const loop of forLoops(root)) {
      const schedule = CoarseSchedule.deserialize(loop);
      if (!schedule) continue;
      const expand = { peelEpilogue: true, inPrologue };
      if (rw.from(loop, () => pipelineForLoop(rw, loop, schedule.getOpsInOrder(loop), predicate, expand))) count("expanded");
    }
    let resolved = true;
    resolveMaskOps(rw, root, (op, message) => {
      report.error(op, message);
      resolved = false;
    });
    if (!resolved) return fail();
    if (options.useAsyncCopy) {
      const waits: Operation[] = [];
      root.walkPostOrder((op) => void (AsyncWaitOp.is(op) && waits.push(op)));
      combineRedundantWaits(rw, waits);
    }
    dropSchedules(root);
  },
});

/** A dot goes into an if: LLVM can then do without a choice between its results. */
const predicate: Predicate = (rw, op, pred) => {
  if (!op.def.interface(DotOpInterface)) return wrapInMaskOp(rw, op, pred);
  const options = { loc: op.locRef };
  const branch = buildIf(rw.builder, op.resultTypes, pred, true, options);
  const whenTrue = rw.setEnd(branch.thenRegion.firstBlock!).create(YieldOp, { results: op.results }, options);
  rw.moveBefore(op, whenTrue.op);
  rw.setEnd(branch.elseRegion.firstBlock!).create(YieldOp, { results: [op.operand(2)] }, options);
  return branch.op;
};

/** Marks loads; one may be in a mask. */
function inPrologue(op: Operation): void {
  const load = MaskOp.is(op) ? [...op.regions[0]!.firstBlock!.ops()].find((nested) => LoadOp.is(nested)) : op;
  if (LoadOp.is(load)) load!.setAttr(PIPELINER_PART, stringAttr(op.ctx, "prologue"));
}
