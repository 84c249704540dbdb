/** How Python prints, compares and tests values of ours. */
import { Bug } from "../../support/assert.js";
import { LIMITS, limitMessage } from "../../support/limits.js";
import { raise, raiseUnknown } from "./errors.js";
import { type BufferType, type Dtype, isInt, isIntSigned, type TlType, type TupleType, tensorTypeName, VOID } from "./types.js";
import { isConstexpr, isKind, isLayout, isTuple, type Layout, type PyDict, type PyTuple, type PyValue } from "./values.js";

/** `str(value)`; with "type" the class of the value, as `<class 'int'>`. */
export function pyStr(value: PyValue, what: "value" | "type" = "value"): string {
  if (what === "type") return `<class '${pyTypeName(value, true)}'>`;
  return typeof value === "string" ? value : pyRepr(value, true);
}

/** The text of a value, and of those in it: lists share their elements, so that a short program can name a text without end. */
function counted(write: () => string): string {
  if (depth++ === 0) written = 0;
  try {
    const text = write();
    written += text.length;
    if (written > LIMITS["python-value"].most) raise("MemoryError", limitMessage("python-value"));
    return text;
  } finally {
    depth--;
  }
}
let depth = 0;
let written = 0;

/** `repr(value)`; of objects whose `str` differs, that one when `asStr`. */
export const pyRepr = (value: PyValue, asStr = false): string => counted(() => reprOf(value, asStr));

function reprOf(value: PyValue, asStr: boolean): string {
  if (value === null) return "None";
  switch (typeof value) {
    case "boolean":
      return value ? "True" : "False";
    case "bigint":
      return value.toString();
    case "number":
      return floatRepr(value);
    case "string":
      return stringRepr(value);
  }
  switch (value.kind) {
    case "constexpr":
      return `constexpr[${pyStr(value.value)}]`;
    case "tensor":
      return tensorText(value.type);
    case "descriptor":
    case "buffer":
    case "accumulator":
    case "clc_result":
      return typeName(value.type);
    case "layout":
      return value.text;
    case "tuple":
      return tupleText(value, asStr);
    case "list":
      return `[${value.values.map((v) => pyRepr(v)).join(", ")}]`;
    case "dict":
      return `{${[...value.entries.values()].map(([k, v]) => `${pyRepr(k)}: ${pyRepr(v)}`).join(", ")}}`;
    case "slice":
      return `slice(${[value.start, value.stop, value.step].map((v) => pyRepr(v)).join(", ")})`;
    case "jit":
      return `JITFunction(${value.module}:${value.qualname})`;
    case "host_function":
      return `<function ${value.name}>`;
    case "builtin":
      return `<function ${value.def.name}>`;
    case "bound_method":
      return `<bound method of ${pyRepr(value.self)}>`;
    case "module":
      return `<module '${value.name}'>`;
    case "class":
      return `<class '${value.module === "builtins" ? "" : `${value.module}.`}${value.qualname}'>`;
    case "instance":
      return `<${value.cls.module}.${value.cls.qualname} object>`;
    case "enum":
      return asStr ? `${value.type}.${value.name}` : `<${value.type}.${value.name}: ${value.value}>`;
    case "opaque":
      return value.what;
    case "range":
    case "condition":
      return `<triton.language.core.${value.kind === "range" ? value.flavour : value.kind} object>`;
    default:
      return asStr ? typeName(value) : typeRepr(value);
  }
}

/** As `fp32[constexpr[16], constexpr[32]]`. */
function tensorText(type: Parameters<typeof typeName>[0]): string {
  if (type.kind !== "block") return `${typeName(type)}[]`;
  return `${typeName(type.element)}[${type.shape.map((extent) => `constexpr[${extent}]`).join(", ")}]`;
}
function tupleText({ values, fields, cls, isPython }: PyTuple, asStr: boolean): string {
  if (!isPython) return asStr ? `[${values.map((v) => stringRepr(pyStr(v))).join(", ")}]` : `(${values.map((v) => pyRepr(v)).join(", ")})`;
  if (cls && fields) return `${cls.name}(${values.map((v, i) => `${fields[i]}=${pyRepr(v)}`).join(", ")})`;
  return `(${values.map((v) => pyRepr(v)).join(", ")}${values.length === 1 ? "," : ""})`;
}

