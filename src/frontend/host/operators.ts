/** Python's operators on values that are known while compiling. */

import { LIMITS, limitMessage } from "../../support/limits.js";
import { OUTSIDE_OF_KERNELS, raise } from "../language/errors.js";
import { comparable, dictKey, pyEquals, pyRepr, pyTruth, pyTypeName } from "../language/python-text.js";
import {
  constexpr,
  elementsOf,
  isConstexpr,
  isKind,
  isNumber,
  isTensor,
  isTuple,
  type Opaque,
  type PyValue,
  pythonTuple,
  tuple,
  unwrap,
} from "../language/values.js";
import type * as ast from "../python/ast.js";
import { formatPercent } from "./format.js";

const SYMBOLS: Readonly<Record<string, string>> = {
  __add__: "+",
  __sub__: "-",
  __mul__: "*",
  __truediv__: "/",
  __floordiv__: "//",
  __mod__: "%",
  __pow__: "** or pow()",
  __lshift__: "<<",
  __rshift__: ">>",
  __and__: "&",
  __or__: "|",
  __xor__: "^",
  __matmul__: "@",
};
/** The methods of tensors by operator. */
export const BINARY_METHODS: Readonly<Partial<Record<ast.BinaryOperator, string>>> = {
  Add: "__add__",
  Sub: "__sub__",
  Mult: "__mul__",
  Div: "__truediv__",
  FloorDiv: "__floordiv__",
  Mod: "__mod__",
  Pow: "__pow__",
  LShift: "__lshift__",
  RShift: "__rshift__",
  BitAnd: "__and__",
  BitOr: "__or__",
  BitXor: "__xor__",
};
export const COMPARE_METHODS: Readonly<Partial<Record<ast.CompareOperator, string>>> = {
  Eq: "__eq__",
  NotEq: "__ne__",
  Lt: "__lt__",
  LtE: "__le__",
  Gt: "__gt__",
  GtE: "__ge__",
};
export const UNARY_METHODS: Readonly<Record<ast.UnaryOperator, string>> = {
  USub: "__neg__",
  UAdd: "__pos__",
  Not: "__not__",
  Invert: "__invert__",
};
/** The same and those of Python's that tensors lack. */
export const METHOD_OF: Readonly<Record<string, string>> = {
  ...BINARY_METHODS,
  MatMult: "__matmul__",
  ...COMPARE_METHODS,
  ...UNARY_METHODS,
};

/** `left op right`, the operator by its method's name. */
export function pyBinary(method: string, left: PyValue, right: PyValue): PyValue {
  if (isConstexpr(left) || isConstexpr(right)) return constexpr(pyBinary(method, unwrap(left), unwrap(right)));
  const result = binary(method, left, right);
  if (result !== undefined) return result;
  if (isKind(left, "opaque") || isKind(right, "opaque"))
    return { kind: "opaque", what: `${pyRepr(left)} ${SYMBOLS[method]} ${pyRepr(right)}`, why: opaqueReason(left, right) };
  return raise(
    "TypeError",
    `unsupported operand type(s) for ${SYMBOLS[method] ?? method}: '${pyTypeName(left)}' and '${pyTypeName(right)}'`,
  );
}
const opaqueReason = (...values: readonly PyValue[]): string =>
  values.map((v) => (isKind(v, "opaque") ? v.why : "")).find((w) => w !== "") ?? "";

const isInteger = (v: PyValue): v is bigint | boolean => typeof v === "bigint" || typeof v === "boolean";

