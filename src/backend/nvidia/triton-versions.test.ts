/** Kernels beside what real Triton 3.7.1 and 3.8.0 make of them (fixtures/compile/triton-*): the source, and the LLVM dialect. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../compile/compile.js";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { compileKernel, readPython } from "../../frontend/compile-python.js";
import { chooseKernel, specialize } from "../../frontend/specialize.js";
import { gpuCalled } from "../../gpu/gpu.js";
import { Context } from "../../ir/context.js";
import type { Operation } from "../../ir/operation.js";
import { attrText, typeText } from "../../ir/text-hook.js";
import type { Value } from "../../ir/value.js";
import { argSort } from "../../passes/ttg/coalesce/coalesced-layouts.js";
import { TRITON_3_6, TRITON_3_7, TRITON_3_8, type TritonVersion } from "../../support/triton-version.js";
import { parseModule } from "../../syntax/parse.js";
import { printOperation } from "../../syntax/print.js";
import { readStep } from "../../trace/step-module.js";
import { defaultOptions } from "./options.js";

const FOLDER = "fixtures/compile";
const ROWS = "*fp32:16, *fp32:16, i32, 1024";
const TILES = "*fp16:16, *fp16:16, i32, i32:16, 64";
const LOOP = "*fp16:16, *fp16:16, *fp32:16, i32, 64";
const DIVIDED = "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 32";
const TENSORS = ["128, 64", "64, 64", "128, 64"]
  .map((block) => `tensordesc<fp16[${block}],NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)>`)
  .join(", ");
const GROUPS = [
  "tensordesc<bf16[64, 64],NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)>, *fp32:16, *fp32:16, *i32:16",
  "gl.BlockedLayout([1], [32], [4], [0])",
  "gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])",
].join(", ");
const SLICES = [
  "*fp16:16, *fp16:16, gl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0])",
  "gl.PaddedSharedLayout.with_identity_for([[64, 8]], [32, 32], [1, 0])",
  "gl.SwizzledSharedLayout(2, 1, 4, order=[1, 0])",
].join(", ");
const SCANS = "*fp32:16, *fp32:16, gl.BlockedLayout([4], [32], [4], [0]), gl.BlockedLayout([16, 1], [1, 32], [1, 4], [0, 1])";
const CASES = [
  { triton: TRITON_3_7, name: "scans", capability: 80, signature: SCANS, gluon: true },
  { triton: TRITON_3_8, name: "scans", capability: 80, signature: SCANS, gluon: true },
  { triton: TRITON_3_7, name: "slices", capability: 80, signature: SLICES, gluon: true },
  { triton: TRITON_3_8, name: "slices", capability: 80, signature: SLICES, gluon: true },
  { triton: TRITON_3_8, name: "ctas", capability: 90, signature: "*fp16:16, *fp16:16, i32:16, 32", numCtas: 2 },
  { triton: TRITON_3_7, name: "divided", capability: 100, signature: DIVIDED },
  { triton: TRITON_3_8, name: "divided", capability: 100, signature: DIVIDED },
  { triton: TRITON_3_7, name: "rows", capability: 80, signature: ROWS },
  { triton: TRITON_3_7, name: "rows", capability: 100, signature: ROWS },
  { triton: TRITON_3_7, name: "tiles", capability: 90, signature: TILES },
  { triton: TRITON_3_8, name: "rows", capability: 80, signature: ROWS },
  { triton: TRITON_3_8, name: "rows", capability: 100, signature: ROWS },
  { triton: TRITON_3_8, name: "tiles", capability: 90, signature: TILES },
  { triton: TRITON_3_8, name: "loop", capability: 80, signature: LOOP },
  { triton: TRITON_3_8, name: "doubles", capability: 80, signature: "*fp64:16, *fp64:16, *fp64:16, i32, 64" },
  { triton: TRITON_3_8, name: "integers", capability: 100, signature: "*i8:16, *i8:16, *i32:16, 128" },
  { triton: TRITON_3_8, name: "scaled", capability: 100, signature: "*fp8e5:16, *i8:16, *fp8e5:16, *i8:16, *fp32:16, 64" },
  { triton: TRITON_3_8, name: "groups", capability: 90, signature: GROUPS, gluon: true },
  { triton: TRITON_3_8, name: "tensors", capability: 100, signature: `${TENSORS}, i32:16`, gluon: true },
] as const;

function stored(name: string, triton: TritonVersion): Operation {
  const ctx = new Context(ALL_DIALECTS);
  ctx.triton = triton;
  return parseModule(ctx, name, readFileSync(`${FOLDER}/${name}`, "latin1"))!.module;
}

/** Attributes without defaults that the parser adds. */
const attrsText = (op: Operation): string => attrText(op.attrs).replaceAll(/(, )?\b(unnamed_addr|visibility_) = 0 : i64/g, "");

