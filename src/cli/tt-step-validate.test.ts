import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { artifactsOf } from "../backend/nvidia/artifacts.js";
import { defaultOptions } from "../backend/nvidia/options.js";
import { compile } from "../compile/compile.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { i32Attr, i64Attr, intOf } from "../ir/builtin-attrs.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { definePass } from "../pass/define-pass.js";
import { runPipeline } from "../pass/pass-manager.js";
import { PASSES } from "../passes/index.js";
import { Validator, validationText } from "../simulate/validate.js";
import { parseModule } from "../syntax/parse.js";
import { memoryIo } from "../testing/memory-io.js";
import { parsePredicate } from "./predicate.js";
import { NO_SIMULATION } from "./simulation-args.js";
import { main as ttOpt } from "./tt-opt.js";
import { main } from "./tt-step.js";
import { validateTrace } from "./tt-step-validate.js";

const VECADD = "fixtures/kernels/vecadd.ttir";
const LOG = "fixtures/dumps/3.6.0-softmax.log";
async function run(argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const io = memoryIo();
  const code = await main(argv, io);
  return { code, out: io.out(), err: io.err() };
}

describe("--validate", () => {
  test("our passes keep what a kernel stores", async () => {
    const { code, out } = await run([VECADD, "--validate"]);
    expect(out.replaceAll(/\d+/g, "N")).toBe(`validate: same results after each of N passes that changed the IR (N runs)
validate: the source: N of N ops executed
validate: Triton IR: N of N ops executed
validate: lowered code: N of N programs, N of N launches; N of N instructions executed
validate: PTX: N of N programs, N of N launches; N of N instructions executed
`);
    expect(code).toBe(0);
  });
  test("lowered code runs on as many programs and launches as a budget allows, on one at least, or on all", async () => {
    const lowered = async (...options: readonly string[]) =>
      /PTX: (.* launches)/.exec((await run([VECADD, "--validate", "--grid", "5", "--seed", "0", ...options])).out)?.[1];
    expect(await lowered()).toBe("5 of 5 programs, 3 of 3 launches");
    expect(await lowered("--seconds", "0")).toBe("1 of 5 programs, 1 of 1 launches");
    expect(await lowered("--seconds", "0", "--all-programs")).toBe("5 of 5 programs, 3 of 3 launches");
    expect(await run([VECADD, "--validate", "--seconds", "soon"])).toMatchObject({
      code: 2,
      err: "tt-step: --seconds expects a number from 0, not 'soon'. Try: tt-step --help\n",
    });
  });
  test("floats out of an integer's range, and NaN, become the same integers at every stage", async () => {
    expect(await run(["fixtures/mutants/narrow.ttir", "--validate"])).toMatchObject({ code: 0 });
  });
  test("a swap of a word, which makes an atomic on bf16 before sm_90, writes back what is beside it", async () => {
    expect(await run(["fixtures/mutants/ordered.ttir", "--validate", "--target", "cuda:80"])).toMatchObject({ code: 0 });
  });
  test("the indices of a gather have no sign: a byte reaches 255", async () => {
    expect(await run(["fixtures/mutants/picked.ttir", "--validate"])).toMatchObject({ code: 0, out: expect.not.stringContaining("note") });
  });
  test("on gfx942 scales are for what fp8 has become, and some are NaN", async () => {
    expect(await run(["fixtures/mutants/ruined.ttir", "--validate", "--target", "hip:gfx942", "--seconds", "1"])).toMatchObject({
      code: 0,
    });
  });
  test("the lowered code of Triton 3.8 reads the shared memory of the other CTA of a cluster", async () => {
    const kernel = `
import triton
import triton.language as tl

@triton.jit
def f(x, out):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, 64)), 0))
`;
    const io = memoryIo("", { "k.py": kernel });
    const options = ["--triton", "3.8", "--num-ctas", "2", "--num-warps", "1", "--target", "cuda:90", "--validate"];
    expect(await main(["k.py", "--signature", "*i32, *i32", ...options], io)).toBe(0);
  });
  test.each([
    [8, "one xf32 instruction is as long"],
    [4, "multiply-adds of f32, though tf32 would do"],
  ])("AMD: a dot along K = %d: %s", async (k) => {
    const kernel = `
import triton
import triton.language as tl

@triton.jit
def f(a, b, out, K: tl.constexpr):
    i = tl.arange(0, 16)
    k = tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * 16 + i[None, :])
    tl.store(out + i[:, None] * 16 + i[None, :], tl.dot(x, y, input_precision="tf32"))
`;
    const io = memoryIo("", { "k.py": kernel });
    expect(await main(["k.py", "--signature", `*fp32:16, *fp32:16, *fp32:16, ${k}`, "--target", "hip:gfx942", "--validate"], io)).toBe(0);
    expect(io.out()).toContain("same results");
  });
  test("a log of real Triton's is executed step by step", async () => {
    expect(await run([LOG, "--validate", "--seed", "3", "--program", "0,0,0"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^validate: same results/),
    });
  });
  test("a copy by TMA may go where tcgen05.alloc has left the address of tensor memory", async () => {
    const ttir = gunzipSync(readFileSync("fixtures/simulate/asynchronous/hostdesc-sm90.ttir.gz")).toString("latin1");
    const io = memoryIo("", { "hostdesc.ttir": ttir });
    expect(await main(["hostdesc.ttir", "--target", "cuda:100", "--validate"], io)).toBe(0);
    expect(io.out()).toMatch(/^validate: same results after each of /);
  });
  test("matrices of bytes are transposed on their way to shared memory and back", async () => {
    const argv = ["fixtures/simulate/transposed-bytes.ttgir", "--target", "cuda:100"];
    const { out: ptx } = await run([...argv, "--emit", "ptx"]);
    for (const name of ["stmatrix.sync.aligned.m16n8.x4.trans.shared.b8", "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8"])
      expect(ptx).toContain(name);
    const { code, out } = await run([...argv, "--validate"]);
    expect(out).toMatch(/^validate: same results after each of /);
    expect(out).toContain("validate: PTX: 1 of 1 programs");
    expect(code).toBe(0);
  });
  test.each([
    ["dots of bytes with and without signs wrap around", "dots-of-bytes"],
    ["a constant is an array in memory that threads load", "constant-array"],
    ["constants of bits and floats of 8 bits are arrays of bytes", "constant-array-of-bytes"],
  ])("%s at all levels", async (_, file) => {
    const { code, out } = await run([`fixtures/simulate/${file}.ttgir`, "--triton", "3.8", "--target", "cuda:80", "--validate"]);
    expect(out).toMatch(/^validate: same results after each of /);
    expect(out).toContain("validate: PTX: 1 of 1 programs");
    expect(code).toBe(0);
  });
  test("tt-opt runs its passes so", async () => {
    const io = memoryIo();
    expect(await ttOpt(["--validate", "--canonicalize", "--cse", VECADD], io)).toBe(0);
    expect(io.err()).toMatch(/^validate: same results after each of \d passes/);
  });
  test("a pass that makes a mask off by one is named, with op, address, buffer and element", async () => {
    const wrong = definePass("wrong-mask", {
      name: "WrongMask",
      summary: "compares with <= in place of <",
      run: (root) => {
        root.walk((op) => {
          if (op.name === "arith.cmpi") op.setAttr("predicate", i64Attr(op.ctx, 3));
        });
      },
    });
    const module = parseModule(new Context(ALL_DIALECTS), VECADD, readFileSync(VECADD, "latin1"))!.module;
    const validator = new Validator();
    runPipeline(module, [wrong()], { instrumentation: [validator.instrumentation] });
    expect(validationText(validator.outcome)).toMatch(
      /^validate: pass 'wrong-mask' changed the results: out-of-bounds: address 0x[0-9a-f]+: byte \d+ of 'a_ptr' \(element \d+\), which the source does not touch \(tt.load at .*vecadd.py:\d+:\d+\) \(seed 0\)\n/,
    );
  });
  test("a load without its mask is named at every level, though no result changes", async () => {
    const text = readFileSync(VECADD, "latin1");
    const parse = (source: string) => parseModule(new Context(ALL_DIALECTS), VECADD, source)!.module;
    const first = (check: (validator: Validator) => void) => {
      const validator = new Validator({ seeds: [0] });
      validator.begin(parse(text));
      check(validator);
      return validator.outcome.broken[0]?.message;
    };
    const unmasked = text.replace(/(= tt.load %\S+), %\S+ :/, "$1 :");
    expect(first((v) => v.check("same", parse(text)))).toBeUndefined();
    expect(first((v) => v.check("unmasked", parse(unmasked)))).toMatch(
      /^out-of-bounds: address 0x[0-9a-f]+: byte \d+ of 'a_ptr' \(element \d+\), which the source does not touch \(tt.load at /,
    );
    const ptx = (await run([VECADD, "--emit", "ptx"])).out;
    expect(first((v) => v.checkPtx(ptx, undefined))).toBeUndefined();
    expect(first((v) => v.checkPtx(ptx.replaceAll(/@%p\d+ (ld.global)/g, "$1"), undefined))).toMatch(
      /^out-of-bounds: thread \d+: address 0x[0-9a-f]+: byte \d+ of 'a_ptr' \(element \d+\), which the source does not touch \(line \d+: ld.global/,
    );
    expect(first((v) => v.checkPtx(ptx.replaceAll(/(@%p\d+ ld.global.*%rd\d+) \+ 0/g, "$1 + 16"), undefined))).toContain("out-of-bounds");
  });
  test("what cannot be executed is said", async () => {
    expect(await run(["fixtures/dumps/3.6.0-softmax.log", "--validate", "--grid", "x"])).toMatchObject({
      code: 2,
      err: "tt-step: --grid expects X,Y,Z with at least one program along each axis, not 'x'. Try: tt-step --help\n",
    });
  });
});

describe("what is stated of the arguments", () => {
  const SIGNS = `// x // y rounds as C does, so that only negative numbers tell it from a shift.
tt.func public @signs(%a: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %two = arith.constant dense<2> : tensor<64xi32>
  %as = tt.splat %a : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %ap = tt.addptr %as, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %x = tt.load %ap : tensor<64x!tt.ptr<i32>>
  %d = arith.divsi %x, %two : tensor<64xi32>
  %qs = tt.splat %q : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %qp = tt.addptr %qs, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %qp, %d : tensor<64x!tt.ptr<i32>>
  tt.return
}
`;
  const withFile = async (json: string, ...argv: readonly string[]) => {
    const io = memoryIo("", { "d/k.ttir": SIGNS, "d/args.json": json });
    const code = await main(argv, io);
    return { code, out: io.out(), err: io.err() };
  };
  test("arrays hold it in --validate, by the source's names", async () => {
    const found = (low: number, high: number) => {
      const preconditions = { arrays: { a: { kind: "range" as const, low, high } } };
      const validator = new Validator({ preconditions, names: ["a", "q", "n"], seeds: [0] });
      validator.begin(parseModule(new Context(ALL_DIALECTS), "k", SIGNS)!.module);
      validator.check("unsigned", parseModule(new Context(ALL_DIALECTS), "k", SIGNS.replace("divsi", "divui"))!.module);
      return validator.outcome.broken.length;
    };
    expect(found(0, 9)).toBe(0);
    expect(found(-9, 0)).toBe(1);
    expect((await withFile(`{"arrays": {"a": {"kind": "range", "low": -9, "high": 0}}}`, "d/k.ttir", "--validate")).out).toMatch(
      /^preconditions of d\/args.json: a range low=-9 high=0\nvalidate: same results/,
    );
  });
  test("elements whose order is open, where other threads store over some of them", async () => {
    const text = `tt.func public @k(%x: !tt.ptr<i32>) {
  %m = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %c255 = arith.constant dense<255> : tensor<256xi32>
  %c = tt.cat %m, %m : tensor<128xi32> -> tensor<256xi32>
  %s = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %p = tt.addptr %s, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %p, %c : tensor<256x!tt.ptr<i32>>
  %r = arith.subi %c255, %i : tensor<256xi32>
  %q = tt.addptr %s, %r : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %q, %i : tensor<256x!tt.ptr<i32>>
  tt.return
}
`;
    const io = memoryIo("", { "k.ttir": text });
    expect(await main(["k.ttir", "--target", "cuda:80", "--validate"], io)).toBe(0);
    expect(io.out()).toMatch(/^validate: note: the kernel itself: global-race: .*\nvalidate: same results/);
  });
  const DESCRIPTORS = `tt.func public @k(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %lds: !tt.ptr<i32>, %out: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %p = tt.load %lds : !tt.ptr<i32>
  %lda = arith.extsi %p : i32 to i64
  %a = tt.make_tensor_descriptor %x, [%n, %c32], [%lda, %one] : <f16>, <tensor<16x16xf16>>
  %next = tt.addptr %lds, %c1 : !tt.ptr<i32>, i32
  %q = tt.load %next : !tt.ptr<i32>
  %ldb = arith.extsi %q : i32 to i64
  %b = tt.make_tensor_descriptor %out, [%n, %c32], [%ldb, %one] : <f16>, <tensor<16x16xf16>>
  %v = tt.descriptor_load %a[%c0, %c0] : !tt.tensordesc<tensor<16x16xf16>> -> tensor<16x16xf16>
  tt.descriptor_store %b[%c0, %c16], %v : !tt.tensordesc<tensor<16x16xf16>>, tensor<16x16xf16>
  tt.return
}
`;
  const withStrides = async (target: string, json: string) => {
    const io = memoryIo("", { "d/k.ttir": DESCRIPTORS, "d/args.json": json });
    const code = await main(["d/k.ttir", "--target", target, "--validate"], io);
    return { code, out: io.out() };
  };
  test("strides of descriptors that are loaded are made up as TMA takes them; others are a fault of the kernel, and of no pass", async () => {
    const made = await withStrides("cuda:90", "{}");
    expect(made.code).toBe(0);
    expect(made.out).toMatch(/^preconditions.*\nvalidate: same results[\s\S]*PTX: 1 of 1 programs/);
    expect(made.out).not.toContain("note");
    const odd = `{"arrays": {"lds": {"kind": "range", "low": 33, "high": 34}}}`;
    const stated = await withStrides("cuda:90", odd);
    expect(stated.code).toBe(0);
    expect(stated.out).toContain(
      "note: the kernel itself: bad-descriptor: the descriptor: its stride of 33 elements is no multiple of 16 bytes (tt.descriptor_",
    );
    expect(stated.out).not.toContain("changed the results");
    // Without TMA a descriptor is a pointer and its strides.
    expect((await withStrides("cuda:80", odd)).out).toMatch(/^preconditions.*\nvalidate: same results[\s\S]*PTX: 1 of 1 programs/);
  });
  test.each([80, 90])("a stride beyond what an address can hold is a fault of the kernel, and of no pass: sm_%i", async (capability) => {
    const kernel = `
import triton
import triton.language as tl

@triton.jit
def f(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    d = tl.make_tensor_descriptor(x, [B, B], [9223372036854775807, 1], [B, B])
    tl.store(out + i[:, None] * B + i[None, :], d.load([0, 0]))
`;
    const io = memoryIo("", { "k.py": kernel });
    const argv = ["k.py", "--signature", "*i32:16, *i32:16, 32", "--target", `cuda:${capability}`, "--validate"];
    expect(await main(argv, io)).toBe(0);
    expect(io.out()).toContain("validate: note: the kernel itself: out-of-bounds");
    expect(io.out()).toContain("where the kernel's own errors leave them open");
  });
  test("triton-combine takes the order of a masked histogram's elements, and is named; where threads keep it all the same, nothing is", async () => {
    const kernel = (mask: string) => `
import triton
import triton.language as tl

@triton.jit
def f(x, m, out, B: tl.constexpr):
    i = tl.arange(0, B)
    at = i[:, None] * (2 * B) + tl.arange(0, 2 * B)[None, :]
    v = tl.ravel(tl.load(x + at) & 15)
    k = ${mask}
    tl.store(out + tl.arange(0, 16), tl.histogram(v, 16, mask=k))
`;
    const validated = async (mask: string) => {
      const io = memoryIo("", { "k.py": kernel(mask) });
      const argv = ["k.py", "--signature", "*i32:16, *i8:16, *i32:16, 32", "--target", "cuda:80", "--validate"];
      return { code: await main(argv, io), out: io.out() };
    };
    const { code, out } = await validated("tl.load(m + tl.arange(0, 2 * B * B)) > 0");
    expect(code).toBe(1);
    expect(out.split("\n").filter((line) => line.includes("changed the results"))).toEqual([
      expect.stringMatching(/^validate: pass 'triton-combine' changed .* it lets elements be reordered whose order matters/),
    ]);
    expect((await validated("tl.ravel(tl.load(m + at) > 0)")).code).toBe(0);
  });
  test("loaded numbers keep what the kernel promises of the sums that they are in: a promise that is broken would be its own fault", async () => {
    const kernel = `tt.func public @k(%lds: !tt.ptr<i32>, %x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %ld = tt.load %lds : !tt.ptr<i32>
  %m = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %n = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %lds1 = tt.splat %ld : i32 -> tensor<16x1xi32>
  %rows = arith.muli %m1, %lds1 : tensor<16x1xi32>
  %rows2 = tt.broadcast %rows : tensor<16x1xi32> -> tensor<16x64xi32>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %n1 : tensor<1x64xi32> -> tensor<16x64xi32>
  %at = arith.addi %rows2, %columns : tensor<16x64xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
  %outs = tt.splat %out : !tt.ptr<f16> -> tensor<16x64x!tt.ptr<f16>>
  %from = tt.addptr %xs, %at {tt.divisibility = dense<16> : tensor<2xi32>} : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
  %to = tt.addptr %outs, %at {tt.divisibility = dense<16> : tensor<2xi32>} : tensor<16x64x!tt.ptr<f16>>, tensor<16x64xi32>
  %v = tt.load %from : tensor<16x64x!tt.ptr<f16>>
  tt.store %to, %v : tensor<16x64x!tt.ptr<f16>>
  tt.return
}
`;
    const io = memoryIo("", { "k.ttir": kernel });
    expect(await main(["k.ttir", "--target", "cuda:80", "--validate"], io)).toBe(0);
    expect(io.out()).toMatch(/^validate: same results/);
  });
  test.each([
    ["{}", ["d/k.ttir", "--validate", "--arg", "zzz=1"], "--arg: there is no argument 'zzz' (the kernel's arguments are a, q, n)"],
    [
      `{"arrays": {"b": {"kind": "zeros"}}}`,
      ["d/k.ttir", "--validate"],
      "'d/args.json': there is no argument 'b' (the kernel's arguments are a, q, n)",
    ],
    [`{"scalars": {"m": 1}}`, ["run", "d/k.ttir"], "'d/args.json': there is no argument 'm' (the kernel's arguments are a, q, n)"],
    [`{"scalars": {"a": 1}}`, ["bisect", "d/k.ttir", "results"], "'d/args.json': argument 'a' is a pointer, not a number"],
    ["{}", ["d/k.ttir", "--validate", "--arg", "n=1001"], "--arg: argument 'n' is compiled as a multiple of 16, and 1001 is none"],
    ["{}", ["run", "d/k.ttir", "--arg", "n=4294967296"], "--arg: argument 'n' is an i32, which cannot hold 4294967296"],
    ["{}", ["d/k.ttir", "--validate", "--grid", "0,0,0"], "--grid expects X,Y,Z with at least one program along each axis, not '0,0,0'"],
    ["{}", ["run", "d/k.ttir", "--grid", "0"], "--grid expects X,Y,Z with at least one program along each axis, not '0'"],
    ["{}", ["run", "d/k.ttir", "--program", "5,5,5"], "program (5, 5, 5) lies outside the grid of 1x1x1"],
    ["{}", ["run", "d/k.ttir", "--kernel", "nope"], "there is no function 'nope'"],
  ])("%s: %j: exit 2", async (json, argv, message) => {
    const { code, err } = await withFile(json, ...argv);
    expect(err).toContain(message);
    expect(code).toBe(2);
  });
  describe("quotients by zero", () => {
    const kernel = (mask: string) => `tt.func public @k(%o: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p = tt.get_program_id x : i32
  %d = arith.subi %p, %n : i32
  %zero = arith.constant 0 : i32
  %far = arith.constant 1000 : i32
  %ok = arith.cmpi ne, %d, ${mask} : i32
  %m = tt.splat %ok : i1 -> tensor<64xi1>
  %ds = tt.splat %d : i32 -> tensor<64xi32>
  %q = arith.divsi %r, %ds : tensor<64xi32>
  %os = tt.splat %o : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %ps = tt.splat %p : i32 -> tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %b = arith.muli %ps, %c64 : tensor<64xi32>
  %i = arith.addi %b, %r : tensor<64xi32>
  %op = tt.addptr %os, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %op, %q, %m : tensor<64x!tt.ptr<i32>>
  tt.return
}
`;
    const validated = async (mask: string, n: number, ...options: readonly string[]) => {
      const io = memoryIo("", { "k.ttir": kernel(mask) });
      const code = await main(["k.ttir", "--validate", "--strict", "--grid", "10", "--arg", `n=${n}`, ...options], io);
      return { code, out: io.out() };
    };
    test.each([
      ["in a program that is always run", 0],
      ["in one that only lowered code runs", 3],
    ])("%s: a fault of the kernel, and of no pass", async (_, n) => {
      const { code, out } = await validated("%far", n);
      expect(out).toContain(
        "validate: note: the kernel itself: division-by-zero: arith.divsi divides by zero, and what is stored depends on the quotient (",
      );
      expect(out).not.toContain("changed the results");
      expect(code).toBe(1);
    });
    test("that nobody stores are none", async () => {
      const { code, out } = await validated("%zero", 0);
      expect(out).toMatch(/^validate: same results/);
      expect(out).toMatch(/validate: PTX: 10 of 10 programs/);
      expect(code).toBe(0);
    });
  });
  test("tt-opt --validate reads it too", async () => {
    const io = memoryIo("", { "d/k.ttir": SIGNS, "d/args.json": `{"arrays": {"b": {"kind": "zeros"}}}` });
    expect(await ttOpt(["--validate", "--cse", "d/k.ttir"], io)).toBe(2);
    expect(io.err()).toContain("there is no argument 'b'");
  });
});

describe("--validate of a folder: what is not executed is not validated", () => {
  const files = async (rest: Readonly<Record<string, string>>, ...options: readonly string[]) => {
    const all: Readonly<Record<string, string>> = { "k.ttir": readFileSync(VECADD, "latin1"), ...rest };
    const io = memoryIo("", Object.fromEntries(Object.entries(all).map(([name, text]) => [`cache/${name}`, text])));
    const code = await main(["cache", "--validate", ...options], {
      ...io,
      readFolder: (path) => (path === "cache" ? Object.keys(all) : undefined),
    });
    return { code, out: io.out(), err: io.err() };
  };
  const ptx = async () => (await run([VECADD, "--emit", "ptx"])).out;

  test("PTX that runs is counted", async () => {
    expect(await files({ "k.ptx": await ptx() }, "--strict")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^validate: same results after each of 1/),
    });
  });
  test("PTX that does not parse fails", async () => {
    const text = (await ptx()).replace("add.f32", "add.f32,,(");
    expect(await files({ "k.ptx": text })).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^validate: 'ptx' cannot be read: <ptx>:\d+:\d+: expected an operand\n/),
    });
  });
  test("args.json of the folder is heeded, and is not the kernel's metadata", async () => {
    const stated = (name: string) => ({ "args.json": `{"scalars": {"${name}": 80}}`, "k.ptx": "" });
    expect((await files(stated("n"))).out).toMatch(/^preconditions of cache\/args.json: n = 80\n/);
    expect(await files(stated("m"))).toMatchObject({ code: 2, err: expect.stringContaining("there is no argument 'm'") });
  });
  test("a file without text is a step that holds no kernel", async () => {
    for (const [name, reason] of [
      ["ptx", "<ptx>:1:1: the text has no .entry with a body"],
      ["ttgir", "no function is marked nvvm.kernel"],
    ]) {
      const out = expect.stringContaining(`validate: note: '${name}' was not executed: ${reason}\n`);
      expect(await files({ [`k.${name}`]: "" }, "--strict")).toMatchObject({ code: 2, out });
    }
  });
  test("a fault of the PTX alone is not blamed on the TTGIR before it, whose own lowering is right", async () => {
    const ttgir = (await run([VECADD, "--emit", "ttgir"])).out;
    const { code, out } = await files({
      "k.ttgir": ttgir,
      "k.llir": "; not executed\n",
      "k.ptx": (await ptx()).replace("add.f32", "sub.f32"),
    });
    expect(out).toMatch(/^validate: one of the passes 'llir', 'ptx' changed the results: byte 0 of /);
    expect(code).toBe(1);
  });
  test("PTX with an instruction that is not modelled gets a note, and 2 under --strict", async () => {
    const text = (await ptx()).replace("add.f32", "frob.f32");
    const out = expect.stringMatching(
      /^validate: note: 'ptx' was not executed: frob.f32 is not modelled: unknown instruction \(line \d+: frob.f32 [^\n]*\)\nvalidate: the source/,
    );
    expect(await files({ "k.ptx": text })).toMatchObject({ code: 0, out });
    expect(await files({ "k.ptx": text }, "--strict")).toMatchObject({ code: 2, out });
  });
  test("so do steps in TTGIR or the LLVM dialect", async () => {
    const body = (op: string) => `module attributes {"ttg.shared" = 0 : i32} {
  llvm.func @vecadd(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %z: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel = 1 : ui1, nvvm.reqntid = array<i32: 32>} {
    ${op}
    llvm.return
  }
}
`;
    expect(await files({ "k.ttgir": body("nvvm.breakpoint") }, "--strict")).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^validate: note: 'ttgir' was not executed: nvvm.breakpoint.not_executable is not modelled/),
    });
    expect(await files({ "k.ttgir": body("llvm.nothing !") })).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^validate: 'ttgir' cannot be read: <after ttgir>:3:\d+: error: /),
    });
  });
  test("descriptors among the arguments, which targets without TMA replace by a pointer and numbers", async () => {
    const text = `import triton
import triton.language as tl
@triton.jit
def k(a, b, n):
    b.store([0, 0], a.load([n, 0]))
    b.atomic_add([8, 0], a.load([0, n]))
`;
    const io = memoryIo("", { "k.py": text });
    const signature = "tensordesc<fp32[16,16]>,tensordesc<fp32[16,16]>,i32";
    const code = await main(["k.py", "--signature", signature, "--triton-lib", "none", "--target", "cuda:80", "--validate"], io);
    expect(io.out()).toMatch(/^validate: same results after each of 1\d passes/);
    expect(code).toBe(0);
  });
  test("different kernels cannot be compared", async () => {
    const other = "tt.func public @other(%p: !tt.ptr<i32>) {\n  tt.return\n}\n";
    expect(await files({ "k.ttgir": other })).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /different kernels cannot be compared: '\w+' with 4 arguments in the source, 'other' with 1 arguments after 'ttgir'\n$/,
      ),
    });
  });
});

