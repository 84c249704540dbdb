import { describe, expect, test } from "vitest";
import { instructions, kernel } from "./translate.fixture.js";

describe("words that are put together from bytes", () => {
  const moves = (body: string): string[] =>
    instructions(
      kernel(
        "%arg0: !llvm.ptr<1>, %a: i32, %b: i32, %c: i32, %d: i32",
        `%c8 = llvm.mlir.constant(8 : i32) : i32
         %c16 = llvm.mlir.constant(16 : i32) : i32
         %c24 = llvm.mlir.constant(24 : i32) : i32
         %c255 = llvm.mlir.constant(255 : i32) : i32
         ${body}
         llvm.store %x, %arg0 : i32, !llvm.ptr<1>`,
      ),
    ).filter((l) => !/^(ld|st|ret)/.test(l));
  test("are three permutations for four words", () => {
    const body = `
      %0 = llvm.trunc %a : i32 to i8
      %1 = llvm.trunc %b : i32 to i8
      %2 = llvm.trunc %c : i32 to i8
      %3 = llvm.trunc %d : i32 to i8
      %i0 = llvm.mlir.constant(0 : i32) : i32
      %i1 = llvm.mlir.constant(1 : i32) : i32
      %i2 = llvm.mlir.constant(2 : i32) : i32
      %i3 = llvm.mlir.constant(3 : i32) : i32
      %u = llvm.mlir.undef : vector<4xi8>
      %v0 = llvm.insertelement %0, %u[%i0 : i32] : vector<4xi8>
      %v1 = llvm.insertelement %1, %v0[%i1 : i32] : vector<4xi8>
      %v2 = llvm.insertelement %2, %v1[%i2 : i32] : vector<4xi8>
      %v3 = llvm.insertelement %3, %v2[%i3 : i32] : vector<4xi8>
      %x = llvm.bitcast %v3 : vector<4xi8> to i32`;
    expect(moves(body).map((l) => l.replace(/%r\d+/g, "R"))).toEqual([
      "prmt.b32 R, R, R, 64;",
      "prmt.b32 R, R, R, 64;",
      `prmt.b32 R, R, R, ${0x5410};`,
    ]);
  });
  test("are one for a byte with its sign, one for a byte without", () => {
    const signed = "%0 = llvm.shl %a, %c16 : i32\n%x = llvm.ashr %0, %c24 : i32";
    expect(moves(signed)).toEqual([`prmt.b32 %r2, %r1, 0, ${0x9991};`]);
    const unsigned = "%0 = llvm.lshr %a, %c8 : i32\n%x = llvm.and %0, %c255 : i32";
    expect(moves(unsigned)).toEqual([`prmt.b32 %r2, %r1, 0, ${0x4441};`]);
  });
  test("stay shifts and masks where those are needed anyway", () => {
    const body = `
      %0 = llvm.lshr %a, %c8 : i32
      llvm.store %0, %arg0 : i32, !llvm.ptr<1>
      %x = llvm.and %0, %c255 : i32`;
    expect(moves(body).map((l) => l.split(" ")[0])).toEqual(["shr.u32", "and.b32"]);
  });
});
