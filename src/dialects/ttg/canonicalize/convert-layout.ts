/**
 * Layout conversions that an op next to them makes unnecessary. ttng adds the one of tmem_store.
 * Source: lib/Dialect/TritonGPU/IR/Ops.cpp, ConvertLayoutOp::getCanonicalizationPatterns.
 */
import type { Attribute } from "../../../ir/attribute.js";
import { DenseElementsAttr } from "../../../ir/builtin-attrs.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Value } from "../../../ir/value.js";
import { getTotalElemsPerThread, getUniqueElemsPerThread, isExpensiveView as isExpensiveViewOf } from "../../../layout/encoding-queries.js";
import { layoutProblem } from "../../../layout/verify-encoding.js";
import { pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { ConstantOp } from "../../arith/ops/constant.js";
import { GatherOp, HistogramOp } from "../../tt/ops/gather.js";
import { MakeRangeOp } from "../../tt/ops/program.js";
import { CatOp, ReshapeOp, SplatOp, SplitOp, TransOp } from "../../tt/ops/shape.js";
import { getI1SameShape } from "../../tt/types.js";
import { distributedParams } from "../encodings/define-encoding.js";
import { DotOperandEncoding } from "../encodings/dot-op.js";
import { NvidiaMmaEncoding } from "../encodings/nvidia-mma.js";
import { inferLayout } from "../infer-layout.js";
import { ConvertLayoutOp } from "../ops/convert-layout.js";
import { LocalAllocOp, LocalLoadOp, LocalStoreOp } from "../ops/local-memory.js";

type ConvertView = NonNullable<ReturnType<typeof ConvertLayoutOp.match>>;
const typeOf = (value: Value): TensorType => value.type as TensorType;
const encodingOf = (value: Value): Attribute | undefined => typeOf(value).params.encoding;
const convertOf = (value: Value): ConvertView | undefined => ConvertLayoutOp.match(value.definingOp);

/** Would viewing one tensor as another move data? Without layouts for them nobody knows, so yes. */
export function isExpensiveView(src: TensorType, dst: TensorType): boolean {
  const [from, to] = [src.params, dst.params];
  const [srcParams, dstParams] = [distributedParams(from.encoding), distributedParams(to.encoding)];
  if (!srcParams || !dstParams) return true;
  if (layoutProblem(from.shape, srcParams) !== undefined || layoutProblem(to.shape, dstParams) !== undefined) return true;
  return isExpensiveViewOf(srcParams, from.shape, dstParams, to.shape);
}
/** Are both sides of the conversion the same layout under different names? */
function isConvertTrivial({ src, result }: ConvertView): boolean {
  const from = encodingOf(src);
  return from !== undefined && inferLayout.verifyLayoutsAreEqual(typeOf(src).params.shape, from, encodingOf(result), undefined);
}
/** Fewer elements per thread than `cat` has would need shared memory; since 3.8 as many different ones as the operands have together. */
export function isExpensiveCat({ lhs, result }: View<typeof CatOp>, target: Attribute | undefined): boolean {
  const { shape, encoding } = typeOf(result).params;
  const [from, to] = [distributedParams(encoding), distributedParams(target)];
  if (!from || !to) return true;
  if (result.type.ctx.triton.catsKeepElements) {
    const part = typeOf(lhs).params;
    return getUniqueElemsPerThread(to, shape) !== 2 * getUniqueElemsPerThread(distributedParams(part.encoding)!, part.shape);
  }
  return getTotalElemsPerThread(to, shape) < getTotalElemsPerThread(from, shape);
}

/** cvt of the op that makes the tensor: that op gives the wanted layout itself. */
export const convertFromConvert = pattern("canonicalize-convert-from-convert", ConvertLayoutOp, (op, rw) => {
  const { src, result } = op;
  if (src.type === result.type) return rw.replace(op, src);
  // Conversions of an accumulator to a dot operand stay: a heuristic for fused attention.
  if (DotOperandEncoding.is(encodingOf(result)) && NvidiaMmaEncoding.is(encodingOf(src))) return rw.noMatch("accumulator to dot operand");
  const arg = src.definingOp;
  if (!arg) return rw.noMatch("source is a block argument");
  const types = [result.type];

  const reshape = ReshapeOp.match(arg);
  if (reshape) {
    if (!reshape.allow_reorder || reshape.efficient_layout || isExpensiveView(typeOf(reshape.src), typeOf(result)))
      return rw.noMatch("the reshape may not have another layout");
    // Lowering packs elements of dot operands, which a reshape could not unpack.
    if (DotOperandEncoding.is(encodingOf(src)) || DotOperandEncoding.is(encodingOf(result))) return rw.noMatch("dot operand");
    rw.replaceWith(op, ReshapeOp, { src: reshape.result, allow_reorder: true }, { types });
    return true;
  }
  const histogram = HistogramOp.match(arg);
  if (histogram) return replaced(rw.replaceWith(op, HistogramOp, { src: histogram.src, mask: histogram.mask }, { types }));
  const load = LocalLoadOp.match(arg);
  if (load) {
    // At the place of the load: ops with side effects may be between.
    rw.setBefore(arg);
    return replaced(rw.replaceWith(op, LocalLoadOp, { src: load.src, token: load.token }, { types }));
  }
  const cat = CatOp.match(arg);
  if (cat) {
    if (isExpensiveCat(cat, encodingOf(result))) return rw.noMatch("the cat has more elements per thread");
    return replaced(rw.replaceWith(op, CatOp, { lhs: cat.lhs, rhs: cat.rhs }, { types }));
  }
  const convert = ConvertLayoutOp.match(arg);
  if (convert) return replaced(rw.replaceWith(op, ConvertLayoutOp, { src: convert.src }, { types }));
  const splat = SplatOp.match(arg);
  if (splat) return replaced(rw.replaceWith(op, SplatOp, { src: splat.src }, { types }));
  const range = MakeRangeOp.match(arg);
  if (range) return replaced(rw.replaceWith(op, MakeRangeOp, { start: range.start, end: range.end }, { types }));
  const value = ConstantOp.match(arg)?.value;
  if (!DenseElementsAttr.is(value) || !value.params.splat) return rw.noMatch("no conversion of this op");
  const splatted = DenseElementsAttr.get(rw.ctx, { ...value.params, type: result.type });
  return replaced(rw.replaceWith(op, ConstantOp, { value: splatted }, { types }));
});

/** reshape(cvt) -> reshape */
export const convertFromReshape = pattern("canonicalize-convert-from-reshape", ReshapeOp, (op, rw) => {
  const convert = convertOf(op.src);
  if (!convert) return rw.noMatch("source is not ttg.convert_layout");
  const { allow_reorder, efficient_layout } = op;
  if (!isConvertTrivial(convert) && (isExpensiveView(typeOf(convert.src), typeOf(op.result)) || !allow_reorder))
    return rw.noMatch("the reshape would move data");
  return replaced(rw.replaceWith(op, ReshapeOp, { src: convert.src, allow_reorder, efficient_layout }, { types: [op.result.type] }));
});

/** trans(x) in the order that x has -> cvt; trans(cvt) -> trans where the conversion is trivial */
export const convertFromTranspose = pattern("canonicalize-convert-from-transpose", TransOp, (op, rw) => {
  const types = [op.result.type];
  if (op.order.every((dim, i) => dim === i)) return replaced(rw.replaceWith(op, ConvertLayoutOp, { src: op.src }, { types }));
  const convert = convertOf(op.src);
  if (!convert || !isConvertTrivial(convert)) return rw.noMatch("source is no trivial ttg.convert_layout");
  return replaced(rw.replaceWith(op, TransOp, { src: convert.src, order: op.order }, { types }));
});

/** gather(cvt(src), idx) -> gather(src, idx), unless its layout was picked on purpose: gathering goes through shared memory. */
export const convertFromGatherSource = pattern("canonicalize-convert-from-gather-source", GatherOp, (op, rw) => {
  if (op.efficient_layout) return rw.noMatch("the layout was picked");
  const convert = convertOf(op.src);
  if (!convert) return rw.noMatch("source is not ttg.convert_layout");
  return replaced(rw.replaceWith(op, GatherOp, { src: convert.src, indices: op.indices, axis: op.axis }));
});

/** histogram(cvt) -> histogram */
export const convertFromHistogram = pattern("canonicalize-convert-from-histogram", HistogramOp, (op, rw) => {
  const convert = convertOf(op.src);
  if (!convert) return rw.noMatch("source is not ttg.convert_layout");
  const { src } = convert;
  const mask = op.mask && convertMask(op.mask, src, rw);
  return replaced(rw.replaceWith(op, HistogramOp, { src, mask }, { types: [op.result.type] }));
});
function convertMask(mask: Value, src: Value, rw: Rewriter): Value {
  return rw.value(ConvertLayoutOp, { src: mask }, { types: [getI1SameShape(src.type)] });
}

/** local_alloc(cvt) -> local_alloc */
export const convertFromAlloc = pattern("canonicalize-convert-from-alloc", LocalAllocOp, (op, rw) => {
  const convert = op.src && convertOf(op.src);
  if (!convert) return rw.noMatch("source is not ttg.convert_layout");
  return replaced(rw.replaceWith(op, LocalAllocOp, { src: convert.src }, { types: [op.result.type] }));
});

/** local_store(cvt) -> local_store */
export const convertFromLocalStore = pattern("canonicalize-convert-from-local-store", LocalStoreOp, (op, rw) => {
  const convert = convertOf(op.src);
  if (!convert) return rw.noMatch("source is not ttg.convert_layout");
  return replaced(rw.replaceWith(op, LocalStoreOp, { src: convert.src, dst: op.dst }));
});

/** split(cvt) -> split, where it has the same result: several layouts split to one. */
export const convertFromSplit = pattern("canonicalize-convert-from-split", SplitOp, (op, rw) => {
  const convert = convertOf(op.src);
  const src = convert && encodingOf(convert.src);
  if (!src) return rw.noMatch("source is not ttg.convert_layout");
  const inferred = inferLayout.inferSplitOpEncoding(src, typeOf(op.src).params.shape, undefined);
  if (inferred !== encodingOf(op.outLHS)) return rw.noMatch("the result would have another layout");
  return replaced(rw.replaceWith(op, SplitOp, { src: convert!.src }));
});

function replaced(_view: object): true {
  return true;
}
