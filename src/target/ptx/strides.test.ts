import { expect, test } from "vitest";
import { instructions, kernel } from "./translate.fixture.js";

/** The products, sums and shifts of a kernel that stores in rows of a lane, by the numbers of the rows. */
function rows(numbers: readonly number[], type: "i32" | "i64"): string[] {
  const stores = numbers.map(
    (number, i) =>
      `%c${i} = llvm.mlir.constant(${number} : ${type}) : ${type}
       %row${i} = llvm.or disjoint %lane, %c${i} : ${type}
       %at${i} = llvm.mul %row${i}, %n : ${type}
       %sum${i} = llvm.add %at${i}, %n : ${type}
       %p${i} = llvm.getelementptr %arg0[%sum${i}] : (!llvm.ptr<1>, ${type}) -> !llvm.ptr<1>, f32
       llvm.store %arg1, %p${i} : f32, !llvm.ptr<1>`,
  );
  return instructions(
    kernel(
      `%arg0: !llvm.ptr<1>, %arg1: f32, %n: ${type}`,
      `%seven = llvm.mlir.constant(7 : i32) : i32
       %tid = nvvm.read.ptx.sreg.tid.x : i32
       %low = llvm.and %tid, %seven : i32
       %lane = ${type === "i32" ? "llvm.or %low, %low : i32" : "llvm.zext %low : i32 to i64"}
       ${stores.join("\n")}`,
    ),
  ).filter((l) => /^(mul|mad|add|shl|sub|neg|or)/.test(l));
}

test("rows of a tile are counted up by the stride, addresses of 64 bits as a whole", () => {
  expect(rows([0, 8, 16], "i64").map((l) => l.split(" ")[0])).toEqual([
    "mul.lo.s64",
    "add.s64",
    "shl.b64",
    "add.s64",
    "shl.b64",
    "add.s64",
    "add.s64",
  ]);
  const products = (count: number): string[] =>
    rows(
      Array.from({ length: count }, (_, i) => 8 * (i + 1)),
      "i32",
    ).filter((l) => /^(mul|mad)\.lo/.test(l));
  expect(products(9)).toHaveLength(1);
  // Few products of words cost no more than sums.
  expect(products(8)).toHaveLength(8);
});
test("one row is multiplied", () => {
  expect(rows([8], "i64").map((l) => l.split(" ")[0])).toEqual(["or.b64", "mul.lo.s64", "add.s64", "shl.b64", "add.s64"]);
});
test("many products of a number and constants are counted up by it", () => {
  const products = (count: number): string[] => {
    const stores = Array.from(
      { length: count },
      (_, i) =>
        `%c${i} = llvm.mlir.constant(${2 * i + 3} : i64) : i64
         %at${i} = llvm.mul %n, %c${i} : i64
         %sum${i} = llvm.add %start, %at${i} : i64
         %p${i} = llvm.getelementptr %arg0[%sum${i}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
         llvm.store %arg1, %p${i} : f32, !llvm.ptr<1>`,
    );
    const lines = instructions(kernel("%arg0: !llvm.ptr<1>, %arg1: f32, %n: i64, %start: i64", stores.join("\n")));
    return lines.filter((l) => /^(mul|mad|shl)/.test(l)).map((l) => l.split(" ")[0]!);
  };
  expect(products(9)).toEqual(["mul.lo.s64", "shl.b64"]);
  expect(products(8)).toEqual(Array(8).fill("mul.lo.s64"));
});
