import { describe, expect, test } from "vitest";
import { instructions, kernel } from "./translate.fixture.js";

describe("values of which many would be needed at once", () => {
  const sums = (count: number, between = ""): string[] => {
    const load = (i: number) => `
      %o${i} = llvm.mlir.constant(${i} : i32) : i32
      %p${i} = llvm.getelementptr %arg1[%o${i}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      %v${i} = llvm.load %p${i} : !llvm.ptr<3> -> f32`;
    const all = Array.from({ length: count }, (_, i) => i);
    const body = `${all.map(load).join("")}${between}
      ${all.map((i) => `%s${i} = llvm.fadd ${i === 0 ? "%arg2" : `%s${i - 1}`}, %v${i} : f32`).join("\n")}
      llvm.store %s${count - 1}, %arg0 : f32, !llvm.ptr<1>`;
    const lines = instructions(kernel("%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<3>, %arg2: f32", body));
    return lines.filter((l) => /^(ld\.shared|add\.f32)/.test(l)).map((l) => l.slice(0, 2));
  };
  test("are loaded when they are needed", () => {
    for (const count of [100, 300]) expect(sums(count).join(" ")).toMatch(new RegExp(`^(ld ad ?){${count}}$`));
  });
  test("stay in the program's order where they are few", () => {
    expect(sums(60)).toEqual([...Array(60).fill("ld"), ...Array(60).fill("ad")]);
  });
  test("are loaded before what may change them", () => {
    const store = "\nllvm.store volatile %arg2, %arg0 : f32, !llvm.ptr<1>";
    expect(sums(300, store)).toEqual([...Array(300).fill("ld"), ...Array(300).fill("ad")]);
  });
});

test("in a loop, offsets of one value are made where they are needed, and a count that it goes on with where the program has it", () => {
  const body = `
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %c8 = llvm.mlir.constant(8 : i32) : i32
      llvm.br ^bb1(%a : i32)
    ^bb1(%i: i32):
      %next = llvm.add %i, %c1 : i32
      %n = llvm.mul %i, %a : i32
      %o1 = llvm.add %n, %c1 : i32
      %o8 = llvm.add %n, %c8 : i32
      llvm.store volatile %n, %arg0 : i32, !llvm.ptr<1>
      llvm.store volatile %o1, %arg0 : i32, !llvm.ptr<1>
      llvm.store volatile %o8, %arg0 : i32, !llvm.ptr<1>
      llvm.br ^bb1(%next : i32)`;
  const lines = instructions(`(%arg0: !llvm.ptr<1>, %a: i32) attributes {nvvm.kernel = 1 : ui1} {${body}\n}`);
  const loop = lines.slice(lines.findIndex((l) => l.startsWith("mul"))).map((l) => l.split(/[. ]/)[0]);
  expect(loop).toEqual(["mul", "st", "add", "st", "add", "st", "mov", "bra"]);
});
