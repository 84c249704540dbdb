import { expect, test } from "vitest";
import { constantOn, descriptorOf, readDescriptor } from "./tcgen05-descriptor.js";

const named = (name: string): number | undefined => ({ "%r127": 136314896, "%3": 136314896 })[name];

test.each([
  [
    'llvm.inline_asm has_side_effects "@$5 tcgen05.mma.cta_group::1.kind::f16 [ $0 + 0 ], $1, $2, $3, $4;", "r,l,l,r,b,b" %0, %1, %2, %3, %4, %5 : (i32, i64)',
  ],
  [
    'call void asm sideeffect "@$5 tcgen05.mma.cta_group::1.kind::f16 [ $0 + 0 ], $1, $2, $3, $4;", "r,l,l,r,b,b"(i32 %1, i64 %2, i64 %4, i32 136314896, i1 %5, i1 %6)',
  ],
  ["@%p7 tcgen05.mma.cta_group::1.kind::f16 [ %r3 + 0 ], %rd15, %rd16, %r127, %p5;"],
  ["@%p7 tcgen05.mma.cta_group::1.kind::f16 [ %r3 + 0 ], [ %r4 + 8 ], %rd16, %r127, %p5;"],
])("the descriptor in %s", (line) => {
  expect(descriptorOf(line, named)).toBe(136314896);
});

test("constants of the LLVM dialect and of PTX", () => {
  expect(constantOn("    %12 = llvm.mlir.constant(136314896 : i32) : i32")).toEqual(["%12", 136314896]);
  expect(constantOn("\tmov.b32 \t%r60, 69206032;")).toEqual(["%r60", 69206032]);
  expect(constantOn("    %12 = llvm.mlir.constant(1 : i64) : i64")).toBeUndefined();
});

test("shape and types", () => {
  expect(readDescriptor("f16", 136314896)).toEqual({ shape: [128, 128, 16], types: { a: "f16", b: "f16", acc: "f32" } });
  expect(readDescriptor("tf32", ((64 >> 4) << 24) | ((32 >> 3) << 17) | (2 << 10) | (2 << 7) | (1 << 4))).toEqual({
    shape: [64, 32, 8],
    types: { a: "tf32", b: "tf32", acc: "f32" },
  });
  expect(readDescriptor("mxf4nvf4", (8 << 24) | (16 << 17) | (1 << 10) | (1 << 7))?.types).toEqual({ a: "e2m1", b: "e2m1", acc: "f32" });
  expect(readDescriptor("other", 0)).toBeUndefined();
});
