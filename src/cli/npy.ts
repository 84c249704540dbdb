/** NumPy's .npy files, version 1 to 3, as latin1 text (one character is one byte). */
import type { ElementKind } from "../simulate/numbers/element.js";

export interface NpyArray {
  /** `<f2`, `|u1`: byte order, kind and size. */
  readonly descr: string;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

const MAGIC = "\x93NUMPY";
/** Element kinds by npy type; an unsigned type has the signed kind of its size. */
const KINDS = new Map<string, ElementKind>([
  ["f2", "f16"],
  ["f4", "f32"],
  ["f8", "f64"],
  ["i1", "i8"],
  ["i2", "i16"],
  ["i4", "i32"],
  ["i8", "i64"],
  ["u1", "i8"],
  ["u2", "i16"],
  ["u4", "i32"],
  ["u8", "i64"],
  ["b1", "i8"],
]);
/** bf16 and f8 have no numpy type: they are written as their bits. */
const DESCRS: Readonly<Record<ElementKind, string>> = {
  f16: "<f2",
  f32: "<f4",
  f64: "<f8",
  i8: "|i1",
  i16: "<i2",
  i32: "<i4",
  i64: "<i8",
  bf16: "<u2",
  f8E4M3FN: "|u1",
  f8E5M2: "|u1",
  f8E4M3B15: "|u1",
};

export const descrOf = (kind: ElementKind): string => DESCRS[kind];
export const kindOf = (descr: string): ElementKind | undefined => (descr.startsWith(">") ? undefined : KINDS.get(descr.slice(1)));

/** The error is one line. */
export function readNpy(text: string): NpyArray | { readonly error: string } {
  if (!text.startsWith(MAGIC)) return { error: "it is no .npy file" };
  const version = text.charCodeAt(6);
  if (!(1 <= version && version <= 3)) return { error: `its version is ${version || "missing"}, not 1 to 3` };
  const wide = version >= 2;
  const length = text.charCodeAt(8) + 256 * text.charCodeAt(9) + (wide ? 65536 * text.charCodeAt(10) : 0);
  const start = wide ? 12 : 10;
  const header = text.slice(start, start + length);
  const descr = /'descr':\s*'([^']*)'/.exec(header)?.[1];
  const shape = /'shape':\s*\((\s*(?:\d+\s*(?:,\s*\d+\s*)*,?\s*)?)\)/.exec(header)?.[1];
  if (descr === undefined || shape === undefined) return { error: "its header is not one of a plain array" };
  if (kindOf(descr) === undefined) return { error: `its type '${descr}' is not supported` };
  const extents = shape
    .split(",")
    .map((s) => s.trim())
    .filter((s) => s !== "")
    .map(Number);
  const data = Uint8Array.from(text.slice(start + length), (c) => c.charCodeAt(0));
  const itemBytes = Number(descr.slice(2));
  const items = extents.reduce((product, extent) => product * extent, 1);
  if (data.length < items * itemBytes) return { error: `it holds ${data.length} bytes where its shape wants ${items * itemBytes}` };
  const cut = data.subarray(0, items * itemBytes);
  return { descr, shape: extents, data: /'fortran_order':\s*True/.test(header) ? rowMajor(cut, extents, itemBytes) : cut };
}

function rowMajor(data: Uint8Array, shape: readonly number[], bytes: number): Uint8Array {
  const out = new Uint8Array(data.length);
  const place = shape.map(() => 0);
  const strides = shape.map((_, d) => shape.slice(0, d).reduce((product, extent) => product * extent, bytes));
  for (let at = 0; at < data.length; at += bytes) {
    const from = place.reduce((sum, p, d) => sum + p * strides[d]!, 0);
    out.set(data.subarray(from, from + bytes), at);
    for (let d = place.length - 1; d >= 0 && ++place[d]! === shape[d]; d--) place[d] = 0;
  }
  return out;
}

export function writeNpy({ descr, shape, data }: NpyArray): string {
  const dict = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(", ")}${shape.length === 1 ? "," : ""}), }`;
  const padded = dict.padEnd(Math.ceil((10 + dict.length + 1) / 64) * 64 - 11) + "\n";
  let text = `${MAGIC}\x01\x00${String.fromCharCode(padded.length & 255, padded.length >> 8)}${padded}`;
  for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
  return text;
}
