import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile, pipelineOf } from "../compile/compile.js";
import { defaultOptions } from "../compile/options.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";

// What the article has become: fixtures/seed003/README.md.
const FILE = "fixtures/kernels/seed003_matmul.ttir";
const settings = { capability: 80, options: { ...defaultOptions(80), numWarps: 1 } };

/** The IR after the last run of a pass, for one warp as in the article. */
function after(flag: string, run: number, source = readFileSync(FILE, "latin1")): string {
  const module = parseModule(new Context(ALL_DIALECTS), FILE, source)!.module!;
  const runs = pipelineOf(settings).flatMap((step, i) => (step.flag === flag ? [i + 1] : []));
  expect(compile("gemm", module, { ...settings, stopAfter: runs[run - 1]!, texts: false, clock: () => 0 }).ok).toBe(true);
  return printOperation(module);
}

test("layouts and conversions are the article's", () => {
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

test("a stride without divisibility keeps B out of the pipeline; with it the swizzles are the article's", () => {
  const shared = (text: string) => text.match(/vec = .*maxPhase = \d/g);
  const first = "vec = 8, perPhase = 4, maxPhase = 2";
  const source = readFileSync(FILE, "latin1");
  expect(shared(after("tritongpu-pipeline", 1))).toEqual([first]);
  const divisible = source.replace(/(%stride_bk: i32)/, "$1 {tt.divisibility = 16 : i32}");
  expect(shared(after("tritongpu-pipeline", 1, divisible))).toEqual([first, "vec = 8, perPhase = 8, maxPhase = 1"]);
});
