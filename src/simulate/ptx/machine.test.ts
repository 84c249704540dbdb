import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type PtxLaunch, type PtxRun, runPtx } from "./run.js";

/** Runs a kernel `k(out, n)` of one warp or more; `body` has %r, %rd, %p, %f registers and out's address in %rd0. */
function kernel(body: string, threads = 32, head = ""): string {
  return `.version 8.0\n.target sm_80\n.address_size 64\n${head}
.visible .entry k(.param .u64 .ptr .global k_param_0, .param .u32 k_param_1)\n.reqntid ${threads}\n{
.reg .pred %p<16>;\n.reg .b16 %rs<16>;\n.reg .b32 %r<64>;\n.reg .b32 %f<16>;\n.reg .b64 %rd<32>;
ld.param.b64 %rd0, [k_param_0];\nld.param.b32 %r0, [k_param_1];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\nadd.s64 %rd1, %rd0, %rd1;
${body}\nret;\n}\n`;
}
const SHARED = ".extern .shared .align 16 .b8 smem[];";

function run(text: string, n = 0, more: Partial<PtxLaunch> = {}): PtxRun {
  return runPtx(text, {
    grid: [1, 1, 1],
    args: [
      { kind: "buffer", spec: { name: "out", element: "i32", data: new Uint8Array(1024) } },
      { kind: "scalar", value: n },
    ],
    sharedBytes: 4096,
    ...more,
  });
}
const out = (r: PtxRun, count = 32) => [...new Int32Array(r.memory.contents("out", 4 * count).buffer)];
const kinds = (r: PtxRun) => r.findings.map((f) => f.kind);
const lanes = (f: (l: number) => number, count = 32) => Array.from({ length: count }, (_, l) => f(l) | 0);

test("lanes part and meet again: an if, a loop with its own trip counts, a switch", () => {
  const r = run(
    kernel(`mov.b32 %r2, 0;\nand.b32 %r3, %r1, 3;\nsetp.eq.s32 %p1, %r3, 0;\n@%p1 bra EVEN;\nadd.s32 %r2, %r2, 100;\nbra.uni MEET;\nEVEN:\nadd.s32 %r2, %r2, 1;\nMEET:
mov.b32 %r4, 0;\nLOOP:\nsetp.ge.s32 %p2, %r4, %r3;\n@%p2 bra DONE;\nadd.s32 %r2, %r2, 10;\nadd.s32 %r4, %r4, 1;\nbra LOOP;\nDONE:
T: .branchtargets A, B;\nsetp.gt.s32 %p3, %r1, 7;\nselp.b32 %r5, 1, 0, %p3;\nbrx.idx %r5, T;\nA:\nadd.s32 %r2, %r2, 1000;\nbra END;\nB:\nadd.s32 %r2, %r2, 2000;\nEND:
activemask.b32 %r6;\nsetp.ne.b32 %p4, %r6, -1;\n@%p4 mov.b32 %r2, -1;\nst.global.b32 [%rd1], %r2;`),
  );
  expect(r.findings).toEqual([]);
  expect(out(r)).toEqual(lanes((l) => (l % 4 === 0 ? 1 : 100 + 10 * (l % 4)) + (l > 7 ? 2000 : 1000)));
});

test("two halves are compared at once", () => {
  // 1, 2 against 2, 1; a NaN is no more.
  const r = run(
    kernel(`mov.b32 %r2, 0x40003C00;\nmov.b32 %r3, 0x3C004000;\nsetp.gt.f16x2 %p1|%p2, %r2, %r3;\nselp.b32 %r4, 1, 0, %p1;\nselp.b32 %r5, 2, 0, %p2;\nor.b32 %r4, %r4, %r5;
mov.b32 %r6, 0x7FC03F80;\nmov.b32 %r7, 0x3F803F00;\nsetp.gt.bf16x2 %p1|%p2, %r6, %r7;\nselp.b32 %r5, 4, 0, %p1;\nor.b32 %r4, %r4, %r5;\nselp.b32 %r5, 8, 0, %p2;\nor.b32 %r4, %r4, %r5;\nst.global.b32 [%rd1], %r4;`),
  );
  expect(r.findings).toEqual([]);
  expect(out(r, 1)).toEqual([2 + 4]);
});

