/** Changes of shape. Source: python/triton/language/core.py. */
import { defineBuiltin, REQUIRED, raiseUnexpected, STAR } from "../define-builtin.js";
import { check, raise } from "../errors.js";
import { toTensor } from "../semantic/constants.js";
import * as sem from "../semantic/shape.js";
import type { Semantic } from "../semantic.js";
import { elementsOf, extentsOf, isKind, isTuple, type PyValue, pythonTuple, type Tensor, tuple, unwrap } from "../values.js";
import { integers, self, shapeArgument, truth, unwrapIterable, wrapAxis } from "./arguments.js";

/** New dimensions of extent 1 at one axis or several, counted in the result. */
export function expandDimsAt(s: Semantic, input: Tensor, axis: PyValue): Tensor {
  const given = elementsOf(axis) ?? [axis];
  const rank = extentsOf(input).length + given.length;
  const axes = given.map((a) => wrapAxis(a, rank));
  if (new Set(axes).size !== axes.length)
    raise("ValueError", `expand_dims received duplicate axes, normalized axes = ${sem.listText(axes)}`);
  return [...axes].sort((a, b) => a - b).reduce((x, a) => sem.expandDims(s, x, a), input);
}

/** The dimensions as one value, for messages. */
const asGiven = (dims: readonly PyValue[]): PyValue => {
  const only = dims.length === 1 ? dims[0]! : undefined;
  return isTuple(only) || isKind(only, "list") ? only : pythonTuple(dims);
};

const permuted = (s: Semantic, input: Tensor, dims: readonly PyValue[]): Tensor =>
  sem.permute(s, input, integers(unwrapIterable(dims)), asGiven(dims));

/** The blocks after each other: joined in a new last dimension, which then comes before the one that they share. */
function catInOrder(s: Semantic, input: Tensor, other: Tensor, given: PyValue): Tensor {
  const [a, b] = [extentsOf(input), extentsOf(other)];
  const shown = (shape: readonly number[]): string => `[${shape.join(", ")}]`;
  check(a.length === b.length, `tensors must have the same rank, got ${a.length} and ${b.length}`);
  const dim = wrapAxis(given, a.length);
  check(
    a.every((extent, i) => i === dim || extent === b[i]),
    `tensor dims must match except in the concat dimension ${dim}, got ${shown(a)} and ${shown(b)}`,
  );
  const order = a.map((_, i) => i).toSpliced(dim, 0, a.length);
  const shape = a.with(dim, a[dim]! + b[dim]!);
  return sem.reshape(s, sem.permute(s, sem.join(s, input, other), order, null), shape, false);
}

export const SHAPE = [
  defineBuiltin("broadcast", { input: REQUIRED, other: REQUIRED }, (s, a) => tuple(sem.broadcastValues(s, self(a.input), self(a.other)))),
  defineBuiltin("broadcast_to", { input: REQUIRED, shape: STAR }, (s, a) =>
    sem.broadcastToShape(s, self(a.input), shapeArgument(unwrapIterable(a.shape))),
  ),
  defineBuiltin("trans", { input: REQUIRED, dims: STAR }, (s, a) => {
    const input = self(a.input);
    if (unwrapIterable(a.dims).length > 0) return permuted(s, input, a.dims);
    const rank = extentsOf(input).length;
    if (rank < 2) raise("ValueError", "tl.trans invoked with a 0- or 1-dimensional tensor");
    const order = Array.from({ length: rank }, (_, i) => (i < rank - 2 ? i : i === rank - 2 ? rank - 1 : rank - 2));
    return sem.permute(s, input, order, null);
  }),
  defineBuiltin("permute", { input: REQUIRED, dims: STAR }, (s, a) => permuted(s, self(a.input), a.dims)),
  defineBuiltin("cat", { input: REQUIRED, other: REQUIRED, can_reorder: false, dim: null }, (s, a) => {
    const [input, other] = [self(a.input), self(a.other)];
    if (!s.rules.catsInOrder && a.dim !== null) raiseUnexpected("cat", "cat", "dim");
    if (truth(a.can_reorder) || !s.rules.catsInOrder) return sem.cat(s, input, other, truth(a.can_reorder));
    return catInOrder(s, input, other, a.dim ?? 0n);
  }),
  defineBuiltin("join", { a: REQUIRED, b: REQUIRED }, (s, a) => sem.join(s, self(a.a), self(a.b))),
  defineBuiltin("split", { a: REQUIRED }, (s, args) => {
    const a = self(args.a);
    // Two scalars come of a block of two: it is split as a block of one row, whose halves are single elements.
    if (extentsOf(a).length !== 1) return tuple(sem.split(s, a));
    const [lhs, rhs] = sem.split(s, sem.expandDims(s, a, 0));
    const first = sem.unsplat(s, lhs);
    return tuple([first, sem.unsplat(s, rhs)]);
  }),
  defineBuiltin("view", { input: REQUIRED, shape: STAR }, (s, a) => {
    s.warn("view is deprecated, please use reshape with can_reorder being true.");
    return sem.reshape(s, self(a.input), shapeArgument(unwrapIterable(a.shape)), true);
  }),
  defineBuiltin("item", { input: REQUIRED }, (s, a) => sem.unsplat(s, self(a.input))),
  defineBuiltin("reshape", { input: REQUIRED, shape: STAR, can_reorder: false }, (s, a) => {
    const shape = shapeArgument(unwrapIterable(a.shape));
    const input = self(a.input);
    return shape.length === 0 ? sem.unsplat(s, input) : sem.reshape(s, input, shape, truth(a.can_reorder));
  }),
  defineBuiltin("expand_dims", { input: REQUIRED, axis: REQUIRED }, (s, a) => expandDimsAt(s, toTensor(s, a.input), unwrap(a.axis))),
];
