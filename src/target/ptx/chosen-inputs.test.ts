import { expect, test } from "vitest";
import { instructions, kernel } from "./translate.fixture.js";

/** The operations of a kernel that chooses between two values of %x and %n. */
const operations = (body: string, type = "i32"): readonly string[] =>
  instructions(
    kernel(
      "%p: !llvm.ptr<1>, %x: f32, %y: f32, %n: i32",
      `%zero = llvm.mlir.constant(0.0 : f32) : f32
      %half = llvm.mlir.constant(0.5 : f32) : f32
      %c = llvm.fcmp "oge" %x, %zero : f32
      ${body}
      llvm.store %r, %p : ${type}, !llvm.ptr<1>`,
    ),
  ).flatMap((line) => /^(?:cvt|add|sub|mul|selp)\S*/.exec(line)?.[0] ?? []);
const BOTH = `%a = llvm.fadd %x, %half : f32
  %b = llvm.fsub %x, %half : f32
  %i = llvm.fptosi %a : f32 to i32
  %j = llvm.fptosi %b : f32 to i32`;
const CHOICE = "%r = llvm.select %c, %i, %j : i1, i32";

test("numbers are rounded once, and their halves are chosen", () => {
  expect(operations(`${BOTH}\n${CHOICE}`)).toEqual(["selp.b32", "add.f32", "cvt.rzi.s32.f32"]);
});
test("a result with another use is there already", () => {
  expect(operations(`${BOTH}\n%k = ${CHOICE.slice(5)}\n%r = llvm.xor %k, %i : i32`)).toEqual([
    "add.f32",
    "sub.f32",
    "cvt.rzi.s32.f32",
    "cvt.rzi.s32.f32",
    "selp.b32",
  ]);
});
test("different operations, or those without a common input, are chosen between", () => {
  const of = (b: string) => operations(`%a = llvm.fmul %x, %half : f32\n%b = ${b} : f32\n%r = llvm.select %c, %a, %b : i1, f32`, "f32");
  expect(of("llvm.fmul %x, %y")).toEqual(["selp.b32", "mul.f32"]);
  expect(of("llvm.fadd %x, %y")).toEqual(["mul.f32", "add.f32", "selp.b32"]);
  expect(of("llvm.fmul %y, %y")).toEqual(["mul.f32", "mul.f32", "selp.b32"]);
  expect(of("llvm.fsub %y, %x")).toEqual(["mul.f32", "sub.f32", "selp.b32"]);
});
