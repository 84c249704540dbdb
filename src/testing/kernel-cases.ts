/** Kernels of real Triton with inputs made by formulas, and what numpy computes from them: fixtures/simulate/kernels/make.py. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import { readNpy } from "../cli/npy.js";
import type { Memory } from "../simulate/memory.js";
import { bytesOf, elementArray, elementKind, readElement, writeElement } from "../simulate/numbers/element.js";
import { TOLERANCES } from "../simulate/tensor/tolerances.js";

export interface ArrayArgument {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly seed?: number;
  readonly zeros?: boolean;
  /** Every pattern of bits in turn. */
  readonly bits?: boolean;
  readonly low?: number;
  readonly high?: number;
}
export interface KernelCase {
  readonly case: string;
  readonly grid: readonly [number, number, number];
  readonly args: readonly (number | ArrayArgument)[];
  readonly shared: number;
  readonly expect: Readonly<Record<string, { readonly file: string; readonly step: number; readonly exact?: boolean }>>;
}

export const folder = "fixtures/simulate/kernels";
export const cases = JSON.parse(readFileSync(`${folder}/cases.json`, "utf8")) as readonly KernelCase[];

function mixed(index: number, seed: number): number {
  let h = (Math.imul(index, 2654435761) + seed * 40503 + 12345) | 0;
  h = Math.imul(h ^ (h >>> 15), 2246822519);
  h = Math.imul(h ^ (h >>> 13), 3266489917);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The bytes of an argument. */
export function made({ dtype, shape, seed = 0, zeros, bits: patterns, low, high }: ArrayArgument): Uint8Array {
  const kind = elementKind(dtype)!;
  const bytes = bytesOf(kind);
  const count = shape.reduce((product, extent) => product * extent, 1);
  const data = new Uint8Array(count * bytes);
  if (zeros) return data;
  if (patterns) return data.map((_, i) => (Math.floor(i / bytes) >> (8 * (i % bytes))) & 255);
  for (let i = 0; i < count; i++) {
    const h = mixed(i, seed);
    if (/^[iu]/.test(dtype)) writeElement(kind, (h % ((high ?? 16) - (low ?? 0))) + (low ?? 0), data, i * bytes);
    else if (dtype.startsWith("fp8")) {
      const [mantissa, bias] = dtype === "fp8e4nv" ? [3, 7] : [2, 15];
      const span = (16 << mantissa) / 4;
      data[i] = (((h >>> 8) % span) + (bias << mantissa) - span) | ((h & 1) << 7);
    } else {
      const v = ((h % 257) - 128) / 64;
      writeElement(kind, low === undefined ? v : low + ((v + 2) / 4) * (high! - low), data, i * bytes);
    }
  }
  return data;
}

/** Compares the arrays that the kernel wrote with numpy's. */
export function checkOutputs(c: KernelCase, memory: Memory): void {
  for (const [output, { file, step, exact }] of Object.entries(c.expect)) {
    const spec = c.args.find((a): a is ArrayArgument => typeof a !== "number" && a.name === output)!;
    const kind = elementKind(spec.dtype)!;
    const bytes = bytesOf(kind);
    const stored = readFileSync(`${folder}/expected/${file}`);
    const npy = readNpy((file.endsWith(".gz") ? gunzipSync(stored) : stored).toString("latin1"));
    if ("error" in npy) throw new Error(npy.error);
    const expected = elementArray(npy.descr === "<f4" ? "f32" : npy.descr === "<f8" ? "f64" : "i64", Uint8Array.from(npy.data).buffer);
    const got = memory.contents(output, spec.shape.reduce((product, extent) => product * extent, 1) * bytes);
    const unsigned = spec.dtype === "u8" ? 256 : file.endsWith("obf.npy") ? 65536 : 0;
    let worst = 0;
    let at = -1;
    const wantedAt = (i: number) => Number(expected[i]);
    const magnitudes = Array.from({ length: expected.length }, (_, i) => Math.abs(wantedAt(i))).filter(Number.isFinite);
    const magnitude = magnitudes.reduce((a, b) => a + b, 0) / Math.max(magnitudes.length, 1);
    const tol = exact ? 0 : (TOLERANCES[kind] ?? 0);
    for (let i = 0; i < expected.length; i++) {
      const value = readElement(kind, got, i * step * bytes);
      const wanted = wantedAt(i);
      if (Object.is(value, wanted) || value === wanted || (unsigned > 0 && value + unsigned === wanted)) continue;
      const error = Math.abs(value - wanted) / Math.max(Math.abs(wanted), magnitude);
      if (!(error <= worst)) [worst, at] = [error, i];
    }
    expect(
      `${output}[${at * step}]: ${worst <= tol ? "close" : `off by ${worst}, is ${readElement(kind, got, at * step * bytes)}, not ${expected[at]}`}`,
    ).toContain("close");
  }
}
