/** Python's own functions and types, as host code and kernels see them. */
import { raise } from "../language/errors.js";
import { CORE } from "../language/operators.js";
import { dictKey, pyRepr, pyStr, pyTruth, pyTypeName } from "../language/python-text.js";
import { elementsOf, isConstexpr, isKind, isNumber, isTuple, type PyClass, type PyValue, pythonTuple } from "../language/values.js";
import { hostAttribute } from "./attributes.js";
import { callHost } from "./call.js";
import { isInstance } from "./instance-of.js";
import {
  CLASS_METHODS,
  COMPUTING,
  computing,
  type Host,
  type NativeCall,
  native,
  PROPERTIES,
  pythonType,
  STATIC_METHODS,
} from "./objects.js";
import { integer, pyBinary, pyIterate, unknownOf, withinMemory } from "./operators.js";
import { extreme, sortedItems } from "./ordering.js";

const list = (values: readonly PyValue[]): PyValue => ({ kind: "list", values: [...values] });
const plain = (value: PyValue | undefined): PyValue => (isConstexpr(value) ? value.value : (value ?? null));

function toInt([value = 0n, base]: readonly PyValue[], named: ReadonlyMap<string, PyValue>): PyValue {
  const v = plain(value);
  const radix = base ?? named.get("base");
  if (typeof v === "string") return parseInteger(v, radix === undefined ? 10 : Number(integer(radix)));
  if (radix !== undefined) return raise("TypeError", "int() can't convert non-string with explicit base");
  if (typeof v === "bigint" || typeof v === "boolean") return BigInt(v);
  if (typeof v === "number") {
    if (!Number.isFinite(v)) return raise("ValueError", `cannot convert float ${Number.isNaN(v) ? "NaN" : "infinity"} to integer`);
    return BigInt(Math.trunc(v));
  }
  return raise("TypeError", `int() argument must be a string, a bytes-like object or a real number, not '${pyTypeName(v)}'`);
}

const PREFIXES: Readonly<Record<string, number>> = { "0b": 2, "0o": 8, "0x": 16 };
/** The number that `int(text, base)` returns; base 0 takes the text's own prefix. */
function parseInteger(text: string, base: number): bigint {
  if (base !== 0 && !(base >= 2 && base <= 36)) return raise("ValueError", "int() base must be >= 2 and <= 36, or 0");
  const wrong = (): never => raise("ValueError", `invalid literal for int() with base ${base}: ${pyRepr(text)}`);
  const [, sign = "", body = ""] = /^([-+]?)(.*)$/s.exec(text.trim().toLowerCase())!;
  const prefixed = PREFIXES[body.slice(0, 2)];
  const hasPrefix = prefixed !== undefined && (base === 0 || base === prefixed);
  const digits = hasPrefix ? body.slice(2).replace(/^_/, "") : body;
  const radix = base === 0 ? (hasPrefix ? prefixed : 10) : base;
  if (!/^[0-9a-z]+(?:_[0-9a-z]+)*$/.test(digits) || (base === 0 && !hasPrefix && /^0+[1-9]/.test(digits))) return wrong();
  const values = Array.from(digits.replaceAll("_", ""), (digit) => Number.parseInt(digit, 36));
  if (values.some((digit) => digit >= radix)) return wrong();
  const value = numberOf(values, radix);
  return sign === "-" ? -value : value;
}
/** CPython's limit, as the time to convert grows with the square. */
const MOST_DIGITS = 4300;
function numberOf(digits: readonly number[], radix: number): bigint {
  const bits = Math.log2(radix);
  if (Number.isInteger(bits)) {
    withinMemory(bits * digits.length);
    return BigInt(`0b${digits.map((digit) => digit.toString(2).padStart(bits, "0")).join("")}`);
  }
  if (digits.length > MOST_DIGITS)
    return raise(
      "ValueError",
      `Exceeds the limit (${MOST_DIGITS} digits) for integer string conversion: value has ${digits.length} digits; use sys.set_int_max_str_digits() to increase the limit`,
    );
  return digits.reduce((value, digit) => value * BigInt(radix) + BigInt(digit), 0n);
}
function toFloat([value = 0]: readonly PyValue[]): PyValue {
  const v = plain(value);
  if (isNumber(v)) return Number(v);
  if (typeof v === "string") {
    const text = v.trim().toLowerCase();
    const known = /^([-+]?)(inf|infinity|nan)$/.exec(text);
    if (known) return known[2] === "nan" ? Number.NaN : known[1] === "-" ? -Infinity : Infinity;
    const number = Number(text);
    if (text === "" || Number.isNaN(number)) return raise("ValueError", `could not convert string to float: ${pyRepr(v)}`);
    return number;
  }
  return raise("TypeError", `float() argument must be a string or a real number, not '${pyTypeName(v)}'`);
}

