import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import type { Attribute } from "../../ir/attribute.js";
import { Context } from "../../ir/context.js";
import { fileLoc, nameLoc } from "../../ir/location.js";
import { parsePtx } from "../../ptx/parse.js";
import { parseModule } from "../../syntax/parse.js";
import { LocTable } from "./lines.js";
import { instructions, kernel, OPTIONS, translate } from "./translate.fixture.js";
import { ptxText } from "./translate.js";

describe("every kernel", () => {
  test.each(readdirSync("fixtures/target").filter((f) => f.endsWith(".mlir")))("%s parses, and is the same twice", (file) => {
    const text = readFileSync(`fixtures/target/${file}`, "latin1");
    const capability = Number(/sm(\d+)/.exec(file)![1]);
    const made = translate(text, { capability });
    expect(parsePtx(made).diagnostics).toEqual([]);
    expect(translate(text, { capability })).toBe(made);
  });
  test("vecadd, as a whole", async () => {
    const made = translate(readFileSync("fixtures/target/vecadd_f32-sm80.mlir", "latin1"));
    await expect(made).toMatchFileSnapshot("../../../snapshots/target/vecadd_f32-sm80.ptx");
  });
});
test("a tensor map of the host's is a parameter itself", () => {
  const text = translate(
    `llvm.func @f${kernel(
      "%arg0: !llvm.ptr {llvm.align = 64 : i32, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %arg1: !llvm.ptr<1>",
      "%0 = llvm.ptrtoint %arg0 : !llvm.ptr to i64\n llvm.store %0, %arg1 : i64, !llvm.ptr<1>",
    )}`,
  );
  expect(text).toContain(".param .align 64 .b8 f_param_0[128],\n\t.param .u64 .ptr .global .align 1 f_param_1\n");
  expect(text).toMatch(/mov\.b64 \t(%rd\d), f_param_0;\n\tcvta\.param\.u64 \t%rd\d, \1;/);
});
test("index arithmetic of threads becomes shifts and masks", () => {
  expect(
    instructions(
      kernel(
        "%arg0: !llvm.ptr<1>",
        `%c5 = llvm.mlir.constant(5 : i32) : i32
         %c32 = llvm.mlir.constant(32 : i32) : i32
         %c127 = llvm.mlir.constant(127 : i32) : i32
         %0 = nvvm.read.ptx.sreg.tid.x : i32
         %1 = llvm.and %0, %c127 : i32
         %2 = llvm.urem %1, %c32 : i32
         %3 = llvm.udiv %1, %c32 : i32
         %4 = llvm.shl %3, %c5 : i32
         %5 = llvm.or disjoint %2, %4 : i32
         %6 = llvm.getelementptr %arg0[%5] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
         llvm.store %5, %6 : i32, !llvm.ptr<1>`,
      ),
    ),
  ).toEqual([
    "mov.u32 %r1, %tid.x;",
    "ld.param.b64 %rd1, [f_param_0];",
    "mad.wide.u32 %rd2, %r1, 4, %rd1;",
    "st.global.b32 [%rd2], %r1;",
    "ret;",
  ]);
});
test("addresses of one base are products and sums, one or two of them mad.wide", () => {
  const addresses = (count: number): string[] =>
    instructions(
      kernel(
        "%arg0: !llvm.ptr<1>, %arg1: i32, %arg2: i32, %arg3: i32",
        Array.from(
          { length: count },
          (_, i) =>
            `%p${i} = llvm.getelementptr %arg0[%arg${i + 1}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
             llvm.store %arg1, %p${i} : i32, !llvm.ptr<1>`,
        ).join("\n"),
      ),
    )
      .filter((l) => /^(mad|mul|add)/.test(l))
      .map((l) => l.split(" ")[0]!);
  expect(addresses(2)).toEqual(Array(2).fill("mad.wide.s32"));
  expect(addresses(3)).toEqual(Array(3).fill(["mul.wide.s32", "add.s64"]).flat());
});
test("products and sums are fused, unless that is switched off", () => {
  const body = kernel(
    "%arg0: !llvm.ptr<1>, %arg1: f32, %arg2: f32, %arg3: f32",
    `%0 = llvm.fmul %arg1, %arg2 : f32
     %1 = llvm.fadd %0, %arg3 : f32
     llvm.store %1, %arg0 : f32, !llvm.ptr<1>`,
  );
  expect(instructions(body).filter((l) => /^(fma|mul|add)/.test(l))).toEqual(["fma.rn.f32 %r4, %r1, %r2, %r3;"]);
  expect(instructions(body, { fusion: false }).filter((l) => /^(fma|mul|add)/.test(l))).toEqual([
    "mul.rn.f32 %r3, %r1, %r2;",
    "add.rn.f32 %r5, %r4, %r3;",
  ]);
});
test("a loop's values share the phis' registers; cycles go through one more", () => {
  const lines = instructions(
    kernel(
      "%arg0: !llvm.ptr<1>, %arg1: i32, %arg2: i32, %arg3: i32",
      `%c0 = llvm.mlir.constant(0 : i32) : i32
       %c1 = llvm.mlir.constant(1 : i32) : i32
       llvm.br ^bb1(%c0, %arg1, %arg2 : i32, i32, i32)
     ^bb1(%i: i32, %a: i32, %b: i32):
       %n = llvm.add %i, %c1 : i32
       llvm.store %a, %arg0 : i32, !llvm.ptr<1>
       %d = llvm.icmp "slt" %n, %arg3 : i32
       llvm.cond_br %d, ^bb1(%n, %b, %a : i32, i32, i32), ^bb2
     ^bb2:`,
    ),
  );
  const moves = lines.filter((l) => l.startsWith("mov.b32")).map((l) => /(%r\d+), (\S+);/.exec(l)!.slice(1));
  const [zero, saved, first, second] = moves;
  expect(moves).toHaveLength(4);
  expect(lines).toContain(`add.s32 ${zero![0]}, ${zero![0]}, 1;`);
  expect([first![0], second]).toEqual([saved![1], [first![1], saved![0]]]);
});
test("what is computed of a constant that a loop carries is a constant", () => {
  const body = `%c0 = llvm.mlir.constant(0 : i32) : i32
    %c6 = llvm.mlir.constant(6 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    llvm.br ^bb1(%c0 : i32)
  ^bb1(%at: i32):
    %sum = llvm.add %at, %c16 : i32
    %row = llvm.shl %sum, %c6 : i32
    %x = llvm.xor %arg1, %row : i32
    llvm.store volatile %x, %arg0 : i32, !llvm.ptr<1>
    %s = llvm.load volatile %arg0 : !llvm.ptr<1> -> i32
    %p = llvm.icmp "slt" %s, %c0 : i32
    llvm.cond_br %p, ^bb1(%at : i32), ^bb2
  ^bb2:
    llvm.return`;
  const made = instructions(`(%arg0: !llvm.ptr<1>, %arg1: i32) attributes {nvvm.kernel = 1 : ui1} {${body}\n}`);
  expect(made.filter((line) => /^(add|shl|xor)/.test(line))).toEqual(["xor.b32 %r2, %r1, 1024;"]);
});
test("values share no register while both are needed", () => {
  const lines = instructions(
    kernel(
      "%arg0: !llvm.ptr<1>, %arg1: i32, %arg2: i32",
      `%0 = llvm.inline_asm asm_dialect = att operand_attrs = [] "add.u32 $0, $0, 1; add.u32 $1, $1, $4;", "=r,=r,0,1,r" %arg1, %arg2, %arg2 : (i32, i32, i32) -> !llvm.struct<(i32, i32)>
       %1 = llvm.extractvalue %0[0] : !llvm.struct<(i32, i32)>
       %2 = llvm.extractvalue %0[1] : !llvm.struct<(i32, i32)>
       llvm.store %1, %arg0 : i32, !llvm.ptr<1>
       llvm.store %2, %arg0 : i32, !llvm.ptr<1>
       llvm.store %arg1, %arg0 : i32, !llvm.ptr<1>`,
    ),
  );
  // %arg1 is stored as well, and %arg2 is read by the second addition.
  expect(lines.slice(2, 7)).toEqual([
    "mov.b32 %r3, %r1;",
    "mov.b32 %r4, %r2;",
    "// begin inline asm",
    "add.u32 %r3, %r3, 1; add.u32 %r4, %r4, %r2;",
    "// end inline asm",
  ]);
});
test("sums take products of their own block; of two the earlier one", () => {
  const lines = instructions(
    kernel(
      "%arg0: !llvm.ptr<1>, %arg1: f32, %arg2: f32, %arg3: i1",
      `%0 = llvm.load %arg0 : !llvm.ptr<1> -> f32
       %1 = llvm.load %arg0 {volatile_} : !llvm.ptr<1> -> f32
       %2 = llvm.fmul %1, %arg1 : f32
       %3 = llvm.fmul %0, %arg2 : f32
       %4 = llvm.fadd %2, %3 : f32
       llvm.store %4, %arg0 : f32, !llvm.ptr<1>
       llvm.cond_br %arg3, ^bb1, ^bb2
     ^bb1:
       %5 = llvm.fadd %2, %arg1 : f32
       llvm.store %5, %arg0 : f32, !llvm.ptr<1>
       llvm.br ^bb2
     ^bb2:`,
    ),
  );
  const float = lines.filter((l) => l.includes(".f32"));
  expect(float.map((l) => l.split(" ")[0])).toEqual(["mul.f32", "fma.rn.f32", "add.f32"]);
  const loaded = lines.filter((l) => l.startsWith("ld.global") || l.startsWith("ld.volatile")).map((l) => /%r\d+/.exec(l)![0]);
  expect(float[1]).toContain(`, ${loaded[0]}, `);
});
test("what a target lacks is done by other means", () => {
  const body = kernel(
    "%arg0: !llvm.ptr<1>, %arg1: bf16, %arg2: bf16",
    `%0 = llvm.fadd %arg1, %arg2 : bf16
     llvm.store %0, %arg0 : bf16, !llvm.ptr<1>`,
  );
  const used = (capability: number) =>
    instructions(body, { capability })
      .filter((l) => /(^|\.)(add|fma)\S*(bf16|f32) /.test(l))
      .map((l) => l.split(" ")[0]);
  expect(used(90)).toEqual(["add.bf16"]);
  expect(used(80)).toEqual(["fma.rn.bf16"]);
  expect(used(75)).toEqual(["add.f32"]);
});
test("a float becomes an integer of 16 bits or more in one instruction, which clamps to that width", () => {
  const used = (from: string, to: string, signed = true) =>
    instructions(
      kernel(
        `%arg0: !llvm.ptr<1>, %arg1: ${from}`,
        `%0 = llvm.fpto${signed ? "s" : "u"}i %arg1 : ${from} to ${to}\nllvm.store %0, %arg0 : ${to}, !llvm.ptr<1>`,
      ),
    ).flatMap((l) => /^cvt\.rzi\S*/.exec(l) ?? []);
  expect(used("f32", "i8")).toEqual(["cvt.rzi.s16.f32"]);
  expect(used("f32", "i16", false)).toEqual(["cvt.rzi.u16.f32"]);
  expect(used("f64", "i32")).toEqual(["cvt.rzi.s32.f64"]);
  const widened = "%0 = llvm.fpext %arg1 : f16 to f32\n%1 = llvm.fptosi %0 : f32 to i64\nllvm.store %1, %arg0 : i64, !llvm.ptr<1>";
  expect(instructions(kernel("%arg0: !llvm.ptr<1>, %arg1: f16", widened)).filter((l) => /^cvt/.test(l))[0]).toMatch(/^cvt\.rzi\.s64\.f16 /);
});
test("constraints of inline assembly may have blanks", () => {
  const assembly = (constraints: string): string[] =>
    instructions(
      kernel(
        "%arg0: !llvm.ptr<1>, %arg1: i32",
        `%0 = llvm.inline_asm asm_dialect = att operand_attrs = [] "mov.u32 $0, $1;", "${constraints}" %arg1 : (i32) -> i32
         llvm.store %0, %arg0 : i32, !llvm.ptr<1>`,
      ),
    );
  expect(assembly("=r, r")).toEqual(assembly("=r,r"));
});
test("inline assembly gets its operands; a tied input that the text does not name is in the result's register", () => {
  const lines = instructions(
    kernel(
      "%arg0: !llvm.ptr<1>, %arg1: i32",
      `%0 = llvm.inline_asm asm_dialect = att operand_attrs = [] "add.u32 $0, $0, 1; // $$", "=r,0" %arg1 : (i32) -> i32
       llvm.store %0, %arg0 : i32, !llvm.ptr<1>`,
    ),
  );
  expect(lines).toEqual([
    "ld.param.b32 %r1, [f_param_1];",
    "// begin inline asm",
    "add.u32 %r1, %r1, 1; // $",
    "// end inline asm",
    "ld.param.b64 %rd1, [f_param_0];",
    "st.global.b32 [%rd1], %r1;",
    "ret;",
  ]);
});
test("an op without PTX is told with its place", () => {
  const parsed = parseModule(new Context(ALL_DIALECTS), "x.mlir", "llvm.func @f(%arg0: vector<2xi48>) {\n  llvm.return\n}\n")!;
  expect(ptxText(parsed.module, OPTIONS)).toMatchObject({ text: expect.not.stringContaining(".func") });
  const kernelOp = parseModule(
    new Context(ALL_DIALECTS),
    "x.mlir",
    "llvm.func @f(%arg0: f64) attributes {nvvm.kernel = 1 : ui1} {\n  %0 = llvm.intr.exp2(%arg0) : (f64) -> f64\n  llvm.return\n}\n",
  )!;
  expect(ptxText(kernelOp.module, OPTIONS)).toMatchObject({ problems: [{ message: "'llvm.exp2.f64' has no PTX" }] });
});
test("what a warp group's product reads is written before its fence, copies of accumulators included", () => {
  const d = "%d0, %d1, %d2, %d3";
  const product = (result: string, accumulators: string, a: string) => `
    ${result} = llvm.inline_asm has_side_effects asm_dialect = att operand_attrs = [] "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, {$8,$9,$10,$11}, $12, $13, 1, 1, 0;", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l,b" ${accumulators}, ${a}, %arg1, %on : (f32, f32, f32, f32, i32, i32, i32, i32, i64, i1) -> !llvm.struct<(f32, f32, f32, f32)>`;
  const lines = instructions(
    kernel(
      "%arg0: !llvm.ptr<1>, %arg1: i64",
      `%on = llvm.mlir.constant(true) : i1
       %i0 = llvm.mlir.constant(0 : i32) : i32
       %i1 = llvm.mlir.constant(1 : i32) : i32
       %two = llvm.mlir.constant(2.0 : f32) : f32
       %u = llvm.mlir.undef : vector<2xf16>
       %x = llvm.load %arg0 : !llvm.ptr<1> -> vector<2xf16>
       %x0 = llvm.extractelement %x[%i0 : i32] : vector<2xf16>
       %x1 = llvm.extractelement %x[%i1 : i32] : vector<2xf16>
       %a0 = llvm.fadd %x0, %x0 : f16
       %a1 = llvm.fadd %x1, %x1 : f16
       %v0 = llvm.insertelement %a0, %u[%i0 : i32] : vector<2xf16>
       %v1 = llvm.insertelement %a1, %v0[%i1 : i32] : vector<2xf16>
       %a = llvm.bitcast %v1 : vector<2xf16> to i32
       %other = llvm.load %arg0 : !llvm.ptr<1> -> i32
       %b = llvm.xor %other, %i1 : i32
       nvvm.wgmma.fence.aligned
       ${product("%s", "%two, %two, %two, %two", "%a, %a, %a, %a")}
       ${["%d0", "%d1", "%d2", "%d3"].map((r, i) => `${r} = llvm.extractvalue %s[${i}] : !llvm.struct<(f32, f32, f32, f32)>`).join("\n")}
       ${product("%t", d, "%b, %b, %a, %b")}
       nvvm.wgmma.commit.group.sync.aligned
       %r = llvm.extractvalue %t[0] : !llvm.struct<(f32, f32, f32, f32)>
       llvm.store %r, %arg0 : f32, !llvm.ptr<1>`,
    ),
    { capability: 90 },
  );
  const fence = lines.indexOf("wgmma.fence.sync.aligned;");
  const behind = lines.slice(fence + 1, lines.indexOf("wgmma.commit_group.sync.aligned;")).filter((line) => !line.startsWith("//"));
  expect(behind.map((line) => line.split(".")[1])).toEqual(["mma_async", "mma_async"]);
  expect(lines.slice(0, fence).filter((line) => /^add.f16x2|^mov.b32 %r\d+, 1073741824|^xor/.test(line))).toHaveLength(6);
});
test("equal fences and barriers stay as many as there are", () => {
  const fence = `llvm.inline_asm has_side_effects asm_dialect = att operand_attrs = [] "fence.proxy.async.shared::cta;", "" : () -> ()\nnvvm.barrier0\n`;
  const lines = instructions(kernel("%arg0: !llvm.ptr<1>", fence.repeat(3)));
  expect(lines.filter((line) => /^(fence|bar)/.test(line)).map((line) => line.split(/[. ]/)[0])).toEqual(
    Array.from({ length: 3 }, () => ["fence", "bar"]).flat(),
  );
});
test("a function that is not expanded returns several values, and conditions, as one parameter", () => {
  const text = translate(`llvm.func @two(%arg0: f32, %arg1: i1) -> !llvm.struct<(f32, i1)> attributes {passthrough = ["noinline"]} {
      %0 = llvm.mlir.undef : !llvm.struct<(f32, i1)>
      %1 = llvm.fadd %arg0, %arg0 : f32
      %2 = llvm.insertvalue %1, %0[0] : !llvm.struct<(f32, i1)>
      %3 = llvm.insertvalue %arg1, %2[1] : !llvm.struct<(f32, i1)>
      llvm.return %3 : !llvm.struct<(f32, i1)>
    }
    llvm.func @k(%arg0: !llvm.ptr<1>, %arg1: f32) attributes {nvvm.kernel = 1 : ui1} {
      %0 = llvm.mlir.constant(1.0 : f32) : f32
      %1 = llvm.fcmp "ogt" %arg1, %0 : f32
      %2 = llvm.call @two(%arg1, %1) : (f32, i1) -> !llvm.struct<(f32, i1)>
      %3 = llvm.extractvalue %2[0] : !llvm.struct<(f32, i1)>
      %4 = llvm.extractvalue %2[1] : !llvm.struct<(f32, i1)>
      %5 = llvm.select %4, %3, %0 : i1, f32
      llvm.store %5, %arg0 : f32, !llvm.ptr<1>
      llvm.return
    }`);
  expect(text).toContain(".func (.param .align 8 .b8 func_retval0[16]) two(");
  expect(text).toMatch(/st\.param\.b32 \t\[func_retval0\+8\], %r\d+;/);
  expect(text).toMatch(/ld\.param\.b32 \t(%r\d+), \[retval0\+8\];\n\tsetp\.ne\.b32 \t%p\d+, \1, 0;/);
});
test("before sm_90 bf16 is added atomically by comparing and swapping the word around it", () => {
  const add = kernel(
    "%arg0: !llvm.ptr<1>, %arg1: bf16",
    `%0 = llvm.atomicrmw fadd %arg0, %arg1 syncscope("device") acq_rel : !llvm.ptr<1>, bf16
     llvm.store %0, %arg0 : bf16, !llvm.ptr<1>`,
  );
  const memory = (capability: number) =>
    instructions(add, { capability })
      .filter((line) => /^(ld\.global|atom|st|and\.b64)/.test(line))
      .map((line) => line.replace(/%\w+/g, "%"));
  expect(memory(90)).toEqual(["atom.acq_rel.gpu.global.add.noftz.bf16 %, [%], %;", "st.global.b16 [%], %;"]);
  // Real Triton's, on both targets.
  for (const capability of [75, 80])
    expect(memory(capability)).toEqual([
      "and.b64 %, %, -4;",
      "ld.global.b32 %, [%];",
      "atom.acq_rel.gpu.global.cas.b32 %, [%], %, %;",
      "st.global.b16 [%], %;",
    ]);
});
test("constant bytes side by side in shared memory are stored at once, as far as they are aligned", () => {
  const stores = [2, 3, 4, 5, 6, 7, 8, 9, 10].map(
    (at, i) => `%p${at} = llvm.getelementptr %s[${at}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %c${i % 2}, %p${at} : i8, !llvm.ptr<3>`,
  );
  const text = translate(`llvm.mlir.global external @global_smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @f() attributes {nvvm.kernel = 1 : ui1, nvvm.reqntid = array<i32: 128>} {
      %s = llvm.mlir.addressof @global_smem : !llvm.ptr<3>
      %c0 = llvm.mlir.constant(1 : i8) : i8
      %c1 = llvm.mlir.constant(-1 : i8) : i8
      ${stores.join("\n")}
      llvm.return
    }`);
  expect(text.match(/st\.shared\S* \t?\[global_smem\+\d+\]/g)?.map((store) => store.replace(" \t", " "))).toEqual([
    "st.shared.b16 [global_smem+2]",
    "st.shared.b32 [global_smem+4]",
    "st.shared.b16 [global_smem+8]",
    "st.shared.b8 [global_smem+10]",
  ]);
  expect(text).toMatch(/mov\.b32 \t%r\d+, -16646399;/);
});
test("an access takes no more bytes at once than its address is known to be a multiple of", () => {
  const text = translate(`llvm.mlir.global external @global_smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @f(%p: !llvm.ptr<1>, %q: !llvm.ptr<3>) attributes {nvvm.kernel = 1 : ui1, nvvm.reqntid = array<i32: 128>} {
      %s = llvm.mlir.addressof @global_smem : !llvm.ptr<3>
      %four = llvm.getelementptr %s[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %eight = llvm.getelementptr %s[24] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      llvm.store %p, %four {alignment = 1 : i64} : !llvm.ptr<1>, !llvm.ptr<3>
      llvm.store %p, %eight {alignment = 1 : i64} : !llvm.ptr<1>, !llvm.ptr<3>
      %v = llvm.load %q {alignment = 2 : i64} : !llvm.ptr<3> -> i32
      llvm.store %v, %p : i32, !llvm.ptr<1>
      llvm.return
    }`);
  expect(
    text.match(/(?:ld|st)\.shared\S* \t?[^;]*/g)?.map((access) => access.replace(/%(rd|rs|r)\d+/g, "%$1").replace(" \t", " ")),
  ).toEqual([
    "st.shared.b32 [global_smem+4], %r",
    "st.shared.b32 [global_smem+8], %r",
    "st.shared.b64 [global_smem+24], %rd",
    "ld.shared.b16 %rs, [%r]",
    "ld.shared.b16 %rs, [%r+2]",
  ]);
});

