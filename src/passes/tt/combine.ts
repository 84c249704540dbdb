/** Peepholes on tt. Source: lib/Dialect/Triton/Transforms/Combine.cpp, Combine.td. */

import { AddFOp, AddIOp, ConstantOp, MulFOp, SelectOp } from "../../dialects/arith/ops/index.js";
import { DescriptorLoadOp } from "../../dialects/tt/ops/descriptor.js";
import { DotOp, DotScaledOp } from "../../dialects/tt/ops/dot.js";
import { HistogramOp } from "../../dialects/tt/ops/gather.js";
import { LoadOp } from "../../dialects/tt/ops/memory.js";
import { AddPtrOp } from "../../dialects/tt/ops/pointer.js";
import { ReduceOp } from "../../dialects/tt/ops/reduce.js";
import { BroadcastOp, ExpandDimsOp, ReshapeOp, SplatOp } from "../../dialects/tt/ops/shape.js";
import type { Type } from "../../ir/attribute.js";
import { floatAttr, unitAttr } from "../../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, f32, type TensorType, tensorType } from "../../ir/builtin-types.js";
import { fusedLoc } from "../../ir/location.js";
import { constantInt, isZeroFloat, isZeroInt } from "../../ir/match.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { type Pattern, pattern } from "../../rewrite/pattern.js";
import type { Rewriter } from "../../rewrite/rewriter.js";

const shapeOf = (type: Type): readonly number[] => (type as TensorType).params.shape;

interface Addition {
  readonly op: { result(): Value };
  readonly lhs: Value;
  readonly rhs: Value;
}
/** dot(a, b, 0) + d -> dot(a, b, d), where nothing else uses the dot. */
function combineDotAdd(add: Addition, isFloat: boolean, rw: Rewriter) {
  const onRight = DotOp.match(add.rhs.definingOp);
  const dot = onRight ?? DotOp.match(add.lhs.definingOp);
  if (!dot) return rw.noMatch("no operand is a tt.dot");
  if (!dot.d.hasOneUse()) return rw.noMatch("the dot has other uses", dot);
  if (!isZeroInt(dot.c) && !isZeroFloat(dot.c)) return rw.noMatch("the dot accumulates onto something", dot);
  if (isFloat && dot.maxNumImpreciseAcc !== 0) return rw.noMatch("the dot may accumulate with less precision than the addition", dot);
  return accumulate(add, dot, onRight ? add.lhs : add.rhs, rw);
}
/** dot_scaled(a, b, 0) + d -> dot_scaled(a, b, d), as since 3.8. */
function combineScaledDotAdd(add: Addition, rw: Rewriter) {
  const onRight = DotScaledOp.match(add.rhs.definingOp);
  const dot = onRight ?? DotScaledOp.match(add.lhs.definingOp);
  if (!dot) return rw.noMatch("no operand is a tt.dot_scaled");
  if (!dot.d.hasOneUse()) return rw.noMatch("the dot has other uses", dot);
  if (!isZeroFloat(dot.c)) return rw.noMatch("the dot accumulates onto something", dot);
  return accumulate(add, dot, onRight ? add.lhs : add.rhs, rw);
}
/** The dot adds to `onto` itself. */
function accumulate(add: Addition, dot: { readonly op: Operation; readonly d: Value }, onto: Value, rw: Rewriter): true {
  const sum = add.op.result().definingOp!;
  rw.modify(dot, (op) => {
    op.setOperand(2, onto);
    op.moveBefore(sum);
  });
  rw.replaceAllUses(sum.result(), dot.d);
  return true;
}
const combineDotAddI = pattern("combine-dot-addi", AddIOp, (add, rw) => combineDotAdd(add, false, rw));
const combineDotAddF = pattern("combine-dot-addf", AddFOp, (add, rw) => combineDotAdd(add, true, rw));
const combineDotScaledAddF = pattern("combine-dot-scaled-addf", AddFOp, (add, rw) => combineScaledDotAdd(add, rw));

