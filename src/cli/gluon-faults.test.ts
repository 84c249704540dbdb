/** Faults of authors in Gluon kernels: each is found at the line of the Python source, and the kernel without it has none. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

const KERNELS = {
  transpose: readFileSync("fixtures/kernels/gluon_transpose.py", "utf8"),
  wgmma: readFileSync("fixtures/kernels/gluon_wgmma.py", "utf8"),
  partitions: readFileSync("fixtures/kernels/gluon_partitions.py", "utf8"),
  handoff: readFileSync("fixtures/gluon/handoff.py", "utf8"),
};
const ENTRY = { transpose: "transpose", wgmma: "matmul", partitions: "matmul", handoff: "handoff" };
type Kernel = keyof typeof KERNELS;

async function tool(text: string, ...argv: readonly string[]) {
  const io = memoryIo("", { "k.py": text });
  const code = await main(argv, io);
  return { code, out: io.out(), err: io.err() };
}

test.each(Object.keys(KERNELS) as Kernel[])("%s as it is", async (kernel) => {
  expect(await tool(KERNELS[kernel], "run", "k.py", "--kernel", ENTRY[kernel])).toMatchObject({ code: 0, err: "" });
});

/** The text that is replaced, by what, and the first finding: where it is said to be, relative to the line of a text. */
const FAULTS: readonly (readonly [string, Kernel, string, string, { readonly at: string; readonly says: string }])[] = [
  ["no wait for cp.async", "transpose", "async_copy.wait_group(0)", "pass", { at: ".load(turned)", says: "early-read: ttg.local_load" }],
  [
    "cp.async without a group",
    "transpose",
    "async_copy.commit_group()",
    "pass",
    { at: ".load(turned)", says: "early-read: ttg.local_load" },
  ],
  [
    "a wait for one group too few",
    "transpose",
    "wait_group(0)",
    "wait_group(1)",
    { at: ".load(turned)", says: "early-read: ttg.local_load" },
  ],
  [
    "no fence before a store by TMA",
    "wgmma",
    "    fence_async_shared()\n",
    "    pass\n",
    { at: "tma.async_copy_shared_to_global", says: "missing-fence: ttng.async_tma_copy_local_to_global reads element 0" },
  ],
  [
    "no wait for a store by TMA",
    "wgmma",
    "tma.store_wait(pendings=0)",
    "pass",
    { at: "tma.async_copy_shared_to_global", says: "early-read: program ends before the wait" },
  ],
  [
    "no wait for a load by TMA",
    "wgmma",
    "mbarrier.wait(ready.index(slot), (step // BUFFERS) & 1)",
    "pass",
    { at: "acc = warpgroup_mma(", says: "early-read" },
  ],
  ["the other phase", "wgmma", "(step // BUFFERS) & 1", "((step // BUFFERS) & 1) ^ 1", { at: "acc = warpgroup_mma(", says: "early-read" }],
  ["always phase 0", "wgmma", "(step // BUFFERS) & 1", "0", { at: "acc = warpgroup_mma(", says: "early-read" }],
  [
    "no wait for wgmma before its buffer is loaded",
    "wgmma",
    "        acc = warpgroup_mma_wait(num_outstanding=0, deps=(acc,))\n",
    "",
    { at: "tma.async_copy_global_to_shared(a,", says: "race" },
  ],
  ["bytes that nobody expects", "wgmma", "    mbarrier.expect(", "    # (", { at: "mbarrier.wait(ready", says: "deadlock" }],
  [
    "fewer bytes than come",
    "wgmma",
    "a.block_type.nbytes + b.block_type.nbytes",
    "a.block_type.nbytes",
    { at: "acc = warpgroup_mma(", says: "early-read" },
  ],
  [
    "a load that is forgotten",
    "wgmma",
    "    tma.async_copy_global_to_shared(b,",
    "    # (",
    { at: "mbarrier.wait(ready", says: "deadlock" },
  ],
  [
    "a barrier that nobody initialises",
    "wgmma",
    "mbarrier.init(ready.index(i), count=1)",
    "pass",
    { at: "mbarrier.expect(", says: "barrier: ttng.barrier_expect uses a barrier that is not initialised" },
  ],
  ["an arrival that never comes", "wgmma", "count=1", "count=2", { at: "mbarrier.wait(ready", says: "deadlock" }],
  [
    "a product that does not wait",
    "partitions",
    "mbarrier.wait(ring.full.index(slot), phase)",
    "pass",
    { at: "tcgen05_mma(", says: "early-read" },
  ],
  [
    "buffers that are never free",
    "partitions",
    "tcgen05_commit(ring.free.index(slot))",
    "pass",
    { at: "mbarrier.wait(done", says: "deadlock" },
  ],
  ["a wrong phase of the free buffers", "partitions", "phase ^ 1", "phase", { at: "mbarrier.wait(done", says: "deadlock" }],
  [
    "no wait for the result",
    "partitions",
    "mbarrier.wait(done, 0)",
    "pass",
    { at: "acc.load(regs)", says: "unwritten-shared: ttng.tmem_load" },
  ],
  [
    "an arrival too early",
    "handoff",
    "        value = buffer.load(layout)\n        mbarrier.arrive(free, count=1)",
    "        mbarrier.arrive(free, count=1)\n        value = buffer.load(layout)",
    {
      at: "buffer.store(value)",
      says: "race: ttg.local_store writes element 0, which ttg.local_load at k.py:25:28 in another partition reads",
    },
  ],
  ["no arrival", "handoff", "mbarrier.arrive(full, count=1)", "pass", { at: "mbarrier.wait(full", says: "deadlock" }],
  ["no wait of the taker", "handoff", "mbarrier.wait(full, step & 1)", "pass", { at: "buffer.load(layout)", says: "unwritten-shared" }],
  ["no wait of the giver", "handoff", "mbarrier.wait(free, (step & 1) ^ 1)", "pass", { at: "mbarrier.wait(full", says: "deadlock" }],
];

