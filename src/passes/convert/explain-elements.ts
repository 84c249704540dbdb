/** Where the elements per thread come from of the ops that have rules of their own: cat, join, split and dot. */
import { DotOp } from "../../dialects/tt/ops/dot.js";
import { CatOp, JoinOp, SplitOp } from "../../dialects/tt/ops/shape.js";
import { distributedParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import { numElements, type TensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { getTotalElemsPerThread } from "../../layout/encoding-queries.js";
import { type Explain, RemarkRefs } from "../../pass/remark.js";

/** Says it of every such op of a converted module. */
export function explainElements(explain: Explain, root: Operation, threads: number): void {
  root.walk((op) => {
    const refs = new RemarkRefs(op);
    const message = wordsFor(op, refs, threads);
    if (message === undefined) return;
    const value = SplitOp.is(op) ? op.operand(0) : op.result(0);
    const sizePerThread = sizePerThreadOf(value);
    explain(op, "convert.elements", {
      kind: "analysis",
      message: `${message}: sizePerThread = [${sizePerThread.join(", ")}]`,
      refs: refs.list,
      fields: { sizePerThread, elements: elementsOf(value) },
    });
  });
}

function wordsFor(op: Operation, refs: RemarkRefs, threads: number): string | undefined {
  const cat = CatOp.match(op);
  if (cat) {
    const [lhs, rhs] = [elementsOf(cat.lhs), elementsOf(cat.rhs)];
    return `each thread of {0} holds what it holds of ${refs.of(cat.lhs)} and ${refs.of(cat.rhs)}, ${lhs} + ${rhs} elements, rounded up to a power of two along the fastest dimension`;
  }
  const join = JoinOp.match(op);
  if (join)
    return `each thread of {0} holds its elements of ${refs.of(join.lhs)} and ${refs.of(join.rhs)} side by side, 2 along a new last dimension`;
  const split = SplitOp.match(op);
  if (split) {
    const converted = ConvertLayoutOp.is(split.src.definingOp);
    return `both halves of {0} must lie in one thread: its source ${refs.of(split.src)} ${converted ? "is converted to have" : "has"} 2 elements a thread along its last dimension, the fastest one`;
  }
  const dot = DotOp.match(op);
  if (!dot) return undefined;
  const total = numElements((dot.d.type as TensorType).params.shape);
  const perThread = Math.trunc(total / threads);
  const size = perThread >= 16 ? 4 : perThread >= 4 ? 2 : 1;
  return `the result of {0} has ${total} elements for ${threads} threads, ${perThread} each: at ${size === 4 ? "16 or more" : size === 2 ? "4 to 15" : "less than 4"} a thread gets a tile of ${size}x${size}, no larger than the tensor`;
}

function elementsOf({ type }: Value): number {
  const { shape, encoding } = (type as TensorType).params;
  return getTotalElemsPerThread(distributedParams(encoding)!, shape);
}
function sizePerThreadOf({ type }: Value): readonly number[] {
  const params = distributedParams((type as TensorType).params.encoding);
  return params?.kind === "blocked" ? params.sizePerThread : [];
}
