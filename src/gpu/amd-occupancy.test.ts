import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { amdGpuOf } from "./amd.js";
import { occupancyText, waveOccupancy } from "./amd-occupancy.js";

test("waves of a SIMD unit are as LLVM 22 counts them", () => {
  const rows = JSON.parse(readFileSync("fixtures/gpu/amd-occupancy.json", "utf8")) as [string, number, number, number, number, number][];
  const ours = rows.map(([arch, waves, vgprs, sgprs, ldsBytes]) => [
    arch,
    waves,
    vgprs,
    sgprs,
    ldsBytes,
    waveOccupancy(amdGpuOf(arch)!, { waves, vgprs, sgprs, ldsBytes }).waves,
  ]);
  expect(ours).toEqual(rows);
});

test("what limits them is named", () => {
  const on = (vgprs: number, ldsBytes: number) =>
    occupancyText(waveOccupancy(amdGpuOf("gfx942")!, { waves: 8, vgprs, sgprs: 40, ldsBytes }));
  expect([on(250, 16384), on(64, 65536), on(250, 65536), on(32, 0), on(32, 70000)]).toEqual([
    "2 of 8 waves on a SIMD unit (VGPRs)",
    "2 of 8 waves on a SIMD unit (LDS)",
    "2 of 8 waves on a SIMD unit (VGPRs and LDS)",
    "8 of 8 waves on a SIMD unit",
    "0 of 8 waves on a SIMD unit (LDS)",
  ]);
});
