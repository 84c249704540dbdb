/** `with`: context managers of the user's, which run while compiling. Source: code_generator.py, CodeGenerator.visit_With. */
import { hostAttribute } from "../host/attributes.js";
import { callBuiltin } from "../language/define-builtin.js";
import { raise } from "../language/errors.js";
import { noAttribute } from "../language/python-text.js";
import { isKind, type PyValue } from "../language/values.js";
import type * as ast from "../python/ast.js";
import { containsReturn } from "./branches.js";
import { runHost } from "./calls.js";
import { unsupported } from "./errors.js";
import { type Generator, setValue } from "./generator.js";
import { placed, visit, visitBody, visitKeywords } from "./visit.js";

export function visitWith(g: Generator, node: ast.With): void {
  const managers = node.items.map(({ contextExpr }) => makeManager(g, contextExpr));
  managers.forEach((manager, i) => {
    const value = callMethod(g, manager, "__enter__", []);
    const target = node.items[i]!.optionalVars;
    if (target) bindTarget(g, target, value);
  });
  if (containsReturn(g, node.body)) unsupported(g, node, "Cannot have `return` statements inside `with` statements in triton ");
  visitBody(g, node.body);
  for (const manager of managers.toReversed()) callMethod(g, manager, "__exit__", [null, null, null]);
}

/** The manager must be the result of a call, which is handed `_semantic` as builtins are. */
function makeManager(g: Generator, node: ast.Expr): PyValue {
  if (node.kind !== "Call")
    return raise("AttributeError", `'${node.kind === "Unsupported" ? node.name : node.kind}' object has no attribute 'func'`);
  const fn = visit(g, node.func);
  const args = node.args.map((arg) => visit(g, arg));
  const named = visitKeywords(g, node.keywords);
  if (isKind(fn, "builtin")) return callBuiltin(g.s, fn.def, args, named);
  if (isKind(fn, "bound_method") && isKind(fn.fn, "builtin")) return callBuiltin(g.s, fn.fn.def, [fn.self, ...args], named);
  if (isKind(fn, "jit")) return callMethod(g, fn, "__call__", args);
  const name = isKind(fn, "host_function") || isKind(fn, "class") ? fn.name : "";
  if (name !== "" && g.compilation.host.kernelBuiltins.has(name)) return raise("TypeError", `${name}() takes no keyword arguments`);
  return runHost(g, fn, args, named);
}

function callMethod(g: Generator, self: PyValue, name: string, args: readonly PyValue[]): PyValue {
  const method = isKind(self, "jit") ? self : hostAttribute(g.compilation.host, self, name);
  if (isKind(method, "jit") || (isKind(method, "bound_method") && isKind(method.fn, "jit")))
    return raise("RuntimeError", "Cannot call @triton.jit'd outside of the scope of a kernel");
  if (method === undefined) return raise("AttributeError", noAttribute(self, name));
  return runHost(g, method, args, new Map());
}

function bindTarget(g: Generator, target: ast.Expr, value: PyValue): void {
  if (target.kind === "Tuple" || target.kind === "List")
    return placed(g, target, () => raise("AttributeError", "'str' object has no attribute 'type'"));
  const name = visit(g, target);
  if (typeof name === "string") setValue(g, name, value);
}
