import type { Type } from "../../ir/attribute.js";
import type { Builder } from "../../ir/builder.js";
import { RankedTensorType } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import { AndIOp } from "../arith/ops/index.js";
import { SplatOp } from "./ops/shape.js";
import { getI1SameShape } from "./types.js";

/** The creator of `getPredMask`'s ops: a Builder or a Rewriter. */
type Maker = Pick<Builder, "value">;

/**
 * The mask of an access of shape `typeLike` that happens only where the scalar `pred` holds: `pred` for all lanes, and
 * `currentMask` where there is one. Source: lib/Dialect/Triton/IR/Utility.cpp, getPredMask.
 */
export function getPredMask(b: Maker, typeLike: Type, currentMask: Value | undefined, pred: Value): Value {
  const maskType = getI1SameShape(typeLike);
  const loc = pred.definingOp?.locRef ?? pred.loc;
  const mask = RankedTensorType.is(maskType) ? b.value(SplatOp, { src: pred }, { types: [maskType], loc }) : pred;
  return currentMask ? b.value(AndIOp, { lhs: mask, rhs: currentMask }, { loc }) : mask;
}
