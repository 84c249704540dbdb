/** Calls, direct, indirect and of intrinsics. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMOps.td, LLVMDialect.cpp. */
import type { OpParser, OpPrinter, ParsedOperand } from "../../../ir/asm.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import { i32ArrayAttr, StringAttr, stringAttr, symbolRef, TypeAttr, unitAttr } from "../../../ir/builtin-attrs.js";
import {
  AnySuccessor,
  ArrayAttrC,
  DenseI32ArrayAttr,
  DictArrayAttr,
  defaultAttr,
  FlatSymbolRefAttr,
  optional,
  optionalAttr,
  StrAttr,
  typeAttrOf,
  Unit,
  variadic,
  variadicOfVariadic,
} from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import { BranchOp, CallOp as CallInterface, implement, SymbolUser } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { typeText } from "../../../ir/text-hook.js";
import { AttrSizedOperandSegments, Terminator } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { CALLING_CONVENTIONS, CConvAttr, TAIL_CALL_KINDS, TailCallKindAttr } from "../attrs/index.js";
import { ALIAS_ATTRS, CConv, Fastmath, MemoryEffectsC, TailCallKind } from "../constraints.js";
import { FunctionTypeC, LLVMType } from "../type-constraints.js";
import { LLVMArrayType, LLVMFunctionType, LLVMPointerType, LLVMVoidType } from "../types/types.js";
import { BitcastOp } from "./casts.js";
import { AddressOfOp, ZeroOp } from "./constants.js";
import { addBundles, bundlesText, callSignatureText, parseBundles, parseCallSignature, verifyBundles } from "./op-bundles.js";

const bundleAttrs = { op_bundle_sizes: DenseI32ArrayAttr, op_bundle_tags: optionalAttr(ArrayAttrC) } as const;
const signatureAttrs = { arg_attrs: optionalAttr(DictArrayAttr), res_attrs: optionalAttr(DictArrayAttr) } as const;
const calleeAttrs = {
  var_callee_type: optionalAttr(typeAttrOf(FunctionTypeC)),
  callee: optionalAttr(FlatSymbolRefAttr),
} as const;

/** Attributes that the syntax of calls spells itself. */
const SPELT = [
  "callee",
  "TailCallKind",
  "var_callee_type",
  "CConv",
  "operandSegmentSizes",
  "op_bundle_sizes",
  "op_bundle_tags",
  "arg_attrs",
  "res_attrs",
];

export const CallOp = defineOp("llvm.call", () => ({
  operands: { callee_operands: variadic(LLVMType), op_bundle_operands: variadicOfVariadic(LLVMType, "op_bundle_sizes") },
  attrs: {
    ...calleeAttrs,
    fastmathFlags: Fastmath,
    CConv: defaultAttr(CConv, "ccc"),
    TailCallKind: defaultAttr(TailCallKind, "none"),
    memory_effects: optionalAttr(MemoryEffectsC),
    convergent: Unit,
    no_unwind: Unit,
    will_return: Unit,
    ...bundleAttrs,
    ...signatureAttrs,
    no_inline: Unit,
    always_inline: Unit,
    inline_hint: Unit,
    ...ALIAS_ATTRS,
  },
  results: { result: optional(LLVMType) },
  traits: [AttrSizedOperandSegments],
  interfaces: [
    implement(CallInterface, { callee: (op): string | undefined => CallOp.match(op)!.callee, argOperands }),
    implement(SymbolUser, { verifySymbolUses: verifyCallee }),
  ],
  parse(p) {
    parseKeyword(p, "CConv", CALLING_CONVENTIONS, (value) => CConvAttr.get(p.ctx, { value }));
    parseKeyword(p, "TailCallKind", TAIL_CALL_KINDS, (value) => TailCallKindAttr.get(p.ctx, { value }));
    const { operands, indirect } = parseCalleeAndArgs(p);
    parseVarCallee(p);
    const at = p.pos;
    const bundles = parseBundles(p);
    p.optAttrDict();
    parseCallSignature(p, operands, indirect);
    const inBundles = addBundles(p, bundles, at);
    p.setAttr("operandSegmentSizes", i32ArrayAttr(p.ctx, [operands.length, inBundles]));
  },
  print(view, p) {
    const { op, callee, callee_operands, op_bundle_operands, op_bundle_sizes, var_callee_type, arg_attrs, res_attrs } = view;
    const { CConv: cconv, TailCallKind: tail, fastmathFlags } = view;
    p.write(" ");
    if (cconv !== "ccc") p.write(`${cconv} `);
    if (tail !== "none") p.write(`${tail} `);
    const args = printCalleeAndArgs(p, callee, callee_operands);
    if (var_callee_type) p.write(` vararg(${p.type(var_callee_type)})`);
    if (op_bundle_sizes.length > 0) p.write(` ${bundlesText(p, op_bundle_operands, op_bundle_sizes, op.attr("op_bundle_tags"))}`);
    p.optAttrDict(op, fastmathFlags === 0 ? [...SPELT, "fastmathFlags"] : SPELT);
    p.write(callee === undefined ? ` : ${p.type(callee_operands[0]!.type)}, ` : " : ");
    p.write(callSignatureText(p, args, op.resultTypes, arg_attrs, res_attrs));
  },
  verify({ op_bundle_sizes, op_bundle_tags }, report) {
    verifyBundles(op_bundle_sizes, op_bundle_tags, report);
  },
}));