function binary(method: string, left: PyValue, right: PyValue): PyValue | undefined {
  if (isInteger(left) && isInteger(right)) return integers(method, left, right);
  if (isNumber(left) && isNumber(right)) return floats(method, Number(left), Number(right));
  if (typeof left === "string" && method === "__mod__") return formatPercent(left, right);
  const [x, y] = [sequence(left), sequence(right)];
  if (method === "__add__" && x !== undefined && typeof x === typeof y && kindName(left) === kindName(right)) {
    withinMemory(x.length + y!.length);
    if (typeof x === "string") return x + String(y);
    if (isTuple(left) && left.isPython && isTuple(right) && !right.isPython)
      return raise("TypeError", 'can only concatenate tuple (not "tuple") to tuple');
    return like(left, [...x, ...(y as readonly PyValue[])]);
  }
  if (method === "__add__" && typeof x === "string" && y !== undefined && typeof y !== "string")
    return raise("TypeError", `can only concatenate str (not "${pyTypeName(right)}") to str`);
  if (method === "__mul__" && x !== undefined && isInteger(right)) return repeat(left, x, Number(right));
  if (method === "__mul__" && y !== undefined && isInteger(left)) return repeat(right, y, Number(left));
  if (method === "__or__" && isKind(left, "class") && isKind(right, "class")) return pythonTuple([left, right]);
  if (method === "__or__" && isKind(left, "dict") && isKind(right, "dict"))
    return { kind: "dict", entries: new Map([...left.entries, ...right.entries]) };
  return undefined;
}
const kindName = (v: PyValue): string => (typeof v === "object" && v !== null ? v.kind : typeof v);
function sequence(value: PyValue): string | readonly PyValue[] | undefined {
  if (typeof value === "string") return value;
  return isTuple(value) || isKind(value, "list") ? value.values : undefined;
}
const like = (value: PyValue, values: PyValue[]): PyValue =>
  isKind(value, "list") ? { kind: "list", values } : isTuple(value) && value.isPython ? pythonTuple(values) : tuple(values);
/** Elements of a list, and bits of a number, that are still computed while compiling. */
const LARGEST = LIMITS["python-value"].most;
/** Refuses a sequence of more elements, or a number of more bits, than is computed while compiling. */
export function withinMemory(size: number): void {
  if (size > LARGEST) raise("MemoryError", limitMessage("python-value"));
}
const bitsOf = (value: bigint): number => 4 * value.toString(16).length;

function repeat(value: PyValue, items: string | readonly PyValue[], times: number): PyValue {
  withinMemory(items.length * times);
  if (typeof items === "string") return items.repeat(Math.max(0, times));
  return like(value, Array.from({ length: Math.max(0, times) }, () => items).flat());
}

/** Products of smaller numbers need no look at their sizes. */
const SMALL = 1n << 64n;

function integers(method: string, left: bigint | boolean, right: bigint | boolean): PyValue | undefined {
  const [a, b] = [BigInt(left), BigInt(right)];
  const booleans = typeof left === "boolean" && typeof right === "boolean";
  const bits = (value: bigint): PyValue => (booleans ? value !== 0n : value);
  switch (method) {
    case "__add__":
      return a + b;
    case "__sub__":
      return a - b;
    case "__mul__":
      if (a > SMALL || b > SMALL || a < -SMALL || b < -SMALL) withinMemory(bitsOf(a) + bitsOf(b));
      return a * b;
    case "__truediv__":
      if (b === 0n) raise("ZeroDivisionError", "division by zero");
      return Number(a) / Number(b);
    case "__floordiv__":
      if (b === 0n) raise("ZeroDivisionError", "integer division or modulo by zero");
      return floorDiv(a, b);
    case "__mod__":
      if (b === 0n) raise("ZeroDivisionError", "integer modulo by zero");
      return a - floorDiv(a, b) * b;
    case "__pow__":
      if (b > 1n && BigInt(a.toString(16).length) * b > BigInt(LARGEST)) return raise("OverflowError", "the number is too large");
      return b < 0n ? Number(a) ** Number(b) : a ** b;
    case "__lshift__":
      if (b < 0n) raise("ValueError", "negative shift count");
      if (b > BigInt(LARGEST)) return raise("OverflowError", "the number is too large");
      return a << b;
    case "__rshift__":
      if (b < 0n) raise("ValueError", "negative shift count");
      return a >> b;
    case "__and__":
      return bits(a & b);
    case "__or__":
      return bits(a | b);
    case "__xor__":
      return bits(a ^ b);
    default:
      return undefined;
  }
}
/** Rounds towards minus infinity. */
function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function floats(method: string, a: number, b: number): PyValue | undefined {
  switch (method) {
    case "__add__":
      return a + b;
    case "__sub__":
      return a - b;
    case "__mul__":
      return a * b;
    case "__truediv__":
      if (b === 0) raise("ZeroDivisionError", "float division by zero");
      return a / b;
    case "__floordiv__":
      if (b === 0) raise("ZeroDivisionError", "float floor division by zero");
      return Math.floor(a / b);
    case "__mod__": {
      if (b === 0) raise("ZeroDivisionError", "float modulo");
      const rest = a % b;
      return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
    }
    case "__pow__":
      return a ** b;
    default:
      return undefined;
  }
}

