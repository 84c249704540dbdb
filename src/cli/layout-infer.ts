/** `--infer OP` and `--default`: the types that operations give to tensors and buffers. */
import { encodingAttr, encodingParams } from "../dialects/ttg/encodings/define-encoding.js";
import { encodingFor } from "../dialects/ttg/legacy-encodings/index.js";
import { MemDescType, memDescType } from "../dialects/ttg/types.js";
import type { Attribute, Type } from "../ir/attribute.js";
import { encodingOf, RankedTensorType, type TensorType } from "../ir/builtin-types.js";
import { attrText, typeText } from "../ir/text-hook.js";
import { type BlockedParams, type DistributedParams, type EncodingParams, isDistributed, isShared } from "../layout/encoding-params.js";
import { getNumCTAs, getTotalElemsPerThread } from "../layout/encoding-queries.js";
import { encodingText } from "../layout/encoding-text.js";
import { getDefaultBlockedEncoding } from "../layout/encodings/blocked.js";
import { isPowerOf2 } from "../layout/encodings/matrix-order.js";
import { verifyDotOpEncodingCompatibility, verifyDotOperandEncoding } from "../layout/infer/dot.js";
import type { Inferred } from "../layout/infer/inferred.js";
import {
  inferDefaultJoinOpEncoding,
  inferFp4ToFpOpEncoding,
  inferSplitOpEncoding,
  splitEncodingOfBuilder,
} from "../layout/infer/join-split.js";
import { inferMemDescReshapeOpEncoding, inferReshapeOpEncoding } from "../layout/infer/reshape.js";
import { inferExpandDimsOpEncoding, inferReduceOpEncoding } from "../layout/infer/slice-dims.js";
import { inferTransOpEncoding } from "../layout/infer/trans.js";
import { LayoutError } from "../layout/layout-error.js";
import { toLinearLayout } from "../layout/to-linear-layout.js";
import { layoutProblem } from "../layout/verify-encoding.js";
import { nearest } from "../support/nearest.js";
import { elementBits, readType, UserError } from "./layout-input.js";
import { shortened } from "./options/option.js";

/** The shape, elements and layout of what an op works on. */
interface Operand {
  readonly shape: readonly number[];
  readonly elementType: Type;
  readonly params: EncodingParams;
}
interface Outcome {
  readonly shape: readonly number[];
  readonly inferred: Inferred;
  /** The element type, where it is another than the operand's. */
  readonly elementType?: Type;
}
type Rule = (src: Operand, arg: unknown) => Outcome;

/** The rules by op, as Triton's `inferLayout` interfaces have them. */
const RULES: Readonly<Record<string, Rule>> = {
  expand_dims(src, arg) {
    const axis = axisOf(arg, src.shape.length + 1);
    return { shape: src.shape.toSpliced(axis, 0, 1), inferred: inferExpandDimsOpEncoding(src.params, axis) };
  },
  trans: transposed,
  memdesc_trans: transposed,
  reshape(src, arg) {
    const shape = shapeOf(arg);
    return { shape, inferred: inferReshapeOpEncoding(src.shape, src.params, shape) };
  },
  memdesc_reshape(src, arg) {
    const shape = shapeOf(arg);
    if (!isShared(src.params)) throw bad("memdesc_reshape needs a layout of shared memory");
    return { shape, inferred: inferMemDescReshapeOpEncoding(src.shape, src.params, shape) };
  },
  reduce(src, arg) {
    const axis = axisOf(arg, src.shape.length);
    return { shape: src.shape.toSpliced(axis, 1), inferred: { encoding: inferReduceOpEncoding(distributed(src), axis) } };
  },
  join: (src) => ({ shape: [...src.shape, 2], inferred: { encoding: inferDefaultJoinOpEncoding(distributed(src), src.shape) } }),
  /** As Triton's builder types it: the slice, which places every element as the op's own inference does. */
  split(src) {
    const own = inferSplitOpEncoding(distributed(src), src.shape);
    return { shape: src.shape.slice(0, -1), inferred: "error" in own ? own : { encoding: splitEncodingOfBuilder(distributed(src)) } };
  },
  "tt.split": (src) => ({ shape: src.shape.slice(0, -1), inferred: inferSplitOpEncoding(distributed(src), src.shape) }),
  /** The size of a dimension with one element grows; nothing else changes. */
  broadcast(src, arg) {
    const shape = shapeOf(arg);
    if (shape.length !== src.shape.length) throw bad(`rank of source must be same as rank of result`);
    const wrong = src.shape.findIndex((size, d) => size !== 1 && size !== shape[d]);
    if (wrong >= 0)
      throw bad(`Different dimensions at index ${wrong} between source and result.  Broadcast requires the source dimension to be 1.`);
    return { shape, inferred: { encoding: src.params } };
  },
  cat: (src) => catenated(src),
  /** Elements of the source at the places of the indices: their shape and layout. */
  gather(src, arg) {
    const indices = operandOf(arg, "indices");
    return { shape: indices.shape, inferred: { encoding: indices.params }, elementType: src.elementType };
  },
  /** The result is that of the accumulator `c`; the operands have to fit. */
  dot(src, arg) {
    const [b, c] = [operandOf(arg, "b"), operandOf(arg, "c")];
    const problem =
      verifyDotOperandEncoding(src.params, 0, c.params)[0] ??
      verifyDotOperandEncoding(b.params, 1, c.params)[0] ??
      verifyDotOpEncodingCompatibility(src.params, b.params, c.params, () => true)[0];
    return { shape: c.shape, inferred: problem === undefined ? { encoding: c.params } : { error: problem }, elementType: c.elementType };
  },
  fp4_to_fp(src, arg) {
    const axis = axisOf(arg, src.shape.length);
    const shape = src.shape.map((size, d) => (d === axis ? size * 2 : size));
    return { shape, inferred: inferFp4ToFpOpEncoding(src.shape, axis, distributed(src), true) };
  },
  memdesc_index: (src) => ({ shape: src.shape.slice(1), inferred: { encoding: src.params } }),
  memdesc_subslice: (src, arg) => ({ shape: shapeOf(arg), inferred: { encoding: src.params } }),
};

