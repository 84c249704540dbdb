import { expect, test } from "vitest";
import { instructions, kernel } from "./translate.fixture.js";

test("comparisons that a loop does not change are made before it, unless there are more than predicates", () => {
  const inLoop = (count: number): number => {
    const all = Array.from({ length: count }, (_, i) => i);
    const lines = instructions(
      kernel(
        `%arg0: !llvm.ptr<1>, %a: i32, ${all.map((i) => `%b${i}: i32`).join(", ")}`,
        `%c0 = llvm.mlir.constant(0 : i32) : i32
         ${all.map((i) => `%p${i} = llvm.icmp "slt" %a, %b${i} : i32`).join("\n")}
         llvm.br ^bb1
       ^bb1:
         ${all
           .map(
             (i) => `%v${i} = llvm.load volatile %arg0 : !llvm.ptr<1> -> i32
         %s${i} = llvm.select %p${i}, %v${i}, %c0 : i1, i32
         llvm.store volatile %s${i}, %arg0 : i32, !llvm.ptr<1>`,
           )
           .join("\n")}
         llvm.br ^bb1`,
      ).replace("\nllvm.return", ""),
    );
    return lines.slice(lines.findIndex((l) => l.startsWith("$L"))).filter((l) => l.startsWith("setp")).length;
  };
  expect([7, 8].map(inLoop)).toEqual([0, 8]);
});
