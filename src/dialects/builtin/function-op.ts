/**
 * The common parts of ops that define functions: their syntax and their verifier rules. `tt.func` uses them unchanged;
 * `llvm.func`, whose syntax says more, takes the parts it needs.
 * Source: mlir/lib/Interfaces/FunctionImplementation.cpp, CallInterfaces.cpp; mlir/include/mlir/Interfaces/FunctionInterfaces.h.
 */

import type { OpParser, OpPrinter, ParsedArgument } from "../../ir/asm.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import {
  ArrayAttr,
  arrayAttr,
  type DictAttr,
  DictionaryAttr,
  dictGet,
  dictWith,
  emptyDict,
  stringAttr,
  stringOf,
  typeAttr,
} from "../../ir/builtin-attrs.js";
import { FunctionType, functionType } from "../../ir/builtin-types.js";
import type { OpReport } from "../../ir/define-op.js";
import { FunctionOp } from "../../ir/interfaces.js";
import type { LocationRef } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import { Region } from "../../ir/region.js";
import { symbolName, symbolVisibility } from "../../ir/symbol-table.js";
import { attrText, typeText } from "../../ir/text-hook.js";
import { defineTrait, Symbol as SymbolTrait } from "../../ir/traits.js";

/** The kernel of a module: the named function, or the first public one that has a body. */
export function kernelOf(module: Operation, name?: string): Operation | undefined {
  let found: Operation | undefined;
  module.walk((op) => {
    if (op === module) return undefined;
    if (found || !op.def.interface(FunctionOp)) return "skip";
    const matches = name === undefined ? symbolVisibility(op) === "public" : symbolName(op) === name;
    if (matches && op.regions[0]?.empty === false) found = op;
    return "skip";
  });
  return found;
}

/** Names under which a function keeps what its signature says. */
export const FUNCTION_ATTRS = ["sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs"] as const;

// --- reading ----------------------------------------------------------------------------------

/** One entry of an argument list: `%name: type {attrs} loc(...)`, or without the name. */
export interface SignatureArgument {
  readonly argument: ParsedArgument | undefined;
  readonly pos: number;
  readonly type: Type;
  readonly attrs: DictAttr | undefined;
}
export interface Signature {
  readonly args: readonly SignatureArgument[];
  readonly isVariadic: boolean;
  readonly resultTypes: readonly Type[];
  readonly resultAttrs: readonly (DictAttr | undefined)[];
}

/** `public`, `private` or `nested` before the name, kept as `sym_visibility`. */
export function parseVisibility(p: OpParser): void {
  for (const visibility of ["public", "private", "nested"])
    if (p.optKeyword(visibility)) return p.setAttr("sym_visibility", stringAttr(p.ctx, visibility));
}

/** `(%a: i32 {x.y}, ...) -> (T {x.z}, T)` */
export function parseSignature(p: OpParser, allowVariadic: boolean): Signature {
  const args: SignatureArgument[] = [];
  let isVariadic = false;
  p.list("(", ")", () => {
    if (isVariadic) opError(p, "variadic arguments must be in the end of the argument list");
    if (allowVariadic && p.optPunct("...")) {
      isVariadic = true;
      return;
    }
    args.push(parseSignatureArgument(p, args.at(-1)));
  });
  const { types, attrs } = p.optPunct("->") ? parseResults(p) : { types: [], attrs: [] };
  return { args, isVariadic, resultTypes: types, resultAttrs: attrs };
}

function parseSignatureArgument(p: OpParser, previous: SignatureArgument | undefined): SignatureArgument {
  const { pos } = p;
  const argument = p.optArgument({ type: true, attrs: true });
  if (argument) {
    if (previous && !previous.argument) opError(p, "expected type instead of SSA identifier", pos);
    return { argument, pos, type: argument.type!, attrs: argument.attrs };
  }
  if (previous?.argument) opError(p, "expected SSA identifier", pos);
  const type = p.type();
  const attrs = optDictionary(p);
  p.optTrailingLocation();
  return { argument: undefined, pos, type, attrs };
}

function parseResults(p: OpParser): { types: Type[]; attrs: (DictAttr | undefined)[] } {
  if (!p.atPunct("(")) return { types: [p.type()], attrs: [undefined] };
  const types: Type[] = [];
  const attrs: (DictAttr | undefined)[] = [];
  p.list("(", ")", () => {
    types.push(p.type());
    attrs.push(optDictionary(p));
  });
  return { types, attrs };
}
function optDictionary(p: OpParser): DictAttr | undefined {
  const dict = p.atPunct("{") ? p.attribute() : undefined;
  return DictionaryAttr.is(dict) ? dict : undefined;
}

