/** Python's string formatting: `format(value, spec)`, f-strings and `%`. */
import { raise } from "../language/errors.js";
import { dictKey, floatRepr, pyRepr, pyStr, pyTypeName } from "../language/python-text.js";
import { isConstexpr, isKind, isTuple, type PyValue } from "../language/values.js";

/** A part of an f-string: `{value!conversion:spec}`. */
export function formatValue(value: PyValue, conversion: string | undefined, spec: string): string {
  const converted: PyValue = conversion === undefined ? value : conversion === "s" ? pyStr(value) : pyRepr(value);
  return format(converted, spec);
}

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([bcdeEfFgGnosxX%])?$/su;

/** `format(value, spec)`. */
export function format(given: PyValue, spec: string): string {
  const value = isConstexpr(given) ? given.value : given;
  if (spec === "") return pyStr(value);
  const match = SPEC.exec(spec);
  if (!match) return raise("ValueError", `Invalid format specifier '${spec}' for object of type '${pyTypeName(value)}'`);
  const [, fill = " ", align, sign = "-", alternate, zero, width, grouping, precision, type] = match;
  const numeric = typeof value === "bigint" || typeof value === "number" || typeof value === "boolean";
  let body: string;
  let negative = false;
  if (numeric) {
    negative = Number(value) < 0;
    const magnitude = typeof value === "boolean" ? BigInt(value) : negative ? -value : value;
    body = numberText(magnitude, type, precision === undefined ? undefined : Number(precision), alternate !== undefined);
    if (grouping) body = body.replace(/^\d+/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, grouping));
  } else {
    body = pyStr(value);
    if (precision !== undefined) body = body.slice(0, Number(precision));
  }
  const signText = negative ? "-" : numeric && sign !== "-" ? sign : "";
  const missing = Math.max(0, Number(width ?? 0) - body.length - signText.length);
  const placed = align ?? (zero ? "=" : numeric ? ">" : "<");
  const padding = (zero && !align ? "0" : fill).repeat(missing);
  if (placed === "=") return signText + padding + body;
  if (placed === "<") return signText + body + padding;
  if (placed === "^") return padding.slice(0, missing >> 1) + signText + body + padding.slice(missing >> 1);
  return padding + signText + body;
}

function numberText(value: bigint | number, type: string | undefined, precision: number | undefined, alternate: boolean): string {
  if (typeof value === "bigint") {
    switch (type) {
      case "b":
        return (alternate ? "0b" : "") + value.toString(2);
      case "o":
        return (alternate ? "0o" : "") + value.toString(8);
      case "x":
        return (alternate ? "0x" : "") + value.toString(16);
      case "X":
        return (alternate ? "0X" : "") + value.toString(16).toUpperCase();
      case "c":
        return String.fromCodePoint(Number(value));
      case undefined:
      case "d":
      case "n":
        return value.toString();
    }
  }
  const number = Number(value);
  const exponent = (text: string): string => text.replace(/e([+-])(\d)$/, "e$10$2");
  switch (type) {
    case "f":
    case "F":
      return number.toFixed(precision ?? 6);
    case "e":
      return exponent(number.toExponential(precision ?? 6));
    case "E":
      return exponent(number.toExponential(precision ?? 6)).toUpperCase();
    case "%":
      return `${(number * 100).toFixed(precision ?? 6)}%`;
    case "g":
    case "G":
      return general(number, precision ?? 6);
    default:
      return precision === undefined ? floatRepr(number) : general(number, precision);
  }
}
function general(value: number, precision: number): string {
  const digits = Math.max(1, precision);
  const power = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  if (power < -4 || power >= digits)
    return value
      .toExponential(digits - 1)
      .replace(/\.?0+e/, "e")
      .replace(/e([+-])(\d)$/, "e$10$2");
  const text = value.toFixed(Math.max(0, digits - 1 - power));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** `text % values`. */
export function formatPercent(text: string, values: PyValue): string {
  const list = isTuple(values) ? [...values.values] : [values];
  let next = 0;
  return text.replaceAll(/%(?:\((\w+)\))?([-+ #0]*)(\d+)?(?:\.(\d+))?([%a-zA-Z])/g, (_, key, flags: string, width, precision, type) => {
    if (type === "%") return "%";
    const value = key === undefined ? list[next++] : isKind(values, "dict") ? values.entries.get(dictKey(key))?.[1] : undefined;
    if (value === undefined) return raise("TypeError", "not enough arguments for format string");
    if (type === "r") return pyRepr(value);
    const plain = typeof value === "number" && "di".includes(type) ? BigInt(Math.trunc(value)) : value;
    const align = flags.includes("-") ? "<" : type === "s" ? ">" : "";
    const spec = `${align}${flags.includes("+") ? "+" : ""}${flags.includes("0") ? "0" : ""}${width ?? ""}${precision === undefined ? "" : `.${precision}`}`;
    return format(type === "s" ? pyStr(plain) : plain, spec + (type === "s" ? "" : type === "i" ? "d" : type));
  });
}
