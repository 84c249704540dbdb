/** The command that tt-step proposes if no signature is given: it works when it is pasted. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

const FILE = "fixtures/frontend/guess/kernels.py";

async function proposed(...argv: string[]): Promise<string> {
  const io = memoryIo();
  expect(await main(argv, io)).toBe(2);
  return /^ {2}(tt-step .*(?:\n\(guessed.*)?)$/m.exec(io.err())?.[1] ?? io.err();
}
/** Words of a command as a shell takes them apart. */
const words = (command: string): string[] => [...command.matchAll(/'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2]!);

test.each([
  [
    "normalize",
    `tt-step ${FILE} --kernel normalize --signature '*fp32:16, *bf16:16, i32, i32, fp32, False, 256, tl.float32'`,
    "guessed from its use: x",
  ],
  [
    "product",
    `tt-step ${FILE} --kernel product --config 0 --signature '*fp16:16, *i32:16, *fp16:16, i64, fp32, "relu", constexpr, constexpr'`,
    undefined,
  ],
  // None is not taken as the default of an argument that the kernel computes with in all cases.
  [
    "added",
    `tt-step ${FILE} --kernel added --signature '*fp32:16, *fp32:16, *i32:16, None, *fp32:16, 0, False, 128'`,
    "guessed from its use: x, rest, packed, out, window",
  ],
  ["scaled", `tt-step ${FILE} --kernel scaled --signature '*fp16:16, *fp16:16, i32:16, i32, fp32, 16, 32' --num-warps 2`, undefined],
])("the command proposed for %s says what the file says, marks guesses, and works", async (kernel, command, guessed) => {
  const [line, note] = (await proposed(FILE, "--kernel", kernel)).split("\n");
  expect(line).toBe(command);
  if (guessed !== undefined) expect(note).toBe(`(${guessed})`);
  const io = memoryIo();
  expect([await main([...words(line!).slice(1), "--print-after", "0"], io), io.err()]).toEqual([0, ""]);
});

test("arguments that a kernel hands to functions, and elements that become pointers, are guessed by their use", async () => {
  const io = memoryIo();
  expect(await main(["fixtures/frontend/guess/helpers.py", "--kernel", "whole", "--guess", "--emit", "ttir"], io), io.err()).toBe(0);
  expect(io.err()).toContain(
    'x=*fp16:16, y=*fp16:16, sizes=*i32:16, peers=*i64:16, bytes=*fp16:16, n=i32, out=tl.float32, activation="relu", TRIANGLE=False, B=64;',
  );
});

test("what a value is multiplied by in place is not guessed as None", async () => {
  const io = memoryIo();
  expect(await main(["fixtures/frontend/guess/helpers.py", "--kernel", "scaled", "--guess", "--emit", "ttir"], io), io.err()).toBe(0);
  expect(io.err()).toContain("factor=i32");
});

test("the proposed command keeps the command and the options that were given", async () => {
  const given = ["run", FILE, "--kernel", "normalize", "--define", "ROWS=8", "--arg", "rows=3", "--target", "cuda:90", "--no-checks"];
  const [line] = (await proposed(...given)).split("\n");
  expect(line).toBe(
    `tt-step run ${FILE} --kernel normalize --signature '*fp32:16, *bf16:16, i32, i32, fp32, False, 512, tl.float32' ` +
      "--arg rows=3 --no-checks --define ROWS=8 --target cuda:90",
  );
  const io = memoryIo();
  expect([await main(words(line!).slice(1), io), io.err()]).toEqual([0, ""]);
});

test("--guess compiles with the guesses and lists them", async () => {
  const io = memoryIo();
  expect(await main([FILE, "--kernel", "normalize", "--guess", "--emit", "ttir"], io)).toBe(0);
  expect(io.out()).toContain("tt.func public @normalize(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<bf16>");
  expect(io.err()).toMatch(/^remark: guessed arguments of 'normalize': x=\*fp32:16, y=\*bf16:16 \(call\), .*\[python\.guess\]/);
  const warps = memoryIo();
  expect(await main([FILE, "--kernel", "scaled", "--guess", "--emit", "ttgir"], warps)).toBe(0);
  expect(warps.out()).toContain('"ttg.num-warps" = 2');
});

test("run takes the grid from the launch in the file, as far as the arguments decide it", async () => {
  const run = async (kernel: string, ...options: string[]) => {
    const io = memoryIo();
    expect(await main(["run", FILE, "--kernel", kernel, "--guess", ...options], io)).toBe(0);
    return /of a grid of (\S+(?: \(.*?\))?)/.exec(io.out())?.[1];
  };
  const numbers = ["--arg", "rows=80", "--arg", "cols=68"];
  expect(await run("scaled", ...numbers)).toBe("5x3x1 (as the file launches it)");
  expect(await run("scaled", ...numbers, "--grid", "2,1,1")).toBe("2x1x1");
  // `(x.shape[0],)`, and no argument is `x.shape[0]`.
  expect(await run("normalize")).toBe("3x1x1");
});

test.each([
  ["fixtures/kernels/gluon_transpose.py", "transpose", "*fp32:16, *fp32:16, i32, i32, 128, 128, gl.SwizzledSharedLayout(1, 1, 1, [1, 0])"],
  [
    "fixtures/kernels/gluon_wgmma.py",
    "matmul",
    "tensordesc<fp16[64, 64],NVMMASharedLayout(128, 16)>, tensordesc<fp16[64, 64],NVMMASharedLayout(128, 16)>, tensordesc<fp16[64, 64],NVMMASharedLayout(128, 16)>, i32, 2",
  ],
])("layouts of Gluon are guessed from their use: %s", async (path, kernel, signature) => {
  const text = readFileSync(path, "utf8").replace(/^# tt-step: .*\n/m, "");
  const io = memoryIo("", { "k.py": text });
  expect(await main(["k.py", "--kernel", kernel], io)).toBe(2);
  expect(io.err()).toContain(`--signature '${signature}'`);
});

const HEURISTICS = `import builtins, triton, triton.language as tl
@triton.heuristics({
    "EVEN": lambda args: all(n % args["BLOCK"] == 0 for n in [args["n"], 256]),
    "HAS_BIAS": lambda args: args["bias_ptr"] is not None,
    "WIDE": lambda args: builtins.max(triton.next_power_of_2(args["n"]), 8) > 512,
})
@triton.jit
def kernel(x_ptr, bias_ptr, stride_scale, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, HAS_BIAS: tl.constexpr, WIDE: tl.constexpr):
    at = tl.arange(0, BLOCK) * stride_scale
    if HAS_BIAS and WIDE:
        tl.store(x_ptr + at, tl.load(bias_ptr + at), mask=None if EVEN else at < n)
`;

test("what heuristics compute of unknown numbers is guessed on request; that an argument is not None is known", async () => {
  const io = memoryIo("", { "k.py": HEURISTICS });
  expect(await main(["k.py", "--guess", "--print-after", "0"], io)).toBe(0);
  expect(io.err()).toContain("guessed EVEN=True, what its heuristic returns where numbers are 1024; give another with --const EVEN=...");
  expect(io.err()).toContain("stride_scale=i32");
  expect(io.err()).not.toContain("guessed HAS_BIAS");
  const stated = memoryIo("", { "k.py": HEURISTICS });
  expect(await main(["k.py", "--signature", "*fp32, *fp32, i32, i32, 128", "--print-after", "0"], stated)).toBe(2);
  expect(stated.err()).toContain("the heuristic of 'EVEN' cannot be evaluated (the value of 'n' is not known while compiling)");
});

test("heuristics know which argument is None, a number or a tensor; each sees what those before it returned, the outer decorator's first", async () => {
  const text = `import torch, triton, triton.language as tl
@triton.heuristics({"W": lambda args: 2 * args["N"], "V": lambda args: args["W"] + 1})
@triton.heuristics({"IS_TENSOR": lambda args: isinstance(args["x"], torch.Tensor) and not isinstance(args["n"], (torch.Tensor, float))})
@triton.heuristics({"U": lambda args: args["V"] + args["W"], "HAS_Y": lambda args: args["y"] is not None})
@triton.jit
def kernel(x, y, n, N: tl.constexpr, U: tl.constexpr, V: tl.constexpr, W: tl.constexpr, HAS_Y: tl.constexpr, IS_TENSOR: tl.constexpr):
    tl.static_assert(IS_TENSOR)
    tl.static_assert(U == 17 and V == 9 and W == 8 and not HAS_Y and y is None)
    tl.static_assert(getattr(y, "shape", 3) == 3)
    tl.store(x, U)
`;
  const io = memoryIo("", { "k.py": text });
  expect([
    await main(["k.py", "--type", "x=*i32", "--type", "n=i64", "--const", "y=None", "--const", "N=4", "--print-after", "0"], io),
    io.err(),
  ]).toEqual([0, ""]);
});

test("elements that are added to addresses or bound loops are guessed as integers", async () => {
  const text = `import triton, triton.language as tl
@triton.jit
def rows(table, order, first, weight, out, N: tl.constexpr):
    i = tl.program_id(0)
    row = tl.load(order + i).to(tl.int64)
    start = tl.load(first + i)
    stop = tl.load(first + i + 1)
    acc = tl.zeros([N], tl.float32)
    for j in range(start, stop):
        at = table + row * N + j
        acc += tl.load(at + tl.arange(0, N)) * tl.load(weight + j)
    tl.store(out + i * N + tl.arange(0, N), acc)
`;
  const io = memoryIo("", { "k.py": text });
  expect(await main(["k.py", "--guess", "--print-after", "0"], io)).toBe(0);
  expect(io.err()).toContain("table=*fp32:16, order=*i32:16, first=*i32:16, weight=*fp32:16, out=*fp32:16, N=");
});

test("quotients of elements are integers, precisions are texts, and heuristics of a kernel with tl.dot see sides of tiles", async () => {
  const text = `import triton, triton.language as tl
@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["width"])})
@triton.jit
def blocks(x, lengths, out, width, precision: tl.constexpr, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK, BLOCK], tl.float32)
    at = tl.arange(0, BLOCK)[:, None] * width + tl.arange(0, BLOCK)[None, :]
    for i in range(tl.cdiv(tl.load(lengths), BLOCK)):
        tile = tl.load(x + at)
        acc += tl.dot(tile, tile, input_precision=precision)
    tl.store(out + at, acc)
`;
  const io = memoryIo("", { "k.py": text });
  expect(await main(["k.py", "--guess", "--print-after", "0"], io), io.err()).toBe(0);
  expect(io.err()).toContain('x=*fp16:16, lengths=*i32:16, out=*fp16:16, width=i32, precision="tf32";');
  expect(io.err()).toContain("guessed BLOCK=64, what its heuristic returns where numbers are 64;");
});

test("what a function needs is not None; flags are no addresses; loops that are unrolled are short", async () => {
  const text = `import triton, triton.language as tl
@triton.jit
def scaled(x, factor):
    return x * factor
@triton.jit
def rows(x, factor, order, out, WIDTH: tl.constexpr, SCALED: tl.constexpr, bias):
    at = tl.load(order + tl.program_id(0))
    for i in tl.static_range(1, WIDTH):
        y = scaled(tl.load(x + at + i), factor)
        tl.store(out + i, scaled(y, bias) if SCALED else y)

def launch(x, factor=None, order=False, bias=None):
    rows[(1,)](x, factor, order, x, SCALED=False, bias=bias)
`;
  const io = memoryIo("", { "k.py": text });
  expect(await main(["k.py", "--kernel", "rows", "--guess", "--print-after", "0"], io), io.err()).toBe(0);
  expect(io.err()).toContain("factor=i32, order=*i32:16, out=*fp32:16, WIDTH=4, SCALED=False (call), bias=None (call);");
});

test("a number that a tensor holds is a number; names that begin as a switch does are no switch", async () => {
  const text = `import torch, triton, triton.language as tl
@triton.jit
def rows(x, out, count, offset, dot_dtype: tl.constexpr, dtype_min_value: tl.constexpr, USE_MAX: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    y = tl.load(x + at, mask=at < count, other=dtype_min_value).to(dot_dtype)
    tl.store(out + at + offset, tl.maximum(y, 0) if USE_MAX else y)

def launch(x):
    sums = torch.empty(8, dtype=torch.int64)
    rows[(1,)](x, out, sums[-1].item(), x.sum())
`;
  const io = memoryIo("", { "k.py": text });
  expect(await main(["k.py", "--guess", "--print-after", "0"], io)).toBe(0);
  expect(io.err()).toContain("count=i32 (call), offset=i32, dot_dtype=tl.float32, dtype_min_value=-128.0, USE_MAX=False, N=");
});

test("an address that is chosen begins with either", async () => {
  const text = `import triton, triton.language as tl
@triton.jit
def kernel(a, b, c, d, n):
    x = tl.where(n > 3, a, tl.where(n > 2, b, c))
    tl.store(x + tl.arange(0, 16), tl.load(d if n is not None else c))
`;
  const io = memoryIo("", { "k.py": text });
  expect(await main(["k.py", "--guess", "--print-after", "0"], io)).toBe(0);
  expect(io.err()).toContain("a=*fp32:16, b=*fp32:16, c=*fp32:16, d=*fp32:16, n=i32;");
});

test("names that are made of each other in many ways are followed once each", async () => {
  const steps = Array.from({ length: 2000 }, (_, i) => `    a${i + 1} = a${i}\n    a${i + 1} = b${i}\n    b${i + 1} = a${i} + 0\n`).join(
    "",
  );
  const text = `import triton, triton.language as tl
@triton.jit
def k(p, q, out):
    a0 = p
    b0 = q
${steps}    tl.store(out + tl.load(a2000), 1.0)
`;
  const io = memoryIo("", { "k.py": text });
  expect(await main(["k.py", "--guess", "--print-after", "0"], io)).toBe(0);
  expect(io.err()).toContain("p=*i32:16, q=*i32:16, out=*fp32:16");
});

test("kernels of classes are named by their class, and launched through it; they do not see its names", async () => {
  const file = "fixtures/frontend/guess/classes.py";
  const listed = memoryIo();
  expect(await main([file], listed)).toBe(2);
  expect(listed.err()).toContain(`4 kernels; choose one with --kernel:
  Twice.forward(x, y, n, B: tl.constexpr)
  Half.forward(x, n, B: tl.constexpr)
  Half.Back.backward(x, B: tl.constexpr)
  later(x)`);
  for (const [kernel, head] of [
    ["Twice.forward", "x=*fp16:16 (call), y=*fp16:16 (call), n=i32 (call)"],
    ["Half.forward", "x=*i16:16 (call), n=i32 (call), B=256 (call)"],
    ["Half.Back.backward", "x=*i64:16 (call), B=8 (call)"],
  ] as const) {
    const io = memoryIo();
    expect(await main([file, "--kernel", kernel, "--guess", "--print-after", "0"], io), io.err()).toBe(0);
    expect(io.err()).toContain(head);
    expect(io.out()).toContain(`tt.func public @${kernel.split(".").at(-1)}(`);
    // WIDTH is the file's.
    if (kernel === "Twice.forward") expect(io.out()).not.toContain("2.0");
  }
  for (const [kernel, around] of [
    ["inner", "make"],
    ["awaited", "make_later"],
  ] as const) {
    const io = memoryIo();
    expect(await main([file, "--kernel", kernel, "--guess", "--print-after", "0"], io)).toBe(2);
    expect(io.err()).toContain(`'${file}' defines '${kernel}' when '${around}' is called: give what it returns a name at module level`);
  }
  const later = memoryIo();
  expect(await main([file, "--kernel", "later", "--guess", "--print-after", "0"], later)).toBe(2);
  expect(later.err()).toContain("TypeError: a kernel is a function without 'async'");
});
