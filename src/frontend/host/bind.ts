/** Arguments of Python functions, bound as `inspect.getcallargs` does. */
import { raiseUnexpected } from "../language/define-builtin.js";
import { type PyError, raise } from "../language/errors.js";
import { pyDict } from "../language/python-text.js";
import type { LanguageRules } from "../language/semantic.js";
import { constexpr, type JitFunction, type PyValue, pythonTuple } from "../language/values.js";
import type { JitData } from "./objects.js";

/** A parameter of a function. */
export interface Parameter {
  readonly name: string;
  readonly kind: "positional" | "keyword" | "star" | "double_star";
  readonly fallback: PyValue | undefined;
}

/** The arguments of a call, in the order of the parameters. */
export function bindParameters(
  fn: string,
  parameters: readonly Parameter[],
  positional: readonly PyValue[],
  named: ReadonlyMap<string, PyValue>,
): Map<string, PyValue> {
  const bound = new Map<string, PyValue>();
  const byPosition = parameters.filter((p) => p.kind === "positional");
  const star = parameters.find((p) => p.kind === "star");
  const extra = parameters.find((p) => p.kind === "double_star");
  byPosition.slice(0, positional.length).forEach((p, i) => bound.set(p.name, positional[i]!));
  if (star) bound.set(star.name, pythonTuple(positional.slice(byPosition.length)));
  else if (positional.length > byPosition.length) tooMany(fn, byPosition, positional.length);
  const rest = new Map<string, PyValue>();
  for (const [name, value] of named) {
    const known = parameters.some((p) => p.name === name && (p.kind === "positional" || p.kind === "keyword"));
    if (!known && !extra) raiseUnexpected(fn, fn, name);
    if (bound.has(name)) raise("TypeError", `${fn}() got multiple values for argument '${name}'`);
    (known ? bound : rest).set(name, value);
  }
  if (extra) bound.set(extra.name, pyDict([...rest]));
  const missing = { positional: [] as string[], keyword: [] as string[] };
  for (const { name, kind, fallback } of parameters) {
    if (bound.has(name) || kind === "star" || kind === "double_star") continue;
    if (fallback === undefined) missing[kind].push(name);
    else bound.set(name, fallback);
  }
  tellMissing(fn, "positional", missing.positional);
  tellMissing(fn, "keyword-only", missing.keyword);
  return bound;
}

/** Whether an error is one of those that binding arguments raises. */
export const isBindingError = ({ kind, message }: PyError): boolean =>
  kind === "TypeError" && /^[\w.]+\(\) (?:got|missing|takes) /.test(message);

function tellMissing(fn: string, kind: string, missing: readonly string[]): void {
  if (missing.length === 0) return;
  const quoted = missing.map((m) => `'${m}'`);
  const last = quoted.pop()!;
  const list = quoted.length === 0 ? last : `${quoted.join(", ")}${quoted.length > 1 ? "," : ""} and ${last}`;
  raise("TypeError", `${fn}() missing ${missing.length} required ${kind} argument${missing.length === 1 ? "" : "s"}: ${list}`);
}

function tooMany(fn: string, byPosition: readonly Parameter[], given: number): never {
  const required = byPosition.filter((p) => p.fallback === undefined).length;
  const all = byPosition.length;
  const count = required === all ? String(all) : `from ${required} to ${all}`;
  return raise(
    "TypeError",
    `${fn}() takes ${count} positional argument${all === 1 && required === all ? "" : "s"} but ${given} ${given === 1 ? "was" : "were"} given`,
  );
}

const isCollected = ({ kind }: Parameter): boolean => kind === "star" || kind === "double_star";

/** The arguments of a call of a JIT function, in the order of its parameters. */
export function bindJitArguments(
  fn: JitFunction,
  data: JitData,
  positional: readonly PyValue[],
  named: ReadonlyMap<string, PyValue>,
  { collectsArguments }: LanguageRules,
): PyValue[] {
  const { kwarg } = data.node.args;
  const collected: readonly Parameter[] = kwarg ? [{ name: kwarg.arg, kind: "double_star", fallback: undefined }] : [];
  const all = [...data.parameters, ...collected];
  const bound = bindParameters(fn.name, all, positional, named);
  // Triton asks each argument for its type, and what Python collects has none; parts of tuples are asked first.
  if (collectsArguments === "never" && all.some(isCollected))
    raise("AttributeError", `'${kwarg ? "dict" : "tuple"}' object has no attribute 'type'`);
  return all.map((p) => {
    const value = bound.get(p.name) ?? null;
    return p.kind === "double_star" || (p.kind === "star" && collectsArguments === "constants") ? constexpr(value) : value;
  });
}
