/** Intrinsics that touch memory, debug information and control. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td. */
import { DictionaryAttr, dictEntries } from "../../../ir/builtin-attrs.js";
import {
  AnyAttr,
  AnyInteger,
  AnySignlessInteger,
  AnyType,
  BoolAttr,
  DictArrayAttr,
  I1,
  I8,
  I8Attr,
  I32,
  I32Attr,
  I64Attr,
  i64EnumAttr,
  optionalAttr,
  type TypeConstraint,
} from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { AllTypesMatch, Pure, SameOperandsAndResultType } from "../../../ir/traits.js";
import { ALIAS_ATTRS, AliasScopeC, DIExpressionC, DILabelC, DILocalVariableC, F64Attr } from "../constraints.js";
import { LLVMType, Pointer, PointerOrVector, pointerIn, scalarOrVectorOf, TokenType } from "../type-constraints.js";

const POINTER_TYPE = "$ptr attr-dict `:` qualified(type($ptr))";
const results = { res: LLVMType };
const argAttrs = { arg_attrs: optionalAttr(DictArrayAttr), res_attrs: optionalAttr(DictArrayAttr) } as const;

// --- blocks of memory ------------------------------------------------------------------------

const copy = (name: string) =>
  defineOp(`llvm.intr.${name}`, () => ({
    operands: { dst: Pointer, src: Pointer, len: AnySignlessInteger },
    attrs: { isVolatile: BoolAttr, ...ALIAS_ATTRS, ...argAttrs },
    effects: ({ dst, src }) => [
      { kind: "write", value: dst },
      { kind: "read", value: src },
    ],
  }));
export const MemcpyOp = copy("memcpy");
export const MemmoveOp = copy("memmove");
export const MemcpyInlineOp = defineOp("llvm.intr.memcpy.inline", () => ({
  operands: { dst: Pointer, src: Pointer },
  attrs: { len: AnyAttr, isVolatile: BoolAttr, ...ALIAS_ATTRS, ...argAttrs },
  effects: ({ dst, src }) => [
    { kind: "write", value: dst },
    { kind: "read", value: src },
  ],
}));
export const MemsetOp = defineOp("llvm.intr.memset", () => ({
  operands: { dst: Pointer, val: I8, len: AnySignlessInteger },
  attrs: { isVolatile: BoolAttr, ...ALIAS_ATTRS, ...argAttrs },
  effects: ({ dst }) => [{ kind: "write", value: dst }],
}));
export const MemsetInlineOp = defineOp("llvm.intr.memset.inline", () => ({
  operands: { dst: Pointer, val: I8 },
  attrs: { len: AnyAttr, isVolatile: BoolAttr, ...ALIAS_ATTRS, ...argAttrs },
  effects: ({ dst }) => [{ kind: "write", value: dst }],
}));
export const Prefetch = defineOp("llvm.intr.prefetch", () => ({
  operands: { addr: Pointer },
  attrs: { rw: I32Attr, hint: I32Attr, cache: I32Attr },
}));
export const PtrMaskOp = defineOp("llvm.intr.ptrmask", () => ({
  operands: { ptr: PointerOrVector, mask: scalarOrVectorOf(AnyInteger) },
  results: { res: PointerOrVector },
  traits: [Pure, AllTypesMatch("ptr", "res")],
  format: "$ptr `,` $mask attr-dict `:` functional-type(operands, results)",
}));
const lifetime = (name: string) => defineOp(`llvm.intr.lifetime.${name}`, () => ({ operands: { ptr: Pointer }, format: POINTER_TYPE }));
export const LifetimeStartOp = lifetime("start");
export const LifetimeEndOp = lifetime("end");
export const InvariantStartOp = defineOp("llvm.intr.invariant.start", () => ({
  operands: { ptr: Pointer },
  attrs: { size: I64Attr },
  results: { res: pointerIn(0) },
  format: "$size `,` $ptr attr-dict `:` qualified(type($ptr))",
}));
export const InvariantEndOp = defineOp("llvm.intr.invariant.end", () => ({
  operands: { start: pointerIn(0), ptr: Pointer },
  attrs: { size: I64Attr },
  format: "$start `,` $size `,` $ptr attr-dict `:` qualified(type($ptr))",
}));
const invariantGroup = (name: string) =>
  defineOp(`llvm.intr.${name}.invariant.group`, () => ({
    operands: { ptr: Pointer },
    results: { res: Pointer },
    traits: [SameOperandsAndResultType],
    format: POINTER_TYPE,
  }));
