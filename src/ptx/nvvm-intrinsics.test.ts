import { expect, test } from "vitest";
import { ptxIdentifier } from "./identifier.js";
import { effectInstruction, pureInstruction } from "./nvvm-intrinsics.js";

test.each([
  ["fma.rn.ftz.f", "fma.rn.ftz.f32"],
  ["div.full", "div.full.f32"],
  ["fmin.xorsign.abs.f", "min.xorsign.abs.f32"],
  ["fmin.nan.xorsign.abs.f16", "min.NaN.xorsign.abs.f16"],
  ["f2bf16.rz", "cvt.rz.bf16.f32"],
  ["ui2d.rn", "cvt.rn.f64.u32"],
  ["mulhi.ull", "mul.hi.u64"],
  ["mulhi.ui", "mul.hi.u32"],
  ["barrier0", undefined],
])("llvm.nvvm.%s is a function of its operands: %s", (name, instruction) => {
  expect(pureInstruction(`llvm.nvvm.${name}`)).toBe(instruction);
});

test.each([
  ["barrier.cta.sync.aligned.all", "bar.sync \t$0"],
  ["barrier.cta.arrive.count", "barrier.arrive \t$0, $1"],
  ["shfl.sync.bfly.i32", "shfl.sync.bfly.b32 \t$0, $2, $3, $4, $1"],
  ["prmt", undefined],
])("llvm.nvvm.%s does something: %s", (name, form) => expect(effectInstruction(`llvm.nvvm.${name}`)).toBe(form));

test("what is no name in PTX is written as LLVM writes it", () => {
  // As in real Triton's PTX of a function that is not inlined.
  expect(ptxIdentifier("noinl.helper__Pfp32_i32__(2,)cconstexpr_256_")).toBe("noinl_$_helper__Pfp32_i32___$_2_$__$_cconstexpr_256_");
});
