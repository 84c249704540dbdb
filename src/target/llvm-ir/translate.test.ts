import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { amdGpuOf } from "../../gpu/amd.js";
import { Context } from "../../ir/context.js";
import { parseModule } from "../../syntax/parse.js";
import { amdgcnTarget } from "../amdgcn/llvm-ir.js";
import { nvptxTarget } from "../ptx/llvm-ir.js";
import { normalized } from "./normalized.fixture.js";
import { llvmIrText } from "./translate.js";

function translate(text: string, reflectFtz = true): string {
  const parsed = parseModule(new Context(ALL_DIALECTS), "x.mlir", text);
  return llvmIrText(parsed!.module, nvptxTarget({ reflectFtz, capability: 80, fusion: true }));
}
function translateAmd(text: string, arch = "gfx942", options = {}): string {
  const { module } = parseModule(new Context(ALL_DIALECTS), "x.mlir", text)!;
  const defaults = { gpu: amdGpuOf(arch)!, numWarps: 4, wavesPerEu: 0, flushesDenormals: false, schedulesIlp: false };
  return llvmIrText(module, amdgcnTarget(module, { ...defaults, ...options }));
}
/** The lines between the braces. */
function body(text: string): string[] {
  const made = translate(text).split("\n");
  return made.slice(made.findIndex((l) => l.startsWith("define")) + 1, made.indexOf("}")).filter((l) => l !== "");
}

describe("LLVM IR equals real Triton's before -O3, up to metadata numbers and libdevice", () => {
  const cases = readdirSync("fixtures/target").filter((f) => f.endsWith(".ll"));
  test.each(cases)("%s", (file) => {
    const golden = readFileSync(`fixtures/target/${file}`, "latin1");
    const ours = translate(readFileSync(`fixtures/target/${file.replace(/ll$/, "mlir")}`, "latin1"));
    expect(normalized(ours)).toEqual(normalized(golden));
  });
  test("metadata and attribute groups are numbered as real Triton's", () => {
    const ours = translate(readFileSync("fixtures/target/vecadd_f32-sm80.mlir", "latin1"));
    expect(ours).toBe(readFileSync("fixtures/target/vecadd_f32-sm80.ll", "latin1"));
  });
});

describe("LLVM IR of AMD equals real Triton's before -O3", () => {
  const read = (name: string): string => readFileSync(`fixtures/target/amd/${name}`, "latin1");
  /** Declarations in one order, without the flags of ROCm's libraries, which came with their code. */
  const lines = (text: string): string[] => {
    const all = normalized(text).map((line) => line.replace(/, !\{i32 \d, !"(?:wchar_size|PIC Level)", i32 \d\}/g, ""));
    return [...all.filter((line) => !line.startsWith("declare")), ...all.filter((line) => line.startsWith("declare")).sort()];
  };
  test.each(["vecadd_f32-gfx942", "softmax_row-gfx950", "tl_math-gfx942"])("%s", (name) => {
    const [, arch] = name.split("-") as [string, string];
    expect(lines(translateAmd(read(`${name}.mlir`), arch))).toEqual(lines(read(`${name}.ll`)));
  });
  test("metadata, constants of the libraries and attributes are numbered as real Triton's", () => {
    expect(translateAmd(read("vecadd_f32-gfx942.mlir"))).toBe(read("vecadd_f32-gfx942.ll"));
  });
  test.each([
    ["each op of rocdl is LLVM's intrinsic, with its attributes", "intrinsics"],
    ["atomic operations are aligned to their values' size", "atomics"],
  ])("%s", (_, name) => {
    const inside = (text: string) => normalized(text).filter((line) => /^( {2}|declare)/.test(line));
    expect(inside(translateAmd(read(`${name}.mlir`)))).toEqual(inside(read(`${name}.ll`)));
  });
  test("options are attributes of the kernel; accesses say what they alias", () => {
    const access = `llvm.func @f(%p: !llvm.ptr<1>) {
      %0 = llvm.load %p {alias_scopes = [#llvm.alias_scope<id = "a", domain = <id = "d">, description = "x">], nontemporal} : !llvm.ptr<1> -> i32
      llvm.return
    }`;
    const text = translateAmd(access, "gfx1201", { numWarps: 8, wavesPerEu: 2, flushesDenormals: true, schedulesIlp: true });
    expect(text).toContain("define amdgpu_kernel void @f(ptr addrspace(1) inreg %0)");
    expect(text).toContain("load i32, ptr addrspace(1) %0, align 4, !alias.scope !1, !nontemporal !4");
    expect(text).toContain('!2 = !{!"a", !3, !"x"}\n!3 = !{!"d"}\n!4 = !{i32 1}');
    expect(text).toContain(
      '{ "amdgpu-flat-work-group-size"="1,256" "amdgpu-sched-strategy"="iterative-ilp" "amdgpu-waves-per-eu"="2, 2" "denormal-fp-math-f32"="preserve-sign" "uniform-work-group-size"="true" }',
    );
    expect(text).toContain("@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 12001, align 4");
  });
});

