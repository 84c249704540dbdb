/** The data of functions, classes and modules of Python source: `data` of the values in `language/values.ts`. */

import type { Gpu } from "../../gpu/gpu.js";
import type { TritonVersion } from "../../support/triton-version.js";
import type { PyError } from "../language/errors.js";
import type { Semantic } from "../language/semantic.js";
import type { HostFunction, JitFunction, Opaque, OpaqueNote, PyClass, PyModule, PyValue } from "../language/values.js";
import type * as ast from "../python/ast.js";
import { unparse } from "../python/unparse.js";

/** A name's value, undefined for none, and the statement that binds it. */
export interface Binding {
  readonly value: PyValue | undefined;
  readonly at: ast.Place | undefined;
}

interface Before {
  readonly raw: PyValue | Later | undefined;
  readonly at: ast.Place | undefined;
}

/** A value that is looked up when it is asked for: what a module of the user's has, which is read then. */
export class Later {
  private found: { readonly value: PyValue } | undefined;
  /** `circle`: the value meanwhile; imports that lead back to themselves have no other. */
  constructor(
    private readonly lookUp: () => PyValue,
    private readonly circle: Opaque,
  ) {}
  value(): PyValue {
    if (this.found) return this.found.value;
    this.found = { value: this.circle };
    this.found = { value: this.lookUp() };
    return this.found.value;
  }
}

/** Names with their values. Bindings made in an attempt are undone at its end. */
export class Names extends Map<string, PyValue> {
  /** The statement that is being run. */
  at: ast.Place | undefined;
  /** Whether it has all names of a module that is not known. */
  hasUnknown = false;
  private readonly places = new Map<string, ast.Place | undefined>();
  /** Names of `global` statements, which are another scope's. */
  private readonly elsewhere = new Map<string, Names>();
  private attempted: { readonly why: string; readonly before: Map<string, Before> } | undefined;

  static of(entries: Iterable<readonly [string, PyValue]>): Names {
    const names = new Names();
    for (const [name, value] of entries) names.set(name, value);
    return names;
  }

  /** Why it is not known whether the statement that runs is reached; undefined where it is. */
  get attempting(): string | undefined {
    return this.attempted?.why;
  }

  placeOf(name: string): ast.Place | undefined {
    return this.places.get(name);
  }

  /** Whether a name was bound in the attempt that runs. */
  isOfAttempt(name: string): boolean {
    return this.attempted?.before.has(name) === true;
  }

  /** A name's value; one that is imported is looked up now. */
  override get(name: string): PyValue | undefined {
    const value = this.raw(name);
    if (value === undefined) return this.elsewhere.get(name)?.get(name);
    if (!(value instanceof Later)) return value;
    const found = value.value();
    // Unless it was bound anew meanwhile.
    if (this.raw(name) === value) super.set(name, found);
    return found;
  }

  /** The value that a name is bound to; an import is not looked up. */
  raw(name: string): PyValue | Later | undefined {
    return super.get(name) as PyValue | Later | undefined;
  }

  /** The names that have values by now. */
  override *[Symbol.iterator](): MapIterator<[string, PyValue]> {
    for (const name of this.keys()) {
      const value = this.raw(name)!;
      if (!(value instanceof Later)) yield [name, value];
    }
  }

  override set(name: string, value: PyValue | Later): this {
    this.bind(name, value, this.at);
    return this;
  }

  override delete(name: string): boolean {
    this.remember(name);
    return super.delete(name);
  }

  /** `global name` */
  leaveTo(scope: Names, name: string): void {
    if (scope !== this) this.elsewhere.set(name, scope);
  }

  bind(name: string, value: PyValue | Later, at: ast.Place | undefined): void {
    const other = this.elsewhere.get(name);
    if (other) {
      // A binding that an attempt makes elsewhere is not undone.
      const { attempting } = this;
      other.bind(name, attempting === undefined ? value : { kind: "opaque", what: name, why: attempting }, at);
      return;
    }
    this.remember(name);
    super.set(name, value as PyValue);
    this.places.set(name, at);
  }