/** The ops of a module, one a line. The names of values and the places of constants make no difference. */
function lines(module: Operation): readonly string[] {
  const names = new Map<Value, string>();
  const nameOf = (value: Value): string => {
    const op = value.definingOp;
    if (op && (op.def.isConstantLike || op.name === "llvm.mlir.undef" || op.name === "llvm.mlir.addressof"))
      return `<${attrText(op.attrs)}>`;
    if (!names.has(value)) names.set(value, `%${names.size}`);
    return names.get(value)!;
  };
  const list: string[] = [];
  module.walk((op) => {
    if (op.numResults > 0 && nameOf(op.result(0)).startsWith("<")) return;
    list.push(`${op.name} ${op.operands.map(nameOf).join()} ${attrsText(op)} ${op.resultTypes.map(typeText).join()}`);
  });
  return list;
}

interface Asked {
  readonly kernel: string;
  readonly debug?: boolean;
}
function source(name: string, capability: number, signature: string, triton: TritonVersion, asked: Asked = { kernel: name }): Operation {
  const text = readFileSync(`${FOLDER}/triton-versions/${name}.py`, "latin1");
  return sourceOf(new Context(ALL_DIALECTS), `${name}.py`, text, capability, signature, triton, asked);
}
function sourceOf(
  ctx: Context,
  name: string,
  text: string,
  capability: number,
  signature: string,
  triton: TritonVersion,
  { kernel, debug = false }: Asked,
): Operation {
  const gpu = gpuCalled(`cuda:${capability}`)!;
  const file = readPython(ctx, name, text, { readFile: () => undefined, gpu, triton });
  const chosen = chooseKernel(file!.kernels, kernel, name);
  if ("error" in chosen) throw new Error(chosen.error);
  const specialized = specialize(chosen, { kernel, signature, types: [], constants: [], config: undefined }, []);
  if ("error" in specialized) throw new Error(specialized.error);
  const module = compileKernel(file!, specialized.specialization, { gpu, ...defaultOptions(capability), debug });
  if (!module) throw new Error(ctx.diagnostics.flatMap(({ message, notes }) => [message, ...notes.map((note) => note.message)]).join("\n"));
  return module;
}

test.each(CASES)("Triton $triton.name, $name for sm_$capability: the source, and the LLVM dialect", (given) => {
  const { triton, name, capability, signature } = given;
  const folder = `triton-${triton.name}`;
  const from = "gluon" in given ? "ttgir" : "ttir";
  const module = source(name, capability, signature, triton);
  expect(lines(module)).toEqual(lines(stored(`${folder}/${name}.source.${from}`, triton)));
  const target = `cuda:${capability}`;
  const options = { ...defaultOptions(capability), ...("numCtas" in given && { numCtas: given.numCtas }) };
  const { ok } = compile(name, module, { target, options, version: triton, from, clock: () => 0 });
  expect(ok).toBe(true);
  expect(lines(module)).toEqual(lines(stored(`${folder}/${name}-sm${capability}.llvm.mlir`, triton)));
});

test("a step of a Trace is read back with the rules of its version", () => {
  const module = source("loop", 80, LOOP, TRITON_3_8);
  const { trace } = compile("loop", module, {
    target: "cuda:80",
    options: defaultOptions(80),
    version: TRITON_3_8,
    stopAfter: 0,
    clock: () => 0,
  });
  expect(readStep(trace, trace.steps.at(-1)!).module!.ctx.triton).toBe(TRITON_3_8);
});

test("3.6 makes other code of them", () => {
  const module = source("rows", 80, ROWS, TRITON_3_6);
  expect(lines(module)).not.toEqual(lines(stored("triton-3.7/rows.source.ttir", TRITON_3_7)));
});

const LANGUAGE = [
  { kernel: "blocks", signature: "*fp16, *fp16, i32, i64, 32, 64" },
  { kernel: "row", signature: "*fp32, *fp32, i32, 128" },
  { kernel: "words", signature: "*i32, *i32, i32, 128", debug: true },
  { kernel: "flags", signature: "*i1, *i32, i32, 16" },
  { kernel: "returns", signature: "*i32, *i32, i32, 16" },
];
test.each(LANGUAGE)("what 3.8 adds to the language, or has otherwise: $kernel", ({ kernel, signature, debug = false }) => {
  const module = source("language", 80, signature, TRITON_3_8, { kernel, debug });
  expect(lines(module)).toEqual(lines(stored(`triton-3.8/language-${kernel}.ttir`, TRITON_3_8)));
});

test("functions of 3.7 return as those of 3.8", () => {
  const module = source("language", 80, "*i32, *i32, i32, 16", TRITON_3_7, { kernel: "returns" });
  expect(lines(module)).toEqual(lines(stored("triton-3.8/language-returns.ttir", TRITON_3_8)));
});

test("what 3.8 adds to the language is named in 3.7", () => {
  expect(() => source("language", 80, LANGUAGE[2]!.signature, TRITON_3_7, { kernel: "words" })).toThrow("NamedExpr (Triton 3.8 has it)");
});