/** select(c, load(ptrs, splat(c), _), other) -> load(ptrs, splat(c), other) */
const combineSelectMaskedLoad = pattern(
  "combine-select-masked-load",
  SelectOp,
  (select, rw) => {
    const load = LoadOp.match(select.true_value.definingOp);
    if (!load?.mask) return rw.noMatch("no masked load is selected", select);
    const splat = SplatOp.match(load.mask.definingOp);
    if (splat?.src !== select.condition) return rw.noMatch("the mask is not the condition", select);
    const { ptr, mask, boundaryCheck, padding, cache, evict, isVolatile } = load;
    rw.replaceWith(
      select,
      LoadOp,
      { ptr, mask, other: select.false_value, boundaryCheck, padding, cache, evict, isVolatile },
      { types: [load.result.type] },
    );
    return true;
  },
  { benefit: 3 },
);

/** The number that an offset is, the same in all lanes. */
function constantOffset(value: Value): bigint | undefined {
  return constantInt(SplatOp.match(value.definingOp)?.src ?? value);
}
/** Whether the sum of two offsets is known not to overflow: 64-bit offsets, as wide as pointers, may. */
function areOffsetsCombinable(first: Value, second: Value): boolean {
  if (first.type !== second.type) return false;
  const width = bitWidth(elementTypeOrSelf(first.type))!;
  if (width === 64) return true;
  const [a, b] = [constantOffset(first), constantOffset(second)];
  return a !== undefined && b !== undefined && BigInt.asIntN(width, a + b) === BigInt.asIntN(width, a) + BigInt.asIntN(width, b);
}
const HINTS = ["tt.divisibility", "tt.contiguity", "tt.constancy"];

/** addptr(addptr(p, i), j) -> addptr(p, i + j) */
const combineAddPtr = pattern(
  "combine-addptr",
  AddPtrOp,
  (outer, rw) => {
    const inner = AddPtrOp.match(outer.ptr.definingOp);
    if (!inner) return rw.noMatch("pointer is not from tt.addptr", outer);
    if (!areOffsetsCombinable(inner.offset, outer.offset)) return rw.noMatch("the sum of the offsets may overflow", outer);
    const loc = fusedLoc(rw.ctx, [outer.op.loc, inner.op.loc]);
    const offset = rw.value(AddIOp, { lhs: inner.offset, rhs: outer.offset }, { loc });
    const extraAttrs = HINTS.flatMap((name) => {
      const hint = outer.op.attr(name);
      return hint ? [[name, hint] as const] : [];
    });
    rw.replaceWith(outer, AddPtrOp, { ptr: inner.ptr, offset }, { types: [outer.result.type], loc, extraAttrs });
    return true;
  },
  { benefit: 2 },
);

/** Whether a region adds its two arguments, floats of at most 32 bits. */
function isAddF32(combine: Region): boolean {
  const block = combine.firstBlock!;
  if (!combine.hasOneBlock || block.firstOp?.next !== block.lastOp) return false;
  const add = AddFOp.match(block.firstOp);
  return add !== undefined && bitWidth(add.result.type)! <= 32;
}
/** Whether a broadcast of three dimensions makes this one larger, and no other. */
const grows = ({ src, result }: { readonly src: Value; readonly result: Value }, dim: number): boolean =>
  shapeOf(result.type).length === 3 && shapeOf(result.type).every((extent, d) => (extent !== shapeOf(src.type)[d]) === (d === dim));

