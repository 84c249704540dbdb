import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type MemoryIo, memoryIo } from "../testing/memory-io.js";
import { main as ttOpt } from "./tt-opt.js";
import { main } from "./tt-step.js";

const MATMUL = "fixtures/kernels/matmul.ttir";
const VECADD = "fixtures/kernels/vecadd.ttir";
const LOG = "fixtures/dumps/3.6.0-softmax.log";

async function run(
  argv: readonly string[],
  io: MemoryIo = memoryIo(),
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const code = await main(argv, io);
  return { code, out: io.out(), err: io.err() };
}
const withFiles = (files: Readonly<Record<string, string>>) => memoryIo("", files);

describe("what is shown", () => {
  test("a list of every pass of the pipeline", async () => {
    const { code, out } = await run([MATMUL]);
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines.filter((l) => !/^ +\d+\.\d+ /.test(l))).toHaveLength(66);
    expect(lines[1]).toMatch(/^ {4}1 {2}ttir {2}\* inline +\d+ ops {2}0\.0 ms$/);
    expect(lines[2]).toMatch(/^ {2}1\.1 {2}ttir {2}\* {3}canonicalize @triton\.language/);
    expect(out).toContain("canonicalize#3");
    expect(out).not.toContain("\x1b");
  });
  test("the list is the same without texts and with them", async () => {
    expect((await run([VECADD])).out).toBe((await run([VECADD, "--list", "--reproducer", "unused"])).out);
  });
  test("the IR after passes, by index, label, flag and run; 0 is the source", async () => {
    const { out } = await run([
      MATMUL,
      "--stop-after",
      "22",
      "--print-after",
      "0",
      "--print-after",
      "1.1",
      "--print-after",
      "canonicalize#2",
      "--print-after",
      "cse",
    ]);
    expect(out.match(/^\/\/ -----\/\/ .*$/gm)).toEqual([
      "// -----// IR Source ('builtin.module' operation) //----- //",
      expect.stringMatching(/^\/\/ -----\/\/ IR Dump After Canonicalizer \(canonicalize\) \('tt\.func' operation: @triton/),
      "// -----// IR Dump After Canonicalizer (canonicalize) ('builtin.module' operation) //----- //",
      "// -----// IR Dump After CSE (cse) ('builtin.module' operation) //----- //",
    ]);
    expect(out).not.toContain("loc(");
    expect((await run([MATMUL, "--stop-after", "0", "--print-after", "0", "--debug-info"])).out).toContain("loc(");
    expect(await run([VECADD, "--print-after", "99"])).toMatchObject({
      code: 2,
      err: "tt-step: there is no step 99: the last one is 65. Try: --list\n",
    });
  });
  test("all passes, changed passes, nested passes", async () => {
    const banners = async (...argv: readonly string[]) =>
      (await run([MATMUL, "--stop-after", "9", ...argv])).out.match(/^\/\/ -----\/\/ IR Dump After/gm)?.length ?? 0;
    expect(await banners("--print-after-all")).toBe(9);
    expect(await banners("--print-after-change")).toBe(2);
    expect(await banners("--print-after-all", "--nested")).toBe(9 + 4);
  });
  test("diffs, in both forms and in colour", async () => {
    const { out } = await run([MATMUL, "--stop-after", "9", "--diff", "inline..cse"]);
    expect(out).toMatch(/^--- 1 inline\n\+\+\+ 7 cse: 18 removed, 12 changed\n@@ /);
    expect((await run([MATMUL, "--stop-after", "9", "--diff", "2..3"])).out).toBe(
      "--- 2 triton-rewrite-tensor-pointer\n+++ 3 triton-rewrite-tensor-descriptor-to-pointer: 0 changes\n",
    );
    expect((await run([MATMUL, "--stop-after", "9", "--diff", "1..7", "--diff-mode", "side-by-side"])).out).toContain(" | ");
    expect((await run([MATMUL, "--stop-after", "9", "--diff", "1..7", "--color", "always"])).out).toContain("\x1b[31m-");
    expect(await run([MATMUL, "--diff", "1"])).toMatchObject({
      code: 2,
      err: "tt-step: --diff expects A..B, not '1'. Try: tt-step --help\n",
    });
  });
  test("JSON: lines once, steps by their numbers", async () => {
    const { out } = await run([VECADD, "--json", "--stop-after", "3"]);
    const trace = JSON.parse(out) as { lines: string[]; steps: { lines: number[]; ops: number[] }[] };
    expect(trace.steps.length).toBeGreaterThan(3);
    expect(trace.lines[trace.steps[0]!.lines[0]!]).toBe("module {");
    expect(trace.steps[0]!.ops).toHaveLength(trace.steps[0]!.lines.length);
  });
  test("--emit, and files", async () => {
    const io = memoryIo();
    expect(await run([VECADD, "--emit", "ttir", "-o", "out.ttir"], io)).toMatchObject({ code: 0, out: "" });
    expect(io.written.get("out.ttir")).toMatch(/^module \{\n {2}tt\.func public @/);
    expect(await run([VECADD, "--stop-after", "20", "--emit", "ptx"])).toMatchObject({
      code: 2,
      err: "tt-step: there is no PTX here: the module is not in the LLVM dialect after the last pass\n",
    });
  });
  test("--emit ptx of a log names the last step that it holds, and how its IR is compiled", async () => {
    const gemm = "fixtures/dumps/2.0.0-gemm.log";
    const { code, out, err } = await run([gemm, "--emit", "ptx"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(
      "tt-step: there is no PTX here: a dump log is not compiled further; the last step whose result it holds is 8, convert-triton-to-tritongpu (ttgir)\n" +
        `tt-step: its IR can be: tt-step ${gemm} --modernize --emit ttir -o k.ttir; tt-step k.ttir --emit ptx\n`,
    );
    expect((await run(["fixtures/dumps/2.0.0-vecadd.log", "--emit", "ptx"])).err).toContain("24, symbol-dce (llir)\n");
    // The two commands.
    const io = memoryIo();
    await run([gemm, "--modernize", "--emit", "ttir", "-o", "k.ttir"], io);
    const modern = memoryIo("", { "k.ttir": io.written.get("k.ttir")! });
    expect((await run(["k.ttir", "--emit", "ptx"], modern)).out).toContain(".visible .entry gemm_0d1d2d3d45d(");
  });
  test("layouts that are legal and that a pass cannot take: told at the op, and nothing of the half-lowered module", async () => {
    const file = "fixtures/tui/small-swizzled-block.mlir";
    for (const asked of [["--emit", "ptx"], ["--emit", "llvm-dialect", "--debug-info"], ["--codegen"]]) {
      const { code, out, err } = await run([file, ...asked]);
      expect(code).toBe(2);
      expect(out).toBe("");
      expect(err).toMatch(
        /^\S+:7:10: error: 'ttg\.local_alloc' cannot go through convert-triton-gpu-to-llvm with its layouts: Block shape .*\[pass\.layout\]\n/,
      );
      expect(err).toContain("tt-step: pass 'convert-triton-gpu-to-llvm' failed\n");
    }
    expect((await run([file, "--print-after-all"])).out).toContain("// IR Dump After ConvertTritonGPUToLLVM Failed (");
  });
  test("--codegen: each instruction with its op, why, and the way of a dot's operands", async () => {
    const { code, out } = await run([MATMUL, "--codegen"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /4x cp\.async\.cg\.shared\.global +16 bytes a thread zero-fill %\d+ = ttg\.async_copy_global_to_local, matmul\.py:23/,
    );
    expect(out).toMatch(/8x ldmatrix\.sync\.aligned\.m8n8\.x4\.trans\.shared\.b16 .* ttg\.local_load, matmul\.py:24/);
    expect(out).toMatch(/32x mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32 +%\d+ = tt\.dot, matmul\.py:26/);
    expect(out).toMatch(/4x st\.global\.v4\.b32 .*tt\.store, matmul\.py:32\n +tt\.store writes 128 bits at once in each thread/);
    const chain = out.slice(out.indexOf("operand b of"));
    expect(chain.match(/= (ttg?\.\w+)/g)).toEqual([
      "= tt.dot",
      "= ttg.async_copy_global_to_local",
      "= ttg.local_alloc",
      "= ttg.memdesc_index",
      "= ttg.local_load",
      "= tt.dot",
    ]);
    expect(await run([MATMUL, "--codegen", "--stop-after", "22"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("no final code"),
    });
  });
  test("the pipeline as text", async () => {
    expect((await run([VECADD, "--dump-pass-pipeline", "--target", "cuda:90"])).out).toMatch(
      /^builtin\.module\(inline\{.*\},triton-rewrite-tensor-pointer,canonicalize\{.*enable-line-info\)\n$/,
    );
  });
  test("parts of the pipeline", async () => {
    expect((await run([MATMUL, "--stop-after", "cse"])).out.trimEnd().split("\n").at(-1)).toMatch(/^ {4}7 .* cse /);
    expect((await run([MATMUL, "--disable-pass", "inline", "--stop-after", "9"])).out).not.toContain(" inline ");
    expect((await run([MATMUL, "--start-after", "inline", "--stop-after", "4"])).out.trimEnd().split("\n")).toHaveLength(4);
    expect(await run([MATMUL, "--stop-after", "nothing"])).toMatchObject({
      code: 2,
      err: "tt-step: there is no pass 'nothing' here. Try: --list\n",
    });
  });
});

test("whatever range is asked for, the passes that it needs are there", async () => {
  const kernel = "module {\n  tt.func public @k() {\n    tt.return\n  }\n}\n";
  const passes = ["inline", "tritongpu-coalesce", "convert-nv-gpu-to-llvm"];
  const given = (option: string, values: readonly string[]) => [[], ...values.map((value) => [option, value])];
  const failures: string[] = [];
  for (const start of given("--start-after", ["tritongpu-coalesce"]))
    for (const stop of given("--stop-after", passes))
      for (const print of given("--print-after", ["0", "tritongpu-coalesce"]))
        for (const emit of given("--emit", ["ttir", "ttgir", "llvm-dialect", "ptx"])) {
          const argv = ["k.ttir", ...start, ...stop, ...print, ...emit];
          const { code, err } = await run(argv, withFiles({ "k.ttir": kernel }));
          if (code === 3 || err.includes("internal")) failures.push(argv.join(" "));
        }
  expect(failures).toEqual([]);
  const both = ["--print-after", "0", "--stop-after", "inline"];
  expect((await run([VECADD, ...both])).out).toBe((await run([VECADD, "--print-after", "0"])).out);
});

describe("what is read", () => {
  test("a log: every banner is a step, and neighbours can be diffed", async () => {
    const { code, out, err } = await run([LOG]);
    expect(code).toBe(0);
    const steps = out.trimEnd().split("\n").length;
    expect(steps).toBe(1 + readFileSync(LOG, "latin1").match(/^\/\/ -----\/\/ /gm)!.length);
    expect(out).toContain("its result is not in the log");
    expect(err).toMatch(/note: [\d.]+ % of the ops in changed steps have no partner/);
    for (let i = 1; i < steps; i++) expect((await run([LOG, "--diff", `${i - 1}..${i}`])).code).toBe(0);
  });
  test("a log with what is not IR says where", async () => {
    const io = withFiles({ "a.log": `noise\n${readFileSync(LOG, "latin1").slice(0, 30_000)}` });
    const { code, err } = await run(["a.log"], io);
    expect(code).toBe(0);
    expect(err).toContain("a.log: note: line 1: of other origin, passed over\n");
    expect(err).toMatch(/note: line \d+: the IR of .* is cut off at the end of the log\n/);
  });
  test.each([
    ["empty", "", "'x' is empty"],
    ["blank", " \n", "'x' is empty"],
    ["binary", "\x7fELF\0\0", "'x' is a binary file"],
    ["a comment", "// nothing\n", "'x' holds no IR"],
    [
      "an empty log",
      "// -----// IR Dump Before CSE (cse) ('builtin.module' operation) //----- //\n",
      "'x': the log holds no IR; line 1: no IR follows the header of CSE",
    ],
  ])("%s", async (_, text, message) => {
    expect(await run(["x"], withFiles({ x: text }))).toEqual({ code: 2, out: "", err: `tt-step: ${message}\n` });
  });
  test("what is no file, no option, no IR", async () => {
    expect(await run(["no/such/file"])).toMatchObject({ code: 2, err: "tt-step: cannot read 'no/such/file': no such file or directory\n" });
    expect((await run([MATMUL, "--lits"])).err).toBe("tt-step: unknown option '--lits'; did you mean '--list'? Try: tt-step --help\n");
    const wrong = await run(["x"], withFiles({ x: 'module {\n  "amd.thing"() : () -> ()\n}\n' }));
    expect(wrong.code).toBe(2);
    expect(wrong.err).toMatch(/^x:2:3: error: /);
    expect((await run(["src/support"])).err).toContain("the folder holds neither a kernel's cache");
  });
  test("PTX and LLVM IR are one step", async () => {
    const ptx = ".version 8.7\n.target sm_80\n.address_size 64\n.visible .entry f()\n{\n\tret;\n}\n";
    expect(await run(["x"], withFiles({ x: ptx }))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ {4}0 {2}ptx {5}ptx\n$/),
    });
    expect((await run(["x", "--emit", "ptx"], withFiles({ x: ptx }))).out).toBe(ptx);
    expect((await run(["x", "--list"], withFiles({ x: "; ModuleID = 'm'\ndefine void @f() {\n  ret void\n}\n" }))).out).toMatch(
      /^ {4}0 {2}llir {4}llir\n$/,
    );
  });
});

describe("--against", () => {
  test("another input, ours or a dump's", async () => {
    expect(await run([VECADD, "--against", VECADD])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^final code: the same .*\nno difference: the IR was compared at 66 points\n$/),
    });
    const { code, out } = await run([VECADD, "--stop-after", "1", "--against", MATMUL]);
    expect(code).toBe(1);
    expect(out).toMatch(/^first difference in the source\n--- fixtures\/kernels\/matmul\.ttir source\n\+\+\+ /);
  });
  test("itself under another option", async () => {
    const { code, out } = await run([MATMUL, "--stop-after", "F32DotTC", "--against", "num-warps=8"]);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^first difference after 10 convert-triton-to-tritongpu\n--- .*matmul\.ttir convert-triton-to-tritongpu\n\+\+\+ num-warps=8 convert-triton-to-tritongpu: .* 6 layouts redefined\n/,
    );
    expect(await run([VECADD, "--against", "enable-fp-fusion=false"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^final code: the same instructions, shared memory and conversions\nno difference: /),
    });
    expect(await run([LOG, "--against", "num-warps=8"])).toMatchObject({
      code: 2,
      err: "tt-step: --against num-warps=8 compiles the input again, which a dump cannot be\n",
    });
    expect(await run([VECADD, "--against", "num-warps=8", "--diff", "3..4"])).toMatchObject({
      code: 2,
      err: "tt-step: --diff is about one compilation: it does not go with --against, which compares two\n",
    });
    expect((await run([VECADD, "--stop-after", "1", "--against", "num-warsp=8"])).err).toContain("did you mean '--num-warps'?");
  });
  test("opens with what the final code is made of; --codegen compares that and the PTX", async () => {
    const table = "final code, fixtures/kernels/vecadd.ttir -> num-warps=8\n  global loads   ld.global.v4.b32 4 -> 2\n";
    const { out } = await run([VECADD, "--against", "num-warps=8"]);
    expect(out.startsWith(table)).toBe(true);
    expect(out).toContain("\nfirst difference after 10 convert-triton-to-tritongpu\n");
    const codegen = await run([VECADD, "--codegen", "--against", "num-warps=8"]);
    expect(codegen.code).toBe(1);
    expect(codegen.out.startsWith(table)).toBe(true);
    expect(codegen.out).toContain("\n-.reqntid 128\n+.reqntid 256\n");
  });
  test("another version of Triton: from the one to the other, and what both report is printed once", async () => {
    const { out, err } = await run([VECADD, "--triton", "3.7", "--against", "triton=3.8"]);
    expect(out).toMatch(/^final code(?:: the same|, Triton 3\.7 -> Triton 3\.8\n)/);
    expect(err).toContain("Triton 3.7 is followed in part");
    expect(err).toContain("Triton 3.8 is followed in part");
    const one = await run([VECADD, "--triton", "3.8", "--against", "num-warps=8"]);
    expect(one.err.match(/followed in part/g)).toHaveLength(1);
  });
  test("our own steps written as a log are no difference", async () => {
    const { out } = await run([VECADD, "--print-after-all"]);
    expect((await run([VECADD, "--against", "x"], withFiles({ x: out }))).code).toBe(0);
  });
});

test("a reproducer holds the IR before a pass, and names the pass", async () => {
  const first = memoryIo();
  expect(await main([MATMUL, "--stop-after", "tritongpu-pipeline", "--reproducer", "r.mlir"], first)).toBe(0);
  expect(first.err()).toContain("tt-opt --run-reproducer runs the pass on it");
  expect(first.out()).toBe("");
  const listed = memoryIo();
  expect(await main([VECADD, "--stop-after", "1", "--reproducer", "r.mlir", "--list"], listed)).toBe(0);
  expect(listed.out()).toContain("inline");
  expect(listed.written.get("r.mlir")).toContain("runs 1 inline");
  const text = first.written.get("r.mlir")!;
  expect(text).toContain(
    `// tt-step ${MATMUL} --stop-after tritongpu-pipeline --reproducer r.mlir\n// runs 29 tritongpu-pipeline; the IR before it:`,
  );
  const io = memoryIo("", { r: text });
  expect(await ttOpt(["--run-reproducer", "r"], io)).toBe(0);
  expect(io.out()).toContain("ttg.async_copy_global_to_local");
});

test("a pass is inserted after another one; what is no pass is named", async () => {
  const { out } = await run([
    VECADD,
    "--insert-pass",
    "coalesce:cse",
    "--insert-pass",
    "0:canonicalize{top-down=false}",
    "--list",
    "--no-times",
  ]);
  const names = out
    .split("\n")
    .map((row) => row.split(/\s+/).find((word) => /^[a-z][\w-]+(?:#\d+)?$/.test(word) && !/^(?:ttg?ir|llir|ops)$/.test(word)));
  expect(names[1]).toBe("canonicalize#1");
  expect(names[names.indexOf("tritongpu-coalesce") + 1]).toBe("cse#2");
  for (const [spec, said] of [
    ["coalesc:cse", "there is no pass 'coalesc' here; did you mean 'coalesce'?"],
    ["coalesce:cs", "there is no pass 'cs' here"],
    ["coalesce:cse,licm", "expected one pass"],
    ["coalesce", "expected PASS:PASS"],
    ["coalesce:canonicalize{topdown=1}", "canonicalize"],
  ] as const)
    expect(await run([VECADD, "--insert-pass", spec])).toMatchObject({ code: 2, err: expect.stringContaining(said) });
});

test.each([
  [["--target", "cuda:90"], "--target has no effect"],
  [["--list", "--num-warps", "8"], "--num-warps has no effect"],
  [["--print-after", "1", "--disable-pass", "1"], "--disable-pass has no effect"],
  [["--kernel", "k"], "--kernel is for Python kernels"],
])("a dump is not compiled, and refuses %j", async (options, message) => {
  const io = memoryIo();
  expect(await main(["fixtures/dumps/3.6.0-softmax.log", ...options], io)).toBe(2);
  expect(io.err()).toContain(message);
});

test("a folder of kernels that have nothing to do with each other is a choice", async () => {
  const io = memoryIo("", { "d/a.ttir": "module {}", "d/b.ttir": "module {}", "d/h/k.ttir": "module {}", "d/h/k.ptx": "" });
  expect(await main(["d"], io)).toBe(2);
  expect(io.err()).toBe("tt-step: 'd' has 3 kernels; choose one:\n  tt-step d/a.ttir\n  tt-step d/b.ttir\n  tt-step d/h\n");
});