/** A float as Python's `repr` writes it: the shortest digits that read back. */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
    const [digits, exponent] = value.toExponential().split("e") as [string, string];
    const sign = exponent[0] === "-" ? "-" : "+";
    return `${digits}e${sign}${exponent.slice(1).padStart(2, "0")}`;
  }
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** A string literal with Python's choice of quotes and escapes. */
export function stringRepr(value: string): string {
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  let out = "";
  for (const ch of value) {
    const code = ch.codePointAt(0)!;
    if (ch === "\\" || ch === quote) out += `\\${ch}`;
    else if (ch === "\n") out += "\\n";
    else if (ch === "\r") out += "\\r";
    else if (ch === "\t") out += "\\t";
    else if (code < 32 || code === 127) out += `\\x${code.toString(16).padStart(2, "0")}`;
    else out += ch;
  }
  return `${quote}${out}${quote}`;
}

/** Python's message for an attribute that a value does not have. */
export function noAttribute(value: PyValue, name: string): string {
  if (isKind(value, "opaque")) return `'${value.what}' is not known: ${value.why}`;
  const owner = isKind(value, "module") ? `module '${value.name}'` : isKind(value, "class") ? `type object '${value.name}'` : undefined;
  return `${owner ?? `'${pyTypeName(value)}' object`} has no attribute '${name}'`;
}

/** The name of a value's class; with its module when `qualified`. */
export function pyTypeName(value: PyValue, qualified = false): string {
  if (value === null) return "NoneType";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "float";
    case "string":
      return "str";
  }
  const core = (name: string) => (qualified ? `triton.language.core.${name}` : name);
  switch (value.kind) {
    case "tuple":
      return value.isPython ? "tuple" : core("tuple");
    case "tensor":
    case "constexpr":
    case "slice":
      return core(value.kind);
    case "descriptor":
      return core("tensor_descriptor");
    case "buffer":
      return value.type.space === "shared" ? "shared_memory_descriptor" : "tensor_memory_descriptor";
    case "accumulator":
      return "warpgroup_mma_accumulator";
    case "clc_result":
      return "clc_result";
    case "layout":
      return qualified ? `${value.cls.module}.${value.cls.name}` : value.cls.name;
    case "dtype":
      return core("dtype");
    case "pointer":
      return core("pointer_type");
    case "block":
      return core("block_type");
    case "range":
      return core(value.flavour);
    case "instance":
      return qualified ? `${value.cls.module}.${value.cls.qualname}` : value.cls.name;
    case "jit":
      return qualified ? "triton.runtime.jit.JITFunction" : "JITFunction";
    case "host_function":
    case "builtin":
      return "function";
    case "class":
      return "type";
    case "bound_method":
      return "method";
    default:
      return value.kind;
  }
}

/** The plain value that represents a value in comparisons. */
export function comparable(value: PyValue): PyValue {
  const plain = isConstexpr(value) ? value.value : value;
  if (isKind(plain, "instance") && plain.cls.module === "packaging.version") return plain.attrs.get("_key")!;
  return isKind(plain, "enum") && plain.isInt ? plain.value : plain;
}

/** Whether Python's `a == b` holds for values known at compile time. Lists that contain lists several times over have many parts. */
export function pyEquals(a: PyValue, b: PyValue, compared = { parts: 0 }): boolean {
  const [x, y] = [comparable(a), comparable(b)];
  if (x === y) return true;
  if (++compared.parts > LIMITS["python-value"].most) raise("MemoryError", limitMessage("python-value"));
  if (isNumeric(x) && isNumeric(y)) return exactNumber(x) === exactNumber(y);
  if (isTuple(x) && isTuple(y)) return x.values.length === y.values.length && x.values.every((v, i) => pyEquals(v, y.values[i]!, compared));
  if (isKind(x, "list") && isKind(y, "list"))
    return x.values.length === y.values.length && x.values.every((v, i) => pyEquals(v, y.values[i]!, compared));
  if (isLayout(x) && isLayout(y)) return sameLayout(x, y);
  if (isKind(x, "dict") && isKind(y, "dict"))
    return (
      x.entries.size === y.entries.size &&
      [...x.entries].every(([key, [, value]]) => y.entries.has(key) && pyEquals(value, y.entries.get(key)![1], compared))
    );
  return false;
}
/** Layouts are equal where their fields are; a kernel's tuple in one equals a list in the other. */
export const sameLayout = (a: Layout | undefined, b: Layout | undefined): boolean =>
  a === b ||
  (a !== undefined && b !== undefined && a.cls === b.cls && [...a.fields].every(([name, v]) => sameField(v, b.fields.get(name)!)));
