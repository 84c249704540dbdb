/** Views of buffers: no op here moves anything. Source: TritonGPUOps.td; Ops.cpp. */
import { i32ArrayAttr, intsOf } from "../../../ir/builtin-attrs.js";
import { bitWidth } from "../../../ir/builtin-types.js";
import { DenseI32ArrayAttr, I32 } from "../../../ir/constraints.js";
import { defineOp, type FoldResult, type OpReport } from "../../../ir/define-op.js";
import { implement } from "../../../ir/interfaces.js";
import { Pure, SameOperandsAndResultElementType } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { isShared } from "../../../layout/encoding-params.js";
import { getRank, linearComponentOf, paddingsOf } from "../../../layout/encoding-queries.js";
import { isPowerOf2 } from "../../../layout/encodings/matrix-order.js";
import { inferMemDescReshapeOpEncoding } from "../../../layout/infer/reshape.js";
import { layoutProblem } from "../../../layout/verify-encoding.js";
import { layoutRules } from "../../tt/infer-layout.js";
import { applyPermutation, TransposeOpInterface, TransposeOpTrait } from "../../tt/op-interfaces.js";
import { areEquivalentTypes, InferTypeOpWithLayoutEquivalence } from "../../tt/traits.js";
import { encodingAttr, encodingParams, firstProblem, sharedParams, toLinearLayout } from "../encodings/define-encoding.js";
import { MemDescViewTrait, ttgTraits } from "../ttg-op.js";
import { type MemDesc, MemDescOperand, type MemDescParams, MemDescType, sameShape } from "../types.js";

const descOf = (value: Value): MemDesc => value.type as MemDesc;
const CODE = "ttg.memdesc";

export const MemDescIndexOp = defineOp("ttg.memdesc_index", () => ({
  summary: "take a subview of the descriptor.",
  operands: { src: MemDescOperand, index: I32 },
  results: { result: MemDescOperand },
  traits: ttgTraits(Pure, MemDescViewTrait),
  format: "$src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))",
  verifyDependsOn: "types and attributes",
  verify({ src, result }, report) {
    const from = descOf(src).params;
    const to = descOf(result).params;
    const error = (message: string) => void report.plain(message, CODE);
    if (from.elementType !== to.elementType) return error("result element type must match desc element type");
    if (from.shape.length !== to.shape.length + 1) return error("result rank must be input rank - 1");
    if (from.allocShape.length !== from.shape.length) return error("We don't allow taking memdesc_index of a memdesc_index");
    if (!sameShape(from.shape.slice(1), to.shape)) return error("result shape must equal to srcShape[1:]");
    if (!sameShape(from.allocShape, from.shape)) return error("We don't support memdesc_index of a subview");
    const fromShared = sharedParams(from.encoding) !== undefined;
    if (fromShared !== (sharedParams(to.encoding) !== undefined)) return error("src and dst must have the same type of encoding");
    if (!sameShape(to.allocShape, to.shape)) return error("alloc shape must match shape for both result and src");
    if (encodingParams(from.encoding)?.kind === "tensor_memory_encoding" && from.shape.length !== 3)
      error("only 3D -> 2D subviews are supported for TensorMemoryEncodingAttr");
  },
}));

export const MemDescSubsliceOp = defineOp("ttg.memdesc_subslice", () => ({
  summary: "take a subview of the descriptor.",
  operands: { src: MemDescOperand },
  attrs: { offsets: DenseI32ArrayAttr },
  results: { result: MemDescOperand },
  traits: ttgTraits(Pure, MemDescViewTrait),
  format: "$src `[` custom<Offsets>($offsets) `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))",
  fold({ op, src, offsets }): FoldResult {
    const outer = op.ctx.triton.foldsSubslices ? MemDescSubsliceOp.match(src.definingOp) : undefined;
    if (!outer) return undefined;
    op.setOperand(0, outer.src);
    op.setAttr(
      "offsets",
      i32ArrayAttr(
        op.ctx,
        offsets.map((offset, d) => offset + outer.offsets[d]!),
      ),
    );
    return "inPlace";
  },
  verifyDependsOn: "types and attributes",
  verify({ src, result, offsets }, report) {
    verifySubslice(descOf(src), descOf(result), offsets, report);
  },
}));

