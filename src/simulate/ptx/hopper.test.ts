/** Instructions of Hopper and Blackwell that Triton's kernels seldom have, one by one. */
import { expect, test } from "vitest";
import { encode } from "../numbers/small-float.js";
import { type PtxRun, runPtx } from "./run.js";

/** Runs `k(out, in)`, with the addresses in %rd0 and %rd9, the thread in %r1 and 8 KiB of shared memory at `smem`. */
function run(body: string, { threads = 32, ctas = 1, input = new Uint8Array(16384) } = {}): PtxRun {
  const cluster = ctas > 1 ? `.reqnctapercluster ${ctas}, 1, 1\n` : "";
  const text = `.version 9.0\n.target sm_100a\n.address_size 64\n.extern .shared .align 128 .b8 smem[];
.visible .entry k(.param .u64 .ptr .global k_param_0, .param .u64 .ptr .global k_param_1)\n.reqntid ${threads}\n${cluster}{
.reg .pred %p<16>;\n.reg .b16 %rs<16>;\n.reg .b32 %r<200>;\n.reg .b32 %f<200>;\n.reg .b64 %rd<64>;
ld.param.b64 %rd0, [k_param_0];\nld.param.b64 %rd9, [k_param_1];\nmov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\nmul.wide.u32 %rd1, %r1, 4;\nadd.s64 %rd1, %rd0, %rd1;
${body}\nret;\n}\n`;
  const result = runPtx(text, {
    grid: [1, 1, 1],
    args: [
      { kind: "buffer", spec: { name: "out", element: "i32", data: new Uint8Array(32768) } },
      { kind: "buffer", spec: { name: "in", element: "i8", data: input } },
    ],
    sharedBytes: 8192,
  });
  expect(result.diagnostics).toEqual([]);
  return result;
}
const out = (r: PtxRun, count = 32) => [...new Int32Array(r.memory.contents("out", 4 * count).buffer)];
const lanes = (f: (l: number) => number, count = 32) => Array.from({ length: count }, (_, l) => f(l) | 0);
const kinds = (r: PtxRun) => r.findings.map((f) => f.kind);
const WAIT = (at: string, parity: number) =>
  `{\n.reg .pred done;\nL:\nmbarrier.try_wait.parity.shared.b64 done, [${at}], ${parity};\n@!done bra L;\n}`;

test("the CTAs of a cluster see each other's shared memory after the cluster's barrier, and race without it", () => {
  const body = (
    barrier: string,
    end: string,
  ) => `mov.u32 %r2, %cluster_ctarank;\nmov.u32 %r3, %cluster_nctarank;\nmad.lo.s32 %r4, %r2, 100, %r1;
shl.b32 %r5, %r1, 2;\nmov.b32 %r6, smem;\nadd.s32 %r6, %r6, %r5;\nst.shared.b32 [%r6], %r4;\n${barrier}
xor.b32 %r7, %r2, 1;\nmapa.shared::cluster.u32 %r8, %r6, %r7;\nld.shared::cluster.b32 %r9, [%r8];\ngetctarank.shared::cluster.u32 %r10, %r8;\nmad.lo.s32 %r9, %r10, 1000, %r9;
mov.u32 %r11, %ctaid.x;\nmul.wide.u32 %rd2, %r11, 128;\nadd.s64 %rd2, %rd1, %rd2;\nst.global.b32 [%rd2], %r9;\n${end}`;
  const together = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;";
  const good = run(body(together, together), { ctas: 2 });
  expect(good.findings).toEqual([]);
  expect(out(good, 64)).toEqual(lanes((i) => (i < 32 ? 1100 + i : i - 32), 64));
  expect(kinds(run(body("", together), { ctas: 2 }))).toContain("unwritten-shared");
  // A CTA may be gone before others have read what it has.
  expect(run(body(together, ""), { ctas: 2 }).findings).toMatchObject([
    { kind: "race", message: "thread 63 accesses shared memory of CTA 0, which may have ended", times: 2 },
  ]);
  expect(run("barrier.cluster.wait;", { ctas: 2 }).findings[0]!.message).toMatch(
    /waits for the cluster's barrier, where it has not arrived/,
  );
});

