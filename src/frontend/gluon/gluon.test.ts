/** Gluon against real Triton: whole kernels with their locations, and the language, one small kernel each. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { defaultOptions } from "../../backend/nvidia/options.js";
import { renderDiagnostic } from "../../diagnostics/render.js";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { gpuCalled } from "../../gpu/gpu.js";
import { Context } from "../../ir/context.js";
import type { Operation } from "../../ir/operation.js";
import { DEFAULT_TRITON, type TritonVersion, tritonCalled } from "../../support/triton-version.js";
import { parseModule } from "../../syntax/parse.js";
import { printOperation } from "../../syntax/print.js";
import { compileKernel, readPython } from "../compile-python.js";
import { commentSettings } from "../kernel-comment.js";
import { specialize } from "../specialize.js";

function compile(
  ctx: Context,
  name: string,
  text: string,
  kernel: string,
  signature: string,
  capability: number,
  { triton = DEFAULT_TRITON, numCtas = 1 }: { readonly triton?: TritonVersion; readonly numCtas?: number } = {},
): Operation | undefined {
  const file = readPython(ctx, name, text, { readFile: () => undefined, triton });
  const info = file?.kernels.find((k) => k.name === kernel);
  if (!file || !info) return undefined;
  const made = specialize(info, { kernel, signature, types: [], constants: [], config: undefined }, []);
  if ("error" in made) throw new Error(made.error);
  return compileKernel(file, made.specialization, { gpu: gpuCalled(`cuda:${capability}`)!, ...defaultOptions(capability), numCtas });
}

describe("Triton 3.6's own modules, with locations", () => {
  test.each([
    ["gluon_transpose", "transpose"],
    ["gluon_wgmma", "matmul"],
    ["gluon_partitions", "matmul"],
  ])("%s", (name, kernel) => {
    const text = readFileSync(`fixtures/kernels/${name}.py`, "latin1");
    const line = text.slice(0, text.indexOf("# tt-step:")).split("\n").length + 1;
    const settings = new Map(commentSettings(text, line).map(({ key, value }) => [key, value]));
    const ctx = new Context(ALL_DIALECTS);
    const capability = Number(settings.get("target")!.slice("cuda:".length));
    const module = compile(ctx, `${name}.py`, text, kernel, settings.get("signature")!, capability);
    expect(ctx.diagnostics.map((d) => renderDiagnostic(d, ctx.sources)).join("")).toBe("");
    const golden = parseModule(new Context(ALL_DIALECTS), name, readFileSync(`fixtures/gluon/${name}.ttgir`, "latin1"))!.module;
    // Triton's own files are in other folders elsewhere.
    const print = (made: Operation) => printOperation(made, { debugInfo: true }).replaceAll(/"\/triton\/(?:\w+\/)+/g, '"');
    expect(print(module!)).toBe(print(golden));
  });
});

describe("modules of real Triton 3.7.1 and 3.8.0, with locations: fixtures/gluon/versions", () => {
  const folder = "fixtures/gluon/versions";
  const modules = readdirSync(folder).filter((file) => file.endsWith(".ttgir"));
  test.each(modules)("%s", (file) => {
    const [, name = "", version = ""] = /^(\w+)-(.*)\.ttgir$/.exec(file)!;
    const text = readFileSync(`${folder}/${name}.py`, "latin1");
    const line = text.slice(0, text.indexOf("# tt-step:")).split("\n").length + 1;
    const signature = commentSettings(text, line).find(({ key }) => key === "signature")!.value;
    const real = readFileSync(`${folder}/${file}`, "latin1");
    const numCtas = Number(/"ttg\.num-ctas" = (\d+)/.exec(real)![1]);
    const capability = Number(/ttg\.target = "cuda:(\d+)"/.exec(real)![1]);
    const triton = tritonCalled(version)!;
    const ctx = new Context(ALL_DIALECTS);
    const module = compile(ctx, `${name}.py`, text, "k", signature, capability, { triton, numCtas });
    expect(ctx.diagnostics.map((d) => renderDiagnostic(d, ctx.sources)).join("")).toBe("");
    const golden = new Context(ALL_DIALECTS);
    golden.triton = triton;
    const print = (made: Operation) => printOperation(made, { debugInfo: true }).replaceAll(/"\/triton\/(?:\w+\/)+/g, '"');
    expect(print(module!)).toBe(print(parseModule(golden, file, real)!.module));
  });
});

interface Case {
  readonly params: string;
  readonly code: readonly string[];
  readonly signature: string;
  readonly target: number;
  /** The module, as numbers of lines. */
  readonly ttgir?: readonly number[];
  readonly error?: string;
}
const { lines, cases } = JSON.parse(readFileSync("fixtures/gluon/language.json", "utf8")) as {
  readonly lines: readonly string[];
  readonly cases: readonly Case[];
};
const IMPORTS = `from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy, mma_v2
from triton.experimental.gluon.language.nvidia import ampere, hopper, blackwell


@gluon.jit
def add(a, b):
    return a + b
`;

