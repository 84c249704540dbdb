import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

const VECADD = "fixtures/kernels/vecadd.ttir";
const SOFTMAX = "fixtures/kernels/softmax.ttir";
let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "tt-step-snapshot-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function run(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const io = memoryIo();
  const code = await main(["snapshot", ...argv, "--dir", dir], io);
  return { code, out: io.out(), err: io.err() };
}

test("new, made, the same", async () => {
  expect(await run(VECADD)).toMatchObject({ code: 1, out: "vecadd/sm80: new, run --update\n1 new\n" });
  expect(existsSync(join(dir, "vecadd"))).toBe(false);
  expect(await run(VECADD, "--update")).toMatchObject({ code: 0, out: "vecadd/sm80: updated\n1 updated\n" });
  expect(await run(VECADD)).toMatchObject({ code: 0, out: "1 same\n" });
  const names = readdirSync(join(dir, "vecadd/sm80"));
  expect(names).toContain("11-tritongpu-coalesce.mlir");
  expect(names.filter((name) => name.includes("llvm"))).toEqual([]);
  expect(JSON.parse(readFileSync(join(dir, "vecadd/sm80/summary.json"), "utf8"))).toMatchObject({
    target: "cuda:80",
    full: false,
    layoutConversions: 0,
  });
});

test("a snapshot of another version of Triton is kept beside that of the default", async () => {
  await run(VECADD, "--update");
  expect((await run(VECADD, "--triton", "3.8", "--update")).out).toBe("vecadd/sm80-triton3.8: updated\n1 updated\n");
  expect(JSON.parse(readFileSync(join(dir, "vecadd/sm80-triton3.8/summary.json"), "utf8"))).toMatchObject({ triton: "3.8" });
  expect(await run(VECADD)).toMatchObject({ code: 0, out: "1 same\n" });
  expect(await run(VECADD, "--triton", "3.8")).toMatchObject({ code: 0, out: "1 same\n" });
});

test("the first pass that differs is named, with its diff", async () => {
  await run(VECADD, "--update");
  const { code, out } = await run(VECADD, "--num-warps", "8");
  expect(code).toBe(1);
  expect(out).toMatch(
    /^vecadd\/sm80: differs first in 10-convert-triton-to-tritongpu\.mlir\n {4}global loads {3}ld\.global\.v4\.b32 4 -> 2\n {4}global stores {2}st\.global\.v4\.b32 2 -> 1\n {4}\d+ changed, 1 layout redefined\n/,
  );
  expect((await run(VECADD, "--num-warps=8", "--update")).code).toBe(0);
  expect((await run(VECADD, "--num-warps=8")).code).toBe(0);
  // Another target has a snapshot of its own.
  expect((await run(VECADD, "--target", "cuda:90")).out).toContain("vecadd/sm90: new");
});

test("any line counts, and a pass that changes nothing any more", async () => {
  await run(VECADD, "--update");
  const file = join(dir, "vecadd/sm80/11-tritongpu-coalesce.mlir");
  const text = readFileSync(file, "latin1");
  writeFileSync(file, text.replace("tt.return", "tt.retain"), "latin1");
  expect((await run(VECADD)).out).toContain("differs first in 11-tritongpu-coalesce.mlir");
  writeFileSync(file, text, "latin1");
  writeFileSync(join(dir, "vecadd/sm80/12-tritongpu-F32DotTC.mlir"), text, "latin1");
  expect((await run(VECADD)).out).toContain("differs first in 12-tritongpu-F32DotTC.mlir");
});