test("a thread arrives at the mbarrier of another CTA, which then knows what it did", () => {
  const body = (
    arrive: string,
  ) => `mov.u32 %r2, %cluster_ctarank;\nmov.b32 %r3, smem;\n@%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\nfence.mbarrier_init.release.cluster;
barrier.cluster.arrive;\nbarrier.cluster.wait;\nmapa.shared::cluster.u32 %r4, %r3, 0;\nsetp.eq.s32 %p2, %r2, 1;\n@!%p2 bra OWN;
@%p1 st.shared::cluster.b32 [%r4+64], 7;\n@%p1 ${arrive}\nbra END;\nOWN:\n${WAIT("%r3", 0)}\nld.shared.b32 %r5, [%r3+64];\nst.global.b32 [%rd1], %r5;\nEND:`;
  const good = run(body("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];"), { ctas: 2 });
  expect(good.findings).toEqual([]);
  expect(out(good)).toEqual(lanes(() => 7));
  expect(run(body("membar.cta;"), { ctas: 2 }).findings[0]!.message).toBe(
    "no warp can go on: warp 0 waits for phase 0 of the mbarrier at 0 (1 arrivals and 0 bytes to come)",
  );
});

test("threads arrive at an mbarrier when their copies are done", () => {
  const body = (
    wait: string,
  ) => `mov.b32 %r3, smem;\n@%p1 mbarrier.init.shared.b64 [%r3], 32;\nbar.sync 0;\nshl.b32 %r4, %r1, 4;\nadd.s32 %r5, %r3, %r4;\nadd.s64 %rd2, %rd9, 0;
cvt.u64.u32 %rd3, %r4;\nadd.s64 %rd2, %rd2, %rd3;\ncp.async.cg.shared.global [%r5+128], [%rd2], 16;\ncp.async.mbarrier.arrive.noinc.shared.b64 [%r3];\n${wait}
shl.b32 %r6, %r1, 2;\nadd.s32 %r6, %r3, %r6;\nld.shared.b32 %r7, [%r6+128];\nst.global.b32 [%rd1], %r7;`;
  const input = Uint8Array.from({ length: 512 }, (_, i) => (i % 4 === 0 ? i / 4 : 0));
  const good = run(body(WAIT("%r3", 0)), { input });
  expect(good.findings).toEqual([]);
  expect(out(good)).toEqual(lanes((l) => l));
  expect(kinds(run(body(""), { input }))).toEqual(["early-read"]);
});

test("copies of plain bytes: into shared memory, out of it, and what must be aligned", () => {
  const body = (
    size: number,
  ) => `mov.b32 %r3, smem;\n@%p1 mbarrier.init.shared.b64 [%r3], 1;\nbar.sync 0;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 128;
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+128], [%rd9], ${size}, [%r3];\n${WAIT("%r3", 0)}
@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3+128], 128;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;`;
  const input = Uint8Array.from({ length: 128 }, (_, i) => i);
  const good = run(body(128), { input });
  expect(good.findings).toEqual([]);
  expect([...good.memory.contents("out", 128)]).toEqual([...input]);
  expect(run(body(64), { input }).findings.map((f) => f.message)).toEqual([
    "no warp can go on: warp 0 waits for phase 0 of the mbarrier at 0 (0 arrivals and 64 bytes to come)",
  ]);
});

test("misused mbarriers", () => {
  const at = "mov.b32 %r3, smem;\n";
  const messages = (body: string) => run(at + body).findings.map((f) => f.message);
  expect(messages("@%p1 mbarrier.arrive.shared.b64 _, [%r3];")).toContain("the mbarrier at 0 is not initialised");
  expect(messages("@%p1 mbarrier.init.shared.b64 [%r3], 1;\nmbarrier.arrive.shared.b64 %rd2, [%r3], 2;")).toContain(
    "more arrivals at the mbarrier at 0 than the 1 that a phase waits for",
  );
  const copy = "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+128], [%rd9], 16, [%r3];";
  expect(messages(`@%p1 mbarrier.init.shared.b64 [%r3], 1;\n${copy}\n@%p1 mbarrier.inval.shared.b64 [%r3];`)).toEqual([
    "the mbarrier at 0 ends while 1 copies are to arrive there",
  ]);
  // The first access ends the run: the wait below would never end.
  expect(
    run(`mov.b32 %r3, smem;\nadd.s32 %r3, %r3, 4;\n@%p1 mbarrier.init.shared.b64 [%r3], 1;\n${WAIT("%r3", 0)}`).findings,
  ).toMatchObject([
    { kind: "misaligned", message: "thread 0: shared address 4 is not a multiple of 8" },
    { kind: "barrier", message: "thread 0: there is no place for an mbarrier at that address" },
  ]);
});

