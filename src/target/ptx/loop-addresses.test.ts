import { expect, test } from "vitest";
import { instructions, kernel } from "./translate.fixture.js";

test("what a loop does not change of an address is added up before it, where its register is free then", () => {
  const loop = (stored: string): string[] => {
    const lines = instructions(
      kernel(
        "%arg0: !llvm.ptr<1>, %arg1: i64, %arg2: i32",
        `%c0 = llvm.mlir.constant(0 : i64) : i64
         %c1 = llvm.mlir.constant(1 : i64) : i64
         %row = llvm.mul %arg1, %arg1 : i64
         llvm.br ^bb1(%c0 : i64)
       ^bb1(%i: i64):
         %at = llvm.add %row, %i : i64
         %p = llvm.getelementptr %arg0[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
         llvm.store %arg2, %p : i32, !llvm.ptr<1>
         ${stored}
         %n = llvm.add %i, %c1 : i64
         %d = llvm.icmp "slt" %n, %arg1 : i64
         llvm.cond_br %d, ^bb1(%n : i64), ^bb2
       ^bb2:`,
      ),
    );
    const start = lines.findIndex((l) => l.startsWith("$L"));
    return lines
      .slice(
        start,
        lines.findIndex((l, i) => i > start && l.startsWith("st.")),
      )
      .filter((l) => /^(add|shl)/.test(l));
  };
  expect(loop("").map((l) => l.split(" ")[0])).toEqual(["shl.b64", "add.s64"]);
  // The row is needed in the loop anyway.
  const other = `%r = llvm.load volatile %arg0 : !llvm.ptr<1> -> i64
    %e = llvm.xor %row, %r : i64
    llvm.store volatile %e, %arg0 : i64, !llvm.ptr<1>`;
  expect(loop(other).map((l) => l.split(" ")[0])).toEqual(["add.s64", "shl.b64", "add.s64"]);
});
