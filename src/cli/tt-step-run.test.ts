import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readNpy, writeNpy } from "./npy.js";
import { main } from "./tt-step.js";

const kernel = (name: string) => gunzipSync(readFileSync(`fixtures/simulate/kernels/${name}.ptx.gz`)).toString("latin1");

/** Runs the command over files in memory. */
async function run(files: Readonly<Record<string, string>>, ...argv: readonly string[]) {
  const written = new Map<string, string>();
  let stdout = "";
  let stderr = "";
  const code = await main(["run", ...argv], {
    stdout: { write: (text) => void (stdout += text), writeBytes: (text) => void (stdout += text) },
    stderr: { write: (text) => void (stderr += text) },
    readFile: (path) => {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error("ENOENT: no such file or directory, open"), { code: "ENOENT" });
      return text;
    },
    readFolder: () => undefined,
    writeFile: (path, text) => void written.set(path, text),
    clock: () => 0,
    env: {},
  });
  return { code, stdout, stderr, written };
}

const floats = (values: readonly number[]) =>
  writeNpy({ descr: "<f4", shape: [values.length], data: new Uint8Array(Float32Array.from(values).buffer) });
const a = Array.from({ length: 64 }, (_, i) => i / 4);
const launch = (n: number, extra: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify({
    grid: [1, 1, 1],
    args: {
      a: { file: "a.npy" },
      b: { dtype: "fp32", shape: [64], init: "arange" },
      c: { dtype: "fp32", shape: [64], init: "zeros" },
      n,
      ...extra,
    },
  });

test("launch.json in, .npy out: PTX and the Triton IR it was made from", async () => {
  const ttir = `module {
  tt.func public @vecadd(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %n: i32) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %n_s = tt.splat %n : i32 -> tensor<64xi32>
    %m = arith.cmpi slt, %r, %n_s : tensor<64xi32>
    %a_s = tt.splat %a : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %a_p = tt.addptr %a_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x = tt.load %a_p, %m : tensor<64x!tt.ptr<f32>>
    %b_s = tt.splat %b : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %b_p = tt.addptr %b_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %y = tt.load %b_p, %m : tensor<64x!tt.ptr<f32>>
    %s = arith.addf %x, %y : tensor<64xf32>
    %c_s = tt.splat %c : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %c_p = tt.addptr %c_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %c_p, %s, %m : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
`;
  const files = { "d/a.npy": floats(a), "d/launch.json": launch(48), "k.ptx": kernel("vecadd_f32-sm80"), "t.ttir": ttir };
  for (const input of ["k.ptx", "t.ttir"]) {
    const { code, stderr, written } = await run(files, input, "--launch", "d/launch.json", "--out", "out");
    expect([code, stderr]).toEqual([0, ""]);
    expect([...written.keys()]).toEqual(["out/a.npy", "out/b.npy", "out/c.npy"]);
    const c = readNpy(written.get("out/c.npy")!);
    if ("error" in c) throw new Error(c.error);
    expect([...new Float32Array(Uint8Array.from(c.data).buffer)]).toEqual(a.map((x, i) => (i < 48 ? x + i : 0)));
  }
});

test("tensor descriptors of the host: a tensor map for PTX, a descriptor for Triton IR", async () => {
  const stage = (name: string) => gunzipSync(readFileSync(`fixtures/simulate/asynchronous/hostdesc-sm90.${name}.gz`)).toString("latin1");
  const array = (seed: number, swizzle: number) => ({ dtype: "fp16", shape: [64, 64], seed, box: [64, 64], swizzle });
  const args = (swizzle: number) =>
    Object.fromEntries(["a", "b", "c"].flatMap((name, i) => [[name, array(i, swizzle)], ...[64, 64, 64, 1].map((n, k) => [name + k, n])]));
  const files = (swizzle: number) => ({
    "k.ptx": stage("ptx"),
    "t.ttir": stage("ttir"),
    l: JSON.stringify({ grid: [1, 1, 1], args: { ...args(swizzle), K: 64 } }),
  });
  const halves = async (input: string, swizzle: number) => {
    const { code, stderr, written } = await run(files(swizzle), input, "--launch", "l", "--out", "o");
    expect([code, stderr]).toEqual([0, ""]);
    const c = readNpy(written.get("o/c.npy")!);
    if ("error" in c) throw new Error(c.error);
    return new Uint16Array(Uint8Array.from(c.data).buffer).map((bits) => bits >> 4);
  };
  const wanted = await halves("t.ttir", 128);
  expect(new Set(wanted).size).toBeGreaterThan(100);
  const got = await halves("k.ptx", 128);
  expect(wanted.findIndex((w, i) => Math.abs(w - got[i]!) > 1)).toBe(-1);
  expect(await run({ ...files(48) }, "k.ptx", "--launch", "l")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("'swizzle' is 0, 32, 64 or 128"),
  });
});

