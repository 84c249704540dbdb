import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile, type Finding, findings, headlineOf, headlineText, noFindings, placeText, readSource, type Trace } from "../index.js";
import { importDumpLog } from "../trace/import/import-dump.js";
import { ratedFacts } from "./codegen/explain-facts.js";
import { codegenStep, lastTtgirStep } from "./codegen-facts.js";

function compiled(path: string, options = {}) {
  const source = readSource({ name: path, text: readFileSync(path, "latin1") });
  const made = source.kind === "error" ? source : compile(source, { ...options, artifacts: ["ptx", "instructions"] });
  if (made.kind === "error") throw new Error(made.message);
  return made.trace;
}
const kinds = (found: readonly Finding[]) => found.map(({ kind, inLoop }) => (inLoop ? `${kind} in a loop` : kind));

test("a kernel without findings has none; its headline has its numbers", () => {
  const trace = compiled("fixtures/kernels/vecadd.ttir", { options: { numWarps: 8 } });
  expect(findings(trace)).toEqual([]);
  expect(headlineText(headlineOf(trace))).toBe("vecadd on cuda:80: 8 warps, 3 stages, no shared memory");
  const newer = compiled("fixtures/kernels/vecadd.ttir", { triton: "3.8" });
  expect(headlineText(headlineOf(newer))).toBe("vecadd on cuda:80, Triton 3.8: 4 warps, 3 stages, no shared memory");
});

test("a narrow access leads to the pass that chose its layout, with the reason in that pass's names", () => {
  const trace = compiled("fixtures/kernels/vecadd_any_n.ttir");
  const found = findings(trace);
  expect(kinds(found)).toEqual(["narrow access", "narrow access", "narrow access"]);
  const [first] = found;
  expect(first!.title).toBe("8x ld.global.b32: 4 of 16 bytes a thread");
  expect(placeText(trace, first!)).toBe("after 11 tritongpu-coalesce, line 17, vecadd.py:11");
  expect(first!.why[0]).toContain("is the same only for single elements: argument %arg3 (n) has no tt.divisibility");
});

test("without remarks it leads to the first pass from which on the access has its layout", () => {
  const trace = importDumpLog("softmax.log", readFileSync("fixtures/dumps/3.6.0-softmax.log", "latin1")) as Trace;
  expect(findings(trace).map((finding) => placeText(trace, finding))).toEqual([
    "after 9 tritongpu-coalesce, line 17, softmax_row.py:10",
    "after 9 tritongpu-coalesce, line 40, softmax_row.py:13",
  ]);
});

test("a dot without tensor cores comes before a conversion", () => {
  const found = findings(compiled("fixtures/why/dot-ieee.mlir"));
  expect(kinds(found)).toEqual(["no tensor cores", "conversion"]);
  expect(found[0]!.why[0]).toContain("inputPrecision is ieee");
});

test("a dot on AMD's matrix cores is none without tensor cores", () => {
  const trace = compiled("fixtures/kernels/matmul.ttir", { target: "hip:gfx942" });
  expect(trace.lines.textOf(lastTtgirStep(trace)!.text)).toContain("#ttg.amd_mfma<");
  expect(codegenStep(trace)?.flag).toBe("convert-builtin-func-to-llvm");
  expect(kinds(findings(trace))).not.toContain("no tensor cores in a loop");
  expect(
    findings(trace)
      .filter(({ kind }) => kind === "bank conflicts")
      .map(({ title, why }) => [title, why[0]]),
  ).toContainEqual(["8x ds_write.b32: 4 rounds of LDS a wave where 2 would do", "Lanes 2, 16 want different rows of bank 2 at once"]);
  const none = compiled("fixtures/kernels/vecadd.ttir", { target: "hip:gfx942" });
  expect([findings(none), noFindings(none)]).toEqual([
    [],
    "no findings: bank conflicts of padded conversions and of reads that transpose are not known for AMD's GPUs",
  ]);
});

test("sectors of a wave, by pointers and of buffers, and rounds of conversions through LDS", () => {
  const rated = (text: string) => {
    const source = readSource({ name: "k.mlir", text });
    const made = source.kind === "error" ? source : compile(source, { target: "hip:gfx942" });
    if (made.kind === "error") throw new Error(made.message);
    return ratedFacts(made.trace).flatMap(({ instruction, sectorsPerWarp, wavefronts }) =>
      sectorsPerWarp !== undefined || wavefronts ? [[instruction, sectorsPerWarp ?? `${wavefronts!.needed} of ${wavefronts!.least}`]] : [],
    );
  };
  const vecadd = readFileSync("fixtures/kernels/vecadd.ttir", "latin1");
  // 64 lanes of 16 bytes, from an array that begins at a sector.
  expect(rated(vecadd).slice(0, 2)).toEqual(new Array(2).fill(["global_load.b128", 32]));
  const small = vecadd.replaceAll("tt.divisibility = 16 : i32}", "tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}");
  expect(rated(small).slice(0, 2)).toEqual(new Array(2).fill(["buffer_load.b128", 32]));
  const blocked = (order: string, lanes: string, warps: string, size: string) =>
    `#ttg.blocked<{sizePerThread = [${size}], threadsPerWarp = [${lanes}], warpsPerCTA = [${warps}], order = [${order}]}>`;
  const [rows, columns] = [blocked("1, 0", "4, 16", "4, 1", "1, 4"), blocked("0, 1", "16, 4", "1, 4", "4, 1")];
  const pointers = `tensor<64x64x!tt.ptr<f32>, ${columns}>`;
  const converted =
    rated(`module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
    tt.func public @k(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32) {
      %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = ${rows}}>>
      %e = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = ${rows}}>> -> tensor<1x64xi32, ${rows}>
      %b = tt.broadcast %e : tensor<1x64xi32, ${rows}> -> tensor<64x64xi32, ${rows}>
      %f = arith.sitofp %b : tensor<64x64xi32, ${rows}> to tensor<64x64xf32, ${rows}>
      %c = ttg.convert_layout %f : tensor<64x64xf32, ${rows}> -> tensor<64x64xf32, ${columns}>
      %s = tt.splat %p : !tt.ptr<f32> -> ${pointers}
      tt.store %s, %c : ${pointers}
      tt.return
    }
  }`);
  // By the addresses of the LLVM dialect: lane 16 stores 4,096 bytes after lane 0, and both are among the first 32.
  expect(converted.filter(([name]) => String(name).startsWith("ds_"))).toEqual([
    ["ds_write.b32", "4 of 2"],
    ["ds_read.b32", "4 of 2"],
  ]);
});

