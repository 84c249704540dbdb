import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkOptions, defaultOptions } from "./options.js";
import { cudaPipeline } from "./pipeline.js";
import { RULES_3_6 } from "./triton-3.6.js";

const triton36 = cudaPipeline(RULES_3_6);

interface Golden {
  readonly steps: readonly (readonly string[])[];
  readonly cases: readonly { arch: number; numWarps: number; numStages: number; numCtas: number; steps: readonly number[] }[];
}
const golden = JSON.parse(readFileSync("fixtures/compile/pipelines.json", "utf8")) as Golden;

test.each(golden.cases.map((c) => [`sm_${c.arch}, ${c.numWarps} warps, ${c.numStages} stages, ${c.numCtas} CTAs`, c] as const))(
  "the passes of Triton 3.6 for %s",
  (_name, { arch, steps, ...given }) => {
    const pipeline = triton36({ target: `cuda:${arch}`, options: { ...defaultOptions(arch), ...given } }, "triton");
    expect(pipeline.map((s) => [s.stage, s.flag, s.pass, s.options])).toEqual(steps.map((i) => golden.steps[i]));
  },
);

test("a Gluon kernel goes through passes of its own, and is lowered as others are", () => {
  const target = { target: "cuda:90", options: defaultOptions(90) };
  const [gluon, triton] = [triton36(target, "gluon"), triton36(target, "triton")];
  expect(gluon.filter((s) => s.stage === "ttgir").map((s) => s.flag)).toEqual([
    "gluon-inline",
    "gluon-infer-coalesced-encodings",
    "gluon-resolve-auto-encodings",
    "triton-nvidia-tma-lowering",
    "gluon-canonicalize",
    "sccp",
    "triton-loop-aware-cse",
    "gluon-canonicalize",
    "tritongpu-combine-tensor-select-and-if",
  ]);
  expect(gluon.slice(9).map((s) => s.flag)).toEqual(triton.filter((s) => s.stage === "llir").map((s) => s.flag));
});

test("options that Triton refuses are refused", () => {
  expect(checkOptions({ ...defaultOptions(80), numWarps: 3 }, 80)).toMatch("power of 2");
  expect(checkOptions({ ...defaultOptions(80), numCtas: 2 }, 80)).toMatch("SM90");
  expect(checkOptions({ ...defaultOptions(90), numCtas: 2 }, 90)).toBeUndefined();
  for (const numCtas of [0, 3, 1 << 20])
    expect(checkOptions({ ...defaultOptions(90), numCtas }, 90)).toMatch("num_ctas must be a power of 2");
  for (const warpSize of [0, 3, 64]) expect(checkOptions({ ...defaultOptions(90), warpSize }, 90)).toMatch("warp_size must be 32");
});
