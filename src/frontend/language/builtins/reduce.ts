/** Reductions, scans, maps, gathers and histograms. Source: python/triton/language/core.py. */
import { defineBuiltin, REQUIRED, STAR } from "../define-builtin.js";
import { check, raise } from "../errors.js";
import { pyTypeName } from "../python-text.js";
import { makeRange } from "../semantic/constants.js";
import { gather, histogram, mapElementwise, reduction, scan } from "../semantic/reduce.js";
import { broadcastToShape } from "../semantic/shape.js";
import type { Semantic } from "../semantic.js";
import { elementsOf, extentsOf, isTensor, type PyValue, type Tensor, tuple, unwrap } from "../values.js";
import { integer, isNone, optionalTensor, self, truth, wrapAxis } from "./arguments.js";
import { expandDimsAt } from "./shape.js";

/** One tensor or a tuple of them, with whether it was one. */
function inputsOf(value: PyValue): readonly Tensor[] {
  if (isTensor(value)) return [value];
  const list = elementsOf(value) ?? raise("TypeError", `'${pyTypeName(value)}' object is not iterable`);
  return list.map(self);
}
const sameNumber = (given: PyValue, results: readonly Tensor[]): PyValue => (isTensor(given) ? results[0]! : tuple(results));

function reduceAlong(s: Semantic, inputs: readonly Tensor[], givenAxis: PyValue, combine: PyValue, keepDims: PyValue): readonly Tensor[] {
  const rank = extentsOf(inputs[0]!).length;
  const axis = isNone(givenAxis) ? undefined : wrapAxis(givenAxis, rank);
  const results = reduction(s, inputs, axis, combine);
  if (!truth(keepDims)) return results;
  return results.map((result) => {
    if (axis !== undefined) return expandDimsAt(s, result, BigInt(axis));
    let expanded = result;
    for (let i = 0; i < rank; i++) expanded = expandDimsAt(s, expanded, 0n);
    return expanded;
  });
}

export const REDUCE = [
  defineBuiltin("reduce", { input: REQUIRED, axis: REQUIRED, combine_fn: REQUIRED, keep_dims: false }, (s, a) =>
    sameNumber(a.input, reduceAlong(s, inputsOf(a.input), unwrap(a.axis), a.combine_fn, a.keep_dims)),
  ),
  defineBuiltin("_reduce_with_indices", { input: REQUIRED, axis: REQUIRED, combine_fn: REQUIRED, keep_dims: false }, (s, a) => {
    const input = self(a.input);
    const shape = extentsOf(input);
    const given = unwrap(a.axis);
    // Indices are along one axis.
    check(given !== null);
    const axis = integer(given);
    const extent = shape.at(axis) ?? raise("IndexError", "list index out of range");
    let index = makeRange(s, 0n, BigInt(extent));
    if (shape.length > 1) {
      const others = shape.map((_, d) => BigInt(d));
      others.splice(axis < 0 ? axis + shape.length : axis, 1);
      index = broadcastToShape(s, expandDimsAt(s, index, tuple(others)), shape);
    }
    return tuple(reduceAlong(s, [input, index], given, a.combine_fn, a.keep_dims));
  }),
  defineBuiltin("associative_scan", { input: REQUIRED, axis: REQUIRED, combine_fn: REQUIRED, reverse: false }, (s, a) => {
    const inputs = inputsOf(a.input);
    const axis = wrapAxis(a.axis, extentsOf(inputs[0]!).length);
    return sameNumber(a.input, scan(s, inputs, axis, a.combine_fn, truth(a.reverse)));
  }),
  defineBuiltin("histogram", { input: REQUIRED, num_bins: REQUIRED, mask: null }, (s, a) => {
    const mask = optionalTensor(s, a.mask);
    return histogram(s, self(a.input), integer(a.num_bins), mask);
  }),
  defineBuiltin("gather", { src: REQUIRED, index: REQUIRED, axis: REQUIRED }, (s, a) =>
    gather(s, self(unwrap(a.src)), self(unwrap(a.index)), integer(a.axis)),
  ),
  defineBuiltin("map_elementwise", { scalar_fn: REQUIRED, args: STAR, pack: 1n }, (s, a) => {
    const pack = integer(a.pack);
    check(pack >= 1);
    const { single, results } = mapElementwise(s, a.scalar_fn, a.args.map(self), pack);
    return single ? results[0]! : tuple(results);
  }),
];
