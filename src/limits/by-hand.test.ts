/** Counts of whole kernels, beside what docs/limits.md calculates by hand. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readSource } from "../index.js";
import { type LimitsQuestion, limits } from "./ask.js";

function counted(path: string, target: string, question: Omit<LimitsQuestion, "shapes">, signature?: string) {
  const source = readSource({
    name: path,
    text: readFileSync(path, "latin1"),
    ...(signature === undefined ? {} : { python: { signature } }),
  });
  if (source.kind !== "module") throw new Error(`no module: ${path}`);
  const found = limits(source, { shapes: {}, ...question, compile: { target, ...question.compile } });
  if (found.kind !== "limits") throw new Error(found.message ?? found.rendered ?? "");
  return found;
}
const TARGETS = ["cuda:80", "cuda:90", "cuda:100"] as const;

test.each(TARGETS)("softmax on %s: single words 16 bytes apart, of a row of 1000", (target) => {
  const { program, traffic, coverage } = counted("fixtures/kernels/softmax.ttir", target, {
    args: { stride: 1024, cols: 1000 },
    grid: [512],
  });
  // 4 warps make 8 requests of 16 sectors; the 4 of the last 128 columns have 26 lanes, 13 sectors.
  const sectors = 4 * 8 * 16 - 4 * 3;
  expect(program).toMatchObject({ sectorsRead: sectors, sectorsWritten: sectors });
  // Each of two reductions: 4 warps store, one loads and stores, 4 load.
  expect(program.wavefronts).toBe(2 * (4 + 1 + 1 + 4));
  expect(program.idealWavefronts).toBe(program.wavefronts);
  expect(traffic).toMatchObject({ exact: true, program: { read: 4000, write: 4000 }, grid: { read: 512 * 4000, write: 512 * 4000 } });
  expect(coverage).toMatchObject({ kind: "kinds", kinds: 1 });
});

test.each(TARGETS)("layer norm on %s: a row read three times, weights in half sectors", (target) => {
  const { program, traffic } = counted("fixtures/kernels/layernorm.ttir", target, { args: { cols: 4096 }, grid: [64] });
  expect(program.sectorsRead).toBe((3 * 4096 * 2) / 32 + (2 * 2 * 4096 * 4) / 32);
  expect(program.sectorsWritten).toBe((4096 * 2) / 32 + 2);
  expect(program.wavefronts).toBe(2 * (4 + 1 + 1 + 4));
  // 64 rows, and w and b once. The 64 floats of mean, and those of rstd, are 8 sectors each.
  expect(traffic.grid).toEqual({ read: 64 * 8192 + 2 * 16384, write: 64 * 8192 + 2 * 256 });
});

test.each([
  ["cuda:80", 2 * ((128 * 512 * 64) / (16 * 8 * 16))],
  // Each of 8 rounds: 2 products of 4 steps of K; two halves of 64 rows, each by 4 warps.
  ["cuda:90", 8 * 2 * 4 * 2 * 4],
  ["cuda:100", 8 * 2 * 4],
] as const)("attention on %s: 128 rows of Q, 512 keys", (target, instructions) => {
  const { program, traffic, loops } = counted("fixtures/kernels/flash_attention.ttir", target, {
    args: { heads: 8, T: 512, sz: 8 * 512 * 64, sh: 512 * 64, st: 64 },
    grid: [4, 16],
  });
  expect(program.sectorsRead).toBe((128 * 128 + 2 * 512 * 128) / 32);
  expect(program.sectorsWritten).toBe((128 * 128 + 128 * 4) / 32);
  expect(program).toMatchObject({ tensorInstructions: instructions, flops: { f16: 2 * 2 * 128 * 512 * 64 } });
  expect(loops.some(({ iterations }) => iterations === 8 || iterations === 7)).toBe(true);
  // Four programs share the keys and values of a head: Q, K, V and O are each read or written once.
  const head = 512 * 64 * 2;
  expect(traffic).toMatchObject({ exact: true, grid: { read: 16 * 3 * head, write: 16 * (head + 512 * 4) } });
});

const MATMUL = "i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1";
const sizes = (m: number, n: number, k: number) => ({ M: m, N: n, K: k, sam: k, sbk: n, scm: n });

test.each([
  ["cuda:80", (128 * 128 * 256) / (16 * 8 * 16)],
  ["cuda:90", (256 / 16) * 2 * 4],
  ["cuda:100", 256 / 16],
] as const)("matmul of halves on %s: tiles of 128x128x32", (target, instructions) => {
  const { program, traffic, loops } = counted(
    "fixtures/frontend/kernels/matmul_f16_128x128x32_w4.py",
    target,
    { args: sizes(512, 512, 256), grid: [16], compile: { options: { numStages: 4 } } },
    `*fp16:16, *fp16:16, *fp16:16, ${MATMUL}, 128, 128, 32, 8`,
  );
  expect(program).toMatchObject({
    sectorsRead: (2 * 128 * 256 * 2) / 32,
    sectorsWritten: (128 * 128 * 2) / 32,
    tensorInstructions: instructions,
    flops: { f16: 2 * 128 * 128 * 256 },
  });
  expect(traffic).toMatchObject({ exact: true, grid: { read: 2 * 512 * 256 * 2, write: 512 * 512 * 2 } });
  // cp.async writes 2 x 8192 bytes, and each of 4 warps reads 64 rows of A and 64 columns of B.
  if (target === "cuda:80") expect(loops[0]!.perIteration.wavefronts).toBe((2 * 8192) / 128 + (4 * 2 * 4096) / 128);
});

test.each([
  ["cuda:80", "f16", (64 * 128 * 256) / (16 * 8 * 16)],
  ["cuda:90", "fp8", (256 / 32) * 4],
  ["cuda:100", "fp8", 256 / 32],
] as const)("matmul of fp8 on %s: multiplied as %s", (target, kind, instructions) => {
  const { program, traffic } = counted(
    "fixtures/frontend/kernels/matmul_fp8e5.py",
    target,
    { args: sizes(256, 256, 256), grid: [8] },
    `*fp8e5:16, *fp8e5:16, *fp32:16, ${MATMUL}, 64, 128, 64, 8`,
  );
  expect(program).toMatchObject({
    sectorsRead: ((64 + 128) * 256) / 32,
    sectorsWritten: (64 * 128 * 4) / 32,
    tensorInstructions: instructions,
    flops: { [kind]: 2 * 64 * 128 * 256 },
  });
  expect(traffic).toMatchObject({ exact: true, grid: { read: 2 * 256 * 256, write: 256 * 256 * 4 } });
});

test("programs at an edge are a kind of their own, and so are those whose loops are longer", () => {
  const edge = counted("fixtures/kernels/vecadd_any_n.ttir", "cuda:90", { args: { n: 4000 }, grid: [4] });
  expect(edge.coverage).toMatchObject({ kind: "kinds", kinds: 2, followed: 3 });
  expect(edge.traffic).toMatchObject({ exact: true, grid: { read: 2 * 16_000, write: 16_000 } });
  const causal = counted(
    "fixtures/frontend/kernels/flash_attn_d64.py",
    "cuda:80",
    { args: { heads: 2, T: 512, sz: 2 * 512 * 64, sh: 512 * 64, st: 64 }, grid: [4, 2] },
    "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, fp32, i32, i32:16, i32:16, i32:16, i32:16, 128, 64, 64, True",
  );
  expect(causal.coverage).toMatchObject({ kind: "kinds", kinds: 4, followed: 5 });
  // Programs of a head see 128, 256, 384 and 512 keys.
  expect(causal.program.flops).toEqual({ f16: 2 * 2 * 128 * 64 * ((128 + 256 + 384 + 512) / 4) });
});
