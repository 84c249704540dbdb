/** Canonicalization patterns of tt. Source: lib/Dialect/Triton/IR/Ops.cpp, Canonicalize.td. */
import { DenseElementsAttr, intAttr, splatOf } from "../../ir/builtin-attrs.js";
import { elementTypeOrSelf, RankedTensorType, type TensorType, tensorType } from "../../ir/builtin-types.js";
import { fusedLoc } from "../../ir/location.js";
import { constantInt } from "../../ir/match.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { type Pattern, pattern } from "../../rewrite/pattern.js";
import { ConstantOp } from "../arith/ops/constant.js";
import { AddIOp } from "../arith/ops/integer.js";
import { layoutRules } from "./infer-layout.js";
import { BitcastOp, IntToPtrOp, PtrToIntOp } from "./ops/cast.js";
import { LoadOp, StoreOp } from "./ops/memory.js";
import { AddPtrOp } from "./ops/pointer.js";
import { BroadcastOp, ExpandDimsOp, expandedShape, ReshapeOp, SplatOp } from "./ops/shape.js";
import { getPointeeBitWidth } from "./types.js";

/** Patterns written in TableGen fuse the locations of what they match, and count an op of it as a point of benefit. */
const matched = (...ops: readonly Operation[]) =>
  fusedLoc(
    ops[0]!.ctx,
    ops.map((op) => op.loc),
  );

/** broadcast(splat(x)) -> splat(x) */
const broadcastOfSplat = pattern(
  "broadcast-of-splat",
  BroadcastOp,
  (op, rw) => {
    const splat = SplatOp.match(op.src.definingOp);
    if (!splat) return rw.noMatch("source is not tt.splat", op);
    rw.replaceWith(op, SplatOp, { src: splat.src }, { types: [op.result.type], loc: matched(op.op, splat.op) });
    return true;
  },
  { benefit: 2 },
);

/** broadcast(broadcast(x)) -> broadcast(x) */
const broadcastOfBroadcast = pattern(
  "broadcast-of-broadcast",
  BroadcastOp,
  (op, rw) => {
    const inner = BroadcastOp.match(op.src.definingOp);
    if (!inner) return rw.noMatch("source is not tt.broadcast", op);
    rw.replaceWith(op, BroadcastOp, { src: inner.src }, { types: [op.result.type], loc: matched(op.op, inner.op) });
    return true;
  },
  { benefit: 2 },
);

/**
 * expand_dims(splat(x)) -> splat(x); expand_dims(broadcast(x)) -> broadcast(expand_dims(x))
 *
 * The second lets two broadcasts meet: broadcast(expand_dims(broadcast(x))) becomes broadcast(expand_dims(x)).
 */
const expandDims = pattern("expand-dims", ExpandDimsOp, (op, rw) => {
  const splat = SplatOp.match(op.src.definingOp);
  if (splat) {
    rw.replaceWith(op, SplatOp, { src: splat.src }, { types: [op.result.type] });
    return true;
  }
  const broadcast = BroadcastOp.match(op.src.definingOp);
  if (!broadcast) return rw.noMatch("source is neither tt.splat nor tt.broadcast", op);
  const { axis } = op;
  const { shape, elementType, encoding } = (broadcast.src.type as TensorType).params;
  const expanded = encoding && layoutRules(encoding).inferExpandDimsOpEncoding(encoding, axis, undefined);
  if (encoding && !expanded) return rw.noMatch("failed to infer layout for ExpandDimsOp", op);
  const src = rw.value(
    ExpandDimsOp,
    { src: broadcast.src, axis },
    { types: [tensorType(expandedShape(shape, axis), elementType, expanded)], loc: op.op.locRef },
  );
  return rw.replace(op, rw.create(BroadcastOp, { src }, { types: [op.result.type], loc: broadcast.op.locRef }));
});