/** `range(...)` outside of loops of kernels: a list of its numbers. */
function rangeList(args: readonly PyValue[]): PyValue {
  const numbers = args.map(integer);
  const [start, end, step] = numbers.length === 1 ? [0n, numbers[0]!, 1n] : [numbers[0] ?? 0n, numbers[1] ?? 0n, numbers[2] ?? 1n];
  if (step === 0n) raise("ValueError", "range() arg 3 must not be zero");
  const out: bigint[] = [];
  for (let i = start; step > 0n ? i < end : i > end; i += step) {
    if (out.length > 1_000_000) return raise("RuntimeError", "a range of more than a million numbers is not followed");
    out.push(i);
  }
  return list(out);
}

export const PY_INT = pythonType("int", toInt);
export const PY_FLOAT = pythonType("float", toFloat);
export const PY_RANGE = pythonType("range", rangeList);
export const PY_LIST = pythonType("list", ([items]) => list(items === undefined ? [] : pyIterate(items)));
const PY_BOOL = pythonType("bool", ([value = false]) => pyTruth(value));
const PY_STR = pythonType("str", ([value = ""]) => pyStr(plain(value)));
const PY_TUPLE = pythonType("tuple", ([items]) => pythonTuple(items === undefined ? [] : pyIterate(items)));
const PY_DICT = pythonType("dict", ([items], named) => {
  const entries = new Map(isKind(items, "dict") ? items.entries : []);
  if (items !== undefined && !isKind(items, "dict"))
    for (const pair of pyIterate(items)) {
      const [key = null, value = null] = pyIterate(pair);
      entries.set(dictKey(key), [key, value]);
    }
  for (const [key, value] of named) entries.set(dictKey(key), [key, value]);
  return { kind: "dict", entries };
});
const PY_SET = pythonType("set", ([items]) =>
  list(items === undefined ? [] : [...new Map(pyIterate(items).map((v) => [dictKey(v), v])).values()]),
);

/** Returns `decisive` if an item has that truth value, else an item that is not known, if there is one. */
function truthOfAll(items: PyValue, decisive: boolean): PyValue {
  const all = pyIterate(items);
  if (all.some((item) => unknownOf(item) === undefined && pyTruth(item) === decisive)) return decisive;
  return all.map(unknownOf).find((item) => item !== undefined) ?? !decisive;
}

const length = computing("len", ([value = null]) => {
  const v = plain(value);
  if (typeof v === "string") return BigInt([...v].length);
  if (isKind(v, "dict")) return BigInt(v.entries.size);
  if (isTuple(v) || isKind(v, "list")) return BigInt(v.values.length);
  return raise("TypeError", `object of type '${pyTypeName(v)}' has no len()`);
});

const isinstance = native("isinstance", ([value = null, classes = null]) => {
  const all = elementsOf(classes) ?? [classes];
  if (isKind(value, "opaque") && value.argument !== undefined && value.argument !== "object") {
    const { argument } = value;
    if (all.some((cls) => (isKind(cls, "class") ? cls.name === argument : isKind(cls, "opaque") && cls.what === `torch.${argument}`)))
      return true;
    if (argument !== "Tensor") return false;
  }
  const unknown = unknownOf(value) ?? all.map(unknownOf).find((cls) => cls !== undefined);
  // A plain value is never an instance of a class that is not known.
  const isPlain = !isKind(value, "opaque") && !isKind(value, "instance") && !isKind(value, "jit");
  return isInstance(value, classes) || isPlain || !unknown ? isInstance(value, classes) : unknown;
});

/** The results of `call` for each row of some columns; if one result is not known, none is. */
function each(columns: readonly PyValue[], call: (row: readonly PyValue[]) => PyValue): PyValue {
  const all = columns.map(pyIterate);
  const values: PyValue[] = [];
  for (let i = 0; i < Math.min(...all.map((c) => c.length)); i++) {
    const value = call(all.map((c) => c[i]!));
    if (isKind(value, "opaque")) return value;
    values.push(value);
  }
  return list(values);
}

const TYPES: readonly PyClass[] = [PY_INT, PY_FLOAT, PY_RANGE, PY_LIST, PY_BOOL, PY_STR, PY_TUPLE, PY_DICT, PY_SET];
for (const type of TYPES) COMPUTING.add(type);
/** `type(value)`; the classes of what Triton and other modules make are not values here. */
function typeOf([value = null]: readonly PyValue[]): PyValue {
  if (isKind(value, "instance")) return value.cls;
  const name = pyTypeName(value);
  return (
    TYPES.find((type) => type.name === name) ?? {
      kind: "opaque",
      what: `type(${pyRepr(value)})`,
      why: `the class '${name}' is not known to tt-step`,
    }
  );
}
const EXCEPTIONS = [
  "Exception",
  "ValueError",
  "TypeError",
  "RuntimeError",
  "AssertionError",
  "ImportError",
  "NotImplementedError",
  "KeyError",
];
function marking(set: WeakSet<object>): NativeCall {
  return ([fn = null]) => {
    if (typeof fn === "object" && fn !== null) set.add(fn);
    return fn;
  };
}

