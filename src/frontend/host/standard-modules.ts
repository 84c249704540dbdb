/** Modules of Python and of Triton's runtime that kernels' files import, as far as they matter for compiling. */
import type { Gpu } from "../../gpu/gpu.js";
import { raise } from "../language/errors.js";
import { pyDict, pyRepr, pyStr } from "../language/python-text.js";
import {
  isKind,
  isTuple,
  type JitFunction,
  type PyClass,
  type PyInstance,
  type PyModule,
  type PyValue,
  pythonTuple,
} from "../language/values.js";
import type * as ast from "../python/ast.js";
import { unparse } from "../python/unparse.js";
import { hostAttribute } from "./attributes.js";
import { bindParameters, type Parameter } from "./bind.js";
import { HOST_BUILTINS } from "./builtins.js";
import { callHost } from "./call.js";
import { MATH } from "./math-module.js";
import {
  classData,
  computing,
  hostData,
  type JitData,
  type JitParameter,
  jitData,
  type NativeCall,
  native,
  pythonType,
  SOURCE_BUILTINS,
} from "./objects.js";
import { integer, pyBinary, pyCompareMethod, pyIterate, unknownOf } from "./operators.js";
import { DISPATCH } from "./semantic-methods.js";
import { METADATA, PACKAGING_VERSION } from "./versions.js";

type Given = ReadonlyMap<string, PyValue>;

/** A call of something in Triton's runtime: arguments that its parameters do not take are refused. `?` marks those with a default. */
function binding(name: string, parameters: string, call: (given: Given) => PyValue, kind: Parameter["kind"] = "positional"): NativeCall {
  const all = parameters
    .split(" ")
    .map((text): Parameter => ({ name: text.replace("?", ""), kind, fallback: text.endsWith("?") ? null : undefined }));
  return (args, named) => call(bindParameters(name, all, args, named));
}

/** `@triton.jit`, bare or with arguments. */
const jitWith = binding(
  "jit",
  "version? repr? launch_metadata? do_not_specialize? do_not_specialize_on_alignment? debug? noinline?",
  (given) => native("jit", ([fn = null]) => makeJit(fn, given)),
  "keyword",
);
export const JIT = native("jit", ([fn, ...more], named, host) => (fn === undefined ? jitWith(more, named, host) : makeJit(fn, named)));
/** `@gluon.jit` */
const GLUON_JIT = native("jit", ([fn, ...more], named, host): PyValue => {
  if (fn !== undefined) return gluonKernel(makeJit(fn, named));
  const decorator = jitWith(more, named, host);
  return native("jit", ([inner = null]) => gluonKernel(callHost(host, decorator, [inner], new Map())));
});
const gluonKernel = (fn: PyValue): PyValue => (isKind(fn, "jit") ? { ...fn, data: { ...jitData(fn), isGluon: true } } : fn);

