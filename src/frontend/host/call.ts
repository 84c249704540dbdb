/** Calls of Python functions and classes while compiling. */
import { callBuiltin } from "../language/define-builtin.js";
import { OUTSIDE_OF_KERNELS, raise } from "../language/errors.js";
import { pyTypeName } from "../language/python-text.js";
import { type HostFunction, isKind, type PyClass, type PyInstance, type PyValue, pythonTuple, unwrap } from "../language/values.js";
import type * as ast from "../python/ast.js";
import { checkFields, setFields } from "./aggregates.js";
import { bindParameters, type Parameter } from "./bind.js";
import { classData, type Env, type Host, type HostData, hostData, Names, SEMANTIC } from "./objects.js";

/** How a call is written, for what is opaque. */
export interface CallSite {
  readonly what?: () => string;
}

/** Calls a Python function, method, class or builtin while compiling. */
export function callHost(
  host: Host,
  fn: PyValue,
  args: readonly PyValue[],
  named: ReadonlyMap<string, PyValue>,
  site: CallSite = {},
): PyValue {
  host.step();
  if (isKind(fn, "host_function")) return callFunction(host, fn, args, named);
  if (isKind(fn, "bound_method")) return callHost(host, fn.fn, [fn.self, ...args], named, site);
  if (isKind(fn, "class")) return construct(host, fn, args, named, site);
  if (isKind(fn, "constexpr")) return callHost(host, fn.value, args, named, site);
  if (isKind(fn, "builtin") && host.semantic) {
    if (named.get("_semantic") !== SEMANTIC) return raise("ValueError", OUTSIDE_OF_KERNELS);
    return callBuiltin(host.semantic, fn.def, args, new Map([...named].filter(([name]) => name !== "_semantic" && name !== "_generator")));
  }
  if (isKind(fn, "builtin") || isKind(fn, "jit") || isKind(fn, "opaque")) {
    const what = site.what?.() ?? pyTypeName(fn);
    return { kind: "opaque", what, why: isKind(fn, "opaque") ? fn.why : `'${what}' is only known inside a kernel` };
  }
  return raise("TypeError", `'${pyTypeName(fn)}' object is not callable`);
}

function callFunction(host: Host, fn: HostFunction, args: readonly PyValue[], named: ReadonlyMap<string, PyValue>): PyValue {
  const data = hostData(fn);
  if (data.kind === "native") return data.call(args, named, host);
  const parameters = parametersOf(data);
  const given = new Map(named);
  if (host.semantic && !fn.constexpr)
    for (const { name } of parameters) if ((name === "_semantic" || name === "_generator") && !given.has(name)) given.set(name, SEMANTIC);
  const vars = Names.of(bindParameters(fn.name, parameters, args, given));
  const around = data.env.qualname === undefined ? "" : `${data.env.qualname}.`;
  const env: Env = { vars, parent: data.env, file: data.env.file, isFunction: true, qualname: `${around}${fn.name}.<locals>` };
  if (data.node.kind === "Lambda") return host.evaluate(env, data.node.body);
  const outcome = host.execute(env, data.node.body);
  return typeof outcome === "object" ? outcome.returned : null;
}

function parametersOf({ node, defaults }: Extract<HostData, { readonly kind: "def" }>): Parameter[] {
  const { posonlyargs, args, vararg, kwonlyargs, kwarg } = node.args;
  const one =
    (kind: Parameter["kind"]) =>
    (arg: ast.Arg): Parameter => ({ name: arg.arg, kind, fallback: defaults.get(arg.arg) });
  return [
    ...[...posonlyargs, ...args].map(one("positional")),
    ...(vararg ? [one("star")(vararg)] : []),
    ...kwonlyargs.map(one("keyword")),
    ...(kwarg ? [one("double_star")(kwarg)] : []),
  ];
}

function construct(host: Host, cls: PyClass, args: readonly PyValue[], named: ReadonlyMap<string, PyValue>, site: CallSite): PyValue {
  const data = classData(cls);
  if (data?.kind === "native") return data.construct(args, named, host);
  if (cls.flavour === "namedtuple") {
    const parameters = cls.fields.map(([name]): Parameter => ({ name, kind: "positional", fallback: cls.attrs.get(name) }));
    const bound = bindParameters(`${cls.name}.__new__`, parameters, args, named);
    const fields = cls.fields.map(([name]) => name);
    return pythonTuple(
      fields.map((name) => bound.get(name)!),
      fields,
      cls,
    );
  }
  const instance: PyInstance = { kind: "instance", cls, attrs: new Map() };
  const init = cls.attrs.get("__init__");
  if (isKind(init, "host_function")) callHost(host, init, [instance, ...(init.constexpr ? args.map(unwrap) : args)], named, site);
  else if (init === undefined && cls.flavour !== "aggregate" && cls.fields.length > 0) {
    // As a dataclass.
    const parameters = cls.fields.map(([name]): Parameter => ({ name, kind: "positional", fallback: cls.attrs.get(name) }));
    for (const [name, value] of bindParameters(cls.name, parameters, args, named)) instance.attrs.set(name, value);
  }
  if (cls.flavour === "aggregate") {
    if (init === undefined && host.triton.constructsAggregates) setFields(instance, args, named);
    checkFields(instance);
    instance.isFixed = host.triton.constructsAggregates;
  }
  return instance;
}
