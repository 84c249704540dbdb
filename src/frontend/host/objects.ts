/** What stands behind functions, classes and modules of Python source: `data` of the values in `language/values.ts`. */

import type { PyError } from "../language/errors.js";
import type { BuiltinFunction, HostFunction, JitFunction, Opaque, PyClass, PyModule, PyValue } from "../language/values.js";
import type * as ast from "../python/ast.js";
import type { Host } from "./host.js";

/** Names that a piece of code sees: its own, then those of the functions around it, then its module's. */
export interface Env {
  readonly vars: Map<string, PyValue>;
  readonly parent: Env | undefined;
  readonly file: SourceFile;
  /** Set in the body of a `def`, whose assignments are local. */
  readonly isFunction: boolean;
  /** The qualified name of the class or function whose body this is. */
  readonly qualname?: string;
}

/** A Python file that is being evaluated. */
export interface SourceFile {
  readonly path: string;
  /** Its dotted module name. */
  readonly module: string;
  readonly globals: Map<string, PyValue>;
}

/** A parameter of a JIT function. */
export interface JitParameter {
  readonly name: string;
  readonly isConstexpr: boolean;
  readonly kind: "positional" | "keyword" | "star";
  /** The value of its default, evaluated where the function is defined; undefined without one. */
  readonly fallback: PyValue | undefined;
  readonly fallbackNode: ast.Expr | undefined;
  readonly annotation: ast.Expr | undefined;
}

/** Behind a `@triton.jit` function. */
export interface JitData {
  readonly node: ast.FunctionDef;
  readonly env: Env;
  readonly parameters: readonly JitParameter[];
  /** Columns are counted from here: the source of a nested function is dedented. */
  readonly dedent: number;
  /** The line of the first decorator. */
  readonly firstLine: number;
  /** Parameters of which nothing but the type is told, and those whose divisibility is not. */
  readonly doNotSpecialize: readonly string[];
  readonly doNotAlign: readonly string[];
  /** `@triton.jit(repr=...)`: a function that names the kernel by its constants. */
  readonly repr: PyValue;
  /** `@triton.jit(debug=True)`: as a kernel it is compiled under that option. */
  readonly debug: boolean;
  /** Configurations of `@triton.autotune`, as `triton.Config` instances. */
  readonly configs: readonly PyValue[];
  /** `@triton.heuristics`: functions of the arguments. */
  readonly heuristics: ReadonlyMap<string, PyValue>;
  /** A decorator whose arguments Triton does not take: importing the file would fail. */
  readonly refused?: PyError;
}
export const jitData = (fn: JitFunction): JitData => fn.data as JitData;

/** Behind a Python function that runs while compiling. */
export type HostData =
  | {
      readonly kind: "def";
      readonly node: ast.FunctionDef | ast.Lambda;
      readonly env: Env;
      readonly defaults: ReadonlyMap<string, PyValue>;
    }
  | { readonly kind: "native"; readonly call: NativeCall };
export type NativeCall = (args: readonly PyValue[], named: ReadonlyMap<string, PyValue>, host: Host) => PyValue;
/** Functions that an instance does not bind, and those that it calls when asked for, by identity. */
export const STATIC_METHODS = new WeakSet<object>();
export const PROPERTIES = new WeakSet<object>();
/** Functions under `@builtin`: they take arguments as they come, and `_semantic`. */
export const SOURCE_BUILTINS = new WeakSet<object>();

/** What host code hands on as `_semantic=_semantic`: the functions of the language may then be called. */
export const SEMANTIC: Opaque = { kind: "opaque", what: "_semantic", why: "it is Triton's own" };

export const hostData = (fn: HostFunction): HostData => fn.data as HostData;

export const native = (name: string, call: NativeCall, constexpr = false): HostFunction => ({
  kind: "host_function",
  name,
  constexpr,
  data: { kind: "native", call } satisfies HostData,
});

/** Behind a class: how to make an instance. Classes of Python source are made by `__init__` or by their fields. */
export type ClassData = { readonly kind: "native"; readonly construct: NativeCall } | { readonly kind: "source"; readonly env: Env };
export const classData = (cls: PyClass): ClassData => cls.data as ClassData;

export function pythonType(name: string, construct: NativeCall, module = "builtins"): PyClass {
  const data: ClassData = { kind: "native", construct };
  return { kind: "class", name, module, qualname: name, flavour: "type", attrs: new Map(), fields: [], data };
}

export type Callable = JitFunction | HostFunction | BuiltinFunction | PyClass;
export type Modules = Map<string, PyModule>;

/** The value of a name, or undefined. */
export function lookup(env: Env, name: string): PyValue | undefined {
  for (let at: Env | undefined = env; at; at = at.parent) {
    const value = at.vars.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}