const sameField = (x: PyValue, y: PyValue): boolean => {
  const [a, b] = [x, y].map((v) => (isTuple(v) && !v.isPython ? v.values : isKind(v, "list") ? v.values : undefined));
  return a && b ? a.length === b.length && a.every((v, i) => sameField(v, b[i]!)) : pyEquals(x, y);
};
/** Integers of any type as bigints, so that `===` compares without rounding. */
const exactNumber = (v: boolean | bigint | number): bigint | number => (typeof v === "number" && !Number.isInteger(v) ? v : BigInt(v));
const isNumeric = (v: PyValue): v is boolean | bigint | number => typeof v === "boolean" || typeof v === "bigint" || typeof v === "number";

/** Python's `bool(value)` for values known at compile time. */
export function pyTruth(value: PyValue): boolean {
  if (value === null) return false;
  switch (typeof value) {
    case "boolean":
      return value;
    case "bigint":
      return value !== 0n;
    case "number":
      return value !== 0;
    case "string":
      return value !== "";
  }
  if (value.kind === "constexpr") return pyTruth(value.value);
  if (value.kind === "tuple" || value.kind === "list") return value.values.length > 0;
  if (value.kind === "dict") return value.entries.size > 0;
  return value.kind === "opaque" ? raiseUnknown(value.what, value) : true;
}

/** Equal keys of a dict have equal texts. */
export function dictKey(value: PyValue): string {
  const plain = isConstexpr(value) ? value.value : value;
  if (isNumeric(plain)) {
    const asNumber = Number(plain);
    return typeof plain === "number" && !Number.isInteger(asNumber) ? `n${floatRepr(asNumber)}` : `n${BigInt(plain)}`;
  }
  if (typeof plain === "string") return `s${plain}`;
  if (isTuple(plain)) return counted(() => `t(${plain.values.map(dictKey).join()})`);
  return `o${pyRepr(plain)}`;
}

/** A dict with these keys and values; of equal keys the last counts. */
export const pyDict = (entries: readonly (readonly [key: PyValue, value: PyValue])[]): PyDict => ({
  kind: "dict",
  entries: new Map(entries.map((entry) => [dictKey(entry[0]), entry])),
});

/** A type as `str(type)`. */
export function typeName(type: TlType): string {
  switch (type.kind) {
    case "dtype":
    case "pointer":
    case "block":
      return tensorTypeName(type);
    case "tuple_type":
      return `[${type.types.map((t, i) => `${type.fields[i]}:${typeName(t)}`).join(",")}]`;
    case "constexpr_type":
      return `constexpr_type[${pyStr(type.value)}]`;
    case "descriptor_type":
      return `tensor_descriptor${type.im2col ? "_im2col" : ""}<${typeName(type.block)}${type.layout ? `, ${type.layout.text}` : ""}>`;
    case "buffer_type": {
      const of = `${typeName(type.element)}, [${type.shape.join(", ")}], ${type.layout.text}`;
      return type.space === "shared"
        ? `shared_memory_descriptor<${of}, [${type.allocShape.join(", ")}]>`
        : `tensor_memory_descriptor<${of}>`;
    }
    case "accumulator_type":
      return `warpgroup_mma_accumulator<${typeName(type.tensor)}>`;
    case "clc_result_type":
      return "clc_result";
    case "aggregate_type":
      return `_aggregate_type(base_cls=<class '${type.cls.module}.${type.cls.qualname}'>, fields=[${type.fields
        .map(([name, t]) => `('${name}', ${typeRepr(t)})`)
        .join(", ")}])`;
    case "slice_type":
      return "slice_type";
  }
}

