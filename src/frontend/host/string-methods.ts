/** Methods of Python's `str`, on text without surrogates. Source: The Python Standard Library, "String Methods". */
import { raise } from "../language/errors.js";
import { pyRepr, pyStr, pyTypeName } from "../language/python-text.js";
import { isTuple, type PyValue, pythonTuple, unwrap } from "../language/values.js";
import { format } from "./format.js";
import type { NativeCall } from "./objects.js";
import { integer, pyIterate, sliceIndices, withinMemory } from "./operators.js";

/** A method: what is known of its string, then its arguments. */
type Method = (self: string, args: readonly PyValue[], named: ReadonlyMap<string, PyValue>) => PyValue;

/** The method of that name as a function that takes its arguments alone; undefined where `str` has none, or one that is not here. */
export function stringMethod(self: string, name: string): NativeCall | undefined {
  const method = METHODS.get(name);
  return method && ((args, named) => method(self, args.map(unwrap), named));
}

const text = (value: PyValue | undefined): string =>
  typeof value === "string" ? value : raise("TypeError", `must be str, not ${pyTypeName(value ?? null)}`);
const number = (value: PyValue | undefined, otherwise: number): number =>
  value === undefined || value === null ? otherwise : Number(integer(value));
const texts = (values: readonly string[]): PyValue => ({ kind: "list", values: [...values] });

/** The part of a string that `start` and `end` name, and where it begins. */
function part(self: string, start: PyValue = null, stop: PyValue = null): { readonly at: number; readonly inside: string } {
  const indices = sliceIndices({ kind: "slice", start, stop, step: null }, self.length);
  const at = indices[0] ?? Math.min(number(start, 0), self.length + 1);
  return { at, inside: self.slice(at, at + indices.length) };
}
const find =
  (last: boolean, missing: (what: string) => bigint): Method =>
  (self, [what, start, stop]) => {
    const { at, inside } = part(self, start, stop);
    const found = at > self.length ? -1 : last ? inside.lastIndexOf(text(what)) : inside.indexOf(text(what));
    return found < 0 ? missing(text(what)) : BigInt(at + found);
  };
const affix =
  (test: (inside: string, affix: string) => boolean): Method =>
  (self, [what = null, start, stop]) => {
    const { at, inside } = part(self, start, stop);
    return at <= self.length && (isTuple(what) ? what.values : [what]).some((one) => test(inside, text(one)));
  };

const WHITE = " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0";
const strip =
  (left: boolean, right: boolean): Method =>
  (self, [chars = null]) => {
    const gone = new Set(chars === null ? WHITE : text(chars));
    let [from, to] = [0, self.length];
    while (left && from < to && gone.has(self[from]!)) from++;
    while (right && from < to && gone.has(self[to - 1]!)) to--;
    return self.slice(from, to);
  };

const LINE = /\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]/g;
function splitLines(self: string, keepEnds: boolean): PyValue {
  const lines = [...self.matchAll(new RegExp(`([^\\n\\r\\v\\f\\x1c\\x1d\\x1e\\x85\\u2028\\u2029]*)(${LINE.source}|$)`, "g"))];
  return texts(lines.filter(([whole]) => whole !== "").map(([whole, line]) => (keepEnds ? whole : line!)));
}

/** The parts between separators, at most `most` separators from one end. */
function splitParts(self: string, separator: PyValue, most: number, fromRight: boolean): string[] {
  if (separator === "") raise("ValueError", "empty separator");
  const parts = separator === null ? self.split(/\s+/).filter(Boolean) : self.split(text(separator));
  if (most < 0 || parts.length <= most + 1) return parts;
  if (separator !== null) {
    const by = text(separator);
    return fromRight
      ? [parts.slice(0, parts.length - most).join(by), ...parts.slice(parts.length - most)]
      : [...parts.slice(0, most), parts.slice(most).join(by)];
  }
  // Blanks inside the part that is left whole stay; those at its outer end go.
  const blanks = fromRight ? /\s*(\S+)\s*$/ : /^\s*(\S+)\s*/;
  const out: string[] = [];
  let rest = self;
  for (let i = 0; i < most; i++) {
    const found = blanks.exec(rest)!;
    out.push(found[1]!);
    rest = fromRight ? rest.slice(0, found.index) : rest.slice(found[0].length);
  }
  return fromRight ? [rest.trimEnd(), ...out.toReversed()] : [...out, rest.trimStart()];
}
const split =
  (fromRight: boolean): Method =>
  (self, [separator, most], named) =>
    texts(
      splitParts(self, unwrap(separator ?? named.get("sep") ?? null), number(unwrap(most ?? named.get("maxsplit") ?? null), -1), fromRight),
    );
const partition =
  (last: boolean): Method =>
  (self, [separator]) => {
    const by = text(separator);
    if (by === "") raise("ValueError", "empty separator");
    const at = last ? self.lastIndexOf(by) : self.indexOf(by);
    if (at >= 0) return pythonTuple([self.slice(0, at), by, self.slice(at + by.length)]);
    return pythonTuple(last ? ["", "", self] : [self, "", ""]);
  };

const all =
  (pattern: RegExp, whenEmpty = false): Method =>
  (self) =>
    self === "" ? whenEmpty : pattern.test(self);
