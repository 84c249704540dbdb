/**
 * Ops that only rename, repeat or reorder the elements a thread holds, and constants.
 * Source: lib/Conversion/TritonGPUToLLVM/ViewOpToLLVM.cpp, MakeRangeOpToLLVM.cpp.
 */

import { ConstantOp } from "../../dialects/arith/ops/constant.js";
import { UnrealizedConversionCastOp } from "../../dialects/builtin/ops/unrealized-conversion-cast.js";
import { LLVMArrayType, LLVMPointerType } from "../../dialects/llvm/types/types.js";
import { MakeRangeOp } from "../../dialects/tt/ops/program.js";
import { BroadcastOp, CatOp, ExpandDimsOp, JoinOp, ReshapeOp, SplatOp, SplitOp, TransOp, UnsplatOp } from "../../dialects/tt/ops/shape.js";
import { distributedParams, toLinearLayout } from "../../dialects/ttg/encodings/define-encoding.js";
import { PoisonOp } from "../../dialects/ub/ops/poison.js";
import type { Attribute, AttrOf } from "../../ir/attribute.js";
import { arrayAttr, DenseElementsAttr, dictEntries, FloatAttr, IntegerAttr, wrapInt } from "../../ir/builtin-attrs.js";
import { FloatType, RankedTensorType, type TensorType } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import { isExpensiveView } from "../../layout/encoding-queries.js";
import { addConstant } from "./device-strings.js";
import { linearize } from "./index-math.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";
import { applyLinearLayout, emitIndices, emitOffsetForLayout, knownCTAId, laneAndWarpId } from "./thread-indices.js";
import { convertType, elementsPerThread } from "./type-converter.js";

const tensorOf = (value: Value): TensorType => value.type as TensorType;

/** Gives all elements of a tensor the same value, of the element's bits. */
function setSplat(lo: Lowering, result: Value, value: Value): void {
  const element = convertType(tensorOf(result).params.elementType);
  const { b } = lo;
  const cast = (): Value =>
    LLVMPointerType.is(value.type) && !LLVMPointerType.is(element) ? b.ptrtoint(value, element) : b.bitcast(value, element);
  const same = lo.folding && value.type === element;
  lo.setElements(result, new Array<Value>(elementsPerThread(result.type)).fill(same ? value : cast()));
}

/** A float of 8 bits is an i8; its attribute stays a float's. */
function lowerConstant(value: Attribute, result: Value, lo: Lowering): false | void {
  const { b, ctx } = lo;
  if (!DenseElementsAttr.is(value)) {
    const others = dictEntries(lo.op.attrs).filter(([name]) => name !== "value");
    return lo.setValue(result, b.constant(convertType(result.type), value, others));
  }
  const { elementType } = (value.params.type as TensorType).params;
  const constantOf = (bits: bigint): Value =>
    FloatType.is(elementType)
      ? b.constant(convertType(elementType), FloatAttr.get(ctx, { bits, type: elementType }))
      : b.int(elementType, bits);
  if (value.params.splat) return setSplat(lo, result, constantOf(value.params.elements[0]!));
  if (lo.forms.constantsInMemory) return loadConstant(lo, value, result);
  if (elementsPerThread(result.type) !== value.params.elements.length)
    return lo.fail(lo.op, "Right now we only support constant arrays with the same number of elements as the number of threads per warp");
  lo.setElements(result, value.params.elements.map(constantOf));
}

/** Each thread loads its elements of an array. */
function loadConstant(lo: Lowering, value: AttrOf<typeof DenseElementsAttr>, result: Value): void {
  const { b, ctx } = lo;
  const { shape, encoding } = tensorOf(result).params;
  // Floats of 8 bits are bytes.
  const elementType = convertType(tensorOf(result).params.elementType);
  const elements = value.params.elements.map((bits) =>
    FloatType.is(elementType)
      ? FloatAttr.get(ctx, { bits, type: elementType })
      : IntegerAttr.get(ctx, { value: wrapInt(bits, elementType), type: elementType }),
  );
  const array = LLVMArrayType.get(ctx, { elementType, numElements: elements.length });
  const name = addConstant(lo, "tensor_constant_", array, arrayAttr(ctx, elements));
  const layout = toLinearLayout(shape, encoding!);
  const { lane, warp } = laneAndWarpId(lo);
  const block = knownCTAId(lo);
  const loaded = Array.from({ length: layout.getInDimSize("register") }, (_, register) => {
    const indices = applyLinearLayout(lo, layout, [
      ["register", register],
      ["lane", lane],
      ["warp", warp],
      ["block", block],
    ]);
    const index = linearize(b, indices, shape);
    return b.load(elementType, b.gep(b.ptr(), elementType, b.addressOf(name, b.ptr()), [index]));
  });
  lo.setElements(result, loaded);
}

