/** Faults planted in real Triton's PTX and TTGIR are found by executing it beside the source, and their place is named. */

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { artifactsOf } from "../backend/nvidia/artifacts.js";
import { defaultOptions } from "../backend/nvidia/options.js";
import { compile } from "../compile/compile.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { differenceOfLowered, launchOf, type Reference, referenceOf } from "../simulate/lowered.js";
import { elementKind } from "../simulate/numbers/element.js";
import { runPtx } from "../simulate/ptx/run.js";
import type { ArgumentPlan } from "../simulate/tensor/arguments.js";
import { parseModule } from "../syntax/parse.js";
import { cases, folder, made } from "./kernel-cases.js";

const textOf = (file: string): string => gunzipSync(readFileSync(`${folder}/${file}.gz`)).toString("latin1");
const moduleOf = (file: string): Operation => parseModule(new Context(ALL_DIALECTS), file, textOf(file))!.module;

/** The expected results: those of the kernel's source for its first and its last program. */
function reference(name: string): Reference {
  const { args, grid } = cases.find((c) => c.case === name)!;
  const plan = args.map(
    (a, i): ArgumentPlan =>
      typeof a === "number"
        ? { kind: "scalar", name: `arg${i}`, value: a }
        : { kind: "pointer", name: a.name, element: elementKind(a.dtype)!, init: undefined, data: made(a) },
  );
  const last = grid.map((n) => n - 1);
  const programs = last.some((n) => n > 0) ? [[0, 0, 0], last] : [[0, 0, 0]];
  const module = moduleOf(`${name}.ttir`);
  return referenceOf(module, { args: plan, grid, programs, target: `cuda:${/\d+$/.exec(name)![0]}`, seed: 0 });
}

function verdict(source: Reference, ptx: string, sharedBytes: number): string {
  const run = runPtx(ptx, { ...launchOf(source)!, sharedBytes });
  expect(run.diagnostics).toEqual([]);
  return differenceOfLowered(source, run) ?? "the same results";
}

interface Fault {
  readonly kernels: readonly string[];
  /** The text with the fault, at each place where it can be planted. */
  readonly plant: (ptx: string) => Iterable<string>;
  readonly finds: RegExp;
}

/** Replaces one match after the other. */
function* atEach(ptx: string, pattern: RegExp, replacement: (match: RegExpMatchArray) => string | undefined): Iterable<string> {
  for (const match of ptx.matchAll(pattern)) {
    const text = replacement(match);
    if (text !== undefined) yield ptx.slice(0, match.index) + text + ptx.slice(match.index + match[0].length);
  }
}
/** Whether a register is the address of a shared access, or one is made of it by additions. */
function addressesShared(ptx: string, register: string, depth = 3): boolean {
  if (new RegExp(`(?:ldmatrix|(?:ld|st)\\.shared|cp\\.async)[^;]*\\[ ?${register}\\b`).test(ptx)) return true;
  const sums = ptx.matchAll(new RegExp(`(?:add|or)\\.[a-z]\\d+\\s+(%r\\d+), (?:%r\\d+, ${register}|${register}, %r\\d+);`, "g"));
  return depth > 0 && [...sums].some(([, sum]) => addressesShared(ptx, sum!, depth - 1));
}