function makeJit(fn: PyValue, named: ReadonlyMap<string, PyValue>): PyValue {
  if (!isKind(fn, "host_function")) return fn;
  const data = hostData(fn);
  if (data.kind !== "def" || data.node.kind !== "FunctionDef") return fn;
  const { node, env, defaults } = data;
  const { posonlyargs, args, vararg, kwonlyargs, defaults: nodes } = node.args;
  const byPosition = [...posonlyargs, ...args];
  const inOrder = [...byPosition, ...(vararg ? [vararg] : []), ...kwonlyargs];
  /** Parameters are named, or counted. */
  const listed = (key: string): string[] =>
    pyIterate(named.get(key) ?? pythonTuple([])).map((item) =>
      typeof item === "bigint" ? (inOrder[Number(item)]?.arg ?? "") : String(item),
    );
  const parameter =
    (kind: JitParameter["kind"]) =>
    (arg: ast.Arg, i: number): JitParameter => ({
      name: arg.arg,
      isConstexpr: arg.annotation !== undefined && /(?:^|\.)constexpr$/.test(unparse(arg.annotation).replaceAll(/^['"]|['"]$/g, "")),
      kind,
      fallback: defaults.get(arg.arg),
      fallbackNode: kind === "positional" ? nodes[i - (byPosition.length - nodes.length)] : node.args.kwDefaults[i],
      annotation: arg.annotation,
    });
  const jitted: JitData = {
    node,
    env,
    parameters: [
      ...byPosition.map(parameter("positional")),
      ...(vararg ? [parameter("star")(vararg, -1)] : []),
      ...kwonlyargs.map(parameter("keyword")),
    ],
    dedent: node.at!.col,
    firstLine: Math.min(node.at!.line, ...node.decorators.map((d) => d.at!.line)),
    doNotSpecialize: listed("do_not_specialize"),
    doNotAlign: listed("do_not_specialize_on_alignment"),
    repr: named.get("repr") ?? null,
    debug: named.get("debug") === true,
    isGluon: false,
    configs: [],
    heuristics: new Map(),
  };
  return {
    kind: "jit",
    name: node.name,
    module: env.file.module,
    qualname: qualifiedName(env, node.name),
    noinline: named.get("noinline") === true,
    data: jitted,
  } satisfies JitFunction;
}
/** Functions inside functions have `<locals>` in their names; methods their class. */
function qualifiedName(env: JitData["env"], name: string): string {
  return env.qualname === undefined ? name : `${env.qualname}.${name}`;
}

const autotune = binding(
  "autotune",
  "configs key prune_configs_by? reset_to_zero? restore_value? pre_hook? post_hook? warmup? rep? use_cuda_graph? do_bench? cache_results?",
  (given) => native("autotune", ([fn = null]) => (isKind(fn, "jit") ? withConfigs(fn, given.get("configs")!) : fn)),
);
/** A kernel under a tuner with that list of `triton.Config`. */
export function withConfigs(fn: JitFunction, list: PyValue): JitFunction {
  const values = isKind(list, "list") || isTuple(list) ? list.values : [];
  const unknown = unknownOf(list) ?? values.map(unknownOf).find((value) => value !== undefined);
  const known = { configs: unknown ? [] : values, configsUnknown: unknown && `'${unknown.what}' is not known: ${unknown.why}` };
  return { ...fn, data: { ...jitData(fn), ...known } };
}
const heuristics = binding("heuristics", "values", (given) =>
  native("heuristics", ([fn = null]) => {
    const dict = given.get("values")!;
    if (!isKind(fn, "jit") || !isKind(dict, "dict")) return fn;
    // Those of the outer decorator are called first, and those of the inner one last.
    const all = new Map([...[...dict.entries.values()].map(([key, value]) => [String(key), value] as const), ...jitData(fn).heuristics]);
    return { ...fn, data: { ...jitData(fn), heuristics: all } };
  }),
);

/** `triton.Config(kwargs, num_warps=4, num_stages=3, ...)`. */
export const CONFIG: PyClass = pythonType(
  "Config",
  ([...args], named, host) => newConfig([null, ...args], named, host),
  "triton.runtime.autotuner",
);
const newConfig = binding(
  "Config.__init__",
  "self kwargs num_warps? num_stages? num_ctas? maxnreg? pre_hook? ir_override?",
  (given): PyInstance => ({ kind: "instance", cls: CONFIG, attrs: new Map(given) }),
);

/** `@_aggregate`: a class whose instances are values of kernels, with its own fields or also inherited ones. */
const aggregate: NativeCall = ([cls = null], _, { triton }) => {
  if (!isKind(cls, "class")) return cls;
  const data = classData(cls);
  if (data.kind === "native") return cls;
  if (!triton.constructsAggregates) return { ...cls, flavour: "aggregate", fields: data.ownFields };
  for (const base of data.bases)
    if (isKind(base, "class") && base.flavour !== "aggregate" && base.name !== "object")
      raise("TypeError", `Aggregates can only inherit from other aggregates, but got non-aggregate base: ${pyRepr(base)}`);
  // A constructor is not inherited.
  const attrs = new Map([...cls.attrs].filter(([name]) => name !== "__init__" || data.ownInit));
  return { ...cls, flavour: "aggregate", attrs };
};
const sourceBuiltin: NativeCall = ([fn = null]) => {
  if (isKind(fn, "host_function")) SOURCE_BUILTINS.add(fn);
  return fn;
};
/** A copy of an aggregate with other values in some fields, made by its class as the source makes it. */
const aggregateReplace: NativeCall = ([instance = null, ...more], changes, host) => {
  if (more.length > 0) raise("TypeError", `aggregate_replace() takes 1 positional argument but ${more.length + 1} were given`);
  if (!isKind(instance, "instance") || instance.cls.flavour !== "aggregate")
    return raise("TypeError", `aggregate_replace() expects an aggregate instance, got ${pyStr(instance, "type")}`);
  const { cls, attrs } = instance;
  for (const name of changes.keys()) if (!attrs.has(name)) raise("TypeError", `${cls.name} has no field '${name}'`);
  return callHost(host, cls, [], new Map([...attrs, ...changes]));
};
const AGGREGATE_REPLACE = ["aggregate_replace", native("aggregate_replace", aggregateReplace)] as const;
/** Functions of `triton.language` that take classes and functions of Python source, by module. */
export const CORE_NATIVES: ReadonlyMap<string, ReadonlyMap<string, PyValue>> = new Map([
  [
    "triton.language.core",
    new Map([
      ["_aggregate", native("_aggregate", aggregate)],
      ...["builtin", "extern"].map((name) => [name, native(name, sourceBuiltin)] as const),
      AGGREGATE_REPLACE,
      ["dispatch", DISPATCH],
    ]),
  ],
  ["triton.language", new Map([AGGREGATE_REPLACE])],
]);

const constexprFunction: NativeCall = ([fn = null]) => (isKind(fn, "host_function") ? { ...fn, constexpr: true } : fn);

const cdiv = computing(
  "cdiv",
  ([x = null, y = null]) => {
    const [a, b] = [integer(x), integer(y)];
    if (b === 0n) raise("ZeroDivisionError", "integer division or modulo by zero");
    const sum = a + b - 1n;
    return sum % b !== 0n && sum < 0n !== b < 0n ? sum / b - 1n : sum / b;
  },
  true,
);
const nextPowerOf2 = computing(
  "next_power_of_2",
  ([n = null]) => {
    const value = integer(n);
    return value <= 1n ? (value === 1n ? 1n : 0n) : 1n << BigInt((value - 1n).toString(2).length);
  },
  true,
);

const module = (name: string, attrs: Readonly<Record<string, PyValue>>): PyModule => ({
  kind: "module",
  name,
  attrs: new Map(Object.entries(attrs)),
});

/** `namedtuple("Point", "x y")` or with a list of names. */
const namedtuple: NativeCall = ([name = "", names = ""], named, host) => {
  const fields = typeof names === "string" ? names.replaceAll(",", " ").split(/\s+/).filter(Boolean) : pyIterate(names).map(String);
  const defaults = pyIterate(named.get("defaults") ?? pythonTuple([]));
  const attrs = new Map(defaults.map((value, i) => [fields[fields.length - defaults.length + i]!, value]));
  void host;
  return {
    kind: "class",
    name: String(name),
    module: "__main__",
    qualname: String(name),
    flavour: "namedtuple",
    attrs,
    fields: fields.map((field) => [field, null] as const),
    data: undefined,
  };
};

const product: NativeCall = (columns) => ({
  kind: "list",
  values: columns
    .map(pyIterate)
    .reduce<PyValue[][]>((rows, column) => rows.flatMap((row) => column.map((v) => [...row, v])), [[]])
    .map((row) => pythonTuple(row)),
});

const plainClass = (name: string, moduleName: string): PyClass => pythonType(name, () => null, moduleName);
const decorator = (name: string): PyValue => native(name, ([fn]) => fn ?? native(name, ([inner = null]) => inner));

const partial: NativeCall = ([fn = null, ...first], named) =>
  native("partial", (args, more, host) => callHost(host, fn, [...first, ...args], new Map([...named, ...more])));
const reduce: NativeCall = ([fn = null, items = null, start], _, host) => {
  const all = start === undefined ? pyIterate(items) : [start, ...pyIterate(items)];
  return all.reduce((a, b) => callHost(host, fn, [a, b], new Map()));
};
const attrgetter: NativeCall = ([name = null]) =>
  native(
    "attrgetter",
    ([value = null], _, host) => hostAttribute(host, value, String(name)) ?? raise("AttributeError", `no attribute '${String(name)}'`),
  );

/** `importlib.import_module`. A library of a backend whose name is not known can only be the target's. */
const importModule: NativeCall = ([name = null, relativeTo = null], _, host) => {
  const unknown = unknownOf(name);
  if (unknown)
    return /^f'triton\.language\.extra\.\{.*\}\.libdevice'$/.test(unknown.what)
      ? host.importModule(`triton.language.extra.${host.gpu.backend}.libdevice`)
      : unknown;
  const [, dots = "", module = ""] = /^(\.*)(.*)$/.exec(pyStr(name))!;
  if (dots === "") return host.importModule(module);
  const parts = pyStr(relativeTo).split(".");
  return host.importModule([...parts.slice(0, parts.length - dots.length + 1), module].join("."));
};

/**
 * `importlib.util`. A module is read when it is found, so that `exec_module` has nothing to do. A name below `triton` that is not known
 * does not exist; whether another one does is not known.
 */
const findSpec: NativeCall = ([name = null], _, host) => {
  const found = host.importModule(pyStr(name));
  if (isKind(found, "opaque")) return pyStr(name).startsWith("triton.") ? null : found;
  return {
    kind: "instance",
    cls: plainClass("ModuleSpec", "importlib.machinery"),
    attrs: new Map<string, PyValue>([
      ["name", pyStr(name)],
      ["module", found],
      ["loader", module("loader", { exec_module: native("exec_module", () => null) })],
    ]),
  };
};
const moduleFromSpec: NativeCall = ([spec = null]) => (isKind(spec, "instance") ? (spec.attrs.get("module") ?? null) : spec);

const GPU_TARGET: PyClass = pythonType(
  "GPUTarget",
  ([backend = "cuda", arch = null, warpSize = 32n]) => gpuTarget(backend, arch, warpSize),
  "triton.backends.compiler",
);
const gpuTarget = (backend: PyValue, arch: PyValue, warpSize: PyValue): PyValue => ({
  kind: "instance",
  cls: GPU_TARGET,
  attrs: new Map([
    ["backend", backend],
    ["arch", arch],
    ["warp_size", warpSize],
  ]),
});
const targetOf = ({ backend, arch, warpSize }: Gpu): PyValue =>
  gpuTarget(backend, typeof arch === "number" ? BigInt(arch) : arch, BigInt(warpSize));
/** The driver's properties of the GPU, as far as the target gives them. */
const deviceProperties: NativeCall = (_args, _named, host) => {
  const { sharedMemoryPerCta: sharedMemory, warpSize } = host.gpu;
  const entries = [
    "max_shared_mem",
    "warpSize",
    "multiprocessor_count",
    "max_num_regs",
    "sm_clock_rate",
    "mem_clock_rate",
    "mem_bus_width",
  ].map((name): readonly [PyValue, PyValue] => [
    name,
    { kind: "opaque", what: `get_device_properties()['${name}']`, why: "it is not known of the target" },
  ]);
  if (sharedMemory !== undefined) entries.push(["max_shared_mem", BigInt(sharedMemory)]);
  return pyDict([...entries, ["warpSize", BigInt(warpSize)]]);
};
/** `triton.backends.backends`: the drivers of both vendors, of which the target's is active. */
const BACKENDS = pyDict(
  (
    [
      ["nvidia", "cuda"],
      ["amd", "hip"],
    ] as const
  ).map(([name, backend]) => {
    const isActive = native("is_active", (_args, _named, host) => host.gpu.backend === backend);
    return [name, module(`triton.backends.${name}`, { driver: module(`triton.backends.${name}.driver`, { is_active: isActive }) })];
  }),
);
const DRIVER = module("triton.runtime.driver", {
  active: module("triton.runtime.driver.active", {
    get_current_target: native("get_current_target", (_args, _named, host) => targetOf(host.gpu)),
    get_current_device: native("get_current_device", () => 0n),
    utils: module("triton.runtime.driver.active.utils", { get_device_properties: native("get_device_properties", deviceProperties) }),
  }),
});

const CONSTEXPR_FUNCTION = native("constexpr_function", constexprFunction);
const RUNTIME = {
  jit: JIT,
  constexpr_function: CONSTEXPR_FUNCTION,
  autotune: native("autotune", autotune),
  heuristics: native("heuristics", heuristics),
  Config: CONFIG,
  JITFunction: plainClass("JITFunction", "triton.runtime.jit"),
  cdiv,
  next_power_of_2: nextPowerOf2,
  driver: DRIVER,
};
const GLUON = { jit: GLUON_JIT, constexpr_function: CONSTEXPR_FUNCTION, must_use_result: decorator("must_use_result") };
export const STANDARD_MODULES: ReadonlyMap<string, PyModule> = new Map(
  [
    module("triton", RUNTIME),
    module("triton.backends", { backends: BACKENDS }),
    module("triton.backends.compiler", { GPUTarget: GPU_TARGET }),
    // `triton.runtime` does not export the decorator: its `jit` is the module of that name.
    module("triton.runtime", { ...RUNTIME, jit: module("triton.runtime.jit", RUNTIME) }),
    module("triton.runtime.jit", RUNTIME),
    module("triton.experimental", {}),
    module("triton.experimental.gluon", GLUON),
    module("triton.experimental.gluon._runtime", GLUON),
    ...["nvidia", "nvidia.hopper", "nvidia.blackwell"].map((name) =>
      module(`triton.experimental.gluon.${name}`, {
        TensorDescriptor: plainClass("TensorDescriptor", "triton.experimental.gluon.nvidia.hopper"),
      }),
    ),
    module("triton.runtime.autotuner", RUNTIME),
    module("triton.language", {}),
    module("triton.language.extra", {}),
    MATH,
    module("builtins", Object.fromEntries(HOST_BUILTINS)),
    module("collections", { namedtuple: native("namedtuple", namedtuple) }),
    module("typing", Object.fromEntries(["NamedTuple", "Union", "Optional"].map((name) => [name, plainClass(name, "typing")]))),
    module("dataclasses", { dataclass: decorator("dataclass") }),
    module("enum", { Enum: plainClass("Enum", "enum"), IntEnum: plainClass("IntEnum", "enum"), IntFlag: plainClass("IntFlag", "enum") }),
    module("itertools", { product: native("product", product) }),
    module("functools", {
      partial: native("partial", partial),
      reduce: native("reduce", reduce),
      lru_cache: decorator("lru_cache"),
      cache: decorator("cache"),
      wraps: native("wraps", () => decorator("wraps")),
    }),
    module("packaging", {}),
    module("packaging.version", PACKAGING_VERSION),
    module("importlib", { import_module: native("import_module", importModule) }),
    module("importlib.util", { find_spec: native("find_spec", findSpec), module_from_spec: native("module_from_spec", moduleFromSpec) }),
    module("importlib.metadata", METADATA),
    module("importlib_metadata", METADATA),
    module("operator", {
      attrgetter: native("attrgetter", attrgetter),
      ...Object.fromEntries(
        ["add", "sub", "mul", "truediv", "floordiv", "mod"].map((name) => [
          name,
          native(name, ([a = null, b = null]) => pyBinary(`__${name}__`, a, b)),
        ]),
      ),
      ...Object.fromEntries(
        ["lt", "le", "eq", "ne", "gt", "ge"].map((name) => [
          name,
          native(name, ([a = null, b = null]) => unknownOf(a) ?? unknownOf(b) ?? pyCompareMethod(`__${name}__`, a, b)!),
        ]),
      ),
    }),
  ].map((m) => [m.name, m]),
);