describe("a fault that shows in lowered code alone is blamed on the pass that made it", () => {
  /** The verdict on a kernel if the named pass also applies `fault` to its result. */
  const verdict = (text: string, flag: string, fault: (op: Operation) => boolean): string => {
    const sound = PASSES.get(flag)!;
    const { run } = sound;
    const planting = vi.spyOn(sound, "run").mockImplementation((root, pass) => {
      run(root, pass);
      let planted = false;
      root.walk((op) => {
        planted = fault(op) || planted;
      });
      expect(planted).toBe(true);
    });
    const { module } = parseModule(new Context(ALL_DIALECTS), "k.ttir", text)!;
    const { trace } = compile("k.ttir", module, {
      target: "cuda:80",
      options: defaultOptions(80),
      artifacts: ["ptx"],
      translate: artifactsOf,
      clock: () => 0,
    });
    planting.mockRestore();
    const simulation = { ...NO_SIMULATION, programs: [[0, 0, 0] as const], seeds: [0] };
    const shown = validateTrace(trace, "k.ttir", undefined, simulation, memoryIo());
    return "error" in shown ? shown.error : shown.text;
  };
  test("buffers that overlap: the allocation", () => {
    const matmul = gunzipSync(readFileSync("fixtures/simulate/kernels/matmul_f16_16x16x16_w1-sm80.ttir.gz")).toString("latin1");
    const overlaps = (op: Operation) =>
      (intOf(op.attr("allocation.offset")) ?? 0) > 0 && (op.setAttr("allocation.offset", i32Attr(op.ctx, 0)), true);
    expect(verdict(matmul, "allocate-shared-memory-nv", overlaps)).toMatch(
      /^validate: pass 'allocate-shared-memory-nv' changed the results: /,
    );
  });
  test("a compare that is another: the lowering", () => {
    const compares = (op: Operation) =>
      op.name === "llvm.icmp" && intOf(op.attr("predicate")) === 2 && (op.setAttr("predicate", i64Attr(op.ctx, 4)), true);
    expect(verdict(readFileSync(VECADD, "latin1"), "convert-triton-gpu-to-llvm", compares)).toMatch(
      /^validate: pass 'convert-triton-gpu-to-llvm' changed the results: /,
    );
  });
});

