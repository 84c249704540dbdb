/**
 * Where a tensor's layout follows from that of another, or is asked for by the op.
 * Source: lib/Conversion/TritonToTritonGPU/TritonToTritonGPUPass.cpp.
 */
import { valueLocation } from "../../dialects/scf/build.js";
import { DotOp } from "../../dialects/tt/ops/dot.js";
import { BroadcastOp, CatOp, ExpandDimsOp, JoinOp, joinedType, SplitOp, TransOp } from "../../dialects/tt/ops/shape.js";
import { distributedParams, encodingAttr, encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import { bitWidth, encodingOf, numElements, type TensorType, withEncoding } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import type { BlockedParams, EncodingParams } from "../../layout/encoding-params.js";
import { getTotalElemsPerThread } from "../../layout/encoding-queries.js";
import { getDefaultBlockedEncoding, makeBlockedForCTAs } from "../../layout/encodings/blocked.js";
import { dotOperandFor } from "../../layout/encodings/dot-operand.js";
import { LinearLayout } from "../../layout/linear-layout.js";
import { transposeLinearLayout } from "../../layout/standard-dims.js";
import { type ConversionPattern, conversionPattern } from "../../rewrite/conversion-pattern.js";
import type { Rewriter } from "../../rewrite/rewriter.js";
import type { TypeConverter } from "../../rewrite/type-converter.js";
import { addNamedAttrs, type GpuShape } from "./triton-gpu-conversion.js";

const tensorOf = (value: Value): TensorType => value.type as TensorType;
/** The blocked layout of a tensor; undefined when it has another kind, or none. */
function blockedOf(type: TensorType): BlockedParams | undefined {
  const params = encodingParams(type.params.encoding);
  return params?.kind === "blocked" ? params : undefined;
}
function withLayout(type: TensorType, encoding: EncodingParams): TensorType {
  return withEncoding(type, encodingAttr(type.ctx, encoding));
}
function convertTo(rw: Rewriter, src: Value, type: TensorType, loc = rw.loc): Value {
  return rw.value(ConvertLayoutOp, { src }, { types: [type], loc });
}
/** `list` with `item` at place `at`. */
const inserted = (list: readonly number[], at: number, item: number): number[] => [...list.slice(0, at), item, ...list.slice(at)];

/** A layout with a dimension of extent 1 at `axis`: the layout of an expand_dims whose operand is a slice of it. */
function expanded(src: BlockedParams, axis: number): BlockedParams {
  const rank = src.order.length + 1;
  const order = Array.from({ length: rank }, (_, i) => i);
  const cga = src.cga.multiply(LinearLayout.identity1D(1, "block", `dim${rank - 1}`));
  return {
    kind: "blocked",
    sizePerThread: inserted(src.sizePerThread, axis, 1),
    threadsPerWarp: inserted(src.threadsPerWarp, axis, 1),
    warpsPerCTA: inserted(src.warpsPerCTA, axis, 1),
    order,
    cga: transposeLinearLayout(cga, inserted(order.slice(0, -1), axis, rank - 1)),
  };
}

/** The accumulator's layout: 1x1, 2x2 or 4x4 elements a thread, as many as there are for all threads. */
function dotResultLayout(shape: readonly number[], { numWarps, threadsPerWarp, numCTAs }: GpuShape): BlockedParams {
  const rank = shape.length;
  const perThread = Math.trunc(numElements(shape) / (numWarps * threadsPerWarp));
  const size = perThread >= 16 ? 4 : perThread >= 4 ? 2 : 1;
  const sizePerThread = shape.map((extent, dim) => (dim < rank - 2 ? 1 : Math.min(size, extent)));
  const order = shape.map((_, i) => rank - 1 - i);
  return makeBlockedForCTAs({ shape, sizePerThread, order, numWarps, threadsPerWarp }, numCTAs);
}

const nextPowerOf2 = (n: number): number => 2 ** Math.ceil(Math.log2(n));

/** The patterns of tt.expand_dims, tt.dot, tt.cat, tt.join, tt.split, tt.trans and tt.broadcast. */
export function tritonShapePatterns(converter: TypeConverter, gpu: GpuShape): ConversionPattern[] {
  const options = { converter };
  return [
    // The layout of the source grows by a dimension; a convert brings the source to the slice of it.
    conversionPattern(
      "convert-expand-dims",
      ExpandDimsOp,
      ({ op, axis }, { src }, rw) => {
        const type = tensorOf(src);
        const layout = blockedOf(type);
        if (!layout) return rw.noMatch("source has no blocked layout", op);
        const slice = withLayout(type, { kind: "slice", dim: axis, parent: expanded(layout, axis) });
        addNamedAttrs(rw.replaceWith(op, ExpandDimsOp, { src: convertTo(rw, src, slice), axis }).op, op);
        return true;
      },
      options,
    ),
    conversionPattern(
      "convert-dot",
      DotOp,
      (dot, adaptor, rw) => {
        const { op, inputPrecision, maxNumImpreciseAcc } = dot;
        if (!encodingOf(adaptor.a.type) || !encodingOf(adaptor.b.type)) return rw.noMatch("an operand has no layout", op);
        const type = tensorOf(dot.d);
        const layout = dotResultLayout(type.params.shape, gpu);
        const operand = (value: Value, opIdx: number): Value => {
          const from = tensorOf(value);
          if (encodingParams(from.params.encoding)?.kind === "dot_op") return value;
          const to = dotOperandFor(opIdx, layout, bitWidth(from.params.elementType)!);
          return convertTo(rw, value, withLayout(from, to), valueLocation(value));
        };
        const a = operand(adaptor.a, 0);
        const b = operand(adaptor.b, 1);
        const c = convertTo(rw, adaptor.c, withLayout(type, layout), valueLocation(adaptor.c));
        addNamedAttrs(rw.replaceWith(op, DotOp, { a, b, c, inputPrecision, maxNumImpreciseAcc }, { types: [c.type] }).op, op);
        return true;
      },
      options,
    ),
    // A thread of the result holds what it holds of both operands, rounded up to a power of two.
    conversionPattern(
      "convert-cat",
      CatOp,
      ({ op, result }, { lhs, rhs }, rw) => {
        const type = converter.convertType(result.type) as TensorType;
        const layout = blockedOf(type);
        if (!layout) return rw.noMatch("the result has no blocked layout", op);
        const elems = (of: TensorType): number => getTotalElemsPerThread(distributedParams(of.params.encoding)!, of.params.shape);
        const wanted = nextPowerOf2(elems(tensorOf(lhs)) + elems(tensorOf(rhs)));
        const sizePerThread = [...layout.sizePerThread];
        sizePerThread[layout.order[0]!]! *= Math.trunc(wanted / elems(type));
        addNamedAttrs(rw.replaceWith(op, CatOp, { lhs, rhs }, { types: [withLayout(type, { ...layout, sizePerThread })] }).op, op);
        return true;
      },
      options,
    ),
    conversionPattern(
      "convert-join",
      JoinOp,
      ({ op }, { lhs, rhs }, rw) => {
        addNamedAttrs(rw.replaceWith(op, JoinOp, { lhs, rhs }, { types: [joinedType(tensorOf(lhs))] }).op, op);
        return true;
      },
      options,
    ),
    // Both halves must be in one thread, the last dimension being the fastest.
    conversionPattern(
      "convert-split",
      SplitOp,
      (split, adaptor, rw) => {
        const { op } = split;
        let { src } = adaptor;
        const type = tensorOf(src);
        const layout = blockedOf(type);
        const last = type.params.shape.length - 1;
        if (layout?.sizePerThread[last] !== 2 || layout.order[0] !== last) {
          const { numWarps, threadsPerWarp, numCTAs } = gpu;
          const half = getDefaultBlockedEncoding(tensorOf(split.outLHS).params.shape, numWarps, threadsPerWarp, numCTAs);
          const whole: BlockedParams = {
            kind: "blocked",
            sizePerThread: [...half.sizePerThread, 2],
            threadsPerWarp: [...half.threadsPerWarp, 1],
            warpsPerCTA: [...half.warpsPerCTA, 1],
            order: [last, ...half.order],
            cga: half.cga.multiply(LinearLayout.identity1D(1, "block", `dim${last}`)),
          };
          src = convertTo(rw, src, withLayout(type, whole));
        }
        addNamedAttrs(rw.replaceWith(op, SplitOp, { src }).op, op);
        return true;
      },
      options,
    ),
    conversionPattern(
      "convert-trans",
      TransOp,
      ({ op, order }, { src }, rw) => {
        if (!encodingOf(src.type)) return rw.noMatch("source has no layout", op);
        addNamedAttrs(rw.replaceWith(op, TransOp, { src, order }).op, op);
        return true;
      },
      options,
    ),
    conversionPattern(
      "convert-broadcast",
      BroadcastOp,
      ({ op, result }, { src }, rw) => {
        const encoding = encodingOf(src.type);
        if (!encoding) return rw.noMatch("source has no layout", op);
        addNamedAttrs(rw.replaceWith(op, BroadcastOp, { src }, { types: [withEncoding(tensorOf(result), encoding)] }).op, op);
        return true;
      },
      options,
    ),
  ];
}
