/** launch.json: the grid and the arguments of a kernel. */

import { fileError } from "../node/files.js";
import { initialValue } from "../simulate/initial-values.js";
import type { BufferSpec } from "../simulate/memory.js";
import { bytesOf, elementKind, writeElement } from "../simulate/numbers/element.js";
import type { LaunchArgument } from "../simulate/ptx/run.js";
import { elementTypeNumber } from "../simulate/ptx/tensor-map.js";
import { contiguous } from "../simulate/tensor/arguments.js";
import type { Io } from "./io.js";
import { descrOf, kindOf, readNpy } from "./npy.js";

/** An argument of the launch, by the name that launch.json gives it. */
export interface NamedArgument {
  readonly name: string;
  readonly argument: LaunchArgument;
  /** For an array: how it is written out. */
  readonly array?: { readonly descr: string; readonly shape: readonly number[]; readonly strides?: readonly number[] };
}

export interface LaunchFile {
  readonly grid: readonly [number, number, number];
  readonly args: readonly NamedArgument[];
}

/** Reads launch.json; files in it are named as seen from there. The error names the file. */
export function readLaunchFile(path: string, io: Io): LaunchFile | { readonly error: string } {
  try {
    const folder = /^(.*\/)[^/]*$/.exec(path)?.[1] ?? "";
    const launch = readLaunch(io.readFile(path), (file) => io.readFile(file.startsWith("/") ? file : folder + file));
    return "error" in launch ? { error: `'${path}': ${launch.error}` } : launch;
  } catch (error) {
    return { error: `'${path}': ${fileError(error)}` };
  }
}

/** `read` gives a file named in launch.json as latin1 text; it throws as node does. The error is one line. */
export function readLaunch(text: string, read: (path: string) => string): LaunchFile | { readonly error: string } {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(text, "latin1").toString("utf8"));
  } catch (error) {
    return { error: (error as Error).message };
  }
  if (!isRecord(json)) return { error: "an object with 'grid' and 'args' is expected" };
  const grid = json["grid"];
  const extents = typeof grid === "number" ? [grid] : grid;
  if (!Array.isArray(extents) || extents.length < 1 || extents.length > 3 || !extents.every((n) => Number.isInteger(n) && n > 0))
    return { error: "'grid' is one to three positive integers" };
  const args = json["args"];
  if (!isRecord(args)) return { error: "'args' is an object of arguments" };
  const made: NamedArgument[] = [];
  for (const [name, value] of Object.entries(args)) {
    // Arrays are written to files of their names.
    if (/[/\\\0]/.test(name)) return { error: `argument ${JSON.stringify(name)}: a name has no '/' or '\\'` };
    const array = readArgument(name, value, read);
    const argument = isRecord(value) && value["box"] !== undefined && !("error" in array) ? tensorMap(array, value) : array;
    if ("error" in argument) return { error: `argument '${name}': ${argument.error}` };
    made.push(argument);
  }
  const [x = 1, y = 1, z = 1] = extents as number[];
  return { grid: [x, y, z], args: made };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function readArgument(name: string, value: unknown, read: (path: string) => string): NamedArgument | { readonly error: string } {
  if (typeof value === "number") return { name, argument: { kind: "scalar", value } };
  if (typeof value === "boolean") return { name, argument: { kind: "scalar", value: value ? 1 : 0 } };
  if (!isRecord(value)) return { error: "a number, or an object that describes an array, is expected" };
  if (typeof value["file"] === "string") return fileArray(name, value["file"], value["dtype"], read);
  return madeArray(name, value);
}

function fileArray(name: string, file: string, dtype: unknown, read: (path: string) => string): NamedArgument | { readonly error: string } {
  let text: string;
  try {
    text = read(file);
  } catch {
    return { error: `cannot read '${file}'` };
  }
  const npy = readNpy(text);
  if ("error" in npy) return { error: `'${file}': ${npy.error}` };
  const stored = kindOf(npy.descr)!;
  const element = dtype === undefined ? stored : typeof dtype === "string" ? elementKind(dtype) : undefined;
  if (element === undefined) return { error: notAType(dtype) };
  if (bytesOf(element) !== bytesOf(stored))
    return { error: `'${file}' has elements of ${bytesOf(stored)} bytes ('${npy.descr}'), not ${dtype}` };
  return { name, argument: buffer({ name, element, data: npy.data }), array: { descr: npy.descr, shape: npy.shape } };
}

/** An array that the kernel gets as a tensor map: `"box": [64, 64], "swizzle": 128` (bytes; 0, 32, 64 or 128). */
function tensorMap(
  { name, argument, array }: NamedArgument,
  { box, swizzle = 0 }: Readonly<Record<string, unknown>>,
): NamedArgument | { readonly error: string } {
  if (argument.kind !== "buffer" || array === undefined) return { error: "only an array has a 'box'" };
  const { shape, strides = contiguous(shape) } = array;
  if (!Array.isArray(box) || box.length !== shape.length || !box.every((n) => Number.isInteger(n) && 1 <= n && n <= 256))
    return { error: `'box' is a list of ${shape.length} extents of 1 to 256` };
  const mode = [0, 32, 64, 128].indexOf(swizzle as number);
  if (mode < 0) return { error: "'swizzle' is 0, 32, 64 or 128" };
  const { element } = argument.spec;
  const elementBytes = bytesOf(element);
  const elementType = elementTypeNumber(element, elementBytes);
  const map = { shape, strides, box, elementType, elementBytes, swizzle: mode, padded: false };
  return { name, argument: { kind: "tensor-map", spec: argument.spec, map }, array };
}

const isCounts = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every((n) => Number.isInteger(n) && n >= 0);
const product = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
const buffer = (spec: BufferSpec): LaunchArgument => ({ kind: "buffer", spec });
const notAType = (dtype: unknown): string => `'dtype' is a type such as fp16, bf16, fp32 or i32, not ${JSON.stringify(dtype)}`;
const INITS = ["randn", "zeros", "arange"] as const;

function madeArray(name: string, value: Readonly<Record<string, unknown>>): NamedArgument | { readonly error: string } {
  const { dtype, shape, seed = 0 } = value;
  const init = value["init"] ?? "randn";
  const element = typeof dtype === "string" ? elementKind(dtype) : undefined;
  if (element === undefined) return { error: notAType(dtype) };
  if (!isCounts(shape)) return { error: "'shape' is a list of extents" };
  if (typeof seed !== "number") return { error: "'seed' is a number" };
  const kind = INITS.find((i) => i === init);
  if (kind === undefined) return { error: `'init' is one of ${INITS.join(", ")}; it is ${JSON.stringify(init)}` };
  const strides = value["strides"];
  if (strides !== undefined && !(isCounts(strides) && strides.length === shape.length))
    return { error: `'strides' is a list of ${shape.length} extents, in elements` };
  const count = strides ? 1 + strides.reduce((last, stride, d) => last + (shape[d]! - 1) * stride, 0) : product(shape);
  if (count > 2 ** 28) return { error: `${count} elements are too many` };
  const bytes = bytesOf(element);
  const data = new Uint8Array(count * bytes);
  for (let i = 0; i < count; i++)
    writeElement(element, initialValue({ kind: kind === "randn" ? "random" : kind }, element, seed, 0, i), data, i * bytes);
  return { name, argument: buffer({ name, element, data }), array: { descr: descrOf(element), shape, ...(strides ? { strides } : {}) } };
}
