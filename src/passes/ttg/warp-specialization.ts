import { ForOp } from "../../dialects/scf/ops/for.js";
import { IfOp } from "../../dialects/scf/ops/if.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { TCGen5MMAOp } from "../../dialects/ttng/ops/tc-gen5-mma.js";
import { WarpGroupDotOp } from "../../dialects/ttng/ops/warp-group-dot.js";
import { i32Attr } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { WARP_SPECIALIZE } from "./fuse-nested-loops/fuse-one-level.js";
import { lookupNumWarps } from "./memory-access.js";
import { NUM_STAGES } from "./pipeline/pipelined-loops.js";

const STEPS = ["doTaskPartition", "doTaskIdPropagate", "doDataPartition", "doCodePartition"];

export const warpSpecialization = definePass("nvgpu-warp-specialization", {
  name: "NVGPUWarpSpecialization",
  summary: "Automatic Warp specialization on NVIDIA GPU",
  description: `
    Gives the loads and the warp group dots of functions with a \`tt.warp_specialize\` loop to different warp groups, and switches
    the pipeliner off for them: their loops get \`tt.num_stages = 0\`. Only functions with 4 warps and without \`else\` are taken. Where there is
    no warp group dot (before Hopper) there is nothing to give away, and the loops are not pipelined either.`,
  source: "third_party/nvidia/hopper/lib/Transforms/WarpSpecialization.cpp",
  options: {
    numStages: option.int({ default: 0, summary: "number of buffers for warp specialization" }),
    dumpIntermediateSteps: option.bool({ default: false, summary: "Dump intermediate steps" }),
  },
  statistics: { loops: "loops whose pipelining was switched off" },
  run(root, { options, count, dump, report }) {
    root.walkPostOrder((func) => {
      if (!FuncOp.is(func) || !wantsSpecialization(func) || lookupNumWarps(func) !== 4) return;
      const dot = findOp(func, (op) => WarpGroupDotOp.is(op) || TCGen5MMAOp.is(op) || op.hasAttr("async_task_id"));
      if (dot) return report.warning(dot, `partition of '${dot.name}' among warp groups is not built yet`, "pass.not-built");
      if (options.dumpIntermediateSteps) for (const step of STEPS) dump(step, root);
      func.walk((op) => {
        if (!ForOp.is(op)) return;
        op.setAttr(NUM_STAGES, i32Attr(op.ctx, 0));
        count("loops");
      });
    });
  },
});

function wantsSpecialization(func: Operation): boolean {
  const marked = findOp(func, (op) => ForOp.is(op) && op.hasAttr(WARP_SPECIALIZE));
  return marked !== undefined && !findOp(func, (op) => IfOp.match(op)?.elseRegion.empty === false);
}

function findOp(root: Operation, accepts: (op: Operation) => boolean): Operation | undefined {
  let found: Operation | undefined;
  root.walk((op) => {
    if (accepts(op)) found = op;
    return found ? "interrupt" : undefined;
  });
  return found;
}
