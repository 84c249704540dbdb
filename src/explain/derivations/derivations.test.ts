import { expect, test } from "vitest";
import { main } from "../../cli/tt-step.js";
import { memo } from "../../support/memo.js";
import { memoryIo } from "../../testing/memory-io.js";

const why = memo(async (kernel: string, ...words: readonly string[]): Promise<string> => {
  const io = memoryIo();
  expect(await main([`fixtures/tours/${kernel}.py`, "--why", ...words], io)).toBe(0);
  return io.out();
}, 8);

test("the schedule of a loop is drawn as iterations by rounds", async () => {
  const text = await why("gemm", "gemm.py:18", "--at", "tritongpu-schedule-loops");
  expect(text).toContain(`    stage 0, cluster 3: %37 tt.load, %38 tt.load
    stage 1, cluster 2: %42 tt.addptr, %43 tt.addptr
    stage 2, cluster 0: %39 ttg.convert_layout, %40 ttg.convert_layout, %41 tt.dot
    a round of the loop does, by cluster, these stages of different iterations:
    round        before  before  loop    loop    after   after
    iteration 0  load    addptr  dot
    iteration 1          load    addptr  dot
`);
  expect(await why("gemm", "gemm.py:16", "--at", "tritongpu-assign-latencies")).toContain(
    "%37 tt.load has latency 2: it starts 2 stages before",
  );
});

test("after the pipeliner: rings of buffers and what is waited for", async () => {
  const text = await why("gemm", "gemm.py:18");
  expect(text).toContain("a ring of 2 buffers, 2 filled before the loop; round i reads buffer i mod 2 and fills buffer (i + 2) mod 2");
  expect(text).toContain("waits until at most 2 groups of copies are under way: those of later iterations, 2 each");
  expect(await why("tma_gemm", "tma_gemm.py:16")).toContain("a ring of 3 buffers, 2 filled before the loop");
});

test("a dot: the instruction's shape, the warps' parts, how many, and what lies together along k", async () => {
  const text = await why("gemm", "gemm.py:18");
  expect(text).toContain("32 bytes deep: k = 16 elements of 16 bits");
  expect(text).toContain("2x2 warps over the result of 64x64: each has 32x32.");
  expect(text).toContain("2x4x2 = 16 instructions of 16x8x16 in each warp");
  expect(text).toContain("kWidth 2: ");
  expect(await why("tma_gemm", "tma_gemm.py:16")).toContain("2x1x4 = 8 instructions of 64x128x16 in each warp group");
});

test("a dot in tensor memory: rows, columns and depth of an instruction, how many, and where the result is", async () => {
  const text = await why("tma_gemm", "tma_gemm.py:16", "--target", "cuda:100", "--at", "tritongpu-accelerate-matmul");
  expect(text).toContain(
    "tcgen05.mma: 128 rows of tensor memory (128, or 64 for smaller results); n is the result's, 256 at most: 128; k is 32 bytes: 16 ",
  );
  expect(text).toContain("1x1x4 = 4 instructions of 128x128x16, along m, n and k; one thread starts each of them");
});

test("a conversion: what moves, by which way, what it costs and why", async () => {
  const text = await why("tile", "tile.py:14");
  expect(text).toContain("the result has 4096 places: 2 stay, 30 change the register, 992 change the lane, 3072 change the warp");
  expect(text).toContain("elements change warps, which only shared memory connects: shared memory");
  expect(text).toContain("8192 bytes in one round, 16 bytes of a thread together");
});
