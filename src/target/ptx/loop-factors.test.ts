import { expect, test } from "vitest";
import { addingLoop, instructions } from "./translate.fixture.js";

test("where a loop needs a register too many, it keeps the word of a product, not the product", () => {
  /** The instructions for the addresses of a load before a loop and of a store after it, where the loop adds up so many numbers. */
  const addresses = (count: number): string[] => {
    const before = `%row = llvm.mul %n, %n : i32
      %from = llvm.getelementptr %arg0[%row] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %to = llvm.getelementptr %arg1[%row] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32`;
    const lines = instructions(addingLoop(count, "%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>", before, "", "%from", "%to"));
    return lines.flatMap((l) => /^(?:mul|mad)\.wide|^add\.s64/.exec(l)?.[0] ?? []);
  };
  expect(addresses(10)).toEqual(["mul.wide", "add.s64", "add.s64"]);
  expect(addresses(300)).toEqual(["mul.wide", "add.s64", "add.s64"]);
  const counts = Array.from({ length: 20 }, (_, i) => 240 + i);
  expect(counts.map(addresses).filter((made) => made[0] === "mad.wide")).toEqual([["mad.wide", "mad.wide"]]);
});
