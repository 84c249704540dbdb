/** Inline assembly and functions of libraries, element by element. Source: python/triton/language/core.py. */

import { ExternElementwiseOp } from "../../../dialects/tt/ops/elementwise.js";
import { raise } from "../errors.js";
import { sameType, typeRepr } from "../python-text.js";
import type { Semantic } from "../semantic.js";
import { type Dtype, isBlock, type PointerType, type TensorType, withElement } from "../types.js";
import { dtypeOf, type PyValue, type Tensor } from "../values.js";
import { toTensor } from "./constants.js";
import { type AsmText, emit, emitAsm } from "./emit.js";
import { type OperandRules, promoteOperands } from "./promote.js";

/** One result for each dtype, in the common shape of the arguments. */
export function inlineAsm(
  s: Semantic,
  text: AsmText,
  given: readonly PyValue[],
  dtypes: readonly (Dtype | PointerType)[],
): readonly Tensor[] {
  const { args, shape } = commonShape(
    s,
    given.map((arg) => toTensor(s, arg)),
    { arithmeticCheck: false, allowLhsPtr: true, allowRhsPtr: true },
    false,
  );
  const types: TensorType[] = dtypes.map((dtype) => (shape && isBlock(shape) ? withElement(shape, dtype) : dtype));
  return emitAsm(s, text, args, types);
}

/** Every argument in the shape of all of them; scalars stay so where `always` is false and there is no block. */
function commonShape(
  s: Semantic,
  given: readonly Tensor[],
  rules: OperandRules,
  always: boolean,
): { readonly args: readonly Tensor[]; readonly shape: TensorType | undefined } {
  let widest = given[0];
  if (!widest) return { args: [], shape: undefined };
  for (const arg of given) widest = promoteOperands(s, arg, widest, rules)[1];
  const shape = widest.type;
  if (!always && !isBlock(shape)) return { args: given, shape };
  const common = widest;
  return { args: given.map((arg) => promoteOperands(s, arg, common, rules)[0]), shape };
}

/** A library's function for one list of argument dtypes: its symbol and the dtype that it returns. */
export interface ExternVariant {
  readonly args: readonly (Dtype | PointerType)[];
  readonly symbol: string;
  readonly result: Dtype | PointerType;
}

/** Calls the variant of a library's function that takes these dtypes. */
export function externElementwise(
  s: Semantic,
  library: { readonly name: string; readonly path: string; readonly isPure: boolean },
  given: readonly PyValue[],
  variants: readonly ExternVariant[],
): Tensor {
  const args = given.map((arg) => toTensor(s, arg));
  const variant = variants.find((v) => v.args.length === args.length && v.args.every((type, i) => sameType(type, dtypeOf(args[i]!))));
  if (!variant) return noVariant(args, variants);
  const common = commonShape(s, args, { arithmeticCheck: false }, true);
  const type = common.shape && isBlock(common.shape) ? withElement(common.shape, variant.result) : variant.result;
  return emit(
    s,
    ExternElementwiseOp,
    {
      srcs: common.args.map((arg) => arg.handle),
      libname: library.name,
      libpath: library.path,
      symbol: variant.symbol,
      pure: library.isPure,
    },
    type,
  );
}
function noVariant(args: readonly Tensor[], variants: readonly ExternVariant[]): never {
  const list = (types: readonly (Dtype | PointerType)[]) => `(${types.map(typeRepr).join(", ")})`;
  return raise(
    "KeyError",
    `${list(args.map(dtypeOf))}: input arg type does not match. Expect one of ${variants.map((v) => list(v.args)).join(", ")}`,
  );
}
