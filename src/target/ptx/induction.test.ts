import { expect, test } from "vitest";
import { instructions, kernel } from "./translate.fixture.js";

test("a counter and its next value, which pipelining keeps both, are one counter", () => {
  /** The additions in a loop of three numbers that starts with these and goes on with those. */
  const loop = (start: string, next: string): string[] => {
    const lines = instructions(
      kernel(
        "%arg0: !llvm.ptr<1>, %n: i32",
        `%c64 = llvm.mlir.constant(-64 : i32) : i32
         %c128 = llvm.mlir.constant(-128 : i32) : i32
         %n1 = llvm.add %n, %c64 : i32
         llvm.br ^bb1(${start} : i32, i32, i32)
       ^bb1(%a: i32, %b: i32, %c: i32):
         %d = llvm.add %c, %c64 : i32
         llvm.store volatile %a, %arg0 : i32, !llvm.ptr<1>
         llvm.store volatile %b, %arg0 : i32, !llvm.ptr<1>
         llvm.store volatile %c, %arg0 : i32, !llvm.ptr<1>
         llvm.br ^bb1(${next} : i32, i32, i32)`,
      ).replace("\nllvm.return", ""),
    );
    return lines
      .slice(lines.findIndex((l) => l.startsWith("$L")))
      .filter((l) => /^(add|mov)/.test(l))
      .map((l) => l.replace(/%r\d+/g, "%"));
  };
  // One after the other: a is c + 64, and b is c.
  const one = ["add.s32 %, %, -64;", "add.s32 %, %, 64;", "mov.b32 %, %;"];
  expect(loop("%n, %n1, %n1", "%b, %d, %d")).toEqual(one);
  expect(loop("%c64, %c128, %c128", "%b, %d, %d")).toEqual(one);
  // The first a is another number.
  expect(loop("%n1, %n1, %n1", "%b, %d, %d")).toEqual(["add.s32 %, %, -64;", "mov.b32 %, %;", "mov.b32 %, %;"]);
});
