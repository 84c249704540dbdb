/** Functions, calls and returns: Triton's own copy of the func dialect's. */
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
import { ttTraits } from "../tt-op.js";

/** The type of a tt.func. */
const typeOfFunc = (op: Operation): { readonly inputs: readonly Type[]; readonly results: readonly Type[] } =>
  (FuncOp.match(op)!.function_type as TypeOf<typeof FunctionType>).params;

/** Source: TritonOps.td, FuncOp. */
export const FuncOp = defineOp("tt.func", () => ({
  summary: "An operation with a name containing a single `SSACFG` region",
  attrs: {
    sym_name: SymbolNameAttr,
    function_type: typeAttrOf(AnyFunctionType),
    sym_visibility: optionalAttr(StrAttr),
    arg_attrs: optionalAttr(DictArrayAttr),
    res_attrs: optionalAttr(DictArrayAttr),
  },
  regions: { body: AnyRegion },
  traits: ttTraits(
    AffineScope,
    AutomaticAllocationScope,
    DeclarationsAreNotPublic,
    IsolatedFromAbove,
    HasParent("builtin.module"),
    FunctionOpTrait,
  ),
  interfaces: [
    implement(FunctionOp, { type: typeOfFunc }),
    implement(CallableOp, {
      region: (op) => (op.regions[0]!.empty ? undefined : op.regions[0]),
      resultTypes: (op): readonly Type[] => typeOfFunc(op).results,
    }),
  ],
  parse: parseFunctionOp,
  print: ({ op }, p) => printFunctionOp(p, op),
}));

/** Source: TritonOps.td, CallOp. */
export const CallOp = defineOp("tt.call", () => ({
  summary: "call operation",
  operands: { operands: variadic(AnyType) },
  attrs: { callee: FlatSymbolRefAttr, arg_attrs: optionalAttr(DictArrayAttr), res_attrs: optionalAttr(DictArrayAttr) },
  results: { results: variadic(AnyType) },
  traits: ttTraits(),
  interfaces: [
    implement(CallOpInterface, { callee: (op): string => CallOp.match(op)!.callee, argOperands: (op) => op.operands }),
    implement(SymbolUser, {
      verifySymbolUses(op, lookup, report): void {
        const { callee } = CallOp.match(op)!;
        const func = lookup(callee);
        const error = (message: string) => report.error(message, "tt.call");
        if (!func || !FuncOp.is(func)) return void error(`'${callee}' does not reference a valid function`);
        const { inputs, results } = typeOfFunc(func);
        if (inputs.length !== op.numOperands) return void error("incorrect number of operands for callee");
        const operand = inputs.findIndex((type, i) => op.operand(i).type !== type);
        if (operand >= 0)
          return void error(
            `operand type mismatch: expected operand type '${typeText(inputs[operand]!)}', but provided '${typeText(op.operand(operand).type)}' for operand number ${operand}`,
          );
        if (results.length !== op.numResults) return void error("incorrect number of results for callee");
        const result = results.findIndex((type, i) => op.result(i).type !== type);
        if (result < 0) return;
        const list = (types: readonly Type[]) => types.map((t) => `'${typeText(t)}'`).join(", ");
        error(`result type mismatch at index ${result}`)
          .note(`      op result types: ${list(op.resultTypes)}`)
          .note(`function result types: ${list(results)}`);
      },
    }),
  ],
  format: "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)",
}));

/** Source: TritonOps.td, ReturnOp. */
export const ReturnOp = defineOp("tt.return", () => ({
  summary: "Function return operation",
  operands: { srcs: variadic(AnyType) },
  traits: ttTraits(Pure, HasParent("tt.func"), ReturnLike, Terminator),
  format: "attr-dict ($srcs^ `:` type($srcs))?",
  verify({ op, srcs }, report) {
    const func = FuncOp.match(op.parentOp)!;
    const { results } = typeOfFunc(func.op);
    if (srcs.length !== results.length)
      return void report.error(
        `has ${srcs.length} operands, but enclosing function (@${func.sym_name}) returns ${results.length}`,
        "tt.return",
      );
    const wrong = results.findIndex((type, i) => srcs[i]!.type !== type);
    if (wrong >= 0)
      report.plain(
        `type of return operand ${wrong} ('${typeText(srcs[wrong]!.type)}') doesn't match function result type ('${typeText(results[wrong]!)}') in function @${func.sym_name}`,
        "tt.return",
      );
  },
}));
