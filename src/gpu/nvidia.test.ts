import { expect, test } from "vitest";
import { CAPABILITIES, capabilityOf, gpuOf, knownCapability, NVIDIA_GPUS } from "./nvidia.js";

test("rows are in the order of their capabilities and name their chip", () => {
  expect([...CAPABILITIES].sort((a, b) => a - b)).toEqual(CAPABILITIES);
  for (const { capability, chip } of NVIDIA_GPUS) expect(chip).toMatch(new RegExp(`^sm_${capability}a?$`));
});

test("a capability between two rows has the older one's, before Turing Volta's", () => {
  expect([70, 75, 88, 90, 102, 110].map((c) => gpuOf(c).capability)).toEqual([70, 75, 87, 90, 100, 103]);
});

test("names of targets", () => {
  expect(["cuda:90", "cuda:121", "hip:gfx942", undefined].map(capabilityOf)).toEqual([90, 121, undefined, undefined]);
  expect(["cuda:90", "sm_90a", "sm100", "80", "cuda:999", "sm_998", ""].map(knownCapability)).toEqual([
    90,
    90,
    100,
    80,
    undefined,
    undefined,
    undefined,
  ]);
});