function verifySubslice(src: MemDesc, dst: MemDesc, offsets: readonly number[], report: OpReport): void {
  const from = src.params;
  const to = dst.params;
  const error = (message: string) => void report.plain(message, CODE);
  if (from.elementType !== to.elementType) return error("result element type must match desc element type");
  if (offsets.length !== from.shape.length) return error("offsets must have the same rank as input");
  if (from.shape.length !== to.shape.length) return error("result rank must equal to input rank");
  const params = sharedParams(from.encoding);
  if (!params || !sharedParams(to.encoding)) return error("src and dst must both be of shared memory encoding");
  const splitDims = from.shape.flatMap((extent, d) => (extent === to.shape[d] ? [] : [d]));
  if (splitDims.length === 0) return;
  for (const [dim, offset] of offsets.entries()) {
    if (!splitDims.includes(dim)) {
      if (offset !== 0) return error("A non zero offset found in a dimension that is not being split");
    } else if (offset & (to.shape[dim]! - 1)) return error("The split offset may not touch the tile");
  }
  const component = linearComponentOf(params);
  if (component && getRank(params) < from.shape.length)
    return error("SubSlice of low rank PaddedSharedEncoding from higher rank tensors is not supported yet");

  // A buffer of many: the encoding is that of one.
  const shape = from.allocShape.slice(from.allocShape.length - getRank(params));
  const problem = component ? undefined : layoutProblem(shape, params);
  if (problem !== undefined) return error(problem);
  const layout = component ?? toLinearLayout(shape, from.encoding);
  const { slicesBuffersOfCtas } = from.encoding.ctx.triton;
  if (!slicesBuffersOfCtas && layout.getInDimSize("block") !== 1) return error("non-trivial block dimension not supported");
  const dimOffset = from.shape.length - getRank(params);
  const failure = firstProblem(() => {
    const inverse = slicesBuffersOfCtas ? layout.pseudoinvert() : layout.invert();
    for (const dim of splitDims) {
      if (dim < dimOffset) continue;
      for (let size = to.shape[dim]!; size < from.shape[dim]!; size *= 2) {
        const place = Object.fromEntries(layout.outDimNames.map((name, d) => [name, d === dim - dimOffset ? size : 0]));
        const { offset, block } = inverse.apply(place);
        if (!isPowerOf2(offset!) && !(slicesBuffersOfCtas && offset === 0))
          return ["We don't support splitting along the swizzling pattern"];
        if (block) return ["We don't support splitting along CTA dimensions"];
      }
    }
    return [];
  });
  if (failure !== undefined) error(failure);
}

export const MemDescTransOp = defineOp("ttg.memdesc_trans", () => ({
  summary: "transpose the descriptor",
  operands: { src: MemDescOperand },
  attrs: { order: DenseI32ArrayAttr },
  results: { result: MemDescOperand },
  traits: ttgTraits(Pure, MemDescViewTrait, TransposeOpTrait, InferTypeOpWithLayoutEquivalence, SameOperandsAndResultElementType),
  interfaces: [implement(TransposeOpInterface, { src: (op) => op.operand(0), order: (op) => intsOf(op.attr("order")) ?? [] })],
  format: "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))",
  inferTypes({ ctx, view: { src, order }, report }) {
    if (!MemDescType.is(src.type)) return undefined;
    const { shape, encoding, allocShape, ...rest } = src.type.params;
    const inferred = layoutRules(encoding).inferTransOpEncoding(encoding, shape, order, report);
    if (!inferred) return undefined;
    const outer = allocShape.length - order.length;
    const alloc = [...allocShape.slice(0, outer), ...applyPermutation(allocShape.slice(outer), order)];
    return [MemDescType.get(ctx, { ...rest, shape: applyPermutation(shape, order), encoding: inferred, allocShape: alloc })];
  },
  fold({ op, src, order }): FoldResult {
    if (order.every((dim, i) => dim === i)) return src;
    // transpose(transpose(x)) -> transpose(x)
    const inner = MemDescTransOp.match(src.definingOp);
    if (!inner) return undefined;
    op.setAttr("order", i32ArrayAttr(op.ctx, applyPermutation(inner.order, order)));
    op.setOperand(0, inner.src);
    return "inPlace";
  },
}));

