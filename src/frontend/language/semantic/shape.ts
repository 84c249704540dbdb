/** Splats, broadcasts and other changes of shape. Source: python/triton/language/semantic.py. */
import {
  BroadcastOp,
  CatOp,
  ExpandDimsOp,
  JoinOp,
  ReshapeOp,
  SplatOp,
  SplitOp,
  TransOp,
  UnsplatOp,
} from "../../../dialects/tt/ops/shape.js";
import * as gluon from "../../gluon/semantic/shape.js";
import { check, raise } from "../errors.js";
import { noAttribute, pyStr } from "../python-text.js";
import type { Semantic } from "../semantic.js";
import { type BlockType, blockType, isBlock, scalarOf, withElement } from "../types.js";
import { dtypeOf, extentsOf, isBlockTensor, type PyValue, type Tensor, tensor } from "../values.js";
import { emit, emitOp, emitOrFold, irType } from "./emit.js";

const sameShape = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((n, i) => n === b[i]);
/** A shape as `str(tl.tuple)` prints it. */
export const shapeText = (shape: readonly number[]): string => `[${shape.map((n) => `'${n}'`).join(", ")}]`;
/** A shape as a Python list prints. */
export const listText = (shape: readonly number[]): string => `[${shape.join(", ")}]`;

const splatTo = (s: Semantic, value: Tensor, type: BlockType): Tensor => emitOrFold(s, SplatOp, { src: value.handle }, type);
const broadcastTo = (s: Semantic, value: Tensor, shape: readonly number[]): Tensor =>
  emitOrFold(s, BroadcastOp, { src: value.handle }, blockType(scalarOf(value.type), shape));
const expandAt = (s: Semantic, value: Tensor, axis: number, shape: readonly number[]): Tensor =>
  emit(s, ExpandDimsOp, { src: value.handle, axis }, blockType(scalarOf(value.type), shape));

export function splat(s: Semantic, value: Tensor, shape: readonly number[]): Tensor {
  check(!isBlock(value.type), "Cannot splat a block tensor");
  return shape.length === 0 ? value : splatTo(s, value, blockType(dtypeOf(value), shape));
}

/** The only element of a block of one. */
export function unsplat(s: Semantic, value: Tensor): Tensor {
  if (!isBlockTensor(value)) return value;
  check(value.type.numel === 1, "can only unsplat single-element tensors");
  return emitOrFold(s, UnsplatOp, { src: value.handle }, dtypeOf(value));
}

export function reshape(s: Semantic, input: Tensor, shape: readonly number[], canReorder: boolean): Tensor {
  if (s.isGluon && canReorder) return gluon.reshape(s, input, shape, canReorder);
  if (!isBlockTensor(input)) return raise("AttributeError", noAttribute(input.type, "numel"));
  if (input.type.numel !== shape.reduce((a, b) => a * b, 1))
    raise("ValueError", "reshape() cannot change total number of elements in tensor");
  if (s.isGluon) return gluon.reshape(s, input, shape, canReorder);
  return emit(s, ReshapeOp, { src: input.handle, allow_reorder: canReorder }, blockType(dtypeOf(input), shape));
}

/** With a dimension of extent 1 at `axis`; a scalar becomes a block. */
export function expandDims(s: Semantic, input: Tensor, axis: number): Tensor {
  if (s.isGluon) return gluon.expandDims(s, input, axis);
  // Python's `insert` beyond the end appends: `x[:, None]` of a scalar has one dimension.
  if (!isBlock(input.type)) return splat(s, input, [1]);
  const shape = [...extentsOf(input)];
  // Triton makes an op that is wrong.
  check(axis <= shape.length, `too many indices for a block of shape ${listText(shape)}`);
  shape.splice(axis, 0, 1);
  return expandAt(s, input, axis, shape);
}

export function cat(s: Semantic, lhs: Tensor, rhs: Tensor, canReorder: boolean): Tensor {
  check(canReorder, "current implementation of `cat` always may reorder elements");
  const [a, b] = [extentsOf(lhs), extentsOf(rhs)];
  check(a.length === 1, "cat takes blocks of rank 1");
  const type = blockType(dtypeOf(lhs), [a[0]! + b[0]!]);
  if (b.length !== 1) raise("ValueError", "shape not supported by cat. Expecting rank-1 inputs");
  return emit(s, CatOp, { lhs: lhs.handle, rhs: rhs.handle }, type);
}

export function join(s: Semantic, x: Tensor, y: Tensor): Tensor {
  let [a, b] = broadcastValues(s, x, y);
  if (s.isGluon) return gluon.join(s, a, b);
  // The IR joins no scalars: they go through blocks of one element.
  const wereScalars = !isBlock(a.type);
  if (wereScalars) [a, b] = [expandDims(s, a, 0), expandDims(s, b, 0)];
  const joined = emit(s, JoinOp, { lhs: a.handle, rhs: b.handle }, blockType(dtypeOf(a), [...extentsOf(a), 2]));
  return wereScalars ? reshape(s, joined, [2], false) : joined;
}

