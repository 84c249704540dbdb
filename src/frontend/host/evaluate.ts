/** Evaluates Python expressions outside of kernels. An expression that is not understood becomes opaque, with the reason. */
import { PyError, raise } from "../language/errors.js";
import { dictKey, noAttribute, pyDict, pyEquals, pyRepr, pyTruth } from "../language/python-text.js";
import { isKind, isTuple, type Opaque, type PyDict, type PyValue, pythonTuple } from "../language/values.js";
import type * as ast from "../python/ast.js";
import { unparse } from "../python/unparse.js";
import { checkField, isAggregate } from "./aggregates.js";
import { hostAttribute } from "./attributes.js";
import { callHost } from "./call.js";
import { formatValue } from "./format.js";
import { COMPUTING, type Env, type Host, type HostData, lookup, Names, opaque } from "./objects.js";
import { METHOD_OF, pyBinary, pyCompareMethod, pyContains, pyIndex, pyIterate, pyUnary, unknownOf } from "./operators.js";
import { eitherValue } from "./undecided.js";

/** The value of an expression of host code; opaque where it cannot be known. */
export function evaluate(host: Host, env: Env, node: ast.Expr): PyValue {
  const sub = (child: ast.Expr): PyValue => evaluate(host, env, child);
  if (host.defines.size > 0 && (node.kind === "Attribute" || node.kind === "Call")) {
    const defined = host.defines.get(unparse(node));
    if (defined !== undefined) return defined;
  }
  switch (node.kind) {
    case "Constant":
      return literal(node);
    case "Name": {
      const value = lookup(env, node.id);
      if (value !== undefined) return value;
      return host.builtins.get(node.id) ?? raise("NameError", `name '${node.id}' is not defined`);
    }
    case "Attribute": {
      const value = sub(node.value);
      const found = hostAttribute(host, value, node.attr);
      if (found !== undefined) return found;
      if (isKind(value, "module")) return opaque(node, `module '${value.name}' has no attribute '${node.attr}' that tt-step knows`);
      return raise("AttributeError", noAttribute(value, node.attr));
    }
    case "Subscript":
      return pyIndex(sub(node.value), sub(node.slice));
    case "Slice":
      return {
        kind: "slice",
        start: node.lower ? sub(node.lower) : null,
        stop: node.upper ? sub(node.upper) : null,
        step: node.step ? sub(node.step) : null,
      };
    case "Tuple":
      return pythonTuple(elements(host, env, node.elts));
    case "List":
      return { kind: "list", values: elements(host, env, node.elts) };
    case "Set":
      return { kind: "list", values: distinct(elements(host, env, node.elts)) };
    case "Dict":
      return dict(host, env, node);
    case "BinOp":
      return pyBinary(METHOD_OF[node.op]!, sub(node.left), sub(node.right));
    case "UnaryOp":
      return pyUnary(METHOD_OF[node.op]!, sub(node.operand));
    case "BoolOp": {
      let value: PyValue = null;
      for (const operand of node.values) {
        value = sub(operand);
        if (unknownOf(value)) return value;
        if (pyTruth(value) === (node.op === "Or")) return value;
      }
      return value;
    }
    case "Compare":
      return compare(host, env, node);
    case "Call":
      return call(host, env, node);
    case "IfExp": {
      const test = sub(node.test);
      const unknown = unknownOf(test);
      return unknown ? eitherValue(host, env, node, unknown) : sub(pyTruth(test) ? node.body : node.orelse);
    }
    case "Lambda":
      return { kind: "host_function", name: "<lambda>", constexpr: false, data: lambdaData(host, env, node) };
    case "ListComp":
    case "GeneratorExp":
    case "SetComp": {
      const values = comprehension(host, env, node.generators, (inner) => evaluate(host, inner, node.elt));
      if (!Array.isArray(values)) return values as Opaque;
      return { kind: "list", values: node.kind === "SetComp" ? distinct(values as PyValue[]) : (values as PyValue[]) };
    }
    case "DictComp": {
      const pairs = comprehension(host, env, node.generators, (inner) =>
        pythonTuple([evaluate(host, inner, node.key), evaluate(host, inner, node.value)]),
      );
      if (!Array.isArray(pairs)) return pairs as Opaque;
      const entries = (pairs as PyValue[]).map((pair) => (isTuple(pair) ? pair.values : []) as unknown as readonly [PyValue, PyValue]);
      return pyDict(entries);
    }
    case "JoinedStr":
      return joined(host, env, node);
    case "NamedExpr": {
      const value = sub(node.value);
      if (node.target.kind === "Name") env.vars.set(node.target.id, value);
      return value;
    }
    default:
      return opaque(node, `${node.kind === "Unsupported" ? node.name : node.kind} is not evaluated outside of kernels`);
  }
}