test("fields of several widths are accessed in parts, where their place is not known to be a multiple of them", () => {
  const text = translate(`llvm.mlir.global external @global_smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @f(%p: !llvm.ptr<1>, %q: !llvm.ptr<3>) attributes {nvvm.kernel = 1 : ui1, nvvm.reqntid = array<i32: 128>} {
      %s = llvm.mlir.addressof @global_smem : !llvm.ptr<3>
      %four = llvm.getelementptr %s[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %v = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<3> -> !llvm.struct<(i32, i64, i16)>
      llvm.store %v, %four {alignment = 1 : i64} : !llvm.struct<(i32, i64, i16)>, !llvm.ptr<3>
      %w = llvm.load %q {alignment = 8 : i64} : !llvm.ptr<3> -> !llvm.struct<(i32, i64, i1)>
      llvm.store %w, %p {alignment = 2 : i64} : !llvm.struct<(i32, i64, i1)>, !llvm.ptr<1>
      llvm.return
    }`);
  const accesses = text
    .match(/(?:ld|st)\.(?:shared|global)\S* \t?[^;]*/g)
    ?.map((access) => access.replace(/%(rd|rs|r)\d+/g, "%$1").replace(" \t", " "));
  expect(accesses).toEqual([
    "ld.shared.b32 %r, [%r]",
    "ld.shared.b32 %r, [%r+8]",
    "ld.shared.b32 %r, [%r+12]",
    "ld.shared.b16 %rs, [%r+16]",
    "st.shared.b32 [global_smem+4], %r",
    "st.shared.b32 [global_smem+12], %r",
    "st.shared.b32 [global_smem+16], %r",
    "st.shared.b16 [global_smem+20], %rs",
    "ld.shared.v2.b16 {%rs, %rs}, [%r]",
    "ld.shared.b64 %rd, [%r+8]",
    "ld.shared.b8 %r, [%r+16]",
    "st.global.b16 [%rd], %rs",
    "st.global.b16 [%rd+2], %rs",
    "st.global.b16 [%rd+8], %rs",
    "st.global.b16 [%rd+10], %rs",
    "st.global.b16 [%rd+12], %rs",
    "st.global.b16 [%rd+14], %rs",
    "st.global.b8 [%rd+16], %r",
  ]);
});

