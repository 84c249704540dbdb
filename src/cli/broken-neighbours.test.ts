import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

const FILE = `import torch
import triton
import triton.language as tl

def configs():
    return [triton.Config({"B": 16}, warps=4)]

@triton.jit(inline=True)
def unknown_option(p):
    tl.store(p, 1.0)

@triton.autotune([triton.Config({"B": 16}, num_warp=4)], key=["n"])
@triton.jit
def unknown_setting(p, B: tl.constexpr):
    tl.store(p, 1.0)

@triton.autotune(configs=configs(), key=[])
@triton.jit
def elsewhere(p, B: tl.constexpr):
    tl.store(p, 1.0)

@triton.autotune([triton.Config({"B": 16})])
@triton.jit
def without_key(p, B: tl.constexpr):
    tl.store(p, 1.0)

@triton.heuristics(value={})
@triton.jit
def unknown_values(p):
    tl.store(p, 1.0)

@triton.jit
def wrong_default(p, B: tl.constexpr = UNKNOWN):
    tl.store(p, 1.0)

@triton.jit
def wrong_body(p):
    undefined(p)

if torch.cuda.is_available():
    @triton.jit
    def on_some_machines(p):
        tl.store(p, 1.0)

raise ValueError("no")

@triton.jit
def good(p):
    tl.store(p, 2.0)
`;

const run = async (...argv: string[]) => {
  const io = memoryIo("", { "k.py": FILE });
  const code = await main(["k.py", "--emit", "ttir", ...argv], io);
  return { code, out: io.out(), err: io.err() };
};

test("what is wrong with a kernel is told of that kernel alone", async () => {
  for (const name of ["good", "on_some_machines"]) {
    const { out, err } = await run("--kernel", name, "--signature", "*fp32");
    expect([err, out.includes(`@${name}(`)]).toEqual(["", true]);
  }
  const told = async (name: string) => (await run("--kernel", name)).err.split("\n")[0];
  expect(await told("unknown_option")).toBe(
    "k.py:8:13: error: TypeError: jit() got an unexpected keyword argument 'inline' [python.error]",
  );
  expect(await told("unknown_setting")).toBe(
    "k.py:12:44: error: TypeError: Config.__init__() got an unexpected keyword argument 'num_warp' [python.error]",
  );
  expect(await told("elsewhere")).toBe(
    "k.py:6:38: error: TypeError: Config.__init__() got an unexpected keyword argument 'warps' [python.error]",
  );
  expect(await told("without_key")).toBe(
    "k.py:22:2: error: TypeError: autotune() missing 1 required positional argument: 'key' [python.error]",
  );
  expect(await told("unknown_values")).toBe(
    "k.py:27:20: error: TypeError: heuristics() got an unexpected keyword argument 'value' [python.error]",
  );
});

test("the list of kernels has those whose defaults, bodies or conditions are not known", async () => {
  const { err } = await run();
  expect([...err.matchAll(/^ {2}(\w+)\(/gm)].map(([, name]) => name)).toEqual([
    "unknown_option",
    "unknown_setting",
    "elsewhere",
    "without_key",
    "unknown_values",
    "wrong_default",
    "wrong_body",
    "on_some_machines",
    "good",
  ]);
});

const IMPORTS = `import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from somewhere import newer

if newer("3.0"):
    try:
        from triton.language.extra.libdevice import rsqrt
    except ModuleNotFoundError:
        from triton.language.extra.cuda.libdevice import rsqrt
else:
    from elsewhere import rsqrt

@triton.jit
def kernel(p):
    x = tl.load(p)
    tl.store(p, rsqrt(x) + libdevice.tanh(x) + tl_math.exp(x))

@triton.jit
def helped(p):
    tl.store(p, triton_helpers.maximum(tl.load(p), 0.0))
`;

test("what is imported under a condition, or through torch, is Triton's own where that is known", async () => {
  const io = memoryIo("", { "k.py": IMPORTS });
  expect(await main(["k.py", "--kernel", "kernel", "--signature", "*fp32", "--emit", "ttir"], io)).toBe(0);
  expect([...io.out().matchAll(/symbol = "(\w+)"|(math\.exp)/g)].map(([, symbol, op]) => symbol ?? op)).toEqual([
    "__nv_rsqrtf",
    "__nv_tanhf",
    "math.exp",
  ]);
  const helped = memoryIo("", { "k.py": IMPORTS });
  expect(await main(["k.py", "--kernel", "helped", "--signature", "*fp32", "--emit", "ttir"], helped)).toBe(0);
  expect([...helped.out().matchAll(/= (arith\.\w+)/g)].map(([, op]) => op)).toEqual([
    "arith.constant",
    "arith.cmpf",
    "arith.cmpf",
    "arith.ori",
    "arith.select",
  ]);
});
