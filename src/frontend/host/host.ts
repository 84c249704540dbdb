/** The Python world around a kernel: modules, Python's own functions, and a budget for what runs while compiling. */

import type { Gpu } from "../../gpu/gpu.js";
import { Bug } from "../../support/assert.js";
import { LIMITS, limitMessage } from "../../support/limits.js";
import type { TritonVersion } from "../../support/triton-version.js";
import { PyError } from "../language/errors.js";
import { languageModules, preludeText, TENSOR_METHODS_IN_TRITON } from "../language/modules.js";
import { isKind, type Opaque, type OpaqueNote, type PyModule, type PyValue } from "../language/values.js";
import { isAbsentFrom } from "../language/version-names.js";
import type { Module, Node, Place } from "../python/ast.js";
import { parsePython } from "../python/parse.js";
import type { PythonSyntaxError } from "../python/syntax-error.js";
import { HOST_BUILTINS, KERNEL_BUILTINS } from "./builtins.js";
import { evaluate } from "./evaluate.js";
import { execute } from "./execute.js";
import { factsOf } from "./facts.js";
import { type FoundModule, isRead, type ModuleSearch } from "./module-search.js";
import { type Env, type Host, type ImportPlace, importChain, Later, Names, type SourceFile } from "./objects.js";
import { CORE_NATIVES, STANDARD_MODULES } from "./standard-modules.js";

/** How many statements host code may run. */
const BUDGET = 500_000;
/** How many a statement of an imported module, or a decorator, may run. */
const PART = 50_000;

/** Thrown by code that runs while compiling and does not seem to end; no Python code sees it. */
export class EndlessCode extends Error {
  constructor(
    /** The file and the statement that was run last. */
    readonly file: string | undefined,
    readonly at: Place | undefined,
  ) {
    super("Python code that runs while compiling does not end");
  }
}

export interface HostFiles {
  /** A file's text, undefined when it is not there. */
  readonly readFile: (path: string) => string | undefined;
  /** Where modules of the user's are; undefined where there are none. */
  readonly search: ModuleSearch | undefined;
  /** The folder of a Triton package, whose `language/standard.py` takes the place of our own; asked when that is needed. */
  readonly tritonLib: (() => string | undefined) | undefined;
  /** Called with each file of the user's that is run. */
  readonly opened?: (path: string) => void;
  readonly gpu: Gpu;
  readonly triton: TritonVersion;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly defines: ReadonlyMap<string, PyValue>;
}

