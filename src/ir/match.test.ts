import { expect, test } from "vitest";
import { boolAttr, denseElements, floatAttr, i32Attr, splatOf } from "./builtin-attrs.js";
import { f32, i1, i32, tensorType } from "./builtin-types.js";
import { Context } from "./context.js";
import { foldBinaryFloat, foldBinaryInt, foldCast, zeroAttr } from "./fold-constants.js";
import * as match from "./match.js";

const ctx = new Context();
const four = (element: ReturnType<typeof i32> | ReturnType<typeof f32>) => tensorType([4], element);
const mixed = denseElements(four(i32(ctx)), [1n, 2n, 3n, 4n]);

test("integer predicates look through splats and know i1", () => {
  expect(match.isOneInt(boolAttr(ctx, true))).toBe(true);
  expect(match.isAllOnesInt(boolAttr(ctx, true))).toBe(true);
  expect(match.constantInt(boolAttr(ctx, true))).toBe(-1n);
  expect(match.constantUint(boolAttr(ctx, true))).toBe(1n);
  expect(match.isZeroInt(splatOf(four(i32(ctx)), i32Attr(ctx, 0)))).toBe(true);
  expect(match.isNonZeroInt(mixed)).toBe(false);
  expect(match.isZeroInt(floatAttr(f32(ctx), 0))).toBe(false);
});
test("float predicates tell the zeros apart", () => {
  const zero = floatAttr(f32(ctx), -0);
  expect([match.isZeroFloat(zero), match.isPosZeroFloat(zero), match.isNegZeroFloat(zero)]).toEqual([true, false, true]);
  expect(match.isOneFloat(splatOf(four(f32(ctx)), floatAttr(f32(ctx), 1)))).toBe(true);
  expect(match.isPosInfFloat(floatAttr(f32(ctx), Infinity))).toBe(true);
});
test("folding goes element by element, or once for splats", () => {
  const two = splatOf(four(i32(ctx)), i32Attr(ctx, 2));
  let calls = 0;
  const count = (a: bigint, b: bigint) => (calls++, a * b);
  expect(foldBinaryInt([two, two], count)).toBe(splatOf(four(i32(ctx)), i32Attr(ctx, 4)));
  expect(calls).toBe(1);
  expect(foldBinaryInt([mixed, two], count)).toBe(denseElements(four(i32(ctx)), [2n, 4n, 6n, 8n]));
  expect(foldBinaryInt([mixed, two], (a, b) => (a < b ? 1n : 0n), i1(ctx))).toBe(
    denseElements(tensorType([4], i1(ctx)), [-1n, 0n, 0n, 0n]),
  );
});
test("folding needs constants of one kind and type", () => {
  expect(foldBinaryInt([i32Attr(ctx, 1), undefined], (a, b) => a + b)).toBeUndefined();
  expect(foldBinaryInt([i32Attr(ctx, 1), mixed], (a, b) => a + b)).toBeUndefined();
  expect(foldBinaryFloat([i32Attr(ctx, 1), i32Attr(ctx, 1)], (a) => a)).toBeUndefined();
  expect(foldCast([i32Attr(ctx, 300)], i1(ctx), () => undefined)).toBeUndefined();
  expect(foldBinaryInt([i32Attr(ctx, 2 ** 31 - 1), i32Attr(ctx, 1)], (a, b) => a + b)).toBe(i32Attr(ctx, -(2 ** 31)));
});
test("zeros of types", () => {
  expect(zeroAttr(i32(ctx))).toBe(i32Attr(ctx, 0));
  expect(zeroAttr(four(f32(ctx)))).toBe(splatOf(four(f32(ctx)), floatAttr(f32(ctx), 0)));
  expect(zeroAttr(tensorType([-1], i32(ctx)))).toBeUndefined();
});