describe("bisect", () => {
  test("names the pass after which a predicate changes", async () => {
    expect((await run(["bisect", VECADD, "has(ttg.convert_layout)"])).out).toMatch(
      /^ *\d+ tritongpu-coalesce: has\(ttg.convert_layout\) is true after it, false before\n$/,
    );
    expect(await run(["bisect", VECADD, "results"])).toMatchObject({ code: 1, out: "no pass changes results: it is true throughout\n" });
  });
  test("predicates join terms", async () => {
    const value = (text: string) => {
      const parsed = parsePredicate(text);
      if ("error" in parsed) return parsed.error;
      const source = readFileSync(VECADD, "latin1");
      return parsed.term({ text: source, module: parseModule(new Context(ALL_DIALECTS), VECADD, source)!.module, results: () => true });
    };
    expect(value("count(tt.store) == 1 && !(ops < 3) || has(func.call)")).toBe(true);
    expect(value('text("tt.load") && text(/tt\\.(store|nothing)/)')).toBe(true);
    expect(value("count(tt.load) > 1 && results")).toBe(true);
    expect(value("count(tt.load")).toBe("the predicate expects (...) after count at 'its end'");
    expect(value("count(convert_layout) == 0")).toBe(true);
    expect(value("count(convert_layuot) == 0")).toBe("no dialect has an op 'convert_layuot'; did you mean 'convert_layout'?");
    expect(value("has(load)")).toBe("'load' may be each of tt.load, llvm.load");
    expect(value("ops < 3 ops")).toBe("the predicate expects an end at 'ops'");
  });
});