/** Keeps the attributes of arguments and results, where there are any. */
export function setSignatureAttrs(p: OpParser, signature: Signature): void {
  const keep = (name: string, dicts: readonly (DictAttr | undefined)[]) => {
    if (!dicts.some((dict) => dict && dict.params.names.length > 0)) return;
    const elements = dicts.map((dict) => dict ?? emptyDict(p.ctx));
    p.setAttr(name, arrayAttr(p.ctx, elements));
  };
  keep(
    "arg_attrs",
    signature.args.map((arg) => arg.attrs),
  );
  keep("res_attrs", signature.resultAttrs);
}

/** The body, if there is one; a declaration has an empty region. */
export function parseFunctionBody(p: OpParser, signature: Signature, mayBeEmpty = false): void {
  const { pos } = p;
  const named = signature.args.flatMap((arg) => arg.argument ?? []);
  const body = p.optRegion(named);
  if (!body) p.state.regions.push(new Region(p.ctx, null, 0));
  else if (body.empty && !mayBeEmpty) opError(p, "expected non-empty function body", pos);
}

/** `tt.func public @name(%a: i32) -> i32 attributes {...} { ... }`, after the op's name. */
export function parseFunctionOp(p: OpParser): void {
  parseVisibility(p);
  p.setAttr("sym_name", stringAttr(p.ctx, p.symbolName()));
  const signature = parseSignature(p, false);
  const inputs = signature.args.map((arg) => arg.type);
  p.setAttr("function_type", typeAttr(functionType(p.ctx, inputs, signature.resultTypes)));
  const at = p.pos;
  const before = p.state.attrs.length;
  p.optAttrDictWithKeyword();
  for (const [name] of p.state.attrs.slice(before))
    if (name === "sym_visibility" || name === "sym_name" || name === "function_type")
      opError(p, `'${name}' is an inferred attribute and should not be specified in the explicit attribute dictionary`, at);
  setSignatureAttrs(p, signature);
  parseFunctionBody(p, signature);
}

function opError(p: OpParser, message: string, pos = p.pos): never {
  return p.fail(`custom op '${p.opName}' ${message}`, pos, "parse.function");
}

// --- writing ----------------------------------------------------------------------------------

/** `(%a: i32 {x.y}, ...) -> (T {x.z}, T)`; arguments without names when there is no body. */
export function printSignature(p: OpPrinter, op: Operation, inputs: readonly Type[], isVariadic: boolean, results: readonly Type[]): void {
  const args = op.regions[0]!.firstBlock?.args;
  const argAttrs = dictionaries(op, "arg_attrs");
  const resAttrs = dictionaries(op, "res_attrs");
  p.write("(");
  inputs.forEach((type, i) => {
    if (i > 0) p.write(", ");
    const attrs = argAttrs?.[i];
    if (args) return p.write(p.regionArgument(args[i]!, attrs));
    p.write(p.type(type));
    writeDictionary(p, attrs);
  });
  if (isVariadic) p.write(inputs.length > 0 ? ", ..." : "...");
  p.write(")");
  if (results.length === 0) return;
  p.write(" -> ");
  const parens = results.length > 1 || FunctionType.is(results[0]) || (resAttrs?.[0]?.params.names.length ?? 0) > 0;
  if (parens) p.write("(");
  results.forEach((type, i) => {
    if (i > 0) p.write(", ");
    p.write(p.type(type));
    writeDictionary(p, resAttrs?.[i]);
  });
  if (parens) p.write(")");
}
function dictionaries(op: Operation, name: string): readonly DictAttr[] | undefined {
  const attr = op.attr(name);
  return ArrayAttr.is(attr) ? (attr.params.elements as readonly DictAttr[]) : undefined;
}
function writeDictionary(p: OpPrinter, attrs: DictAttr | undefined): void {
  if (attrs && attrs.params.names.length > 0) p.write(` ${p.attr(attrs)}`);
}