export const MemDescReshapeOp = defineOp("ttg.memdesc_reshape", () => ({
  summary: "creates a descriptor for the new shape",
  operands: { src: MemDescOperand },
  results: { result: MemDescOperand },
  traits: ttgTraits(Pure, MemDescViewTrait, SameOperandsAndResultElementType),
  format: "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))",
  verifyDependsOn: "types and attributes",
  verify({ src, result }, report) {
    const from = descOf(src).params;
    const to = descOf(result).params;
    if (product(to.shape) !== product(from.shape))
      return void report.plain("number of src and dst elements of reshape must be the same", CODE);
    if (from.elementType !== to.elementType) return void report.plain("result element type must match src element type", CODE);
    if (!sameShape(from.allocShape.slice(from.allocShape.length - from.shape.length), from.shape))
      return void report.plain("NYI: memdesc_reshape of memdesc_subslice", CODE);
    const expected = inferMemDescReshape(descOf(src), to.shape);
    if (typeof expected === "string") report.plain(expected, CODE);
    // Upstream fails here without a word.
    else if (!areEquivalentTypes(expected, result.type)) report.error("has a result of the wrong type", CODE);
  },
}));

/** The type of a reshaped buffer, or why there is none. Source: Ops.cpp, MemDescReshapeOp::inferReturnTypes. */
export function inferMemDescReshape(src: MemDesc, dstShape: readonly number[]): MemDesc | string {
  const { shape, encoding, allocShape, ...rest } = src.params;
  const params = encodingParams(encoding);
  if (!params || !isShared(params)) return "Failed MemDescReshapeOp encoding inference";
  const problem = linearComponentOf(params) ? undefined : layoutProblem(shape, params);
  if (problem !== undefined) return problem;
  const inferred = inferMemDescReshapeOpEncoding(shape, params, dstShape);
  if ("error" in inferred) return inferred.error;
  const alloc = [...allocShape.slice(0, allocShape.length - shape.length), ...dstShape];
  return MemDescType.get(src.ctx, { ...rest, shape: dstShape, encoding: encodingAttr(src.ctx, inferred.encoding), allocShape: alloc });
}

export const MemDescReinterpretOp = defineOp("ttg.memdesc_reinterpret", () => ({
  summary: "reinterpret a memory descriptor as a different type and shape",
  operands: { src: MemDescOperand },
  results: { result: MemDescOperand },
  traits: ttgTraits(Pure, MemDescViewTrait),
  format: "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))",
  fold: ({ src, result }): FoldResult => (src.type === result.type ? src : undefined),
  verifyDependsOn: "types and attributes",
  verify({ op, src, result }, report) {
    if (op.ctx.triton.checksMemory) verifyReinterpret(descOf(src).params, descOf(result).params, report);
  },
}));

/** The rules of 3.8: the same memory, whole and with the same unused bytes in it. */
function verifyReinterpret(from: MemDescParams, to: MemDescParams, report: OpReport): void {
  const error = (message: string) => void report.plain(message, CODE);
  const views = [from, to].map((params) => {
    const encoding = encodingParams(params.encoding)!;
    const [width, rank] = [bitWidth(params.elementType) ?? 0, getRank(encoding)];
    const bytes = (n: number) => Math.trunc((n * width) / 8);
    const alloc = params.allocShape.slice(-rank);
    return {
      padding: paddingsOf(encoding)
        .map((pair) => pair.map(bytes).join())
        .join(" "),
      isPart: !sameShape(params.shape.slice(-rank), alloc),
      bits: () => {
        const layout = toLinearLayout(alloc, params.encoding);
        const copies = product(params.allocShape.slice(0, -rank));
        return copies * layout.getInDimSize(layout.hasInDim("offset") ? "offset" : "col") * width;
      },
    };
  });
  const [a, b] = views as [(typeof views)[number], (typeof views)[number]];
  if ((a.padding === "") !== (b.padding === "")) return error("cannot reinterpret between padded and non-padded layouts");
  if (a.padding !== b.padding) return error("cannot reinterpret with different padding pattern");
  if (from.memorySpace !== to.memorySpace) return error("source and result must have the same memory space");
  if (from.mutableMemory !== to.mutableMemory) return error("source and result must have the same mutability");
  if (a.isPart || b.isPart)
    return error("source and result must not be subviews; reinterpret the parent descriptor and then take a subview");
  const [had, has] = [a.bits(), b.bits()];
  if (had !== has) error(`source and result must have the same logical storage size (${had} vs ${has})`);
}

function product(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total * size, 1);
}
