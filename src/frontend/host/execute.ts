/**
 * Runs Python statements outside of kernels: what a module defines, and functions that run while compiling. A statement
 * of a module that fails leaves its names opaque, with the reason: only a kernel that uses them is an error.
 */
import { asPyError, PyError, type PyErrorKind, raise } from "../language/errors.js";
import { pyStr, pyTruth } from "../language/python-text.js";
import { constexpr, isConstexpr, isKind, type JitFunction, type PyClass, type PyValue, unwrap } from "../language/values.js";
import type * as ast from "../python/ast.js";
import { unparse } from "../python/unparse.js";
import { isBindingError } from "./bind.js";
import { callHost } from "./call.js";
import { bindTarget, defaultValues, evaluate, isShared } from "./evaluate.js";
import { firstUnknownImport, importFrom, importName } from "./imports.js";
import { type ClassData, type Env, type Host, type HostData, jitData, Names, type Outcome, opaque } from "./objects.js";
import { METHOD_OF, pyBinary, pyIterate, unknownOf } from "./operators.js";
import { JIT, withConfigs } from "./standard-modules.js";
import { type OpenChoice, openCondition, tryBoth } from "./undecided.js";

/** Runs statements; returns how they end. */
export function execute(host: Host, env: Env, body: readonly ast.Stmt[]): Outcome {
  for (const statement of body) {
    host.step(env, statement);
    env.vars.at = statement.at;
    let outcome: Outcome;
    if (env.isFunction) outcome = run(host, env, statement);
    else {
      try {
        outcome = env.file.importedBy ? host.bounded(() => run(host, env, statement)) : run(host, env, statement);
      } catch (error) {
        const raised = asPyError(error);
        if (!raised) throw error;
        markOpaque(env, [statement], `${raised.kind}: ${raised.message}`, !("body" in statement) || "name" in statement);
      }
    }
    if (env.vars === env.file.globals) for (const [name, value] of env.file.defines) define(env, name, value);
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

/** Gives a name that is bound the user's value, as a constant for kernels where it is one. */
function define(env: Env, name: string, value: PyValue): void {
  const now = env.vars.get(name);
  if (now !== undefined && unwrap(now) !== value) env.vars.set(name, isConstexpr(now) ? constexpr(value) : value);
}

function run(host: Host, env: Env, node: ast.Stmt): Outcome {
  switch (node.kind) {
    case "Expr":
      if (env.vars.attempting === undefined) evaluate(host, env, node.value);
      else attemptCall(host, env, node.value);
      return undefined;
    case "Assign": {
      const value = evaluate(host, env, node.value);
      for (const target of node.targets) bindTarget(host, env, target, value);
      return undefined;
    }
    case "AnnAssign":
      if (node.value) bindTarget(host, env, node.target, evaluate(host, env, node.value));
      return undefined;
    case "AugAssign": {
      const target: ast.Expr = node.target.kind === "Name" ? { ...node.target, ctx: "Load" } : node.target;
      bindTarget(host, env, node.target, pyBinary(METHOD_OF[node.op]!, evaluate(host, env, target), evaluate(host, env, node.value)));
      return undefined;
    }
    case "FunctionDef":
      env.vars.set(node.name, decorate(host, env, node.decorators, functionValue(host, env, node)));
      return undefined;
    case "AsyncFunctionDef":
      env.vars.set(node.name, asyncFunction(host, env, node));
      return undefined;
    case "ClassDef":
      env.vars.set(node.name, decorate(host, env, node.decorators, classValue(host, env, node)));
      return undefined;
    case "Import":
      for (const { name, asname } of node.names) importName(host, env, name, asname);
      return undefined;
    case "ImportFrom":
      importFrom(host, env, node);
      return undefined;
    case "If": {
      const test = evaluateTest(host, env, node.test);
      const unknown = unknownOf(test);
      if (!unknown) return execute(host, env, pyTruth(test) ? node.body : node.orelse);
      const choice = openCondition(host, env, node.test, unknown);
      return tryBoth(host, env, choice, [() => execute(host, env, node.body), () => execute(host, env, node.orelse)]);
    }
    case "For":
      return runFor(host, env, node);
    case "While":
      return runWhile(host, env, node);
    case "With":
      for (const { contextExpr, optionalVars } of node.items) {
        const value = evaluate(host, env, contextExpr);
        if (optionalVars) bindTarget(host, env, optionalVars, value);
      }
      return execute(host, env, node.body);
    case "Try":
      return runTry(host, env, node);
    case "Return":
      return { returned: node.value ? evaluate(host, env, node.value) : null };
    case "Raise":
      return raiseStatement(host, env, node);
    case "Assert": {
      const test = evaluate(host, env, node.test);
      if (!isKind(test, "opaque") && !pyTruth(test)) raise("AssertionError", node.msg ? pyStr(evaluate(host, env, node.msg)) : "");
      return undefined;
    }
    case "Break":
      return "break";
    case "Continue":
      return "continue";
    case "Delete":
      for (const target of node.targets) if (target.kind === "Name") env.vars.delete(target.id);
      return undefined;
    case "Global":
      for (const name of node.names) env.vars.leaveTo(env.file.globals, name);
      return undefined;
    case "Pass":
    case "Nonlocal":
    case "Unsupported":
      return undefined;
  }
}

/** A condition; at module level one that fails is not known. */
function evaluateTest(host: Host, env: Env, test: ast.Expr): PyValue {
  try {
    return evaluate(host, env, test);
  } catch (error) {
    if (env.isFunction || !(error instanceof PyError)) throw error;
    return opaque(test, `${error.kind}: ${error.message}`);
  }
}

/** A call that may not be reached: an object that is there without it is not known afterwards. */
function attemptCall(host: Host, env: Env, node: ast.Expr): void {
  if (node.kind !== "Call" || node.func.kind !== "Attribute") return;
  if (!isShared(env, node.func)) {
    evaluate(host, env, node);
    return;
  }
  let root = node.func.value;
  const object = evaluate(host, env, root);
  while (root.kind === "Attribute" || root.kind === "Subscript") root = root.value;
  const changes = isKind(object, "list") || isKind(object, "dict") || isKind(object, "instance");
  if (changes && root.kind === "Name") env.vars.set(root.id, opaque(root, env.vars.attempting!));
}

function runFor(host: Host, env: Env, node: ast.For): Outcome {
  const items = evaluate(host, env, node.iter);
  if (isKind(items, "opaque")) {
    markOpaque(env, [node], items.why, true);
    return undefined;
  }
  for (const item of pyIterate(items)) {
    host.step(env, node);
    bindTarget(host, env, node.target, item);
    const outcome = execute(host, env, node.body);
    if (outcome === "break") return undefined;
    if (typeof outcome === "object") return leaveLoop(env, node, outcome);
  }
  return execute(host, env, node.orelse);
}

/** The outcome of a loop that is left early. At module level only the loop is left, and it is not known when. */
function leaveLoop(env: Env, node: ast.Stmt, outcome: Exclude<Outcome, string | undefined>): Outcome {
  if (env.isFunction) return outcome;
  markOpaque(env, [node], isKind(outcome.returned, "opaque") ? outcome.returned.why : "", true);
  return undefined;
}

function runWhile(host: Host, env: Env, node: ast.While): Outcome {
  for (;;) {
    host.step(env, node);
    const test = evaluate(host, env, node.test);
    const unknown = unknownOf(test);
    if (unknown) {
      markOpaque(env, [node], unknown.why, true);
      return undefined;
    }
    if (!pyTruth(test)) return execute(host, env, node.orelse);
    const outcome = execute(host, env, node.body);
    if (outcome === "break") return undefined;
    if (typeof outcome === "object") return leaveLoop(env, node, outcome);
  }
}

function runTry(host: Host, env: Env, node: ast.Try): Outcome {
  const unknown = firstUnknownImport(host, env, node.body);
  const other = unknown && node.handlers.find(({ type }) => !type || CATCHES_IMPORT.test(unparse(type)));
  const handle = (): Outcome => runAll(host, env, other!.body);
  const outcome = !other
    ? runGuarded(host, env, node)
    : unknown.isMissing
      ? handle()
      : tryBoth(host, env, openImport(unknown.name), [() => runGuarded(host, env, node), handle]);
  return execute(host, env, node.finalbody) ?? outcome;
}
const CATCHES_IMPORT = /\b(?:ImportError|ModuleNotFoundError|Exception|BaseException)\b/;

const openImport = (name: string): OpenChoice => ({
  why: `whether '${name}' can be imported is not known to tt-step`,
  define: undefined,
  when: [`where '${name}' can be imported`, `where '${name}' cannot be imported`],
});

/** A `try` without its `finally`. */
function runGuarded(host: Host, env: Env, node: ast.Try): Outcome {
  let outcome: Outcome;
  try {
    outcome = runAll(host, env, node.body) ?? runAll(host, env, node.orelse);
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    const handler = node.handlers.find(({ type }) => !type || catches(unparse(type), error.kind));
    if (!handler) throw error;
    if (handler.name !== undefined) env.vars.set(handler.name, error.message);
    outcome = runAll(host, env, handler.body);
  }
  return outcome;
}
/** Statements whose first failure is not swallowed, whichever scope they are in. */
function runAll(host: Host, env: Env, body: readonly ast.Stmt[]): Outcome {
  for (const statement of body) {
    host.step(env, statement);
    env.vars.at = statement.at;
    const outcome = run(host, env, statement);
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}
const catches = (type: string, kind: string): boolean => /\b(?:Exception|BaseException)\b/.test(type) || type.includes(kind);

function raiseStatement(host: Host, env: Env, { exc }: ast.Raise): never {
  if (exc?.kind === "Call" && exc.func.kind === "Name") {
    const message = exc.args[0] ? pyStr(evaluate(host, env, exc.args[0])) : "";
    return raise(exc.func.id as PyErrorKind, message);
  }
  return raise((exc?.kind === "Name" ? exc.id : "RuntimeError") as PyErrorKind, "");
}

function functionValue(host: Host, env: Env, node: ast.FunctionDef): PyValue {
  const data: HostData = { kind: "def", node, env: scopeOfFunctions(env), defaults: defaultValues(host, env, node.args) };
  return { kind: "host_function", name: node.name, constexpr: false, data };
}
/** Functions do not see the names of the class that they are defined in. */
function scopeOfFunctions(env: Env): Env {
  return env.isClass && env.parent ? { ...scopeOfFunctions(env.parent), qualname: env.qualname! } : env;
}

/** Calls of it are not followed. As a kernel it is an error where it is asked for. */
function asyncFunction(host: Host, env: Env, node: ast.AsyncFunctionDef): PyValue {
  const fn = decorate(host, env, node.decorators, functionValue(host, env, { ...node, kind: "FunctionDef" }));
  if (!isKind(fn, "jit")) return { kind: "opaque", what: node.name, why: "it is an async function" };
  const refused = new PyError("TypeError", "a kernel is a function without 'async'");
  if (node.at) refused.origin = { file: env.file.path, at: node.at };
  return { ...fn, data: { ...jitData(fn), refused } };
}

/** Applies decorators, the innermost first. */
function decorate(host: Host, env: Env, decorators: readonly ast.Expr[], value: PyValue): PyValue {
  for (const decorator of decorators.toReversed()) {
    const fn = decoratorValue(host, env, decorator);
    if (fn instanceof PyError) value = refuse(host, env, decorator, value, fn);
    else if (isKind(value, "jit")) value = decorateKernel(host, env, decorator, value, fn);
    else if (isKind(fn, "opaque")) value = { kind: "opaque", what: unparse(decorator), why: fn.why };
    else value = callHost(host, fn, [value], new Map());
  }
  return value;
}

/**
 * A function for kernels under a decorator that is not known, or that wraps it in an object which launches it, is the function still.
 * Such an object, or the decorator's argument, may have its configurations.
 */
function decorateKernel(host: Host, env: Env, decorator: ast.Expr, kernel: JitFunction, fn: PyValue): PyValue {
  let made: PyValue;
  try {
    made = host.bounded(() => callHost(host, fn, [kernel], new Map()));
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    made = { kind: "opaque", what: unparse(decorator), why: `${error.kind}: ${error.message}` };
  }
  if (isKind(made, "jit") || isKind(made, "builtin")) return made;
  const configs = isKind(made, "instance") ? made.attrs.get("configs") : undefined;
  if (configs !== undefined) return withConfigs(kernel, configs);
  const argument = decorator.kind === "Call" ? decorator.keywords.find(({ arg }) => arg === "configs") : undefined;
  return argument ? withConfigs(kernel, evaluateTest(host, env, argument.value)) : kernel;
}

/** A kernel whose decorator is not to be called so: others of its file are none the worse. */
function refuse(host: Host, env: Env, decorator: ast.Expr, value: PyValue, refused: PyError): PyValue {
  const isJit = decorator.kind === "Call" && evaluate(host, env, decorator.func) === JIT;
  const fn = isJit ? callHost(host, JIT, [value], new Map()) : value;
  if (!isKind(fn, "jit")) throw refused;
  return { ...fn, data: { ...jitData(fn), refused } };
}

/** A decorator whose arguments fail, as those of `@triton.autotune` may without a GPU, is not known. */
function decoratorValue(host: Host, env: Env, decorator: ast.Expr): PyValue | PyError {
  try {
    return evaluate(host, env, decorator);
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    if (isBindingError(error)) return error;
    return { kind: "opaque", what: unparse(decorator), why: error.message };
  }
}

function classValue(host: Host, env: Env, node: ast.ClassDef): PyValue {
  const attrs = new Names();
  const qualname = env.qualname === undefined ? node.name : `${env.qualname}.${node.name}`;
  const inner: Env = { vars: attrs, parent: env, file: env.file, isFunction: env.isFunction, isClass: true, qualname };
  execute(host, inner, node.body);
  const fields: [string, PyValue][] = [];
  for (const s of node.body)
    if (s.kind === "AnnAssign" && s.target.kind === "Name") {
      try {
        fields.push([s.target.id, evaluate(host, inner, s.annotation)]);
      } catch (error) {
        if (!(error instanceof PyError)) throw error;
        fields.push([s.target.id, { kind: "opaque", what: unparse(s.annotation), why: error.message }]);
      }
    }
  const bases = node.bases.map((b) => evaluate(host, env, b));
  const data: ClassData = { kind: "source", env: inner, bases, ownFields: fields, ownInit: attrs.has("__init__") };
  for (const base of bases) if (isKind(base, "class")) for (const [name, value] of base.attrs) if (!attrs.has(name)) attrs.set(name, value);
  const isNamedTuple = bases.some((b) => isKind(b, "class") && (b.name === "NamedTuple" || b.flavour === "namedtuple"));
  const isEnum = bases.some((b) => isKind(b, "class") && /^(?:Int|Str)?(?:Enum|Flag)$/.test(b.name));
  const inherited = bases.flatMap((b) => (isKind(b, "class") ? b.fields : []));
  const cls: PyClass = {
    kind: "class",
    name: node.name,
    module: env.file.module,
    qualname,
    flavour: isNamedTuple ? "namedtuple" : "plain",
    attrs,
    fields: [...new Map([...inherited, ...fields])],
    data,
  };
  const isInt = bases.some((b) => isKind(b, "class") && /^Int(?:Enum|Flag)$/.test(b.name));
  if (isEnum)
    for (const [name, value] of attrs)
      if (typeof value === "bigint") attrs.set(name, { kind: "enum", type: node.name, name, value, isInt });
  return cls;
}

/** Names that statements would have bound; `again`: those too that had a value before. */
function markOpaque(env: Env, body: readonly ast.Stmt[], why: string, again: boolean): void {
  const mark = (name: string): void => {
    if (again || !env.vars.has(name) || env.isFunction) env.vars.set(name, { kind: "opaque", what: name, why });
  };
  const target = (node: ast.Expr): void => {
    if (node.kind === "Name") mark(node.id);
    else if (node.kind === "Tuple" || node.kind === "List") node.elts.forEach(target);
  };
  for (const s of body) {
    switch (s.kind) {
      case "Assign":
        s.targets.forEach(target);
        break;
      case "AugAssign":
      case "AnnAssign":
        target(s.target);
        break;
      case "FunctionDef":
      case "ClassDef":
        mark(s.name);
        break;
      case "Import":
        for (const { name, asname } of s.names) mark(asname ?? name.split(".")[0]!);
        break;
      case "ImportFrom":
        for (const { name, asname } of s.names) mark(asname ?? name);
        break;
      case "If":
      case "For":
      case "While":
        if (s.kind === "For") target(s.target);
        markOpaque(env, [...s.body, ...s.orelse], why, again);
        break;
      case "With":
        markOpaque(env, s.body, why, again);
        break;
      case "Try":
        markOpaque(env, [...s.body, ...s.orelse, ...s.finalbody, ...s.handlers.flatMap((h) => h.body)], why, again);
        break;
    }
  }
}
