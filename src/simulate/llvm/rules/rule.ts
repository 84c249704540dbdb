/** The type of a rule, and helpers shared by rules of several families. */
import { LLVMPointerType } from "../../../dialects/llvm/types/types.js";
import type { Type } from "../../../ir/attribute.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { STATE_SPACES } from "../../../ptx/llvm-names.js";
import type { FunctionText } from "../function-text.js";
import type { Leaf } from "../leaves.js";

/** Writes the instructions of an op. */
export type Rule = (f: FunctionText, op: Operation) => void;
/** Rules of some ops by their names. */
export type Family = readonly (readonly [string, Rule])[];

/** The instructions for one scalar, into register `d`. */
export type Lane = (f: FunctionText, leaf: Leaf, d: string, operands: readonly string[]) => void;

/** A rule that does the same for every scalar of the result; operands have as many. */
export const each =
  (lane: Lane): Rule =>
  (f, op) => {
    const operands = op.operands.map((v) => f.use(v));
    const leaves = f.leaves(op.result(0).type);
    f.define(op.result(0)).forEach((d, i) =>
      lane(
        f,
        leaves[i]!,
        d,
        operands.map((o) => o[i]!),
      ),
    );
  };

/** Has no instruction. */
export const nothing: Rule = () => {};

/** The integer of a constant. */
export function constantIndex(value: Value): number | undefined {
  const op = value.definingOp;
  return op?.name === "llvm.mlir.constant" ? intOf(op.attr("value")) : undefined;
}

/** `.global`, `.shared`, ...; nothing for generic addresses. */
export const spaceOf = (type: Type): string => {
  const space = LLVMPointerType.is(type) ? STATE_SPACES[type.params.addressSpace] : undefined;
  return space === undefined ? "" : `.${space}`;
};
