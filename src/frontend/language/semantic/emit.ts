/** Making IR for the language: ops of one value, constants as Triton's builder makes them, and the insertion point. */
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { ElementwiseInlineAsmOp } from "../../../dialects/tt/ops/elementwise.js";
import type { Type } from "../../../ir/attribute.js";
import { buildOperation } from "../../../ir/builder.js";
import { floatAttr, intAttr } from "../../../ir/builtin-attrs.js";
import { FloatType, IntegerType } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { foldToValues } from "../../../rewrite/fold.js";
import { raise } from "../errors.js";
import { insertionPoint, restoreInsertion } from "../insertion.js";
import type { Semantic } from "../semantic.js";
import { type TensorType, toIr } from "../types.js";
import { type Tensor, tensor } from "../values.js";

/** Assembly that works on the elements of tensors. */
export interface AsmText {
  readonly asm: string;
  readonly constraints: string;
  readonly isPure: boolean;
  /** Elements to one run of the assembly. */
  readonly pack: number;
}

type Parts = Readonly<Record<string, unknown>>;

/** The IR type of a type, for the target that is compiled for. */
export const irType = (s: Semantic, type: TensorType): Type => toIr(s.ctx, type, s.options);

/** Makes an op from its parts by name at the insertion point. Result types are inferred unless given. */
export function emitOp(s: Semantic, def: OpDef, parts: Parts, types?: readonly (Type | undefined)[]): Operation {
  return s.b.insert(buildOperation(s.ctx, def, parts, s.b.loc, types));
}

/** Makes an op with one result of type `type`. */
export function emit(s: Semantic, def: OpDef, parts: Parts, type: TensorType): Tensor {
  return tensor(emitOp(s, def, parts, [irType(s, type)]).result(0), type);
}

/** `emit`, but what the op folds to instead where it folds: OpBuilder::createOrFold. */
export function emitOrFold(s: Semantic, def: OpDef, parts: Parts, type: TensorType): Tensor {
  const op = emitOp(s, def, parts, [irType(s, type)]);
  const folded = foldToValues(op, s.b);
  if (folded === undefined || folded === "inPlace") return tensor(op.result(0), type);
  op.erase();
  return tensor(folded[0]!, type);
}

/** An op on operands named `lhs` and `rhs`, of the type of the first. */
export const emitBinary = (s: Semantic, def: OpDef, lhs: Tensor, rhs: Tensor, type: TensorType = lhs.type): Tensor =>
  emit(s, def, { lhs: lhs.handle, rhs: rhs.handle }, type);

/** Assembly on tensors of one shape; one result for each type. */
export function emitAsm(s: Semantic, text: AsmText, args: readonly Tensor[], types: readonly TensorType[]): readonly Tensor[] {
  const parts = {
    asm_string: text.asm,
    constraints: text.constraints,
    pure: text.isPure,
    packed_element: text.pack,
    args: args.map((arg) => arg.handle),
  };
  const op = emitOp(
    s,
    ElementwiseInlineAsmOp,
    parts,
    types.map((type) => irType(s, type)),
  );
  return types.map((type, i) => tensor(op.result(i), type));
}

/** Zero of an integer or float type. */
export function nullValue(s: Semantic, type: TensorType): Tensor {
  const ir = irType(s, type);
  if (FloatType.is(ir)) return tensor(constantValue(s, floatAttr(ir, 0)), type);
  if (IntegerType.is(ir)) return tensor(constantValue(s, intAttr(ir, 0)), type);
  return raise("RuntimeError", "Not implemented");
}
/** All bits set, of an integer type. */
export function allOnesValue(s: Semantic, type: TensorType): Tensor {
  return tensor(constantValue(s, intAttr(irType(s, type), -1)), type);
}
export function constantValue(s: Semantic, value: ReturnType<typeof intAttr> | ReturnType<typeof floatAttr>): Value {
  return emitOp(s, ConstantOp, { value }).result(0);
}

/** Runs `body` and goes back to the insertion point, with what that does to the location: code generation sets it at the next node. */
export function guardInsertion<T>(s: Semantic, body: () => T): T {
  const point = insertionPoint(s.b);
  const result = body();
  restoreInsertion(s.b, point);
  return result;
}
