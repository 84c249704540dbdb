import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main as ttOpt } from "./tt-opt.js";

const DOT = `
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x16xf16, #ttg.dot_op<{opIdx = 0, parent = #b}>>, %b: tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #b}>>, %c: tensor<128x16xf32, #b>) -> tensor<128x16xf32, #b> {
    %d = tt.dot %a, %b, %c : tensor<128x16xf16, #ttg.dot_op<{opIdx = 0, parent = #b}>> * tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #b}>> -> tensor<128x16xf32, #b>
    tt.return %d : tensor<128x16xf32, #b>
  }
}
`;

test.each([
  ["0", "register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[1, 0]"],
  ["ON", "register = [[0, 1], [8, 0], [0, 8], [16, 0]], lane = [[0, 2]"],
])("tensor memory with TRITON_PREFER_TMEM_16x256_LAYOUT=%s", async (value, layout) => {
  const io = { ...memoryIo(DOT), env: { TRITON_PREFER_TMEM_16x256_LAYOUT: value } };
  expect(await ttOpt(["-", "--tritongpu-accelerate-matmul"], io)).toBe(0);
  expect(io.out()).toContain(layout);
});

const BARRIER = `
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    ttg.barrier local
    tt.return
  }
}
`;

test.each([
  ["3.7", /nvvm\.barrier0$/m],
  ["3.8", /nvvm\.barrier$/m],
])("--triton %s: its passes", async (version, barrier) => {
  const io = memoryIo(BARRIER);
  expect(await ttOpt(["-", "--triton", version, "--convert-triton-gpu-to-llvm"], io)).toBe(0);
  expect(io.out()).toMatch(barrier);
});

test("a version that is not known is refused with those that are", async () => {
  const io = memoryIo(BARRIER);
  expect(await ttOpt(["-", "--triton=2.0"], io)).toBe(2);
  expect(io.err()).toContain("tt-opt: -triton expects 3.6, 3.7, 3.8: Triton 2.0 is not compiled");
});