describe("run", () => {
  test("executes TTIR with arguments made up, and says what it did", async () => {
    const { code, out } = await run(["run", VECADD, "--program", "0,0,0"]);
    expect(out).toMatch(
      /^1 program of a grid of 3x1x1 with \w+=\d+\n\d+ steps; (\d+) of \1 ops executed\nmade up: a_ptr f32\[1024\], b_ptr f32\[1024\], c_ptr f32\[1024\], n = 1536\n\w+\[0\.\.\d+\] = /,
    );
    expect(code).toBe(0);
  });
  test("an endless loop ends with --max-steps", async () => {
    const io = memoryIo("", {
      "endless.ttir":
        "tt.func public @k(%p: !tt.ptr<i32>) {\n  %t = arith.constant true\n  scf.while : () -> () { scf.condition(%t) } do { scf.yield }\n  tt.return\n}\n",
    });
    expect(await main(["run", "endless.ttir", "--max-steps", "500"], io)).toBe(1);
    expect(io.err()).toMatch(
      /^endless.ttir:\d+:\d+: error: limit: stopped after 500 steps: an endless loop, or more work than --max-steps allows\n/,
    );
  });
});

describe("--validate of a kernel with", () => {
  const validated = (text: string, ...options: readonly string[]) => {
    const io = memoryIo("", { "k.ttir": text });
    return main(["k.ttir", "--validate", ...options], io).then((code) => ({ code, out: io.out(), err: io.err() }));
  };
  test("an i1 argument: it is true or false in every stage", async () => {
    const text = `tt.func public @k(%p: !tt.ptr<i32>, %n: i32, %b: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = scf.while (%j = %zero) : (i32) -> i32 {
    %less = arith.cmpi slt, %j, %n : i32
    %goes = arith.andi %less, %b : i1
    scf.condition(%goes) %j : i32
  } do {
  ^bb0(%j: i32):
    %next = arith.addi %j, %one : i32
    scf.yield %next : i32
  }
  tt.store %p, %i : !tt.ptr<i32>
  tt.return
}
`;
    expect(await validated(text)).toMatchObject({ code: 0, out: expect.stringContaining("same results") });
  });
  test("a loop without end: the source says nothing of what a pass that removes it stores", async () => {
    const text = `tt.func public @k(%p: !tt.ptr<i32>, %n: i32) {
  %true = arith.constant true
  scf.while : () -> () { scf.condition(%true) } do { scf.yield }
  tt.store %p, %n : !tt.ptr<i32>
  tt.return
}
`;
    const { code, out } = await validated(text, "--max-steps", "500");
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining("note: the kernel itself: limit: stopped after 500 steps"),
    });
  });
  test("assembly that does not exist: lowered code is not executed, and a note says why", async () => {
    const text = `tt.func public @k(%p: !tt.ptr<i64>) {
  %t = tt.elementwise_inline_asm "cvt.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
  tt.store %p, %t : !tt.ptr<i64>
  tt.return
}
`;
    expect(await validated(text)).toMatchObject({ code: 0, out: expect.stringContaining("cvt without a source type") });
  });
});

