/** Listings as articles print them can be compiled. */
import { expect, test } from "vitest";
import { defaultOptions } from "../backend/targets.js";
import { printOperation } from "../syntax/print.js";
import { compile } from "./compile.js";
import { readSource } from "./read-source.js";

const KERNEL = `def add(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) + 1, mask=i < n)
`;
const python = { signature: "*fp32:16, i32, 128" };

test.each([
  ["without imports", `@triton.jit\n${KERNEL}`, "'k.py' imports nothing: 'import triton' and 'import triton.language as tl' are assumed"],
  [
    "without a decorator",
    KERNEL,
    "'k.py' imports nothing: 'import triton' and 'import triton.language as tl' are assumed, and @triton.jit for add",
  ],
])("a kernel %s", (_, text, remark) => {
  const source = readSource({ name: "k.py", text, python });
  if (source.kind !== "module") throw new Error(JSON.stringify(source));
  expect(printOperation(source.module)).toContain("tt.load");
  expect(source.module.ctx.diagnostics.map((d) => d.message)).toContain(remark);
});

test("a file that imports something is taken as it is", () => {
  const source = readSource({ name: "k.py", text: `import math\n@triton.jit\n${KERNEL}`, python });
  expect(source.kind).toBe("error");
});

test("TTIR of Triton 2.0 without types on its loads, with a box of LaTeX, is made 3.6's", () => {
  const text = `func public @f(%arg0: !tt.ptr<f32>) {
  %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %1 = tt.splat %arg0 : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
  %2 = tt.addptr %1, %0 : tensor<64x!tt.ptr<f32>>
  %sum = tt.load %2
  tt.store %2, %sum : |\\colorbox{yellow}{\\strut tensor<64xf32>}|
  return
}
`;
  const source = readSource({ name: "k.ttir", text });
  if (source.kind !== "module") throw new Error(source.kind === "error" ? source.rendered : "");
  const ops: string[] = [];
  source.module.walk((op) => void ops.push(op.name));
  expect(ops).toEqual(["builtin.module", "tt.func", "tt.make_range", "tt.splat", "tt.addptr", "tt.load", "tt.store", "tt.return"]);
  expect(source.module.ctx.diagnostics.map((d) => d.code)).toEqual(["source.older"]);
});

test("TTGIR of Triton 3.2, which has 3.6's syntax in dialects of other names, is made 3.6's", () => {
  const text = `#blocked = #triton_gpu.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked1 = #triton_gpu.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"triton_gpu.num-ctas" = 1 : i32, "triton_gpu.num-warps" = 4 : i32, triton_gpu.target = "cuda:80", "triton_gpu.threads-per-warp" = 32 : i32} {
  tt.func public @f(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %0 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %1 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %2 = tt.addptr %1, %0 : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    %3 = triton_gpu.convert_layout %2 : tensor<512x!tt.ptr<f32>, #blocked> -> tensor<512x!tt.ptr<f32>, #blocked1>
    %4 = tt.load %3 : tensor<512x!tt.ptr<f32>, #blocked1>
    tt.store %3, %4 : tensor<512x!tt.ptr<f32>, #blocked1>
    tt.return
  }
}
`;
  const source = readSource({ name: "k.ttgir", text });
  if (source.kind !== "module") throw new Error(source.kind === "error" ? source.rendered : "");
  const { ctx } = source.module;
  expect(printOperation(source.module).replaceAll("\n", "")).toBe(text.replaceAll("triton_gpu", "ttg").replaceAll("\n", ""));
  expect(ctx.diagnostics.map((d) => d.message)).toEqual([
    "'k.ttgir' has the spelling of Triton 3.2 or older: it is compiled in the spelling of 3.6",
  ]);
  const target = "cuda:80";
  expect(compile("k.ttgir", source.module, { target, options: defaultOptions(target), from: "ttgir", clock: () => 0 }).ok).toBe(true);
  const kept = readSource({ name: "k.ttgir", text, modernize: false });
  expect(kept.kind === "module" && printOperation(kept.module)).toContain("triton_gpu.convert_layout");
});

test("a hint on an argument is said to be lost", () => {
  const text = `@triton.jit\ndef f(x_ptr, n):\n    n = tl.multiple_of(n, 16)\n    tl.store(x_ptr + n, 1.0)\n`;
  const source = readSource({ name: "k.py", text, python: { signature: "*fp32, i32" } });
  if (source.kind !== "module") throw new Error(JSON.stringify(source));
  expect(source.module.ctx.diagnostics.find((d) => d.code === "python.hint")?.position?.line).toBe(3);
});
