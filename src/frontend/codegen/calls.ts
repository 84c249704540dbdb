/** Calls. Source: code_generator.py, CodeGenerator.visit_Call and call_Function. */
import { callHost } from "../host/call.js";
import { EndlessCode } from "../host/host.js";
import { isInstance } from "../host/instance-of.js";
import { hostData, SOURCE_BUILTINS } from "../host/objects.js";
import { callBuiltin } from "../language/define-builtin.js";
import { asPyError, PyError, raise } from "../language/errors.js";
import { noAttribute, pyStr, pyTypeName } from "../language/python-text.js";
import {
  constexpr,
  isBlockTensor,
  isConstexpr,
  isIrValue,
  isKind,
  isTensor,
  isTuple,
  type JitFunction,
  type Opaque,
  type PyValue,
  tuple,
  unwrap,
} from "../language/values.js";
import type * as ast from "../python/ast.js";
import { unparse } from "../python/unparse.js";
import { findAttribute } from "./attributes.js";
import { CompilationError } from "./compilation-error.js";
import { failAt, unsupported } from "./errors.js";
import { callJit } from "./functions.js";
import type { Generator } from "./generator.js";
import { visit, visitArguments } from "./visit.js";

export function visitCall(g: Generator, node: ast.Call): PyValue {
  const unused = g.unused === node;
  const fn = unwrap(visit(g, node.func));
  if (isKind(fn, "builtin") && fn.def.name === "static_assert") return staticAssert(g, node);
  if (isKind(fn, "builtin") && fn.def.name === "static_print") return staticPrint(g, node);
  if (isKind(fn, "class") && fn.module === "builtins" && fn.name === "int") return staticCall(g, node, fn);
  if (isKind(fn, "host_function") && fn.name === "len") return staticCall(g, node, fn);
  const must = isKind(fn, "builtin") ? fn.def : isKind(fn, "bound_method") && isKind(fn.fn, "builtin") ? fn.fn.def : undefined;
  if (unused && must?.mustUseResult) failAt(g, node, `The result of ${unparse(node.func)} is not being used. ${must.mustUseResult}`);
  const { positional, named } = visitArguments(g, node);
  return callFunction(g, node, fn, positional, named);
}

export function callFunction(
  g: Generator,
  node: ast.Expr,
  fn: PyValue,
  args: readonly PyValue[],
  named: ReadonlyMap<string, PyValue>,
): PyValue {
  if (isKind(fn, "bound_method") && (isKind(fn.fn, "jit") || (isKind(fn.fn, "host_function") && fn.fn.constexpr)))
    return callFunction(g, node, fn.fn, [fn.self, ...args], named);
  // Methods of aggregates and functions under `@builtin` take arguments as they come.
  if (isKind(fn, "bound_method") && isKind(fn.fn, "host_function") && isKind(fn.self, "instance"))
    return atCall(g, node, () => runHost(g, fn, args, named));
  if (isKind(fn, "host_function") && SOURCE_BUILTINS.has(fn)) return atCall(g, node, () => runHost(g, fn, args, named));
  if (isKind(fn, "jit")) {
    checkNoinline(g, node, fn, args);
    return callJit(g, fn, args, named);
  }
  if (isKind(fn, "builtin") || (isKind(fn, "bound_method") && isKind(fn.fn, "builtin")))
    return atCall(g, node, () => {
      if (isKind(fn, "builtin")) return callBuiltin(g.s, fn.def, args, named);
      const method = fn.fn;
      return isKind(method, "builtin") ? callBuiltin(g.s, method.def, [fn.self, ...args], named) : null;
    });
  if (isKind(fn, "host_function") && fn.constexpr)
    return atCall(g, node, () => constexpr(callHost(g.compilation.host, fn, args.map(unwrap), unwrapNamed(named))));
  if (isKind(fn, "class") && fn.flavour === "aggregate") return atCall(g, node, () => runHost(g, fn, args, named));
  if (isKind(fn, "host_function") && fn.name === "isinstance")
    return constexpr(isInstance(unwrap(args[0] ?? null), unwrap(args[1] ?? null)));
  if (isKind(fn, "host_function") && (fn.name === "getattr" || fn.name === "hasattr")) return attributeCall(g, fn.name, args);
  if (isKind(fn, "host_function") || isKind(fn, "class"))
    return wrapResult(runHost(g, fn, isPlainPython(g, fn) ? args.map(unwrap) : args, named));
  if (isKind(fn, "opaque")) return unknownCallee(g, node, fn);
  return raise("TypeError", `'${pyTypeName(fn)}' object is not callable`);
}

function unknownCallee(g: Generator, node: ast.Expr, { what, why, notes }: Opaque): never {
  const cause = new PyError("NameError", `'${what}' is not known: ${why}`);
  cause.notes = notes;
  return failAt(g, node, `'${what}' cannot be called in a kernel: ${why}`, "UnsupportedLanguageConstruct", cause);
}