/** The text of the result type. `attr` is the operand's layout unless its type says it. */
export function inferType(op: string, typeText_: string, attr: Attribute | undefined, argText: string | undefined): string {
  const name = Object.hasOwn(RULES, op) ? op : op.replace(/^(?:tt|ttg)\./, "");
  if (!Object.hasOwn(RULES, name)) {
    const near = nearest(name.slice(0, 40), Object.keys(RULES));
    throw bad(
      `--infer does not know '${shortened(op)}'${near ? `; did you mean '${near}'?` : ""} It knows ${Object.keys(RULES).join(", ")}`,
    );
  }
  let arg: unknown = null;
  try {
    if (argText !== undefined) arg = JSON.parse(argText);
  } catch {
    throw bad(`--arg is no JSON: ${shortened(argText!)}`);
  }
  const type = readType(typeText_);
  const src = operandOfType(type, attr, typeText_);
  const outcome = attempt(() => RULES[name]!(src, arg));
  if ("error" in outcome.inferred) throw bad(outcome.inferred.error);
  if (!outcome.shape.every((size) => Number.isInteger(size) && size >= 1)) throw bad(`the result has shape ${outcome.shape.join("x")}`);
  const encoding = encodingAttr(type.ctx, outcome.inferred.encoding);
  return `${inEraOf(attr ?? MemDescType.match(type)?.params.encoding ?? encodingOf(type)!, resultText(type, outcome, encoding))}\n`;
}

/** Layouts without clusters, swizzling and matrix instructions are written alike in all eras, but for the name of the dialect. */
function inEraOf(written: Attribute, result: string): string {
  const changed = /CGALayout|#ttg\.(?!blocked|slice|dot_op|linear)/.test(result);
  return written.def.name.startsWith("triton_gpu.") && !changed ? result.replaceAll("#ttg.", "#triton_gpu.") : result;
}

/** Reports an error on which upstream would abort as the user's mistake. */
function attempt<T>(infer: () => T): T {
  try {
    return infer();
  } catch (error) {
    if (error instanceof LayoutError) throw bad(error.message.split("\n")[0]!);
    throw error;
  }
}

function resultText(src: Type, { shape, elementType }: Outcome, encoding: Attribute): string {
  if (!MemDescType.is(src)) {
    const { params } = src as TensorType;
    const element = elementType ?? params.elementType;
    // A tensor that is reduced altogether is its element.
    return shape.length === 0 ? typeText(element) : typeText(RankedTensorType.get(src.ctx, { shape, elementType: element, encoding }));
  }
  const { memorySpace, mutableMemory, elementType: element } = src.params;
  return typeText(memDescType(shape, element, encoding, memorySpace, mutableMemory));
}

