/** The cases of Triton's SwizzleTest.cpp, and properties of swizzlings. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blockedMatrix } from "./arbitraries.fixture.js";
import { bankConflictsLdSt } from "./bank-conflicts.js";
import { actionRemoveBroadcastedRegs } from "./column-action.js";
import { LinearLayout } from "./linear-layout.js";
import { transposeLinearLayout } from "./standard-dims.js";
import { getSrcDstTiles, optimalSwizzling, optimalSwizzlingLdSt } from "./swizzle.js";
import { toLinearLayout } from "./to-linear-layout.js";

type Vectors = readonly (readonly number[])[];

function distributed(register: Vectors, lane: Vectors, warp: Vectors): LinearLayout {
  return LinearLayout.fromBases(
    [
      ["register", register],
      ["lane", lane],
      ["warp", warp],
    ],
    ["dim0", "dim1"],
  );
}

/** Bases 1, 2, 4, ... of `count` bits of one dimension, from bit `from` on. */
const rows = (from: number, count: number): number[][] => Array.from({ length: count }, (_, i) => [1 << (from + i), 0]);
const cols = (from: number, count: number): number[][] => Array.from({ length: count }, (_, i) => [0, 1 << (from + i)]);
const transposed = (layout: LinearLayout): LinearLayout => transposeLinearLayout(layout, [1, 0]);

describe("conflict-free exchanges", () => {
  const fp8 = distributed([...cols(0, 4), ...rows(0, 2)], [...cols(4, 3), ...rows(2, 2)], rows(4, 3));
  const f16 = distributed([...rows(0, 3), ...cols(5, 2)], [...rows(3, 4), ...cols(0, 1)], cols(1, 4));
  const cases: readonly (readonly [name: string, src: LinearLayout, dst: LinearLayout, bitwidth: number])[] = [
    ["128x128 fp8 transpose", fp8, transposed(fp8), 8],
    [
      "16x16 bf16 blocked to mma",
      distributed(cols(0, 3), [...cols(3, 1), ...rows(0, 4)], []),
      distributed([...cols(0, 1), ...rows(3, 1), ...cols(3, 1)], [...cols(1, 2), ...rows(0, 3)], []),
      16,
    ],
    [
      "16x256 u4 blocked to mma",
      distributed([...cols(0, 5), ...rows(2, 2)], [...cols(5, 3), ...rows(0, 2)], []),
      distributed([...cols(0, 3), ...rows(3, 1), ...cols(5, 3)], [...cols(3, 2), ...rows(0, 3)], []),
      4,
    ],
    [
      "32x16 f32 transpose",
      distributed(rows(2, 3), [...cols(0, 4), ...rows(0, 1)], rows(1, 1)),
      distributed(cols(1, 3), rows(0, 5), cols(0, 1)),
      32,
    ],
    ["128x128 f16 transpose", f16, transposed(f16), 16],
  ];

  test.each(cases)("%s", (_, src, dst, bitwidth) => {
    const smem = optimalSwizzlingLdSt(src, dst, bitwidth);
    expect(bankConflictsLdSt(src, dst, smem, bitwidth)).toEqual({ read: 0, write: 0 });
    expect(smem.isInvertible()).toBe(true);
  });
});

test("a swizzling is never worse than plain rows of the same vectors, and holds every element once", () =>
  fc.assert(
    fc.property(blockedMatrix(4), blockedMatrix(4), fc.constantFrom(8, 16, 32), fc.constantFrom(32, 64, 128), (a, b, bitwidth, size) => {
      const unique = (layout: LinearLayout): LinearLayout => actionRemoveBroadcastedRegs(layout).apply(layout);
      const src = unique(toLinearLayout([size, size], a));
      const dst = unique(toLinearLayout([size, size], b));
      const smem = optimalSwizzlingLdSt(src, dst, bitwidth);
      expect(smem.isInvertible()).toBe(true);
      const swizzled = bankConflictsLdSt(src, dst, smem, bitwidth);
      const plain = bankConflictsLdSt(src, dst, unswizzled(smem), bitwidth);
      expect(swizzled.read + swizzled.write).toBeLessThanOrEqual(plain.read + plain.write);

      const tiles = getSrcDstTiles({ ldMatrix: true, stMatrix: true }, bitwidth);
      const best = optimalSwizzling(src, dst, tiles.src, tiles.dst, bitwidth);
      expect(best.smem.isInvertible()).toBe(true);
    }),
    { seed: 11, numRuns: 200 },
  ));

/** The same vectors, the rest of the tensor in ascending order after them. */
function unswizzled(smem: LinearLayout): LinearLayout {
  const vector = Array.from(smem.getPackedBases("vector"));
  const units = Array.from({ length: smem.getTotalOutDimSizeLog2() }, (_, i) => 1 << i).filter((unit) => !vector.includes(unit));
  const bank = units.slice(0, smem.getInDimSizeLog2("bank"));
  return smem.withBases([
    ["vector", vector],
    ["bank", bank],
    ["segment", units.slice(bank.length)],
    ["reps", []],
  ]);
}
