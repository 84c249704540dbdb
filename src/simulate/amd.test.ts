import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { compile, readSource, validate } from "../index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { parseModule } from "../syntax/parse.js";
import { runLlvm } from "./llvm/run.js";
import { decode, encode } from "./numbers/small-float.js";
import { runModule } from "./tensor/run.js";
import { Validator } from "./validate.js";

function parse(text: string): Operation {
  const ctx = new Context(ALL_DIALECTS);
  const parsed = parseModule(ctx, "x.mlir", text);
  expect(ctx.diagnostics).toEqual([]);
  return parsed!.module;
}
function compiledFor(target: string, text: string) {
  const source = readSource({ name: "x.ttir", text });
  if (source.kind !== "module") throw new Error(JSON.stringify(source));
  const compiled = compile(source, { target });
  if (compiled.kind !== "compiled") throw new Error(JSON.stringify(compiled));
  return compiled;
}
const lanes = (value: (lane: number) => number) => Array.from({ length: 64 }, (_, l) => value(l));

describe("one wave of 64 lanes", () => {
  const kernel = (
    body: string,
    waves: number,
  ) => `module attributes {"ttg.num-warps" = ${waves} : i32, "ttg.shared" = 1024 : i32, "ttg.target" = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  llvm.mlir.global external @global_smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  llvm.func @k(%out: !llvm.ptr<1>) attributes {nvvm.kernel = 1 : ui1, nvvm.reqntid = array<i32: ${32 * waves}>} {
    %lane = rocdl.workitem.id.x : i32
    %at = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c63 = llvm.mlir.constant(63 : i32) : i32
    %c100 = llvm.mlir.constant(100 : i32) : i32
${body}
    llvm.return
  }
}`;
  function execute(body: string, waves = 1) {
    const spec = { name: "out", element: "i32", data: new Uint8Array(256 * waves) } as const;
    const run = runLlvm(parse(kernel(body, waves)), { grid: [1, 1, 1], args: [{ kind: "buffer", spec }] }, "x.mlir");
    if ("error" in run) throw new Error(run.error);
    return run;
  }
  function out(body: string): number[] {
    const { memory, findings } = execute(body);
    expect(findings).toEqual([]);
    return [...new Int32Array(memory.contents("out", 256).buffer)];
  }
  const store = "    llvm.store %r, %at : i32, !llvm.ptr<1>";
  const dpp = (control: number, rows: number, bound: boolean) =>
    out(`    %r = rocdl.update.dpp %c100, %lane with ${control}, ${rows}, 15, ${bound} : i32\n${store}`);

  test("DPP: shifts and rotations of rows, permutations of four, broadcasts to the next rows", () => {
    expect(dpp(0x111, 15, false)).toEqual(lanes((l) => (l % 16 === 0 ? 100 : l - 1)));
    expect(dpp(0x104, 15, true)).toEqual(lanes((l) => (l % 16 > 11 ? 0 : l + 4)));
    expect(dpp(0x121, 15, false)).toEqual(lanes((l) => (l % 16 === 0 ? l + 15 : l - 1)));
    expect(dpp(0b10110001, 15, false)).toEqual(lanes((l) => l ^ 1));
    expect(dpp(0x142, 0xa, true)).toEqual(lanes((l) => ((l >> 4) & 1 ? (l & ~15) - 1 : 100)));
    expect(dpp(0x143, 15, false)).toEqual(lanes((l) => (l < 32 ? 100 : 31)));
  });
  test("values of any lane, also of the other half; of a lane that is off, 0", () => {
    const reversed = `    %from = llvm.sub %c63, %lane : i32
    %index = llvm.mul %from, %c4 : i32
    %r = rocdl.ds_bpermute %index, %lane : (i32, i32) -> i32\n${store}`;
    expect(out(reversed)).toEqual(lanes((l) => 63 - l));
    const parted = `    %c40 = llvm.mlir.constant(40 : i32) : i32
    %low = llvm.icmp "slt" %lane, %c40 : i32
    llvm.cond_br %low, ^in, ^end
  ^in:
${reversed}
    llvm.br ^end
  ^end:`;
    expect(out(parted)).toEqual(lanes((l) => (l < 40 && l >= 24 ? 63 - l : 0)));
    expect(out(`    %r = rocdl.readlane %lane, %c63 : (i32, i32) -> i32\n${store}`)).toEqual(lanes(() => 63));
  });
  test("rows swapped between two registers", () => {
    const swap = (rows: number, result: number) =>
      out(`    %no = llvm.mlir.constant(false) : i1
    %other = llvm.add %lane, %c100 : i32
    %s = llvm.call_intrinsic "llvm.amdgcn.permlane${rows}.swap"(%lane, %other, %no, %no) : (i32, i32, i1, i1) -> !llvm.struct<(i32, i32)>
    %r = llvm.extractvalue %s[${result}] : !llvm.struct<(i32, i32)>\n${store}`);
    expect(swap(32, 0)).toEqual(lanes((l) => (l < 32 ? l : 100 + l - 32)));
    expect(swap(32, 1)).toEqual(lanes((l) => (l < 32 ? l + 32 : 100 + l)));
    expect(swap(16, 1)).toEqual(lanes((l) => ((l >> 4) & 1 ? 100 + l : l + 16)));
  });
  test("a product of matrices: rows and columns by lane, four rows of the result in each", () => {
    // A[i][k] = 10 i + k, and B[k][j] = 1 where k = j.
    const body = `    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c10 = llvm.mlir.constant(10 : i32) : i32
    %i = llvm.urem %lane, %c16 : i32
    %k = llvm.udiv %lane, %c16 : i32
    %row = llvm.mul %i, %c10 : i32
    %sum = llvm.add %row, %k : i32
    %a = llvm.sitofp %sum : i32 to f32
    %same = llvm.icmp "eq" %i, %k : i32
    %b = llvm.uitofp %same : i1 to f32
    %c = llvm.mlir.constant(dense<0.000000e+00> : vector<4xf32>) : vector<4xf32>
    %d = rocdl.mfma.f32.16x16x4f32 %a, %b, %c, %c0, %c0, %c0 : (f32, f32, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
    %two = llvm.mlir.constant(2 : i32) : i32
    %e = llvm.extractelement %d[%two : i32] : vector<4xf32>
    %r = llvm.fptosi %e : f32 to i32\n${store}`;
    expect(out(body)).toEqual(lanes((l) => (l % 16 < 4 ? 10 * (4 * (l >> 4) + 2) + (l % 16) : 0)));
  });
  test("a buffer: nothing past its end, 0 from there", () => {
    const body = `    %stride = llvm.mlir.constant(0 : i16) : i16
    %bytes = llvm.mlir.constant(160 : i64) : i64
    %buffer = rocdl.make.buffer.rsrc %out, %stride, %bytes, %c0 : <1> to <8>
    %offset = llvm.mul %lane, %c4 : i32
    rocdl.raw.ptr.buffer.store %c100, %buffer, %offset, %c0, %c0 : i32
    %v = rocdl.raw.ptr.buffer.load %buffer, %offset, %c0, %c0 : i32
    %r = llvm.add %v, %lane : i32\n${store}`;
    expect(out(body)).toEqual(lanes((l) => (l < 40 ? 100 + l : l)));
  });
  test("copies to LDS fill it in the order of lanes, 0 past the buffer's end; whoever reads before the wait is found", () => {
    const copy = (wait: string) => `    %smem = llvm.mlir.addressof @global_smem : !llvm.ptr<3>
    %stride = llvm.mlir.constant(0 : i16) : i16
    %bytes = llvm.mlir.constant(160 : i64) : i64
    llvm.store %lane, %at : i32, !llvm.ptr<1>
    llvm.call_intrinsic "llvm.amdgcn.wave.barrier"() : () -> ()
    %buffer = rocdl.make.buffer.rsrc %out, %stride, %bytes, %c0 : <1> to <8>
    %from = llvm.sub %c63, %lane : i32
    %offset = llvm.mul %from, %c4 : i32
    rocdl.raw.ptr.buffer.load.lds %buffer, %smem, %c4, %offset, %c0, %c0, %c0
    rocdl.s.waitcnt ${wait}
    %own = llvm.getelementptr %smem[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %r = llvm.load %own : !llvm.ptr<3> -> i32\n${store}`;
    // 0x3f70: vmcnt(0), and 1 more of it.
    expect(out(copy("16240"))).toEqual(lanes((l) => (l < 24 ? 0 : 63 - l)));
    expect(execute(copy("16241")).findings.map((f) => f.kind)).toContain("early-read");
  });
  test("the wave counts copies: one of a half of its lanes counts for all, one that no lane does for none", () => {
    const copies = (lanes: number) => `    %smem = llvm.mlir.addressof @global_smem : !llvm.ptr<3>
    %other = llvm.getelementptr %smem[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %count = llvm.mlir.constant(${lanes} : i32) : i32
    %few = llvm.icmp "ult" %lane, %count : i32
    llvm.store %lane, %at : i32, !llvm.ptr<1>
    llvm.call_intrinsic "llvm.amdgcn.wave.barrier"() : () -> ()
    rocdl.global.load.lds %at, %smem, 4, 0, 0
    llvm.cond_br %few, ^bb1, ^bb2
  ^bb1:
    rocdl.global.load.lds %at, %other, 4, 0, 0
    llvm.br ^bb2
  ^bb2:
    rocdl.s.waitcnt 16241
    %own = llvm.getelementptr %smem[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %r = llvm.load %own : !llvm.ptr<3> -> i32\n${store}`;
    expect(execute(copies(32)).findings).toEqual([]);
    expect(execute(copies(0)).findings.map((f) => f.kind)).toContain("early-read");
  });
  test("an atomic adds two halves at once; an element at a place that is computed", () => {
    const body = `    %two = llvm.mlir.constant(2 : i32) : i32
    %zero = llvm.mlir.constant(dense<0.000000e+00> : vector<2xf16>) : vector<2xf16>
    %one = llvm.mlir.constant(1.000000e+00 : f16) : f16
    %odd = llvm.urem %lane, %two : i32
    %pair = llvm.insertelement %one, %zero[%odd : i32] : vector<2xf16>
    llvm.store %c0, %at : i32, !llvm.ptr<1>
    %old = llvm.atomicrmw fadd %at, %pair syncscope("agent") monotonic : !llvm.ptr<1>, vector<2xf16>
    %w = llvm.load %at : !llvm.ptr<1> -> vector<2xf16>
    %half = llvm.extractelement %w[%odd : i32] : vector<2xf16>
    %r = llvm.fptosi %half : f16 to i32\n${store}`;
    expect(out(body)).toEqual(lanes(() => 1));
  });
  test("lanes of a wave see each other's stores to shared memory; those of another wave only after a barrier", () => {
    const exchange = (barrier: string) => `    %smem = llvm.mlir.addressof @global_smem : !llvm.ptr<3>
    %c127 = llvm.mlir.constant(127 : i32) : i32
    %own = llvm.getelementptr %smem[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %lane, %own : i32, !llvm.ptr<3>
${barrier}
    %mirror = llvm.xor %lane, %mask : i32
    %from = llvm.getelementptr %smem[%mirror] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %r = llvm.load %from : !llvm.ptr<3> -> i32\n${store}`;
    const within = "    %mask = llvm.add %c63, %c0 : i32";
    const across = "    %mask = llvm.add %c127, %c0 : i32";
    expect(out(exchange(within))).toEqual(lanes((l) => 63 - l));
    expect(execute(exchange(within), 2).findings).toEqual([]);
    expect(execute(exchange(across), 2).findings.map((f) => f.kind)).toContain("race");
    expect(execute(exchange(`    rocdl.s.barrier\n${across}`), 2).findings).toEqual([]);
  });
});

