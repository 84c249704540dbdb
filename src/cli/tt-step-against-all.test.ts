import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

const kernel = (name: string, signature: string): string => {
  const text = readFileSync(`fixtures/compile/triton-versions/${name}.py`, "latin1");
  return text.replace(`@triton.jit\ndef ${name}(`, `# tt-step: signature=${signature}\n@triton.jit\ndef ${name}(`);
};
const FILES = {
  "rows.py": kernel("rows", "*fp32:16, *fp32:16, i32, 1024"),
  "loop.py": kernel("loop", "*fp16:16, *fp16:16, *fp32:16, i32, 64"),
  "add.ttir": readFileSync("fixtures/kernels/vecadd.ttir", "latin1"),
  "new.py": "import triton\nimport triton.language as tl\n@triton.jit\ndef new(p):\n    tl.store(p, tl.squeeze(tl.load(p)[None], 0))\n",
};

async function run(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const io = memoryIo("", FILES);
  const code = await main(["--target", "cuda:80", "--against", "triton=3.8", ...argv], io);
  return { code, out: io.out(), err: io.err() };
}

test("facts side by side: reductions need fewer barriers since 3.8", async () => {
  const { code, out } = await run("rows.py", "--format", "md");
  expect(code).toBe(1);
  expect(out).toMatch(/^# Triton 3\.6 to Triton 3\.8: 1 different\n/);
  expect(out).toContain("| | Triton 3.6 | Triton 3.8 |\n|---|---|---|\n");
  expect(out).toMatch(/\| shared loads \| ld\.shared\.b32 \d+ \| \d+ \|/);
  expect(out).toMatch(/\| barriers \| bar\.sync 5 \| 3 \|/);
});

test("the most changed first, and the first pass with other ops", async () => {
  const { code, out } = await run("loop.py", "rows.py", "--format", "json");
  expect(code).toBe(1);
  const { from, to, kernels } = JSON.parse(out);
  expect([from, to]).toEqual(["Triton 3.6", "Triton 3.8"]);
  const changes = kernels.map((k: { changed: number; facts: unknown[] }) => k.changed + k.facts.length);
  expect(changes).toEqual([...changes].sort((a, b) => b - a));
  const loop = kernels.find((k: { input: string }) => k.input === "loop.py");
  // -x is one op, not 0 - x.
  expect(loop.first).toBe("source");
  expect(loop.ops).toContain("arith.negf 0 -> 1");
});

test("a version is no upgrade of itself", async () => {
  expect(await run("rows.py", "--format", "md", "--triton", "3.8")).toMatchObject({
    code: 0,
    out: "# Triton 3.8 to Triton 3.8: 1 same\n\n## The same after every pass\n\n- rows.py\n",
  });
});

test("a kernel that one of the versions refuses is an error of that version, in JUnit too", async () => {
  const { code, out } = await run("new.py", "rows.py", "--signature", "*fp32:16", "--kernel", "new", "--format", "junit");
  expect(code).toBe(2);
  expect(out).toContain('<testsuite name="tt-step --against" tests="2" failures="0" errors="2">');
  expect(out).toContain("Triton 3.6: ");
  expect(out).toContain("tl.squeeze");
});

const TWO = [
  "import triton",
  "import triton.language as tl",
  "# tt-step: signature=*fp32:16",
  "@triton.jit",
  "def negate(p):",
  "    tl.store(p, -tl.load(p))",
  "@triton.jit",
  "def copy(p, q):",
  "    tl.store(p, tl.load(q))",
  "# tt-step: signature=*fp32:16",
  "@triton.jit",
  "def same(p):",
  "    tl.store(p, tl.load(p))",
];
test("a file's kernels with stated arguments are a row each, or all that can be guessed", async () => {
  const io = memoryIo("", { "two.py": TWO.join("\n") });
  const report = ["two.py", "--against", "triton=3.8", "--format"];
  expect(await main([...report, "md"], io)).toBe(1);
  expect(io.out().match(/^## .*/gm)).toEqual(["## two.py: negate", "## two.py: same"]);
  const plain = memoryIo("", { "two.py": TWO.filter((line) => !line.startsWith("#")).join("\n") });
  expect(await main([...report, "json", "--guess"], plain)).toBe(1);
  const kernels = JSON.parse(plain.out()).kernels.map((row: { input: string; kernel: string }) => `${row.input} ${row.kernel}`);
  expect(kernels.sort()).toEqual(["two.py copy", "two.py negate", "two.py same"]);
});

test("a version in a comment is that side's; a reason that both sides have names no version", async () => {
  const comment = "# tt-step: signature=*fp32:16";
  const text = TWO.join("\n").replace(comment, `${comment}, triton=3.8`);
  const io = memoryIo("", { "two.py": text });
  const report = ["two.py", "missing.py", "--against", "triton=3.8", "--format"];
  expect(await main([...report, "md"], io)).toBe(2);
  expect(io.out()).toMatch(/^# Triton 3\.6 or Triton 3\.8 to Triton 3\.8: /);
  expect(io.out()).toContain("## missing.py\n\n```\ncannot read 'missing.py': no such file or directory\n```\n");
  const json = memoryIo("", { "two.py": text });
  await main([...report, "json"], json);
  const rows = JSON.parse(json.out()).kernels.map(({ kernel, from, to, error }: Record<string, string>) => [kernel, from, to, error]);
  expect(rows).toContainEqual(["negate", "Triton 3.8", "Triton 3.8", undefined]);
  expect(rows).toContainEqual(["same", "Triton 3.6", "Triton 3.8", undefined]);
});

test("another option than the version, on several kernels", async () => {
  const { code, out } = await run("rows.py", "loop.py", "--against", "num-warps=8");
  expect(code).toBe(1);
  expect(out).toMatch(/^# as given to num-warps=8: 2 different\n/);
});

test("an option that changes nothing on a kernel is an error of that kernel", async () => {
  const { code, out } = await run("rows.py", "add.ttir", "--against", "debug=true");
  expect(code).toBe(2);
  expect(out).toContain("## add.ttir\n\n```\ndebug=true: --debug has no effect: the front end reads it, and the input is TTIR\n```\n");
});

test("a version that is not known, a file, and no input", async () => {
  expect(await run("rows.py", "loop.py", "--against", "triton=2.0")).toMatchObject({
    code: 2,
    err: expect.stringContaining("Triton 2.0 is not compiled (the nearest is 3.6): 3.6 is followed whole, 3.7 and 3.8 in part"),
  });
  expect(await run("rows.py", "loop.py", "--against", "new.py")).toMatchObject({
    code: 2,
    err: "tt-step: with several inputs --against compares options: OPTION=VALUE, not 'new.py'\n",
  });
  expect(await run("--format", "md")).toMatchObject({ code: 2, err: "tt-step: expects input files. Try: tt-step --help\n" });
});
