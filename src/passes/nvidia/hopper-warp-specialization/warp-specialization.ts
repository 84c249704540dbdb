import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { partitionRegionsOf, WarpSpecializeOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import { i32Attr, intOf } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import { verifyOperation } from "../../../ir/verify.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import type { Explain } from "../../../pass/remark.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { WARP_SPECIALIZE } from "../../ttg/fuse-nested-loops/fuse-one-level.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";
import { NUM_STAGES } from "../../ttg/software-pipelining/pipelined-loops.js";
import { refuse } from "../not-specializable.js";
import { invalidateBarriers } from "./buffers.js";
import { doCodePartition } from "./code-partition.js";
import { doDataPartition } from "./data-partition.js";
import { doTaskIdPropagate } from "./task-id-propagation.js";
import { doTaskPartition } from "./task-partition.js";
import { doTokenLowering } from "./token-lowering.js";

export const warpSpecialization = definePass("nvgpu-warp-specialization", {
  name: "NVGPUWarpSpecialization",
  summary: "Automatic Warp specialization on NVIDIA GPU",
  source: "third_party/nvidia/hopper/lib/Transforms/WarpSpecialization.cpp",
  options: {
    numStages: option.int({ default: 0, summary: "number of buffers for warp specialization" }),
    dumpIntermediateSteps: option.bool({ default: false, summary: "Dump intermediate steps" }),
    oneStage: option.bool({ default: true, ours: true, summary: "divide loops of one stage too, as before 3.7" }),
  },
  statistics: { loops: "loops whose pipelining was switched off" },
  run(root, pass) {
    const { options, count, listener, fail, explain } = pass;
    if (!options.oneStage && options.numStages <= 1) return;
    const rw = new Rewriter(root.ctx, listener);
    const dump = (step: string): void => {
      if (options.dumpIntermediateSteps) pass.dump(step, root);
    };
    root.walkPostOrder((func) => {
      if (!FuncOp.is(func)) return;
      const { marked, reason } = markedLoop(func, (loop) => options.oneStage || stagesOf(loop, options.numStages) > 1);
      if (!marked) return;
      if (reason !== undefined) return explain && explainDeclined(explain, marked, reason);
      let groups = 3;
      for (; groups >= 2; groups--) {
        doTaskPartition(func, groups);
        dump("doTaskPartition");
        doTaskIdPropagate(func);
        dump("doTaskIdPropagate");
        if (doDataPartition(rw, func, groups - 1)) break;
      }
      if (groups < 2) fail();
      else dump("doDataPartition");
      doCodePartition(rw, func, options.numStages, pass.report);
      dump("doCodePartition");
      doTokenLowering(rw, func);
      if (func.ctx.triton.invalidatesRings) invalidateBarriers(rw, func);
      if (!verifyOperation(func)) refuse(marked, "Triton's way to divide this kernel among warp groups makes invalid IR of it");
      if (explain) explainGroups(explain, func, marked, groups === 3);
      func.walk((op) => {
        if (!ForOp.is(op)) return;
        op.setAttr(NUM_STAGES, i32Attr(op.ctx, 0));
        count("loops");
      });
    });
  },
});

/** The stages that a loop asks for. */
const stagesOf = (loop: Operation, otherwise: number): number => intOf(loop.attr(NUM_STAGES)) ?? otherwise;

/** The last loop of a function that is marked to be specialized, and why it cannot be. */
function markedLoop(
  func: Operation,
  counts: (loop: Operation) => boolean,
): { readonly marked: Operation | undefined; readonly reason: string | undefined } {
  let marked: Operation | undefined;
  let otherwise: Operation | undefined;
  func.walk((op) => {
    if (ForOp.is(op) && op.hasAttr(WARP_SPECIALIZE) && counts(op)) marked = op;
    if (IfOp.match(op)?.elseRegion.empty === false) otherwise = op;
  });
  const numWarps = marked ? lookupNumWarps(func) : 4;
  const reason =
    numWarps !== 4 ? `the kernel has ${numWarps} warps, and only those with 4 are divided` : otherwise && "the kernel has an 'else'";
  return { marked, reason };
}

function explainDeclined(explain: Explain, loop: Operation, reason: string): void {
  explain(loop, "specialize.declined", {
    kind: "missed",
    message: `{0} is not divided among warp groups: ${reason}`,
    fields: { reasons: [reason] },
  });
}
/** Says what the warp groups do, at the loop of the first; where there is but one, why. */
function explainGroups(explain: Explain, func: Operation, loop: Operation, cut: boolean): void {
  let specialized: Operation | undefined;
  let made: Operation | undefined;
  func.walk((op) => {
    if (WarpSpecializeOp.is(op)) specialized = op;
    else if (ForOp.is(op) && op.locRef === loop.locRef) made ??= op;
  });
  if (!specialized) return explainDeclined(explain, loop, "no warp group dot in it reads what it loads");
  const consumers = partitionRegionsOf(specialized).length;
  const part = cut ? "a part of the tile each" : "the whole tile each: it is too small to be cut";
  explain(made ?? specialized, "specialize.groups", {
    kind: "applied",
    message: `{0} is divided: one warp group loads for ${consumers} others, which compute ${part}`,
    fields: { consumers, cut },
  });
}