test("constants are folded as IRBuilder folds them, and nothing else is", () => {
  expect(
    body(`llvm.func @f(%arg0: i32) -> i32 {
      %0 = llvm.mlir.constant(6 : i32) : i32
      %1 = llvm.mlir.constant(7 : i32) : i32
      %2 = llvm.mul %0, %1 : i32
      %3 = llvm.mlir.constant(0 : i32) : i32
      %4 = llvm.add %arg0, %3 : i32
      %5 = llvm.sub %4, %2 : i32
      llvm.return %5 : i32
    }`),
  ).toEqual(["  %2 = add i32 %0, 0", "  %3 = sub i32 %2, 42", "  ret i32 %3"]);
});

test("floats are decimal where six digits say them, hexadecimal where not", () => {
  const text = translate(`llvm.mlir.global internal constant @a(1.5 : f32) : f32
    llvm.mlir.global internal constant @b(0.1 : f32) : f32
    llvm.mlir.global internal constant @c(0x7F800000 : f32) : f32
    llvm.mlir.global internal constant @d(1.0 : f16) : f16
    llvm.mlir.global internal constant @e(1.0 : bf16) : bf16
    llvm.mlir.global internal constant @f(1.0e-45 : f32) : f32
    llvm.mlir.global internal constant @g("a\\00\\22") {addr_space = 0 : i32}`);
  expect(text.match(/^@.*$/gm)).toEqual([
    "@a = internal constant float 1.500000e+00",
    "@b = internal constant float 0x3FB99999A0000000",
    "@c = internal constant float 0x7FF0000000000000",
    "@d = internal constant half 0xH3C00",
    "@e = internal constant bfloat 0xR3F80",
    "@f = internal constant float 0x36A0000000000000",
    '@g = internal constant [3 x i8] c"a\\00\\22"',
  ]);
});

test("block arguments are phis; addresses of constants are constants", () => {
  expect(
    body(`llvm.mlir.global external @s() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @f(%arg0: i1) -> i32 {
      %0 = llvm.mlir.addressof @s : !llvm.ptr<3>
      %1 = llvm.getelementptr inbounds %0[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
      %2 = llvm.load %1 : !llvm.ptr<3> -> i32
      llvm.cond_br %arg0, ^bb1(%2 : i32), ^bb2
    ^bb1(%3: i32):
      llvm.return %3 : i32
    ^bb2:
      llvm.br ^bb1(%2 : i32)
    }`),
  ).toEqual([
    "  %2 = load i32, ptr addrspace(3) getelementptr inbounds (i8, ptr addrspace(3) @s, i64 16), align 4",
    "  br i1 %0, label %3, label %5",
    "3:                                                ; preds = %5, %1",
    "  %4 = phi i32 [ %2, %5 ], [ %2, %1 ]",
    "  ret i32 %4",
    "5:                                                ; preds = %1",
    "  br label %3",
  ]);
});

test("ftz of libdevice is a module flag", () => {
  expect(translate("llvm.func @f()", true)).toContain('!{i32 4, !"nvvm-reflect-ftz", i32 1}');
  expect(translate("llvm.func @f()", false)).not.toContain("nvvm-reflect-ftz");
});

describe("functions of libdevice have a body", () => {
  test("in inline assembly, with registers of its own", () => {
    const text = translate("llvm.func @__nv_rsqrtf(f32) -> f32");
    expect(text).toContain(`define internal float @__nv_rsqrtf(float %0) #0 {
  %result = call float asm "{\\0A.reg .b32 %nv_r<3>;\\0Amov.b32 %nv_r1, $1;\\0Arsqrt.approx.ftz.f32 %nv_r2, %nv_r1;\\0Amov.b32 $0, %nv_r2;\\0A}", "=f,f"(float %0)
  ret float %result
}`);
    expect(text).toContain("attributes #0 = { alwaysinline nounwind willreturn memory(none) }");
    expect(translate("llvm.func @__nv_rsqrtf(f32) -> f32", false)).toContain("rsqrt.approx.f32");
  });
  test("of every kind of register", () => {
    const constraints = (signature: string) => /"(=[a-z,]+)"/.exec(translate(`llvm.func ${signature}`))?.[1];
    expect(constraints("@__nv_fma(f64, f64, f64) -> f64")).toBe("=d,d,d,d");
    expect(constraints("@__nv_clzll(i64) -> i32")).toBe("=r,l");
    expect(constraints("@__nv_half2float(i16) -> f32")).toBe("=f,h");
  });
  test("with labels of its own where it branches", () => {
    const text = translate("llvm.func @__nv_sinf(f32) -> f32");
    expect(text).toMatch(/bra \$\$L__BB0_\d+;/);
    expect(text).not.toMatch(/[^$]\$L__/);
  });
  test("others are declared only", () => {
    expect(translate("llvm.func @__nv_unheard_of(f32) -> f32")).toContain("declare float @__nv_unheard_of(float)");
    expect(translate("llvm.func @other(f32) -> f32")).toContain("declare float @other(float)");
  });
});