  /** Runs `run`; returns its result and the names that it binds. */
  attempt<T>(why: string, run: () => T): { readonly result: T; readonly changes: ReadonlyMap<string, Binding> } {
    const outer = this.attempted;
    const before = new Map<string, Before>();
    this.attempted = { why, before };
    const result = run();
    const changes = new Map([...before.keys()].map((name) => [name, { value: this.get(name), at: this.places.get(name) }]));
    for (const [name, { raw: value, at }] of before) {
      if (value === undefined) super.delete(name);
      else super.set(name, value as PyValue);
      this.places.set(name, at);
    }
    this.attempted = outer;
    return { result, changes };
  }

  private remember(name: string): void {
    if (this.attempted && !this.attempted.before.has(name))
      this.attempted.before.set(name, { raw: this.raw(name), at: this.places.get(name) });
  }
}

/** Names that a piece of code sees: its own, then those of the functions around it, then its module's. */
export interface Env {
  readonly vars: Names;
  readonly parent: Env | undefined;
  readonly file: SourceFile;
  /** Set in the body of a `def`, whose assignments are local. */
  readonly isFunction: boolean;
  /** Set in the body of a class. */
  readonly isClass?: boolean;
  /** The qualified name of the class or function whose body this is. */
  readonly qualname?: string;
}

/** A Python file that is being evaluated. */
export interface SourceFile {
  readonly path: string;
  /** Its dotted module name. */
  readonly module: string;
  /** The package that its relative imports begin in; its own name if it is an `__init__.py`. */
  readonly package: string;
  /** The statement that it was first read for. */
  readonly importedBy?: ImportPlace | undefined;
  readonly globals: Names;
  /** Names of its module level that have the user's values, whatever it binds to them. */
  readonly defines: ReadonlyMap<string, PyValue>;
}

