import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readNpy } from "../../cli/npy.js";
import { bytesOf, elementArray, elementKind, readElement, writeElement } from "../numbers/element.js";
import { type LaunchArgument, runPtx } from "./run.js";

/** Real Triton's PTX against numpy: fixtures/simulate/kernels/make.py, whose inputs are made here again. */
interface ArrayArgument {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly seed?: number;
  readonly zeros?: boolean;
  readonly low?: number;
  readonly high?: number;
}
interface Case {
  readonly case: string;
  readonly grid: readonly [number, number, number];
  readonly args: readonly (number | ArrayArgument)[];
  readonly shared: number;
  readonly expect: Readonly<Record<string, { readonly file: string; readonly step: number; readonly tol: number }>>;
}

const folder = "fixtures/simulate/kernels";
const cases = JSON.parse(readFileSync(`${folder}/cases.json`, "utf8")) as readonly Case[];

function mixed(index: number, seed: number): number {
  let h = (Math.imul(index, 2654435761) + seed * 40503 + 12345) | 0;
  h = Math.imul(h ^ (h >>> 15), 2246822519);
  h = Math.imul(h ^ (h >>> 13), 3266489917);
  return (h ^ (h >>> 16)) >>> 0;
}

function made({ dtype, shape, seed = 0, zeros, low, high }: ArrayArgument): Uint8Array {
  const kind = elementKind(dtype)!;
  const bytes = bytesOf(kind);
  const count = shape.reduce((product, extent) => product * extent, 1);
  const data = new Uint8Array(count * bytes);
  if (zeros) return data;
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

test.each(cases.map((c) => [c.case, c] as const))("%s computes what numpy does", (name, c) => {
  const text = gunzipSync(readFileSync(`${folder}/${name}.ptx.gz`)).toString("latin1");
  const args = c.args.map(
    (a): LaunchArgument =>
      typeof a === "number"
        ? { kind: "scalar", value: a }
        : { kind: "buffer", spec: { name: a.name, element: elementKind(a.dtype)!, data: made(a) } },
  );
  const run = runPtx(text, { grid: c.grid, args, sharedBytes: c.shared });
  expect(run.diagnostics).toEqual([]);
  expect(run.findings).toEqual([]);
  for (const [output, { file, step, tol }] of Object.entries(c.expect)) {
    const spec = c.args.find((a): a is ArrayArgument => typeof a !== "number" && a.name === output)!;
    const kind = elementKind(spec.dtype)!;
    const bytes = bytesOf(kind);
    const npy = readNpy(readFileSync(`${folder}/expected/${file}`, "latin1"));
    if ("error" in npy) throw new Error(npy.error);
    const expected = elementArray(npy.descr === "<f4" ? "f32" : npy.descr === "<f8" ? "f64" : "i64", Uint8Array.from(npy.data).buffer);
    const got = run.memory.contents(output, spec.shape.reduce((product, extent) => product * extent, 1) * bytes);
    const unsigned = spec.dtype === "u8" ? 256 : file.endsWith("obf.npy") ? 65536 : 0;
    let worst = 0;
    let at = -1;
    const wantedAt = (i: number) => Number(expected[i]);
    let magnitude = 0;
    for (let i = 0; i < expected.length; i++) if (Number.isFinite(wantedAt(i))) magnitude = Math.max(magnitude, Math.abs(wantedAt(i)));
    for (let i = 0; i < expected.length; i++) {
      const value = readElement(kind, got, i * step * bytes);
      const wanted = wantedAt(i);
      if (Object.is(value, wanted) || value === wanted || (unsigned > 0 && value + unsigned === wanted)) continue;
      const error = Math.abs(value - wanted) / Math.max(Math.abs(wanted), magnitude * 0.1);
      if (!(error <= worst)) [worst, at] = [error, i];
    }
    expect(
      `${output}[${at * step}]: ${worst <= tol ? "close" : `off by ${worst}, is ${readElement(kind, got, at * step * bytes)}, not ${expected[at]}`}`,
    ).toContain("close");
  }
});