/** Comparisons by their method's name; undefined for another method. */
export function pyCompareMethod(method: string, left: PyValue, right: PyValue): boolean | undefined {
  if (isConstexpr(left) || isConstexpr(right)) return pyCompareMethod(method, unwrap(left), unwrap(right));
  if (method === "__eq__") return pyEquals(left, right);
  if (method === "__ne__") return !pyEquals(left, right);
  const symbol = { __lt__: "<", __le__: "<=", __gt__: ">", __ge__: ">=" }[method];
  if (!symbol) return undefined;
  const order = compareOrder(comparable(left), comparable(right));
  if (order === undefined)
    return raise("TypeError", `'${symbol}' not supported between instances of '${pyTypeName(left)}' and '${pyTypeName(right)}'`);
  if (Number.isNaN(order)) return false;
  return symbol === "<" ? order < 0 : symbol === "<=" ? order <= 0 : symbol === ">" ? order > 0 : order >= 0;
}

/** Negative, 0 or positive; NaN for what has no order, undefined for what cannot be compared. */
export function compareOrder(left: PyValue, right: PyValue): number | undefined {
  if (isNumber(left) && isNumber(right)) {
    if (Number.isNaN(Number(left)) || Number.isNaN(Number(right))) return Number.NaN;
    const [a, b] = [typeof left === "boolean" ? BigInt(left) : left, typeof right === "boolean" ? BigInt(right) : right];
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : left > right ? 1 : 0;
  const [x, y] = [sequence(left), sequence(right)];
  if (!x || !y || typeof x === "string" || typeof y === "string" || kindName(left) !== kindName(right)) return undefined;
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (!pyEquals(x[i]!, y[i]!)) return compareOrder(x[i]!, y[i]!);
  return x.length - y.length;
}

/** `item in container`. */
export function pyContains(container: PyValue, item: PyValue): boolean {
  const plain = isConstexpr(container) ? container.value : container;
  if (typeof plain === "string" && typeof item === "string") return plain.includes(item);
  if (isKind(plain, "dict")) return plain.entries.has(dictKey(item));
  const items = sequence(plain);
  if (items === undefined || typeof items === "string")
    return raise("TypeError", `argument of type '${pyTypeName(plain)}' is not iterable`);
  return items.some((v) => pyEquals(v, item));
}

/** The opaque value, also inside a constexpr; undefined if the value is known. */
export function unknownOf(value: PyValue): Opaque | undefined {
  const plain = isConstexpr(value) ? value.value : value;
  return isKind(plain, "opaque") ? plain : undefined;
}

/** `-x`, `+x`, `~x`, `not x`, by the method's name. */
export function pyUnary(method: string, value: PyValue): PyValue {
  if (method === "__not__") return unknownOf(value) ?? !pyTruth(value);
  if (isConstexpr(value)) return constexpr(pyUnary(method, value.value));
  if (isNumber(value)) {
    const plain = typeof value === "boolean" ? BigInt(value) : value;
    if (method === "__neg__") return -plain;
    if (method === "__pos__") return plain;
    if (method === "__invert__" && typeof plain === "bigint") return ~plain;
  }
  if (isKind(value, "opaque")) return value;
  const symbol = { __neg__: "-", __pos__: "+", __invert__: "~" }[method];
  return raise("TypeError", `bad operand type for unary ${symbol}: '${pyTypeName(value)}'`);
}

/** `value[index]`; `name`: what a sequence is called where it has no such item. */
export function pyIndex(value: PyValue, index: PyValue, name = listName(value)): PyValue {
  if (isConstexpr(value)) return pyIndex(value.value, index);
  if (isKind(index, "opaque")) return index;
  if (isKind(value, "class") && value.module === "typing") {
    const classes = elementsOf(index) ?? [index];
    // The classes that `isinstance` takes.
    return pythonTuple(value.name === "Optional" ? [...classes, null] : classes);
  }
  if (isKind(value, "class")) {
    const member = value.attrs.get(String(index));
    return isKind(member, "enum") ? member : raise("KeyError", pyRepr(index));
  }
  if (isKind(value, "dict")) {
    const entry = value.entries.get(dictKey(index));
    if (!entry) return raise("KeyError", pyRepr(index));
    return entry[1];
  }
  if (isKind(value, "opaque")) return { ...value, what: `${value.what}[${pyRepr(index)}]` };
  const items = typeof value === "string" ? [...value] : sequence(value);
  if (items === undefined || typeof items === "string") return raise("TypeError", `'${pyTypeName(value)}' object is not subscriptable`);
  const rebuilt = (parts: PyValue[]): PyValue => (typeof value === "string" ? parts.join("") : like(value, parts));
  if (isKind(index, "slice")) return rebuilt(sliceIndices(index, items.length).map((i) => items[i]!));
  const plain = isConstexpr(index) ? index.value : index;
  if (!isInteger(plain)) return raise("TypeError", `${listName(value)} indices must be integers or slices, not ${pyTypeName(plain)}`);
  const at = Number(plain);
  const item = items[at < 0 ? at + items.length : at];
  if (item === undefined) return raise("IndexError", `${name} index out of range`);
  return item;
}
const listName = (value: PyValue): string => (typeof value === "string" ? "string" : isTuple(value) ? "tuple" : "list");

/** The indices that a slice takes of a sequence. */
export function sliceIndices(slice: Extract<PyValue, { readonly kind: "slice" }>, length: number): number[] {
  const bound = (v: PyValue): number | undefined => {
    const plain = isConstexpr(v) ? v.value : v;
    if (plain === null) return undefined;
    if (!isInteger(plain)) return raise("TypeError", "slice indices must be integers or None or have an __index__ method");
    return Number(plain);
  };
  const step = bound(slice.step) ?? 1;
  if (step === 0) raise("ValueError", "slice step cannot be zero");
  const clamp = (v: number | undefined, fallback: number, low: number, high: number): number =>
    v === undefined ? fallback : Math.min(high, Math.max(low, v < 0 ? v + length : v));
  const out: number[] = [];
  if (step > 0) {
    const stop = clamp(bound(slice.stop), length, 0, length);
    for (let i = clamp(bound(slice.start), 0, 0, length); i < stop; i += step) out.push(i);
  } else {
    const stop = clamp(bound(slice.stop), -1, -1, length - 1);
    for (let i = clamp(bound(slice.start), length - 1, -1, length - 1); i > stop; i += step) out.push(i);
  }
  return out;
}

/** An integer, as Python takes one for a count or an index. */
export function integer(value: PyValue): bigint {
  const plain = isConstexpr(value) ? value.value : value;
  return typeof plain === "bigint" || typeof plain === "boolean"
    ? BigInt(plain)
    : isTensor(plain)
      ? raise("ValueError", OUTSIDE_OF_KERNELS)
      : raise("TypeError", `'${pyTypeName(plain)}' object cannot be interpreted as an integer`);
}

/** The items that iterating over a value gives. */
export function pyIterate(value: PyValue): readonly PyValue[] {
  const plain = isConstexpr(value) ? value.value : value;
  if (typeof plain === "string") return [...plain];
  if (isKind(plain, "dict")) return [...plain.entries.values()].map(([key]) => key);
  if (isKind(plain, "range") && plain.flavour === "range") return [];
  if (isKind(plain, "class")) {
    const members = [...plain.attrs.values()].filter((member) => isKind(member, "enum"));
    if (members.length > 0) return members;
  }
  const items = sequence(plain);
  if (items === undefined || typeof items === "string") return raise("TypeError", `'${pyTypeName(plain)}' object is not iterable`);
  return items;
}
