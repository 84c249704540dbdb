import { FuncOp } from "../../../dialects/tt/ops/function.js";
import { getNumCTAs } from "../../../dialects/ttg/num-warps.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { CTAPlanner } from "./cta-planner.js";

export const planCTA = definePass("triton-nvidia-gpu-plan-cta", {
  name: "TritonGPUPlanCTAPass",
  summary: "plan CTA",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/PlanCTA.cpp",
  run(root, { listener, report }) {
    if (getNumCTAs(root) === 1) return;
    const rw = new Rewriter(root.ctx, listener);
    const funcs: Operation[] = [];
    root.walkPostOrder((op) => {
      if (FuncOp.is(op)) funcs.push(op);
    });
    for (const func of funcs) {
      const failure = new CTAPlanner(rw).run(func);
      if (failure) return report.error(failure.op, failure.message);
      // Upstream replaces the function by a copy, in which uses are in program order: later passes visit them in that order.
      rw.setBefore(func).clone(func);
      rw.erase(func);
    }
  },
});
