/**
 * One record per function of the language: its parameters as Python declares them, and what it does.
 *
 *     export const expandDims = defineBuiltin("expand_dims", { input: REQUIRED, axis: REQUIRED }, (s, a) => ...);
 *
 * Arguments come as they were given (constexprs wrapped); `unwrap` them where core.py does.
 */
import { raise, raiseMissing } from "./errors.js";
import type { LanguageRules, Semantic } from "./semantic.js";
import type { PyValue } from "./values.js";

/** A parameter that must be given. */
export const REQUIRED = Symbol("required");
/** `*args`: what follows it is given by name only. */
export const STAR = Symbol("star");
type Default = PyValue | typeof REQUIRED | typeof STAR;
type Params = Readonly<Record<string, Default>>;
export type BuiltinArgs<P extends Params> = {
  readonly [K in keyof P]: P[K] extends typeof STAR ? readonly PyValue[] : PyValue;
};

/** A function of the language, with the types of its parameters forgotten. */
export interface BuiltinDef {
  readonly name: string;
  readonly params: Params;
  /** Why a call whose result is not used is an error. */
  readonly mustUseResult?: string | undefined;
  /** A class in Python: what does not fit its arguments is said of its `__init__`. */
  readonly isClass?: boolean;
  /** Why it cannot be called here. */
  readonly unavailable?: string;
  /** Parameters that have another default in the version that is compiled for; undefined for one that it lacks. */
  readonly changes?: (rules: LanguageRules) => Readonly<Record<string, Default | undefined>>;
  readonly run: (s: Semantic, args: Readonly<Record<string, PyValue | readonly PyValue[]>>) => PyValue;
}

/** Defines a function of `triton.language`: its parameters as Python has them, and the ops that it makes. */
export function defineBuiltin<const P extends Params>(
  name: string,
  params: P,
  run: (s: Semantic, args: BuiltinArgs<P>) => PyValue,
  more: Pick<BuiltinDef, "mustUseResult" | "isClass" | "changes"> = {},
): BuiltinDef {
  return { name, params, run: run as BuiltinDef["run"], ...more };
}

/** Calls a builtin with arguments by position and by name; raises as Python does where they do not fit. */
export function callBuiltin(
  s: Semantic,
  def: BuiltinDef,
  positional: readonly PyValue[],
  named: ReadonlyMap<string, PyValue> = new Map(),
): PyValue {
  if (def.unavailable !== undefined) raise("NotImplementedError", def.unavailable);
  if (!def.changes) return def.run(s, bindArguments(def, positional, named));
  const bound = bindArguments({ ...def, params: paramsOf(def.params, def.changes(s.rules)) }, positional, named);
  // A parameter that the version lacks has its default.
  return def.run(s, { ...def.params, ...bound } as Parameters<BuiltinDef["run"]>[1]);
}

const paramsOf = (params: Params, changes: Readonly<Record<string, Default | undefined>>): Params =>
  Object.fromEntries(Object.entries({ ...params, ...changes }).filter((entry): entry is [string, Default] => entry[1] !== undefined));

/** The arguments of a call by name of the parameter, defaults filled in. */
export function bindArguments(
  { name: own, params, isClass }: Pick<BuiltinDef, "name" | "params" | "isClass">,
  positional: readonly PyValue[],
  named: ReadonlyMap<string, PyValue>,
): Readonly<Record<string, PyValue | readonly PyValue[]>> {
  const name = isClass ? `${own}.__init__` : own;
  const bound: Record<string, PyValue | readonly PyValue[]> = {};
  const missing: string[] = [];
  let next = 0;
  let afterStar = false;
  for (const [param, fallback] of Object.entries(params)) {
    if (fallback === STAR) {
      bound[param] = positional.slice(next);
      next = Math.max(next, positional.length);
      afterStar = true;
    } else if (!afterStar && next < positional.length) {
      if (named.has(param)) raise("TypeError", `${name}() got multiple values for argument '${param}'`);
      bound[param] = positional[next++]!;
    } else if (named.has(param)) bound[param] = named.get(param)!;
    else if (fallback === REQUIRED) missing.push(param);
    else bound[param] = fallback;
  }
  for (const key of named.keys()) if (!Object.hasOwn(params, key)) raiseUnexpected(name, own, key);
  if (next < positional.length) raise("TypeError", tooMany(name, params, positional.length));
  if (missing.length > 0) raiseMissingArguments(name, missing);
  return bound;
}

/** Raises as Python does for parameters that are not given. */
export const raiseMissingArguments = (name: string, missing: readonly string[]): never => raise("TypeError", missingText(name, missing));

/** Raises as Python does for an argument that a function does not take. */
export const raiseUnexpected = (shown: string, own: string, name: string): never =>
  raiseMissing("TypeError", `${shown}() got an unexpected keyword argument '${name}'`, { kind: "parameter", function: own, name });

function tooMany(name: string, params: Params, given: number): string {
  const all = Object.values(params);
  const required = all.filter((p) => p === REQUIRED).length;
  const count = required === all.length ? `${all.length}` : `from ${required} to ${all.length}`;
  return `${name}() takes ${count} positional argument${all.length === 1 ? "" : "s"} but ${given} ${given === 1 ? "was" : "were"} given`;
}
function missingText(name: string, missing: readonly string[]): string {
  const quoted = missing.map((m) => `'${m}'`);
  const list =
    quoted.length === 1
      ? quoted[0]
      : quoted.length === 2
        ? quoted.join(" and ")
        : `${quoted.slice(0, -1).join(", ")}, and ${quoted.at(-1)}`;
  return `${name}() missing ${missing.length} required positional argument${missing.length === 1 ? "" : "s"}: ${list}`;
}
