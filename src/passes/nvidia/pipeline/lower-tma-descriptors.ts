/**
 * Descriptors made in a loop: each is written to a ring of places in global scratch memory, so that copies of earlier rounds can go on
 * with theirs. Source: Pipeliner/PipeliningUtility.cpp, lowerTMADescriptors.
 */
import { ConstantOp, MulIOp } from "../../../dialects/arith/ops/index.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { AddPtrOp, MakeTensorDescOp } from "../../../dialects/tt/ops/pointer.js";
import { pointerType } from "../../../dialects/tt/types.js";
import { GlobalScratchAllocOp } from "../../../dialects/ttg/ops/misc.js";
import { WarpGroupDotOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import { i8 } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Value } from "../../../ir/value.js";
import { PassError } from "../../../pass/pass-error.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { addIterArgsToLoop, appendToYield, sinkValueRedefinition } from "../../ttg/replace-with-new-signature.js";
import { type CoarseSchedule, inSlot } from "../../ttg/software-pipelining/coarse-schedule.js";
import { bodyOf } from "../../ttg/software-pipelining/pipelined-loops.js";
import { createTMADesc, TMA_SIZE_BYTES } from "../tma/create-tma-desc.js";
import { createIncrementModulo } from "./rings.js";

/** Returns the loop, which is a new one when it makes descriptors. */
export function lowerTMADescriptors(rw: Rewriter, before: ForView, schedule: CoarseSchedule): ForView {
  const made: View<typeof MakeTensorDescOp>[] = [];
  before.op.walkPostOrder((op) => {
    const make = MakeTensorDescOp.match(op);
    if (make) made.push(make);
  });
  if (made.length === 0) return before;
  // With wgmma, rounds overlap by one more.
  const hasDot = bodyOf(before)
    .opsWithoutTerminator()
    .some((op) => WarpGroupDotOp.is(op));
  const numBuffers = schedule.numStages - 1 + (hasDot ? 1 : 0);
  rw.setBefore(before);
  const size = { nbytes: numBuffers * TMA_SIZE_BYTES, alignment: TMA_SIZE_BYTES };
  const types = [pointerType(i8(rw.ctx))];
  const allocs = made.map((make) => rw.from(make, () => rw.value(GlobalScratchAllocOp, size, { loc: make.op.locRef, types })));
  return rw.from(before, () => {
    const options = { loc: before.op.locRef };
    const constant = (n: number): Value => rw.value(ConstantOp, { value: i32Attr(rw.ctx, n) }, options);
    const [zero, one] = [constant(0), constant(1)] as [Value, Value];
    const loop = addIterArgsToLoop(
      rw,
      before,
      made.map(() => zero),
    );
    const first = bodyOf(loop).args.length - made.length;
    appendToYield(
      loop,
      made.map(() => zero),
    );
    rw.setBefore(loop);
    const modulus = constant(numBuffers);
    made.forEach((make, i) => {
      rw.from(make, () => {
        const counter = bodyOf(loop).args[first + i]!;
        const next = inSlot(rw.setBefore(make), schedule, schedule.slots.get(make.op), () =>
          writeDescriptor(rw, make, allocs[i]!, counter, { modulus, zero, one }),
        );
        const atEnd = sinkValueRedefinition(rw, counter, next, make.op.block!);
        bodyOf(loop).lastOp!.setOperand(counter.index - 1, atEnd);
        if (rw.ctx.triton.erasesReplacedDescriptors) rw.erase(make);
      });
    });
    return loop;
  });
}

/** Writes a descriptor to its place of this round. Returns the place of the next one. */
function writeDescriptor(
  rw: Rewriter,
  make: View<typeof MakeTensorDescOp>,
  alloc: Value,
  counter: Value,
  { modulus, zero, one }: Readonly<Record<"modulus" | "zero" | "one", Value>>,
): Value {
  const options = { loc: make.op.locRef };
  const size = rw.value(ConstantOp, { value: i32Attr(rw.ctx, TMA_SIZE_BYTES) }, options);
  const offset = rw.value(MulIOp, { lhs: size, rhs: counter }, options);
  const desc = createTMADesc(rw, rw.value(AddPtrOp, { ptr: alloc, offset }, { ...options, types: [alloc.type] }), make);
  if (typeof desc === "string") throw new PassError(make.op, desc, "pass.descriptor");
  rw.replaceAllUses(make.result, desc);
  return createIncrementModulo(rw, options, counter, modulus, zero, one).value;
}