function operandOfType(type: Type, attr: Attribute | undefined, text: string): Operand {
  if (!RankedTensorType.is(type) && !MemDescType.is(type)) throw bad(`'${shortened(text)}' is no tensor and no buffer`);
  const { shape, elementType, encoding } = type.params;
  const written = attr ?? encoding;
  if (!written) throw bad("the layout of the operand is missing: give it with -l, or in the type");
  const params = encodingFor(written, elementBits(elementType)) ?? encodingParams(written);
  if (!params) throw bad(`Unsupported tensor layout attribute: ${shortened(attrText(written))}`);
  const rank = MemDescType.is(type) ? shape.slice(type.params.shape.length - rankOf(params, shape)) : shape;
  const problem = layoutProblem(rank, params);
  if (problem !== undefined) throw bad(problem);
  return { shape, elementType, params };
}
/** Pipelined buffers have a dimension in front that the layout does not know. */
function rankOf(params: EncodingParams, shape: readonly number[]): number {
  return layoutProblem(shape, params) === undefined ? shape.length : shape.length - 1;
}

function operandOf(arg: unknown, key: string): Operand {
  const text = typeof arg === "object" && arg !== null ? (arg as Readonly<Record<string, unknown>>)[key] : undefined;
  if (typeof text !== "string") throw bad(`--arg must be an object with '${key}': a type with its layout`);
  return operandOfType(readType(text), undefined, text);
}

function transposed(src: Operand, arg: unknown): Outcome {
  const order = numbersOf(arg, "an order");
  const rank = src.shape.length;
  if (order.length !== rank || [...order].sort((a, b) => a - b).some((dim, i) => dim !== i))
    throw bad(`order must be a permutation of 0..(rank-1), but was [${order.join(", ")}]`);
  return { shape: order.map((dim) => src.shape[dim]!), inferred: inferTransOpEncoding(src.params, src.shape, order) };
}

/**
 * Both halves have the operand's type. The result keeps the default encoding, with more elements per thread where it would not
 * hold all that the operands' threads have. Source: TritonToTritonGPUPass.cpp, TritonCatPattern.
 */
function catenated(src: Operand): Outcome {
  const shape = src.shape.map((size, d) => (d === 0 ? size * 2 : size));
  const layout = toLinearLayout(src.shape, distributed(src));
  const encoding = getDefaultBlockedEncoding(shape, layout.getInDimSize("warp"), layout.getInDimSize("lane"), getNumCTAs(src.params));
  const wanted = 2 ** Math.ceil(Math.log2(2 * getTotalElemsPerThread(distributed(src), src.shape)));
  const factor = Math.trunc(wanted / getTotalElemsPerThread(encoding, shape));
  const sizePerThread = encoding.sizePerThread.map((size, d) => (d === encoding.order[0] ? size * factor : size));
  return { shape, inferred: { encoding: { ...encoding, sizePerThread } satisfies BlockedParams } };
}

function distributed({ params }: Operand): DistributedParams {
  if (!isDistributed(params)) throw bad(`${shortened(encodingText(params))} is no distributed layout`);
  return params;
}
function axisOf(arg: unknown, count: number): number {
  if (typeof arg !== "number" || !Number.isInteger(arg) || arg < 0 || arg >= count)
    throw bad(`--arg must be an axis from 0 to ${count - 1}`);
  return arg;
}
function shapeOf(arg: unknown): number[] {
  const shape = numbersOf(arg, "a shape");
  if (!shape.every(isPowerOf2)) throw bad(`--arg must be a shape of powers of two, not [${shape.join(", ")}]`);
  return shape;
}
function numbersOf(arg: unknown, what: string): number[] {
  if (!Array.isArray(arg) || arg.length > 32 || !arg.every((n) => Number.isInteger(n) && n >= 0 && n < 2 ** 31))
    throw bad(`--arg must be ${what}, as in [1, 0]`);
  return arg as number[];
}

/** The default encoding of a shape, as text. */
export function defaultEncoding(shape: readonly number[], numWarps: number, threadsPerWarp: number, numCTAs: number): string {
  const odd = shape.find((size) => !isPowerOf2(size));
  if (odd !== undefined) throw bad(`the shape must consist of powers of two, but contains ${odd}`);
  if (shape.length === 0) throw bad("a tensor of rank 0 has no layout");
  return `${encodingText(getDefaultBlockedEncoding(shape, numWarps, threadsPerWarp, numCTAs))}\n`;
}

function bad(message: string): UserError {
  return new UserError(`error: ${message}\n`);
}
