import { expect, test } from "vitest";
import { parseLayout } from "../explain/parse-layout.js";
import { elementSteps, layoutFacts } from "./explain-layout.js";
import { ownersOf } from "./grid.js";

const BLOCKED = "tensor<8x32xf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>>";
const SHARED = "!ttg.memdesc<4x4xf16, #ttg.swizzled_shared<{vec = 2, perPhase = 2, maxPhase = 4, order = [1, 0]}>, #ttg.shared_memory>";
function layoutOf(type: string) {
  const found = parseLayout(type);
  if ("diagnostics" in found) throw new Error(found.diagnostics[0]!.message);
  return found;
}

test("an element of a blocked layout, by its fields and by bases", () => {
  const { params, shape, layout } = layoutOf(BLOCKED);
  expect(elementSteps(params, shape, layout, [5, 6])).toEqual([
    "element (5, 6) of 8 x 32",
    "dimension 0: 5 mod 1 = value 0; 5 mod 4 = lane 1; 1 mod 1 = warp 0; tile 1",
    "dimension 1: 6 mod 4 = value 2; 1 mod 8 = lane 1; 0 mod 1 = warp 0; tile 0",
    "it is in CTA 0, warp 0, lane 9, register 6",
    "and back, by bases:",
    "  register bit 1 (0, 2) xor register bit 2 (4, 0) xor lane bit 0 (0, 4) xor lane bit 3 (1, 0) = (5, 6)",
  ]);
});

test("the bases lead back to every element", () => {
  const { params, shape, layout } = layoutOf(BLOCKED);
  for (let r = 0; r < 8; r++)
    for (let c = 0; c < 32; c++) {
      const steps = elementSteps(params, shape, layout, [r, c]);
      expect(steps.at(-1)!.endsWith(`= (${r}, ${c})`)).toBe(true);
      expect(steps).toContain(
        `it is in CTA 0, warp 0, lane ${ownersOf(layout, [r, c])[0]!.lane}, register ${ownersOf(layout, [r, c])[0]!.register}`,
      );
    }
});

test("an element of swizzled memory: phase, group and offset agree with the layout", () => {
  const { params, shape, layout } = layoutOf(SHARED);
  for (let r = 0; r < 4; r++)
    for (let c = 0; c < 4; c++) {
      const steps = elementSteps(params, shape, layout, [r, c]);
      const [, group, inside] = /= (\d), and (\d) in it$/.exec(steps[2]!)!;
      expect(steps[3]).toBe(`it is at offset ${r * 4 + Number(group) * 2 + Number(inside)} (counted in elements)`);
      expect(steps.at(-1)!.endsWith(`= (${r}, ${c})`)).toBe(true);
    }
});

test("facts: the tile of a CTA and what a thread holds; the phases of rows", () => {
  const blocked = layoutOf(BLOCKED);
  const facts = layoutFacts(blocked.params, blocked.shape, blocked.layout, 16);
  expect(facts).toContain("shape per CTA tile    [4, 32] = size per thread x threads per warp x warps per CTA");
  expect(facts).toContain("elements per thread   [2, 4], 8 in all; [1, 4] lie together");
  expect(facts.join("\n")).toContain("| thread: 4 values, 1 x 4 elements ");
  const shared = layoutOf(SHARED);
  const phases = layoutFacts(shared.params, shared.shape, shared.layout, 16).filter((line) => line.startsWith("row "));
  expect(phases.slice(-2)).toEqual([
    "row  2, phase 1: group 0 -> 1, 1 -> 0  [(2:2), (2:3), (2:0), (2:1)]",
    "row  3, phase 1: group 0 -> 1, 1 -> 0  [(3:2), (3:3), (3:0), (3:1)]",
  ]);
});

test("facts of a cluster: CTAs along each dimension, their order, their part of the tensor; the bases of all levels", () => {
  const { params, shape, layout } = layoutOf(BLOCKED.replace("8x32", "16x32").replace("[1, 0]}", "[1, 0], CGALayout = [[1, 0], [0, 0]]}"));
  const facts = layoutFacts(params, shape, layout, 16);
  expect(facts).toContain("CTAs of a cluster     [4, 1] in order [0, 1], split [2, 1]: each has [8, 32] of the tensor");
  expect(facts.join("\n")).toContain("| CTA: one of 2 [2, 1], 8 x 32 elements ");
  expect(facts.slice(facts.indexOf("bases of the linear layout:") + 1).join("\n")).toBe(layout.toString().slice(1));
  expect(elementSteps(params, shape, layout, [9, 3])).toContain(
    "dimension 0: 9 / 8 = CTA 1, and 1 in it; 1 mod 1 = value 0; 1 mod 4 = lane 1; 0 mod 1 = warp 0; tile 0",
  );
});

test.each([
  [
    "vec = 8, perPhase = 2, maxPhase = 4",
    "8 rows of 8 elements, 16 bytes each: they begin in banks 0, 16, 4, 20, 8, 24, 12, 28: 1 wavefront",
  ],
  [
    "vec = 1, perPhase = 1, maxPhase = 1",
    "8 rows of 8 elements, 16 bytes each: they begin in banks 0, 16, 0, 16, 0, 16, 0, 16: 4 wavefronts",
  ],
  ["vec = 1, perPhase = 1, maxPhase = 4", "none: 16 bytes of a row do not lie together"],
])("the ldmatrix tile of memory with %s", (fields, expected) => {
  const { params, shape, layout } = layoutOf(
    `!ttg.memdesc<64x32xf16, #ttg.swizzled_shared<{${fields}, order = [1, 0]}>, #ttg.shared_memory>`,
  );
  expect(layoutFacts(params, shape, layout, 16)).toContain(`an ldmatrix tile      ${expected}`);
});
