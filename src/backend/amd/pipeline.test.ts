import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TRITON_3_6, TRITON_3_7 } from "../../support/triton-version.js";
import { checkOptions, defaultOptions, versionProblem } from "../targets.js";
import { hipPipeline } from "./pipeline.js";

interface Golden {
  readonly cases: readonly { target: string; numWarps: number; numStages: number; steps: readonly (readonly string[])[] }[];
}
const golden = JSON.parse(readFileSync("fixtures/compile/pipelines-hip.json", "utf8")) as Golden;

test.each(golden.cases.map((c) => [c.target, c] as const))("the passes of Triton 3.6 for %s", (target, { steps, ...given }) => {
  const pipeline = hipPipeline({ target, options: { ...defaultOptions(target), ...given } }, "triton");
  expect(pipeline.map(({ stage, flag, options }) => [stage, flag, options])).toEqual(steps);
});

test("options that Triton refuses, and those of another vendor, are refused", () => {
  const target = "hip:gfx942";
  const problem = (options: Partial<ReturnType<typeof defaultOptions>>, of = target) =>
    checkOptions({ ...defaultOptions(of), ...options }, of);
  expect(problem({})).toBeUndefined();
  expect(problem({ numWarps: 3 })).toBe("num_warps must be a power of 2");
  expect(problem({ numCtas: 2 })).toBe("num_ctas > 1 not supported on gfx942");
  expect(problem({ numCtas: 2 }, "hip:gfx1250")).toBeUndefined();
  expect(problem({ maxnreg: 128 })).toBe("maxnreg is an option of targets like cuda:75; hip:gfx942 has none of that name");
  expect(versionProblem(target, TRITON_3_6, {})).toBeUndefined();
  expect(versionProblem(target, TRITON_3_7, {})).toBe("Triton 3.7 is not followed for hip:gfx942, only 3.6");
  expect(problem({ instrumentationMode: "consan" })).toBe(
    "instrumentation_mode changes nothing here: Triton 3.6 has no sanitizer for AMD's GPUs",
  );
  expect(problem({ kpack: 2 }, "cuda:80")).toBe("kpack is an option of targets like hip:gfx90a; cuda:80 has none of that name");
});
