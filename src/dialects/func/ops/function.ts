/** Source: mlir/include/mlir/Dialect/Func/IR/FuncOps.td, mlir/lib/Dialect/Func/IR/FuncOps.cpp. */
import type { Type, TypeOf } from "../../../ir/attribute.js";
import type { FunctionType } from "../../../ir/builtin-types.js";
import {
  AnyFunctionType,
  AnyRegion,
  AnyType,
  DictArrayAttr,
  FlatSymbolRefAttr,
  optionalAttr,
  StrAttr,
  SymbolNameAttr,
  typeAttrOf,
  variadic,
} from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { CallableOp, CallOp as CallOpInterface, FunctionOp, implement, SymbolUser } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { typeText } from "../../../ir/text-hook.js";
import { AffineScope, AutomaticAllocationScope, HasParent, IsolatedFromAbove, Pure, ReturnLike, Terminator } from "../../../ir/traits.js";
import { DeclarationsAreNotPublic, FunctionOpTrait, parseFunctionOp, printFunctionOp } from "../../builtin/function-op.js";

const typeOfFunc = (op: Operation): { readonly inputs: readonly Type[]; readonly results: readonly Type[] } =>
  (FuncFuncOp.match(op)!.function_type as TypeOf<typeof FunctionType>).params;

export const FuncFuncOp = defineOp("func.func", () => ({
  summary: "An operation with a name containing a single `SSACFG` region",
  attrs: {
    sym_name: SymbolNameAttr,
    function_type: typeAttrOf(AnyFunctionType),
    sym_visibility: optionalAttr(StrAttr),
    arg_attrs: optionalAttr(DictArrayAttr),
    res_attrs: optionalAttr(DictArrayAttr),
  },
  regions: { body: AnyRegion },
  traits: [AffineScope, AutomaticAllocationScope, DeclarationsAreNotPublic, FunctionOpTrait, IsolatedFromAbove],
  interfaces: [
    implement(FunctionOp, { type: typeOfFunc }),
    implement(CallableOp, {
      region: (op) => (op.regions[0]!.empty ? undefined : op.regions[0]),
      resultTypes: (op): readonly Type[] => typeOfFunc(op).results,
    }),
  ],
  defaultDialect: "func",
  parse: parseFunctionOp,
  print: ({ op }, p) => printFunctionOp(p, op),
}));

export const FuncCallOp = defineOp("func.call", () => ({
  summary: "call operation",
  operands: { operands: variadic(AnyType) },
  attrs: { callee: FlatSymbolRefAttr, arg_attrs: optionalAttr(DictArrayAttr), res_attrs: optionalAttr(DictArrayAttr) },
  results: { results: variadic(AnyType) },
  interfaces: [
    implement(CallOpInterface, { callee: (op): string => FuncCallOp.match(op)!.callee, argOperands: (op) => op.operands }),
    implement(SymbolUser, {
      verifySymbolUses(op, lookup, report): void {
        const { callee } = FuncCallOp.match(op)!;
        const called = lookup(callee);
        // A log of 2.0 shows each function alone.
        if (!op.ctx.spelling?.before2023 && !FuncFuncOp.is(called))
          report.error(`'${callee}' does not reference a valid function`, "func.call");
      },
    }),
  ],
  format: "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)",
}));

export const FuncReturnOp = defineOp("func.return", () => ({
  summary: "Function return operation",
  operands: { operands: variadic(AnyType) },
  traits: [Pure, HasParent("func.func"), ReturnLike, Terminator],
  format: "attr-dict ($operands^ `:` type($operands))?",
  verify({ op, operands }, report) {
    const { results } = typeOfFunc(op.parentOp!);
    const name = FuncFuncOp.match(op.parentOp)!.sym_name;
    if (operands.length !== results.length)
      return void report.error(
        `has ${operands.length} operands, but enclosing function (@${name}) returns ${results.length}`,
        "func.return",
      );
    const wrong = results.findIndex((type, i) => operands[i]!.type !== type);
    if (wrong >= 0)
      report.plain(
        `type of return operand ${wrong} ('${typeText(operands[wrong]!.type)}') doesn't match function result type ('${typeText(results[wrong]!)}') in function @${name}`,
        "func.return",
      );
  },
}));