test.each(FAULTS)("%s (%s)", async (_, kernel, from, to, { at, says }) => {
  expect(KERNELS[kernel]).toContain(from);
  const text = KERNELS[kernel].replace(from, to);
  const line = text.slice(0, text.indexOf(at)).split("\n").length;
  const { code, err } = await tool(text, "run", "k.py", "--kernel", ENTRY[kernel]);
  expect(err).toMatch(new RegExp(`^k\\.py:${line}:\\d+: error: ${says.replaceAll(".", "\\.")}`));
  expect(code).toBe(1);
});

test("Triton 3.7 inserts the fence itself", async () => {
  const text = KERNELS.wgmma.replace("    fence_async_shared()\n", "    pass\n");
  const { code, err } = await tool(text, "run", "k.py", "--kernel", "matmul", "--triton", "3.7");
  expect(err).not.toContain("missing-fence");
  expect(code).toBe(0);
});

test("--validate says that the kernel is at fault, and no pass", async () => {
  const text = KERNELS.wgmma.replace("    fence_async_shared()\n", "    pass\n");
  const { code, out } = await tool(text, "k.py", "--kernel", "matmul", "--validate", "--strict", "--stop-after", "gluon-inline");
  expect(out).toMatch(/^validate: note: the kernel itself: missing-fence: .* after ttg.local_store at k\.py:52:15, .* at k\.py:54:54\)\n/);
  expect(out).toContain("validate: same results after each of");
  expect(code).toBe(1);
});

test("a product of multiply-adds keeps its f32, whatever precision it names", async () => {
  const text = `from triton.experimental import gluon
from triton.experimental.gluon import language as gl


# tt-step: signature=*fp32:16, *fp32:16, 16, 16, gl.BlockedLayout([1, 1], [8, 4], [4, 1], [1, 0]), target=cuda:80
@gluon.jit
def product(out, a, M: gl.constexpr, K: gl.constexpr, layout: gl.constexpr):
    lhs: gl.constexpr = gl.DotOperandLayout(0, layout, 0)
    rhs: gl.constexpr = gl.DotOperandLayout(1, layout, 0)
    x = gl.load(a + gl.arange(0, M, gl.SliceLayout(1, lhs))[:, None] * K + gl.arange(0, K, gl.SliceLayout(0, lhs))[None, :])
    y = gl.load(a + gl.arange(0, K, gl.SliceLayout(1, rhs))[:, None] * M + gl.arange(0, M, gl.SliceLayout(0, rhs))[None, :])
    rows = gl.arange(0, M, gl.SliceLayout(1, layout))[:, None]
    value = gl.dot_fma(x, y, gl.zeros([M, M], gl.float32, layout))
    gl.store(out + rows * M + gl.arange(0, M, gl.SliceLayout(0, layout))[None, :], value)
`;
  const { code, out } = await tool(text, "k.py", "--validate", "--strict");
  expect(out).toMatch(/^validate: same results after each of/);
  expect(code).toBe(0);
});