/** Lines without indentation, values numbered in their order. */
function normalized(ttgir: string): readonly string[] {
  const names = new Map<string, string>();
  const numbered = ttgir.replaceAll(/%[\w$.-]+/g, (name) => {
    if (!names.has(name)) names.set(name, `%${names.size}`);
    return names.get(name)!;
  });
  return numbered
    .trim()
    .split("\n")
    .map((line) =>
      line
        .trim()
        .replaceAll("gluon_cases.", "")
        .replace(/@k\d+\(/, "@k("),
    );
}

describe("the language", () => {
  test.each(cases.map((c, i) => [`${c.code.at(-1)!}   (${i}, sm_${c.target})`, c, i] as const))("%s", (_, c, i) => {
    const body = c.code.map((line) => `    ${line}\n`).join("");
    const ctx = new Context(ALL_DIALECTS);
    const module = compile(
      ctx,
      "gluon_cases.py",
      `${IMPORTS}\n\n@gluon.jit\ndef k${i}(${c.params}):\n${body}`,
      `k${i}`,
      c.signature,
      c.target,
    );
    const messages = ctx.diagnostics.map((d) => d.message).join("\n");
    if (c.error !== undefined) {
      expect(module).toBeUndefined();
      expect(messages).toContain(c.error);
    } else {
      expect(messages).toBe("");
      expect(normalized(printOperation(module!))).toEqual(normalized(c.ttgir!.map((n) => lines[n]!).join("\n")));
    }
  });
});

interface BadCase extends Pick<Case, "params" | "code" | "signature" | "target"> {
  /** Triton's message; a sentence of our own where it `asserts`. */
  readonly error: string;
  /** Line of the function, from 1, and column, from 0, that Triton names. */
  readonly at?: readonly [number, number];
  readonly asserts?: true;
}
const badInput = JSON.parse(readFileSync("fixtures/gluon/bad-input.json", "utf8")) as readonly BadCase[];

describe("bad input gets Triton's error at its place", () => {
  test.each(badInput.map((c) => [`${c.code.at(-1)!} (sm_${c.target})`, c] as const))(
    "%s",
    (_, { params, code, signature, target, error, at }) => {
      const ctx = new Context(ALL_DIALECTS);
      const head = `${IMPORTS}\n\n@gluon.jit\ndef f(p):\n    pass\n\n\n@gluon.jit\n`;
      const text = `${head}def k(${params}):\n${code.map((line) => `    ${line}\n`).join("")}`;
      expect(compile(ctx, "bad.py", text, "k", signature, target)).toBeUndefined();
      const [first] = ctx.diagnostics.filter(({ severity }) => severity === "error");
      expect(first?.message).toContain(error);
      if (at) expect(first?.position).toMatchObject({ line: head.split("\n").length - 1 + at[0], column: at[1] + 1 });
    },
  );
});

/** Triton gives an assertion without words. */
test.each([
  ["gl.NVMMASharedLayout(48, 16)", "swizzle_byte_width must be 0, 32, 64 or 128, not 48"],
  ["gl.BlockedLayout([1, 1], [32], [4], [0])", "size_per_thread has 2 dimensions, but threads_per_warp has 1"],
  ["gl.SharedLinearLayout([[1, 0], [2]])", "a basis in offset_bases has 1 coordinates, but the layout has 2 dimensions"],
  ["blackwell.TensorMemoryLayout([128], 1)", "block must be the rows and columns of a block"],
])("a layout that contradicts itself is told in a sentence: %s", (layout, message) => {
  const ctx = new Context(ALL_DIALECTS);
  const text = `${IMPORTS}\n\n@gluon.jit\ndef k(l: gl.constexpr):\n    x = l\n`;
  expect(compile(ctx, "gluon_cases.py", text, "k", layout, 100)).toBeUndefined();
  expect(ctx.diagnostics.map((d) => d.message).join("\n")).toContain(message);
});
