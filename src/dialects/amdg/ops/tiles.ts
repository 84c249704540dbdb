/** Tensors taken apart and put together, and transposed, without moving data between threads. Source: TritonAMDGPUOps.td; Dialect.cpp. */
import type { TensorType } from "../../../ir/builtin-types.js";
import { AnyRankedTensor, DenseI64ArrayAttr, optional, variadic } from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import { Pure } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import type { BlockedParams } from "../../../layout/encoding-params.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { identityStandardND, standardOutDimNames } from "../../../layout/standard-dims.js";
import { toLinearLayout } from "../../../layout/to-linear-layout.js";
import { Tensor } from "../../tt/constraints.js";
import { KeepsAxisInfo } from "../../tt/traits.js";
import { distributedParams, encodingParams } from "../../ttg/encodings/define-encoding.js";
import { LocalLoadTrait, readsShared } from "../../ttg/ttg-op.js";
import { AsyncToken, type MemDesc, MemDescOperand, sameShape } from "../../ttg/types.js";

const typeOf = (value: Value): TensorType => value.type as TensorType;
const CODE = "amdg.tiles";

function layoutOf(value: Value, report: OpReport): LinearLayout | undefined {
  const { shape, encoding } = typeOf(value).params;
  const params = distributedParams(encoding);
  if (!params) report.plain("expected a tensor with a distributed layout", CODE);
  return params && toLinearLayout(shape, params);
}

/** Which register of thread 0 holds the element at `coordinates`; undefined where none does. */
function registerAt(inverse: LinearLayout, coordinates: readonly number[]): number | undefined {
  const at = inverse.apply(Object.fromEntries(inverse.inDimNames.map((dim, i) => [dim, coordinates[i]!])));
  return at["lane"] === 0 && at["warp"] === 0 && at["block"] === 0 ? at["register"] : undefined;
}

/**
 * Every element that a register of thread 0 holds of `of` must be in a register of thread 0 of a tensor with layout `from`, at
 * the coordinates that `place` returns; and lanes and warps must be those of `from`.
 */
function verifyRegisters(of: LinearLayout, from: LinearLayout, place: (coordinates: number[]) => number[], report: OpReport): void {
  const inverse = from.pseudoinvert();
  for (let register = 0; register < of.getInDimSize("register"); register++) {
    const coordinates = place(Object.values(of.apply({ register, lane: 0, warp: 0, block: 0 })));
    if (registerAt(inverse, coordinates) === undefined)
      return void report.plain(`No source register holds the element for destination index [${coordinates.join(", ")}]`, CODE);
  }
  const moves = ["lane", "warp"].some((dim) => JSON.stringify(of.getInDimBases(dim)) !== JSON.stringify(from.getInDimBases(dim)));
  if (moves) report.plain("Lane and warp dim basis must match between source and destination layout.", CODE);
}

export const ExtractSliceOp = defineOp("amdg.extract_slice", () => ({
  summary: "extract slice operation",
  operands: { source: AnyRankedTensor },
  attrs: { static_offsets: DenseI64ArrayAttr },
  results: { result: AnyRankedTensor },
  traits: [Pure, KeepsAxisInfo],
  format: "$source $static_offsets attr-dict `:` type($source) `to` type($result)",
  verify({ source, result, static_offsets: offsets }, report) {
    const error = (message: string) => void report.plain(message, CODE);
    const [from, to] = [typeOf(source).params, typeOf(result).params];
    if (from.elementType !== to.elementType) return error("result element type must match source element type");
    if (from.shape.length !== to.shape.length) return error("result rank must be equal to source rank");
    for (const [i, extent] of from.shape.entries()) {
      if (to.shape[i]! > extent) return error(`result shape cannot exceed source shape at dimension ${i}`);
      if (offsets[i]! + to.shape[i]! > extent) return error(`invalid offset at dimension ${i}`);
    }
    const [src, dst] = [layoutOf(source, report), layoutOf(result, report)];
    if (src && dst) verifyRegisters(dst, src, (coordinates) => coordinates.map((c, i) => c + offsets[i]!), report);
  },
}));

/** Which of the sources of a concat holds the element at `coordinates`: tiles come in row-major order. */
export function tileOf(coordinates: readonly number[], tile: readonly number[], whole: readonly number[]): number {
  return coordinates.reduce((index, c, i) => index * Math.trunc(whole[i]! / tile[i]!) + Math.trunc(c / tile[i]!), 0);
}