/** Compiles a kernel whose one statement is this, and returns how it is refused. */
function refusalOf(statement: string, triton: TritonVersion, imports = "import triton.language as tl"): string {
  const text = `import triton\n${imports}\n@triton.jit\ndef f(p):\n    ${statement}\n`;
  try {
    sourceOf(new Context(ALL_DIALECTS), "f.py", text, 80, "*fp32", triton, { kernel: "f" });
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}
const GLUON = "from triton.experimental.gluon import language as gl";
test.each([
  ["tl.expect_zero(tl.load(p), True)", TRITON_3_7, "Triton 3.8 has tl.expect_zero: --triton 3.8 compiles as it does"],
  ["tl.squeeze(p, 0)", TRITON_3_6, "Triton 3.7 has tl.squeeze: --triton 3.7 compiles as it does"],
  ["tl.standard.squeeze(p, 0)", TRITON_3_6, "Triton 3.7 has tl.standard.squeeze: --triton 3.7 compiles as it does"],
  ["tl.atomic_load(p)", TRITON_3_8, "Triton 3.9 has tl.atomic_load, which is not compiled here"],
  ["p.atomic_load()", TRITON_3_8, "Triton 3.9 has tensor.atomic_load, which is not compiled here"],
  ["tl.topk(p, 4, descending=False)", TRITON_3_7, "Triton 3.8 has topk(descending=...): --triton 3.8 compiles as it does"],
  ["tl.cat(p, p, dim=0)", TRITON_3_6, "Triton 3.7 has cat(dim=...): --triton 3.7 compiles as it does"],
  ["tl.extra.hip.num_warps()", TRITON_3_8, "Triton 3.8 has tl.extra.hip.num_warps; tt-step does not"],
] as const)("%s is refused with the version that has it", (statement, triton, note) => {
  expect(refusalOf(statement, triton)).toContain(note);
});
test("a name that cannot be imported is refused with the version that has it, or that took it away", () => {
  expect(refusalOf("squeeze(p, 0)", TRITON_3_6, "from triton.language import squeeze")).toContain("Triton 3.7 has tl.squeeze");
  expect(refusalOf("gl.thread_barrier()", TRITON_3_8, GLUON)).toContain(
    "since Triton 3.7 there is no gl.thread_barrier: barrier is instead",
  );
  expect(refusalOf("gl.barrier()", TRITON_3_6, GLUON)).toContain("Triton 3.7 has gl.barrier");
  expect(refusalOf("tl.nosuch(p)", TRITON_3_6)).not.toContain("Triton 3");
});

const HOPPER = "from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma";
test.each([
  [
    "mbarrier.expect(p, bytes_per_cta=64)",
    TRITON_3_6,
    HOPPER,
    "Triton 3.7 has expect(bytes_per_cta=...): --triton 3.7 compiles as it does",
  ],
  ["mbarrier.expect(p, bytes=64)", TRITON_3_8, HOPPER, "unexpected keyword argument 'bytes'"],
  ["tma.store_wait(0, read_only=False)", TRITON_3_7, HOPPER, "Triton 3.8 has store_wait(read_only=...)"],
  ["gl.warp_specialize([(f, ())], [])", TRITON_3_7, GLUON, "missing 1 required positional argument: 'worker_num_regs'"],
  ["gl.clamp(p, 0.0, 1.0)", TRITON_3_7, GLUON, "Triton 3.8 has gl.clamp"],
] as const)("Gluon: %s of another version is refused (%#)", (statement, triton, imports, message) => {
  expect(refusalOf(statement, triton, imports)).toContain(message);
});

test("3.8 collects *args in a tuple and names functions by the constants in aggregates", () => {
  const text = [
    "import triton",
    "import triton.language as tl",
    "from triton.language.core import _aggregate",
    "@_aggregate",
    "class Two:",
    "    a: tl.tensor",
    "    b: tl.constexpr = 7",
    "@triton.jit",
    "def total(two, *rest):",
    "    return two.a + two.b + rest[0]",
    "@_aggregate",
    "class One:",
    "    b: tl.constexpr = 7",
    "IS_NONE = tl.constexpr(One(b=None).b.value is None)",
    "@triton.jit",
    "def f(p, n):",
    "    tl.static_assert(IS_NONE)",
    "    tl.store(p, total(tl.aggregate_replace(Two(n), b=9), n, 1))",
  ].join("\n");
  const compiled = (triton: TritonVersion) => sourceOf(new Context(ALL_DIALECTS), "f.py", text, 80, "*i32, i32", triton, { kernel: "f" });
  expect(printOperation(compiled(TRITON_3_8))).toContain('@"f.total__f.Two<i32, c9>_Ti32_c1T"');
  expect(() => compiled(TRITON_3_7)).toThrow("Triton 3.8 has tl.aggregate_replace");
});

test("nvvm's enums are printed after one space since 3.8", () => {
  const text = (triton: TritonVersion) => printOperation(stored(`triton-${triton.name}/rows-sm80.llvm.mlir`, triton));
  expect(text(TRITON_3_7)).toContain(" nvvm.shfl.sync  bfly ");
  expect(text(TRITON_3_8)).toContain(" nvvm.shfl.sync bfly ");
});

test("a convolution's channels, with equally contiguous dimensions: the last one is the fastest since 3.7", () => {
  expect(argSort([1, 1], "first")).toEqual([0, 1]);
  expect(argSort([1, 1], "last")).toEqual([1, 0]);
  expect(argSort([4, 1], "last")).toEqual([0, 1]);
});