/** int_to_ptr(ptr_to_int(p)) -> p; int_to_ptr(i + constant) -> addptr(int_to_ptr(i), elements). Since 3.8. */
const intToPtr = pattern("int-to-ptr", IntToPtrOp, (op, rw) => {
  const { src, result } = op;
  if (!rw.ctx.triton.foldsPointerCasts) return rw.noMatch("since 3.8", op);
  const types = [result.type];
  const cast = PtrToIntOp.match(src.definingOp);
  if (cast) return !!rw.replaceWith(op, BitcastOp, { src: cast.src }, { types });
  const sum = AddIOp.match(src.definingOp);
  const bytes = constantInt(ConstantOp.match(sum?.rhs.definingOp)?.value);
  if (!sum || bytes === undefined) return rw.noMatch("source is neither tt.ptr_to_int nor a sum with a constant", op);
  const size = BigInt(Math.max(1, Math.trunc(getPointeeBitWidth(result.type) / 8)));
  if (bytes % size !== 0n) return rw.noMatch("the constant is no whole number of elements", op);
  const loc = op.op.locRef;
  const ptr = rw.value(IntToPtrOp, { src: sum.lhs }, { types, loc });
  const elements = intAttr(elementTypeOrSelf(sum.rhs.type), bytes / size);
  const value = RankedTensorType.is(sum.rhs.type) ? splatOf(sum.rhs.type, elements) : elements;
  const offset = rw.value(ConstantOp, { value }, { loc });
  return !!rw.replaceWith(op, AddPtrOp, { ptr, offset }, { types });
});

/** The value of a mask that is one constant for all lanes. */
function constantMask(mask: Value | undefined): boolean | undefined {
  const constant = ConstantOp.match(mask?.definingOp)?.value;
  return DenseElementsAttr.is(constant) && constant.params.splat ? constant.params.elements[0] !== 0n : undefined;
}

/** load(ptr, splat(1), ...) -> load(ptr, ...); load(ptr, splat(0), other, ...) -> other */
const maskedLoad = pattern("canonicalize-masked-load", LoadOp, (op, rw) => {
  const mask = constantMask(op.mask);
  if (mask === undefined) return rw.noMatch("the mask is no constant splat", op);
  if (!mask) return op.other ? rw.replace(op, op.other) : rw.noMatch("nothing is loaded, and there is no value instead", op);
  const { ptr, boundaryCheck, padding, cache, evict, isVolatile } = op;
  rw.replaceWith(op, LoadOp, { ptr, boundaryCheck, padding, cache, evict, isVolatile }, { types: [op.result.type] });
  return true;
});

/** reshape(reshape(x)) -> reshape(x); reshape(splat(x)) -> splat(x) */
const reshape = pattern("reshape", ReshapeOp, (op, rw) => {
  if (op.efficient_layout) return rw.noMatch("the layout of the result is to be kept", op);
  const inner = ReshapeOp.match(op.src.definingOp);
  if (inner) {
    const allow_reorder = op.allow_reorder || inner.allow_reorder;
    rw.replaceWith(op, ReshapeOp, { src: inner.src, allow_reorder }, { types: [op.result.type] });
    return true;
  }
  const splat = SplatOp.match(op.src.definingOp);
  if (!splat) return rw.noMatch("source is neither tt.reshape nor tt.splat", op);
  rw.replaceWith(op, SplatOp, { src: splat.src }, { types: [op.result.type] });
  return true;
});

/** store(ptr, value, splat(1), ...) -> store(ptr, value, ...); store(ptr, value, splat(0), ...) -> nothing */
const maskedStore = pattern("canonicalize-masked-store", StoreOp, (op, rw) => {
  const mask = constantMask(op.mask);
  if (mask === undefined) return rw.noMatch("the mask is no constant splat", op);
  if (!mask) return rw.erase(op);
  const { ptr, value, cache, evict } = op;
  rw.replaceWith(op, StoreOp, { ptr, value, cache, evict });
  return true;
});

/** Those that keep layouts as they are: the only ones for Gluon, whose author chose the layouts. */
export const LAYOUT_KEEPING_CANONICALIZATION: readonly Pattern[] = [
  broadcastOfSplat,
  broadcastOfBroadcast,
  expandDims,
  maskedLoad,
  maskedStore,
];
/** In the order of op names, and of registration within an op. */
export const canonicalize: readonly Pattern[] = [
  broadcastOfSplat,
  broadcastOfBroadcast,
  expandDims,
  intToPtr,
  maskedLoad,
  reshape,
  maskedStore,
];