const attributeOf = (host: Host, value: PyValue, name: PyValue): PyValue | undefined =>
  typeof name === "string" ? hostAttribute(host, value, name) : raise("TypeError", "attribute name must be string");

function rounded(value: PyValue, digits: PyValue): PyValue {
  if (!isNumber(value)) return raise("TypeError", `type ${pyTypeName(value)} doesn't define __round__ method`);
  const places = digits === null ? 0 : Number(integer(digits));
  // No float has more digits, and none is larger.
  if (places > 400 || (typeof value !== "number" && places >= 0)) return typeof value === "number" ? value : BigInt(value);
  if (places < -400) return typeof value === "number" ? 0 : 0n;
  if (typeof value === "number" && !Number.isFinite(value)) return digits === null ? toInt([value], new Map()) : value;
  const [numerator, denominator] = typeof value === "number" ? fractionOf(value) : [BigInt(value), 1n];
  const [up, down] = places >= 0 ? [10n ** BigInt(places), 1n] : [1n, 10n ** BigInt(-places)];
  const units = dividedToEven(numerator * up, denominator * down);
  if (digits === null) return units;
  return typeof value === "number" ? Number(`${units}e${-places}`) : units * down;
}
/** A float as a fraction, exactly. */
function fractionOf(value: number): readonly [bigint, bigint] {
  let [scaled, denominator] = [value, 1n];
  while (!Number.isInteger(scaled)) [scaled, denominator] = [scaled * 2, denominator * 2n];
  return [BigInt(scaled), denominator];
}
/** a / b to the nearest integer, halves to the even one; b is positive. */
function dividedToEven(a: bigint, b: bigint): bigint {
  const rest = ((a % b) + b) % b;
  const below = (a - rest) / b;
  return 2n * rest > b || (2n * rest === b && below % 2n !== 0n) ? below + 1n : below;
}

function power(a: PyValue, b: PyValue, modulus: PyValue): PyValue {
  if (modulus === null) return pyBinary("__pow__", a, b);
  const [m, exponent] = [integer(modulus), integer(b)];
  if (m === 0n) return raise("ValueError", "pow() 3rd argument cannot be 0");
  if (exponent < 0n) return raise("ValueError", "base is not invertible for the given modulus");
  const bits = (value: bigint): number => value.toString(2).length;
  withinMemory((bits(exponent) * bits(m)) >> 8);
  const within = (value: bigint): bigint => ((value % m) + m) % m;
  let [result, factor] = [within(1n), within(integer(a))];
  for (let bits = exponent; bits > 0n; bits >>= 1n) {
    if (bits & 1n) result = within(result * factor);
    factor = within(factor * factor);
  }
  return result;
}

function codePoint(value: PyValue): bigint {
  if (typeof value !== "string") return raise("TypeError", `ord() expected string of length 1, but ${pyTypeName(value)} found`);
  const characters = [...value];
  if (characters.length !== 1) return raise("TypeError", `ord() expected a character, but string of length ${characters.length} found`);
  return BigInt(value.codePointAt(0)!);
}
const character = (code: bigint): string =>
  code >= 0n && code < 0x110000n ? String.fromCodePoint(Number(code)) : raise("ValueError", "chr() arg not in range(0x110000)");

/** Python's hash of text differs from run to run, so only that of small integers is known. */
const hashOf = (value: PyValue): PyValue =>
  typeof value === "bigint" && value > -1n && value < 2n ** 61n - 1n
    ? value
    : { kind: "opaque", what: `hash(${pyRepr(value)})`, why: "hashes are not known to tt-step" };