/** An import statement. */
export interface ImportPlace {
  readonly file: SourceFile;
  readonly at: ast.Place | undefined;
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

/** The data of a `@triton.jit` function. */
export interface JitData {
  readonly node: ast.FunctionDef;
  readonly env: Env;
  readonly parameters: readonly JitParameter[];
  /** Columns are counted from here: the source of a nested function is dedented. */
  readonly dedent: number;
  /** The line of the first decorator. */
  readonly firstLine: number;
  /** Parameters of which only the type is known, and those whose divisibility is not known. */
  readonly doNotSpecialize: readonly string[];
  readonly doNotAlign: readonly string[];
  /** `@triton.jit(repr=...)`: a function that names the kernel by its constants. */
  readonly repr: PyValue;
  /** `@triton.jit(debug=True)`: as a kernel it is compiled under that option. */
  readonly debug: boolean;
  /** `@gluon.jit` */
  readonly isGluon: boolean;
  /** Configurations of `@triton.autotune`, as `triton.Config` instances. */
  readonly configs: readonly PyValue[];
  /** Why they are not known, where there are some. */
  readonly configsUnknown?: string | undefined;
  /** `@triton.heuristics`: functions of the arguments. */
  readonly heuristics: ReadonlyMap<string, PyValue>;
  /** A decorator whose arguments Triton does not take: importing the file would fail. */
  readonly refused?: PyError;
}
export const jitData = (fn: JitFunction): JitData => fn.data as JitData;

/** The data of a Python function that runs while compiling. */
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
/** Functions that are handed their class. */
export const CLASS_METHODS = new WeakSet<object>();
/** Functions that compute something of what they are given: of what is not known nothing. */
export const COMPUTING = new WeakSet<object>();
/** Functions under `@builtin`: they take arguments as they come, and `_semantic`. */
export const SOURCE_BUILTINS = new WeakSet<object>();

/** The value that host code passes on as `_semantic=_semantic`: the functions of the language may then be called. */
export const SEMANTIC: Opaque = { kind: "opaque", what: "_semantic", why: "it is Triton's own" };

export const hostData = (fn: HostFunction): HostData => fn.data as HostData;

export const native = (name: string, call: NativeCall, constexpr = false): HostFunction => ({
  kind: "host_function",
  name,
  constexpr,
  data: { kind: "native", call } satisfies HostData,
});

/** A function whose result is not known where one of its arguments is not. */
export function computing(name: string, call: NativeCall, constexpr = false): HostFunction {
  const fn = native(name, call, constexpr);
  COMPUTING.add(fn);
  return fn;
}

/** How a statement ends: on it goes, or the loop or function is left. */
export type Outcome = undefined | "break" | "continue" | { readonly returned: PyValue };
/** The interpreter of code around kernels: modules, globals and the GPU that they see. */
export interface Host {
  /** The GPU that host code sees. */
  readonly gpu: Gpu;
  /** The version of Triton that is followed. */
  readonly triton: TritonVersion;
  readonly kernelBuiltins: ReadonlyMap<string, PyValue>;
  readonly builtins: ReadonlyMap<string, PyValue>;
  /** A method of tensors that is written in Triton: `x.sum()`. */
  tensorMember(name: string): JitFunction | undefined;
  moduleAttribute(module: PyModule, name: string): PyValue | undefined;
  /** `import name`; a module that is not known is opaque. */
  importModule(name: string, from?: ImportPlace): PyModule | Opaque;
  /** Whether a module is a file of the user's, which is read when something of it is needed. */
  isFile(name: string): boolean;
  /** Imports that are not looked up so far; oldest first. */
  readonly pending: Later[];
  /** Known values of modules that are not read, by dotted name. */
  readonly facts: ReadonlyMap<string, PyValue>;
  /** Names and expressions whose values the user gives. */
  readonly defines: ReadonlyMap<string, PyValue>;
  /** The names in the user's files, those beside the kernel's included; filled where something is defined. */
  readonly mentioned: Set<string>;
  /** Set while code generation calls host code. */
  semantic: Semantic | undefined;
  evaluate(env: Env, node: ast.Expr): PyValue;
  execute(env: Env, body: readonly ast.Stmt[]): Outcome;
  /** Counts a statement, a call or a round of a loop; throws `EndlessCode` when there were too many. */
  step(env?: Env, node?: ast.Node): void;
  /** Runs code that a kernel may do without; a `PyError` when it takes too many steps. */
  bounded<T>(run: () => T): T;
}

/** The data of a class: how to make an instance. Classes of Python source are made by `__init__` or by their fields. */
export type ClassData =
  | { readonly kind: "native"; readonly construct: NativeCall }
  | {
      readonly kind: "source";
      readonly env: Env;
      readonly bases: readonly PyValue[];
      readonly ownFields: PyClass["fields"];
      /** Whether it has a constructor that is not inherited. */
      readonly ownInit: boolean;
    };
export const classData = (cls: PyClass): ClassData => cls.data as ClassData;

export function pythonType(name: string, construct: NativeCall, module = "builtins"): PyClass {
  const data: ClassData = { kind: "native", construct };
  return { kind: "class", name, module, qualname: name, flavour: "type", attrs: new Map(), fields: [], data };
}

/** The value of a name, or undefined. */
export function lookup(env: Env, name: string): PyValue | undefined {
  for (let at: Env | undefined = env; at; at = at.parent) {
    const value = at.vars.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The value of an expression that is not known. `why`: the reason, or the value that it follows from. */
export const opaque = (node: ast.Expr, why: string | Opaque): Opaque =>
  typeof why === "string"
    ? { kind: "opaque", what: unparse(node), why }
    : { kind: "opaque", what: unparse(node), why: why.why, notes: why.notes };

/** The statements that led to a module, the last first. */
export function importChain(from: ImportPlace | undefined): OpaqueNote[] {
  const notes: OpaqueNote[] = [];
  for (let at = from; at; at = at.file.importedBy) notes.push({ message: "imported here", file: at.file.path, at: at.at });
  return notes;
}
