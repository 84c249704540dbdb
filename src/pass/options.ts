/** Options of passes: one record gives their types, defaults, parsing, printing and help. */
import { isPowerOf2 } from "../layout/encodings/matrix-order.js";

/** An option of a pass or of a backend: its kind, default and values. */
export interface OptionSpec<T = unknown> {
  readonly kind: "int" | "size" | "bool" | "string" | "enum" | "list";
  readonly default: T;
  readonly summary: string;
  /** How it is spelt, when not the key in kebab case. */
  readonly text?: string;
  /** How another version of Triton spells it. */
  readonly alias?: string;
  /** Real Triton's pass does not have it: it is not printed. */
  readonly ours?: boolean;
  /** Only a newer Triton's pass has it: it is printed where it is not the default. */
  readonly newer?: boolean;
  /** Undefined when the text is no such value. */
  readonly parse: (text: string) => T | undefined;
  /** A method, so that a spec of any type is a spec of unknown. */
  print(value: T): string;
  /** The smallest number allowed, for messages. */
  readonly min?: number;
  /** The values allowed, for help and messages. */
  readonly values?: readonly string[];
}
interface Common<T> {
  readonly ours?: boolean;
  readonly newer?: boolean;
  readonly default: T;
  readonly summary?: string;
  readonly text?: string;
  readonly alias?: string;
}

const withText = <T>(spec: Omit<OptionSpec<T>, keyof Common<T>>, common: Common<T>): OptionSpec<T> => ({ summary: "", ...common, ...spec });

/** Whether so many warps, threads of a warp or CTAs have layouts: Triton's are of powers of two. More than 1,024 of each no machine has. */
export const isHardwareSize = (n: number): boolean => isPowerOf2(n) && n <= 1024;

export const option = {
  int: (o: Common<number> & { readonly min?: number }): OptionSpec<number> =>
    withText(
      {
        kind: "int",
        ...(o.min === undefined ? {} : { min: o.min }),
        parse: (text) => (/^[+-]?(?:\d+|0x[0-9a-fA-F]+)$/.test(text) && Number(text) >= (o.min ?? -Infinity) ? Number(text) : undefined),
        print: String,
      },
      o,
    ),
  /** A number of warps, threads of a warp or CTAs. */
  size: (o: Common<number>): OptionSpec<number> =>
    withText(
      {
        kind: "size",
        parse: (text) => (/^\d+$/.test(text) && isHardwareSize(Number(text)) ? Number(text) : undefined),
        print: String,
      },
      o,
    ),
  bool: (o: Common<boolean>): OptionSpec<boolean> =>
    withText(
      {
        kind: "bool",
        parse: (text) => (/^(true|1|TRUE|True|)$/.test(text) ? true : /^(false|0|FALSE|False)$/.test(text) ? false : undefined),
        print: String,
      },
      o,
    ),
  string: (o: Common<string>): OptionSpec<string> => withText({ kind: "string", parse: (text) => text, print: (v) => v }, o),
  enum: <const V extends string>(values: readonly V[], o: Common<NoInfer<V>>): OptionSpec<V> =>
    withText({ kind: "enum", values, parse: (text) => values.find((v) => v === text), print: (v) => v }, o),
  list: (o: Common<readonly string[]>): OptionSpec<readonly string[]> =>
    withText({ kind: "list", parse: (text) => (text === "" ? [] : text.split(",")), print: (v) => v.join(",") }, o),
  /** An option without a default. */
  optional: <T>(spec: OptionSpec<T>): OptionSpec<T | undefined> => ({
    ...spec,
    default: undefined,
    print: (value) => (value === undefined ? "" : spec.print(value)),
  }),
};

export type OptionSpecs = Readonly<Record<string, OptionSpec<never> | OptionSpec<unknown>>>;
/** The values of an options record: `{ maxIterations: number }`. */
export type OptionValues<S> = { readonly [K in keyof S]: S[K] extends OptionSpec<infer T> ? T : never };

/** How an option is spelt: its own text, or its key in kebab case. */
export function optionText(key: string, spec: { readonly text?: string }): string {
  return spec.text ?? key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
}

/** The values that an option takes, in words. */
export function expectedText({ kind, min, values = [] }: Pick<OptionSpec, "kind" | "min" | "values">): string {
  return {
    int: min === undefined ? "an integer" : `an integer from ${min}`,
    size: "a power of 2 from 1 to 1024",
    bool: "true or false",
    enum: `${values
      .slice(0, -1)
      .map((value) => value || "''")
      .join(", ")} or ${values.at(-1)}`,
    list: "words with commas between",
    string: "a text",
  }[kind];
}

/** Values of all options: those given, the others at their defaults. */
export function withDefaults(specs: OptionSpecs, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, spec] of Object.entries(specs)) values[key] = given[key] ?? spec.default;
  return values;
}

/**
 * Reads `a=1 b=x,y c={nested}`, separated by spaces. Returns the values given, or what is wrong.
 * A value in braces may hold spaces: a nested pipeline's text.
 */
export function parseOptions(specs: OptionSpecs, text: string): { readonly values: Record<string, unknown> } | { readonly error: string } {
  const values: Record<string, unknown> = {};
  for (const entry of splitOptions(text)) {
    const equals = entry.indexOf("=");
    const name = equals < 0 ? entry : entry.slice(0, equals);
    const value = equals < 0 ? "" : unbrace(entry.slice(equals + 1));
    const found = Object.entries(specs).find(([key, spec]) => optionText(key, spec) === name || spec.alias === name);
    if (!found) return { error: `no such option ${name}` };
    const [key, spec] = found;
    const parsed = spec.parse(value);
    if (parsed === undefined) return { error: `invalid value '${value}' for option ${name}: expected ${expectedText(spec)}` };
    values[key] = parsed;
  }
  return { values };
}
function splitOptions(text: string): string[] {
  const entries: string[] = [];
  let depth = 0;
  let start = -1;
  for (let i = 0; i <= text.length; i++) {
    const c = text[i];
    if (c === "{" || c === "(") depth++;
    else if (c === "}" || c === ")") depth--;
    const separates = c === undefined || (depth <= 0 && /\s/.test(c));
    if (separates && start >= 0) {
      entries.push(text.slice(start, i));
      start = -1;
    } else if (!separates && start < 0) start = i;
  }
  return entries;
}
function unbrace(text: string): string {
  return text.startsWith("{") && text.endsWith("}") ? text.slice(1, -1) : text;
}

/** All options as upstream prints a pass's: `{a=1 b=true}`, sorted by name; empty without options. */
export function printOptions(specs: OptionSpecs, values: Readonly<Record<string, unknown>>): string {
  // An empty list is not printed.
  const printed = Object.entries(specs).filter(
    ([key, spec]) =>
      !spec.ours &&
      !(spec.newer && values[key] === spec.default) &&
      (spec.kind !== "list" || (values[key] as readonly unknown[]).length > 0),
  );
  const entries = printed.map(([key, spec]) => [optionText(key, spec), (spec.print as (v: unknown) => string)(values[key])] as const);
  if (entries.length === 0) return "";
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, value]) => `${name}=${value}`).join(" ")}}`;
}
