/**
 * Reshapes and transpositions of a tensor before it goes to the buffer of a matrix instruction are views of a buffer with what they began with. The
 * layouts follow backwards from that of the instruction's buffer, which must be a `shared_linear` one.
 *
 *     local_alloc(trans(reshape(x)))      memdesc_trans(memdesc_reshape(local_alloc(x)))
 *
 * Source: lib/Dialect/TritonGPU/Transforms/OptimizeDotOperands.cpp, RewriteMmaOperandViewsToMemDescForDotOp (Triton 3.8).
 */
import { layoutRules } from "../../../dialects/tt/infer-layout.js";
import { ReshapeOp, TransOp } from "../../../dialects/tt/ops/shape.js";
import { SharedLinearEncoding } from "../../../dialects/ttg/encodings/shared-linear.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { inferMemDescReshape, MemDescReshapeOp, MemDescTransOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import { type MemDesc, MemDescType, memDescType } from "../../../dialects/ttg/types.js";
import { TCGen5MMAOp, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { WarpGroupDotOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { anyOpPattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

type Step = View<typeof ReshapeOp> | View<typeof TransOp>;

function operandsOf(op: Operation): readonly Value[] | undefined {
  const scaled = TCGen5MMAScaledOp.match(op);
  if (scaled) return [scaled.a, scaled.b, scaled.a_scale, scaled.b_scale];
  const dot = TCGen5MMAOp.match(op) ?? WarpGroupDotOp.match(op);
  return dot && [dot.a, dot.b];
}

export const operandViewsToMemDesc = anyOpPattern(
  "operand-views-to-mem-desc",
  (op) => operandsOf(op) !== undefined,
  (op, rw) => {
    let changed = false;
    // Rewriting one operand may change the others.
    for (let i = 0; i < operandsOf(op)!.length; i++) if (rewriteOperand(rw, operandsOf(op)![i]!)) changed = true;
    return changed || rw.noMatch("no views before a buffer");
  },
);

const shapeOf = (value: Value): readonly number[] => (value.type as TensorType).params.shape;

function rewriteOperand(rw: Rewriter, operand: Value): boolean {
  if (!MemDescType.is(operand.type) || !SharedLinearEncoding.is(operand.type.params.encoding)) return false;
  let buffer = operand;
  for (;;) {
    const view = MemDescReshapeOp.match(buffer.definingOp) ?? MemDescTransOp.match(buffer.definingOp);
    if (!view) break;
    buffer = view.src;
  }
  const alloc = LocalAllocOp.match(buffer.definingOp);
  if (!alloc?.src) return false;
  const steps: Step[] = [];
  let tensor = alloc.src;
  let type = alloc.result.type as MemDesc;
  for (;;) {
    const step = ReshapeOp.match(tensor.definingOp) ?? TransOp.match(tensor.definingOp);
    if (!step) break;
    const before = typeBefore(step, type);
    if (!before) return false;
    type = before;
    steps.unshift(step);
    tensor = step.src;
  }
  if (steps.length === 0) return false;
  return rw.preserving(() => {
    rw.setBefore(alloc);
    let made = rw.value(LocalAllocOp, { src: tensor }, { loc: alloc.op.locRef, types: [type] });
    for (const step of steps) {
      const loc = step.op.locRef;
      if ("order" in step) made = rw.value(MemDescTransOp, { src: made, order: step.order }, { loc });
      else {
        const reshaped = inferMemDescReshape(made.type as MemDesc, shapeOf(step.result));
        if (typeof reshaped === "string") return false;
        made = rw.value(MemDescReshapeOp, { src: made }, { loc, types: [reshaped] });
      }
    }
    return rw.replace(alloc, made);
  });
}

/** The buffer's type before a view. */
function typeBefore(step: Step, type: MemDesc): MemDesc | undefined {
  if (!("order" in step)) {
    const before = inferMemDescReshape(type, shapeOf(step.src));
    return typeof before === "string" ? undefined : before;
  }
  const { elementType, encoding, memorySpace, mutableMemory } = type.params;
  const inverse = step.order.map((_, i) => step.order.indexOf(i));
  const inner = layoutRules(encoding).inferTransOpEncoding(encoding, shapeOf(step.result), inverse, undefined);
  return inner && memDescType(shapeOf(step.src), elementType, inner, memorySpace, mutableMemory);
}