test("a scaled dot without MFMA says why; with it, the instruction", () => {
  const text = `module {
  tt.func public @k(%p: !tt.ptr<f32>) {
    %a = arith.constant dense<1> : tensor<64x64xi8>
    %s = arith.constant dense<127> : tensor<64x4xi8>
    %c = arith.constant dense<0.0> : tensor<64x64xf32>
    %0 = tt.dot_scaled %a scale %s, %a scale %s, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<64x64xi8>, tensor<64x4xi8> * tensor<64x64xi8>, tensor<64x4xi8> -> tensor<64x64xf32>
    %1 = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    tt.store %1, %0 : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}`;
  const on = (target: string) => {
    const source = readSource({ name: "k.ttir", text });
    const made = source.kind === "error" ? source : compile(source, { target });
    if (made.kind === "error") throw new Error(made.message);
    return made.trace;
  };
  const [found] = findings(on("hip:gfx942"));
  expect([found!.title, found!.why]).toEqual([
    "tt.dot_scaled of 64x64 gets no MFMA instruction",
    [
      "%0 (tt.dot_scaled) is done without matrix instructions: both operands have scales, and on gfx942 one of them at most is multiplied in",
    ],
  ]);
  const remarks = on("hip:gfx950").steps.flatMap((step) => step.remarks.filter(({ code }) => code === "matmul.mma"));
  expect(remarks.map(({ message }) => message)).toEqual([
    "{0} is done by rocdl.mfma.scale.f32.32x32x64.f8f6f4 on f4E2M1FN: instruction shape 32x32x64, 2x2 warps, kWidth 16",
  ]);
});

test("a bank conflict names lanes, bank and the swizzle that would end it", () => {
  const found = findings(compiled("fixtures/why/dot-f64-sm86.mlir"));
  const conflict = found.find(({ kind }) => kind === "bank conflicts");
  expect(conflict?.why).toContain("Lanes 0, 2 want different rows of bank 0 at once");
  expect(conflict?.why).toContain("A buffer swizzled with vec = 4, perPhase = 1, maxPhase = 4 would keep them apart");
});

test("spills and shared memory beyond the limit come first", () => {
  const trace = compiled("fixtures/kernels/matmul.ttir", { target: "cuda:86", options: { numStages: 8 } });
  const found = findings({ ...trace, artifacts: { machine: { registers: 255, spilled: 64 } } });
  expect(kinds(found).slice(0, 2)).toEqual(["shared memory", "spills"]);
  expect(found[0]!.title).toContain("a CTA of cuda:86 has at most 101376");
});

test("a loop whose loads are not started ahead is one finding", () => {
  const found = findings(compiled("fixtures/kernels/layernorm.ttir"));
  expect(found.filter(({ kind }) => kind === "loop not pipelined")).toHaveLength(3);
});

test("a log that does not reach TTGIR has no findings, and says that it is not known; the kernel is not the function that comes first", () => {
  const dump = (...functions: readonly string[]) =>
    functions.map((text) => `// -----// IR Dump After CSE (cse) ('builtin.module' operation) //----- //\nmodule {\n${text}}\n`).join("");
  const helper = "  tt.func private @helper(%x: f32) -> f32 {\n    tt.return %x : f32\n  }\n";
  const trace = importDumpLog("a.log", dump(helper, `${helper}  tt.func public @kernel(%x: f32) {\n    tt.return\n  }\n`));
  if ("error" in trace) throw new Error(trace.error);
  expect(findings(trace)).toEqual([]);
  expect(noFindings(trace)).toBe("no findings: they are about TTGIR, which was not reached");
  expect(headlineOf(trace).kernels).toEqual(["kernel"]);
});

test("an instruction that moves 16 bytes is no narrow access, though the mask of an old log is not analysed", () => {
  const trace = importDumpLog("old.log", readFileSync("fixtures/dumps/2.0.0-vecadd.log", "latin1"));
  if ("error" in trace) throw new Error(trace.error);
  expect(findings(trace)).toEqual([]);
});

test("IR without locations has no lines of Python, also for ops that a pass made of several", () => {
  const text = readFileSync("fixtures/kernels/softmax.ttir", "latin1")
    .replace(/ ?loc\((?:#\w*|"[^"]*"\(#loc\d*\))\)/g, "")
    .replace(/^#loc.*$/gm, "");
  const source = readSource({ name: "plain.ttir", text });
  const made = source.kind === "error" ? source : compile(source);
  if (made.kind === "error") throw new Error(made.message);
  expect(made.trace.locations.files).toEqual([]);
  expect(findings(made.trace).every(({ source }) => source === undefined)).toBe(true);
});