test("a vector width, an mma shape, a barrier: the pass that differs first is named", async () => {
  // A kernel that says less of its arguments has narrower accesses.
  await run(VECADD, "--update");
  const other = join(dir, "other");
  mkdirSync(other);
  copyFileSync("fixtures/kernels/vecadd_any_n.ttir", join(other, "vecadd.ttir"));
  const narrower = await run(join(other, "vecadd.ttir"));
  expect(narrower.code).toBe(1);
  expect(narrower.out).toMatch(/^vecadd\/sm80: differs first in \d+-[\w-]+\.mlir/);
  const matmul = "fixtures/kernels/matmul.ttir";
  await run(matmul, "--update");
  const change = async (name: string, from: RegExp, to: string) => {
    const file = join(dir, "matmul/sm80", name);
    const text = readFileSync(file, "latin1");
    expect(text).toMatch(from);
    writeFileSync(file, text.replace(from, to), "latin1");
    const { code, out } = await run(matmul);
    writeFileSync(file, text, "latin1");
    expect(code).toBe(1);
    return out;
  };
  expect(await change("16-tritongpu-accelerate-matmul.mlir", /instrShape = \[16, 8\]/, "instrShape = [16, 16]")).toMatch(
    /differs first in 16-tritongpu-accelerate-matmul\.mlir/,
  );
  // A barrier is an instruction of the last stage, whose passes are kept as digests.
  expect(await change("summary.json", /("\d+-cse\.mlir": ")\w/, "$1-")).toMatch(/differs first in \d+-cse\.mlir\n[\s\S]*--full keeps it/);
  expect(await change("summary.json", /"bar\.sync[^,]*,/, '"bar.sync 0": 77,')).toMatch(/differs first in summary\.json\n[\s\S]*bar\.sync/);
  expect(await change("kernel.ptx", /bar\.sync/, "bar.arrive")).toMatch(/differs first in kernel\.ptx/);
});

test("an interrupted update leaves the old snapshot whole", async () => {
  await run(VECADD, "--update");
  const folder = join(dir, "vecadd/sm80");
  // Between the two renames, and before the first one.
  renameSync(folder, `${folder}.old`);
  expect(await run(VECADD)).toMatchObject({ code: 0, out: "1 same\n" });
  writeFileSync(join(dir, "vecadd/sm80.new"), "half");
  expect(await run(VECADD)).toMatchObject({ code: 0, out: "1 same\n" });
});

test("--full keeps the steps of make_llir, and is remembered", async () => {
  await run(VECADD, "--update", "--full");
  expect(readdirSync(join(dir, "vecadd/sm80")).some((name) => /^(?:5[7-9]|6\d)-/.test(name))).toBe(true);
  expect((await run(VECADD)).code).toBe(0);
});

test("shards together are all kernels; snapshots without a kernel are told", async () => {
  await run(VECADD, SOFTMAX, "--update");
  expect([(await run(VECADD, SOFTMAX, "--shard", "1/2")).out, (await run(VECADD, SOFTMAX, "--shard=2/2")).out]).toEqual([
    "1 same\n",
    "1 same\n",
  ]);
  expect((await run(VECADD)).out).toBe(`${dir}/softmax/sm80: a snapshot without a kernel among the inputs\n1 same\n`);
});

test("reports for machines", async () => {
  await run(VECADD, "--update");
  const argv = [VECADD, "--num-warps=8"];
  expect(JSON.parse((await run(...argv, "--format", "json")).out)).toMatchObject({
    results: [{ name: "vecadd/sm80", status: "different" }],
    orphans: [],
  });
  expect((await run(...argv, "--format", "junit")).out).toMatch(
    /^<\?xml.*\n<testsuite name="tt-step snapshot" tests="1" failures="1" errors="0">\n/,
  );
  const { out } = await run(...argv, "--format=github");
  expect(out).toMatch(/^::error file=fixtures\/kernels\/vecadd\.ttir,title=vecadd\/sm80 differs first in 10-[^:]*::/);
  expect(out.trimEnd().split("\n")).toHaveLength(1);
});

test("bad usage, bad input", async () => {
  expect(await run()).toMatchObject({ code: 2, err: "tt-step: snapshot expects input files. Try: tt-step snapshot --help\n" });
  expect((await run(VECADD, "--shard", "3/2")).code).toBe(2);
  expect((await run(VECADD, "--format", "yaml")).err).toContain("--format expects text, json, junit or github");
  expect(await run("no/such")).toMatchObject({ code: 2, out: expect.stringContaining("cannot read 'no/such'") });
});

test("a launch that costs more than its snapshot, by more than is allowed, fails", async () => {
  const launch = ["--arg", "n=4194304", "--grid", "4096"];
  expect((await run(VECADD, "--update", ...launch)).code).toBe(0);
  expect(JSON.parse(readFileSync(join(dir, "vecadd/sm80/limits.json"), "utf8"))).toMatchObject({
    launch: { grid: [4096], gpu: "a100" },
    figures: { sectors: 384, wavefronts: 0 },
  });
  expect(await run(VECADD, ...launch, "--limit", "sectors=+5%")).toMatchObject({ code: 0, out: "1 same\n" });
  const path = join(dir, "vecadd/sm80/limits.json");
  writeFileSync(path, readFileSync(path, "utf8").replace('"sectors": 384', '"sectors": 300'));
  const grown = await run(VECADD, ...launch, "--limit", "sectors=+5%");
  expect(grown.code).toBe(1);
  expect(grown.out).toContain("sectors: 300 -> 384, +28.0 %, where +5 % is allowed");
  expect((await run(VECADD, "--arg", "n=4194304", "--grid", "2048", "--limit", "sectors=+5%")).out).toContain("those of another launch");
  expect(await run(VECADD, "--limit", "sectors=+5%")).toMatchObject({ code: 2, err: expect.stringContaining("--grid and --arg state it") });
});