/** sum(x[:, :, None] * y[None, :, :], 1) -> dot(x, y) */
const combineBroadcastMulReduce = pattern("combine-broadcast-mul-reduce", ReduceOp, (reduce, rw) => {
  if (!isAddF32(reduce.combineOp)) return rw.noMatch("no sum of floats", reduce);
  const mul = MulFOp.match(reduce.op.operand(0).definingOp);
  const lhs = BroadcastOp.match(mul?.lhs.definingOp);
  const rhs = BroadcastOp.match(mul?.rhs.definingOp);
  if (!lhs || !rhs) return rw.noMatch("no product of broadcasts", reduce);
  const x = ExpandDimsOp.match(lhs.src.definingOp);
  const y = ExpandDimsOp.match(rhs.src.definingOp);
  if (x?.axis !== 2 || y?.axis !== 0) return rw.noMatch("the factors are not x[:, :, None] and y[None, :, :]", reduce);
  // Upstream takes both extents from the left factor.
  const [rows, , columns] = shapeOf(lhs.result.type) as [number, number, number];
  if (rows < 16 || columns < 16) return rw.noMatch("too small for a dot", reduce);
  const strict = rw.ctx.triton.combinesOnlyProducts;
  if (strict && (reduce.axis !== 1 || !grows(lhs, 2) || !grows(rhs, 0))) return rw.noMatch("no matrix product", reduce);
  const loc = reduce.op.locRef;
  const zero = rw.value(ConstantOp, { value: floatAttr(f32(rw.ctx), 0) }, { loc });
  const type = tensorType([rows, columns], elementTypeOrSelf(lhs.src.type));
  const c = rw.value(SplatOp, { src: zero }, { types: [type], loc });
  rw.replaceWith(
    reduce,
    DotOp,
    { a: x.src, b: y.src, c, inputPrecision: strict ? "ieee" : "tf32", maxNumImpreciseAcc: 0 },
    { types: [type] },
  );
  return true;
});

/** To reduce a vector, or count in it, the order of its elements is free: the reshape that makes it may choose. */
const combineReshapeReduce = pattern("combine-reshape-reduce", ReshapeOp, (reshape, rw) => {
  if (reshape.allow_reorder) return rw.noMatch("may reorder already", reshape);
  if (shapeOf(reshape.result.type).length !== 1) return rw.noMatch("result is no vector", reshape);
  if (reshape.result.users().some((user) => !ReduceOp.is(user) && !HistogramOp.is(user)))
    return rw.noMatch("the order of elements matters to a user", reshape);
  return rw.modify(reshape, (op) => op.setAttr("allow_reorder", unitAttr(rw.ctx)));
});

/** reshape(descriptor_load) without leading dimensions of extent 1 -> descriptor_load of that shape */
const rankedReduceDescriptorLoads = pattern("ranked-reduce-descriptor-loads", ReshapeOp, (reshape, rw) => {
  const load = DescriptorLoadOp.match(reshape.src.definingOp);
  if (!load?.result.hasOneUse()) return rw.noMatch("source is no descriptor load of its own", reshape);
  const [from, to] = [shapeOf(load.result.type), shapeOf(reshape.result.type)];
  const dropped = from.length - to.length;
  if (dropped <= 0) return rw.noMatch("no smaller rank", reshape);
  if (from.slice(0, dropped).some((extent) => extent !== 1) || from.slice(dropped).some((extent, i) => extent !== to[i]))
    return rw.noMatch("more than leading dimensions of extent 1 goes", reshape);
  rw.modify(load, (op) => op.setResultType(0, reshape.result.type));
  return rw.replace(reshape, load.result);
});

const PATTERNS: readonly Pattern[] = [
  combineDotAddI,
  combineDotAddF,
  combineSelectMaskedLoad,
  combineAddPtr,
  combineBroadcastMulReduce,
  combineReshapeReduce,
  rankedReduceDescriptorLoads,
];

export const combine = definePass("triton-combine", {
  name: "TritonCombineOps",
  summary: "combine ops",
  source: "lib/Dialect/Triton/Transforms/Combine.cpp",
  run(root, { listener, fail }) {
    const patterns = root.ctx.triton.combinesScaledDots ? [...PATTERNS, combineDotScaledAddF] : PATTERNS;
    if (!applyPatternsGreedily(root, patterns, { listener }).converged) fail();
  },
});