test("an access beyond an array is told with its instruction and source line, and the exit code is 1", async () => {
  const { code, stderr } = await run({ "a.npy": floats(a), l: launch(80), k: kernel("vecadd_f32-sm80") }, "k", "--launch", "l");
  expect(code).toBe(1);
  expect(stderr.split("\n").slice(0, 2)).toEqual([
    "k: error: out-of-bounds: thread 16: address 0x1800000100: byte 256 of 'a' (element 64), which has 256 bytes",
    "  at line 58: @%p1 ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ]; (vecadd_f32.py:11:16), program (0, 0, 0), 4 times",
  ]);
});

test("made-up arguments, and what was stored", async () => {
  const { code, stdout } = await run(
    { k: kernel("softmax_row-sm80") },
    "k",
    "--signature",
    "*fp32,*fp32,i32,i32",
    "--arg",
    "3=4",
    "--program",
    "1",
    "--facts",
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/162 of 170 instructions executed/);
  expect(stdout).toMatch(/softmax_param_1\[128\.\.131\] = 0\.\d+, 0\.\d+, 0\.\d+, 0\.\d+\n/);
  expect(stdout).toMatch(/1\.00 +1\.00 +line \d+: @%p1 ld\.global\.b32/);
});

test("Triton IR is executed for the target that is asked for: e5m2 is clamped where hardware converts, and wraps where Triton moves bits", async () => {
  const text = `tt.func public @k(%y: !tt.ptr<f8E5M2>) {
  %x = arith.constant dense<[1.0e+05, -1.0e+06, 1.125, 3.0]> : tensor<4xbf16>
  %c = tt.fp_to_fp %x, rounding = rtne : tensor<4xbf16> -> tensor<4xf8E5M2>
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %ys = tt.splat %y : !tt.ptr<f8E5M2> -> tensor<4x!tt.ptr<f8E5M2>>
  %yp = tt.addptr %ys, %r : tensor<4x!tt.ptr<f8E5M2>>, tensor<4xi32>
  tt.store %yp, %c : tensor<4x!tt.ptr<f8E5M2>>
  tt.return
}
`;
  const stored = async (target: string) => (await run({ "k.ttir": text }, "k.ttir", "--target", target)).stdout.split("\n").at(-2);
  expect(await stored("cuda:80")).toBe("y[0..3] = NaN, -0.000244140625, 1.25, 3");
  expect(await stored("cuda:90")).toBe("y[0..3] = 57344, -57344, 1, 3");
});

test("a number of launch.json must be one that the argument can hold", async () => {
  const ttir = `tt.func public @k(%p: !tt.ptr<f32>, %s: f32, %n: i32) {
    tt.store %p, %s : !tt.ptr<f32>
    tt.return
  }`;
  const launched = (s: number, n: number) =>
    run(
      { "t.ttir": ttir, l: JSON.stringify({ grid: [1], args: { 0: { dtype: "fp32", shape: [1] }, 1: s, 2: n } }) },
      "t.ttir",
      "--launch",
      "l",
    );
  expect(await launched(0.5, 2 ** 32 - 1)).toMatchObject({ code: 0, stdout: expect.stringContaining("=0.5 ") });
  expect(await launched(0.5, 2 ** 32)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is an i32, which cannot hold 4294967296"),
  });
});

