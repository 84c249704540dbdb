import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

const ADD = `import torch
import triton
import triton.language as tl
from shapes import WIDTH


# tt-step: signature=*fp32:16, *fp32:16, i32, 256, num_warps=2
@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offs, tl.load(x + offs, mask=offs < n) * WIDTH, mask=offs < n)


@triton.autotune(configs=[triton.Config({"B": 32}, num_warps=1), triton.Config({"B": 64}, num_warps=8)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["B"] % 64 == 0})
@triton.jit
def fill(x, B: tl.constexpr, EVEN: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0 if EVEN else 2.0)
`;
const FILES = { "dir/add.py": ADD, "dir/shapes.py": "import triton.language as tl\nWIDTH = tl.constexpr(1 + 1)\n" };

async function run(...argv: string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const io = memoryIo(ADD, FILES);
  const code = await main(argv, io);
  return { code, out: io.out(), err: io.err() };
}

test("a comment above a kernel says what is compiled, options included", async () => {
  const { code, out, err } = await run("dir/add.py", "--emit", "ttgir");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain('"ttg.num-warps" = 2');
  expect((await run("dir/add.py", "--emit", "ttgir", "--num-warps", "4", "--target", "90")).out).toMatch(/num-warps" = 4 .*cuda:90/);
});

test("step 0 is the module as generated, with or without its places", async () => {
  const { out } = await run("dir/add.py", "--print-after", "0");
  expect(out).toContain("tt.func public @double(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}");
  expect((await run("dir/add.py", "--print-after", "0", "--debug-info")).out).toContain('"dir/add.py":10:');
});

test("autotune configurations are listed and chosen; heuristics follow them", async () => {
  const asked = await run("dir/add.py", "--kernel", "fill", "--type", "x=*fp32");
  expect(asked).toMatchObject({ code: 2, out: "" });
  expect(asked.err).toContain("  1: B: 64, num_warps: 8,");
  const chosen = await run("dir/add.py", "--kernel", "fill", "--type", "x=*fp32", "--config", "1", "--emit", "ttgir");
  expect(chosen.out).toContain('"ttg.num-warps" = 8');
  expect(chosen.out).toContain("dense<1.000000e+00>");
});

test("other commands take kernels too", async () => {
  expect(await run("dir/add.py", "--against", "num-warps=4")).toMatchObject({ code: 1 });
  expect((await run("run", "dir/add.py", "--arg", "n=3", "--grid", "1")).out).toContain("y[0..2] = ");
  expect((await run("bisect", "dir/add.py", "has(ttg.convert_layout)")).out).toContain("tritongpu-coalesce");
  expect((await run("-", "--list")).err).toContain("<stdin>:11:");
});

test("what is missing or unknown is told", async () => {
  expect((await run("dir/add.py", "--kernel", "doubel")).err).toBe(
    "tt-step: 'dir/add.py' has no kernel 'doubel'; did you mean 'double'?\n",
  );
  expect((await run("dir/add.py", "--const", "BLOK=1")).err).toBe("tt-step: 'double' has no parameter 'BLOK'; did you mean 'BLOCK'?\n");
  expect((await run("dir/add.py", "--triton-lib", "nowhere")).err).toContain("'nowhere' holds no Triton");
  expect((await run("dir/add.py", "--config", "x")).err).toBe(
    "tt-step: --config expects an integer from 0, not 'x'. Try: tt-step --help\n",
  );
});
