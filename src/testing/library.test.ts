/** The face of the library: what it returns for good input and bad, and the programs of `examples/`. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  type Compilation,
  compile,
  explain,
  fromJson,
  type ModuleSource,
  parseLayout,
  type Rejected,
  readSource,
  run,
  type Source,
  type Trace,
  threadMap,
  toJson,
  validate,
} from "../index.js";

function source(name: string, text = readFileSync(name, "latin1")): Source {
  const read = readSource({ name, text });
  if (read.kind === "error") throw new Error(read.rendered ?? read.message);
  return read;
}
function moduleOf(name: string, text: string): ModuleSource["module"] {
  return (source(name, text) as ModuleSource).module;
}
const traceOf = (read: Source): Trace => compiled(compile(read)).trace;
function compiled(result: Compilation | Rejected): Compilation {
  if (result.kind === "error") throw new Error(result.rendered ?? result.message);
  return result;
}
const KERNEL = `import triton
import triton.language as tl

# tt-step: signature=*fp32:16, i32:16, 1024, num_warps=8, target=cuda:90
@triton.jit
def scale(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, i < n) * 2, i < n)
`;

test("a Python kernel becomes every artifact, for as many targets as asked", () => {
  const kernel = source("scale.py", KERNEL);
  const hopper = compiled(compile(kernel));
  expect(hopper.ok).toBe(true);
  expect(hopper.trace.target).toBe("cuda:90");
  expect(hopper.trace.triton).toBe("3.6");
  expect(hopper.artifacts.ttir).toContain("tt.func public @scale");
  expect(hopper.artifacts.ttgir).toContain('"ttg.num-warps" = 8');
  expect(hopper.artifacts.llvmDialect).toContain("llvm.func");
  expect(hopper.artifacts.llir).toContain("define ptx_kernel void @scale");
  expect(hopper.artifacts.ptx).toContain(".target sm_90a");
  const ampere = compiled(compile(kernel, { target: "cuda:80", options: { numWarps: 4 } }));
  expect(ampere.artifacts.ptx).toContain(".target sm_80");
  expect(ampere.artifacts.ttgir).toContain('"ttg.num-warps" = 4');
  expect(compiled(compile(kernel)).artifacts.ptx).toBe(hopper.artifacts.ptx);
});

test("a kernel that is not lowered has no LLVM dialect", () => {
  const refused = compiled(
    compile(source("k.ttir", "tt.func public @k() -> i32 {\n  %c = arith.constant 1 : i32\n  tt.return %c : i32\n}")),
  );
  expect(refused.failed?.flag).toBe("convert-triton-gpu-to-llvm");
  expect([refused.artifacts.ttgir === undefined, refused.artifacts.llvmDialect]).toEqual([false, undefined]);
  const half = compiled(compile(source("scale.py", KERNEL), { until: "allocate-shared-memory-nv" }));
  expect([half.ok, half.artifacts.llvmDialect]).toEqual([true, undefined]);
});

test("explain, validate and JSON work on the Trace", () => {
  const { trace } = compiled(compile(source("scale.py", KERNEL)));
  const asked = explain(trace, "scale.py:8", "tritongpu-coalesce");
  expect(asked.kind === "explained" && asked.explanations.map((e) => e.subject).join("\n")).toContain("tt.load");
  const validation = validate(trace);
  expect(validation.kind === "validated" && [validation.broken, validation.runs > 0]).toEqual([[], true]);
  const ran = run(moduleOf("scale.py", KERNEL), { programs: [[0, 0, 0]] });
  expect(ran.kind === "ran" && [ran.kernel, ran.findings, ran.stores.length > 0]).toEqual(["scale", [], true]);
  const again = fromJson(toJson(trace));
  expect("steps" in again && toJson(again)).toBe(toJson(trace));
  expect(fromJson(asRequest(null))).toMatchObject({ diagnostic: { code: "trace.form" } });
});

test("until, startAfter and record say how much is done and kept", () => {
  const { trace, artifacts } = compiled(compile(source("scale.py", KERNEL), { until: "tritongpu-coalesce", record: "list" }));
  expect(trace.steps.at(-1)!.flag).toBe("tritongpu-coalesce");
  expect(trace.steps.every((step) => step.text.lines.length === 0 && step.ms === undefined)).toBe(true);
  expect(Object.keys(artifacts)).toEqual(["ttgir"]);
});

const BLOCKED = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>";

test("layouts are read from types", () => {
  const layout = parseLayout(`tensor<8x16xf32, ${BLOCKED}>`);
  const again = parseLayout(BLOCKED, { shape: [8, 16] });
  if (layout.kind === "error" || again.kind === "error") throw new Error("no layout");
  expect(threadMap(layout).split("\n")[0]).toContain("T0:0");
  expect(threadMap(again)).toBe(threadMap(layout));
});

/** Arguments that no compiler has checked. */
const asRequest = <T>(value: unknown): T => value as T;

