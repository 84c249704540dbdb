/**
 * Changes of shape where tensors have layouts: results get theirs from the ops' own inference.
 * Source: python/triton/experimental/gluon/language/_semantic.py.
 */
import { SetAutoLayoutOp } from "../../../dialects/gluon/ops/set-auto-layout.js";
import { layoutRules } from "../../../dialects/tt/infer-layout.js";
import {
  BroadcastOp,
  ExpandDimsOp,
  expandedShape,
  JoinOp,
  joinedType,
  ReshapeOp,
  SplitOp,
  TransOp,
} from "../../../dialects/tt/ops/shape.js";
import { distributedParams, encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import type { Type } from "../../../ir/attribute.js";
import { buildOperation } from "../../../ir/builder.js";
import { encodingOf, type TensorType as IrTensor, RankedTensorType, tensorType } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Value } from "../../../ir/value.js";
import { check, raise } from "../../language/errors.js";
import { pyStr, sameLayout, typeName } from "../../language/python-text.js";
import { emitOp, irType } from "../../language/semantic/emit.js";
import type { Semantic } from "../../language/semantic.js";
import { type BlockType, blockType, type Dtype, isBlock, type PointerType, scalarOf } from "../../language/types.js";
import { dtypeOf, extentsOf, isLayout, type Layout, type PyValue, type Tensor, tensor } from "../../language/values.js";
import { DISTRIBUTED_LAYOUT } from "../layouts/define-layout.js";
import { isAuto, isOpen, SLICE } from "../layouts/distributed.js";
import { layoutOfAttr } from "../layouts/from-encoding.js";

/** Raises a ValueError unless the condition holds. */
export function expect(condition: boolean, message: () => string): asserts condition {
  if (!condition) raise("ValueError", message());
}
/** A shape as Python prints a list. */
export const listText = (shape: readonly number[]): string => `[${shape.join(", ")}]`;

/** A block with a layout; raises for any other value. `what`: the start of the message. */
export function distributed(x: Tensor, what: string): BlockType & { readonly layout: Layout } {
  const { type } = x;
  expect(isBlock(type) && type.layout !== undefined, () => `expected ${what} to be a distributed_type but got: ${typeName(type)}`);
  return type as BlockType & { readonly layout: Layout };
}
/** A layout of registers; Gluon's error for other values. */
export function distributedLayout(value: PyValue): Layout {
  if (isLayout(value) && value.cls.base === DISTRIBUTED_LAYOUT) return value;
  return raise("ValueError", `expected 'layout' to be a DistributedLayout but got ${pyStr(value)}`);
}

/** The value of an op with its layout in the IR. */
export function withInferredLayout(handle: Value, element: Dtype | PointerType, shape: readonly number[]): Tensor {
  if (shape.length === 0) return tensor(handle, element);
  return tensor(handle, blockType(element, shape, layoutOfAttr(encodingOf(handle.type)!)));
}
/** The reason of a failed inference is the text of the exception, as the builder's. */
function inferred<T>(infer: (report: (message: string) => void) => T | undefined): T {
  let reason = "";
  const result = infer((message) => (reason ||= message));
  return result ?? raise("RuntimeError", reason || "the layout of the result cannot be inferred");
}
const irTypeOf = (x: Tensor): IrTensor =>
  RankedTensorType.is(x.handle.type) ? x.handle.type : raise("AttributeError", `'${typeName(x.type)}' has no shape`);
const emitTyped = (s: Semantic, def: OpDef, parts: Readonly<Record<string, unknown>>, type: Type): Value =>
  emitOp(s, def, parts, [type]).result(0);

export function expandDims(s: Semantic, input: Tensor, axis: number): Tensor {
  const { layout, shape } = distributed(input, "expand_dims input");
  expect(isOpen(layout) || layout.cls === SLICE, () => `expected expand_dims input to have a SliceLayout, but got: ${layout.text}`);
  const dim = layout.fields.get("dim");
  expect(
    isOpen(layout) || Number(dim) === axis,
    () => `expected expand_dims input layout to be sliced in axis ${axis} but got ${String(dim)}`,
  );
  return withInferredLayout(
    emitOp(s, ExpandDimsOp, { src: input.handle, axis }).result(0),
    scalarOf(input.type),
    expandedShape(shape, axis),
  );
}

export function join(s: Semantic, a: Tensor, b: Tensor): Tensor {
  expect(isBlock(a.type), () => "Cannot join scalars in gluon");
  const joined = emitTyped(s, JoinOp, { lhs: a.handle, rhs: b.handle }, joinedType(irTypeOf(a)));
  return withInferredLayout(joined, dtypeOf(a), [...extentsOf(a), 2]);
}

