import * as arith from "../../dialects/arith/ops/index.js";
import { ForOp } from "../../dialects/scf/ops/for.js";
import { TransposeOpInterface } from "../../dialects/tt/op-interfaces.js";
import { DotOp } from "../../dialects/tt/ops/dot.js";
import { SplatOp } from "../../dialects/tt/ops/shape.js";
import { encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp, LocalDeallocOp, LocalLoadOp } from "../../dialects/ttg/ops/local-memory.js";
import type { Block } from "../../ir/block.js";
import { encodingOf } from "../../ir/builtin-types.js";
import { Dominance } from "../../ir/dominance.js";
import { memoryEffects } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { Rewriter } from "../../rewrite/rewriter.js";

export const reorderInstructions = definePass("tritongpu-reorder-instructions", {
  name: "TritonGPUReorderInstructions",
  summary: "Reorder instructions",
  source: "lib/Dialect/TritonGPU/Transforms/ReorderInstructions.cpp",
  statistics: { moved: "operations moved" },
  run(root, { listener, count }) {
    const rw = new Rewriter(root.ctx, listener);
    const moveAfter = (op: Operation, after: Operation): void => {
      if (after.next === op) return;
      count("moved");
      rw.moveAfter(op, after);
    };
    sinkConversionsBehindDeallocs(root, moveAfter);
    for (const [op, user] of conversionsToSink(root)) {
      count("moved");
      rw.moveBefore(op, user);
    }
    root.walkPostOrder((op) => {
      const source = LocalAllocOp.match(op)?.src?.definingOp;
      // A scalar spread over a tensor is better kept in registers as long as can be.
      if (source && !arith.ConstantOp.is(source) && !SplatOp.is(source)) moveAfter(op, source);
    });
    moveTransposesToSource(root, moveAfter);
    const dominance = new Dominance();
    root.walkPostOrder((op) => {
      const load = loadOfDotOperand(op, 1);
      const dot = load?.hasOneUse() ? DotOp.match(load.firstUse!.owner) : undefined;
      const first = dot && LocalLoadOp.match(dot.a.definingOp)?.op;
      if (first && dominance.dominates(op, first) && !crossesWrite(op, first)) moveAfter(op, first);
    });
  },
});

/** Moves what transposes right after what it transposes. */
export function moveTransposesToSource(root: Operation, moveAfter: (op: Operation, after: Operation) => void): void {
  root.walkPostOrder((op) => {
    const source = op.def.interface(TransposeOpInterface)?.src(op).definingOp;
    if (source) moveAfter(op, source);
  });
}

/** Moves each conversion after the last deallocation before its first use. */
export function sinkConversionsBehindDeallocs(root: Operation, moveAfter: (op: Operation, after: Operation) => void): void {
  root.walkPostOrder((op) => {
    if (!ConvertLayoutOp.is(op)) return;
    const firstUse = firstUseInBlock(op);
    let last: Operation | undefined;
    for (let at = op.next; at && at !== firstUse; at = at.next) if (LocalDeallocOp.is(at)) last = at;
    if (last) moveAfter(op, last);
  });
}
/** The first op of the block that uses the result, or holds an op that does. */
function firstUseInBlock(op: Operation): Operation | undefined {
  let first: Operation | undefined;
  for (const user of op.result(0).users()) {
    const ancestor = ancestorInBlock(user, op.block!);
    if (ancestor && (!first || ancestor.isBeforeInBlock(first))) first = ancestor;
  }
  return first;
}
function ancestorInBlock(op: Operation, block: Block): Operation | undefined {
  let at: Operation | null = op;
  while (at && at.block !== block) at = at.parentOp;
  return at ?? undefined;
}

/** Ops that fill registers and are used once, in another loop, with their users. */
function conversionsToSink(root: Operation): (readonly [Operation, Operation])[] {
  const found: (readonly [Operation, Operation])[] = [];
  root.walkPostOrder((op) => {
    const isDotOperand = ConvertLayoutOp.is(op) && encodingParams(encodingOf(op.result(0).type))?.kind === "dot_op";
    if (!LocalLoadOp.is(op) && !isDotOperand) return;
    const result = op.result(0);
    if (!result.hasOneUse()) return;
    const user = result.firstUse!.owner;
    if (user.parentOfType(ForOp) !== op.parentOfType(ForOp)) found.push([op, user]);
  });
  return found;
}

/** The loaded tensor, if `op` loads operand `opIdx` of a dot from shared memory. */
function loadOfDotOperand(op: Operation, opIdx: number): Value | undefined {
  const load = LocalLoadOp.match(op)?.result;
  const encoding = load && encodingParams(encodingOf(load.type));
  return encoding?.kind === "dot_op" && encoding.opIdx === opIdx ? load : undefined;
}

/** Whether an op between `start` and `end`, which it dominates, is known to write. As upstream, unknown effects do not count. */
function crossesWrite(start: Operation, end: Operation): boolean {
  const last = ancestorInBlock(end, start.block!);
  if (!last) return true;
  for (let at = start.next; at; at = at.next) {
    if (memoryEffects(at)?.some((effect) => effect.kind === "write")) return true;
    if (at === last) return false;
  }
  return true;
}
