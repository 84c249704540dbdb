/** The barrier of all threads of a CTA. Versions of LLVM have different ops for it. */
import { Barrier0Op, BarrierOp } from "../../../dialects/nvvm/ops/synchronization.js";
import type { Context } from "../../../ir/context.js";
import type { Operation } from "../../../ir/operation.js";

export const ctaBarrier = (ctx: Context) => (ctx.triton.ctaBarrier === "nvvm.barrier0" ? Barrier0Op : BarrierOp);

/** Is it a barrier of all threads, not one with a number? */
export const isCtaBarrier = (op: Operation): boolean => Barrier0Op.is(op) || (BarrierOp.is(op) && op.numOperands === 0);