test("a host descriptor is one argument, launched by its name", async () => {
  const ttir = gunzipSync(readFileSync("fixtures/simulate/asynchronous/hostdesc-sm90.ttir.gz")).toString("latin1");
  const array = (seed: number, extra = {}) => ({ dtype: "fp16", shape: [64, 64], seed, ...extra });
  const launched = (args: object) => run({ "t.ttir": ttir, l: JSON.stringify({ grid: [1, 1, 1], args }) }, "t.ttir", "--launch", "l");
  const plain = { a: array(0), b: array(1), c: array(2), K: 64 };
  expect(await launched(plain)).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining(" a.shape.0=64 a.shape.1=64 a.stride.0=64 "),
  });
  expect((await launched({ ...plain, a: array(0, { strides: [80, 1] }) })).stdout).toContain(" a.stride.0=80 ");
  expect(await launched({ ...plain, K: 65 })).toMatchObject({
    code: 2,
    stderr: "tt-step run: launch.json: argument 'K' is compiled as a multiple of 16, and 65 is none\n",
  });
  expect((await launched({ a: array(0), bb: array(1), c: array(2) })).stderr).toContain(
    "launch.json: there is no argument 'bb'; did you mean",
  );
});

test("launch.json: no argument is left out or taken for another, and .npy files are what their header and 'dtype' say", async () => {
  const k = readFileSync("fixtures/kernels/vecadd.ttir", "latin1");
  const header = (descr: string, shape: string): string => `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }\n`;
  const npy = (text: string, version = 1): string =>
    `\x93NUMPY${String.fromCharCode(version)}\0${String.fromCharCode(text.length)}\0${version > 1 ? "\0\0" : ""}${text}${"\0".repeat(64)}`;
  const array = { dtype: "fp32", shape: [16] };
  const launched = (args: object, file = npy(header("<f4", "16,"))) =>
    run({ "k.ttir": k, l: JSON.stringify({ grid: [1], args }), "/x.npy": file }, "k.ttir", "--launch", "l");
  const rest = { b_ptr: array, c_ptr: array, n: 16 };
  expect(await launched({ a_ptr: array, ...rest })).toMatchObject({ stderr: "", code: 0 });
  expect((await launched({ 0: array, 1: array, 2: array, 3: 16 })).code).toBe(0);
  for (const args of [
    { a_ptr: array, ...rest, more: 1 },
    { ...rest, a: array },
    { a_ptr: array, b_ptr: array, c_ptr: array, N: 16 },
  ])
    expect(await launched(args)).toMatchObject({ code: 2, stderr: expect.stringContaining("launch.json: there is no argument '") });
  const from = (more: object, file?: string) => launched({ a_ptr: { file: "/x.npy", ...more }, ...rest }, file);
  expect((await from({})).code).toBe(0);
  expect((await from({}, npy(header("<f4", "4, 4"), 3))).code).toBe(0);
  for (const [more, file, message] of [
    [{ dtype: "fp23" }, undefined, "'dtype' is a type such as fp16, bf16, fp32 or i32, not \"fp23\""],
    [{ dtype: 3 }, undefined, "or i32, not 3"],
    [{ dtype: "fp16" }, undefined, "'/x.npy' has elements of 4 bytes ('<f4'), not fp16"],
    [{}, npy(header("<f4", "2 3,")), "its header is not one of a plain array"],
    [{}, npy(header("<f4", "16,"), 9), "its version is 9, not 1 to 3"],
  ] as const)
    expect(await from(more, file)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test("PTX: a 64-bit parameter is a pointer where --signature says so, and names are checked", async () => {
  const k = kernel("softmax_row-sm80").replaceAll(".u64 .ptr .global .align 1", ".u64");
  const types = ["--signature", "*i32,*i32,i32,i32:16"];
  const { code, stdout } = await run({ k }, "k", ...types, "--arg", "3=16", "--program", "1");
  expect(code).toBe(0);
  expect(stdout).toContain("made up: grid 2x2x1, softmax_param_0 i32[144], softmax_param_1 i32[144], softmax_param_2 = 128\n");
  for (const [types, message] of [
    ["*i32,*i32,i32,foo", "--signature: 'foo' is no type of a parameter"],
    ["*foo", "--signature: '*foo' is no pointer type"],
    ["i32,i32,i32,i32,i32,i32,i32", "--signature has 7 entries, and the kernel has 6 parameters"],
  ])
    expect(await run({ k }, "k", "--signature", types!)).toMatchObject({ code: 2, stderr: `tt-step run: ${message}\n` });
  for (const [argument, message] of [
    ["zzz=1", "--arg: there is no argument 'zzz'"],
    ["3=17", "--arg: argument 'softmax_param_3' is a multiple of 16 by --signature, and 17 is none"],
    ["0=17", "--arg: argument 'softmax_param_0' is a pointer, not a number"],
  ])
    expect(await run({ k }, "k", ...types, "--arg", argument!)).toMatchObject({ code: 2, stderr: expect.stringContaining(message!) });
  expect((await run({ k }, "k", "--program", "5,5,5")).stderr).toContain("lies outside the grid of 2x2x1");
});

describe("code of threads heeds what is stated of its arguments, as Triton IR does", () => {
  const LOWERED = `module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.shared = 0 : i32} {
  llvm.func @k(%x: !llvm.ptr<1>, %n: i32 {tt.divisibility = 16 : i32}, %s: !llvm.ptr<1>, %t: !llvm.ptr<1>) attributes {nvvm.kernel = 1 : ui1, nvvm.reqntid = array<i32: 32>} {
    %0 = llvm.load %x : !llvm.ptr<1> -> i32
    %1 = llvm.add %0, %n : i32
    llvm.store %1, %x : i32, !llvm.ptr<1>
    llvm.return
  }
}
`;
  const PTX = `.version 8.7
.target sm_80
.address_size 64
.visible .entry k(.param .u64 .ptr .global k_param_0, .param .u32 k_param_1, .param .u64 .ptr .global k_param_2, .param .u64 .ptr .global k_param_3)
.reqntid 32
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.b64 %rd1, [k_param_0];
  ld.param.b32 %r1, [k_param_1];
  ld.global.b32 %r2, [%rd1];
  add.s32 %r3, %r2, %r1;
  st.global.b32 [%rd1], %r3;
  ret;
}
`;
  const STATED = { arrays: { 0: { kind: "range", low: 7, high: 7 } }, scalars: { 1: 16 }, grid: [1, 2], programs: [[0, 1]] };
  const types = ["--signature", "*i32,i32"];
  test.each([
    ["PTX", PTX, types],
    ["the LLVM dialect", LOWERED, types],
  ])("args.json beside %s", async (_, k, options) => {
    const { code, stdout, stderr } = await run({ "d/k": k, "d/args.json": JSON.stringify(STATED) }, "d/k", ...options);
    expect(stderr).toBe("");
    expect(stdout).toMatch(
      /^preconditions of d\/args.json: 1 = 16, 0 range low=7 high=7, grid 1x2, programs \(0, 1, 0\)\n.*executed\nk_param_0\[0..0\] = 23\n$/,
    );
    expect(code).toBe(0);
    expect((await run({ "d/k": k, "d/args.json": JSON.stringify(STATED) }, "d/k", ...options, "--arg", "1=32")).stdout).toContain("= 39\n");
    for (const [stated, message] of [
      [{ arrays: { y: { kind: "zeros" } } }, "'d/args.json': there is no argument 'y'"],
      [{ scalars: { y: 3 } }, "'d/args.json': there is no argument 'y'"],
      [{ scalars: { 0: 3 } }, "'d/args.json': argument 'k_param_0' is a pointer, not a number"],
      [{ arrays: { 1: { kind: "zeros" } } }, "'d/args.json': argument 'k_param_1' is a number, not an array"],
      [{ programs: [[4]] }, "lies outside the grid of 2x2x1"],
    ] as const)
      expect(await run({ "d/k": k, "d/args.json": JSON.stringify(stated) }, "d/k", ...options)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(message),
      });
  });
  test("an array that is made up is as large as it was touched", async () => {
    expect((await run({ k: PTX }, "k", ...types)).stdout).toContain("made up: grid 2x2x1, k_param_0 i32[1], k_param_1 = 128\n");
  });
  test("numbers that are no multiples of what the kernel was compiled for", async () => {
    const launch = (n: number) => JSON.stringify({ grid: [1], args: { x: { dtype: "i32", shape: [1] }, n } });
    for (const [k, options, message] of [
      [LOWERED, [], "argument 'n' is compiled as a multiple of 16, and 1001 is none"],
      [PTX, ["--signature", "*i32,i32:16"], "argument 'n' is a multiple of 16 by --signature, and 1001 is none"],
      [PTX, ["--signature", "i32,i32:16"], "argument 'x' is an array, and 'i32' by --signature"],
    ] as const)
      expect(await run({ k, l: launch(1001) }, "k", "--launch", "l", ...options)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(message),
      });
    expect((await run({ k: LOWERED }, "k", "--arg", "1=1001")).stderr).toContain(
      "--arg: argument 'k_param_1' is compiled as a multiple of 16, and 1001 is none",
    );
  });
  test("LLVM dialect: arguments have the names of the source, too", async () => {
    const named = LOWERED.replace("i32 {", 'i32 loc("n"("k.py":1:1)) {').replace(
      '%n: i32 loc("n"("k.py":1:1)) {tt.divisibility = 16 : i32}',
      '%n: i32 {tt.divisibility = 16 : i32} loc("n"("k.py":1:1))',
    );
    expect((await run({ k: named }, "k", "--arg", "n=1001")).stderr).toContain("is compiled as a multiple of 16, and 1001 is none");
    expect((await run({ k: named }, "k", "--arg", "m=16")).stderr).toContain("there is no argument 'm'");
  });
});

test("a launch.json states all: args.json is not read", async () => {
  const ttir = `tt.func public @k(%p: !tt.ptr<i32>) {
    %i = tt.get_program_id x : i32
    %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
    tt.store %q, %i : !tt.ptr<i32>
    tt.return
  }`;
  const files = {
    "d/k.ttir": ttir,
    "d/args.json": JSON.stringify({ grid: [2], programs: [[1]] }),
    l: JSON.stringify({ grid: [3], args: { p: { dtype: "i32", shape: [3] } } }),
  };
  expect((await run(files, "d/k.ttir")).stdout).toContain("1 program of a grid of 2x1x1\n");
  expect((await run(files, "d/k.ttir", "--launch", "l")).stdout).toMatch(/^3 programs of a grid of 3x1x1\n/);
});

test("bad usage and bad input: exit 2 and a line", async () => {
  const k = kernel("vecadd_f32-sm80");
  expect(await run({ k }, "k", "--grid", "x")).toMatchObject({
    code: 2,
    stderr: "tt-step: --grid expects X,Y,Z with at least one program along each axis, not 'x'. Try: tt-step run --help\n",
  });
  expect((await run({ k, l: "{" }, "k", "--launch", "l")).code).toBe(2);
  expect((await run({ k, l: '{"grid": [1], "args": {"a": {"file": "none.npy"}}}' }, "k", "--launch", "l")).stderr).toContain(
    "argument 'a': cannot read 'none.npy'",
  );
  expect((await run({ k, l: '{"grid": [1], "args": {"../a": {"dtype": "fp32", "shape": [4]}}}' }, "k", "--launch", "l")).stderr).toContain(
    `argument "../a": a name has no '/' or`,
  );
  expect((await run({ k, l: '{"grid": [1], "args": {"a": 1}}' }, "k", "--launch", "l")).stderr).toContain("[ptx.launch]");
  expect((await run({ k: k.replace("add.f32 \t%r17", "add.f32 \t17;") }, "k")).stderr).toMatch(/k:\d+:\d+: error: .*\n.*\n\s+\^\n/);
});

test(".npy files: Fortran order, and what is refused", async () => {
  const columns = writeNpy({ descr: "<i2", shape: [2, 3], data: new Uint8Array(Int16Array.of(1, 4, 2, 5, 3, 6).buffer) }).replace(
    "'fortran_order': False",
    "'fortran_order': True ",
  );
  const read = readNpy(columns);
  expect("error" in read ? read.error : [...new Int16Array(Uint8Array.from(read.data).buffer)]).toEqual([1, 2, 3, 4, 5, 6]);
  expect(readNpy("not npy")).toEqual({ error: "it is no .npy file" });
  expect(readNpy(writeNpy({ descr: "<c8", shape: [1], data: new Uint8Array(8) }))).toEqual({ error: "its type '<c8' is not supported" });
});