/** The names that host code sees without importing anything. */
export const HOST_BUILTINS: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
  ...TYPES.map((t) => [t.name, t] as const),
  ...EXCEPTIONS.map((name) => [name, pythonType(name, ([message = ""]) => message)] as const),
  ["object", pythonType("object", () => null)],
  ["type", native("type", typeOf)],
  ["len", length],
  ["isinstance", isinstance],
  ["print", native("print", () => null)],
  [
    "abs",
    computing("abs", ([v = 0n]) =>
      isNumber(v) ? (Number(v) < 0 ? pyBinary("__sub__", 0n, v) : v) : raise("TypeError", `bad operand type for abs(): '${pyTypeName(v)}'`),
    ),
  ],
  ["min", computing("min", extreme("min"))],
  ["max", computing("max", extreme("max"))],
  [
    "sum",
    computing("sum", ([items = null, start], named) =>
      pyIterate(items).reduce((a, b) => pyBinary("__add__", a, b), start ?? named.get("start") ?? 0n),
    ),
  ],
  ["any", computing("any", ([items = null]) => truthOfAll(items, true))],
  ["all", computing("all", ([items = null]) => truthOfAll(items, false))],
  [
    "sorted",
    computing("sorted", ([items = null], named, host) => {
      const result = sortedItems(pyIterate(items), named, host);
      return "sorted" in result ? list(result.sorted) : result.unknown;
    }),
  ],
  ["map", computing("map", ([fn = null, ...columns], _named, host) => each(columns, (row) => callHost(host, fn, row, new Map())))],
  [
    "filter",
    computing("filter", ([fn = null, items = null], _named, host) => {
      const all = pyIterate(items);
      const verdicts = each([list(all)], (row) => (fn === null ? row[0]! : callHost(host, fn, row, new Map())));
      return isKind(verdicts, "list") ? list(all.filter((_, i) => pyTruth(verdicts.values[i]!))) : verdicts;
    }),
  ],
  ["reversed", computing("reversed", ([items = null]) => list(pyIterate(items).toReversed()))],
  [
    "enumerate",
    computing("enumerate", ([items = null, start], named) => {
      const first = integer(start ?? named.get("start") ?? 0n);
      return list(pyIterate(items).map((v, i) => pythonTuple([BigInt(i) + first, v])));
    }),
  ],
  [
    "zip",
    computing("zip", (columns) => {
      const all = columns.map(pyIterate);
      const rows = Math.min(...all.map((c) => c.length));
      return list(Array.from({ length: Number.isFinite(rows) ? rows : 0 }, (_, i) => pythonTuple(all.map((c) => c[i]!))));
    }),
  ],
  ["round", computing("round", ([value = 0, digits], named) => rounded(plain(value), plain(digits ?? named.get("ndigits"))))],
  ["pow", computing("pow", ([a = null, b = null, modulus]) => power(a, b, plain(modulus)))],
  ["divmod", computing("divmod", ([a = null, b = null]) => pythonTuple([pyBinary("__floordiv__", a, b), pyBinary("__mod__", a, b)]))],
  ["ord", computing("ord", ([c]) => codePoint(plain(c)))],
  ["chr", computing("chr", ([code = 0n]) => character(integer(code)))],
  ...[["bin", 2, "0b"] as const, ["oct", 8, "0o"] as const, ["hex", 16, "0x"] as const].map(
    ([name, radix, prefix]) =>
      [
        name,
        native(name, ([value = null]) =>
          integer(value)
            .toString(radix)
            .replace(/^-?/, (sign) => sign + prefix),
        ),
      ] as const,
  ),
  ["repr", native("repr", ([value = null]) => pyRepr(value))],
  ["hash", native("hash", ([value = null]) => hashOf(plain(value)))],
  ["callable", native("callable", ([v]) => isKind(v, "jit") || isKind(v, "host_function") || isKind(v, "builtin") || isKind(v, "class"))],
  [
    "getattr",
    native("getattr", ([value = null, name = null, fallback], _, host) => {
      const found = attributeOf(host, value, name);
      const result = found === undefined ? fallback : found;
      return result === undefined ? raise("AttributeError", `'${pyTypeName(value)}' object has no attribute ${pyRepr(name)}`) : result;
    }),
  ],
  [
    "hasattr",
    native("hasattr", ([value = null, name = null], _, host) => {
      const found = attributeOf(host, value, name);
      // Whether something that is not known has it is not known, unless something is known of that.
      return isKind(found, "opaque") && isKind(value, "opaque")
        ? { ...found, what: `hasattr(${value.what}, ${pyRepr(name)})` }
        : found !== undefined;
    }),
  ],
  ["staticmethod", native("staticmethod", marking(STATIC_METHODS))],
  ["classmethod", native("classmethod", marking(CLASS_METHODS))],
  ["property", native("property", marking(PROPERTIES))],
]);

const core = (name: string): PyValue => ({ kind: "builtin", def: CORE.get(name)! });

/** The names that a kernel sees without importing anything. Source: code_generator.py, CodeGenerator.builtin_namespace. */
export const KERNEL_BUILTINS: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
  ["len", length],
  ["list", PY_LIST],
  ["range", PY_RANGE],
  ["float", PY_FLOAT],
  ["int", PY_INT],
  ["isinstance", isinstance],
  ["getattr", HOST_BUILTINS.get("getattr")!],
  ["hasattr", HOST_BUILTINS.get("hasattr")!],
  ["print", core("device_print")],
  ["min", core("builtin_min")],
  ["max", core("builtin_max")],
]);