/** One of the keywords, if one is there; the attribute is the default otherwise. */
function parseKeyword<K extends string>(
  p: OpParser,
  name: string,
  cases: Readonly<Record<K, number>>,
  make: (keyword: K) => Attribute,
): void {
  if (p.atPunct("@") || p.atPunct("%")) return;
  for (const keyword of Object.keys(cases) as K[]) if (p.optKeyword(keyword)) return p.setAttr(name, make(keyword));
}
/** `@f(%a, %b)` or `%f(%a, %b)`: for an indirect call the pointer is the first operand. */
function parseCalleeAndArgs(p: OpParser): { operands: ParsedOperand[]; indirect: boolean } {
  const pointer = p.optOperand();
  if (!pointer) p.setAttr("callee", symbolRef(p.ctx, p.symbolName()));
  p.punct("(");
  const args = p.operands();
  p.punct(")");
  return { operands: pointer ? [pointer, ...args] : args, indirect: pointer !== undefined };
}
function printCalleeAndArgs(p: OpPrinter, callee: string | undefined, operands: readonly Value[]): readonly Value[] {
  const args = callee === undefined ? operands.slice(1) : operands;
  p.write(`${callee === undefined ? p.value(operands[0]!) : p.symbol(callee)}(${p.values(args)})`);
  return args;
}
function parseVarCallee(p: OpParser): void {
  if (!p.optKeyword("vararg")) return;
  p.punct("(");
  p.setAttr("var_callee_type", p.attribute());
  p.punct(")");
}
function argOperands(op: Operation): readonly Value[] {
  const { callee, callee_operands } = op.def.viewOf(op) as {
    readonly callee: string | undefined;
    readonly callee_operands: readonly Value[];
  };
  return callee === undefined ? callee_operands.slice(1) : callee_operands;
}

function verifyVarCallee(op: Operation, report: OpReport): boolean {
  const attr = op.attr("var_callee_type");
  const type = TypeAttr.is(attr) ? attr.params.type : undefined;
  if (!LLVMFunctionType.is(type)) return true;
  const wrong = (message: string) => (report.error(message), false);
  const { params, returnType, varArg } = type.params;
  const args = argOperands(op);
  if (!varArg) return wrong("expected var_callee_type to be a variadic function type");
  if (params.length > args.length) return wrong(`expected var_callee_type to have at most ${args.length} parameters`);
  for (let i = 0; i < params.length; i++)
    if (params[i] !== args[i]!.type)
      return wrong(`var_callee_type parameter type mismatch: '${typeText(params[i]!)}' != '${typeText(args[i]!.type)}'`);
  const result = op.results[0]?.type;
  if (!result) return LLVMVoidType.is(returnType) || wrong("expected var_callee_type to return void");
  return result === returnType || wrong(`var_callee_type return type mismatch: '${typeText(returnType)}' != '${typeText(result)}'`);
}

