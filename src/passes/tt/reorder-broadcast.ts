/** Computes before spreading. Source: lib/Dialect/Triton/Transforms/ReorderBroadcast.cpp. */

import { ConstantOp } from "../../dialects/arith/ops/constant.js";
import { canonicalize } from "../../dialects/tt/canonicalize.js";
import { BroadcastOp, ExpandDimsOp, SplatOp } from "../../dialects/tt/ops/shape.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { DenseElementsAttr, splatOf } from "../../ir/builtin-attrs.js";
import { elementTypeOrSelf, RankedTensorType, type TensorType, tensorType } from "../../ir/builtin-types.js";
import { isMemoryEffectFree } from "../../ir/interfaces.js";
import { constantOfOp, denseElement } from "../../ir/match.js";
import { Operation } from "../../ir/operation.js";
import { Elementwise } from "../../ir/traits.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { PassError } from "../../pass/pass-error.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { anyOpPattern, hasTrait, type Pattern } from "../../rewrite/pattern.js";
import type { Rewriter } from "../../rewrite/rewriter.js";

/** The one element of a constant that is a splat. */
function splatElement(op: Operation): Attribute | undefined {
  const value = constantOfOp(op);
  return DenseElementsAttr.is(value) && value.params.splat ? denseElement(value) : undefined;
}
const isSplat = (op: Operation): boolean => SplatOp.is(op) || splatElement(op) !== undefined;

/** Inserts an op as `op` is, on other operands. */
function cloneWith(rw: Rewriter, op: Operation, operands: readonly Value[], resultTypes: readonly Type[]): Operation {
  return rw.insert(new Operation(rw.ctx, op.def, { loc: op.locRef, operands, resultTypes, attrs: op.attrs }));
}

/** elementwise(splat(a), splat(b), ...) -> splat(elementwise(a, b, ...)) */
const moveSplatAfterElementwise = anyOpPattern("move-splat-after-elementwise", hasTrait(Elementwise), (op, rw) => {
  if (!isMemoryEffectFree(op)) return rw.noMatch("has effects", op);
  const sources = op.operands.map((value) => value.definingOp);
  if (sources.length === 0) return rw.noMatch("has no operands", op);
  if (!sources.every((source) => source && isSplat(source))) return rw.noMatch("an operand is no splat", op);
  const odd = sources.find((source) => RankedTensorType.is(SplatOp.match(source!)?.src.type));
  if (odd)
    throw new PassError(odd, "a splat of a tensor is verified, and no pass can take it: broadcast it (tt.broadcast)", "lower.unsupported");
  const loc = op.locRef;
  const scalars = (sources as readonly Operation[]).map((source) => {
    const splat = SplatOp.match(source);
    return splat ? splat.src : rw.value(ConstantOp, { value: splatElement(source)! }, { loc });
  });
  const made = cloneWith(
    rw,
    op,
    scalars,
    op.results.map((result) => elementTypeOrSelf(result.type)),
  );
  op.results.forEach((result, i) => {
    rw.replaceAllUses(result, rw.value(SplatOp, { src: made.result(i) }, { types: [result.type], loc }));
  });
  return true;
});

/** elementwise(broadcast(a), splat(b), ...) -> broadcast(elementwise(a, splat(b), ...)); all broadcasts come from one shape. */
const moveBroadcastAfterElementwise = anyOpPattern("move-broadcast-after-elementwise", hasTrait(Elementwise), (op, rw) => {
  if (!isMemoryEffectFree(op)) return rw.noMatch("has effects", op);
  let from: TensorType | undefined;
  for (const { definingOp } of op.operands) {
    if (!definingOp) return rw.noMatch("an operand is a block argument", op);
    const broadcast = BroadcastOp.match(definingOp);
    if (!broadcast) {
      if (!isSplat(definingOp)) return rw.noMatch("an operand is neither splat nor broadcast", op);
      continue;
    }
    const type = broadcast.src.type as TensorType;
    if (from && !sameShape(from, type)) return rw.noMatch("broadcasts of several shapes", op);
    from ??= type;
  }
  if (!from) return rw.noMatch("no operand is broadcast", op);
  const { shape, encoding } = from.params;
  const narrow = (type: Type): TensorType => tensorType(shape, elementTypeOrSelf(type), encoding);
  const loc = op.locRef;
  const operands = op.operands.map((operand) => {
    const source = operand.definingOp!;
    const broadcast = BroadcastOp.match(source);
    if (broadcast) return broadcast.src;
    const type = narrow(operand.type);
    const splat = SplatOp.match(source);
    if (splat) return rw.value(SplatOp, { src: splat.src }, { types: [type], loc });
    return rw.value(ConstantOp, { value: splatOf(type, splatElement(source)!) }, { loc });
  });
  const made = cloneWith(
    rw,
    op,
    operands,
    op.results.map((result) => narrow(result.type)),
  );
  op.results.forEach((result, i) => {
    rw.replaceAllUses(result, rw.value(BroadcastOp, { src: made.result(i) }, { types: [result.type], loc }));
  });
  return true;
});
function sameShape(a: TensorType, b: TensorType): boolean {
  const [x, y] = [a.params.shape, b.params.shape];
  return x.length === y.length && x.every((extent, i) => extent === y[i]);
}

const PATTERNS: readonly Pattern[] = [
  ...canonicalize.filter((p) => p.root === BroadcastOp),
  ...canonicalize.filter((p) => p.root === ExpandDimsOp),
  moveBroadcastAfterElementwise,
  moveSplatAfterElementwise,
];

export const reorderBroadcast = definePass("triton-reorder-broadcast", {
  name: "TritonReorderBroadcast",
  summary: "Moves broadcast and splat after elementwise operations",
  source: "lib/Dialect/Triton/Transforms/ReorderBroadcast.cpp",
  run(root, { listener, fail }) {
    if (!applyPatternsGreedily(root, PATTERNS, { listener }).converged) fail();
  },
});