export const LaunderInvariantGroupOp = invariantGroup("launder");
export const StripInvariantGroupOp = invariantGroup("strip");
export const NoAliasScopeDeclOp = defineOp("llvm.intr.experimental.noalias.scope.decl", () => ({
  attrs: { scope: AliasScopeC },
  format: "$scope attr-dict",
}));
export const StackSaveOp = defineOp("llvm.intr.stacksave", () => ({ results, format: "attr-dict `:` qualified(type($res))" }));
export const StackRestoreOp = defineOp("llvm.intr.stackrestore", () => ({ operands: { ptr: Pointer }, format: POINTER_TYPE }));
export const ThreadlocalAddressOp = defineOp("llvm.intr.threadlocal.address", () => ({
  operands: { global: Pointer },
  results,
  traits: [Pure],
}));

// --- debug information -----------------------------------------------------------------------

const DEBUG_VALUE = (name: string) =>
  `qualified($varInfo) (qualified($locationExpr)^)? \`=\` $${name} \`:\` qualified(type($${name})) attr-dict`;
export const DbgDeclareOp = defineOp("llvm.intr.dbg.declare", () => ({
  operands: { addr: Pointer },
  attrs: { varInfo: DILocalVariableC, locationExpr: DIExpressionC },
  format: DEBUG_VALUE("addr"),
}));
export const DbgValueOp = defineOp("llvm.intr.dbg.value", () => ({
  operands: { value: LLVMType },
  attrs: { varInfo: DILocalVariableC, locationExpr: DIExpressionC },
  format: DEBUG_VALUE("value"),
}));
export const DbgLabelOp = defineOp("llvm.intr.dbg.label", () => ({ attrs: { label: DILabelC }, format: "$label attr-dict" }));

const annotated = { annotation: Pointer, fileName: Pointer, line: I32 };
export const AnnotationOp = defineOp("llvm.intr.annotation", () => ({
  operands: { integer: AnySignlessInteger, ...annotated },
  results: { res: AnySignlessInteger },
  traits: [AllTypesMatch("res", "integer"), AllTypesMatch("annotation", "fileName")],
}));
export const PtrAnnotation = defineOp("llvm.intr.ptr.annotation", () => ({
  operands: { ptr: Pointer, ...annotated, attr: Pointer },
  results: { res: Pointer },
  traits: [AllTypesMatch("res", "ptr"), AllTypesMatch("annotation", "fileName", "attr")],
}));
export const VarAnnotation = defineOp("llvm.intr.var.annotation", () => ({
  operands: { val: Pointer, ...annotated, attr: Pointer },
  traits: [AllTypesMatch("annotation", "fileName", "attr")],
}));
export const SSACopyOp = defineOp("llvm.intr.ssa.copy", () => ({
  operands: { operand: AnyType },
  results,
  traits: [Pure, SameOperandsAndResultType],
  format: "$operand attr-dict `:` type($operand)",
}));

// --- hints, traps, variadic arguments --------------------------------------------------------

export const ExpectOp = defineOp("llvm.intr.expect", () => ({
  operands: { val: AnySignlessInteger, expected: AnySignlessInteger },
  results,
  traits: [Pure, SameOperandsAndResultType],
  format: "$val `,` $expected attr-dict `:` type($val)",
}));
export const ExpectWithProbabilityOp = defineOp("llvm.intr.expect.with.probability", () => ({
  operands: { val: AnySignlessInteger, expected: AnySignlessInteger },
  attrs: { prob: F64Attr },
  results,
  traits: [Pure, AllTypesMatch("val", "expected", "res")],
  format: "$val `,` $expected `,` $prob attr-dict `:` type($val)",
}));
export const IsConstantOp = defineOp("llvm.intr.is.constant", () => ({
  operands: { val: LLVMType },
  results: { res: I1 },
  traits: [Pure],
}));
export const Trap = defineOp("llvm.intr.trap", () => ({ format: "attr-dict" }));
export const DebugTrap = defineOp("llvm.intr.debugtrap", () => ({ format: "attr-dict" }));
/** Its property is in `<{}>`, as in the generic form. */
export const UBSanTrap = defineOp("llvm.intr.ubsantrap", () => ({
  attrs: { failureKind: I8Attr },
  parse(p) {
    p.punct("<");
    const at = p.pos;
    const properties = p.attribute();
    if (!DictionaryAttr.is(properties)) return p.fail("expected a dictionary of properties", at, "parse.properties");
    p.punct(">");
    for (const [name, value] of dictEntries(properties)) p.setAttr(name, value);
    p.optAttrDict();
  },
  print({ op }, p) {
    p.write(` <{failureKind = ${p.attr(op.attr("failureKind")!)}}>`);
    p.optAttrDict(op, ["failureKind"]);
  },
}));
export const EhTypeidForOp = defineOp("llvm.intr.eh.typeid.for", () => ({
  operands: { type_info: Pointer },
  results,
  format: "$type_info attr-dict `:` functional-type(operands, results)",
}));
const variadicList = (name: string) =>
  defineOp(`llvm.intr.${name}`, () => ({ operands: { arg_list: Pointer }, format: "$arg_list attr-dict `:` qualified(type($arg_list))" }));
