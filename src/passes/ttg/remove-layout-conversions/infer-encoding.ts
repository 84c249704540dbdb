/**
 * How the encodings of an op's operands and results follow from each other.
 * Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp, inferSrcEncoding, inferDstEncoding.
 */
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { ConditionOp, WhileOp } from "../../../dialects/scf/ops/while.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { layoutRules } from "../../../dialects/tt/infer-layout.js";
import { TransposeOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { GatherOp } from "../../../dialects/tt/ops/gather.js";
import { ReduceOp, ScanOp } from "../../../dialects/tt/ops/reduce.js";
import { ExpandDimsOp, JoinOp, ReshapeOp, SplitOp } from "../../../dialects/tt/ops/shape.js";
import { SameLoadStoreOperandsAndResultEncoding, SameOperandsAndResultEncoding } from "../../../dialects/tt/traits.js";
import { isExpensiveView } from "../../../dialects/ttg/canonicalize/convert-layout.js";
import { BlockedEncoding } from "../../../dialects/ttg/encodings/blocked.js";
import { SliceEncoding } from "../../../dialects/ttg/encodings/slice.js";
import { Fp4ToFpOp } from "../../../dialects/ttg/ops/misc.js";
import { UpcastFpOpInterface } from "../../../dialects/ttg/upcast-fp.js";
import { WarpGroupDotWaitOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { Attribute } from "../../../ir/attribute.js";
import { encodingOf, type TensorType, withEncoding } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { Elementwise } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";

const shapeOf = (value: Value): readonly number[] => (value.type as TensorType).params.shape;

/** The encoding that operands must have for results with that one; undefined where there is none, or not one for all operands. */
export function inferSrcEncoding(op: Operation, encoding: Attribute): Attribute | undefined {
  if (ScanOp.is(op) && !BlockedEncoding.is(encoding)) return undefined;
  if (op.def.interface(UpcastFpOpInterface)) return undefined;
  if (keepsEncoding(op)) return encoding;
  const reduce = ReduceOp.match(op);
  if (reduce) return parentOfSlice(encoding, reduce.axis);
  const expand = ExpandDimsOp.match(op);
  if (expand) return sliceOf(encoding, expand.axis);
  const join = JoinOp.match(op);
  if (join) return layoutRules(encoding).inferSplitOpEncoding(encoding, shapeOf(join.result), undefined);
  const split = SplitOp.match(op);
  if (split) return layoutRules(encoding).inferDefaultJoinOpEncoding(encoding, shapeOf(split.outLHS), undefined);
  const transpose = op.def.interface(TransposeOpInterface);
  if (transpose) {
    const order = transpose.order(op);
    const inverse: number[] = [];
    order.forEach((dim, i) => {
      inverse[dim] = i;
    });
    return layoutRules(encoding).inferTransOpEncoding(encoding, shapeOf(op.result(0)), inverse, undefined);
  }
  const reshape = ReshapeOp.match(op);
  if (reshape) return inferReshape(reshape.result, encoding, reshape.src, reshape.allow_reorder);
  if (GatherOp.is(op)) return encoding;
  const fp4 = Fp4ToFpOp.match(op);
  return fp4 && layoutRules(encoding).inferFp4ToFpOpEncoding(shapeOf(fp4.result), fp4.axis, encoding, false, undefined);
}

/** The encoding that results get when the operands have that one; undefined where it does not follow. For a gather: from the indices. */
export function inferDstEncoding(op: Operation, encoding: Attribute): Attribute | undefined {
  if (ScanOp.is(op) && !BlockedEncoding.is(encoding)) return undefined;
  if (op.def.interface(UpcastFpOpInterface)) return undefined;
  if (keepsEncoding(op) || ForOp.is(op)) return encoding;
  const reduce = ReduceOp.match(op);
  if (reduce) return sliceOf(encoding, reduce.axis);
  const expand = ExpandDimsOp.match(op);
  if (expand) return parentOfSlice(encoding, expand.axis);
  const join = JoinOp.match(op);
  if (join) return layoutRules(encoding).inferDefaultJoinOpEncoding(encoding, shapeOf(join.lhs), undefined);
  const split = SplitOp.match(op);
  if (split) return layoutRules(encoding).inferSplitOpEncoding(encoding, shapeOf(split.src), undefined);
  const transpose = op.def.interface(TransposeOpInterface);
  if (transpose) return layoutRules(encoding).inferTransOpEncoding(encoding, shapeOf(transpose.src(op)), transpose.order(op), undefined);
  const reshape = ReshapeOp.match(op);
  if (reshape) return inferReshape(reshape.src, encoding, reshape.result, reshape.allow_reorder);
  if (GatherOp.is(op)) return encoding;
  const fp4 = Fp4ToFpOp.match(op);
  return fp4 && layoutRules(encoding).inferFp4ToFpOpEncoding(shapeOf(fp4.src), fp4.axis, encoding, true, undefined);
}

function keepsEncoding({ def }: Operation): boolean {
  const { traits } = def;
  if (traits.has(SameOperandsAndResultEncoding) || traits.has(SameLoadStoreOperandsAndResultEncoding) || traits.has(Elementwise))
    return true;
  return def === WhileOp || def === YieldOp || def === ConditionOp || def === WarpGroupDotWaitOp;
}
/** The encoding of a slice: `parent` without the dimension `dim`. */
function sliceOf(parent: Attribute, dim: number): Attribute {
  return SliceEncoding.get(parent.ctx, { dim, parent });
}
/** The encoding that `encoding` is a slice of, if it lacks that dimension. */
function parentOfSlice(encoding: Attribute, dim: number): Attribute | undefined {
  return SliceEncoding.is(encoding) && encoding.params.dim === dim ? encoding.params.parent : undefined;
}
/** A reshape without reordering works both ways alike. */
function inferReshape(from: Value, encoding: Attribute, to: Value, mayReorder: boolean): Attribute | undefined {
  if (mayReorder && !encoding.ctx.triton.infersReorderings) return undefined;
  if (mayReorder && !isExpensiveView(withEncoding(from.type as TensorType, encoding), to.type as TensorType)) return encodingOf(to.type);
  return layoutRules(encoding).inferReshapeOpEncoding(shapeOf(from), encoding, shapeOf(to), undefined);
}
