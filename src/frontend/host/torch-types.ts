/** `torch.finfo` and `torch.iinfo` of torch's types. Source: PyTorch's documentation, "Type Info"; the fp8 types of the OCP and of Graphcore's papers. */
import { byName } from "../../support/by-name.js";
import { isKind, type PyInstance, type PyValue } from "../language/values.js";
import { native, pythonType } from "./objects.js";

/** Bits of a value, the largest value, the distance from 1 to the next, and the smallest normal number. */
type FloatInfo = readonly [bits: number, max: number, eps: number, tiny: number];
const FLOATS: Readonly<Record<string, FloatInfo>> = byName({
  float64: [64, Number.MAX_VALUE, Number.EPSILON, 2 ** -1022],
  float32: [32, (2 - 2 ** -23) * 2 ** 127, 2 ** -23, 2 ** -126],
  float16: [16, 65504, 2 ** -10, 2 ** -14],
  bfloat16: [16, (2 - 2 ** -7) * 2 ** 127, 2 ** -7, 2 ** -126],
  float8_e4m3fn: [8, 448, 2 ** -3, 2 ** -6],
  float8_e5m2: [8, 57344, 2 ** -2, 2 ** -14],
  float8_e4m3fnuz: [8, 240, 2 ** -3, 2 ** -7],
  float8_e5m2fnuz: [8, 57344, 2 ** -2, 2 ** -15],
});
const ALIASES: Readonly<Record<string, string>> = byName({
  double: "float64",
  float: "float32",
  half: "float16",
  long: "int64",
  int: "int32",
  short: "int16",
});

const object = (name: string, attrs: Readonly<Record<string, PyValue>>): PyInstance => ({
  kind: "instance",
  cls: pythonType(name, () => null, "torch"),
  attrs: new Map(Object.entries(attrs)),
});

/** The name of one of torch's types: `float16` of `torch.float16`. */
function typeName(dtype: PyValue | undefined): string | undefined {
  const name = isKind(dtype, "opaque") ? /^torch\.(\w+)$/.exec(dtype.what)?.[1] : undefined;
  return name === undefined ? undefined : (ALIASES[name] ?? name);
}
const unknown = (call: string, dtype: PyValue | undefined): PyValue =>
  isKind(dtype, "opaque")
    ? { ...dtype, what: `${call}(${dtype.what})` }
    : { kind: "opaque", what: `${call}(...)`, why: "no type of torch" };

/** `torch.finfo(torch.float16)`. */
export const FINFO = native("finfo", ([dtype]) => {
  const name = typeName(dtype ?? { kind: "opaque", what: "torch.float32", why: "" });
  const info = name === undefined ? undefined : FLOATS[name];
  if (!info) return unknown("torch.finfo", dtype);
  const [bits, max, eps, tiny] = info;
  return object("finfo", { bits: BigInt(bits), max, min: -max, eps, tiny, smallest_normal: tiny, dtype: name! });
});

/** `torch.iinfo(torch.int8)`. */
export const IINFO = native("iinfo", ([dtype]) => {
  const [, sign, width] = /^(u?)int(8|16|32|64)$/.exec(typeName(dtype) ?? "") ?? [];
  if (width === undefined) return unknown("torch.iinfo", dtype);
  const bits = BigInt(width);
  const [min, max] = sign === "u" ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
  return object("iinfo", { bits, min, max, dtype: `${sign}int${width}` });
});
