import { topologicalSort } from "../../../analysis/slices.js";
import { DescriptorLoadOpInterface } from "../../../dialects/nvws/interfaces.js";
import { ArefCreateOp, ArefGetEnterOp, ArefPutEnterOp } from "../../../dialects/nvws/ops/aref.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import { TMEMAllocOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { PoisonOp } from "../../../dialects/ub/ops/index.js";
import type { Operation } from "../../../ir/operation.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { pattern } from "../../../rewrite/pattern.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { forLoops } from "../../ttg/software-pipelining/pipelined-loops.js";
import { loopsToSpecialize } from "../automatic-warp-specialization/partition-scheduling.js";
import { refuse } from "../not-specializable.js";
import { asyncConsumers, createArefBarriers, lowerArefUser } from "./aref-barriers.js";
import { assignStagePhase } from "./assign-stage-phase.js";
import { bufferViewType, createAlloc, createAref, multiBufferedType, tokenType } from "./buffers.js";
import { combineArefs } from "./combine-arefs.js";

export const lowerAref = definePass("nvws-lower-aref", {
  name: "NVWSLowerAref",
  summary: "Convert nvws.aref.* to ttng.*barrier* ops.",
  source: "third_party/nvidia/lib/Dialect/NVWS/Transforms/LowerAref.cpp",
  options: { numStages: option.int({ default: 3, summary: "number of pipeline stages" }) },
  statistics: { arefs: "arefs lowered" },
  run(root, pass) {
    const { options, listener, runNested, fail } = pass;
    const rw = new Rewriter(root.ctx, listener);
    const nested = root.ctx.triton.dividesByFlow;
    for (const loop of loopsToSpecialize(root)) for (const each of nested ? forLoops(loop.op) : [loop]) combineArefs(rw, each);
    const arefs: Operation[] = [];
    root.walkPostOrder((op) => void (ArefCreateOp.is(op) && isFilledByLoads(op) && arefs.push(op)));
    for (const aref of arefs) rw.from(aref, () => multiBuffer(rw, aref, options.numStages));
    if (!runNested([assignStagePhase()], root)) return fail();
    const lower = pattern("lower-aref-create", ArefCreateOp, ({ op }, rewriter) => {
      lowerCreate(rewriter, op, options.numStages);
      pass.count("arefs");
      return true;
    });
    if (!applyPatternsGreedily(root, [lower], { fold: false, cseConstants: false, listener }).converged) return fail();
    root.walkPostOrder((func) => {
      if (!FuncOp.is(func)) return;
      const entry = func.regions[0]!.firstBlock;
      // They belong to no partition, and would trouble later passes.
      func.walkPostOrder((op) => void (PoisonOp.is(op) && op !== entry!.firstOp && op.moveToStart(entry!)));
    });
  },
});

/** Whether TMA writes to the buffers. */
function isFilledByLoads(aref: Operation): boolean {
  return aref
    .result(0)
    .users()
    .some(
      (user) =>
        ArefPutEnterOp.is(user) &&
        user.results.some((result) => result.users().some((load) => load.def.interface(DescriptorLoadOpInterface))),
    );
}

function multiBuffer(rw: Rewriter, aref: Operation, numStages: number): void {
  if (aref.operands.some(({ definingOp }) => !definingOp || TMEMAllocOp.is(definingOp))) return;
  rw.setBefore(aref);
  const stale: Operation[] = [];
  const buffers = aref.operands.map((old) => {
    const type = multiBufferedType(bufferViewType(old.type as MemDesc, true), numStages);
    const made = createAlloc(rw, type, old.definingOp!.locRef);
    stale.push(old.definingOp!);
    rw.replaceAllUses(old, made);
    return made;
  });
  rw.replace(aref, createAref(rw, buffers, aref.locRef));
  for (const alloc of stale) rw.erase(alloc);
}

function lowerCreate(rw: Rewriter, op: Operation, numStages: number): void {
  const users = op.result(0).users();
  const aref = createArefBarriers(rw, op, users);
  // As long as consumers still say what they read: where the producer is TMA these do not wait for their instructions.
  const consumers = { mmas: asyncConsumers(op.result(0)), numStages };
  for (const user of users) lowerArefUser(rw, aref, user, consumers);
  const sorted = topologicalSort([...new Set([op, ...users])]);
  const poison = rw.setBefore(op).value(PoisonOp, {}, { loc: op.locRef, types: [tokenType(rw.ctx)] });
  for (const user of sorted) {
    const token = (ArefPutEnterOp.match(user) ?? ArefGetEnterOp.match(user))?.token;
    if (token) rw.replaceAllUses(token, poison);
  }
  for (const user of sorted.reverse())
    if (user.isUsed()) refuse(user, "a buffer is entered and never left");
    else rw.erase(user);
}