test("min.xorsign.abs is the smaller magnitude, with the product's sign", () => {
  const r = run(
    kernel(`sub.s32 %r2, %r1, 2;\ncvt.rn.f32.s32 %f1, %r2;\nmin.xorsign.abs.f32 %f2, %f1, 0f3F800000;\nmin.xorsign.abs.f32 %f3, %f1, 0fC0400000;
fma.rn.f32 %f2, %f2, 0f41200000, %f3;\ncvt.rzi.s32.f32 %r3, %f2;\nst.global.b32 [%rd1], %r3;`),
  );
  expect(r.findings).toEqual([]);
  expect(out(r, 5)).toEqual([-10 + 2, -10 + 1, 0, 10 - 1, 10 - 2]);
});

test("atomics of 64 bits store what they change, and nothing where a comparison fails", () => {
  const r = run(
    kernel(`setp.ne.s32 %p1, %r1, 0;\n@%p1 ret;\nmov.b64 %rd2, 5;\natom.global.exch.b64 %rd3, [%rd0], %rd2;\natom.global.add.u64 %rd3, [%rd0+8], %rd2;
mov.b64 %rd4, 7;\natom.global.cas.b64 %rd3, [%rd0+16], %rd4, %rd2;\natom.global.cas.b64 %rd3, [%rd0+24], %rd3, %rd2;`),
  );
  expect(r.memory.stores("out").map(({ offset, bytes }) => [offset, bytes.length])).toEqual([
    [0, 16],
    [24, 8],
  ]);
});

test("functions: arguments, results, recursion, registers of each call kept apart", () => {
  const head = `.visible .func (.param .b32 res) fact(.param .b32 n)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\nld.param.b32 %r1, [n];\nmov.b32 %r2, 1;\nsetp.le.s32 %p1, %r1, 1;\n@%p1 bra OUT;
add.s32 %r3, %r1, -1;\n{\n.param .b32 a0;\n.param .b32 r0;\nst.param.b32 [a0], %r3;\ncall.uni (r0), fact, (a0);\nld.param.b32 %r4, [r0];\n}\nmul.lo.s32 %r2, %r4, %r1;\nOUT:\nst.param.b32 [res], %r2;\nret;\n}`;
  const call =
    "{\n.param .b32 a;\n.param .b32 b;\nand.b32 %r2, %r1, 7;\nst.param.b32 [a], %r2;\ncall.uni (b), fact, (a);\nld.param.b32 %r3, [b];\n}\nst.global.b32 [%rd1], %r3;";
  const r = run(kernel(call, 32, head));
  expect(r.findings).toEqual([]);
  const fact = (n: number): number => (n <= 1 ? 1 : n * fact(n - 1));
  expect(out(r)).toEqual(lanes((l) => fact(l & 7)));
});

test("warps exchange through shared memory with a barrier between; without it that is a race, named on both sides", () => {
  const exchange = (barrier: string) =>
    kernel(
      `shl.b32 %r2, %r1, 2;\nmov.b32 %r3, smem;\nadd.s32 %r4, %r3, %r2;\nst.shared.b32 [%r4], %r1;\n${barrier}\nxor.b32 %r5, %r2, 128;\nadd.s32 %r5, %r3, %r5;\nld.shared.b32 %r6, [%r5];\nst.global.b32 [%rd1], %r6;`,
      64,
      SHARED,
    );
  const good = run(exchange("bar.sync 0;"));
  expect(good.findings).toEqual([]);
  expect(out(good, 64)).toEqual(lanes((l) => l ^ 32, 64));
  const bad = run(exchange(""));
  expect(kinds(bad)).toContain("unwritten-shared");
  const race = bad.findings.find((f) => f.kind === "race")!;
  expect(race.message).toMatch(
    /^thread 32 writes shared byte 128 that thread 0 has read without a barrier between, by line \d+: ld\.shared\.b32 %r6, \[%r5\];/,
  );
  expect(race.site).toContain("st.shared.b32 [%r4], %r1;");
});

