import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { amdGpuOf } from "../../gpu/amd.js";
import { compile, findings, readSource, type Trace } from "../../index.js";
import { codegenFacts, codegenStep } from "../codegen-facts.js";
import { AmdLines } from "./amd-lines.js";
import { instructionOnLine } from "./instruction-line.js";

const traces = new Map<string, Trace>();
function compiled(path: string, target: string): Trace {
  const key = `${path} ${target}`;
  const known = traces.get(key);
  if (known) return known;
  const source = readSource({ name: path, text: readFileSync(path, "latin1") });
  const made = source.kind === "error" ? source : compile(source, { target });
  if (made.kind === "error") throw new Error(made.message);
  traces.set(key, made.trace);
  return made.trace;
}
const reader = (arch = "gfx942") => new AmdLines(amdGpuOf(arch)!);
const named = (...lines: readonly string[]) => {
  const amd = reader();
  return lines.flatMap((line) => amd.read(line)).map(({ instruction, bytesPerThread }) => `${instruction} ${bytesPerThread}`);
};

test.each(["hip:gfx942", "hip:gfx950"])("%s: as many instructions as the LLVM dialect has, each tied to an op or a line", (target) => {
  for (const kernel of ["matmul", "softmax"]) {
    const trace = compiled(`fixtures/kernels/${kernel}.ttir`, target);
    const text = trace.lines.textOf(codegenStep(trace)!.text);
    const facts = codegenFacts(trace);
    const counted = (begins: string) => facts.filter((f) => f.instruction.startsWith(begins)).reduce((n, f) => n + f.count, 0);
    const inText = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
    for (const [begins, pattern] of [
      ["global_load", /llvm\.load .*ptr<1>/g],
      ["global_store", /llvm\.store .*ptr<1>/g],
      ["ds_read.", /llvm\.load .*ptr<3>/g],
      ["ds_write.", /llvm\.store .*ptr<3>/g],
      ["ds_read_tr", /rocdl\.ds\.read\.tr/g],
      ["buffer_load", /buffer\.load/g],
      ["buffer_store", /buffer\.store/g],
      ["mfma", /rocdl\.mfma/g],
      ["s_barrier", /rocdl\.(?:s\.)?barrier/g],
      ["s_waitcnt", /rocdl\.s\.waitcnt/g],
    ] as const)
      expect([kernel, begins, counted(begins)]).toEqual([kernel, begins, inText(pattern)]);
    expect(facts.filter(({ op, source }) => op === undefined && source === undefined)).toEqual([]);
  }
});

test("products have their shape and a lane's registers", () => {
  const of = (target: string) => codegenFacts(compiled("fixtures/kernels/matmul.ttir", target)).find(({ mma }) => mma)!.mma;
  expect(of("hip:gfx942")).toMatchObject({
    shape: [32, 32, 8],
    blocks: 1,
    types: { a: "f16", b: "f16" },
    registers: { a: 2, b: 2, acc: 16 },
  });
  expect(of("hip:gfx950")).toMatchObject({ shape: [32, 32, 16], blocks: 1, registers: { a: 4, b: 4, acc: 16 } });
  const small =
    "%1 = rocdl.mfma.f32.4x4x4f16 %a, %b, %c, %z, %z, %z : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>";
  expect(reader().read(small)[0]!.mma).toMatchObject({ shape: [4, 4, 4], blocks: 16 });
});

test("products of waves of 32 lanes; the instruction of a line is explained", () => {
  const line =
    '%2 = llvm.call_intrinsic "llvm.amdgcn.wmma.f32.16x16x16.f16"(%a, %b, %c) : (vector<8xf16>, vector<8xf16>, vector<8xf32>) -> vector<8xf32>';
  expect(reader("gfx1201").read(line)[0]).toMatchObject({
    instruction: "wmma_f32_16x16x16_f16",
    mma: { family: "wmma", shape: [16, 16, 16], blocks: 1, registers: { a: 4, b: 4, acc: 8 } },
  });
  const scaled = `%2 = llvm.call_intrinsic "llvm.amdgcn.wmma.scale.f32.16x16x128.f8f6f4"(%f, %a, %f, %b, %m, %c, %h, %z, %s, %h, %z, %s, %n, %n) : (i32, vector<16xi32>, i32, vector<16xi32>, i16, vector<8xf32>, i32, i32, i32, i32, i32, i32, i1, i1) -> vector<8xf32>`;
  expect(reader("gfx1250").read(scaled)[0]!.mma).toMatchObject({ shape: [16, 16, 128], registers: { a: 16, b: 16, acc: 8 } });
  expect(instructionOnLine(line, amdGpuOf("gfx1201"))!.title).toBe("wmma_f32_16x16x16_f16");
  expect(instructionOnLine(line)).toBeUndefined();
});

test("accesses have their width, and the cache policy of MI300", () => {
  const buffer = (aux: string) => `%v = rocdl.raw.ptr.buffer.load %r, %o, %z, ${aux} : vector<4xi32>`;
  expect(named("%z = llvm.mlir.constant(0 : i32) : i32", buffer("%z"))).toEqual(["buffer_load.b128 16"]);
  expect(named("%a = llvm.mlir.constant(3 : i32) : i32", buffer("%a"))).toEqual(["buffer_load.b128 sc0 nt 16"]);
  expect(named("%a = llvm.mlir.constant(4 : i32) : i32", "rocdl.global.load.lds %g, %l, 4, 0, 17", buffer("%a"))).toEqual([
    "global_load_lds.b32 sc0 sc1 4",
    "buffer_load.b128 aux 4 16",
  ]);
  expect(
    named("%s = llvm.mlir.constant(16 : i32) : i32", "rocdl.raw.ptr.buffer.load.lds %r, %l, %s, %o, %o, %o, %o {alias_scopes = [#a]}"),
  ).toEqual(["buffer_load_lds.b128 16"]);
  expect(
    named(
      '%0 = llvm.atomicrmw fadd %p, %v syncscope("agent") acq_rel : !llvm.ptr<1>, vector<2xf16>',
      "llvm.store %v, %p {alignment = 8 : i64, nontemporal} : vector<4xbf16>, !llvm.ptr<3>",
      "%2 = llvm.load %p : !llvm.ptr<1> -> !llvm.ptr<1>",
    ),
  ).toEqual(["global_atomic_fadd.b32 4", "ds_write.b64 nontemporal 8", "global_load.b64 8"]);
});

test("waits name the counters of CDNA, and the number elsewhere", () => {
  expect(named("rocdl.s.waitcnt 49279", "rocdl.s.waitcnt 3952")).toEqual(["s_waitcnt lgkmcnt(0) 0", "s_waitcnt vmcnt(0) 0"]);
  expect(reader("gfx1100").read("rocdl.s.waitcnt 49279")[0]!.instruction).toBe("s_waitcnt 49279");
});

test("narrow buffer accesses are findings with the reason that coalescing gave", () => {
  const found = findings(compiled("fixtures/kernels/softmax.ttir", "hip:gfx942"));
  expect(found.map(({ title }) => title)).toEqual([
    "4x buffer_load.b32: 4 of 16 bytes a thread",
    "4x buffer_store.b32: 4 of 16 bytes a thread",
  ]);
  expect(found[0]!.why[0]).toContain("argument %arg3 (cols) has no tt.divisibility");
});