describe("what is as long as a stack is not deep", () => {
  /** `count` operations, each on the result of the one before. */
  const chain = (count: number, op: (i: number, before: string) => string, last: string): string =>
    kernel(
      "%arg0: i32, %arg1: i1, %arg2: !llvm.ptr<1>",
      `%c3 = llvm.mlir.constant(3 : i32) : i32\n%c5 = llvm.mlir.constant(5 : i32) : i32\n%v0 = llvm.add %arg0, %c5 : i32
${Array.from({ length: count }, (_, i) => `%v${i + 1} = ${op(i, `%v${i}`)}`).join("\n")}
%last = ${last.replace("$", `%v${count}`)}\nllvm.store %last, %arg2 : i32, !llvm.ptr<1>`,
    );
  const addAndXor = (i: number, before: string): string => `llvm.${i % 2 === 0 ? "xor" : "add"} ${before}, %c5 : i32`;

  test("a shift moves into sums and masks below it, as far as programs go", () => {
    const few = instructions(chain(4, addAndXor, "llvm.shl $, %c3 : i32")).map((l) => l.split(" ")[0]);
    expect(few.slice(1, 7)).toEqual(["shl.b32", "add.s32", "xor.b32", "add.s32", "xor.b32", "add.s32"]);
    const many = instructions(chain(15000, addAndXor, "llvm.shl $, %c3 : i32")).map((l) => l.split(" ")[0]);
    expect(many.length).toBe(few.length + 15000 - 4);
  });
  test("what bits are known is asked of the last of many values first", () => {
    const choices = instructions(chain(15000, (_, before) => `llvm.select %arg1, %arg0, ${before} : i1, i32`, "llvm.and $, %c3 : i32"));
    expect(choices.filter((l) => l.startsWith("and")).length).toBe(1);
    const quotients = instructions(chain(15000, (_, before) => `llvm.udiv ${before}, %arg0 : i32`, "llvm.and $, %c3 : i32"));
    expect(quotients.filter((l) => l.startsWith("div")).length).toBe(15000);
  });
  test("one block has 200,000 lines", () => {
    const lines = "nop;\\0A".repeat(200_000);
    const made = instructions(
      kernel("", `llvm.inline_asm has_side_effects asm_dialect = att operand_attrs = [] "${lines}ret;", "" : () -> ()`),
    );
    expect(made.filter((l) => l === "nop;").length).toBe(200_000);
  });
});
test("locations may be nested deeply", () => {
  const ctx = new Context(ALL_DIALECTS);
  const { module } = parseModule(ctx, "x.mlir", "llvm.func @f() attributes {nvvm.kernel = 1 : ui1} {\nllvm.return\n}")!;
  let at: Attribute = fileLoc(ctx, "k.py", 7, 3);
  for (let i = 0; i < 20_000; i++) at = nameLoc(`n${i}`, at);
  const [func] = module.regions[0]!.firstBlock!.ops();
  func!.setLoc(at);
  const lines = new LocTable();
  expect(lines.loc(lines.indexOf(func!))).toContain("k.py:7:3");
});
test("a global begins with the bytes of each of its elements: a splat's are repeated, true is 1", () => {
  const text =
    translate(`llvm.mlir.global internal constant @words(dense<258> : tensor<2xi32>) {addr_space = 1 : i32} : !llvm.array<2 x i32>
    llvm.mlir.global internal constant @bits([true, false, true]) {addr_space = 1 : i32} : !llvm.array<3 x i1>
    llvm.func @f(%p: !llvm.ptr<1>) attributes {nvvm.kernel = 1 : ui1} {
      %words = llvm.mlir.addressof @words : !llvm.ptr<1>
      %bits = llvm.mlir.addressof @bits : !llvm.ptr<1>
      %word = llvm.load %words : !llvm.ptr<1> -> i32
      %bit = llvm.load %bits : !llvm.ptr<1> -> i8
      llvm.store volatile %word, %p : i32, !llvm.ptr<1>
      llvm.store volatile %bit, %p : i8, !llvm.ptr<1>
      llvm.return
    }`);
  expect(text).toContain("words[8] = {2, 1, 0, 0, 2, 1};");
  expect(text).toContain("bits[3] = {1, 0, 1};");
});

test.each([
  ["a number", "", "%n", ["div.rn.f32", "cvt.rzi.f32.f32", "neg.f32", "fma.rn.f32", "testp.infinite.f32", "selp.b32"]],
  ["3", "%c = llvm.mlir.constant(3.0 : f32) : f32", "%c", ["div.rn.f32", "cvt.rzi.f32.f32", "fma.rn.f32"]],
  ["4", "%c = llvm.mlir.constant(4.0 : f32) : f32", "%c", ["mul.f32", "cvt.rzi.f32.f32", "fma.rn.f32", "copysign.f32"]],
  ["1", "%c = llvm.mlir.constant(1.0 : f32) : f32", "%c", ["cvt.rzi.f32.f32", "sub.f32", "copysign.f32"]],
])("the remainder by %s has the instructions that LLVM chooses", (_, constant, by, expected) => {
  const lines = instructions(
    kernel("%x: !llvm.ptr<1>, %a: f32, %n: f32", `${constant}\n%r = llvm.frem %a, ${by} : f32\nllvm.store %r, %x : f32, !llvm.ptr<1>`),
  );
  expect(lines.map((l) => l.split(" ")[0]).filter((name) => !/^(?:ld|st|ret)/.test(name!))).toEqual(expected);
});