test("lanes of one warp need a barrier of the warp between; those of AMD's waves do not", () => {
  const exchange = (barrier: string) =>
    kernel(
      `shl.b32 %r2, %r1, 2;\nmov.b32 %r3, smem;\nadd.s32 %r4, %r3, %r2;\nst.shared.b32 [%r4], %r1;\n${barrier}\nxor.b32 %r5, %r2, 4;\nadd.s32 %r5, %r3, %r5;\nld.shared.b32 %r6, [%r5];\nst.global.b32 [%rd1], %r6;`,
      32,
      SHARED,
    );
  const good = run(exchange("bar.warp.sync -1;"));
  expect(good.findings).toEqual([]);
  expect(out(good)).toEqual(lanes((l) => l ^ 1));
  const bad = run(exchange("shfl.sync.idx.b32 %r7, %r1, 0, 31, -1;"));
  expect(bad.findings[0]!.message).toMatch(
    /^thread 0 reads shared byte 4 that thread 1 has written without a barrier between, by line \d+: st\.shared/,
  );
  expect(run(exchange("").replace("sm_80", "gfx942")).findings).toEqual([]);
  const later = `${"mov.b32 %r2, smem;\nst.shared.b32 [%r2], %r0;\nbar.warp.sync -1;\nld.shared.b32 %r3, [%r2];\nsetp.eq.s32 %p1, %r1, 5;\nBARRIER@%p1 st.shared.b32 [%r2], 9;"}`;
  expect(kinds(run(kernel(later.replace("BARRIER", ""), 32, SHARED)))).toEqual(["race"]);
  expect(kinds(run(kernel(later.replace("BARRIER", "bar.warp.sync -1;\n"), 32, SHARED)))).toEqual([]);
});

test("warps that store the same do not race; lanes of one warp that meet do not", () => {
  const r = run(
    kernel(
      "mov.b32 %r2, smem;\nmov.b32 %r3, 7;\nst.shared.b32 [%r2], %r3;\nbar.sync 0;\nld.shared.b32 %r4, [%r2];\nst.global.b32 [%rd1], %r4;",
      64,
      SHARED,
    ),
  );
  expect(r.findings).toEqual([]);
  expect(out(r, 64)).toEqual(lanes(() => 7, 64));
});

test("named barriers bring together those they count", () => {
  const body = `shr.u32 %r2, %r1, 5;\nmov.b32 %r3, smem;\nsetp.lt.u32 %p1, %r2, 2;\n@!%p1 bra LATE;
setp.eq.s32 %p2, %r1, 0;\nmov.b32 %r4, 5;\n@%p2 st.shared.b32 [%r3], %r4;\nbar.sync 1, 64;\nld.shared.b32 %r5, [%r3];\nst.global.b32 [%rd1], %r5;\nLATE:\nbar.sync 0;`;
  const r = run(kernel(body, 128, SHARED));
  expect(r.findings).toEqual([]);
  expect(out(r, 128)).toEqual(lanes((l) => (l < 64 ? 5 : 0), 128));
});

test("a barrier for some lanes only, and one that nobody completes", () => {
  const some = run(kernel("setp.lt.u32 %p1, %r1, 8;\n@!%p1 bra SKIP;\nbar.sync 0;\nSKIP:", 32));
  expect(some.findings[0]!.message).toBe("lanes 0xff of warp 0 are at the barrier, lanes 0xffffff00 are elsewhere");
  const stuck = run(kernel("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra W;\nbar.sync 2, 96;\nW:\nbar.sync 0;", 64));
  expect(kinds(stuck)).toContain("deadlock");
  expect(stuck.findings.at(-1)!.message).toContain("barrier 2 has 32 of 96 threads");
});