/** Bytes of `count` rows of `width` elements in shared memory from `at` on, copied there by all threads from the input. */
const fill = (bytes: number) =>
  `mov.b32 %r3, smem;\nmov.b32 %r20, %r1;\nFILL:\nshl.b32 %r21, %r20, 2;\nadd.s32 %r22, %r3, %r21;\ncvt.u64.u32 %rd4, %r21;\nadd.s64 %rd4, %rd9, %rd4;\nld.global.b32 %r23, [%rd4];\nst.shared.b32 [%r22], %r23;
add.s32 %r20, %r20, 128;\nsetp.lt.s32 %p3, %r20, ${bytes / 4};\n@%p3 bra FILL;\nfence.proxy.async;\nbar.sync 0;\n`;
const registers = (prefix: string, count: number) => `{${Array.from({ length: count }, (_, i) => `${prefix}${i}`).join(", ")}}`;
/** Without a swizzle, K-major: rows of 16 bytes, eight to 128; the next 16 bytes along K, and the next eight rows. */
const descriptor = (start: number, leading: number, stride: number, version = 0n) =>
  (BigInt(start >> 4) | (BigInt(leading >> 4) << 16n) | (BigInt(stride >> 4) << 32n) | (version << 46n)).toString();

test("wgmma of int8, without a swizzle, and with halves as accumulators", () => {
  // A is 64 x 32 bytes at 0, B 8 x 32 at 2048, as pieces of 16 bytes along K: the second lies after all rows of the first.
  const A = (i: number, k: number) => ((i * 7 + k * 3) % 11) - 5;
  const B = (j: number, k: number) => ((j * 5 + k) % 7) - 3;
  const input = new Uint8Array(2048 + 256);
  for (let i = 0; i < 64; i++) for (let k = 0; k < 32; k++) input[(k >> 4) * 1024 + i * 16 + (k & 15)] = A(i, k);
  for (let j = 0; j < 8; j++) for (let k = 0; k < 32; k++) input[2048 + (k >> 4) * 128 + j * 16 + (k & 15)] = B(j, k);
  const body = `${fill(2304)}mov.b64 %rd2, ${descriptor(0, 1024, 128)};\nmov.b64 %rd3, ${descriptor(2048, 128, 128)};\nwgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 ${registers("%f", 4)}, %rd2, %rd3, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;
mul.wide.u32 %rd5, %r1, 16;\nadd.s64 %rd5, %rd0, %rd5;\nst.global.v4.b32 [%rd5], ${registers("%f", 4)};`;
  const r = run(body, { threads: 128, input });
  expect(r.findings).toEqual([]);
  const row = (t: number, i: number) => 16 * (t >> 5) + ((t & 31) >> 2) + 8 * (i >> 1);
  const column = (t: number, i: number) => 2 * (t & 3) + (i & 1);
  const dot = (i: number, j: number) => Array.from({ length: 32 }, (_, k) => A(i, k) * B(j, k)).reduce((a, b) => a + b, 0);
  expect(out(r, 512)).toEqual(lanes((n) => dot(row(n >> 2, n & 3), column(n >> 2, n & 3)), 512));
});

test("the shapes of tensor memory: what is stored by rows is loaded by each", () => {
  // Column c of lane l holds 100 l + c.
  const store = Array.from({ length: 16 }, (_, c) => `mad.lo.s32 %r${100 + c}, %r1, 100, ${c};`).join("\n");
  const body = (
    shape: string,
    count: number,
  ) => `mov.b32 %r3, smem;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 32;\nbar.warp.sync -1;\nld.shared.b32 %r4, [%r3];\n${store}
tcgen05.st.sync.aligned.32x32b.x16.b32 [%r4], {${Array.from({ length: 16 }, (_, c) => `%r${100 + c}`).join(", ")}};\ntcgen05.wait::st.sync.aligned;
tcgen05.ld.sync.aligned.${shape}.b32 ${registers("%f", count)}, [%r4]${shape.startsWith("16x32bx2") ? ", 8" : ""};\ntcgen05.wait::ld.sync.aligned;
mul.wide.u32 %rd5, %r1, ${4 * count};\nadd.s64 %rd5, %rd0, %rd5;\n${Array.from({ length: count }, (_, i) => `st.global.b32 [%rd5+${4 * i}], %f${i};`).join("\n")}
tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;`;
  const check = (shape: string, count: number, place: (l: number, r: number) => readonly [row: number, column: number]) => {
    const r = run(body(shape, count));
    expect(r.findings).toEqual([]);
    const wanted = lanes((n) => {
      const [row, column] = place(Math.floor(n / count), n % count);
      return 100 * row + column;
    }, 32 * count);
    expect(out(r, 32 * count)).toEqual(wanted);
  };
  check("32x32b.x4", 4, (l, r) => [l, r]);
  check("16x64b.x2", 2, (l, r) => [8 * (l & 1) + (l >> 2), ((l >> 1) & 1) + 2 * r]);
  check("16x128b.x2", 4, (l, r) => [(l >> 2) + 8 * (r & 1), (l & 3) + 4 * (r >> 1)]);
  check("16x256b.x1", 4, (l, r) => [(l >> 2) + 8 * (r >> 1), 2 * (l & 3) + (r & 1)]);
  check("16x32bx2.x4", 4, (l, r) => [l & 15, r + (l >= 16 ? 8 : 0)]);
  expect(kinds(run(`mov.b32 %r3, 0;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%f0}, [%r3];\ntcgen05.wait::ld.sync.aligned;`))).toEqual([
    "tensor-memory",
  ]);
});