const pad =
  (place: (free: number, width: number) => number): Method =>
  (self, [wanted, filling]) => {
    const width = number(wanted, 0);
    const free = Math.max(width - self.length, 0);
    withinMemory(width);
    const left = place(free, width);
    const fill = filling === undefined ? " " : text(filling);
    return fill.repeat(left) + self + fill.repeat(free - left);
  };
const cased = (self: string): string => self.replaceAll(/\p{L}+/gu, (word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase());

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["upper", (self) => self.toUpperCase()],
  ["lower", (self) => self.toLowerCase()],
  ["casefold", (self) => self.toLowerCase().replaceAll("ß", "ss")],
  ["capitalize", (self) => self.slice(0, 1).toUpperCase() + self.slice(1).toLowerCase()],
  ["title", cased],
  ["swapcase", (self) => [...self].map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join("")],
  ["strip", strip(true, true)],
  ["lstrip", strip(true, false)],
  ["rstrip", strip(false, true)],
  ["startswith", affix((inside, prefix) => inside.startsWith(prefix))],
  ["endswith", affix((inside, suffix) => inside.endsWith(suffix))],
  ["removeprefix", (self, [prefix]) => (self.startsWith(text(prefix)) ? self.slice(text(prefix).length) : self)],
  ["removesuffix", (self, [suffix]) => (self.endsWith(text(suffix)) ? self.slice(0, self.length - text(suffix).length) : self)],
  ["find", find(false, () => -1n)],
  ["rfind", find(true, () => -1n)],
  ["index", find(false, () => raise("ValueError", "substring not found"))],
  ["rindex", find(true, () => raise("ValueError", "substring not found"))],
  ["count", (self, [what, start, stop]) => BigInt(part(self, start, stop).inside.split(text(what)).length + (what === "" ? 1 : -1))],
  ["replace", replace],
  ["split", split(false)],
  ["rsplit", split(true)],
  ["splitlines", (self, [keep], named) => splitLines(self, unwrap(keep ?? named.get("keepends") ?? false) === true)],
  ["partition", partition(false)],
  ["rpartition", partition(true)],
  ["join", (self, [items = null]) => joined(self, pyIterate(items).map(unwrap))],
  ["isalnum", all(/^[\p{L}\p{N}]+$/u)],
  ["isalpha", all(/^\p{L}+$/u)],
  ["isascii", all(/^[\0-\x7f]*$/, true)],
  ["isdecimal", all(/^\p{Nd}+$/u)],
  ["isdigit", all(/^[\p{Nd}\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089]+$/u)],
  ["isnumeric", all(/^\p{N}+$/u)],
  ["isidentifier", all(/^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*$/u)],
  ["isspace", all(new RegExp(`^[\\s${WHITE}]+$`))],
  ["islower", (self) => self.toLowerCase() === self && self.toUpperCase() !== self],
  ["isupper", (self) => self.toUpperCase() === self && self.toLowerCase() !== self],
  ["istitle", (self) => /\p{L}/u.test(self) && cased(self) === self],
  ["zfill", (self, [wanted]) => self.replace(/^[+-]?/, (sign) => sign + zeros(number(wanted, 0) - self.length))],
  ["ljust", pad(() => 0)],
  ["rjust", pad((free) => free)],
  // An odd place more is on the left if the width is odd.
  ["center", pad((free, width) => (free >> 1) + (free & width & 1))],
  ["format", formatFields],
]);

function zeros(count: number): string {
  withinMemory(count);
  return "0".repeat(Math.max(count, 0));
}

function replace(self: string, [from, to, most]: readonly PyValue[]): PyValue {
  const [old, other, wanted] = [text(from), text(to), number(most, -1)];
  const parts = old === "" ? ["", ...self, ""] : self.split(old);
  const times = wanted < 0 ? parts.length : wanted;
  withinMemory(self.length + Math.min(times, parts.length) * other.length);
  return parts.map((one, i) => (i === 0 ? one : (i <= times ? other : old) + one)).join("");
}

function joined(self: string, items: readonly PyValue[]): string {
  const wrong = items.findIndex((item) => typeof item !== "string");
  if (wrong >= 0) raise("TypeError", `sequence item ${wrong}: expected str instance, ${pyTypeName(items[wrong]!)} found`);
  withinMemory(items.length * self.length + items.reduce<number>((sum, item) => sum + (item as string).length, 0));
  return items.join(self);
}

function formatFields(template: string, args: readonly PyValue[], named: ReadonlyMap<string, PyValue>): string {
  let next = 0;
  return template.replaceAll(/\{\{|\}\}|\{(\w*)(?:!([rsa]))?(?::([^{}]*))?\}/g, (whole, field: string | undefined, conversion, spec) => {
    if (whole === "{{" || whole === "}}") return whole[0]!;
    const value = field === "" || field === undefined ? args[next++] : /^\d+$/.test(field) ? args[Number(field)] : named.get(field);
    if (value === undefined) return raise("IndexError", "Replacement index out of range for positional args tuple");
    return format(conversion === "r" ? pyRepr(value) : conversion === "s" ? pyStr(value) : value, spec ?? "");
  });
}