/** Upstream's builder takes the slice of the last dimension, whichever equivalent layout inference would name. */
export function split(s: Semantic, a: Tensor): readonly [Tensor, Tensor] {
  const shape = extentsOf(a);
  check(shape.length > 0 && shape.at(-1) === 2, `split takes a block whose last dimension is 2, but its shape is ${listText(shape)}`);
  const { ctx } = s;
  const parent = distributedParams(irTypeOf(a).params.encoding);
  if (!parent) return raise("ValueError", `expected split input to have a layout of threads, but got: ${typeName(a.type)}`);
  const half = tensorType(
    shape.slice(0, -1),
    irTypeOf(a).params.elementType,
    encodingAttr(ctx, { kind: "slice", dim: shape.length - 1, parent }),
  );
  const op = emitOp(s, SplitOp, { src: a.handle }, [half, half]);
  return [op.result(0), op.result(1)].map((half) => withInferredLayout(half, dtypeOf(a), shape.slice(0, -1))) as [Tensor, Tensor];
}

export function permute(s: Semantic, input: Tensor, dims: readonly number[]): Tensor {
  const { shape } = distributed(input, "permute input");
  const op = buildOperation(s.ctx, TransOp, { src: input.handle, order: dims }, s.b.loc, undefined);
  return withInferredLayout(
    s.b.insert(op).result(0),
    dtypeOf(input),
    dims.map((d) => shape[d]!),
  );
}

export function reshape(s: Semantic, input: Tensor, shape: readonly number[], canReorder: boolean): Tensor {
  expect(!canReorder, () => "can_reorder is not supported in gluon");
  distributed(input, "reshape input");
  const { params } = irTypeOf(input);
  const src = params.encoding!;
  const encoding = inferred((report) => layoutRules(src).inferReshapeOpEncoding(params.shape, src, shape, report));
  const type = tensorType(shape, params.elementType, encoding);
  return withInferredLayout(emitTyped(s, ReshapeOp, { src: input.handle }, type), dtypeOf(input), shape);
}

/** A tensor of AutoLayout with the layout that is wanted. */
export function setAutoLayout(s: Semantic, value: Tensor, layout: Layout): Tensor {
  const { element, shape, layout: own } = distributed(value, "set_auto_layout input");
  expect(isAuto(own), () => `set_auto_layout input must have auto layout but got ${own.text}`);
  const type = blockType(element, shape, layout);
  return tensor(emitTyped(s, SetAutoLayoutOp, { src: value.handle }, irType(s, type)), type);
}

export function broadcastToShape(s: Semantic, input: Tensor, shape: readonly number[]): Tensor {
  // The message is Triton's.
  const { shape: from, layout } = distributed(input, "expand_dims input");
  expect(from.length === shape.length, () => `Cannot broadcast, rank mismatch: ${quoted(from)}, ${listText(shape)}`);
  if (from.every((extent, i) => extent === shape[i])) return input;
  from.forEach((extent, i) =>
    expect(
      shape[i] === extent || extent === 1,
      () =>
        `Cannot broadcast, the expanded size of the tensor (${shape[i]}) must match the existing size (${extent}) ` +
        `at non-singleton dimension ${i}: ${quoted(from)}, ${listText(shape)}`,
    ),
  );
  const type = blockType(scalarOf(input.type), shape, layout);
  return tensor(emitTyped(s, BroadcastOp, { src: input.handle }, irType(s, type)), type);
}
const quoted = (shape: readonly number[]): string => `[${shape.map((n) => `'${n}'`).join(", ")}]`;

/** Two blocks with a common shape: their ranks and layouts are equal, unless the compiler is to choose one of them. */
export function broadcastBlocks(s: Semantic, x: Tensor, y: Tensor): readonly [Tensor, Tensor] {
  let [lhs, rhs] = [x, y];
  const a = distributed(lhs, "broadcast left input");
  const b = distributed(rhs, "broadcast right input");
  expect(a.shape.length === b.shape.length, () => `Cannot broadcast, rank mismatch: ${quoted(a.shape)}, ${quoted(b.shape)}`);
  const shape = a.shape.map((left, i) => {
    const right = b.shape[i]!;
    if (left === 1) return right;
    expect(
      right === 1 || right === left,
      () => `Cannot make_shape_compatible: incompatible dimensions at index ${i}: ${left} and ${right}`,
    );
    return left;
  });
  if (isAuto(a.layout) && !isAuto(b.layout)) lhs = setAutoLayout(s, lhs, b.layout);
  else if (isAuto(b.layout) && !isAuto(a.layout)) rhs = setAutoLayout(s, rhs, a.layout);
  else expect(sameLayout(a.layout, b.layout), () => `Layout mismatch in broadcast: ${a.layout.text} vs ${b.layout.text}`);
  lhs = broadcastToShape(s, lhs, shape);
  return [lhs, broadcastToShape(s, rhs, shape)];
}

/** Inputs of a reduction have one layout. */
export function checkSameLayout(inputs: readonly Tensor[]): void {
  const layouts = inputs.map((x) => {
    const { type } = x;
    expect(isBlock(type) && type.layout !== undefined, () => `expected distributed_type but got: ${typeName(type)}`);
    return (type as BlockType).layout!;
  });
  expect(
    layouts.every((layout) => sameLayout(layout, layouts[0])),
    () => `Expected inputs to have matching layouts, but got: [${layouts.map((l) => l.text).join(", ")}]`,
  );
}
