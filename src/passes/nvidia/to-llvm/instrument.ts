/** Ops that the concurrency sanitizer puts into kernels. Source: lib/Conversion/TritonInstrumentToLLVM/InstrumentationToLLVM.cpp. */

import { ptrType, structType } from "../../../dialects/llvm/types/types.js";
import { TensorMemoryBaseAddress } from "../../../dialects/nvgpu/ops/ops.js";
import { sharedParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import * as tti from "../../../dialects/tti/ops/instrument.js";
import { i32, i64, RankedTensorType } from "../../../ir/builtin-types.js";
import { constantInt } from "../../../ir/match.js";
import type { Value } from "../../../ir/value.js";
import { stackPointer } from "../../ttg-to-llvm/control-flow.js";
import { failWhere } from "../../ttg-to-llvm/debug.js";
import { freeVariableMasks } from "../../ttg-to-llvm/global-access.js";
import { scalarBits } from "../../ttg-to-llvm/ll-builder.js";
import { memDescOf, sharedMemoryObject, shmemOffset } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { threadId } from "../../ttg-to-llvm/thread-indices.js";
import { convertType, elementsPerThread } from "../../ttg-to-llvm/type-converter.js";
import { rmwText } from "./atomics.js";
import { electPredicateWarp0 } from "./elect.js";
import { redundantThreadPredicate } from "./load-store.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";
import { PtxBuilder } from "./ptx-builder.js";

/** Elements as rules of tensors hand them on: through a struct where these are made. */
function passedOn({ b, ctx }: Lowering, elements: readonly Value[]): () => readonly Value[] {
  if (b.folding || elements.length === 1) return () => elements;
  const struct = b.packStruct(
    structType(
      ctx,
      elements.map((element) => element.type),
    ),
    elements,
  );
  return () => b.unpackStruct(struct);
}

const ASSERT_IN_THREAD = rule(tti.ExperimentalAssertInThreadOp, ({ op, condition, message, check_any }, lo: Lowering) => {
  const { b } = lo;
  const elements = lo.elements(condition);
  let holds = b.i1(!check_any);
  // Upstream makes a zero that nothing uses.
  if (!b.folding) b.i1(false);
  for (const element of elements) holds = check_any ? b.or(holds, element) : b.and(holds, element);
  const fails = b.xor(holds, b.i1(true));
  const isFirst = b.icmp("eq", threadId(lo), b.i32(0));
  failWhere(lo, op, b.and(fails, isFirst), message);
  if (RankedTensorType.is(condition.type)) lo.code.barrier(lo);
});

const BUFFER_POINTERS = rule(tti.ExperimentalBufferPointersOp, ({ offsets, memType, result }, lo: Lowering) => {
  const { b, ctx } = lo;
  const wide = i64(ctx);
  const count = elementsPerThread(result.type);
  if (offsets.length > count) return lo.fail(lo.op, "its buffers do not fit into the registers of one thread");
  const places = passedOn(
    lo,
    Array.from({ length: count }, (_, i) => b.i64(offsets[i % offsets.length]!)),
  );
  let base: Value;
  if (memType === "shared_mem") {
    base = b.at(lo.func.locRef, () => b.ptrtoint(stackPointer(lo), wide));
    if (!b.folding) base = b.bitcast(base, wide);
  } else {
    // The address has 32 bits, and a splat of them fills 64.
    const address = b.ptrtoint(b.value(TensorMemoryBaseAddress, {}, ptrType(ctx, 6)), i32(ctx));
    const half = b.folding ? address : b.bitcast(address, i32(ctx));
    base = b.bitcast(b.packVector([half, half]), wide);
  }
  const bases = passedOn(lo, new Array<Value>(count).fill(base))();
  // An addition of zeros folds.
  if (offsets.every((offset) => Number(offset) === 0)) return lo.setElements(result, bases);
  const all = places();
  return lo.setElements(
    result,
    bases.map((from, i) => b.add(from, all[i]!)),
  );
});

const MEMDESC_TO_I64 = rule(tti.ExperimentalMemDescToI64Op, ({ memdesc, result }, lo: Lowering) => {
  const { b, ctx } = lo;
  const type = memDescOf(memdesc);
  const wide = i64(ctx);
  if (!sharedParams(type.encoding)) return lo.setValue(result, b.ptrtoint(lo.value(memdesc), wide));
  const object = sharedMemoryObject(lo, memdesc);
  const bytes = b.i32(scalarBits(convertType(type.elementType)) / 8);
  const offset = b.zext(b.mul(shmemOffset(lo, object, type), bytes), wide);
  return lo.setValue(result, b.add(offset, b.ptrtoint(object.base, wide)));
});

/** One thread tries until it has the lock; the others wait for it. */
const LOCK_ACQUIRE = rule(tti.ExperimentalLockAcquireOp, ({ lock, pred }, lo: Lowering) => {
  const { b, ctx } = lo;
  const from = b.block;
  const loop = lo.addBlockAfter(from);
  const after = lo.addBlockAfter(loop);
  const elected = electPredicateWarp0(lo);
  // With a constant that is true the conjunction folds.
  lo.condBranch(pred && constantInt(pred) !== -1n ? b.and(elected, lo.value(pred)) : elected, loop, after);
  b.setEnd(loop);
  const [free, taken] = [b.i32(0), b.i32(1)];
  const ptx = new PtxBuilder();
  const old = ptx.output("=r", { init: true });
  const operands = [old, ptx.address(lo.value(lock), "l"), ptx.input(free, "r"), ptx.input(taken, "r")];
  ptx.instruction(["atom", "global", "acquire", "gpu", "cas", "b32"], operands);
  lo.condBranch(b.icmp("ne", ptx.launch(b, i32(ctx)), free), loop, after);
  b.setEnd(after);
  lo.code.barrier(lo);
});

const LOCK_RELEASE = rule(tti.ExperimentalLockReleaseOp, ({ lock, pred }, lo: Lowering) => {
  const { b, ctx } = lo;
  const release = (): void => {
    lo.code.barrier(lo);
    const free = b.i32(0);
    const predicate = redundantThreadPredicate(lo, freeVariableMasks(lock.type));
    const ptx = new PtxBuilder();
    const old = ptx.output("=r", { init: true });
    const operands = [old, ptx.address(lo.value(lock), "l"), ptx.input(free, "r")];
    const { name, type } = rmwText("exch", i32(ctx), 1);
    ptx.instruction(["atom", "global", "gpu", "acq_rel", name, type], operands, predicate && ptx.input(predicate, "b"));
    ptx.launch(b, i32(ctx));
  };
  if (!pred) return release();
  const from = b.block;
  const body = lo.addBlockAfter(from);
  const after = lo.addBlockAfter(body);
  lo.condBranch(lo.value(pred), body, after);
  b.setEnd(body);
  release();
  lo.branch(after, []);
  b.setEnd(after);
});

export const INSTRUMENT: readonly LoweringRule[] = [ASSERT_IN_THREAD, BUFFER_POINTERS, MEMDESC_TO_I64, LOCK_ACQUIRE, LOCK_RELEASE];
