/** Calls of Python functions and classes while compiling. */
import { callBuiltin } from "../language/define-builtin.js";
import { raise } from "../language/errors.js";
import { pyTypeName } from "../language/python-text.js";
import type { Semantic } from "../language/semantic.js";
import { type HostFunction, isKind, type PyClass, type PyInstance, type PyValue, tuple } from "../language/values.js";
import type * as ast from "../python/ast.js";
import { bindParameters, type Parameter } from "./bind.js";
import { evaluate } from "./evaluate.js";
import { execute } from "./execute.js";
import type { Host } from "./host.js";
import { classData, type Env, type HostData, hostData } from "./objects.js";

/** Where a call comes from: a kernel hands over what its functions may ask for. */
export interface CallSite {
  readonly semantic?: Semantic;
  /** Calls a function for kernels, as methods of aggregates do. */
  readonly callJit?: (fn: PyValue, args: readonly PyValue[], named: ReadonlyMap<string, PyValue>) => PyValue;
  /** The call as it is written, for what is opaque. */
  readonly what?: () => string;
  readonly env?: Env;
}

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
  if (isKind(fn, "jit") && site.callJit) return site.callJit(fn, args, named);
  if (isKind(fn, "builtin") && site.semantic) return callBuiltin(site.semantic, fn.def, args, named);
  if (isKind(fn, "builtin") || isKind(fn, "jit") || isKind(fn, "opaque")) {
    const what = site.what?.() ?? pyTypeName(fn);
    return { kind: "opaque", what, why: isKind(fn, "opaque") ? fn.why : `'${what}' is only known inside a kernel` };
  }
  return raise("TypeError", `'${pyTypeName(fn)}' object is not callable`);
}

function callFunction(host: Host, fn: HostFunction, args: readonly PyValue[], named: ReadonlyMap<string, PyValue>): PyValue {
  const data = hostData(fn);
  if (data.kind === "native") return data.call(args, named, host);
  const vars = bindParameters(fn.name, parametersOf(data), args, named);
  const around = data.env.qualname === undefined ? "" : `${data.env.qualname}.`;
  const env: Env = { vars, parent: data.env, file: data.env.file, isFunction: true, qualname: `${around}${fn.name}.<locals>` };
  if (data.node.kind === "Lambda") return evaluate(host, env, data.node.body);
  const outcome = execute(host, env, data.node.body);
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
    const bound = bindParameters(cls.name, parameters, args, named);
    const fields = cls.fields.map(([name]) => name);
    return tuple(
      fields.map((name) => bound.get(name)!),
      fields,
      cls,
    );
  }
  const instance: PyInstance = { kind: "instance", cls, attrs: new Map() };
  const init = cls.attrs.get("__init__");
  if (init !== undefined) {
    const extra = new Map(named);
    if (isKind(init, "jit") || isKind(init, "host_function")) callHost(host, init, [instance, ...args], extra, site);
  } else if (cls.fields.length > 0) {
    // As a dataclass.
    const parameters = cls.fields.map(([name]): Parameter => ({ name, kind: "positional", fallback: cls.attrs.get(name) }));
    for (const [name, value] of bindParameters(cls.name, parameters, args, named)) instance.attrs.set(name, value);
  }
  if (cls.flavour === "aggregate")
    for (const [name] of cls.fields)
      if (!instance.attrs.has(name)) raise("AttributeError", `constructor for ${cls.name} did not initialize attribute '${name}'`);
  return instance;
}