describe("accesses by buffers at tensor level", () => {
  const kernel = (mask: string) => `#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
  %ns = tt.splat %n : i32 -> tensor<64xi32, #b>
  %m = arith.cmpi slt, %i, %ns : tensor<64xi32, #b>
  %five = arith.constant dense<5> : tensor<64xi32, #b>
  %v = amdg.buffer_load %x[%i], %m, %five : tensor<64xi32, #b>
  amdg.buffer_store %v, %y[%i]${mask} : tensor<64xi32, #b>
  tt.return
}
}`;
  test("a mask that a pass loses is found", () => {
    const validator = new Validator();
    validator.begin(parse(kernel(", %m")));
    validator.check("same", parse(kernel(", %m")));
    expect(validator.outcome.broken).toEqual([]);
    validator.check("planted", parse(kernel("")));
    expect(validator.outcome.broken.map(({ pass }) => pass)).toEqual(["planted"]);
    expect(validator.outcome.findings).toEqual([]);
  });
  test("an offset past the end of a buffer is off, as it is for the hardware", () => {
    const text = kernel("")
      .replace("%y[%i]", "%y[%o]")
      .replace("  %ns =", "  %c = arith.constant dense<-32> : tensor<64xi32, #b>\n  %o = arith.addi %i, %c : tensor<64xi32, #b>\n  %ns =");
    const run = runModule(parse(text), { programs: [[0, 0, 0]] });
    expect(run.findings).toEqual([]);
    expect(Array.from(run.stores[0]!.mask!, Number).filter((on) => on !== 0)).toHaveLength(32);
  });
});

