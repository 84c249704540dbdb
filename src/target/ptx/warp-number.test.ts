import { describe, expect, test } from "vitest";
import { instructions, kernel } from "./translate.fixture.js";

describe("the number of a warp", () => {
  const made = (divisor: string, row = "%warp"): string[] =>
    instructions(
      kernel(
        "%arg0: !llvm.ptr<1>, %arg1: i32",
        `%tid = nvvm.read.ptx.sreg.tid.x : i32
         %five = llvm.mlir.constant(5 : i32) : i32
         %six = llvm.mlir.constant(6 : i32) : i32
         %warp = llvm.lshr %tid, %five : i32
         %lanes = llvm.add %warp, %tid : i32
         %0 = llvm.srem ${row}, ${divisor} : i32
         llvm.store %0, %arg0 : i32, !llvm.ptr<1>`,
      ),
    ).filter((line) => /^(shr|bfe|rem)/.test(line));
  test("is bits of the thread's number where a division by a value depends on it alone", () => {
    expect(made("%arg1")).toEqual(["bfe.u32 %r2, %r1, 5, 2;", "rem.s32 %r4, %r2, %r3;"]);
  });
  test("is shifted down where it is divided by a constant, or together with what differs by lane", () => {
    expect(made("%six").some((line) => line.startsWith("bfe"))).toBe(false);
    expect(made("%arg1", "%lanes").map((line) => line.split(" ")[0])).toEqual(["shr.u32", "rem.s32"]);
  });
});