test("an index that a while loop carries", async () => {
  const text = `tt.func public @k(%p: !tt.ptr<i32>, %n: i32, %s: i32) {
  %one = arith.constant 1 : i32
  %i = scf.while (%j = %one) : (i32) -> i32 {
    %more = arith.cmpi slt, %j, %n : i32
    scf.condition(%more) %j : i32
  } do {
  ^bb0(%j: i32):
    %at = arith.muli %j, %s : i32
    %a = tt.addptr %p, %at : !tt.ptr<i32>, i32
    tt.store %a, %j : !tt.ptr<i32>
    %next = arith.addi %j, %one : i32
    scf.yield %next : i32
  }
  tt.return
}
`;
  const io = memoryIo("", { "k.ttir": text });
  expect(await main(["k.ttir", "--validate"], io)).toBe(0);
  expect(io.out()).toContain("same results after each of");
});

// Real Triton ends at such a dot (MMAv2.cpp: "fp64 don't support largeK MMA"): threads hold neighbours along k, as for the narrower type.
test.each([
  ["fp16", "cuda:80"],
  ["fp8e5", "cuda:80"],
  ["fp16", "cuda:90"],
])("a product of f64 whose operands were %s, on %s", async (type, target) => {
  const text = `import triton, triton.language as tl
# tt-step: signature=*${type}:16, *${type}:16, *fp64:16, 16, 32, 32
@triton.jit
def product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    x = tl.load(a + m * K + k[None, :]).to(tl.float16).to(tl.float64)
    y = tl.load(b + k[:, None] * N + n).to(tl.float16).to(tl.float64)
    tl.store(c + m * N + n, tl.dot(x, y, out_dtype=tl.float64))
`;
  const io = memoryIo("", { "k.py": text });
  expect(await main(["k.py", "--target", target, "--validate"], io)).toBe(0);
  expect(io.out()).toContain("same results after each of");
  expect(io.err()).toContain("'tt.dot': real Triton ends here, in convert-triton-gpu-to-llvm");
});