function verifyCallee(op: Operation, lookup: (name: string) => Operation | undefined, report: OpReport): void {
  if (!verifyVarCallee(op, report)) return;
  const { callee, callee_operands: operands } = CallOp.match(op)!;
  const wrong = (message: string): void => void report.error(message);
  if (callee === undefined) {
    const pointer = operands[0];
    if (!pointer) return wrong("must have either a `callee` attribute or at least an operand");
    if (!LLVMPointerType.is(pointer.type)) wrong(`indirect call expects a pointer as callee: '${typeText(pointer.type)}'`);
    return;
  }
  const symbol = lookup(callee);
  if (!symbol) return wrong(`'${callee}' does not reference a symbol in the current scope`);
  if (symbol.name !== "llvm.func" && symbol.name !== "llvm.mlir.ifunc")
    return wrong(`'${callee}' does not reference a valid LLVM function or IFunc`);
  const attr = symbol.attr(symbol.name === "llvm.func" ? "function_type" : "i_func_type");
  const type: Type | undefined = TypeAttr.is(attr) ? attr.params.type : undefined;
  if (!LLVMFunctionType.is(type)) return wrong("callee does not have a functional type");
  const { params, returnType, varArg } = type.params;
  if (varArg && !op.hasAttr("var_callee_type")) return wrong("missing var_callee_type attribute for vararg call");
  if (!varArg && params.length !== operands.length)
    return wrong(`incorrect number of operands (${operands.length}) for callee (expecting: ${params.length})`);
  if (params.length > operands.length)
    return wrong(`incorrect number of operands (${operands.length}) for varargs callee (expecting at least: ${params.length})`);
  for (let i = 0; i < params.length; i++)
    if (operands[i]!.type !== params[i])
      return wrong(`operand type mismatch for operand ${i}: '${typeText(operands[i]!.type)}' != '${typeText(params[i]!)}'`);
  const result = op.results[0]?.type;
  const isVoid = LLVMVoidType.is(returnType);
  if (!result && !isVoid) wrong("expected function call to produce a value");
  else if (result && isVoid) wrong("calling function with void result must not produce values");
  else if (result && result !== returnType) wrong(`result type mismatch: '${typeText(result)}' != '${typeText(returnType)}'`);
}

export const InvokeOp = defineOp("llvm.invoke", () => ({
  operands: {
    callee_operands: variadic(LLVMType),
    normalDestOperands: variadic(LLVMType),
    unwindDestOperands: variadic(LLVMType),
    op_bundle_operands: variadicOfVariadic(LLVMType, "op_bundle_sizes"),
  },
  attrs: {
    ...calleeAttrs,
    ...signatureAttrs,
    branch_weights: optionalAttr(DenseI32ArrayAttr),
    CConv: defaultAttr(CConv, "ccc"),
    ...bundleAttrs,
  },
  results: { result: optional(LLVMType) },
  successors: { normalDest: AnySuccessor, unwindDest: AnySuccessor },
  traits: [AttrSizedOperandSegments, Terminator],
  interfaces: [
    implement(BranchOp, {
      successorOperandRange(op, index): { start: number; size: number } {
        const { callee_operands, normalDestOperands, unwindDestOperands } = InvokeOp.match(op)!;
        const start = callee_operands.length;
        return index === 0
          ? { start, size: normalDestOperands.length }
          : { start: start + normalDestOperands.length, size: unwindDestOperands.length };
      },
    }),
    implement(CallInterface, { callee: (op): string | undefined => InvokeOp.match(op)!.callee, argOperands }),
  ],
  parse(p) {
    parseKeyword(p, "CConv", CALLING_CONVENTIONS, (value) => CConvAttr.get(p.ctx, { value }));
    const { operands, indirect } = parseCalleeAndArgs(p);
    p.keyword("to");
    const normal = p.successorWithOperands();
    p.keyword("unwind");
    const unwind = p.successorWithOperands();
    parseVarCallee(p);
    const at = p.pos;
    const bundles = parseBundles(p);
    p.optAttrDict();
    parseCallSignature(p, operands, indirect);
    // Upstream resolves bundle operands first but keeps them last.
    p.state.successors.push(normal.block, unwind.block);
    p.state.operands.push(...normal.operands, ...unwind.operands);
    const inBundles = addBundles(p, bundles, at);
    p.setAttr("operandSegmentSizes", i32ArrayAttr(p.ctx, [operands.length, normal.operands.length, unwind.operands.length, inBundles]));
  },
  print(view, p) {
    const { op, callee, callee_operands, op_bundle_sizes } = view;
    p.write(" ");
    if (view.CConv !== "ccc") p.write(`${view.CConv} `);
    const args = printCalleeAndArgs(p, callee, callee_operands);
    p.write(` to ${p.successor(view.normalDest, view.normalDestOperands)}`);
    p.write(` unwind ${p.successor(view.unwindDest, view.unwindDestOperands)}`);
    if (view.var_callee_type) p.write(` vararg(${p.type(view.var_callee_type)})`);
    if (op_bundle_sizes.length > 0) p.write(` ${bundlesText(p, view.op_bundle_operands, op_bundle_sizes, op.attr("op_bundle_tags"))}`);
    p.optAttrDict(op, SPELT);
    p.write(callee === undefined ? ` : ${p.type(callee_operands[0]!.type)}, ` : " : ");
    p.write(callSignatureText(p, args, op.resultTypes, view.arg_attrs, view.res_attrs));
  },
  verify({ op, unwindDest, op_bundle_sizes, op_bundle_tags }, report) {
    if (!verifyVarCallee(op, report)) return;
    if (unwindDest.empty) report.plain("must have at least one operation in unwind destination");
    else if (!LandingpadOp.is(unwindDest.firstOp))
      report.plain("first operation in unwind destination should be a llvm.landingpad operation");
    else verifyBundles(op_bundle_sizes, op_bundle_tags, report);
  },
}));

