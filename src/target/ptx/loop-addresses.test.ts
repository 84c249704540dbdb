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

test("parts that several addresses of a loop have in common are added up before it, where that takes fewer registers", () => {
  const loop = (other: string): string[] => {
    const lines = instructions(
      kernel(
        "%arg0: !llvm.ptr<1>, %arg1: i64, %arg2: i64",
        `%c0 = llvm.mlir.constant(0 : i64) : i64
         %c1 = llvm.mlir.constant(1 : i64) : i64
         %keys = llvm.mul %arg1, %arg1 : i64
         %values = llvm.mul %arg2, %arg2 : i64
         %column = llvm.mul %arg1, %arg2 : i64
         llvm.br ^bb1(%c0 : i64)
       ^bb1(%i: i64):
         %j = llvm.xor %i, %c1 : i64
         %k0 = llvm.add %keys, %i : i64
         %k1 = llvm.add %k0, %column : i64
         %l0 = llvm.add %keys, %j : i64
         %l1 = llvm.add %l0, %column : i64
         %v0 = llvm.add %values, %i : i64
         %v1 = llvm.add %v0, %column : i64
         llvm.store volatile %k1, %arg0 : i64, !llvm.ptr<1>
         llvm.store volatile %l1, %arg0 : i64, !llvm.ptr<1>
         llvm.store volatile %v1, %arg0 : i64, !llvm.ptr<1>
         ${other}
         %n = llvm.add %i, %c1 : i64
         %d = llvm.icmp "slt" %n, %arg1 : i64
         llvm.cond_br %d, ^bb1(%n : i64), ^bb2
       ^bb2:`,
      ),
    );
    const [start, end] = [lines.findIndex((l) => l.startsWith("$L")), lines.findLastIndex((l) => l.startsWith("st."))];
    return lines.slice(start, end).filter((l) => /^add.s64/.test(l));
  };
  expect(loop("")).toHaveLength(3);
  // Each of them is needed in the loop by itself, so that nothing would be free.
  const alone = ["keys", "values", "column"].map((name) => `llvm.store volatile %${name}, %arg0 : i64, !llvm.ptr<1>`).join("\n");
  expect(loop(alone)).toHaveLength(6);
});
