import { IntToPtrOp } from "../../../dialects/llvm/ops/casts.js";
import { ICmpOp } from "../../../dialects/llvm/ops/compare.js";
import { AddressOfOp, UndefOp } from "../../../dialects/llvm/ops/constants.js";
import { ReturnOp } from "../../../dialects/llvm/ops/control-flow.js";
import { LLVMFuncOp } from "../../../dialects/llvm/ops/functions.js";
import { Trap } from "../../../dialects/llvm/ops/intrinsics-memory.js";
import { LoadOp } from "../../../dialects/llvm/ops/memory.js";
import { ptrType } from "../../../dialects/llvm/types/types.js";
import { TensorMemoryBaseAddress } from "../../../dialects/nvgpu/ops/ops.js";
import { ThreadIdXOp } from "../../../dialects/nvvm/ops/registers.js";
import { ClusterArriveOp, ClusterWaitOp } from "../../../dialects/nvvm/ops/synchronization.js";
import { enclosingModule } from "../../../dialects/ttg/num-warps.js";
import { runsOnTwoCTAs } from "../../../dialects/ttng/ttng-op.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import { i1, i32 } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { type RewriteListener, Rewriter } from "../../../rewrite/rewriter.js";
import { inlineAsm } from "../../llvm/inline-asm.js";
import { i32Constant } from "./constants.js";
import { ctaBarrier } from "./cta-barrier.js";

/** More than the hardware has. */
const COLUMNS = 512;

/**
 * A kernel that uses tensor memory asks for it at its beginning and gives it back before it returns. One warp does so; the hardware
 * writes the address to shared memory, where all find it. Source: NVGPUToLLVMPass.cpp, lowerTensorMemoryAlloc.
 */
export function lowerTensorMemoryBase(module: Operation, listener: RewriteListener): void {
  const bases: Operation[] = [];
  module.walk((op) => {
    if (TensorMemoryBaseAddress.is(op)) bases.push(op);
  });
  const kernel = bases[0]?.parentOfType(LLVMFuncOp);
  const own = kernel && enclosingModule(kernel)!;
  const size = intOf(own?.attr("ttg.tensor_memory_size")) ?? 0;
  if (!own || size === 0) return;
  const rw = new Rewriter(module.ctx, listener, kernel.locRef);
  const base = rw.from(bases[0]!, () => allocate(rw.setStart(kernel.regions[0]!.firstBlock!), kernel, size, runsOnTwoCTAs(own) ? 2 : 1));
  for (const op of bases) rw.replace(op, base);
}

function allocate(rw: Rewriter, kernel: Operation, size: number, numCTAs: number): Value {
  const { ctx } = rw;
  const pointer = ptrType(ctx, 6);
  if (size > COLUMNS) {
    // Whoever launches it says what is wrong; the code must not run.
    rw.create(Trap, {});
    return rw.value(UndefOp, {}, { types: [pointer] });
  }
  const group = `cta_group::${numCTAs}`;
  const thread = rw.value(ThreadIdXOp, {}, { types: [i32(ctx)] });
  const isFirstWarp = rw.value(ICmpOp, { predicate: "ult", lhs: thread, rhs: i32Constant(rw, 32) }, { types: [i1(ctx)] });
  const shared = rw.value(AddressOfOp, { global_name: "global_smem" }, { types: [ptrType(ctx, 3)] });
  const asm = `@$0 tcgen05.alloc.${group}.sync.aligned.shared::cta.b32 [$1], ${size};`;
  inlineAsm(rw, { asm, constraints: "b,r", operands: [isFirstWarp, shared] });
  rw.create(ctaBarrier(ctx), {});
  const address = rw.value(LoadOp, { addr: shared }, { types: [i32(ctx)] });
  rw.create(ctaBarrier(ctx), {});
  const base = rw.value(IntToPtrOp, { arg: address }, { types: [pointer] });
  const relinquish = `@$0 tcgen05.relinquish_alloc_permit.${group}.sync.aligned;`;
  inlineAsm(rw, { asm: relinquish, constraints: "b", operands: [isFirstWarp] });
  kernel.walk((op) => {
    if (!ReturnOp.is(op)) return;
    rw.setBefore(op).loc = op.locRef;
    if (numCTAs === 2 && ctx.triton.pairsLeaveTogether) {
      rw.create(ClusterArriveOp, { aligned: true });
      rw.create(ClusterWaitOp, { aligned: true });
    } else rw.create(ctaBarrier(ctx), {});
    inlineAsm(rw, { asm: `@$0 tcgen05.dealloc.${group}.sync.aligned.b32 $1, ${size};`, constraints: "b,r", operands: [isFirstWarp, base] });
  });
  return base;
}
