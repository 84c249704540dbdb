import { CircularStoreOp, ReadCounterOp } from "../../../dialects/proton_gpu/ops/counters.js";
import { SchedBarrierOp } from "../../../dialects/rocdl/ops/synchronization.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { theFunction } from "../../proton/functions.js";

export const addSchedBarriers = definePass("add-sched-barriers", {
  name: "AddSchedBarriers",
  summary: "Add scheduling barriers for AMD proton ops to avoid reordering",
  source: "third_party/proton/Dialect/lib/ProtonGPUToLLVM/ProtonAMDGPUToLLVM/AddSchedBarriers.cpp",
  statistics: { added: "barriers added" },
  run(module, { listener, report, count, fail }) {
    const func = theFunction(module, report);
    if (!func) return fail();
    const reads: Operation[] = [];
    const stores: Operation[] = [];
    func.walkPostOrder((op) => {
      if (ReadCounterOp.is(op)) reads.push(op);
      else if (CircularStoreOp.is(op)) stores.push(op);
    });
    const rw = new Rewriter(module.ctx, listener);
    const add = (op: Operation): void => {
      rw.from(op, () => rw.create(SchedBarrierOp, { mask: 0 }, { loc: op.locRef }));
      count("added");
    };
    for (const op of reads) if (!SchedBarrierOp.is(op.prev ?? undefined)) rw.setBefore(op), add(op);
    for (const op of stores) if (!SchedBarrierOp.is(op.next ?? undefined)) rw.setAfter(op), add(op);
  },
});