export const LandingpadOp = defineOp("llvm.landingpad", () => ({
  operands: { clauses: variadic(LLVMType) },
  attrs: { cleanup: Unit },
  results: { res: LLVMType },
  parse(p) {
    if (p.optKeyword("cleanup")) p.setAttr("cleanup", unitAttr(p.ctx));
    while (p.optPunct("(")) {
      if (!p.optKeyword("filter")) p.keyword("catch");
      const operand = p.operand();
      p.state.operands.push(p.resolve(operand, p.colonType()));
      p.punct(")");
    }
    p.state.types.push(p.colonType());
  },
  print({ op, cleanup, clauses, res }, p) {
    p.write(cleanup ? " cleanup " : " ");
    for (const clause of clauses)
      p.write(`(${LLVMArrayType.is(clause.type) ? "filter" : "catch"} ${p.value(clause)} : ${p.type(clause.type)}) `);
    p.optAttrDict(op, ["cleanup"]);
    p.write(`: ${p.type(res.type)}`);
  },
  verify({ op, cleanup, clauses }, report) {
    let func = op.parentOp;
    while (func && func.name !== "llvm.func") func = func.parentOp;
    if (func && !func.hasAttr("personality")) return void report.plain("llvm.landingpad needs to be in a function with a personality");
    if (!cleanup && clauses.length === 0)
      return void report.plain("landingpad instruction expects at least one clause or cleanup attribute");
    for (let i = 0; i < clauses.length; i++) {
      const definer = clauses[i]!.definingOp;
      if (LLVMArrayType.is(clauses[i]!.type)) continue;
      const cast = BitcastOp.match(definer);
      if (cast) {
        if (AddressOfOp.is(cast.arg.definingOp)) continue;
        report
          .plain("constant clauses expected")
          .note("global addresses expected as operand to bitcast used in clauses for landingpad", cast.op.locRef);
        return;
      }
      if (ZeroOp.is(definer) || AddressOfOp.is(definer)) continue;
      return void report.plain(`clause #${i} is not a known constant - null, addressof, bitcast`);
    }
  },
}));

const INTRINSIC_SPELT = ["operandSegmentSizes", "op_bundle_sizes", "intrin", "op_bundle_tags", "arg_attrs", "res_attrs"];

export const CallIntrinsicOp = defineOp("llvm.call_intrinsic", () => ({
  operands: { args: variadic(LLVMType), op_bundle_operands: variadicOfVariadic(LLVMType, "op_bundle_sizes") },
  attrs: { intrin: StrAttr, fastmathFlags: Fastmath, ...bundleAttrs, ...signatureAttrs },
  results: { results: optional(LLVMType) },
  traits: [AttrSizedOperandSegments],
  parse(p) {
    p.setAttr("intrin", stringAttr(p.ctx, p.string()));
    p.punct("(");
    const operands = p.operands();
    p.punct(")");
    const at = p.pos;
    const bundles = parseBundles(p);
    p.optAttrDict();
    // Triton makes intrinsic calls with a void result, which upstream prints but does not read back; here they are read.
    parseCallSignature(p, operands, false, true);
    const inBundles = addBundles(p, bundles, at);
    p.setAttr("operandSegmentSizes", i32ArrayAttr(p.ctx, [operands.length, inBundles]));
  },
  print({ op, args, op_bundle_operands, op_bundle_sizes, fastmathFlags, arg_attrs, res_attrs }, p) {
    const intrin = op.attr("intrin");
    p.write(` ${StringAttr.is(intrin) ? p.string(intrin.params.value) : ""}(${p.values(args)})`);
    if (op_bundle_sizes.length > 0) p.write(` ${bundlesText(p, op_bundle_operands, op_bundle_sizes, op.attr("op_bundle_tags"))}`);
    p.optAttrDict(op, fastmathFlags === 0 ? [...INTRINSIC_SPELT, "fastmathFlags"] : INTRINSIC_SPELT);
    p.write(` : ${callSignatureText(p, args, op.resultTypes, arg_attrs, res_attrs)}`);
  },
  verify({ intrin, op_bundle_sizes, op_bundle_tags }, report) {
    if (!intrin.startsWith("llvm.")) report.error("intrinsic name must start with 'llvm.'");
    else verifyBundles(op_bundle_sizes, op_bundle_tags, report);
  },
}));