test("cp.async: what is read before its wait is told, and is not there yet", () => {
  const copy = (wait: string) =>
    kernel(
      `shl.b32 %r2, %r1, 2;\nmov.b32 %r3, smem;\nadd.s32 %r4, %r3, %r2;\ncp.async.ca.shared.global [%r4], [%rd1], 4;\ncp.async.commit_group;\n${wait}\nld.shared.b32 %r5, [%r4];\nadd.s32 %r5, %r5, 1;\nst.global.b32 [%rd1], %r5;`,
      32,
      SHARED,
    );
  const good = run(copy("cp.async.wait_group 0;"));
  expect(good.findings).toEqual([]);
  expect(out(good)).toEqual(lanes(() => 1));
  const early = run(copy("cp.async.wait_group 1;"));
  expect(kinds(early)).toEqual(["early-read"]);
  expect(early.findings[0]!.message).toMatch(/before the wait for line \d+: cp\.async\.ca\.shared\.global/);
});

test("limits: an endless loop, recursion, memory", () => {
  const loop = run(kernel("L:\nadd.s32 %r2, %r2, 1;\nbra L;"), 0, { limits: { maxSteps: 10_000 } });
  expect(loop.findings).toMatchObject([{ kind: "limit", message: "stopped after 10000 warp instructions (--max-steps)" }]);
  const wide = run(
    kernel(
      "mov.b32 %r2, 0;\nL:\nmul.wide.s32 %rd2, %r2, 65536;\nadd.s64 %rd3, %rd0, %rd2;\nld.global.b32 %r3, [%rd3];\nadd.s32 %r2, %r2, 1;\nbra L;",
    ),
    0,
    { limits: { maxBytes: 1 << 16 } },
  );
  expect(wide.findings.at(-1)).toMatchObject({ kind: "limit", message: "more than 65536 bytes of global memory are touched" });
  const deep = ".visible .func f()\n{\ncall.uni f;\nret;\n}";
  expect(run(kernel("call.uni f;", 32, deep)).findings).toMatchObject([{ kind: "limit", message: "more than 64 calls deep" }]);
});

test("instructions that are not modelled are named when executed, and not before", () => {
  const body = (n: string) =>
    kernel(
      `setp.eq.s32 %p1, %r0, ${n};\n@%p1 bra SKIP;\nwgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1}, %rd1, %rd1, %r1, 0, 1, 1, 1;\nSKIP:`,
    );
  expect(run(body("0")).findings).toEqual([]);
  expect(run(body("1")).findings).toMatchObject([
    { kind: "not-modelled", message: expect.stringMatching(/^wgmma.* is not modelled: sparse products/) },
  ]);
});

test("a product of a shape that PTX does not have is no instruction", () => {
  const text = "wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd1, 1, 1, 1, 0, 0;";
  expect(run(kernel(text)).findings).toMatchObject([
    { kind: "no-instruction", message: expect.stringMatching(/^wgmma.* does not exist: shape m64n8k8 with 4 registers/) },
  ]);
});

test("a misaligned access, one beyond shared memory, one to nobody's address", () => {
  expect(kinds(run(kernel("ld.global.b32 %r2, [%rd0+2];")))).toEqual(["misaligned"]);
  expect(run(kernel("mov.b32 %r2, 4096;\nst.shared.b32 [%r2], %r2;", 32, SHARED)).findings[0]!.message).toBe(
    "thread 0: byte 4096 of shared memory, which has 4096 bytes",
  );
  expect(run(kernel("mov.b64 %rd2, 64;\nst.global.b32 [%rd2], %r1;")).findings[0]!.message).toContain("belongs to no argument");
});