export const ConcatOp = defineOp("amdg.concat", () => ({
  summary: "concat operation",
  operands: { sources: variadic(Tensor) },
  results: { result: AnyRankedTensor },
  traits: [Pure],
  format: "$sources attr-dict `:` type($sources) `->` type($result)",
  verify({ sources, result }, report) {
    const error = (message: string) => void report.plain(message, CODE);
    const first = sources[0];
    // Upstream reads the first source without looking whether there is one.
    if (!first) return error("expected 1 source or more");
    const [from, to] = [typeOf(first).params, typeOf(result).params];
    if (from.shape.length !== to.shape.length) return error("Source and destination tensors must have the same rank.");
    if (to.shape.some((extent, i) => extent % from.shape[i]! !== 0)) return error("Source and destination tensor shapes don't match.");
    const tiles = to.shape.reduce((count, extent, i) => count * (extent / from.shape[i]!), 1);
    if (tiles !== sources.length) return error(`Number of source tiles (${sources.length}) doesn't match required count (${tiles}).`);
    if (sources.some((source) => source.type !== first.type)) return error("All sources must have identical tensor types.");
    if (from.elementType !== to.elementType) return error("Element types of sources and destination must match.");
    const [src, dst] = [layoutOf(first, report), layoutOf(result, report)];
    if (src && dst) verifyRegisters(dst, src, (coordinates) => coordinates.map((c, i) => c % from.shape[i]!), report);
  },
}));

/** The layout of `encoding` with the two fastest dimensions of each thread's registers swapped. */
export function inThreadTransposed(shape: readonly number[], encoding: BlockedParams): LinearLayout {
  const layout = toLinearLayout(shape, encoding);
  const [a = 0, b = 0] = encoding.order;
  const tile = identityStandardND("register", encoding.sizePerThread, [b, a]).transposeOuts(standardOutDimNames(shape.length));
  const bases = layout.getBases().map(([dim, vectors]): [string, number[][]] => {
    if (dim !== "register") return [dim, vectors];
    const transposed = tile.getInDimBases("register");
    return [dim, [...transposed, ...vectors.slice(transposed.length)]];
  });
  return LinearLayout.fromBases(bases, layout.outDimNames);
}

export const InThreadTransposeOp = defineOp("amdg.in_thread_transpose", () => ({
  summary: "Perform transpose of register values belonging to each threads",
  operands: { src: Tensor },
  results: { result: Tensor },
  traits: [Pure],
  format: "$src attr-dict `:` type($src) `->` type($result)",
  verify({ src, result }, report) {
    const error = (message: string) => void report.error(message, CODE);
    const [from, to] = [typeOf(src).params, typeOf(result).params];
    if (from.elementType !== to.elementType) return error("Expect input and output tensor to have same dtype");
    if (!sameShape(from.shape, to.shape)) return error("Expect equal input and output shapes");
    if (from.shape.length !== 2) return error("Expect 2d tensor");
    const params = encodingParams(from.encoding);
    if (params?.kind !== "blocked") return error("Expect input tensor in Blocked encoding");
    const expected = inThreadTransposed(from.shape, params);
    const got = layoutOf(result, report);
    if (got && !got.equals(expected)) error(`Expect output layout to be transposed per thread: ${expected.toString()}`);
  },
}));

export const LocalLoadPackedTransposedOp = defineOp("amdg.local_load_packed_tranposed", () => ({
  summary: "Load a transposed packed tensor from shared memory into a distributed tensor",
  operands: { src: MemDescOperand, token: optional(AsyncToken) },
  results: { result: Tensor },
  traits: [LocalLoadTrait],
  format: "$src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)",
  verify({ src, result }, report) {
    const error = (message: string) => void report.error(message, CODE);
    const from = (src.type as MemDesc).params;
    const to = typeOf(result).params;
    const dot = encodingParams(to.encoding);
    if (dot?.kind !== "dot_op") return error("only works with DotOperandEncodingAttr dst encoding");
    const shared = encodingParams(from.encoding);
    if (shared?.kind !== "swizzled_shared") return error("only works with SwizzledSharedEncodingAttr src encoding");
    const batch = from.shape.length === 3 ? 1 : 0;
    const isA = dot.opIdx === 0;
    const order = shared.order.join();
    const orders = isA ? ["0,1", "1,2,0"] : ["1,0", "2,1,0"];
    if (order !== orders[0] && !(batch === 1 && order === orders[1])) return error("Order of dimensions don't match expected");
    // Packed along rows or columns of the operand there, along k here.
    const packed = [...to.shape];
    packed[batch + (isA ? 0 : 1)]! /= 2;
    packed[batch + (isA ? 1 : 0)]! *= 2;
    if (!sameShape(from.shape, packed)) error("Input and output dimensions don't match after packing changes");
  },
  effects: ({ src }) => [readsShared(src)],
}));