test("fp8 of CDNA3 has one zero, and a NaN in place of the negative one", () => {
  expect([0, -0, -1, 240, NaN, 1e-9, -1e-9].map((x) => encode("f8E4M3FNUZ", x))).toEqual([0, 0, 0xc0, 0x7f, 0x80, 0, 0]);
  expect([0x7f, 0xff, 0x40, 1].map((bits) => decode("f8E4M3FNUZ", bits))).toEqual([240, -240, 1, 2 ** -10]);
  expect([encode("f8E5M2FNUZ", 57344), encode("f8E5M2FNUZ", 1e9), encode("f8E5M2FNUZ", -1e9, "rn", true)]).toEqual([0x7f, 0x80, 0xff]);
});

describe("conversions to 8 bits are at tensor level as the lowered code does them", () => {
  const SIZE = 512;
  function kernel(wide: string): string {
    const kinds = ["f8E5M2", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2FNUZ"];
    const pointers = (kind: string) => `tensor<${SIZE}x!tt.ptr<${kind}>>`;
    const stores = kinds.map(
      (kind, k) => `
  %c${k} = tt.fp_to_fp %v, rounding = rtne : tensor<${SIZE}x${wide}> -> tensor<${SIZE}x${kind}>
  %s${k} = tt.splat %y${k} : !tt.ptr<${kind}> -> ${pointers(kind)}
  %p${k} = tt.addptr %s${k}, %i : ${pointers(kind)}, tensor<${SIZE}xi32>
  tt.store %p${k}, %c${k} : ${pointers(kind)}`,
    );
    return `module {
tt.func public @k(%x: !tt.ptr<${wide}>, ${kinds.map((kind, k) => `%y${k}: !tt.ptr<${kind}>`).join(", ")}) {
  %i = tt.make_range {start = 0 : i32, end = ${SIZE} : i32} : tensor<${SIZE}xi32>
  %xs = tt.splat %x : !tt.ptr<${wide}> -> ${pointers(wide)}
  %xp = tt.addptr %xs, %i : ${pointers(wide)}, tensor<${SIZE}xi32>
  %v = tt.load %xp : ${pointers(wide)}${stores.join("")}
  tt.return
}
}`;
  }
  test.each([
    ["gfx942", "f32"],
    ["gfx942", "f16"],
    ["gfx950", "f32"],
    ["gfx1201", "f32"],
  ])("%s, of %s", (arch, wide) => {
    const { trace } = compiledFor(`hip:${arch}`, kernel(wide));
    expect(validate(trace, { seconds: 0.1 })).toMatchObject({ broken: [], notExecuted: [] });
  });
});

test("a kernel compiled for gfx942 is executed through the LLVM dialect", () => {
  const compiled = compiledFor("hip:gfx942", readFileSync("fixtures/kernels/vecadd_any_n.ttir", "utf8"));
  const validation = validate(compiled.trace, { seconds: 0.2 });
  expect(validation).toMatchObject({ kind: "validated", broken: [], notExecuted: [] });
  expect(validation.kind === "validated" && [...validation.coverage.keys()]).toEqual(["the source", "Triton IR", "lowered code"]);
});
