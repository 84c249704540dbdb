/**
 * Puts barriers of a cluster where a CTA would else write shared memory that another CTA still reads, or leave while that reads it:
 *
 *     ttg.convert_layout                <- reads other CTAs' memory
 *     ttng.cluster_barrier              <- put here
 *     ttg.convert_layout                <- writes the same bytes
 *
 * A buffer of the kernel's own is in order with itself by its mbarriers. Source: lib/Dialect/TritonNvidiaGPU/Transforms/ClusterBarrierInsertion.cpp.
 */
import { isKernel } from "../dialects/tt/kernel.js";
import { ReturnOp } from "../dialects/tt/ops/function.js";
import { ReduceOp } from "../dialects/tt/ops/reduce.js";
import { toLinearLayout } from "../dialects/ttg/encodings/define-encoding.js";
import { enclosingModule } from "../dialects/ttg/num-warps.js";
import { ConvertLayoutOp } from "../dialects/ttg/ops/convert-layout.js";
import { ClusterBarrierOp, ClusterWaitOp } from "../dialects/ttng/ops/barrier.js";
import { TCGen5MMAOp, TCGen5MMAScaledOp } from "../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMCopyOp } from "../dialects/ttng/ops/tensor-memory.js";
import { AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp } from "../dialects/ttng/ops/tma.js";
import { runsOnTwoCTAs } from "../dialects/ttng/ttng-op.js";
import type { TensorType } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { isCvtBlockSync } from "../layout/conversion.js";
import type { LinearLayout } from "../layout/linear-layout.js";
import type { Rewriter } from "../rewrite/rewriter.js";
import type { ModuleAllocation } from "./allocation.js";
import { accessesOf, followAccesses, type MembarFilter, type PendingAccesses, scratchOf, type Visit } from "./membar.js";

/** Puts `ttng.cluster_barrier` ops into all functions of a module. */
export function insertClusterBarriers(allocation: ModuleAllocation, rw: Rewriter): void {
  const insert = (op: Operation): void => rw.from(op, () => void rw.setBefore(op).create(ClusterBarrierOp, {}, { loc: op.locRef }));
  const visit: Visit = (op, pending, context) => {
    if (ClusterBarrierOp.is(op) || ClusterWaitOp.is(op)) return pending.clear();
    if (ReturnOp.is(op)) {
      if (!isKernel(op.parentOp!) || !reachesOthers(pending) || moduleTwoCTAs(op)) return undefined;
      insert(op);
      return pending.clear();
    }
    const own = accessesOf(op, context);
    const scratch = scratchOf(op, context);
    if (scratch) own.write(scratch, op);
    const needed = pending.conflictsWith(own, neitherReachesOthers);
    if (needed) insert(op);
    if (needed || (scratch && reachesOtherCTAs(op, true))) pending.clear();
    if (scratch) own.read(scratch, op);
    return pending.join(own);
  };
  followAccesses(allocation, visit);
}

const neitherReachesOthers: MembarFilter = (before, after, { beforeReads, afterReads, sameBuffer }) =>
  sameBuffer || (!reachesOtherCTAs(before, beforeReads) && !reachesOtherCTAs(after, afterReads));

const reachesOthers = ({ reads, writes }: PendingAccesses): boolean =>
  [...reads.values()].some((ops) => [...ops].some((op) => reachesOtherCTAs(op, true))) ||
  [...writes.values()].some((ops) => [...ops].some((op) => reachesOtherCTAs(op, false)));

const layoutOf = (value: Value): LinearLayout => {
  const { shape, encoding } = (value.type as TensorType).params;
  return toLinearLayout(shape, encoding!);
};

const moduleTwoCTAs = (op: Operation): boolean => runsOnTwoCTAs(enclosingModule(op)!);

/** Does an op hand elements to other CTAs through shared memory: a conversion of the layout, or a reduction? */
export function exchangesBetweenCTAs(op: Operation): boolean {
  const cvt = ConvertLayoutOp.match(op);
  if (cvt) return !isCvtBlockSync(layoutOf(cvt.src), layoutOf(cvt.result));
  const reduce = ReduceOp.match(op);
  if (!reduce) return false;
  return layoutOf(reduce.srcs[0]!)
    .getInDimBases("block")
    .some((basis) => basis[reduce.axis] !== 0);
}

/** Does an op access other CTAs' shared memory, by its reads or its writes? */
function reachesOtherCTAs(op: Operation, reads: boolean): boolean {
  if (exchangesBetweenCTAs(op)) return reads;
  if (TCGen5MMAOp.is(op) || TCGen5MMAScaledOp.is(op)) return op.hasAttr("two_ctas");
  if (AsyncTMACopyGlobalToLocalOp.is(op) || AsyncTMAGatherOp.is(op)) return op.hasAttr("multicast");
  return TMEMCopyOp.is(op) && moduleTwoCTAs(op);
}
