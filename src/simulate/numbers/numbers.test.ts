import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { decodeArray, encodeArray, readElement, writeElement } from "./element.js";
import { f32BitsToBf16, f32BitsToF16 } from "./half.js";
import { directedF32, fmaF32, fmaF64 } from "./rounded-arithmetic.js";
import { encode, type Rounding, type SmallFloatKind } from "./small-float.js";
import { clampToInt64, clampToInteger, roundToIntegral } from "./to-integer.js";

/** Made by numpy and exact fractions: fixtures/simulate/numbers/make.py. */
const golden = JSON.parse(readFileSync("fixtures/simulate/numbers/numbers.json", "utf8")) as {
  readonly f32ToF16: readonly [readonly number[], readonly number[]];
  readonly f32ToBf16: readonly [readonly number[], readonly number[]];
  readonly f16Checksum: number;
  readonly encode: Readonly<Record<SmallFloatKind, Readonly<Record<Rounding, readonly number[]>> & { readonly x: readonly string[] }>>;
  readonly fmaF32: readonly (readonly [string, string, string, string])[];
  readonly fmaF64: readonly (readonly [string, string, string, string])[];
};

/** Python's float.hex. */
function hex(text: string): number {
  const m = /^(-?)0x([01])\.([0-9a-f]+)p([+-]\d+)$/.exec(text);
  if (!m) return text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text.replace("0x0.0p+0", "0"));
  const significand = Number(BigInt(`0x${m[2]}${m[3]}`));
  let exponent = Number(m[4]) - 4 * m[3]!.length;
  let value = significand;
  for (; exponent < -900; exponent += 900) value *= 2 ** -900;
  value *= 2 ** exponent;
  return m[1] ? -value : value;
}

test("f32 to f16 and bf16 on bits", () => {
  const [from, to] = golden.f32ToF16;
  expect(from.map((b) => f32BitsToF16(b | 0))).toEqual(to);
  expect(golden.f32ToBf16[0].map((b) => f32BitsToBf16(b | 0))).toEqual(golden.f32ToBf16[1]);
});

test("all 65,536 halves decode as numpy's and encode back", () => {
  const bits = Uint16Array.from({ length: 65536 }, (_, i) => i);
  const values = new Float32Array(65536);
  decodeArray("f16", bits, values);
  let sum = 0;
  for (const b of new Uint32Array(values.map((v) => (Number.isNaN(v) ? 0 : v)).buffer)) sum += b;
  expect(sum).toBe(golden.f16Checksum);
  const back = new Uint16Array(65536);
  for (const rounding of ["rn", "rz"] as const) {
    encodeArray("f16", values, back, rounding);
    expect(bits.findIndex((b, i) => back[i] !== b && !Number.isNaN(values[i]))).toBe(-1);
  }
});

test.each(Object.keys(golden.encode) as SmallFloatKind[])("%s: every rounding mode", (kind) => {
  const { x, ...modes } = golden.encode[kind];
  for (const [mode, bits] of Object.entries(modes)) {
    expect(x.map((text) => encode(kind, hex(text), mode as Rounding))).toEqual(bits);
  }
});

test("fused multiply-adds round once", () => {
  for (const [a, b, c, r] of golden.fmaF32) expect([a, b, c, fmaF32(hex(a), hex(b), hex(c))]).toEqual([a, b, c, hex(r)]);
  for (const [a, b, c, r] of golden.fmaF64) expect([a, b, c, fmaF64(hex(a), hex(b), hex(c))]).toEqual([a, b, c, hex(r)]);
});

test("directed rounding to f32", () => {
  const third = 1 / 3;
  expect(directedF32(third, 0, "rm")).toBeLessThan(third);
  expect(directedF32(third, 0, "rp")).toBeGreaterThan(third);
  expect(directedF32(-third, 0, "rz")).toBeGreaterThan(-third);
  expect(directedF32(1, -1e-30, "rz")).toBe(1 - 2 ** -24);
});

test("floats to integers round and clamp", () => {
  expect([0.5, 1.5, 2.5, -0.5, -2.5].map((x) => clampToInteger(x, "rni", -100, 100))).toEqual([0, 2, 2, 0, -2]);
  expect(clampToInteger(3e9, "rzi", -(2 ** 31), 2 ** 31 - 1)).toBe(2 ** 31 - 1);
  expect(clampToInteger(Number.NaN, "rzi", -8, 8)).toBe(0);
  expect(clampToInt64(Number.NaN, "rzi", true)).toBe(-(1n << 63n));
  expect(clampToInt64(-1, "rzi", false)).toBe(0n);
  expect(Object.is(roundToIntegral(-0.25, "rni"), -0)).toBe(true);
});

test("elements in memory", () => {
  const bytes = new Uint8Array(8);
  for (const [kind, value] of [
    ["i64", -3],
    ["i8", -128],
    ["f16", 0.5],
    ["bf16", -2],
    ["f64", 0.1],
    ["f8E4M3FN", 448],
    ["i32", 2 ** 31 - 1],
  ] as const) {
    writeElement(kind, value, bytes, 0);
    expect(readElement(kind, bytes, 0)).toBe(value);
  }
});
