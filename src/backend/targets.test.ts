/** Targets of all platforms: options follow from one to another. */
import { expect, test } from "vitest";
import { TRITON_3_6, TRITON_3_8 } from "../support/triton-version.js";
import { CUDA } from "./nvidia/options.js";
import { cudaPipeline } from "./nvidia/pipeline.js";
import { RULES_3_6 } from "./nvidia/triton-3.6.js";
import { checkOptions, defaultOptions, optionsOfEnvironment, retargeted, TARGETS, versionProblem } from "./targets.js";

test("with another target, defaults become that target's, and values that were chosen stay", () => {
  const chosen = { ...defaultOptions("cuda:80"), numWarps: 8 };
  expect(retargeted(chosen, "cuda:80", "cuda:90")).toEqual({ ...defaultOptions("cuda:90"), numWarps: 8 });
  expect(retargeted(chosen, "cuda:80", "hip:gfx942")).toMatchObject({ numWarps: 8, numStages: 2, defaultDotInputPrecision: "ieee" });
  for (const from of TARGETS)
    for (const to of TARGETS) {
      const there = retargeted(defaultOptions(from), from, to);
      expect(there).toEqual(defaultOptions(to));
      expect(checkOptions(there, to)).toBeUndefined();
    }
});

test("a target that is not known is a reason, not an exception", () => {
  for (const target of ["cuda:1x", "__proto__", ""]) expect(checkOptions(defaultOptions(target), target)).toMatch(/^unknown target/);
});

test("the sanitizer runs after memory is allocated, by its option or the variable, and only as in Triton 3.6", () => {
  const target = "cuda:90";
  const asked = optionsOfEnvironment({ TRITON_INSTRUMENTATION_MODE: "consan" }, target);
  expect(asked).toEqual({ instrumentationMode: "consan" });
  expect(optionsOfEnvironment({ TRITON_INSTRUMENTATION_MODE: "consan" }, "hip:gfx942")).toEqual({});
  const flags = (options: typeof asked) =>
    cudaPipeline(RULES_3_6)({ target, options: { ...CUDA.defaults(target), ...options } }, "triton").map((step) => step.flag);
  const sanitizer = "tritoninstrument-concurrency-sanitizer";
  expect(flags({})).not.toContain(sanitizer);
  const instrumented = flags(asked);
  expect(instrumented.slice(instrumented.indexOf(sanitizer) - 1).slice(0, 3)).toEqual([
    "triton-nvidia-check-matmul-two-cta",
    sanitizer,
    "tritongpu-global-scratch-memory-allocation",
  ]);
  expect(versionProblem(target, TRITON_3_6, asked)).toBeUndefined();
  expect(versionProblem(target, TRITON_3_8, asked)).toBe("Triton 3.8 is not followed for instrumentation_mode=consan, only 3.6");
});
