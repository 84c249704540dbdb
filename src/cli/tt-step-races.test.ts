/** Races in global memory, and who waits for ever, at all levels. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

const LOCK = readFileSync("fixtures/simulate/order/lock.ttir", "latin1");

async function tool(files: Readonly<Record<string, string>>, ...argv: readonly string[]) {
  const io = memoryIo("", Object.fromEntries(Object.entries(files).map(([name, text]) => [`cache/${name}`, text])));
  const code = await main(argv, { ...io, readFolder: (path) => (path === "cache" ? Object.keys(files) : undefined) });
  return { code, out: io.out(), err: io.err() };
}
const lowered = async (stage: string): Promise<string> =>
  (
    await tool(
      { "k.ttir": LOCK },
      "cache/k.ttir",
      "--target",
      "cuda:80",
      ...(stage === "ptx" ? ["--emit", "ptx"] : ["--print-after", stage]),
    )
  ).out;
const verdict = async (name: string, text: string) =>
  (await tool({ "k.ttir": LOCK, [name]: text }, "cache", "--validate", "--strict")).out.split("\n")[0]!;

describe("memory order of atomics", () => {
  test("a lock that acquires and releases orders what is done under it", async () => {
    expect((await tool({ "k.ttir": LOCK }, "cache/k.ttir", "--target", "cuda:80", "--validate", "--strict")).code).toBe(0);
  });
  const BROKEN = [
    ["a relaxed unlock", "acq_rel.exch", "relaxed.exch"],
    ["an unlock for the CTA alone", "gpu.acq_rel.exch", "cta.acq_rel.exch"],
    ["a relaxed lock", "acq_rel.gpu.cas", "relaxed.gpu.cas"],
    ["a lock that only releases", "acq_rel.gpu.cas", "release.gpu.cas"],
  ] as const;
  test.each(BROKEN)("%s is found in PTX and in the LLVM dialect", async (_, from, to) => {
    for (const [name, stage] of [
      ["k.ptx", "ptx"],
      ["k.ttgir", "convert-nvvm-to-llvm"],
    ] as const) {
      const text = await lowered(stage);
      expect(text).toContain(from);
      expect(await verdict(name, text.replace(from, to))).toMatch(
        /^validate: pass '\w+' changed the results: global-race: thread \d+ loads byte \d+ of 'arg1', with nothing that orders it after the store in program \(0, 0, 0\) by /,
      );
    }
  });
  test("by default there are programs that share one of many locks", async () => {
    const ring = LOCK.replace(
      "    scf.while",
      `    %ring = arith.constant 48 : i32
    %pid = tt.get_program_id x : i32
    %slot = arith.remsi %pid, %ring : i32
    %lock = tt.addptr %arg0, %slot : !tt.ptr<i32>, i32
    scf.while`,
    )
      .replaceAll("gpu, %arg0", "gpu, %lock")
      .replace(
        "%1 = tt.splat %arg1",
        "%place = arith.muli %slot, %size : i32\n    %base = tt.addptr %arg1, %place : !tt.ptr<i32>, i32\n    %1 = tt.splat %base",
      )
      .replace("    %true =", "    %size = arith.constant 128 : i32\n    %true =");
    const of = async (name: string, text: string) => (await tool({ "k.ttir": ring, [name]: text }, "cache", "--validate", "--strict")).out;
    expect(await of("k.ttgir", ring.replace("exch, acq_rel", "exch, relaxed"))).toMatch(
      /^validate: pass 'ttgir' changed the results: global-race: tt.load loads byte/,
    );
    const ptx = (await tool({ "k.ttir": ring }, "cache/k.ttir", "--target", "cuda:80", "--emit", "ptx")).out;
    expect(await of("k.ptx", ptx)).toMatch(/^validate: same results/);
    expect(await of("k.ptx", ptx.replace("acq_rel.exch", "relaxed.exch"))).toMatch(
      /^validate: pass 'ptx' changed the results: global-race: thread \d+ loads byte/,
    );
  });
  test("an unlock that only releases is enough", async () => {
    expect(await verdict("k.ptx", (await lowered("ptx")).replace("acq_rel.exch", "release.exch"))).toMatch(/^validate: same results/);
  });
  test.each([
    ["relaxed, gpu", "exch, acq_rel, gpu"],
    ["acq_rel, cta", "exch, acq_rel, gpu"],
  ])("a pass that makes the unlock %s is named", async (to, from) => {
    expect(LOCK).toContain(from);
    expect(await verdict("k.ttgir", LOCK.replace(from, `exch, ${to}`))).toMatch(
      /^validate: pass 'ttgir' changed the results: global-race: tt.load loads byte/,
    );
  });
});

describe("races of the kernel itself are notes, and errors with --strict", () => {
  const kernel = (index: string) => `tt.func public @k(%o: !tt.ptr<i32>) {
  %p = tt.get_program_id x : i32
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %z = arith.constant dense<0> : tensor<64xi32>
  %s = tt.splat %p : i32 -> tensor<64xi32>
  %v = arith.addi %s, %r : tensor<64xi32>
  %os = tt.splat %o : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %op = tt.addptr %os, ${index} : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %op, %v : tensor<64x!tt.ptr<i32>>
  tt.return
}
`;
  test.each([
    ["programs", "%r", "global-race: tt.store stores to byte 0 of 'o', with nothing that orders it after tt.store in program (0, 0, 0)"],
    ["lanes", "%z", "store-conflict: elements 0 and 1 are stored at one place, and differ"],
  ])("%s that store different values to one address", async (_, index, message) => {
    const files = { "k.ttir": kernel(index) };
    const { code, out } = await tool(files, "cache/k.ttir", "--validate");
    expect(out).toContain(`validate: note: the kernel itself: ${message} (tt.store at <after cache/k.ttir>:10:5)\n`);
    expect(out).toContain("validate: same results after each of");
    expect(code).toBe(0);
    expect((await tool(files, "cache/k.ttir", "--validate", "--strict")).code).toBe(1);
  });
});

describe("a warp that loads what another warp of its program has stored over", () => {
  // Each of the 4 warps loads all 16 elements; one thread stores the first.
  const kernel = (between: string) => `tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %v = tt.load %xp : tensor<16x!tt.ptr<i32>>
  ${between}
  %c = arith.constant 7777 : i32
  tt.store %x, %c : !tt.ptr<i32>
  tt.store %yp, %v : tensor<16x!tt.ptr<i32>>
  tt.return
}
`;
  const RACE =
    /^validate: note: the kernel itself: global-race: thread \d+ loads byte 0 of 'x', with nothing that orders it after the store in program \(0, 0, 0\) by /m;
  test("is a race of the kernel, which no pass is blamed for", async () => {
    const { code, out } = await tool({ "k.ttir": kernel("") }, "cache/k.ttir", "--validate");
    expect(out).toMatch(RACE);
    expect(out).toContain("(tt.load at <after cache/k.ttir>:8:10)\nvalidate: same results after each of");
    expect(code).toBe(0);
    expect((await tool({ "k.ttir": kernel("") }, "cache/k.ttir", "--validate", "--strict")).code).toBe(1);
  });
  test("is none where a barrier is between", async () => {
    const { code, out } = await tool({ "k.ttir": kernel("gpu.barrier") }, "cache/k.ttir", "--validate", "--strict");
    expect(out).toMatch(/^validate: same results/);
    expect(code).toBe(0);
  });
  test("is one too where an atomic stores", async () => {
    const atomic = (between: string) =>
      kernel(between).replace("tt.store %x, %c : !tt.ptr<i32>", "tt.atomic_rmw exch, acq_rel, gpu, %x, %c : (!tt.ptr<i32>, i32) -> i32");
    for (const target of ["cuda:80", "hip:gfx942"]) {
      const { code, out } = await tool({ "k.ttir": atomic("") }, "cache/k.ttir", "--target", target, "--validate");
      expect(out).toMatch(RACE);
      expect(out).toContain("(tt.load at <after cache/k.ttir>:8:10)\nvalidate: same results after each of");
      expect(code).toBe(0);
      const ordered = await tool({ "k.ttir": atomic("gpu.barrier") }, "cache/k.ttir", "--target", target, "--validate", "--strict");
      expect(ordered.out).toMatch(/^validate: same results/);
      expect(ordered.code).toBe(0);
    }
  });
  test("is a fault where PTX has lost that barrier", async () => {
    const { out: ptx } = await tool({ "k.ttir": kernel("gpu.barrier") }, "cache/k.ttir", "--emit", "ptx");
    expect(ptx).toContain("bar.sync \t0;");
    const { out } = await tool(
      { "k.ttir": kernel("gpu.barrier"), "k.ptx": ptx.replace("bar.sync \t0;", "") },
      "cache",
      "--validate",
      "--strict",
    );
    expect(out).toMatch(/^validate: pass 'ptx' changed the results: global-order: thread \d+ loads byte 0 of 'x'/);
  });
});

describe("a warp that stores over what another warp of its program has stored", () => {
  const kernel = (between: string) => `tt.func public @k(%y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %c = arith.constant dense<255> : tensor<256xi32>
  %b = arith.subi %c, %r : tensor<256xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %r : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %yb = tt.addptr %ys, %b : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %yp, %r : tensor<256x!tt.ptr<i32>>
  ${between}
  tt.store %yb, %r : tensor<256x!tt.ptr<i32>>
  tt.return
}
`;
  const RACE = /global-(?:race|order): thread \d+ stores to byte \d+ of 'y', with nothing that orders it after the store in program/;
  test("is a race of the kernel, which no pass is blamed for", async () => {
    const { code, out } = await tool({ "k.ttir": kernel("") }, "cache/k.ttir", "--validate");
    expect(out).toMatch(/^validate: note: the kernel itself: global-race: thread/);
    expect(out).toMatch(RACE);
    expect(code).toBe(0);
  });
  test("is none where a barrier is between, and a fault where PTX has lost it", async () => {
    expect((await tool({ "k.ttir": kernel("gpu.barrier") }, "cache/k.ttir", "--validate", "--strict")).code).toBe(0);
    const { out: ptx } = await tool({ "k.ttir": kernel("gpu.barrier") }, "cache/k.ttir", "--emit", "ptx");
    const { code, out } = await tool({ "k.ttir": kernel("gpu.barrier"), "k.ptx": ptx.replace("bar.sync \t0;", "") }, "cache", "--validate");
    expect(out).toMatch(RACE);
    expect(code).toBe(1);
  });
});

describe("a kernel that waits for what nobody stores ends with who polls what", () => {
  const NEVER = LOCK.replace(/tt\.atomic_rmw exch, acq_rel, gpu, %\w+, %\w+, %\w+/, (exch) => exch.replace("exch", "or"));
  test("in Triton IR", async () => {
    const { code, err } = await tool({ "k.ttir": NEVER }, "run", "cache/k.ttir", "--grid", "2");
    expect(err).toMatch(
      /deadlock: program \(1, 0, 0\) polls and always finds 1, where 0 is wanted: byte 0 of '\w+': tt.atomic_rmw in program \(0, 0, 0\) was the last one there\n/,
    );
    expect(code).toBe(1);
  });
  test("programs run one after the other, and --program says in which order", async () => {
    const waits = LOCK.replace(
      "    scf.while",
      "    %first = tt.get_program_id x : i32\n    %free = arith.cmpi eq, %first, %c1_i32 : i32\n    scf.while",
    )
      .replace("tt.atomic_cas acq_rel, gpu, %arg0, %c0_i32, %c1_i32", "tt.atomic_cas acq_rel, gpu, %arg0, %c1_i32, %c1_i32")
      .replace(
        "%10 = arith.cmpi eq, %9, %c1_i32 : i32",
        "%11 = arith.cmpi ne, %9, %c1_i32 : i32\n      %12 = arith.xori %free, %true : i1\n      %10 = arith.andi %11, %12 : i1",
      )
      .replace(/(exch, acq_rel, gpu, %\w+), %c0_i32/, "$1, %c1_i32");
    const ptx = (await tool({ "k.ttir": waits }, "cache/k.ttir", "--target", "cuda:80", "--emit", "ptx")).out;
    const flag = (name: string) => ({ "args.json": JSON.stringify({ arrays: { [name]: { kind: "zeros" } } }) });
    for (const [files, options] of [
      [{ "k.ttir": waits, ...flag("arg0") }, ["cache/k.ttir"]],
      [{ "k.ptx": ptx, ...flag("0") }, ["cache/k.ptx", "--signature", "*i32,*i32"]],
    ] as const) {
      const { code, err } = await tool(files, "run", ...options, "--grid", "2");
      expect(err).toMatch(
        / polls and always finds 0, where 1 is wanted[^\n]*: no program has stored there; 1 program has not begun: they run one after/,
      );
      expect(code).toBe(1);
      expect((await tool(files, "run", ...options, "--grid", "2", "--program", "1", "--program", "0")).code).toBe(0);
    }
  });
  test("in PTX", async () => {
    const text = (await lowered("ptx")).replace("acq_rel.exch", "acq_rel.or");
    const { code, err } = await tool({ "k.ptx": text }, "run", "cache/k.ptx", "--signature", "*i32,*i32", "--grid", "2");
    expect(err).toMatch(
      /deadlock: no warp can go on: .*warp 0 polls and always finds 1, where 0 is wanted, by line \d+: @%p\d+ atom.*: byte 0 of '\w+': the store in program \(0, 0, 0\) by line \d+: .* was the last one there\n/,
    );
    expect(code).toBe(1);
  });
});