/** A host without any file of the user's yet. */
export function makeHost(files: HostFiles): Host {
  const loaded = new Map<string, PyModule | Opaque>();
  const found = new Map<string, FoundModule | undefined>();
  let left = BUDGET;
  let last: { readonly env: Env; readonly node: Node | undefined } | undefined;
  let library: { readonly folder: string | undefined } | undefined;
  /** Modules of the user's that are being read, and how many were. */
  let depth = 0;
  let count = 0;
  const tritonLib = (): string | undefined => (library ??= { folder: files.tritonLib?.() }).folder;
  const find = (name: string): FoundModule | undefined => {
    if (!found.has(name)) found.set(name, name.startsWith("triton.") ? undefined : files.search?.find(name));
    return found.get(name);
  };
  const host: Host = {
    evaluate: (env, node) => evaluate(host, env, node),
    execute: (env, body) => execute(host, env, body),
    gpu: files.gpu,
    triton: files.triton,
    semantic: undefined,
    facts: factsOf(files.gpu, files.env),
    defines: files.defines,
    mentioned: new Set(),
    pending: [],
    kernelBuiltins: KERNEL_BUILTINS,
    builtins: HOST_BUILTINS,
    tensorMember(name) {
      const standard = TENSOR_METHODS_IN_TRITON.includes(name) ? host.importModule("triton.language.standard") : undefined;
      const fn = isKind(standard, "module") ? standard.attrs.get(name) : undefined;
      return isKind(fn, "jit") ? fn : undefined;
    },
    moduleAttribute(module, name) {
      if (module.name === "triton" && name === "__version__") return files.triton.release;
      if (isAbsentFrom(module.name, name, files.triton)) return undefined;
      const own = CORE_NATIVES.get(module.name)?.get(name) ?? module.attrs.get(name);
      if (own !== undefined) return own;
      for (const part of WRITTEN_IN_TRITON.get(module.name) ?? []) {
        const inner = host.importModule(part);
        const value = isKind(inner, "module") ? inner.attrs.get(name) : undefined;
        if (value !== undefined) return value;
      }
      const inner = host.importModule(`${module.name}.${name}`);
      // A package that is not Triton's is known only in part.
      return isKind(inner, "module") || module.name.startsWith("torch.") ? inner : undefined;
    },
    importModule(name, from) {
      const known = loaded.get(name);
      if (known) return known;
      const module = load(name, from);
      loaded.set(name, module);
      return module;
    },
    isFile: (name) => !isNative(name, files.triton) && find(name) !== undefined,
    step(env, node) {
      if (env) last = { env, node };
      if (--left < 0) throw new EndlessCode(last?.env.file.path, last?.node?.at);
    },
    bounded(run) {
      const outer = left;
      const most = Math.min(outer, PART);
      left = most;
      try {
        return run();
      } catch (error) {
        throw error instanceof EndlessCode && most < outer ? new PyError("TimeoutError", error.message) : error;
      } finally {
        left = outer - (most - left);
      }
    },
  };

  function load(name: string, from: ImportPlace | undefined): PyModule | Opaque {
    const native = languageModules(files.triton).get(name) ?? STANDARD_MODULES.get(name);
    if (native) return native;
    const library = libraryText(name);
    if (library) {
      const run = library.own ? runPrelude : runText;
      return run({ name: ofNative(name), isPackage: false, isOfUser: false, from }, library.path, library.text);
    }
    const file = find(name);
    if (file) return loadFile(name, file, from);
    const folders = files.search && isRead(name) ? files.search.folders.map((folder) => `'${folder}'`) : [];
    const searched: OpaqueNote[] =
      folders.length > 0 ? [{ message: `looked for '${name.replaceAll(".", "/")}.py' in ${folders.join(", ")}` }] : [];
    return { kind: "opaque", what: name, why: `the module '${name}' is not known to tt-step`, notes: [...searched, ...importChain(from)] };
  }

  function loadFile(name: string, { path, text, isPackage }: FoundModule, from: ImportPlace | undefined): PyModule | Opaque {
    if (path === undefined) return { kind: "module", name, attrs: new Names() };
    const limit =
      text.length > LIMITS["python-file"].most ? "python-file" : depth >= LIMITS["python-imports"].most ? "python-imports" : undefined;
    const exceeded = limit ?? (++count > LIMITS["python-modules"].most ? "python-modules" : undefined);
    if (exceeded) return { kind: "opaque", what: name, why: `'${path}' is not read: ${limitMessage(exceeded)}`, notes: importChain(from) };
    files.opened?.(path);
    depth++;
    try {
      return runText({ name, isPackage, isOfUser: true, from }, path, text);
    } finally {
      depth--;
    }
  }

  /** A library module in Python: the user's own Triton's or torch's, or the prelude's. */
  function libraryText(name: string): { path: string; text: string; own: boolean } | undefined {
    const prelude = preludeText(name, files.triton);
    if (prelude === undefined) return undefined;
    if (!name.startsWith("triton.")) {
      const installed = find(name);
      return installed?.path === undefined
        ? { path: `/${name.replaceAll(".", "/")}.py`, text: prelude, own: true }
        : { path: installed.path, text: installed.text, own: false };
    }
    const relative = `${ofNative(name)
      .replace(/^triton\./, "")
      .replaceAll(".", "/")}.py`;
    // Those of Gluon are written for this evaluator.
    const folder = name.startsWith("triton.experimental.") ? undefined : tritonLib();
    for (const base of folder === undefined ? [] : packageFolders(folder)) {
      const own = files.readFile(`${base}/${relative}`);
      if (own !== undefined) return { path: `${base}/${relative}`, text: own, own: false };
    }
    return { path: `/triton/${relative}`, text: prelude, own: true };
  }

  /** A module of the prelude. A function of it is parsed when its name is looked up: a kernel uses few. */
  function runPrelude(module: ModuleKind, path: string, text: string): PyModule {
    const { name } = module;
    const value: PyModule & { readonly attrs: Names } = { kind: "module", name, attrs: new Names() };
    if (!languageModules(files.triton).has(name)) loaded.set(name, value);
    const env = moduleEnv(host, path, module, value.attrs);
    for (const part of preludeParts(text)) {
      const run = (): void => {
        const parsed = libraryModule(part.text, `${path}:${part.line}`, path, true);
        if (parsed.kind === "SyntaxError") throw new Bug(`${path}:${parsed.line}: ${parsed.message}`);
        execute(host, env, parsed.body);
      };
      const { defines } = part;
      if (defines === undefined) run();
      else
        value.attrs.set(
          defines,
          new Later(
            () => {
              run();
              return value.attrs.get(defines)!;
            },
            { kind: "opaque", what: defines, why: "it is being defined" },
          ),
        );
    }
    return value;
  }

  function runText(module: ModuleKind, path: string, text: string): PyModule | Opaque {
    const { name, from, isOfUser } = module;
    const parsed = isOfUser ? parsePython(text, path) : libraryModule(text, path, path, false);
    if (parsed.kind === "SyntaxError") {
      const place = { file: path, at: { line: parsed.line, col: parsed.col } };
      const notes = [{ message: `${parsed.name}: ${parsed.message}`, ...place }, ...importChain(from)];
      return { kind: "opaque", what: name, why: `${path}:${parsed.line}: ${parsed.name}: ${parsed.message}`, notes };
    }
    const globals = new Names();
    const value: PyModule = { kind: "module", name, attrs: globals };
    // Set before it runs: modules may import each other.
    loaded.set(name, value);
    runModule(host, parsed, module, globals);
    return value;
  }
  return host;
}