const PTX_FAULTS: Readonly<Record<string, Fault>> = {
  "a removed barrier": {
    kernels: ["softmax_row-sm80", "reduce_2d_axes-sm80", "cumsum_2d-sm80", "layernorm_fwd-sm80"],
    plant: (ptx) => atEach(ptx, /\tbar\.sync \t0;\n/g, () => ""),
    finds:
      /^(?:race: thread \d+ \w+ shared byte \d+ that thread \d+ has \w+ without a barrier between, by line \d+: .*;|unwritten-shared: .*line \d+: )/,
  },
  "a wait for one group too few": {
    kernels: ["matmul_f16_16x16x16_w1-sm80", "matmul_f32_tf32-sm80", "matmul_f64-sm80", "matmul_f16_64x64x64_w4-sm80"],
    plant: (ptx) => atEach(ptx, /(cp\.async\.wait_group \s*)(\d+)/g, ([, wait, n]) => `${wait}${Number(n) + 1}`),
    finds: /^early-read: .*line \d+: /,
  },
  "a wrong phase of a swizzle": {
    kernels: ["matmul_f16_16x16x16_w1-sm80", "matmul_f16_64x64x64_w4-sm80", "matmul_f32_tf32-sm80", "bmm_3d-sm80"],
    plant: (ptx) =>
      atEach(ptx, /(xor\.b32\s+(%r\d+), %r\d+, )(16|32|64|128);/g, ([, head, register, phase]) =>
        addressesShared(ptx, register!) ? `${head}${Number(phase) * 3};` : undefined,
      ),
    finds: /^byte \d+ of 'c' .* before, .* after, stored by tt.store/,
  },
  "a mask that is off by one": {
    kernels: ["vecadd_f32-sm80", "softmax_row-sm80", "layernorm_fwd-sm80", "dropout_philox-sm80"],
    plant: (ptx) => [ptx.replace(/setp\.(lt|ge|gt)\.s32/g, (_, p: string) => `setp.${{ lt: "le", ge: "gt" }[p] ?? "ge"}.s32`)],
    finds: /^out-of-bounds: .*line \d+: .*global|^byte \d+ of '\w+' .* stored by tt.store/,
  },
  "operands of an mma in the wrong order": {
    kernels: ["matmul_f16_16x16x16_w1-sm80", "matmul_f64-sm80", "matmul_f32_tf32-sm80", "chained_dot-sm80"],
    plant: (ptx) =>
      // The first two registers of A, or A and B where they have one each.
      atEach(ptx, /(mma\.sync[^{]*\{[^}]*\}, \{ )(%\w+)((?:, | \}, \{ ))(%\w+)/g, ([, head, a, between, b]) => `${head}${b}${between}${a}`),
    finds: /^byte \d+ of '[cy]' .* before, .* after, stored by tt.store/,
  },
};

describe.each(Object.entries(PTX_FAULTS))("in PTX: %s", (_, { kernels, plant, finds }) => {
  test.each(kernels)("in %s", (name) => {
    const ptx = textOf(`${name}.ptx`);
    const { shared } = cases.find((c) => c.case === name)!;
    const source = reference(name);
    expect(verdict(source, ptx, shared)).toBe("the same results");
    const verdicts: string[] = [];
    for (const faulty of plant(ptx)) {
      verdicts.push(verdict(source, faulty, shared));
      if (finds.test(verdicts.at(-1)!)) return;
    }
    expect(verdicts).toContain("a finding that names the place");
  });
});

/** The PTX that our passes make from TTGIR on sm_80. */
function ptxOf(ttgir: string): string {
  const { module } = parseModule(new Context(ALL_DIALECTS), "ttgir", ttgir)!;
  const options = defaultOptions(80);
  const { trace } = compile("ttgir", module, {
    target: "cuda:80",
    options,
    from: "llir",
    artifacts: ["ptx"],
    translate: artifactsOf,
    texts: false,
    clock: () => 0,
  });
  return trace.artifacts.ptx!;
}

describe("in TTGIR: a dropped convert_layout", () => {
  test.each(["matmul_f16_16x16x16_w1-sm80", "strided_copy-sm80", "reshape_cat_permute-sm80", "join_split-sm80"])("in %s", (name) => {
    const ttgir = textOf(`${name}.ttgir`);
    const source = reference(name);
    expect(verdict(source, ptxOf(ttgir), 65536)).toBe("the same results");
    // The registers are left where they are, and called by the other layout.
    const faulty = [...atEach(ttgir, /ttg\.convert_layout (%\w+)( \{[^}]*\})? :/g, ([, value]) => `tt.reshape ${value} allow_reorder :`)];
    const verdicts = faulty.map((text) => verdict(source, ptxOf(text), 65536));
    expect(verdicts.join("\n")).toMatch(/^byte \d+ of '\w+' .* before, .* after, stored by tt.store/m);
  });
});
