/** Source: lib/Dialect/TritonNvidiaGPU/Transforms/MMALowering.cpp. */
import { ConstantOp } from "../../dialects/arith/ops/constant.js";
import { encodingAttr, encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../../dialects/ttg/encodings/shared-memory.js";
import { enclosingModule, getNumCTAs } from "../../dialects/ttg/num-warps.js";
import { LocalAllocOp } from "../../dialects/ttg/ops/local-memory.js";
import { type MemDesc, memDescType } from "../../dialects/ttg/types.js";
import { TensorMemorySpace } from "../../dialects/ttng/attrs.js";
import { barrierType } from "../../dialects/ttng/barrier-type.js";
import { InitBarrierOp, InvalBarrierOp, WaitBarrierOp } from "../../dialects/ttng/ops/barrier.js";
import { MMAv5OpInterface, sharedByCommit, TCGen5CommitOp, TCGen5MMAScaledOp } from "../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMCopyOp } from "../../dialects/ttng/ops/tensor-memory.js";
import { tmemSharing } from "../../dialects/ttng/tmem-layout.js";
import { boolAttr, i32Attr, unitAttr } from "../../ir/builtin-attrs.js";
import { isPureOp } from "../../ir/interfaces.js";
import { constantInt } from "../../ir/match.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { getCTALayout } from "../../layout/encoding-queries.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { anyOpPattern, hasInterface, pattern } from "../../rewrite/pattern.js";
import { addCompletionBarrier, mmaOf } from "./completion-barrier.js";

export const mmaLowering = definePass("triton-nvidia-mma-lowering", {
  name: "TritonNvidiaGPUMMALoweringPass",
  summary: "lower mma operations if needed",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/MMALowering.cpp",
  run(root, { listener }) {
    applyPatternsGreedily(root, [syncMMALowering, scaleSharedToTmem, mergeCommitIntoMMA], { listener });
  },
});

/** A synchronous instruction gets a barrier of its own, and a wait. */
const syncMMALowering = anyOpPattern("sync-mma-lowering", hasInterface(MMAv5OpInterface), (op, rw) => {
  if (mmaOf(op).is_async) return rw.noMatch("somebody waits for it");
  const type = barrierType(rw.ctx, getNumCTAs(enclosingModule(op)));
  const barrier = rw.value(LocalAllocOp, {}, { types: [type] });
  rw.create(InitBarrierOp, { alloc: barrier, count: 1 });
  const pred = rw.value(ConstantOp, { value: boolAttr(rw.ctx, true) });
  addCompletionBarrier(rw, op, barrier, pred);
  rw.setAttr(op, "is_async", unitAttr(rw.ctx));
  rw.setAfter(op);
  const phase = rw.value(ConstantOp, { value: i32Attr(rw.ctx, 0) });
  rw.create(WaitBarrierOp, { alloc: barrier, phase, pred: mmaOf(op).pred, deps: [] });
  rw.create(InvalBarrierOp, { alloc: barrier });
  return true;
});

/** Scales in shared memory are copied to tensor memory, spread over the rows of the instruction. */
const scaleSharedToTmem = pattern("scale-shared-to-tmem", TCGen5MMAScaledOp, (mma, rw) => {
  const { op } = mma;
  let changed = false;
  const lower = (scale: Value, rows: number): void => {
    const { shape, elementType, encoding, memorySpace } = (scale.type as MemDesc).params;
    if (!SharedMemorySpace.is(memorySpace)) return;
    const numElems = shape.reduce((n, size) => n * size, 1);
    const sharing = tmemSharing(rw.ctx, getCTALayout(encodingParams(encoding)!)!);
    const scales = encodingAttr(rw.ctx, { kind: "tensor_memory_scales_encoding", ...sharing });
    const type = memDescType([rows, Math.trunc(numElems / rows)], elementType, scales, TensorMemorySpace.get(rw.ctx, {}), true);
    const dst = rw.create(TMEMAllocOp, {}, { types: [type] }).result;
    rw.create(TMEMCopyOp, { src: scale, dst });
    rw.setOperand(op, op.operands.indexOf(scale), dst);
    changed = true;
  };
  const [blockM, blockN] = (mma.d.type as MemDesc).params.shape.slice(-2) as [number, number];
  lower(mma.a_scale, blockM);
  lower(mma.b_scale, blockN);
  return changed || rw.noMatch("no scales in shared memory");
});

/** Commits right after an instruction become barriers of it. */
const mergeCommitIntoMMA = anyOpPattern("merge-commit-into-mma", hasInterface(MMAv5OpInterface), (op, rw) => {
  const { pred: mmaPred } = mmaOf(op);
  const always = constantInt(mmaPred) !== undefined && constantInt(mmaPred) !== 0n;
  const inOrder = rw.ctx.triton.mergesCommitsInOrder;
  const commits: Operation[] = [];
  for (let next = op.next; next; next = next.next) {
    const commit = TCGen5CommitOp.match(next);
    if (commit) {
      const merges = (always || mmaPred === commit.pred) && (!inOrder || sameValues(commit.descs, sharedByCommit(op)));
      if (merges) commits.push(next);
      else if (inOrder) break;
    } else if (!isPureOp(next)) break;
  }
  if (commits.length === 0) return rw.noMatch("no commits follow");
  for (const commit of commits) {
    const view = TCGen5CommitOp.match(commit)!;
    const pred = view.pred ?? rw.value(ConstantOp, { value: boolAttr(rw.ctx, true) });
    if (!moveDefiningOpsBefore(view.barrier, op) || !moveDefiningOpsBefore(pred, op)) continue;
    addCompletionBarrier(rw, op, view.barrier, pred);
    rw.erase(commit);
  }
  return true;
});

const sameValues = (a: readonly Value[], b: readonly Value[]): boolean => a.length === b.length && a.every((value, i) => value === b[i]);

/** Moves what makes `value` before `target`, where it is not; false when an op on the way is not pure. */
function moveDefiningOpsBefore(value: Value, target: Operation): boolean {
  const toMove = new Set<Operation>();
  const collect = (at: Value): boolean => {
    const def = at.definingOp;
    if (!def || def.block !== target.block || !target.isBeforeInBlock(def)) return true;
    if (!isPureOp(def) || !def.operands.every(collect)) return false;
    toMove.add(def);
    return true;
  };
  if (!collect(value)) return false;
  for (const def of toMove) def.moveBefore(target);
  return true;
}
