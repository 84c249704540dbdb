/** Everything that the tool prints has its explanation: a new pass without its text fails here. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import { ENCODINGS } from "../../layout/encodings/index.js";
import { PASSES } from "../../passes/index.js";
import { mnemonicOf, type Statement } from "../../ptx/instruction.js";
import { parsePtx } from "../../ptx/parse.js";
import { RULES } from "../../simulate/ptx/rules/index.js";
import { ENCODING_TEXTS } from "./attributes.js";
import { attributeText, explainedNames, instructionText, nameText, opText, passText } from "./index.js";
import { INSTRUCTIONS } from "./instructions.js";
import { OP_TEXTS, textOfOp } from "./ops/index.js";
import { PASS_EXAMPLES } from "./pass-examples.fixture.js";
import EXAMPLES from "./pass-examples.json" with { type: "json" };
import { PASS_TEXTS } from "./passes/index.js";
import { OLDER_PASSES } from "./passes/older.js";

const SHOWN = [...PASSES.values()].filter((pass) => !pass.testOnly).map((pass) => pass.flag);

test("every pass has a text (explain/texts/passes) and an example (pass-examples.fixture.ts), and no text is of none", () => {
  expect(Object.keys(PASS_TEXTS).sort()).toEqual([...SHOWN].sort());
  expect(Object.keys(PASS_EXAMPLES).sort()).toEqual([...SHOWN].sort());
});

test("an example shows 3 to 8 lines before and after, which differ", () => {
  // No index dialect is left to convert, LDS suffices, and no GPU here has what the other two are for: these passes have nothing to do.
  const idle = ["convert-index-to-llvm", "optimize-amd-lds-usage", "triton-nvidia-tmem-load-reduce", "initialize-ws-cluster-barriers"];
  for (const [flag, { before, after }] of Object.entries<{ before: string[]; after: string[] }>(EXAMPLES)) {
    expect(before.join() === after.join(), flag).toBe(idle.includes(flag));
    if (flag === "convert-index-to-llvm") continue;
    for (const lines of [before, after]) {
      const shown = lines.filter((line) => line.trim() !== "...").length;
      expect(shown >= 3 && shown <= 8, `${flag}: ${shown} lines`).toBe(true);
    }
  }
});

test("a pass is found by its flag, its class upstream, and the end of its flag", () => {
  const { title, lines } = passText("tritongpu-coalesce")!;
  expect(title).toBe("tritongpu-coalesce (TritonGPUCoalesce): coalesce memory accesses");
  expect(lines).toContain("  sm_80, sm_90, sm_100, gfx942, gfx950: ttgir, after convert-triton-to-tritongpu, before tritongpu-F32DotTC");
  // A pass of one vendor's pipeline has no place in the other's.
  expect(placesIn("tritonamdgpu-optimize-epilogue")).toEqual([expect.stringMatching(/^ {2}gfx942, gfx950: ttgir, after tritongpu-remove/)]);
  expect(placesIn("tritonamdgpu-in-thread-transpose")).toEqual([
    expect.stringMatching(/^ {2}gfx942: ttgir, /),
    "  gfx950: not in the pipeline by itself",
  ]);
  expect(lines).toContain("Upstream: lib/Dialect/TritonGPU/Transforms/Coalesce.cpp, CoalesceUtils.cpp");
  expect(passText("TritonGPUCoalesce")).toEqual(passText("coalesce"));
  expect(passText("Coalesce")).toEqual(passText("coalesce"));
  expect(passText("no-such-pass")).toBeUndefined();
});

const placesIn = (name: string) => passText(name)!.lines.filter((line) => /^ {2}(?:sm_|gfx)/.test(line));

test("every name of the list has an explanation", () => {
  for (const name of Object.values(explainedNames()).flat()) expect(nameText(name)?.lines.length, name).toBeGreaterThan(0);
});

test("figures are drawn from what the tool knows", () => {
  const lines = (name: string) => nameText(name)!.lines.join("\n");
  for (const kind of Object.keys(ENCODINGS)) expect(lines("encodings")).toMatch(new RegExp(`\\.${kind}: .*\\n +(?:\\[|lane 0:)`));
  expect(lines("representations")).toMatch(/ttgir .*\n.*passes: \d+ on sm_80, \d+ on sm_90, \d+ on sm_100; convert-triton-gpu-to-llvm/);
  expect(lines("double-buffering")).toContain("  iteration 1             copy       ·          wait, use");
});

test("every op of every dialect has a text, and no text is of an op that is not", () => {
  const ops = [...new Context(ALL_DIALECTS).ops.keys()];
  expect(ops.filter((name) => !textOfOp(name))).toEqual([]);
  expect(Object.keys(OP_TEXTS).filter((name) => !ops.includes(name))).toEqual([]);
});

test("every encoding has a text", () => {
  expect(Object.keys(ENCODING_TEXTS).sort()).toEqual(Object.keys(ENCODINGS).sort());
});

test("every attribute and type but those of MLIR's builtin, llvm and nvvm has a text, older ones that of their name of today", () => {
  const mlirs = ["builtin", "llvm", "nvvm"];
  const defs = ALL_DIALECTS.filter(({ name }) => !mlirs.includes(name)).flatMap(({ attrs = [], types = [] }) => [...attrs, ...types]);
  expect(defs.map(({ name }) => name).filter((name) => !attributeText(name))).toEqual([]);
  expect(attributeText("#triton_gpu.shared")).toEqual(attributeText("swizzled_shared"));
  expect(attributeText("mma")).toEqual(attributeText("ttg.nvidia_mma"));
});

test("every instruction that is executed here has a text", () => {
  // Execution takes AMD's intrinsics as instructions of these names, which no PTX has.
  const opcodes = new Set(["amd", "wave32", ...INSTRUCTIONS.map(({ name }) => name.split(".")[0])]);
  expect([...RULES.keys()].filter((opcode) => !opcodes.has(opcode))).toEqual([]);
});

test("every instruction of the PTX of the fixtures has a text", () => {
  for (const file of readdirSync("fixtures/ptx")) {
    const { module } = parsePtx(readFileSync(`fixtures/ptx/${file}`, "latin1"));
    const bodies = module.items.flatMap((item) => (item.kind === "function" ? (item.body ?? []) : []));
    for (const mnemonic of new Set(mnemonicsOf(bodies))) expect(instructionText(mnemonic), mnemonic).toBeDefined();
  }
});

test("a pass that only Triton 2.0 had names those that do its work today", () => {
  expect(nameText("TritonGPUCombineOps")).toEqual(nameText("tritongpu-combine"));
  for (const [flag, { today }] of Object.entries(OLDER_PASSES)) {
    expect(nameText(flag)!.lines.at(-1)).toBe(`Today: ${today.join(", ")}.`);
    for (const pass of today) expect(passText(pass), pass).toBeDefined();
  }
});

test("an op has its operands and what it becomes, an older one its name of today", () => {
  expect(opText("tt.load")!.lines.join("\n")).toContain("ptr              ptr or ranked tensor of ptr values");
  expect(opText("triton_gpu.local_load")!.lines[0]).toMatch(/^Now ttg.local_load\. /);
});

test("an op is found without its dialect, where no instruction has the name", () => {
  expect(nameText("async_wait")!.title).toBe("ttg.async_wait");
  expect(nameText("async_wait")!.lines.at(-1)).toBe("Also: amdg.async_wait, triton_gpu.async_wait.");
  expect(nameText("fma")!.title).toBe("fma");
});

test("an instruction is found by its whole mnemonic, and draws its fragments", () => {
  const load = instructionText("ld.global.v4.b32")!.lines;
  expect(load[0]).toContain("global memory");
  expect(load).toContain("  .v4               that many registers at once, adjacent in memory");
  const mma = instructionText("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")!.lines;
  expect(mma.join("\n")).toContain("a: 16 x 16 (T4:1 is lane 4, register element 1):\n  [[ T0:0,  T0:1,  T1:0,  T1:1,");
});

test("instructions of AMD's GPUs have their text, and matrix instructions their fragments, as the ISA documents lay them out", () => {
  expect(instructionText("ds_read.b128")!.lines[0]).toContain("shared memory (LDS)");
  expect(instructionText("buffer_load.b32 sc0 nt")!.lines.join("\n")).toContain("not temporal");
  const text = (name: string) => instructionText(name)!.lines.join("\n");
  // A lane has four neighbours along K of a row, and of the result four rows of a column.
  const mfma = text("mfma_f32_32x32x8f16");
  expect(mfma).toContain("a: 32 x 8 (T4:1 is lane 4, register element 1):\n  [[ T0:0,  T0:1,  T0:2,  T0:3, T32:0, T32:1, T32:2, T32:3]");
  const rows = mfma.slice(mfma.indexOf("c and d")).split("\n").slice(1);
  expect(rows.slice(0, 9).map((row) => /T\d+:\d+/.exec(row)![0])).toEqual([
    "T0:0",
    "T0:1",
    "T0:2",
    "T0:3",
    "T32:0",
    "T32:1",
    "T32:2",
    "T32:3",
    "T0:4",
  ]);
  expect(text("v_mfma_f32_32x32x8_f16").slice(0, 500)).toBe(mfma.slice(0, 500));
  // On gfx12 the lanes of a row have halves of it; on gfx11 each has all of it, and the rows of the result alternate.
  const wmma = text("wmma_f32_16x16x16_f16");
  expect(wmma).toMatch(/a on gfx11: 16 x 16 .*\n {2}\[\[ +T0:0\| T16:0, +T0:1\| T16:1,/);
  expect(/c and d on gfx11.*\n.*\n {2}\[ +(T\d+:\d+)/.exec(wmma)![1]).toBe("T16:0");
  expect(/c and d on gfx12.*\n.*\n {2}\[ +(T\d+:\d+)/.exec(wmma)![1]).toBe("T0:1");
  // 16 products of 4x4: lanes 4 to 7 have the second one, whose rows are the next of a, and each lane a column of its results.
  const small = text("mfma_f32_4x4x4f16");
  expect(small).toMatch(/a: 16 products, below each other: 64 x 4 .*\n.*T0:0, +T0:1, +T0:2, +T0:3\]\n/);
  expect(small).toMatch(/c and d: 16 products, beside each other: 4 x 64 .*\n {2}\[\[ +T0:0, +T1:0, +T2:0, +T3:0, +T4:0/);
  expect(text("v_mfma_f32_32x32x4_2b_f16")).toContain("c and d: 2 products, below each other: 64 x 32");
  // Two elements of 4 bits are a byte: a lane has 16 bytes of a row, the other half of the lanes the next 16.
  expect(text("mfma_scale_f32_32x32x64_f8f6f4")).toMatch(/a of 4 bits, two in each byte: 32 x 32 .*\n.*T0:14, +T0:15, +T32:0, +T32:1/);
  expect(instructionText("mfma_f64_4x4x4f64")!.lines).toHaveLength(1);
});

test("floats are in chapters of their own", () => {
  const chapter = (mnemonic: string) => instructionText(mnemonic)!.lines.find((line) => line.startsWith("PTX ISA"));
  expect(chapter("add.s32")).toBe("PTX ISA: Integer Arithmetic Instructions: add");
  expect(chapter("add.rn.f32")).toBe("PTX ISA: Floating Point Instructions: add");
  expect(chapter("fma.rn.f16x2")).toBe("PTX ISA: Floating Point Instructions: fma");
});

test("an encoding draws its example", () => {
  expect(nameText("swizzled_shared")!.lines.join("\n")).toContain("maxPhase");
});

function mnemonicsOf(statements: readonly Statement[]): string[] {
  return statements.flatMap((statement) =>
    statement.kind === "instruction" ? [mnemonicOf(statement)] : statement.kind === "scope" ? mnemonicsOf(statement.body) : [],
  );
}
