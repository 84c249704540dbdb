import { expect, test } from "vitest";
import { readLine } from "./machine-lines.js";
import { readInstruction } from "./ptx-instruction.js";

const brief = (text: string) => {
  const fact = readInstruction(text);
  return fact && [fact.kind, fact.space, fact.widthBits, fact.vector, fact.bytesPerThread, fact.predicate, fact.modifiers.join(" ")];
};

test("accesses of memory", () => {
  expect(brief("@%p1 ld.global.L1::evict_last.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];")).toEqual([
    "load",
    "global",
    32,
    4,
    16,
    "@%p1",
    "L1::evict_last",
  ]);
  expect(brief("st.shared.v2.b64 [%r1], {%rd1, %rd2};")).toEqual(["store", "shared", 64, 2, 16, undefined, ""]);
  expect(brief("@$3 atom.global.gpu.acq_rel.add.noftz.f16x2 $0, [ $1 + 0 ], $2")).toEqual([
    "atomic",
    "global",
    32,
    1,
    4,
    "@$3",
    "gpu acq_rel add noftz",
  ]);
  expect(brief("cp.async.cg.shared.global [ %r29 + 0 ], [ %rd23 + 0 ], 0x10, %r31;")).toEqual([
    "async-copy",
    "shared",
    32,
    4,
    16,
    "zero-fill",
    "cg",
  ]);
  expect(brief("cp.async.ca.shared.global [ %r29 ], [ %rd23 ], 0x4;")).toEqual(["async-copy", "shared", 32, 1, 4, undefined, "ca"]);
  expect(brief("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];")).toEqual([
    "matrix-load",
    "shared",
    32,
    4,
    16,
    undefined,
    "trans",
  ]);
  expect(brief("ld.param.b64 %rd1, [f_param_0];")).toBeUndefined();
  expect(brief("add.s32 %r1, %r2, %r3;")).toBeUndefined();
});

test("tensor cores, with registers of the fragments", () => {
  expect(
    readInstruction(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { %r0, %r1, %r2, %r3 }, { %r8, %r9, %r10, %r11 }, { %r12, %r13 }, { %r4, %r5, %r6, %r7 };",
    )?.mma,
  ).toEqual({ family: "mma", shape: [16, 8, 16], types: { a: "f16", b: "f16", acc: "f32" }, registers: { a: 4, b: 2, acc: 4 } });
  expect(readInstruction("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {$0,$1,$2,$3}, $4, $5, p, 1, 1, 0, 0;")?.mma).toEqual({
    family: "wgmma",
    shape: [64, 8, 32],
    types: { a: "e4m3", b: "e5m2", acc: "f32" },
    registers: { a: 0, b: 0, acc: 4 },
  });
});

test("lines of LLVM dialect, LLVM IR and PTX", () => {
  const names = (line: string) => readLine(line).map((f) => `${f.predicate ?? ""} ${f.instruction}`.trim());
  expect(
    names(
      '    %5:2 = llvm.inline_asm has_side_effects asm_dialect = att operand_attrs = [] "mov.u32 $0, $1;\\0A\\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b" %1, %2 : (i32) -> i32',
    ),
  ).toEqual(["@$3 ld.global.b32"]);
  expect(
    names(
      '    %7 = llvm.inline_asm has_side_effects asm_dialect = att "\\0A{\\0A\\09.reg .pred complete;\\0A\\09waitLoop:\\0A\\09mbarrier.try_wait.parity.shared.b64 complete, [$0], $1;\\0A\\09@!complete bra.uni waitLoop;\\0A}\\0A", "r,r" %1, %2 : (i32, i32) -> !llvm.void',
    ),
  ).toEqual(["mbarrier.try_wait.parity.shared.b64"]);
  expect(
    names(
      '    %8 = llvm.inline_asm has_side_effects "// wait for regs: $0,$1\\0A\\09wgmma.wait_group.sync.aligned 1;", "=f,=f,0,1" %1, %2 : (f32, f32) -> f32',
    ),
  ).toEqual(["wgmma.wait_group.sync.aligned 1"]);
  expect(names("    nvvm.stmatrix %1, %2, %3 {layout = #nvvm.mma_layout<row>} : !llvm.ptr<3>, i32, i32")).toEqual([
    "stmatrix.sync.aligned.m8n8.x2.shared.b16",
  ]);
  expect(names("    nvvm.cp.async.bulk.wait_group 0 {read}")).toEqual(["cp.async.bulk.wait_group.read 0"]);
  expect(names("    llvm.store %1576, %1560 {alignment = 8 : i64} : vector<4xi16>, !llvm.ptr<3>")).toEqual(["st.shared.v4.b16"]);
  expect(names("    %9 = llvm.load %8 {alignment = 8 : i64} : !llvm.ptr<3> -> vector<4xi16>")).toEqual(["ld.shared.v4.b16"]);
  // Since LLVM 21, what fills words goes as words.
  const ours = (type: string) => readLine(`    %9 = llvm.load %8 : !llvm.ptr<3> -> ${type}`, true).map((fact) => fact.instruction);
  expect(["vector<4xi16>", "vector<2xbf16>", "vector<4xi8>", "vector<2xi8>", "i16"].flatMap(ours)).toEqual(
    ["v2.b32", "b32", "b32", "v2.b8", "b16"].map((width) => `ld.shared.${width}`),
  );
  expect(names("  %9 = load <4 x i32>, ptr addrspace(3) %8, align 16")).toEqual(["ld.shared.v4.b32"]);
  expect(names("\t@%p1 st.global.v4.b32 [ %rd1 + 0 ], { %r1, %r2, %r3, %r4 };")).toEqual(["@%p1 st.global.v4.b32"]);
  expect(names("\tbar.sync \t0;")).toEqual(["bar.sync 0"]);
  expect(names("\t.loc\t1 7 0")).toEqual([]);
  expect(names("    %3 = llvm.add %1, %2 : i32")).toEqual([]);
});

test("pointers that say what they point to, as before Triton 3.0", () => {
  const facts = (line: string) => readLine(line).map((f) => [f.kind, f.instruction, f.bytesPerThread]);
  expect(facts("    llvm.store %486, %488 : !llvm.ptr<vector<2xf32>, 3>")).toEqual([["store", "st.shared.v2.b32", 8]]);
  expect(facts("    %492 = llvm.load %491 : !llvm.ptr<vector<4xf32>, 3>")).toEqual([["load", "ld.shared.v4.b32", 16]]);
  expect(facts("    %9 = llvm.load %8 : !llvm.ptr<f16, 1>")).toEqual([["load", "ld.global.b16", 2]]);
  expect(facts("    %9 = llvm.load %8 : !llvm.ptr<ptr<f32>> loc(#loc3)")).toEqual([["load", "ld.b64", 8]]);
});

test("pointers that do not, and vectors of more parts than an instruction has", () => {
  const facts = (line: string) => readLine(line).map((f) => [f.kind, f.instruction, f.bytesPerThread]);
  expect(facts("    llvm.store %1441, %1438 : vector<2xf32>, !llvm.ptr<3> loc(#loc48)")).toEqual([["store", "st.shared.v2.b32", 8]]);
  expect(facts("    %1496 = llvm.load %1495 : !llvm.ptr<3> -> vector<8xf16> loc(#loc48)")).toEqual([["load", "ld.shared.v4.b32", 16]]);
});
