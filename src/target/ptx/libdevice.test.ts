import { expect, test } from "vitest";
import { instructions, kernel, translate } from "./translate.fixture.js";

function libdevice(name: string, count: number): string {
  const args = Array(count).fill("f32").join(", ");
  return translate(
    `llvm.func @__nv_${name}(${args}) -> f32
     llvm.func @f${kernel(
       "%arg0: !llvm.ptr<1>, %a: f32, %b: f32",
       `%r = llvm.call @__nv_${name}(${["%a", "%b"].slice(0, count)}) : (${args}) -> f32
        llvm.store %r, %arg0 : f32, !llvm.ptr<1>`,
     )}`,
  );
}

test.each([
  ["cbrtf", 1, ["lg2", "ex2", "rcp"]],
  ["rcbrtf", 1, ["lg2", "ex2", "rcp"]],
  ["hypotf", 2, ["sqrt"]],
  ["rhypotf", 2, ["rsqrt"]],
  ["fmodf", 2, ["rcp"]],
  ["remainderf", 2, ["rcp"]],
  ["cyl_bessel_i0f", 1, ["rcp", "rsqrt", "ex2"]],
  ["tgammaf", 1, ["ex2", "rcp", "rcp", "rcp", "rcp", "div", "div"]],
  ["erfcxf", 1, ["ex2", "rcp", "rcp", "div"]],
])("%s divides by no more than the reciprocals of the hardware", (name, count, expected) => {
  const text = libdevice(name, count);
  const special = text.match(/\b(lg2|ex2|rcp|sqrt|rsqrt|div)\.(approx|full|rn)/g) ?? [];
  expect(special.map((mnemonic) => mnemonic.split(".")[0]).sort()).toEqual(expected.sort());
  expect(special.filter((mnemonic) => mnemonic.endsWith(".rn"))).toEqual([]);
});

test("a power of a few factors is their product, as libdevice has it", () => {
  const power = (n: number): string[] => {
    const text = translate(
      `llvm.func @__nv_powif(f32, i32) -> f32
       llvm.func @f${kernel(
         "%arg0: !llvm.ptr<1>, %a: f32",
         `%n = llvm.mlir.constant(${n} : i32) : i32
          %r = llvm.call @__nv_powif(%a, %n) : (f32, i32) -> f32
          llvm.store %r, %arg0 : f32, !llvm.ptr<1>`,
       )}`,
    );
    return (text.match(/^\t(mul|ex2|st\.global)\S* .*/gm) ?? []).map((line) => line.trim().replace(/%rd?\d+/g, "%"));
  };
  const [mul, store] = ["mul.rn.ftz.f32 \t%, %, %;", "st.global.b32 \t[%], %;"];
  expect([0, 1, 2, 3, 4].map(power)).toEqual([[store], [store], [mul, store], [mul, mul, store], [mul, mul, store]]);
  expect(power(5).join()).toContain("ex2");
  expect(power(-1).join()).toContain("ex2");
});

test.each(["logf", "log2f", "log10f"])("%s makes two choices: of zero, and of infinity, NaN and what is below zero", (name) => {
  expect(libdevice(name, 1).match(/selp/g)).toHaveLength(2);
});

test("the ends of erfinv come by its logarithm, without choices", () => {
  expect(libdevice("erfinvf", 1)).not.toMatch(/selp|copysign/);
});

test("what runs anyway is computed where the program has it, what may not be needed where it is", () => {
  const lines = instructions(
    kernel(
      "%arg0: !llvm.ptr<1>, %x: i32, %n: i32",
      `%c0 = llvm.mlir.constant(0 : i32) : i32
       %always = llvm.mul %x, %n : i32
       %sometimes = llvm.sub %x, %n : i32
       %p = llvm.icmp "sgt" %n, %c0 : i32
       llvm.cond_br %p, ^then, ^after
     ^then:
       llvm.store %sometimes, %arg0 : i32, !llvm.ptr<1>
       llvm.br ^after
     ^after:
       llvm.store %always, %arg0 : i32, !llvm.ptr<1>`,
    ),
  );
  const names = lines.map((line) => /^(@|[a-z]+)/.exec(line)?.[0]).filter((name) => /@|mul|sub|st/.test(name ?? ""));
  expect(names).toEqual(["mul", "@", "sub", "st", "st"]);
});
