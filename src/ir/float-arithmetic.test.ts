import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FLOAT_FORMATS, type FloatKind } from "./builtin-types.js";
import { decode, encode } from "./float.js";
import * as float from "./float-arithmetic.js";

const SMALL: readonly FloatKind[] = ["f16", "bf16", "f8E5M2", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3", "f6E2M3FN", "f4E2M1FN"];
const bitsOf = (kind: FloatKind) => fc.bigInt(0n, (1n << BigInt(FLOAT_FORMATS[kind].width)) - 1n);

describe.each([...SMALL, "f32" as const])("%s", (kind) => {
  test("converting to f64 and back loses nothing", () => {
    fc.assert(
      fc.property(bitsOf(kind), (bits) => {
        const wide = float.convertExactly(bits, kind, "f64");
        if (float.isNan(bits, kind)) return; // signalling NaNs are left alone
        expect(float.convertExactly(wide!, "f64", kind)).toBe(bits);
      }),
    );
  });
  test("negation is its own inverse and turns the sign", () => {
    fc.assert(
      fc.property(bitsOf(kind), (bits) => {
        expect(float.negate(float.negate(bits, kind), kind)).toBe(bits);
        const value = decode(bits, kind);
        if (value) expect(decode(float.negate(bits, kind), kind)).toBe(-value);
      }),
    );
  });
  test("x - x is 0 and x / x is 1 for finite x", () => {
    fc.assert(
      fc.property(bitsOf(kind), (bits) => {
        if (!Number.isFinite(decode(bits, kind)) || decode(bits, kind) === 0) return;
        expect(decode(float.subtract(bits, bits, kind), kind)).toBe(0);
        expect(decode(float.divide(bits, bits, kind), kind)).toBe(1);
      }),
    );
  });
  test("the integral neighbours bracket the value", () => {
    fc.assert(
      fc.property(bitsOf(kind), (bits) => {
        const value = decode(bits, kind);
        if (!Number.isFinite(value) || Math.abs(value) > 1000) return;
        const down = decode(float.roundToIntegral(bits, kind, "down"), kind);
        const up = decode(float.roundToIntegral(bits, kind, "up"), kind);
        if (kind !== "f4E2M1FN" && kind !== "f6E2M3FN") expect([down + 0, up + 0]).toEqual([Math.floor(value) + 0, Math.ceil(value) + 0]);
      }),
    );
  });
});

test("integers are rounded once, ties to even", () => {
  fc.assert(
    fc.property(fc.bigInt(1n << 25n, 1n << 70n), fc.boolean(), (magnitude, negative) => {
      const value = negative ? -magnitude : magnitude;
      const bits = float.fromInteger(value, "f32");
      const error = (v: bigint) => (v < value ? value - v : v - value);
      const got = BigInt(decode(bits, "f32"));
      const next = BigInt(decode(bits + 1n, "f32"));
      const previous = BigInt(decode(bits - 1n, "f32"));
      expect(error(got) <= error(next) && error(got) <= error(previous)).toBe(true);
      if (error(got) === error(next) && got !== next) expect(bits & 1n).toBe(0n);
    }),
  );
});
test("integers come back where the width holds them", () => {
  fc.assert(
    fc.property(fc.integer({ min: -200, max: 300 }), (value) => {
      const bits = encode(value, "f32");
      expect(float.toInteger(bits, "f32", 8, true)).toBe(value >= -128 && value <= 127 ? BigInt(value) : undefined);
      expect(float.toInteger(bits, "f32", 8, false)).toBe(value >= 0 && value <= 255 ? BigInt(value) : undefined);
    }),
  );
  expect(float.toInteger(encode(-0.5, "f32"), "f32", 8, false)).toBe(0n);
  expect(float.toInteger(encode(Number.NaN, "f32"), "f32", 8, true)).toBeUndefined();
});
test("a NaN operand goes through, quiet", () => {
  expect(float.add(0x7f800001n, 0n, "f32")).toBe(0x7fc00001n);
  expect(float.multiply(encode(1, "f32"), 0xffc00003n, "f32")).toBe(0xffc00003n);
  expect(float.subtract(encode(Infinity, "f64"), encode(Infinity, "f64"), "f64")).toBe(0x7ff8000000000000n);
});
