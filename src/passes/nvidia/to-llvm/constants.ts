import { ConstantOp } from "../../../dialects/llvm/ops/constants.js";
import { i32Attr } from "../../../ir/builtin-attrs.js";
import { i32 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

/** A new `llvm.mlir.constant` of 32 bits. */
export function i32Constant(rw: Rewriter, value: number): Value {
  return rw.value(ConstantOp, { value: i32Attr(rw.ctx, value) }, { types: [i32(rw.ctx)] });
}
