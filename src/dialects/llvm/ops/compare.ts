/** Comparisons and select. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMOps.td, LLVMDialect.cpp (CmpOp). */
import type { OpParser, OpPrinter } from "../../../ir/asm.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import { boolAttr, splatOf } from "../../../ir/builtin-attrs.js";
import { i1, isShaped } from "../../../ir/builtin-types.js";
import { AnySignlessInteger, type AttrConstraint, anyOf } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { AllTypesMatch, Pure, SameTypeOperands, TypesMatchWith } from "../../../ir/traits.js";
import { Fastmath, FCmpPredicate, ICmpPredicate } from "../constraints.js";
import { FloatOrVector, I1OrVector, LLVMType, Pointer, vectorOf } from "../type-constraints.js";
import { isCompatibleType, withI1Elements } from "../types/compatible.js";
import { ZeroOp } from "./constants.js";
import { AllocaOp } from "./memory.js";

const i1Like = TypesMatchWith("result type has i1 element type and same shape as operands", "lhs", "res", (t) =>
  withI1Elements(t, i1(t.ctx)),
);
const INT_OR_POINTER = anyOf(
  "signless integer or LLVM dialect-compatible vector of signless integer or LLVM pointer type or LLVM dialect-compatible vector of LLVM pointer type",
  AnySignlessInteger,
  vectorOf(AnySignlessInteger),
  Pointer,
  vectorOf(Pointer),
);

export const ICmpOp = defineOp("llvm.icmp", () => ({
  operands: { lhs: INT_OR_POINTER, rhs: INT_OR_POINTER },
  attrs: { predicate: ICmpPredicate },
  results: { res: I1OrVector },
  traits: [Pure, SameTypeOperands, i1Like],
  parse: (p) => parseCompare(p, ICmpPredicate),
  print: ({ op, predicate }, p) => printCompare(op, predicate, NO_FLAGS, p),

  // Only equality folds: a value with itself; an alloca is never null, and is moved to the left.
  fold({ op, predicate, lhs, rhs, res }): FoldResult {
    if (predicate !== "eq" && predicate !== "ne") return undefined;
    if (lhs === rhs) return boolOf(res.type, predicate === "eq");
    if (AllocaOp.is(lhs.definingOp) && ZeroOp.is(rhs.definingOp)) return boolOf(res.type, predicate === "ne");
    if (!ZeroOp.is(lhs.definingOp) || !AllocaOp.is(rhs.definingOp)) return undefined;
    op.setOperand(0, rhs);
    op.setOperand(1, lhs);
    return "inPlace";
  },
}));
export const FCmpOp = defineOp("llvm.fcmp", () => ({
  operands: { lhs: FloatOrVector, rhs: FloatOrVector },
  attrs: { predicate: FCmpPredicate, fastmathFlags: Fastmath },
  results: { res: I1OrVector },
  traits: [Pure, SameTypeOperands, i1Like],
  parse: (p) => parseCompare(p, FCmpPredicate),
  print: ({ op, predicate, fastmathFlags }, p) => printCompare(op, predicate, fastmathFlags === 0 ? NO_FLAGS : PREDICATE, p),
}));

const PREDICATE = ["predicate"];
const NO_FLAGS = ["predicate", "fastmathFlags"];

/** `"eq" %a, %b {attrs} : type` */
function parseCompare<K extends string>(p: OpParser, predicates: AttrConstraint<K>): void {
  const at = p.pos;
  const predicate = p.string();
  if (!Object.hasOwn(predicates.enum!.cases, predicate))
    p.fail(`custom op '${p.opName}' '${predicate}' is an incorrect value of the 'predicate' attribute`, at, "parse.enum");
  p.setAttr("predicate", predicates.write!(p.ctx, predicate as K));
  const lhs = p.operand();
  p.punct(",");
  const rhs = p.operand();
  p.optAttrDict();
  p.punct(":");
  const typeAt = p.pos;
  const type = p.type();
  p.state.operands.push(p.resolve(lhs, type), p.resolve(rhs, type));
  if (!isCompatibleType(type)) p.fail(`custom op '${p.opName}' expected LLVM dialect-compatible type`, typeAt, "parse.type");
  p.state.types.push(withI1Elements(type, i1(p.ctx)));
}
function printCompare(op: Operation, predicate: string, elided: readonly string[], p: OpPrinter): void {
  p.write(` "${predicate}" ${p.value(op.operand(0))}, ${p.value(op.operand(1))}`);
  p.optAttrDict(op, elided);
  p.write(` : ${p.type(op.operand(0).type)}`);
}
/** A boolean as a scalar, or as all elements of a vector. */
function boolOf(type: Type, value: boolean): Attribute {
  const scalar = boolAttr(type.ctx, value);
  return isShaped(type) ? splatOf(type, scalar) : scalar;
}

export const SelectOp = defineOp("llvm.select", () => ({
  operands: { condition: I1OrVector, trueValue: LLVMType, falseValue: LLVMType },
  attrs: { fastmathFlags: Fastmath },
  results: { res: LLVMType },
  traits: [Pure, AllTypesMatch("trueValue", "falseValue", "res")],
  format: "operands attr-dict `:` type($condition) `,` type($res)",
}));