/** The two halves along the last dimension. */
export function split(s: Semantic, a: Tensor): readonly [Tensor, Tensor] {
  if (s.isGluon) return gluon.split(s, a);
  const shape = extentsOf(a);
  check(shape.at(-1) === 2, `split takes a block whose last dimension is 2, but its shape is [${shape.join(", ")}]`);
  const type = blockType(dtypeOf(a), shape.slice(0, -1));
  const ir = irType(s, type);
  const op = emitOp(s, SplitOp, { src: a.handle }, [ir, ir]);
  return [tensor(op.result(0), type), tensor(op.result(1), type)];
}

/** `given` are the dimensions as the user wrote them, for the message. */
export function permute(s: Semantic, input: Tensor, dims: readonly number[], given: PyValue): Tensor {
  const shape = extentsOf(input);
  if (shape.length !== dims.length) raise("ValueError", "permute dims must have the same length as input shape");
  if (![...dims].sort((a, b) => a - b).every((d, i) => d === i))
    raise("ValueError", `permute dims must be a permutation of 0, 1, ..., n-1, but were ${pyStr(given)}`);
  if (s.isGluon) return gluon.permute(s, input, dims);
  const type = blockType(
    dtypeOf(input),
    dims.map((d) => shape[d]!),
  );
  return emit(s, TransOp, { src: input.handle, order: dims }, type);
}

/** Broadcasts to a shape of the same rank; a scalar is splat. `wanted`: how a message writes the shape. */
export function broadcastToShape(s: Semantic, input: Tensor, shape: readonly number[], wanted = listText): Tensor {
  if (s.isGluon) return gluon.broadcastToShape(s, input, shape);
  if (!isBlock(input.type)) return splat(s, input, shape);
  const from = input.type.shape;
  if (from.length !== shape.length) raise("ValueError", `Cannot broadcast, rank mismatch: ${shapeText(from)}, ${wanted(shape)}`);
  if (sameShape(from, shape)) return input;
  from.forEach((extent, i) => {
    if (shape[i] !== extent && extent !== 1)
      raise(
        "ValueError",
        `Cannot broadcast, the expanded size of the tensor (${shape[i]}) must match the existing size (${extent}) ` +
          `at non-singleton dimension ${i}: ${shapeText(from)}, ${wanted(shape)}`,
      );
  });
  return broadcastTo(s, input, shape);
}

/** Both values with a common shape; two scalars stay as they are. */
export function broadcastValues(s: Semantic, x: Tensor, y: Tensor): readonly [Tensor, Tensor] {
  let [lhs, rhs] = [x, y];
  if (isBlock(lhs.type) && !isBlock(rhs.type)) return [lhs, splatTo(s, rhs, withElement(lhs.type, scalarOf(rhs.type)) as BlockType)];
  if (!isBlock(lhs.type) && isBlock(rhs.type)) return [splatTo(s, lhs, withElement(rhs.type, scalarOf(lhs.type)) as BlockType), rhs];
  if (!isBlock(lhs.type)) return [lhs, rhs];
  if (s.isGluon) return gluon.broadcastBlocks(s, lhs, rhs);
  while (extentsOf(lhs).length < extentsOf(rhs).length) lhs = expandAt(s, lhs, 0, [1, ...extentsOf(lhs)]);
  while (extentsOf(rhs).length < extentsOf(lhs).length) rhs = expandAt(s, rhs, 0, [1, ...extentsOf(rhs)]);
  const [a, b] = [extentsOf(lhs), extentsOf(rhs)];
  const shape = a.map((left, i) => {
    const right = b[i]!;
    if (left === 1) return right;
    if (right === 1 || right === left) return left;
    return raise("ValueError", `Cannot make_shape_compatible: incompatible dimensions at index ${i}: ${left} and ${right}`);
  });
  if (!sameShape(a, shape)) lhs = broadcastTo(s, lhs, shape);
  if (!sameShape(b, shape)) rhs = broadcastTo(s, rhs, shape);
  return [lhs, rhs];
}

/** Several values with a common shape, the first one leading. */
export function broadcastTensors(s: Semantic, first: Tensor, ...rest: readonly Tensor[]): readonly Tensor[] {
  let head = first;
  const tail = [...rest];
  for (let i = 0; i < tail.length; i++) [head, tail[i]] = broadcastValues(s, head, tail[i]!) as [Tensor, Tensor];
  for (let i = 0; i < tail.length - 1; i++) [head, tail[i]] = broadcastValues(s, head, tail[i]!) as [Tensor, Tensor];
  return [head, ...tail];
}