function literal({ value }: ast.Constant): PyValue {
  if (value === null || typeof value !== "object") return value;
  const what = value.kind === "ellipsis" ? "Ellipsis" : value.kind === "bytes" ? `b'${value.text}'` : `${value.imag}j`;
  return { kind: "opaque", what, why: `values such as ${what} are not followed` };
}

function elements(host: Host, env: Env, nodes: readonly ast.Expr[]): PyValue[] {
  return nodes.flatMap((n) => (n.kind === "Starred" ? [...pyIterate(evaluate(host, env, n.value))] : [evaluate(host, env, n)]));
}
function distinct(values: readonly PyValue[]): PyValue[] {
  return [...new Map(values.map((v) => [dictKey(v), v])).values()];
}

function dict(host: Host, env: Env, node: ast.Dict): PyDict {
  const entries: PyDict["entries"] = new Map();
  node.keys.forEach((key, i) => {
    const value = evaluate(host, env, node.values[i]!);
    if (!key) {
      if (isKind(value, "dict")) for (const [k, entry] of value.entries) entries.set(k, entry);
      return;
    }
    const plain = evaluate(host, env, key);
    entries.set(dictKey(plain), [plain, value]);
  });
  return { kind: "dict", entries };
}

function compare(host: Host, env: Env, node: ast.Compare): PyValue {
  let left = evaluate(host, env, node.left);
  for (const [i, op] of node.ops.entries()) {
    const right = evaluate(host, env, node.comparators[i]!);
    const unknown = unknownOf(left) ?? unknownOf(right);
    const isDecided = (op === "Is" || op === "IsNot") && (left === null || right === null) && unknown?.argument !== undefined;
    if (unknown && !isDecided) return opaque(node, unknown);
    if (!holds(op, left, right)) return false;
    left = right;
  }
  return true;
}
function holds(op: ast.CompareOperator, left: PyValue, right: PyValue): boolean {
  switch (op) {
    case "Is":
    case "IsNot":
      return (left === right || (typeof left !== "object" && typeof left === typeof right && pyEquals(left, right))) === (op === "Is");
    case "In":
    case "NotIn":
      return pyContains(right, left) === (op === "In");
    default:
      return pyCompareMethod(METHOD_OF[op]!, left, right)!;
  }
}

function call(host: Host, env: Env, node: ast.Call): PyValue {
  const fn = evaluate(host, env, node.func);
  if (isKind(fn, "opaque")) return opaque(node, fn);
  const args = elements(host, env, node.args);
  const named = new Map<string, PyValue>();
  for (const { arg, value } of node.keywords) {
    const given = evaluate(host, env, value);
    if (arg !== undefined) named.set(arg, given);
    else if (isKind(given, "dict")) for (const [key, inner] of given.entries.values()) if (typeof key === "string") named.set(key, inner);
  }
  const isComputing = typeof fn === "object" && fn !== null && COMPUTING.has(fn);
  const unknown = isComputing ? args.map(unknownOf).find((value) => value !== undefined) : undefined;
  if (unknown) return opaque(node, unknown);
  try {
    return callHost(host, fn, args, named, { what: () => unparse(node) });
  } catch (error) {
    if (error instanceof PyError) {
      const keyword = node.keywords.find(({ arg }) => arg !== undefined && error.message.endsWith(`argument '${arg}'`));
      error.origin ??= { file: env.file.path, at: keyword?.at ?? node.at };
    }
    throw error;
  }
}

/** Runs `body` for each round; an iteration over something opaque is opaque. */
function comprehension(
  host: Host,
  env: Env,
  generators: readonly ast.Comprehension[],
  body: (env: Env) => PyValue,
): readonly PyValue[] | Opaque {
  const inner: Env = { vars: new Names(), parent: env, file: env.file, isFunction: true };
  const out: PyValue[] = [];
  const round = (depth: number): Opaque | undefined => {
    host.step();
    const generator = generators[depth];
    if (!generator) {
      out.push(body(inner));
      return undefined;
    }
    const items = evaluate(host, inner, generator.iter);
    if (isKind(items, "opaque")) return items;
    for (const item of pyIterate(items)) {
      bindTarget(host, inner, generator.target, item);
      const tests = generator.ifs.map((test) => evaluate(host, inner, test));
      const unknown = tests.map(unknownOf).find((t) => t !== undefined);
      if (unknown) return unknown;
      if (!tests.every(pyTruth)) continue;
      const failed = round(depth + 1);
      if (failed) return failed;
    }
    return undefined;
  };
  return round(0) ?? out;
}

