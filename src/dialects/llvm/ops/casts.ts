/** Conversions. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMOps.td, LLVMDialect.cpp. */
import { IntegerAttr, intAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, IntegerType, VectorType } from "../../../ir/builtin-types.js";
import { optionalAttr, type TypeConstraint, Unit } from "../../../ir/constraints.js";
import { defineOp, type FoldResult, type OpReport } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { Pure } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { DereferenceableC, OverflowFlags } from "../constraints.js";
import { FloatOrVector, IntOrVector, NonAggregate, PointerOrVector } from "../type-constraints.js";
import { elementOrSelf, isCompatibleVector } from "../types/compatible.js";
import { LLVMPointerType } from "../types/types.js";

const FORMAT = "$arg attr-dict `:` type($arg) `to` type($res)";
const cast = (name: string, from: TypeConstraint, to: TypeConstraint) =>
  defineOp(`llvm.${name}`, () => ({ operands: { arg: from }, results: { res: to }, traits: [Pure], format: FORMAT }));

export const FPExtOp = cast("fpext", FloatOrVector, FloatOrVector);
export const FPTruncOp = cast("fptrunc", FloatOrVector, FloatOrVector);
export const FPToSIOp = cast("fptosi", FloatOrVector, IntOrVector);
export const FPToUIOp = cast("fptoui", FloatOrVector, IntOrVector);
export const SIToFPOp = cast("sitofp", IntOrVector, FloatOrVector);
export const PtrToIntOp = cast("ptrtoint", PointerOrVector, IntOrVector);

const NONNEG = "(`nneg` $nonNeg^)? $arg attr-dict `:` type($arg) `to` type($res)";
export const UIToFPOp = defineOp("llvm.uitofp", () => ({
  operands: { arg: IntOrVector },
  attrs: { nonNeg: Unit },
  results: { res: FloatOrVector },
  traits: [Pure],
  format: NONNEG,
}));
export const ZExtOp = defineOp("llvm.zext", () => ({
  operands: { arg: IntOrVector },
  attrs: { nonNeg: Unit },
  results: { res: IntOrVector },
  traits: [Pure],
  format: NONNEG,
  verifyDependsOn: "types and attributes",
  verify: ({ arg, res }, report) => verifyExtension(arg, res, report),
  fold({ res }, [arg]): FoldResult {
    if (!IntegerAttr.is(arg)) return undefined;
    return intAttr(res.type, BigInt.asUintN(bitWidth(arg.params.type)!, arg.params.value));
  },
}));
export const SExtOp = defineOp("llvm.sext", () => ({
  operands: { arg: IntOrVector },
  results: { res: IntOrVector },
  traits: [Pure],
  format: FORMAT,
  verifyDependsOn: "types and attributes",
  verify: ({ arg, res }, report) => verifyExtension(arg, res, report),
}));
export const TruncOp = defineOp("llvm.trunc", () => ({
  operands: { arg: IntOrVector },
  attrs: { overflowFlags: OverflowFlags },
  results: { res: IntOrVector },
  traits: [Pure],
  format: "$arg ($overflowFlags^)? attr-dict `:` type($arg) `to` type($res)",
}));
export const IntToPtrOp = defineOp("llvm.inttoptr", () => ({
  operands: { arg: IntOrVector },
  attrs: { dereferenceable: optionalAttr(DereferenceableC) },
  results: { res: PointerOrVector },
  traits: [Pure],
  format: "$arg (`dereferenceable` `` $dereferenceable^)? attr-dict `:` type($arg) `to` type($res)",
}));

function verifyExtension(arg: Value, res: Value, report: OpReport): void {
  const from = arg.type;
  const to = res.type;
  if (isCompatibleVector(from) && VectorType.is(from)) {
    if (!isCompatibleVector(to) || !VectorType.is(to)) return void report.plain("input type is a vector but output type is an integer");
    if (from.params.shape[0] !== to.params.shape[0]) return void report.plain("input and output vectors are of incompatible shape");
  } else if (!IntegerType.is(to)) return void report.plain("input type is an integer but output type is a vector");
  if (bitWidth(elementOrSelf(to))! <= bitWidth(elementOrSelf(from))!)
    report.plain("integer width of the output type is smaller or equal to the integer width of the input type");
}

export const BitcastOp = defineOp("llvm.bitcast", () => ({
  operands: { arg: NonAggregate },
  results: { res: NonAggregate },
  traits: [Pure],
  format: FORMAT,
  verifyDependsOn: "types and attributes",
  verify({ arg, res }, report) {
    const from = elementOrSelf(arg.type);
    const to = elementOrSelf(res.type);
    if (LLVMPointerType.is(from) !== LLVMPointerType.is(to)) return void report.error("can only cast pointers from and to pointers");
    if (!LLVMPointerType.is(to) || !LLVMPointerType.is(from)) return;
    if (VectorType.is(res.type) && !VectorType.is(arg.type)) report.error("cannot cast pointer to vector of pointers");
    else if (!VectorType.is(res.type) && VectorType.is(arg.type)) report.error("cannot cast vector of pointers to pointer");
    else if (from.params.addressSpace !== to.params.addressSpace)
      report.error("cannot cast pointers of different address spaces, use 'llvm.addrspacecast' instead");
  },
  fold: ({ op }): FoldResult => foldChain(op),
}));
export const AddrSpaceCastOp = defineOp("llvm.addrspacecast", () => ({
  operands: { arg: PointerOrVector },
  results: { res: PointerOrVector },
  traits: [Pure],
  format: FORMAT,
  fold: ({ op }): FoldResult => foldChain(op),
}));

/** cast(x : T -> T) is x; of two casts of one kind in a row the first goes. */
function foldChain(op: Operation): FoldResult {
  const arg = op.operand(0);
  if (arg.type === op.result().type) return arg;
  const inner = arg.definingOp;
  if (inner?.def !== op.def) return undefined;
  if (inner.operand(0).type === op.result().type) return inner.operand(0);
  op.setOperand(0, inner.operand(0));
  return "inPlace";
}