export const VaStartOp = variadicList("vastart");
export const VaEndOp = variadicList("vaend");
export const VaCopyOp = defineOp("llvm.intr.vacopy", () => ({
  operands: { dest_list: Pointer, src_list: Pointer },
  format: "$src_list `to` $dest_list attr-dict `:` type(operands)",
}));

// --- constrained floating point --------------------------------------------------------------

const Rounding = i64EnumAttr("RoundingMode", "LLVM Rounding Mode", {
  towardzero: 0,
  tonearest: 1,
  upward: 2,
  downward: 3,
  tonearestaway: 4,
  dynamic: 7,
  invalid: -1,
});
const Exceptions = i64EnumAttr("FPExceptionBehavior", "LLVM Exception Behavior", { ignore: 0, maytrap: 1, strict: 2 });
const constrained = (name: string) =>
  defineOp(`llvm.intr.experimental.constrained.${name}`, () => ({
    operands: { arg_0: LLVMType },
    attrs: { roundingmode: Rounding, fpExceptionBehavior: Exceptions },
    results,
    traits: [Pure],
    format: "$arg_0 $roundingmode $fpExceptionBehavior attr-dict `:` type($arg_0) `to` type(results)",
  }));
export const ConstrainedUIToFP = constrained("uitofp");
export const ConstrainedSIToFP = constrained("sitofp");
export const ConstrainedFPTruncIntr = constrained("fptrunc");
export const ConstrainedFPExtIntr = defineOp("llvm.intr.experimental.constrained.fpext", () => ({
  operands: { arg_0: LLVMType },
  attrs: { fpExceptionBehavior: Exceptions },
  results,
  traits: [Pure],
  format: "$arg_0 $fpExceptionBehavior attr-dict `:` type($arg_0) `to` type(results)",
}));

// --- coroutines ------------------------------------------------------------------------------

type Operands = Readonly<Record<string, TypeConstraint>>;
const coroutine = (name: string, operands: Operands) =>
  defineOp(`llvm.intr.coro.${name}`, () => ({
    operands,
    results,
    format: `${Object.keys(operands)
      .map((o) => `$${o}`)
      .join(" `,` ")} attr-dict \`:\` functional-type(operands, results)`,
  }));
export const CoroIdOp = coroutine("id", { align: I32, promise: Pointer, coroaddr: Pointer, fnaddrs: Pointer });
export const CoroBeginOp = coroutine("begin", { token: TokenType, mem: Pointer });
export const CoroSaveOp = coroutine("save", { handle: Pointer });
export const CoroEndOp = coroutine("end", { handle: Pointer, unwind: I1, retvals: TokenType });
export const CoroFreeOp = coroutine("free", { id: TokenType, handle: Pointer });
export const CoroPromiseOp = coroutine("promise", { handle: Pointer, align: I32, from: I1 });
export const CoroSizeOp = defineOp("llvm.intr.coro.size", () => ({ results, format: "attr-dict `:` type($res)" }));
export const CoroAlignOp = defineOp("llvm.intr.coro.align", () => ({ results, format: "attr-dict `:` type($res)" }));
export const CoroSuspendOp = defineOp("llvm.intr.coro.suspend", () => ({
  operands: { save: TokenType, final: I1 },
  results,
  format: "$save `,` $final attr-dict `:` type($res)",
}));
export const CoroResumeOp = defineOp("llvm.intr.coro.resume", () => ({
  operands: { handle: Pointer },
  format: "$handle attr-dict `:` qualified(type($handle))",
}));
