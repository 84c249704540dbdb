import { expect, test } from "vitest";
import { instructions } from "./translate.fixture.js";

test("where a loop needs a register too many, it keeps the word of a product, not the product", () => {
  /** The instructions for the addresses of a load before a loop and of a store after it, where the loop adds up so many numbers. */
  const addresses = (count: number): string[] => {
    const sums = Array.from({ length: count }, (_, i) => i);
    const list = (name: string) => `${sums.map((i) => `%${name}${i}`).join(", ")} : ${sums.map(() => "f32").join(", ")}`;
    const lines = instructions(`(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel = 1 : ui1} {
      %one = llvm.mlir.constant(1 : i32) : i32
      %row = llvm.mul %n, %n : i32
      %from = llvm.getelementptr %arg0[%row] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %to = llvm.getelementptr %arg1[%row] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      ${sums.map((i) => `%a${i} = llvm.load volatile %from : !llvm.ptr<1> -> f32`).join("\n")}
      llvm.br ^bb1(%n, ${list("a").replace(" : ", " : i32, ")})
    ^bb1(%i: i32, ${sums.map((i) => `%b${i}: f32`).join(", ")}):
      %goes = llvm.icmp "sgt" %i, %one : i32
      llvm.cond_br %goes, ^bb2, ^bb3
    ^bb2:
      %next = llvm.sub %i, %one : i32
      ${sums.map((i) => `%c${i} = llvm.fadd %b${i}, %b${(i + 1) % count} : f32`).join("\n")}
      llvm.br ^bb1(%next, ${list("c").replace(" : ", " : i32, ")})
    ^bb3:
      ${sums.map((i) => `llvm.store volatile %b${i}, %to : f32, !llvm.ptr<1>`).join("\n")}
      llvm.return
    }`);
    return lines.flatMap((l) => /^(?:mul|mad)\.wide|^add\.s64/.exec(l)?.[0] ?? []);
  };
  expect(addresses(10)).toEqual(["mul.wide", "add.s64", "add.s64"]);
  expect(addresses(300)).toEqual(["mul.wide", "add.s64", "add.s64"]);
  const counts = Array.from({ length: 20 }, (_, i) => 240 + i);
  expect(counts.map(addresses).filter((made) => made[0] === "mad.wide")).toEqual([["mad.wide", "mad.wide"]]);
});