/** Python's own functions see the values of constants; functions and classes of the user's see constants. */
const isPlainPython = (g: Generator, fn: PyValue): boolean =>
  [...g.compilation.host.kernelBuiltins.values()].includes(fn) || (isKind(fn, "host_function") && hostData(fn).kind === "native");

/** Calls host code, which may call functions of the language that it hands `_semantic` to. */
export function runHost(g: Generator, fn: PyValue, args: readonly PyValue[], named: ReadonlyMap<string, PyValue>): PyValue {
  const { host } = g.compilation;
  const outer = host.semantic;
  host.semantic = g.s;
  try {
    return callHost(host, fn, args, named);
  } finally {
    host.semantic = outer;
  }
}

/** An error in a builtin is reported at its call. */
function atCall(g: Generator, node: ast.Expr, body: () => PyValue): PyValue {
  try {
    return body();
  } catch (error) {
    if (error instanceof EndlessCode) failAt(g, node, error.message, "CompilationError", new PyError("TimeoutError", error.message));
    const raised = asPyError(error);
    if (raised) failAt(g, node, raised.message, "CompilationError", raised);
    throw error;
  }
}

function unwrapNamed(named: ReadonlyMap<string, PyValue>): Map<string, PyValue> {
  return new Map([...named].map(([name, value]) => [name, unwrap(value)]));
}

/** Results of Python functions become constants. */
function wrapResult(value: PyValue): PyValue {
  if (isTuple(value)) return tuple(value.values.map(wrapResult), value.fields, value.cls);
  return isConstexpr(value) || isIrValue(value) || isKind(value, "slice") ? value : constexpr(value);
}

function checkNoinline(g: Generator, node: ast.Expr, fn: JitFunction, args: readonly PyValue[]): void {
  if (!fn.noinline) return;
  args.forEach((arg, i) => {
    if (isTensor(arg) && isBlockTensor(arg) && arg.type.numel !== 1)
      unsupported(
        g,
        node,
        `Function ${fn.name} is marked noinline, but was called with non-scalar argument ${parameterNames(fn)[i]}:${pyStr(arg)}`,
      );
  });
}
const parameterNames = (fn: JitFunction): readonly string[] =>
  (fn.data as { readonly parameters: readonly { readonly name: string }[] }).parameters.map((p) => p.name);

/** `int(...)` and `len(...)`: run on the plain values. */
function staticCall(g: Generator, node: ast.Call, fn: PyValue): PyValue {
  const { positional, named } = visitArguments(g, node);
  return constexpr(callHost(g.compilation.host, fn, positional.map(unwrap), unwrapNamed(named)));
}

function staticPrint(g: Generator, node: ast.Call): PyValue {
  const { positional, named } = visitArguments(g, node);
  const separator = named.has("sep") ? pyStr(unwrap(named.get("sep")!)) : " ";
  const message = positional.map((arg) => pyStr(unwrap(arg))).join(separator);
  g.compilation.warnings.push({ severity: "remark", message, file: g.data.env.file.path, place: node.at });
  return constexpr(null);
}

function staticAssert(g: Generator, node: ast.Call): PyValue {
  const { args, keywords } = node;
  if (args.length < 1 || args.length > 2 || keywords.length > 0)
    return raise("TypeError", "`static_assert` requires one or two positional arguments only");
  const passed = unwrap(visit(g, args[0]));
  if (typeof passed !== "boolean")
    return raise(
      "NotImplementedError",
      "Assertion condition could not be determined at compile-time. Make sure that it depends only on `constexpr` values",
    );
  if (!passed)
    failAt(
      g,
      node,
      args[1] ? assertionMessage(g, args[1]) : `the assertion does not hold: ${unparse(args[0]!)}`,
      "CompileTimeAssertionFailure",
    );
  return null;
}
function assertionMessage(g: Generator, message: ast.Expr): string {
  try {
    return pyStr(unwrap(visit(g, message)));
  } catch (error) {
    if (!(error instanceof CompilationError)) throw error;
    return `<failed to evaluate assertion message: ${error.message}>`;
  }
}

/** `getattr(x, "name", default)` and `hasattr(x, "name")`. */
function attributeCall(g: Generator, what: string, args: readonly PyValue[]): PyValue {
  const [target, nameValue, fallback] = args;
  const name = unwrap(nameValue ?? null);
  if (target === undefined || typeof name !== "string") return raise("TypeError", `${what}(): attribute name must be string`);
  const found = findAttribute(g, unwrap(target), name);
  if (what === "hasattr") return constexpr(found !== undefined);
  const result = found === undefined ? fallback : found;
  if (result === undefined) return raise("AttributeError", noAttribute(unwrap(target), name));
  return wrapResult(result);
}