test("warps that share a quarter of tensor memory may each have half of its lanes", () => {
  // Warp 0 stores lanes from 0 on, warp 4 from `lane` on, and each loads what it stored.
  const body = (lane: number) => `mov.b32 %r3, smem;\nsetp.lt.u32 %p2, %r1, 32;\nshr.u32 %r5, %r1, 5;
@%p2 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], 32;\nbar.sync 0;\nld.shared.b32 %r4, [%r3];\nand.b32 %r6, %r5, 3;\nshl.b32 %r6, %r6, 21;
add.u32 %r6, %r6, %r4;\nshr.u32 %r7, %r5, 2;\nmul.lo.u32 %r7, %r7, ${lane << 16};\nadd.u32 %r6, %r6, %r7;
tcgen05.st.sync.aligned.16x32bx2.x1.b32 [%r6], 8, {%r1};\ntcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r8}, [%r6], 8;
tcgen05.wait::ld.sync.aligned;\nst.global.b32 [%rd1], %r8;\nbar.sync 0;
@%p2 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n@%p2 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;`;
  const apart = run(body(16), { threads: 256 });
  expect(apart.findings).toEqual([]);
  expect(out(apart, 256)).toEqual(lanes((t) => t, 256));
  expect(kinds(run(body(0), { threads: 256 }))).toContain("race");
});

test("a product with halves as accumulators, negated, and a copy into tensor memory", () => {
  // A is 128 x 16 halves at 0, B 8 x 16 at 4096, all ones and twos; then 32 x 16 bytes of B's are copied to columns 16..19.
  const half = (x: number) => encode("f16", x);
  const input = new Uint8Array(4096 + 512);
  const words = new Uint16Array(input.buffer);
  words.fill(half(1), 0, 2048);
  words.fill(half(2), 2048);
  // f16 elements, f16 sums; A is negated; M = 128, N = 8.
  const form = (1 << 13) | ((8 >> 3) << 17) | ((128 >> 4) << 24);
  const body = `${fill(4608)}setp.lt.u32 %p4, %r1, 32;\n@%p4 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3+8000], 32;\n@%p1 mbarrier.init.shared.b64 [%r3+8064], 1;\nbar.sync 0;\nld.shared.b32 %r4, [%r3+8000];
mov.b64 %rd2, ${descriptor(0, 2048, 128, 1n)};\nmov.b64 %rd3, ${descriptor(4096, 128, 128, 1n)};\nmov.b32 %r5, ${form};\nadd.s32 %r6, %r4, 16;\nadd.s32 %r7, %r3, 8064;\ncvt.u64.u32 %rd6, %r7;\nsetp.ne.s32 %p5, %r1, %r1;
@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd2, %rd3, %r5, %p5;\n@%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r6], %rd3;\n@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd6];
${WAIT("%r7", 0)}\nshr.u32 %r8, %r1, 5;\nshl.b32 %r8, %r8, 21;\nadd.s32 %r8, %r8, %r4;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%f0}, [%r8];\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%f1}, [%r8+17];\ntcgen05.wait::ld.sync.aligned;
xor.b32 %f1, %f1, %f0;\nst.global.b32 [%rd1], %f1;\nbar.sync 0;\n@%p4 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;`;
  const r = run(body, { threads: 128, input });
  expect(r.findings).toEqual([]);
  expect(out(r, 128)).toEqual(lanes(() => half(-32) ^ (half(2) | (half(2) << 16)), 128));
});
