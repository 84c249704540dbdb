/** Gluon kernels on the command line: why a layout is as it is, and what a target lacks. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

async function tool(text: string, ...argv: readonly string[]) {
  const io = memoryIo("", { "k.py": text });
  const code = await main(argv, io);
  return { code, out: io.out(), err: io.err() };
}

test("--why names the Python argument that decided a layout, and what shared memory makes of it", async () => {
  const text = readFileSync("fixtures/kernels/gluon_transpose.py", "utf8").replace("(4, 1, 8, [1, 0])", "(1, 1, 1, [1, 0])");
  const why = async (source: string, value: string) => (await tool(source, "k.py", "--kernel", "transpose", "--why", value)).out;
  const out = await why(text, "%4");
  expect(out).toContain("    decided by 'shared' (k.py:26)\n");
  expect(await why(text, "%5")).toContain("    its parent is decided by 'layout' (k.py:27), 'layout' (k.py:18)\n");
  expect(out).toContain(`  shared memory
    %39: 8x ld.shared.b32: 8 rounds of shared memory a warp where 1 would do
    Lanes 0, 1, 2, 3, 4, 5, 6, 7 want different rows of bank 0 at once
    A buffer swizzled with vec = 4, perPhase = 1, maxPhase = 8 would keep them apart
`);
  const mended = text.replace("(1, 1, 1, [1, 0])", "(4, 1, 8, [1, 0])");
  expect(await why(mended, "%4")).toContain("    %39: 8x ld.shared.b32: 1 round of shared memory a warp, without bank conflicts\n");
});

test("--why draws the life line of a barrier and of a buffer over the partitions", async () => {
  const text = readFileSync("fixtures/kernels/gluon_partitions.py", "utf8");
  const why = async (value: string) => (await tool(text, "k.py", "--kernel", "matmul", "--why", value)).out;
  expect(await why("%5")).toContain(`  life line
             program                                  │ partition 0                          │ partition 1
    k.py:86  [0] begins: a phase ends after 1 arrival │                                      │
    k.py:86  [1] begins: a phase ends after 1 arrival │                                      │
    k.py:43                                           │ [%13] WAITS for phase %17, in a loop │
    k.py:57                                           │                                      │ [%14] arrives when the products so far are done, in a loop
`);
  expect(await why("%result")).toContain(`  life line
             default partition │ partition 1
    k.py:68  is loaded         │
    k.py:56                    │ is accumulated, in a loop
`);
});

test("a Gluon kernel reads --num-warps, and not --num-stages", async () => {
  const text = readFileSync("fixtures/kernels/gluon_transpose.py", "utf8");
  const compiled = (...argv: readonly string[]) => tool(text, "k.py", "--kernel", "transpose", "--print-after", "0", ...argv);
  const { out, err } = await compiled("--num-warps", "8");
  expect(err).toBe("");
  expect(out).toContain('"ttg.num-warps" = 8 : i32');
  expect((await compiled("--num-stages", "4")).err).toBe(
    "tt-step: note: --num-stages has no effect: passes to TTGIR read it, and the input is TTGIR\n",
  );
});

test("a signature as tt-step capture writes it", async () => {
  const text = readFileSync("fixtures/kernels/gluon_transpose.py", "utf8").replace(
    "shared: gl.constexpr)",
    "shared: gl.constexpr, T: gl.constexpr)",
  );
  const layout = "(SwizzledSharedLayout(vec=4, per_phase=1, max_phase=8, order=[1, 0], cga_layout=[]))";
  const signature = `*fp32:16, *fp32:16, i32:16, i32:16, 32, 32, ${layout}, tl.float16`;
  expect(await tool(text, "k.py", "--kernel", "transpose", "--signature", signature, "--print-after", "0")).toMatchObject({
    code: 0,
    err: "",
  });
});

test.each(
  [...readFileSync("docs/gluon.md", "utf8").matchAll(/```\n\$ tt-step (.*)\n([^`]*)```/g)].map(([, command, output]) => [
    command!,
    output!,
  ]),
)("docs/gluon.md says what tt-step does: %s", async (line, output) => {
  const [command = "", comment] = line.split(" # ");
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2]!);
  const name = words.find((word) => word.endsWith(".py"))!;
  const text = readFileSync(`fixtures/kernels/${name}`, "utf8");
  const io = memoryIo("", {
    [name]: comment?.includes("without the fence") ? text.replace("    fence_async_shared()\n", "    pass\n") : text,
  });
  await main(words, io);
  const printed = io.out() + io.err();
  for (const wanted of output.split("\n").filter((row) => row.trim() !== "" && row.trim() !== "..."))
    expect(printed).toMatch(
      new RegExp(
        wanted
          .split("...")
          .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
          .join(".*"),
      ),
    );
});

const HEAD = `from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import AMDMFMALayout, cdna4
from triton.experimental.gluon.language.amd.gfx1250 import tdm
from triton.experimental.gluon.language.nvidia import blackwell, hopper

OTHER = AMDMFMALayout(version=3, instr_shape=[32, 32, 8], transposed=True, warps_per_cta=[4, 1])


@gluon.jit
`;
test.each([
  [80, "*fp32:16", "gl.store(p + gl.arange(0, 128, gl.BlockedLayout([1], [32], [4], [0])), 1.0)", undefined],
  [90, "*fp32:16", "hopper.fence_async_shared()", undefined],
  [
    80,
    "*fp32:16",
    "cdna4.buffer_load(ptr=p, offsets=0)",
    "gl.amd.cdna4.buffer_load is not followed: only Gluon's functions for NVIDIA's GPUs are [python.error]",
  ],
  [
    80,
    "*fp32:16",
    "hopper.fence_async_shared()",
    "'ttng.fence_async_shared' op needs asynchronous copies by TMA, which only sm_90 or later has; the target is sm_80 [gluon.target]",
  ],
  [
    90,
    "*fp32:16",
    "t = blackwell.allocate_tensor_memory(gl.float32, [128, 128], blackwell.TensorMemoryLayout([128, 128], 1))\n    t.store(gl.full([128, 128], 0, gl.float32, blackwell.get_tmem_reg_layout(gl.float32, (128, 128), t.layout, 4)))",
    "'ttng.tmem_alloc' op needs tensor memory, which only sm_100 has; the target is sm_90 [gluon.target]",
  ],
  [
    90,
    "tensordesc<fp16[64, 64],NVMMASharedLayout(128, 16)>",
    "s = gl.allocate_shared_memory(p.dtype, [64, 32], p.layout); b = gl.allocate_shared_memory(gl.int64, [1], hopper.mbarrier.MBarrierLayout()); hopper.tma.async_copy_global_to_shared(p, [0, 0], b, s)",
    "'ttng.async_tma_copy_global_to_local' cannot go through convert-triton-gpu-to-llvm with its layouts: the buffer of 64x32 is smaller than a box of TMA with its swizzle, 64x64 [pass.layout]",
  ],
])("sm_%i, %s: %s", async (target, signature, statement, message) => {
  const { code, err } = await tool(
    `${HEAD}def k(p):\n    ${statement}\n`,
    "k.py",
    "--signature",
    signature,
    "--target",
    `cuda:${target}`,
    "--list",
  );
  if (message !== undefined) expect(err).toMatch(/^k\.py:12:\d+: error: /);
  expect(err.split("\n")[0]?.replace(/^.*: error: /, "")).toBe(message ?? "");
  expect(code).toBe(message === undefined ? 0 : 2);
});
