/**
 * Options of the commands as records. A table of them is read from command lines (`read.ts`), from the configuration file, from the
 * comments above kernels and from the UI's `:` prompt, and makes help and completion.
 */
import { nearestText } from "../../support/nearest.js";

/** How the text of a value becomes a value. */
export interface ValueType<T> {
  /** The placeholder for the value in help: FILE, N, a|b. */
  readonly shown: string;
  /** The expected value, for messages: "an integer from 1". */
  readonly expected: string;
  /** All values, where they can be listed. */
  readonly values?: readonly string[];
  readonly completes?: "file" | "pass";
  /** Returns undefined for a text that is no such value. */
  read(text: string): T | undefined;
  /** The reason why a text is no such value, where that says more than the values do. */
  readonly why?: (text: string) => string;
}

/** The type of an option that is on or off: `--list`, `--no-list`. */
export const FLAG = "flag";

/** One option of a command: its type, default, help and values to complete. */
export interface OptionDef<T = unknown> {
  readonly type: ValueType<T> | typeof FLAG;
  /** The title that help lists it under. */
  readonly group: string;
  readonly help: string;
  /** A short name of one letter. */
  readonly short?: string;
  /** True if the option may be given several times; its value is then a list. */
  readonly repeat?: true;
  /** True if the value may be left out; it is then the empty text. */
  readonly valueIsOptional?: true;
  readonly default?: T;
  /** The default in words, where it is no constant. */
  readonly defaultText?: string;
  /** Options without one of which this one does nothing. */
  readonly goesWith?: readonly string[];
  /** The last that reads it, as the backend's record says. */
  readonly lastRead?: "python" | "ttgir";
  /** Why only the default is accepted. */
  readonly refused?: string;
}
export type OptionTable = Readonly<Record<string, OptionDef>>;

type Camel<S extends string> = S extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
type ValueOf<D> = D extends { readonly type: ValueType<infer T>; readonly repeat: true }
  ? readonly T[]
  : D extends { readonly type: typeof FLAG }
    ? boolean
    : D extends { readonly type: ValueType<infer T>; readonly default: unknown }
      ? T
      : D extends { readonly type: ValueType<infer T> }
        ? T | undefined
        : never;

/** The values of a table's options, by their names in camel case. */
export type Values<T extends OptionTable> = { readonly [K in keyof T & string as Camel<K>]: ValueOf<T[K]> };

/** The values written for each option, in order; booleans for flags. */
export type Written = ReadonlyMap<string, readonly (string | boolean)[]>;

/** `print-after` -> `printAfter` */
export const camel = (name: string): string => name.replace(/-(\w)/g, (_, c: string) => c.toUpperCase());
/** `numWarps` -> `num-warps` */
export const kebab = (key: string): string => key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
/** `-l`, `--format` */
export const dashed = (name: string): string => (name.length === 1 ? `-${name}` : `--${name}`);

/** A message with what to try: `... Try: tt-step --help`. */
export const withHint = (message: string, hint: string): string => `${message}${message.endsWith("?") ? "" : "."} Try: ${hint}`;

/** The beginning of a text that a user typed, for messages. */
export function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** The values of all options: those written, else the defaults. The error is one line, about the option `option`. */
export function valuesOf<T extends OptionTable>(
  table: T,
  written: Written,
): Values<T> | { readonly error: string; readonly option: string } {
  const values: Record<string, unknown> = {};
  for (const option of written.keys()) if (!Object.hasOwn(table, option)) return { error: unknownOption(`--${option}`, table), option };
  for (const [option, def] of Object.entries(table)) {
    const read: unknown[] = [];
    for (const text of written.get(option) ?? []) {
      const value = valueOf(option, def, text);
      if ("error" in value) return { ...value, option };
      if (def.refused !== undefined && value.value !== (def.default ?? ""))
        return { error: `${dashed(option)} ${text} is refused: ${def.refused}`.replace(" true ", " "), option };
      read.push(value.value);
    }
    values[camel(option)] = def.repeat ? read : read.length > 0 ? read.at(-1) : (def.default ?? (def.type === FLAG ? false : undefined));
  }
  return values as Values<T>;
}

function valueOf(name: string, { type }: OptionDef, text: string | boolean): { readonly value: unknown } | { readonly error: string } {
  if (type === FLAG)
    return typeof text === "boolean" ? { value: text } : { error: `${dashed(name)} expects true or false, not '${shortened(text)}'` };
  if (text === false) return { error: `--no-${name}: ${dashed(name)} takes a value, ${type.shown}` };
  if (text === true) return { error: needsValue(name, type) };
  const value = type.read(text);
  if (value !== undefined) return { value };
  if (text === "") return { error: needsValue(name, type) };
  if (type.why) return { error: `${dashed(name)}: ${type.why(shortened(text))}` };
  const meant = type.values ? nearestText(text, type.values) : "";
  return { error: `${dashed(name)} expects ${type.expected}, not '${shortened(text)}'${meant}` };
}
/** The message for an option without a value. */
export const needsValue = (name: string, type: ValueType<unknown>): string => `${dashed(name)} needs a value: ${type.expected}`;

/** The message for an option that is in no table. */
export function unknownOption(given: string, table: OptionTable): string {
  const name = given.replace(/^--?(?:no-)?/, "").replace(/=.*$/s, "");
  return `unknown option '${shortened(given)}'${nearestText(name.slice(0, 40), [...Object.keys(table), "help", "version"], dashed)}`;
}

// Types of values.

/** Any text but none. */
export const text = (shown: string, expected = shown): ValueType<string> => ({ shown, expected, read: (given) => given || undefined });

/** Any text, also an empty one. */
export const anyText = (shown: string, expected = shown): ValueType<string> => ({ shown, expected, read: (given) => given });

export const file = (shown = "FILE"): ValueType<string> => ({ ...text(shown, "a file"), completes: "file" });

/** A pass of the pipeline; which ones there are is known when the input is. */
export const PASS: ValueType<string> = { ...text("PASS", "a pass"), completes: "pass" };

export const choice = <T extends string>(...values: readonly T[]): ValueType<T> => ({
  shown: values.join("|"),
  expected: orList(values),
  values,
  read: (given) => values.find((value) => value === given),
});

/** An integer in a range, both ends included. */
export function integer(shown: string, from = 0, to = Number.MAX_SAFE_INTEGER): ValueType<number> {
  const expected = `an integer from ${from}${to === Number.MAX_SAFE_INTEGER ? "" : ` to ${to}`}`;
  return numeric(shown, expected, /^-?\d+$/, (value) => Number.isSafeInteger(value) && from <= value && value <= to);
}
export function powerOf2(shown: string, to: number): ValueType<number> {
  return numeric(
    shown,
    `a power of 2 from 1 to ${to}`,
    /^\d+$/,
    (value) => 1 <= value && value <= to && Number.isInteger(Math.log2(value)),
  );
}
/** A number that may have a fraction. */
export function decimal(shown: string, expected: string, isGood: (value: number) => boolean): ValueType<number> {
  return numeric(shown, expected, /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i, isGood);
}
const numeric = (shown: string, expected: string, form: RegExp, isGood: (value: number) => boolean): ValueType<number> => ({
  shown,
  expected,
  read: (given) => (form.test(given) && isGood(Number(given)) ? Number(given) : undefined),
});

/** `a, b or c` */
export function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
