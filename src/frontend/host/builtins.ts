/** Python's own functions and types, as host code and kernels see them. */
import { raise } from "../language/errors.js";
import { CORE } from "../language/operators.js";
import { dictKey, pyRepr, pyStr, pyTruth, pyTypeName } from "../language/python-text.js";
import {
  elementsOf,
  isConstexpr,
  isKind,
  isNumber,
  isTuple,
  type Opaque,
  type PyClass,
  type PyValue,
  pythonTuple,
} from "../language/values.js";
import { hostAttribute } from "./attributes.js";
import { callHost } from "./call.js";
import type { Host } from "./host.js";
import { isInstance } from "./instance-of.js";
import { CLASS_METHODS, type NativeCall, native, PROPERTIES, pythonType, STATIC_METHODS } from "./objects.js";
import { compareOrder, pyBinary, pyIterate, unknownOf } from "./operators.js";

const list = (values: readonly PyValue[]): PyValue => ({ kind: "list", values: [...values] });
const plain = (value: PyValue | undefined): PyValue => (isConstexpr(value) ? value.value : (value ?? null));

function toInt([value = 0n, base]: readonly PyValue[]): PyValue {
  const v = plain(value);
  if (typeof v === "bigint") return v;
  if (typeof v === "boolean") return BigInt(v);
  if (typeof v === "number") {
    if (!Number.isFinite(v)) return raise("ValueError", `cannot convert float ${Number.isNaN(v) ? "NaN" : "infinity"} to integer`);
    return BigInt(Math.trunc(v));
  }
  if (typeof v === "string") {
    const text = v.trim().replaceAll("_", "");
    const digits = base === 16n ? `0x${text.replace(/^0x/i, "")}` : base === 2n ? `0b${text.replace(/^0b/i, "")}` : text;
    if (!/^[-+]?\w+$/.test(text)) return raise("ValueError", `invalid literal for int() with base 10: ${pyRepr(v)}`);
    return digits.startsWith("-") ? -BigInt(digits.slice(1)) : BigInt(digits.replace(/^\+/, ""));
  }
  return raise("TypeError", `int() argument must be a string, a bytes-like object or a real number, not '${pyTypeName(v)}'`);
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
  const numbers = args.map((a) => {
    const v = plain(a);
    return typeof v === "bigint" || typeof v === "boolean"
      ? BigInt(v)
      : raise("TypeError", `'${pyTypeName(v)}' object cannot be interpreted as an integer`);
  });
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

const length = native("len", ([value = null]) => {
  const v = plain(value);
  if (typeof v === "string") return BigInt([...v].length);
  if (isKind(v, "dict")) return BigInt(v.entries.size);
  if (isTuple(v) || isKind(v, "list")) return BigInt(v.values.length);
  return raise("TypeError", `object of type '${pyTypeName(v)}' has no len()`);
});

function extreme(name: "min" | "max"): NativeCall {
  return (args, named) => {
    const items = args.length === 1 ? pyIterate(args[0]!) : args;
    if (items.length === 0) return named.get("default") ?? raise("ValueError", `${name}() arg is an empty sequence`);
    return items.reduce((best, item) => {
      const order = compareOrder(item, best);
      if (order === undefined)
        return raise("TypeError", `'<' not supported between instances of '${pyTypeName(item)}' and '${pyTypeName(best)}'`);
      return (name === "min" ? order < 0 : order > 0) ? item : best;
    });
  };
}

const isinstance = native("isinstance", ([value = null, classes = null]) => {
  const unknown = unknownOf(value) ?? (elementsOf(classes) ?? [classes]).map(unknownOf).find((cls) => cls !== undefined);
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

/** Functions that compute something of what they are given: of what is not known nothing. */
const COMPUTING = new Set(
  "abs bool dict enumerate filter float int len list map max min pow range reversed round set sorted str sum tuple zip".split(" "),
);
export const isUnknownCall = (name: string, args: readonly PyValue[]): Opaque | undefined =>
  COMPUTING.has(name) ? args.map(unknownOf).find((value) => value !== undefined) : undefined;

/** The names that host code sees without importing anything. */
export const HOST_BUILTINS: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
  ...TYPES.map((t) => [t.name, t] as const),
  ...EXCEPTIONS.map((name) => [name, pythonType(name, ([message = ""]) => message)] as const),
  ["object", pythonType("object", () => null)],
  ["len", length],
  ["isinstance", isinstance],
  ["print", native("print", () => null)],
  [
    "abs",
    native("abs", ([v = 0n]) =>
      isNumber(v) ? (Number(v) < 0 ? pyBinary("__sub__", 0n, v) : v) : raise("TypeError", `bad operand type for abs(): '${pyTypeName(v)}'`),
    ),
  ],
  ["min", native("min", extreme("min"))],
  ["max", native("max", extreme("max"))],
  ["sum", native("sum", ([items = null, start = 0n]) => pyIterate(items).reduce((a, b) => pyBinary("__add__", a, b), start))],
  ["any", native("any", ([items = null]) => pyIterate(items).some(pyTruth))],
  ["all", native("all", ([items = null]) => pyIterate(items).every(pyTruth))],
  [
    "sorted",
    native("sorted", ([items = null], named) =>
      list([...pyIterate(items)].sort((a, b) => (compareOrder(a, b) ?? 0) * (pyTruth(named.get("reverse") ?? false) ? -1 : 1))),
    ),
  ],
  ["map", native("map", ([fn = null, ...columns], _named, host) => each(columns, (row) => callHost(host, fn, row, new Map())))],
  [
    "filter",
    native("filter", ([fn = null, items = null], _named, host) => {
      const all = pyIterate(items);
      const verdicts = each([list(all)], (row) => (fn === null ? row[0]! : callHost(host, fn, row, new Map())));
      return isKind(verdicts, "list") ? list(all.filter((_, i) => pyTruth(verdicts.values[i]!))) : verdicts;
    }),
  ],
  ["reversed", native("reversed", ([items = null]) => list(pyIterate(items).toReversed()))],
  [
    "enumerate",
    native("enumerate", ([items = null, start = 0n]) =>
      list(pyIterate(items).map((v, i) => pythonTuple([BigInt(i) + BigInt(start as bigint), v]))),
    ),
  ],
  [
    "zip",
    native("zip", (columns) => {
      const all = columns.map(pyIterate);
      const rows = Math.min(...all.map((c) => c.length));
      return list(Array.from({ length: Number.isFinite(rows) ? rows : 0 }, (_, i) => pythonTuple(all.map((c) => c[i]!))));
    }),
  ],
  [
    "round",
    native("round", ([value = 0, digits]) => {
      if (typeof value === "bigint") return value;
      const scale = 10 ** Number(digits ?? 0n);
      const scaled = Number(value) * scale;
      const floor = Math.floor(scaled);
      const rounded = scaled - floor === 0.5 ? floor + (floor % 2 === 0 ? 0 : 1) : Math.round(scaled);
      return digits === undefined ? BigInt(rounded) : rounded / scale;
    }),
  ],
  ["pow", native("pow", ([a = null, b = null]) => pyBinary("__pow__", a, b))],
  ["repr", native("repr", ([value = null]) => pyRepr(value))],
  ["hash", native("hash", ([value = null]) => dictKey(value))],
  ["callable", native("callable", ([v]) => isKind(v, "jit") || isKind(v, "host_function") || isKind(v, "builtin") || isKind(v, "class"))],
  [
    "getattr",
    native(
      "getattr",
      ([value = null, name = null, fallback], _, host) =>
        attributeOf(host, value, name) ??
        fallback ??
        raise("AttributeError", `'${pyTypeName(value)}' object has no attribute ${pyRepr(name)}`),
    ),
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