/** Prints the syntax that `parseFunctionOp` reads. */
export function printFunctionOp(p: OpPrinter, op: Operation): void {
  const { inputs, results } = op.def.interface(FunctionOp)!.type(op);
  const visibility = stringOf(op.attr("sym_visibility"));
  p.write(" ");
  if (visibility !== undefined) p.write(`${visibility} `);
  p.write(p.symbol(symbolName(op)!));
  printSignature(p, op, inputs, false, results);
  p.optAttrDictWithKeyword(op, FUNCTION_ATTRS);
  const body = op.regions[0]!;
  if (body.empty) return;
  p.write(" ");
  p.region(body, { entryArgs: false, terminators: true });
}

/** A function without body is not public: somebody must provide it. */
export const DeclarationsAreNotPublic = defineTrait("DeclarationsAreNotPublic", {
  verify(op, report) {
    if (op.regions[0]?.empty && symbolVisibility(op) === "public")
      report.error("symbol declaration cannot have public visibility", "verify.symbol");
  },
});

// --- attributes of arguments ------------------------------------------------------------------

/** The attribute of that name of argument `index`. */
export function argumentAttr(op: Operation, index: number, name: string): Attribute | undefined {
  const dict = dictionaries(op, "arg_attrs")?.[index];
  return dict && dictGet(dict, name);
}
/** Gives argument `index` an attribute, or takes it away. */
export function setArgumentAttr(op: Operation, index: number, name: string, value: Attribute | undefined): void {
  const count = op.def.interface(FunctionOp)!.type(op).inputs.length;
  const before = dictionaries(op, "arg_attrs");
  const dicts = Array.from({ length: count }, (_, i) => before?.[i] ?? emptyDict(op.ctx));
  dicts[index] = dictWith(dicts[index]!, name, value);
  op.setAttr("arg_attrs", arrayAttr(op.ctx, dicts));
}

// --- verifying --------------------------------------------------------------------------------

/** The verifier of FunctionOpInterface, and of symbols. The op implements `FunctionOp`. */
export const FunctionOpTrait = defineTrait("FunctionOpInterface", {
  implies: [SymbolTrait],
  verify(op, report) {
    const { inputs, results } = op.def.interface(FunctionOp)!.type(op);
    if (!checkDictionaries(op, "arg_attrs", "argument", inputs.length, report)) return;
    if (!checkDictionaries(op, "res_attrs", "result", results.length, report)) return;
    if (op.regions.length !== 1) return void report.error("expects one region", "verify.function");
    checkEntryBlock(op, inputs, report);
  },
});

function checkDictionaries(op: Operation, name: string, what: "argument" | "result", count: number, report: OpReport): boolean {
  const attr = op.attr(name);
  if (!ArrayAttr.is(attr)) return true;
  const { elements } = attr.params;
  const error = (message: string) => (report.error(message, "verify.function"), false);
  if (elements.length !== count)
    return error(
      `expects ${what} attribute array to have the same number of elements as the number of function ${what}s, got ${elements.length}, but expected ${count}`,
    );
  for (let i = 0; i < count; i++) {
    const dict = elements[i];
    if (!DictionaryAttr.is(dict))
      return error(`expects ${what} attribute dictionary to be a DictionaryAttr, but got \`${attrText(dict!)}\``);
    for (let n = 0; n < dict.params.names.length; n++) {
      const key = dict.params.names[n]!;
      const dot = key.indexOf(".");
      if (dot < 0) return error(`${what}s may only have dialect attributes`);
      if (what !== "argument") continue;
      let wrong = false;
      const watched: OpReport = {
        error: (...text) => ((wrong = true), report.error(...text)),
        plain: (...text) => ((wrong = true), report.plain(...text)),
        note: (message: string, loc?: LocationRef) => report.note(message, loc),
      };
      op.ctx.dialects.get(key.slice(0, dot))?.verifyArgAttr?.(op, i, key, dict.params.values[n]!, watched);
      if (wrong) return false;
    }
  }
  return true;
}

function checkEntryBlock(op: Operation, inputs: readonly Type[], report: OpReport): void {
  const entry = op.regions[0]!.firstBlock;
  if (!entry) return;
  const { args } = entry;
  if (args.length !== inputs.length)
    return void report.error(`entry block must have ${inputs.length} arguments to match function signature`, "verify.function");
  const wrong = args.findIndex((arg, i) => arg.type !== inputs[i]);
  if (wrong >= 0)
    report.error(
      `type of entry block argument #${wrong}('${typeText(args[wrong]!.type)}') must match the type of the corresponding argument in function signature('${typeText(inputs[wrong]!)}')`,
      "verify.function",
    );
}