/** `target = value`, in the scope of `env`. */
export function bindTarget(host: Host, env: Env, target: ast.Expr, value: PyValue): void {
  switch (target.kind) {
    case "Name":
      env.vars.set(target.id, value);
      return;
    case "Tuple":
    case "List": {
      if (isKind(value, "opaque")) {
        for (const element of target.elts) bindTarget(host, env, element, value);
        return;
      }
      const items = pyIterate(value);
      const star = target.elts.findIndex((e) => e.kind === "Starred");
      if (star < 0 && items.length !== target.elts.length)
        raise(
          "ValueError",
          items.length > target.elts.length
            ? `too many values to unpack (expected ${target.elts.length})`
            : `not enough values to unpack (expected ${target.elts.length}, got ${items.length})`,
        );
      target.elts.forEach((element, i) => {
        if (element.kind === "Starred") {
          const count = items.length - target.elts.length + 1;
          bindTarget(host, env, element.value, { kind: "list", values: items.slice(i, i + count) });
        } else bindTarget(host, env, element, items[star >= 0 && i > star ? i + items.length - target.elts.length : i]!);
      });
      return;
    }
    case "Attribute": {
      const object = evaluate(host, env, target.value);
      if (isShared(env, target.value)) value = opaque(target, env.vars.attempting!);
      else if (isAggregate(object)) checkField(object, target.attr, value);
      if (isKind(object, "instance") || isKind(object, "class") || isKind(object, "module")) object.attrs.set(target.attr, value);
      return;
    }
    case "Subscript": {
      const object = evaluate(host, env, target.value);
      const index = evaluate(host, env, target.slice);
      if (isShared(env, target.value)) value = opaque(target, env.vars.attempting!);
      if (isKind(object, "dict")) object.entries.set(dictKey(index), [index, value]);
      else if (isKind(object, "list") && typeof index === "bigint")
        object.values[Number(index < 0n ? index + BigInt(object.values.length) : index)] = value;
      return;
    }
  }
}

/** Whether an object is there whichever way a condition that is not known goes: a change of it cannot be taken back. */
export function isShared(env: Env, node: ast.Expr): boolean {
  while (node.kind === "Attribute" || node.kind === "Subscript") node = node.value;
  return env.vars.attempting !== undefined && !(node.kind === "Name" && env.vars.isOfAttempt(node.id));
}

function joined(host: Host, env: Env, node: ast.JoinedStr): PyValue {
  let out = "";
  for (const part of node.values) {
    if (part.kind === "Constant") {
      out += String(part.value);
      continue;
    }
    const value = evaluate(host, env, part.value);
    if (isKind(value, "opaque")) return opaque(node, value.why);
    const spec = part.formatSpec ? joined(host, env, part.formatSpec) : "";
    out += formatValue(value, part.conversion, typeof spec === "string" ? spec : pyRepr(spec));
  }
  return out;
}

function lambdaData(host: Host, env: Env, node: ast.Lambda): HostData {
  return { kind: "def", node, env, defaults: defaultValues(host, env, node.args) };
}

/** The values of a function's defaults, evaluated where it is defined; what fails at module level is only known not to be known. */
export function defaultValues(host: Host, env: Env, args: ast.Arguments): Map<string, PyValue> {
  const valueOf = (node: ast.Expr): PyValue => {
    try {
      return evaluate(host, env, node);
    } catch (error) {
      if (env.isFunction || !(error instanceof PyError)) throw error;
      return opaque(node, `${error.kind}: ${error.message}`);
    }
  };
  const values = new Map<string, PyValue>();
  const all = [...args.posonlyargs, ...args.args];
  args.defaults.forEach((node, i) => values.set(all[all.length - args.defaults.length + i]!.arg, valueOf(node)));
  args.kwonlyargs.forEach(({ arg }, i) => {
    const node = args.kwDefaults[i];
    if (node) values.set(arg, valueOf(node));
  });
  return values;
}