/** A type as `repr(type)`. */
export function typeRepr(type: TlType): string {
  return type.kind === "dtype" ? `triton.language.${codegenName(type)}` : typeName(type);
}
function codegenName({ name }: Dtype): string {
  if (name.startsWith("fp")) return `float${name.slice(2)}`;
  return name.startsWith("bf") ? `bfloat${name.slice(2)}` : name;
}

/** An argument of this type in a function's name. */
export const mangleType = (type: TlType): string => mangledType(type, false);
/** As since 3.7: the extents of a buffer in shared memory are joined by `_`. */
export const mangleType37 = (type: TlType): string => mangledType(type, true);

function mangledType(type: TlType, joinsExtents: boolean): string {
  const mangled = (part: TlType): string => mangledType(part, joinsExtents);
  switch (type.kind) {
    case "dtype":
      if (isInt(type)) return `${isIntSigned(type) ? "i" : "u"}${type.bits}`;
      return type === VOID ? "V" : type.name;
    case "pointer":
      return `P${mangled(type.element)}`;
    case "block":
      return `${mangled(type.element)}S${type.shape.join("_")}S${type.layout ? `L${type.layout.mangled}L` : ""}`;
    case "tuple_type":
      return `T${type.types.map(mangled).join("_")}T`;
    case "constexpr_type":
      return typeName(type);
    case "descriptor_type":
      return `TD${type.im2col ? "I" : ""}${mangled(type.block)}${type.layout ? `_${type.layout.mangled}TD${type.im2col ? "I" : ""}` : ""}`;
    case "buffer_type":
      return `MD${mangled(type.element)}S${type.shape.join("_")}SL${type.layout.mangled}LAS${allocText(type, joinsExtents)}ASMD`;
    case "accumulator_type":
      return `FT${mangled(type.tensor)}FT`;
    case "clc_result_type":
      return "CLC";
    case "aggregate_type":
      return `${type.cls.module}.${type.cls.qualname}<${type.fields.map(([, t]) => mangled(t)).join(", ")}>`;
    case "slice_type":
      throw new Bug("a slice has no mangled name");
  }
}
const allocText = ({ space, isTuple, allocShape }: BufferType, joinsExtents: boolean): string =>
  joinsExtents && space === "shared" ? allocShape.join("_") : `[${allocShape.map((n) => (isTuple ? `'${n}'` : n)).join(", ")}]`;

const sameNumbers = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((n, i) => n === b[i]);

/** Whether two types are equal as Python's `==` on them says. */
export function sameType(a: TlType, b: TlType): boolean {
  if (a === b) return true;
  if (a.kind === "block" && b.kind === "block")
    return a.element === b.element && a.layout !== undefined && sameLayout(a.layout, b.layout) && sameNumbers(a.shape, b.shape);
  // As in Python, the types of elements are not compared.
  if (a.kind === "buffer_type" && b.kind === "buffer_type")
    return (
      a.space === b.space && sameNumbers(a.shape, b.shape) && sameLayout(a.layout, b.layout) && sameNumbers(a.allocShape, b.allocShape)
    );
  if (a.kind === "accumulator_type" && b.kind === "accumulator_type") return sameType(a.tensor, b.tensor);
  if (a.kind === "tuple_type" && b.kind === "tuple_type")
    return a.types.length === b.types.length && a.types.every((t, i) => sameType(t, b.types[i]!) && a.fields[i] === b.fields[i]);
  if (a.kind === "constexpr_type" && b.kind === "constexpr_type") return pyEquals(a.value, b.value);
  if (a.kind === "descriptor_type" && b.kind === "descriptor_type") {
    const same = (x: TupleType | undefined, y: TupleType | undefined) => (x && y ? sameType(x, y) : x === y);
    return (
      a.block === b.block &&
      a.im2col === b.im2col &&
      sameLayout(a.layout, b.layout) &&
      same(a.shapeType, b.shapeType) &&
      same(a.stridesType, b.stridesType)
    );
  }
  if (a.kind === "aggregate_type" && b.kind === "aggregate_type")
    return (
      a.cls === b.cls &&
      a.fields.length === b.fields.length &&
      a.fields.every(([name, t], i) => name === b.fields[i]![0] && sameType(t, b.fields[i]![1]))
    );
  return false;
}
