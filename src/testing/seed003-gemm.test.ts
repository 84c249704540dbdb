import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultOptions } from "../backend/nvidia/options.js";
import { main as ttOpt } from "../cli/tt-opt.js";
import { compile, pipelineOf } from "../compile/compile.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";
import { memoryIo } from "./memory-io.js";

// The article's passes and today's: fixtures/seed003/README.md.
const FILE = "fixtures/kernels/seed003_matmul.ttir";
const settings = { target: "cuda:80", options: { ...defaultOptions(80), numWarps: 1 } };

/** The IR after the last run of a pass, for one warp as in the article. */
function after(flag: string, run: number, source = readFileSync(FILE, "latin1")): string {
  const module = parseModule(new Context(ALL_DIALECTS), FILE, source)!.module!;
  const runs = pipelineOf(settings).flatMap((step, i) => (step.flag === flag ? [i + 1] : []));
  expect(compile("gemm", module, { ...settings, stopAfter: runs[run - 1]!, texts: false, clock: () => 0 }).ok).toBe(true);
  return printOperation(module);
}

test("layouts and conversions are the article's", async () => {
  const text = after("tritongpu-remove-layout-conversions", 2);
  expect(text.match(/^#.*$/gm)).toEqual([
    "#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], order = [1, 0]}>",
    "#blocked1 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>",
    "#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>",
  ]);
  expect(text.match(/convert_layout .*$/gm)!.map((line) => line.replace(/%\S+/, "%x"))).toEqual([
    "convert_layout %x : tensor<16x16xf16, #blocked> -> tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>",
    "convert_layout %x : tensor<16x8xf16, #blocked1> -> tensor<16x8xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>",
    "convert_layout %x : tensor<16x8xf32, #mma> -> tensor<16x8xf32, #blocked1>",
  ]);
});

test("a stride without divisibility keeps B out of the pipeline; with it the swizzles are the article's", async () => {
  const shared = (text: string) => text.match(/vec = .*maxPhase = \d/g);
  const first = "vec = 8, perPhase = 4, maxPhase = 2";
  const source = readFileSync(FILE, "latin1");
  expect(shared(after("tritongpu-pipeline", 1))).toEqual([first]);
  const divisible = source.replace(/(%stride_bk: i32)/, "$1 {tt.divisibility = 16 : i32}");
  expect(shared(after("tritongpu-pipeline", 1, divisible))).toEqual([first, "vec = 8, perPhase = 8, maxPhase = 1"]);
});

test("coalesce: a vector of halves gets the largest contiguity, none where nothing is known", async () => {
  const module = (offset: string) => `module {
    tt.func public @f(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: i32 ${offset}) {
      %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
      %s = tt.splat %o : i32 -> tensor<1024xi32>
      %i = arith.addi %s, %r : tensor<1024xi32>
      %b = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
      %a = tt.addptr %b, %i : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
      %x = tt.load %a : tensor<1024x!tt.ptr<f16>>
      tt.store %a, %x : tensor<1024x!tt.ptr<f16>>
      tt.return
    }
  }`;
  expect(after("tritongpu-coalesce", 1, module("{tt.divisibility = 16 : i32}"))).toMatch(/^#\w+ = .*sizePerThread = \[8\]/m);
  expect(after("tritongpu-coalesce", 1, module(""))).not.toMatch(/^#\w+ = .*sizePerThread = \[8\]/m);
});

test("a tile of 32x16x16 is four mma.m16n8k16", async () => {
  const source = `#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @f(%a: tensor<32x16xf16, #a>, %b: tensor<16x16xf16, #b>, %c: tensor<32x16xf32, #mma>) -> tensor<32x16xf32, #mma> attributes {noinline = true} {
    %0 = tt.dot %a, %b, %c : tensor<32x16xf16, #a> * tensor<16x16xf16, #b> -> tensor<32x16xf32, #mma>
    tt.return %0 : tensor<32x16xf32, #mma>
  }
}
`;
  const io = memoryIo("", { "dot.mlir": source });
  expect(
    await ttOpt(
      [
        "--allocate-shared-memory-nv=compute-capability=80 ptx-version=87",
        "--convert-triton-gpu-to-llvm=compute-capability=80 ptx-version=87",
        "dot.mlir",
      ],
      io,
    ),
    io.err(),
  ).toBe(0);
  const asm = io.out().match(/"mma\.sync[^"]*", "[^"]*"/g)!;
  expect(asm).toHaveLength(4);
  // 2.0.0 has the sums last and reads them in registers of their own; today they come first.
  expect(asm[0]).toBe(
    '"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"',
  );
});
