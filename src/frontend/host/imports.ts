/** Python's `import`: names of the user's files, which are read when a name is looked up, and of modules that tt-step knows or does not. */
import { isKind, isTuple, type Opaque, type PyModule, type PyValue } from "../language/values.js";
import { versionNote } from "../language/version-names.js";
import type * as ast from "../python/ast.js";
import { type Env, type Host, type ImportPlace, importChain, Later, Names, type SourceFile } from "./objects.js";
import { pyIterate } from "./operators.js";

/** `import name as asname` */
export function importName(host: Host, env: Env, name: string, asname: string | undefined): void {
  const from = { file: env.file, at: env.vars.at };
  const bind = (as: string, module: string): void =>
    host.isFile(module)
      ? void env.vars.set(
          as,
          later(host, from, module, () => host.importModule(module, from)),
        )
      : bindImport(env, as, host.importModule(module, from));
  const first = name.split(".")[0]!;
  bind(asname ?? first, asname === undefined ? first : name);
}

/** A module that is not known takes the place of nothing that is: it may be the other way to import that. */
function bindImport(env: Env, name: string, value: PyValue): void {
  const before = env.vars.get(name);
  if (before === undefined || isKind(before, "opaque") || !isKind(value, "opaque")) env.vars.set(name, value);
}

/** `from module import name as asname, ...` */
export function importFrom(host: Host, env: Env, node: ast.ImportFrom): void {
  const from = { file: env.file, at: node.at };
  const base = absoluteName(env.file, node.module, node.level);
  for (const { name, asname } of node.names) {
    if (name === "*") importAll(host, env, host.importModule(base, from), from);
    else if (host.isFile(base))
      env.vars.set(
        asname ?? name,
        later(host, from, name, () => importedFrom(host, from, base, name)),
      );
    else bindImport(env, asname ?? name, importedFrom(host, from, base, name));
  }
}

/** `from module import *` */
function importAll(host: Host, env: Env, module: PyValue, from: ImportPlace): void {
  if (!isKind(module, "module")) {
    env.vars.hasUnknown = true;
    return;
  }
  const listed = module.attrs.get("__all__");
  const isListed = isKind(listed, "list") || isTuple(listed ?? null);
  const names = isListed ? pyIterate(listed!).map(String) : [...module.attrs.keys()].filter((name) => !name.startsWith("_"));
  for (const name of names) {
    const value = module.attrs instanceof Names ? module.attrs.raw(name) : module.attrs.get(name);
    if (value !== undefined) env.vars.set(name, value);
    else if (isListed)
      env.vars.set(
        name,
        later(host, from, name, () => host.moduleAttribute(module, name) ?? noName(module, name, from)),
      );
  }
}

/** `name` of the module `base`: what it binds, or a module in it. */
function importedFrom(host: Host, from: ImportPlace, base: string, name: string): PyValue {
  // A package whose `__init__.py` imports its own modules does not have them yet.
  if (base === from.file.module && host.isFile(`${base}.${name}`)) return host.importModule(`${base}.${name}`, from);
  const module = host.importModule(base, from);
  const found = isKind(module, "module") ? host.moduleAttribute(module, name) : host.facts.get(`${base}.${name}`);
  if (found !== undefined) return found;
  if (isKind(module, "module") && host.isFile(base)) return noName(module, name, from);
  const inner = host.importModule(base ? `${base}.${name}` : name, from);
  const version = isKind(inner, "opaque") ? versionNote({ kind: "name", module: base, name }, host.triton) : undefined;
  if (version !== undefined)
    return {
      kind: "opaque",
      what: name,
      why: `cannot import name '${name}' from '${base}'`,
      notes: [{ message: version }, ...importChain(from)],
    };
  // A package that is not found may export Triton by these names; without them no function of the file would be a kernel.
  const triton = isKind(inner, "opaque") && isKind(module, "opaque") ? TRITON_NAMES.get(name) : undefined;
  if (triton !== undefined) return host.importModule(triton, from);
  return isKind(inner, "opaque")
    ? { ...inner, what: name, ...(isKind(module, "opaque") ? { why: module.why, notes: module.notes } : {}) }
    : inner;
}

const TRITON_NAMES: ReadonlyMap<string, string> = new Map([
  ["triton", "triton"],
  ["tl", "triton.language"],
  ["tldevice", "triton.language.extra.libdevice"],
]);

/** Names that files of the user's do not have for certain. */
const MISSING = new WeakSet<Opaque>();

/** A name that a file of the user's does not have, unless it is among those of a module that is not known. */
function noName(module: PyModule, name: string, from: ImportPlace): Opaque {
  const why = `cannot import name '${name}' from '${module.name}'`;
  const missing: Opaque = { kind: "opaque", what: name, why, notes: importChain(from) };
  if (!(module.attrs instanceof Names && module.attrs.hasUnknown)) MISSING.add(missing);
  return missing;
}

/** The module that a relative import names. */
function absoluteName({ package: own }: SourceFile, module: string, level: number): string {
  if (level === 0) return module;
  const parts = own === "" ? [] : own.split(".");
  return [...parts.slice(0, parts.length - level + 1), ...(module ? [module] : [])].join(".");
}

/** A value from one of the user's files; the file is read when the value is looked up. */
function later(host: Host, from: ImportPlace, what: string, lookUp: () => PyValue): Later {
  const notes = importChain(from);
  const value = new Later(lookUp, { kind: "opaque", what, why: `the import of '${what}' leads back to itself`, notes });
  host.pending.push(value);
  return value;
}

/** The first thing that statements import from where tt-step cannot look, or that is missing where it can. */
export function firstUnknownImport(
  host: Host,
  env: Env,
  body: readonly ast.Stmt[],
): { readonly name: string; readonly isMissing: boolean } | undefined {
  for (const s of body) {
    if (s.kind === "Import") {
      const unknown = s.names.find(({ name }) => isKind(host.importModule(name, { file: env.file, at: s.at }), "opaque"));
      if (unknown) return { name: unknown.name, isMissing: false };
    } else if (s.kind === "ImportFrom") {
      const base = absoluteName(env.file, s.module, s.level);
      for (const { name } of s.names) {
        const value = name === "*" ? null : importedFrom(host, { file: env.file, at: s.at }, base, name);
        if (isKind(value, "opaque")) return { name: `${base}.${name}`, isMissing: MISSING.has(value) };
      }
    }
  }
  return undefined;
}
