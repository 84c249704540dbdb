/** Printing, assertions and hints. Source: python/triton/language/semantic.py. */
import { BarrierOp } from "../../../dialects/gpu/ops/barrier.js";
import { AssumeOp } from "../../../dialects/llvm/ops/assume.js";
import { AssertOp, PrintOp } from "../../../dialects/tt/ops/debug.js";
import { FuncOp } from "../../../dialects/tt/ops/function.js";
import * as ttg from "../../../dialects/ttg/ops/since-3-7.js";
import { denseElements } from "../../../ir/builtin-attrs.js";
import { i32, tensorType } from "../../../ir/builtin-types.js";
import { raise } from "../errors.js";
import type { Semantic } from "../semantic.js";
import { isIntSigned } from "../types.js";
import { dtypeOf, extentsOf, type Tensor } from "../values.js";
import { emitOp } from "./emit.js";

/** Made in debug mode only. */
export function deviceAssert(s: Semantic, condition: Tensor, message: string): void {
  if (s.options.debug) emitOp(s, AssertOp, { condition: condition.handle, message });
}

/** The prefix of the first value is set apart by a space before it and ": " after it. */
export function devicePrint(s: Semantic, given: string, args: readonly Tensor[], hex: boolean): void {
  let prefix = given;
  if (!prefix.endsWith(" ") && args.length > 0) prefix += " ";
  if (!prefix.endsWith(": ") && args.length > 0) prefix = `${prefix.slice(0, -1)}: `;
  if (prefix.length > 2 && !prefix.startsWith(" ")) prefix = ` ${prefix}`;
  const isSigned = args.map((arg) => (isIntSigned(dtypeOf(arg)) ? 1 : 0));
  emitOp(s, PrintOp, { prefix, hex, args: args.map((arg) => arg.handle), isSigned });
}

export const debugBarrier = (s: Semantic): void => s.rules.debugBarrier(s);
/** As 3.6 makes it. */
export const gpuBarrier = (s: Semantic): void => void emitOp(s, BarrierOp, {});
/** As made since 3.7: a barrier for accesses to all memories. */
export const barrierOfAll = (s: Semantic): void => void emitOp(s, ttg.BarrierOp, { addrSpace: 31 });
export const assume = (s: Semantic, condition: Tensor): void =>
  void emitOp(s, AssumeOp, { cond: condition.handle, op_bundle_operands: [], op_bundle_sizes: [] });

export type Hint = "multiple_of" | "max_contiguous" | "max_constancy";
const HINT_ATTRS: Readonly<Record<Hint, string>> = {
  multiple_of: "tt.divisibility",
  max_contiguous: "tt.contiguity",
  max_constancy: "tt.constancy",
};

/** Notes what is known of a tensor's values at the op that makes it. Nothing is noted of a function's arguments. */
export function hint(s: Semantic, kind: Hint, x: Tensor, values: readonly bigint[]): Tensor {
  const rank = kind === "multiple_of" ? Math.max(1, extentsOf(x).length) : extentsOf(x).length;
  if (rank !== values.length) raise("ValueError", `Shape of input to ${kind} does not match the length of values`);
  const attr = denseElements(tensorType([values.length], i32(s.ctx)), values);
  const { definingOp } = x.handle;
  if (definingOp) definingOp.setAttr(HINT_ATTRS[kind], attr);
  else {
    const owner = x.handle.argOwner!;
    const parent = owner.parentOp;
    if (parent && owner.region?.firstBlock === owner && !FuncOp.is(parent))
      parent.setAttr(`${HINT_ATTRS[kind]}_arg${owner.args.indexOf(x.handle)}`, attr);
    else
      s.remark(
        `tl.${kind} has no effect here: the value is an argument, and Triton notes hints at the op that makes a value. The type of the argument says what it is a multiple of (i32:16); or hint what is computed of it`,
        "python.hint",
      );
  }
  return x;
}