/** Functions of `m.py` are those of the native module `m`. */
const ofNative = (name: string): string => name.replace(/\.py$/, "");

/** Modules that are not read from files of the user's. */
const isNative = (name: string, triton: TritonVersion): boolean =>
  languageModules(triton).has(name) || STANDARD_MODULES.has(name) || preludeText(name, triton) !== undefined;

/** Modules that also export what these modules of theirs define. */
const WRITTEN_IN_TRITON: ReadonlyMap<string, readonly string[]> = new Map([
  ["triton.language", ["triton.language.standard", "triton.language.random"]],
  ["triton.experimental.gluon.language", ["triton.experimental.gluon.language._standard"]],
  ["triton.experimental.gluon.language.nvidia.ampere.mbarrier", ["triton.experimental.gluon.language.nvidia.ampere.mbarrier.py"]],
  [
    "triton.experimental.gluon.language.nvidia.hopper.mbarrier",
    ["triton.experimental.gluon.language.nvidia.ampere.mbarrier.py", "triton.experimental.gluon.language.nvidia.hopper.mbarrier.py"],
  ],
]);

/** Where Triton's package may be in a folder: the package itself, what it is installed in, or its source tree. */
export const packageFolders = (folder: string): readonly string[] => [folder, `${folder}/triton`, `${folder}/python/triton`];

/** Parsed texts of the library, shared by all files; by where they are. */
const parsedLibrary = new Map<string, { readonly text: string; readonly parsed: Module | PythonSyntaxError }>();

/** A text of the library: of the prelude (`isOwn`), whose comments number lines, or the user's. */
function libraryModule(text: string, key: string, path: string, isOwn: boolean): Module | PythonSyntaxError {
  const known = parsedLibrary.get(key);
  if (known?.text === text) return known.parsed;
  const parsed = parsePython(text, path, isOwn);
  parsedLibrary.set(key, { text, parsed });
  return parsed;
}

interface PreludePart {
  readonly text: string;
  /** Its first line in the module, from 1. */
  readonly line: number;
  /** The function that it is; undefined for other statements. */
  readonly defines: string | undefined;
}

/** The parts of a prelude's module, which two empty lines divide. */
function preludeParts(text: string): readonly PreludePart[] {
  let line = 1;
  return text.split(/\n{3}(?=\S)/).map((part) => {
    const [, defines] = /^def (\w+)/m.exec(/^[@d]/.test(part) ? part : "") ?? [];
    const found: PreludePart = { text: `#line ${line}\n${part}\n`, line, defines };
    line += part.split("\n").length + 2;
    return found;
  });
}

/** A module that is run. */
export interface ModuleKind {
  readonly name: string;
  /** Whether it is an `__init__.py`. */
  readonly isPackage: boolean;
  readonly isOfUser: boolean;
  readonly from: ImportPlace | undefined;
}

/** Runs the module level of a file; names go into `globals`. */
export function runModule(host: Host, parsed: Module, module: ModuleKind, globals: Names): SourceFile {
  const env = moduleEnv(host, parsed.file, module, globals);
  if (module.isOfUser && host.defines.size > 0) collectNames(parsed.body, host.mentioned);
  execute(host, env, parsed.body);
  return env.file;
}

/** The scope of a module's level, with the names that every module has. */
function moduleEnv(host: Host, path: string, { name, isPackage, isOfUser, from }: ModuleKind, globals: Names): Env {
  const defines = new Map(isOfUser ? [...host.defines].filter(([key]) => /^\w+$/.test(key)) : []);
  const inPackage = isPackage ? name : name.slice(0, Math.max(0, name.lastIndexOf(".")));
  const file: SourceFile = { path, module: name, package: inPackage, globals, defines, importedBy: from };
  for (const [key, value] of defines) globals.set(key, value);
  globals.set("__name__", name);
  globals.set("__file__", path);
  return { vars: globals, parent: undefined, file, isFunction: false };
}

/** Every name in a tree, whatever it names. */
function collectNames(tree: unknown, out: Set<string>): void {
  if (typeof tree === "string") for (const part of tree.split(".")) out.add(part);
  else if (typeof tree === "object" && tree !== null)
    for (const [key, value] of Object.entries(tree))
      if ((key !== "kind" && key !== "value") || typeof value === "object") collectNames(value, out);
}