/** The registers that hold one half of a tensor whose last dimension of 2 is split over registers, before the other half's come. */
function contiguousValues(type: TensorType): number {
  const last = type.params.shape.length - 1;
  const bases = toLinearLayout(type.params.shape, type.params.encoding!).getInDimBases("register");
  return 2 ** bases.findIndex((basis) => basis[last] === 1);
}

const keyOf = (offset: readonly number[]): string => offset.join();
/** The elements of `src` by where they lie. */
function byOffset(lo: Lowering, src: Value): Map<string, Value> {
  const elements = lo.elements(src);
  return new Map(emitOffsetForLayout(tensorOf(src)).map((offset, i) => [keyOf(offset), elements[i]!]));
}

export const VIEWS: readonly LoweringRule[] = [
  rule(ConstantOp, ({ value, result }, lo) => lowerConstant(value, result, lo)),
  rule(PoisonOp, ({ op }, lo) => lo.setValue(op.result(0), lo.b.poison(convertType(op.result(0).type)))),
  rule(MakeRangeOp, ({ start, result }, lo) => {
    const { b } = lo;
    const first = b.index(start);
    lo.setElements(
      result,
      emitIndices(lo, tensorOf(result), true).map(([index]) => b.add(index!, first)),
    );
  }),
  rule(SplatOp, ({ op, src, result }, lo) =>
    RankedTensorType.is(src.type) ? lo.fail(op, "a splat of a tensor cannot be lowered") : setSplat(lo, result, lo.value(src)),
  ),
  // Between a tensor and the struct that it becomes.
  rule(UnrealizedConversionCastOp, ({ op, inputs, outputs }, lo) => {
    const [input, output] = [inputs[0], outputs[0]];
    if (!input || !output || inputs.length + outputs.length !== 2 || convertType(input.type) !== convertType(output.type))
      return lo.fail(op, "a cast between types that are lowered to different ones cannot be lowered");
    return lo.alias(output, input);
  }),
  rule(UnsplatOp, ({ src, result }, lo) => lo.setValue(result, lo.elements(src)[0]!)),
  rule(TransOp, ({ src, result }, lo) => lo.alias(result, src)),
  rule(CatOp, ({ lhs, rhs, result }, lo) => {
    const left = lo.elements(lhs);
    lo.setElements(result, [...left, ...lo.elements(rhs)]);
  }),
  rule(JoinOp, ({ lhs, rhs, result }, lo) => {
    const run = contiguousValues(tensorOf(result));
    const left = lo.elements(lhs);
    const right = lo.elements(rhs);
    const joined: Value[] = [];
    for (let i = 0; i < left.length; i += run) joined.push(...left.slice(i, i + run), ...right.slice(i, i + run));
    lo.setElements(result, joined);
  }),
  rule(SplitOp, ({ src, outLHS, outRHS }, lo) => {
    const run = contiguousValues(tensorOf(src));
    const elements = lo.elements(src);
    const left: Value[] = [];
    const right: Value[] = [];
    for (let i = 0; i < elements.length; i += 2 * run) {
      left.push(...elements.slice(i, i + run));
      right.push(...elements.slice(i + run, i + 2 * run));
    }
    lo.setElements(outLHS, left);
    lo.setElements(outRHS, right);
  }),
  rule(ReshapeOp, ({ op, src, result }, lo) => {
    const [from, to] = [tensorOf(src).params, tensorOf(result).params];
    if (isExpensiveView(distributedParams(from.encoding)!, from.shape, distributedParams(to.encoding)!, to.shape))
      return lo.fail(op, "expensive view not supported on reshape op");
    return lo.setElements(result, lo.elements(src));
  }),
  rule(ExpandDimsOp, ({ op, src, result }, lo) => {
    const encoding = distributedParams(tensorOf(src).params.encoding);
    if (encoding?.kind !== "slice") return lo.fail(op, "ExpandDimsOp only supports SliceEncodingAttr as its input");
    const values = byOffset(lo, src);
    return lo.setElements(
      result,
      emitOffsetForLayout(tensorOf(result)).map((offset) => values.get(keyOf(offset.filter((_, d) => d !== encoding.dim)))!),
    );
  }),
  rule(BroadcastOp, ({ src, result }, lo) => {
    const { shape } = tensorOf(src).params;
    const values = byOffset(lo, src);
    lo.setElements(
      result,
      emitOffsetForLayout(tensorOf(result)).map((offset) => values.get(keyOf(offset.map((x, d) => (shape[d] === 1 ? 0 : x))))!),
    );
  }),
];
