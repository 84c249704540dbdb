/** Ops of rounds that may not exist: wrapped in `ttg.mask` while the loop is expanded, then masked each in its own way. Source: PipeliningUtility.cpp. */
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { AtomicRMWOp, LoadOp, StoreOp } from "../../../dialects/tt/ops/memory.js";
import { getPredMask } from "../../../dialects/tt/pred-mask.js";
import { AsyncCommitGroupOp, AsyncCopyGlobalToLocalOp, AsyncWaitOp } from "../../../dialects/ttg/ops/async-copy.js";
import { LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MaskOp, MaskReturnOp } from "../../../dialects/ttg/ops/misc.js";
import { LocalLoadTrait } from "../../../dialects/ttg/ttg-op.js";
import { ArriveBarrierOp, BarrierExpectOp, FenceAsyncSharedOp, WaitBarrierOp } from "../../../dialects/ttng/ops/barrier.js";
import { MMAv5OpInterface, TCGen5CommitOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp, TMEMLoadOp, TMEMStoreOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp } from "../../../dialects/ttng/ops/tma.js";
import { i32ArrayAttr } from "../../../ir/builtin-attrs.js";
import { isMemoryEffectFree } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { Region } from "../../../ir/region.js";
import type { Value } from "../../../ir/value.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

/** Puts an op into a `ttg.mask`, which stands for it from then on. */
export function wrapInMaskOp(rw: Rewriter, op: Operation, pred: Value): Operation {
  const region = new Region(rw.ctx, null, 0);
  region.addBlock();
  const mask = rw.create(MaskOp, { pred, region }, { loc: op.locRef, types: op.resultTypes });
  rw.setEnd(mask.region.firstBlock!);
  const inner = rw.clone(op);
  rw.create(MaskReturnOp, { result: inner.results }, { loc: op.locRef });
  rw.replace(op, mask.op.results);
  return mask.op;
}

/** Takes every op out of its `ttg.mask` and gives it the mask. Calls `fail` for an op that cannot be predicated. */
export function resolveMaskOps(rw: Rewriter, root: Operation, fail: (op: Operation, message: string) => void): void {
  // Folds only: of a dialect without its ops, upstream gets no patterns.
  if (!applyPatternsGreedily(root, [], { listener: rw.listener }).converged) return fail(root, "Failed to canonicalize the IR");
  const masks: Operation[] = [];
  root.walkPostOrder((op) => void (MaskOp.is(op) && masks.push(op)));
  for (const mask of masks) {
    const block = mask.regions[0]!.firstBlock!;
    for (let op = block.firstOp!; op !== block.lastOp; op = block.firstOp!) {
      rw.moveBefore(op, mask);
      if (!rw.from(op, () => predicateOp(rw, op, mask.operand(0)))) fail(op, "pipeliner doesn't know how to predicate this op.");
    }
    rw.replace(mask, block.lastOp!.operands);
  }
}

/** Makes an op do nothing unless `pred` holds. An op that may run in vain stays as it is. */
function predicateOp(rw: Rewriter, op: Operation, pred: Value): boolean {
  // A predicate known to hold becomes a mask as well: upstream's test for it compares the sign-extended i1 with 1.
  if (isMemoryEffectFree(op) || op.def.traits.has(LocalLoadTrait)) return true;
  const inVain = [AsyncCommitGroupOp, AsyncWaitOp, LocalStoreOp, FenceAsyncSharedOp, TMEMAllocOp, TMEMLoadOp];
  // Ops of unknown dialects are in tests only.
  if (inVain.some((def) => def.is(op)) || op.name === "llvm.intr.assume" || !op.def.registered) return true;
  rw.setBefore(op);
  const branch = IfOp.match(op);
  if (branch) return rw.setOperand(op, 0, getPredMask(rw, branch.condition.type, branch.condition, pred));
  const copy = AsyncCopyGlobalToLocalOp.match(op);
  if (copy) return setMask(rw, op, [copy.src, copy.result], copy.mask, copy.other, getPredMask(rw, copy.src.type, copy.mask, pred));
  const load = LoadOp.match(op);
  if (load) return setMask(rw, op, [load.ptr], load.mask, load.other, getPredMask(rw, load.ptr.type, load.mask, pred));
  const certain = [AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp, TMEMStoreOp, BarrierExpectOp].some((def) => def.is(op));
  // Their predicate is the last operand.
  if (certain) {
    const old = op.operand(op.numOperands - 1);
    return rw.setOperand(op, op.numOperands - 1, getPredMask(rw, old.type, old, pred));
  }
  const mma = op.def.interface(MMAv5OpInterface);
  if (mma) {
    const at = mma.indexOfUseD(op) + 1;
    const old = op.operand(at);
    return rw.setOperand(op, at, getPredMask(rw, old.type, old, pred));
  }
  const wait = WaitBarrierOp.match(op);
  if (wait) {
    const mask = getPredMask(rw, pred.type, wait.pred, pred);
    return rw.modify(op, () => {
      op.setOperands([wait.alloc, wait.phase, mask, ...wait.deps]);
      op.setAttr("operandSegmentSizes", i32ArrayAttr(op.ctx, [1, 1, 1, op.numOperands - 3]));
    });
  }
  const commit = TCGen5CommitOp.match(op);
  if (commit) {
    const mask = getPredMask(rw, pred.type, commit.pred, pred);
    return rw.modify(op, () => {
      op.setOperands([commit.barrier, mask, ...commit.descs]);
      op.setAttr("operandSegmentSizes", i32ArrayAttr(op.ctx, [1, 1, commit.descs.length]));
    });
  }
  const signal = ArriveBarrierOp.match(op);
  const last = StoreOp.match(op) ?? AtomicRMWOp.match(op);
  if (!signal && !last) return false;
  // The mask, where there is one, is the last operand.
  const old = signal ? signal.pred : last!.mask;
  const mask = getPredMask(rw, signal ? pred.type : last!.ptr.type, old, pred);
  return rw.modify(op, () => op.setOperands([...op.operands.slice(0, old ? -1 : undefined), mask]));
}

function setMask(
  rw: Rewriter,
  op: Operation,
  first: readonly Value[],
  old: Value | undefined,
  other: Value | undefined,
  mask: Value,
): true {
  return rw.modify(op, () => {
    if (old) return op.setOperand(first.length, mask);
    op.setOperands(other ? [...first, mask, other] : [...first, mask]);
    op.setAttr("operandSegmentSizes", i32ArrayAttr(op.ctx, [...first.map(() => 1), 1, other ? 1 : 0]));
  });
}