test("what a request costs: sectors, lines, wavefronts of bank conflicts", () => {
  const r = run(
    kernel(
      "st.global.b32 [%rd1], %r1;\nshl.b32 %r2, %r1, 7;\nst.shared.b32 [%r2], %r1;\nshl.b32 %r3, %r1, 4;\nst.shared.v4.b32 [%r3], {%r1, %r1, %r1, %r1};",
      32,
      SHARED,
    ),
  );
  const site = (text: string) => r.sites.find((s) => s.text.startsWith(text))!;
  expect(site("st.global")).toMatchObject({ requests: 1, sectors: 4, lines: 1, executions: 1, lanes: 32 });
  expect(site("st.shared.b32")).toMatchObject({ requests: 1, wavefronts: 32, idealWavefronts: 1 });
  expect(site("st.shared.v4")).toMatchObject({ requests: 1, wavefronts: 4, idealWavefronts: 4 });
});

test("mbarriers: phases, expected bytes apart, waits that give up their turn", () => {
  const body = `mov.b32 %r2, smem;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [%r2], 32;\nbar.sync 0;\nsetp.lt.u32 %p2, %r1, 32;\n@%p2 bra PRODUCE;
WAIT:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r2], 0;\n@!%p3 bra WAIT;\nld.shared.b32 %r3, [%r2+16];\nst.global.b32 [%rd1], %r3;\nbra END;
PRODUCE:\n@%p1 st.shared.b32 [%r2+16], 9;\nmbarrier.arrive.shared.b64 _, [%r2];\nEND:`;
  const r = run(kernel(body, 64, SHARED));
  expect(r.findings).toEqual([]);
  expect(out(r, 64)).toEqual(lanes((l) => (l < 32 ? 0 : 9), 64));
});

// Planted faults in real kernels.
const real = (name: string) => gunzipSync(readFileSync(`fixtures/simulate/kernels/${name}.ptx.gz`)).toString("latin1");
const f16 = (name: string, count: number) => ({ kind: "buffer" as const, spec: { name, element: "f16" as const, bytes: count * 2 } });
const scalar = (value: number) => ({ kind: "scalar" as const, value });
const matmul = (text: string, n = 64, k = 128) =>
  runPtx(text, {
    grid: [1, 1, 1],
    args: [f16("a", n * k), f16("b", k * n), f16("c", n * n), ...[n, n, k, k, n, n].map(scalar)],
    sharedBytes: 65536,
  });

test.each(["matmul_f16_64x64x64_w4-sm80", "matmul_f16_accf16-sm80", "matmul_f32_tf32-sm80"])("%s: faults planted are found", (name) => {
  const text = real(name);
  const n = name.includes("64x64x64") ? 128 : 64;
  const clean = (t: string) => {
    const element = name.includes("f32") ? "f32" : "f16";
    const buffer = (b: string, count: number) => ({
      kind: "buffer" as const,
      spec: { name: b, element: element as "f16" | "f32", bytes: count * (element === "f32" ? 4 : 2) },
    });
    return runPtx(t, {
      grid: [1, 1, 1],
      args: [buffer("a", n * 256), buffer("b", 256 * n), buffer("c", n * n), ...[n, n, 256, 256, n, n].map(scalar)],
      sharedBytes: 65536,
    });
  };
  expect(clean(text).findings).toEqual([]);
  const barriers = [...text.matchAll(/\tbar\.sync \t0;\n/g)];
  const races = barriers.filter(({ index, 0: line }) =>
    kinds(clean(text.slice(0, index) + text.slice(index + line.length))).includes("race"),
  );
  expect(races.length).toBeGreaterThan(0);
  const waits = [...text.matchAll(/cp\.async\.wait_group \t(\d);/g)];
  const early = waits.filter(({ index, 0: line, 1: count }) =>
    kinds(clean(`${text.slice(0, index)}cp.async.wait_group \t${Number(count) + 1};${text.slice(index + line.length)}`)).includes(
      "early-read",
    ),
  );
  expect(early.length).toBeGreaterThan(0);
});

test("speed: one program of a 128x128x32 fp16 matmul", () => {
  const start = performance.now();
  const r = matmul(real("matmul_f16_128x128x32_w4-sm80"), 128);
  expect(r.findings).toEqual([]);
  expect(performance.now() - start).toBeLessThan(20_000); // the bench measures it; here only that it does not hang
});