test.each<[string, () => { readonly kind: string }, string]>([
  ["an empty text", () => readSource({ name: "k.ttir", text: "" }), "'k.ttir' is empty"],
  ["IR that does not parse", () => readSource({ name: "k.ttir", text: "module { tt.nothing }" }), "tt.nothing"],
  ["Python that does not parse", () => readSource({ name: "k.py", text: "def (" }), "invalid syntax"],
  ["a comment's option", () => readSource({ name: "k.py", text: KERNEL.replace("num_warps", "num_warp") }), "did you mean 'num_warps'?"],
  ["an unknown target", () => compile(source("k.py", KERNEL), { target: "cuda:1" }), "unknown target 'cuda:1'"],
  [
    "an unknown version of Triton",
    () => compile(source("k.py", KERNEL), { triton: "3.5" }),
    "Triton 3.5 is not compiled (the nearest is 3.6): 3.6 is followed whole",
  ],
  [
    "a version that a comment asks for",
    () => readSource({ name: "k.py", text: KERNEL.replace("num_warps=8", "triton=9") }),
    "Triton 9 is not",
  ],
  ["an unknown pass", () => compile(source("k.py", KERNEL), { until: "no-such-pass" }), "there is no pass 'no-such-pass'"],
  [
    "a pass put into LLVM dialect, which no pass is left for",
    () => compile(source("k.mlir", "llvm.func @k() { llvm.return }"), { target: "hip:gfx942", insert: ["0:cse"] }),
    "all passes have run on this IR",
  ],
  ["an option out of range", () => compile(source("k.py", KERNEL), { options: { numWarps: 3 } }), "num_warps must be a power of 2"],
  [
    "an option's name in Python",
    () => compile(source("k.py", KERNEL), asRequest({ options: { num_warps: 8 } })),
    "did you mean 'numWarps'?",
  ],
  [
    "an option of another type",
    () => compile(source("k.py", KERNEL), asRequest({ options: { numWarps: true } })),
    "num_warps is a number, not",
  ],
  ["a text that is a buffer", () => readSource(asRequest({ name: "k.py", text: new Uint8Array(8) })), "readFileSync(file, 'latin1')"],
  ["a target of another type", () => compile(source("k.py", KERNEL), asRequest({ target: 90 })), "target is a text"],
  ["a pass that is no text", () => compile(source("k.py", KERNEL), asRequest({ until: 5 })), "until is a text"],
  ["passes that are no list", () => compile(source("k.py", KERNEL), asRequest({ disable: "cse" })), "disable is a list of texts"],
  ["no source", () => compile(asRequest(undefined)), "compile takes what readSource returned"],
  ["a rejected source", () => compile(readSource({ name: "k.py", text: "def (" })), "invalid syntax"],
  ["a layout that is no text", () => parseLayout(asRequest(5)), "parseLayout takes the text"],
  [
    "a comment's value",
    () => readSource({ name: "k.py", text: KERNEL.replace("num_warps=8", "num_warps=3") }),
    "num_warps expects a power of 2",
  ],
  [
    "an option without effect",
    () => readSource({ name: "k.py", text: KERNEL.replace("num_warps=8", "launch_pdl=True") }),
    "launch_pdl=True is refused",
  ],
  ["a type without a layout", () => parseLayout("tensor<8x16xf32>"), "has no layout yet"],
  ["a type that does not parse", () => parseLayout("tensor<8x"), "expected"],
  ["a layout for another rank", () => parseLayout(BLOCKED, { shape: [8] }), "the layout has 2 dimensions, and the shape 1"],
  ["a shape without extents", () => parseLayout(BLOCKED, { shape: [8, 0] }), "integers from 1"],
  [
    "a kernel that is not there",
    () => run(moduleOf("scale.py", KERNEL), { kernel: "scala" }),
    "there is no function 'scala'; did you mean 'scale'?",
  ],
  ["lowered code", () => run(moduleOf("k.mlir", "llvm.func @k() { llvm.return }")), "'k' is no kernel of TTIR or TTGIR"],
  ["a Trace of PTX", () => validate(traceOf(source("k.ptx", ".version 8.0\n.target sm_80\n"))), "'k.ptx' holds no kernel in TTIR or TTGIR"],
  ["a question about no value", () => explain(traceOf(source("scale.py", KERNEL)), "%nothing"), "there is no value %nothing"],
])("%s is rejected with a diagnostic", (_, use, words) => {
  const result = use();
  expect(result).toMatchObject({ kind: "error" });
  expect(JSON.stringify((result as Rejected).diagnostics)).toContain(words);
});
