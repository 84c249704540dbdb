/** The language against real Triton: operators, casts, math, memory and errors, one small kernel each. */

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { defaultOptions } from "../../backend/targets.js";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { gpuCalled } from "../../gpu/gpu.js";
import { Context } from "../../ir/context.js";
import { printOperation } from "../../syntax/print.js";
import { compileKernel, type PythonFile, readPython } from "../compile-python.js";
import { specialize } from "../specialize.js";

interface Case {
  readonly params: string;
  readonly code: readonly string[];
  readonly signature: string;
  /** A compute capability, or `hip:gfx942`. */
  readonly target: number | string;
  readonly options?: { readonly debug?: boolean };
  /** The module, as numbers of lines. */
  readonly ttir?: readonly number[];
  readonly error?: string;
}
interface Fixture {
  readonly lines: readonly string[];
  readonly cases: readonly Case[];
}
const fixture = JSON.parse(readFileSync("fixtures/frontend/language.json", "utf8")) as Fixture;

const IMPORTS = "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n";
/** All cases as one file of kernels `k0`, `k1`, ... */
const text =
  IMPORTS +
  fixture.cases
    .map(({ params, code }, i) => `\n\n@triton.jit\ndef k${i}(${params}):\n${code.map((line) => `    ${line}\n`).join("")}`)
    .join("");

const ctx = new Context(ALL_DIALECTS);
let file: PythonFile;
beforeAll(async () => {
  file = readPython(ctx, "language.py", Buffer.from(text).toString("latin1"), { readFile: () => undefined })!;
});

const targetOf = (target: number | string): string => (typeof target === "number" ? `cuda:${target}` : target);
function compile(index: number): { readonly lines: readonly string[] } | { readonly error: string } {
  const { signature, target, options } = fixture.cases[index]!;
  ctx.diagnostics.length = 0;
  const kernel = file.kernels.find((k) => k.name === `k${index}`)!;
  const made = specialize(kernel, { kernel: kernel.name, signature, types: [], constants: [], config: undefined }, []);
  if ("error" in made) return made;
  const module = compileKernel(file, made.specialization, {
    gpu: gpuCalled(targetOf(target))!,
    ...defaultOptions(targetOf(target)),
    ...options,
  });
  if (!module) return { error: ctx.diagnostics.map((d) => d.message).join("\n") };
  return { lines: normalized(printOperation(module)) };
}

/** Lines without indentation, values numbered in their order. */
function normalized(ttir: string): readonly string[] {
  const names = new Map<string, string>();
  const numbered = ttir.replaceAll(/%[\w$.-]+/g, (name) => {
    if (!names.has(name)) names.set(name, `%${names.size}`);
    return names.get(name)!;
  });
  return numbered
    .trim()
    .split("\n")
    .map((line) => line.trim().replace(/@k\d+\(/, "@k("));
}

const title = ({ code, signature, target }: Case) =>
  `${code.at(-1)!.trim()}   (${signature}; ${typeof target === "number" ? `sm_${target}` : target})`;
const indices = (wanted: "ttir" | "error") => fixture.cases.flatMap((c, i) => (c[wanted] === undefined ? [] : [i]));

describe("TTIR", () => {
  test.each(indices("ttir").map((i) => [title(fixture.cases[i]!), i] as const))("%s", (_, i) => {
    const expected = fixture.cases[i]!.ttir!.map((n) => fixture.lines[n]!);
    expect(compile(i)).toEqual({ lines: expected });
  });
});

describe("errors", () => {
  test.each(indices("error").map((i) => [title(fixture.cases[i]!), i] as const))("%s", (_, i) => {
    const made = compile(i);
    expect("error" in made && made.error).toContain(fixture.cases[i]!.error!);
  });
});
