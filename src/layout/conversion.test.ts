import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blockedMatrix, matrixShape } from "./arbitraries.fixture.js";
import { readDistributed } from "./attribute-reader.fixture.js";
import { actionRemoveBroadcastedRegs } from "./column-action.js";
import { conversionShape, cvtNeedsSharedMemory, isCvtWarpSync, minimalCvtLayout, movesInto } from "./conversion.js";
import type { LinearLayout } from "./linear-layout.js";
import { getSrcDstTiles, optimalSwizzling, optimalSwizzlingLdSt } from "./swizzle.js";
import { toLinearLayout } from "./to-linear-layout.js";
import { getWarpLayoutConvertDecomposition } from "./warp-conversion.js";

const unique = (layout: LinearLayout): LinearLayout => actionRemoveBroadcastedRegs(layout).apply(layout);

/** Bytes of shared memory that converting takes; `matrix` instructions: none (any target), ldmatrix (sm_80), both (sm_90). */
function scratchBytes(src: LinearLayout, dst: LinearLayout, bitwidth: number, matrix: "none" | "load" | "both"): number {
  if (!cvtNeedsSharedMemory(src, dst)) return 0;
  const tiles = getSrcDstTiles({ ldMatrix: true, stMatrix: matrix === "both" }, bitwidth);
  const smem =
    matrix === "none"
      ? optimalSwizzlingLdSt(unique(src), unique(dst), bitwidth)
      : optimalSwizzling(unique(src), unique(dst), tiles.src, tiles.dst, bitwidth).smem;
  return ((smem.getTotalOutDimSize() / smem.getInDimSize("reps")) * bitwidth) / 8;
}

test("shared memory of conversions, as Triton's allocation passes give it for any target, sm_80 and sm_90", () => {
  type Row = readonly [shape: readonly number[], elem: string, src: string, dst: string, bytes: readonly [number, number, number]];
  const rows = JSON.parse(readFileSync("fixtures/layout/conversion-scratch.json", "utf8")) as readonly Row[];
  for (const [shape, elem, srcText, dstText, bytes] of rows) {
    const src = toLinearLayout(shape, readDistributed(srcText));
    const dst = toLinearLayout(shape, readDistributed(dstText));
    const bitwidth = Number(elem.slice(1));
    const got = (["none", "load", "both"] as const).map((matrix) => scratchBytes(src, dst, bitwidth, matrix));
    expect(got, `${srcText} -> ${dstText} ${shape.join("x")}x${elem}`).toEqual(bytes);
  }
});

describe("shapes of conversions", () => {
  const row = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";
  const linear = (register: string): string =>
    `#ttg.linear<{register = ${register}, lane = [[0, 2], [0, 4], [0, 8], [2, 0], [4, 0]], warp = [[8, 0], [0, 16]], block = []}>`;
  const cases = [
    ["identity", "nothing", row, row],
    ["thread", "registers", linear("[[0, 1], [1, 0]]"), linear("[[1, 0], [0, 1]]")],
    ["warp", "warp shuffles", row, "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>"],
    ["cta", "shared memory", row, "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [1, 0]}>"],
  ] as const;

  test.each(cases)("%s: %s", (scope, means, src, dst) => {
    const result = conversionShape(toLinearLayout([16, 128], readDistributed(src)), toLinearLayout([16, 128], readDistributed(dst)));
    expect([result.scope, result.means]).toEqual([scope, means]);
  });

  test("across CTAs", () => {
    const split = (bases: string): string =>
      `#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = ${bases}}>`;
    const src = toLinearLayout([64, 64], readDistributed(split("[[1, 0]]")));
    const dst = toLinearLayout([64, 64], readDistributed(split("[[0, 1]]")));
    expect(conversionShape(src, dst)).toMatchObject({
      scope: "cluster",
      means: "distributed shared memory",
      moves: { betweenBlocks: 2048 },
    });
    expect(isCvtWarpSync(src, dst)).toBe(true);
  });
});

test("moves are counted right, and fetch the same elements", () =>
  fc.assert(
    fc.property(matrixShape, blockedMatrix(4), blockedMatrix(4), (shape, a, b) => {
      const src = toLinearLayout(shape, a);
      const dst = toLinearLayout(shape, b);
      const counts = { stay: 0, betweenRegisters: 0, betweenLanes: 0, betweenWarps: 0, betweenBlocks: 0 };
      for (let warp = 0; warp < 4; warp++) {
        for (let lane = 0; lane < 32; lane++) {
          for (const { from, to } of movesInto(src, dst, { lane, warp, block: 0 })) {
            if (src.applyPacked(from) !== dst.applyPacked(to)) expect.fail(`${JSON.stringify(to)} is fetched from ${JSON.stringify(from)}`);
            if (from["warp"] !== warp) counts.betweenWarps++;
            else if (from["lane"] !== lane) counts.betweenLanes++;
            else if (from["register"] !== to["register"]) counts.betweenRegisters++;
            else counts.stay++;
          }
        }
      }
      expect(conversionShape(src, dst).moves).toEqual(counts);
    }),
    { seed: 7, numRuns: 25 },
  ));

test("there and back is the identity, duplicates apart", () =>
  fc.assert(
    fc.property(matrixShape, blockedMatrix(4), blockedMatrix(4), (shape, a, b) => {
      const src = toLinearLayout(shape, a);
      const dst = toLinearLayout(shape, b);
      const roundTrip = src.invertAndCompose(dst).compose(dst.invertAndCompose(src));
      expect(roundTrip.compose(src).equals(src)).toBe(true);
      expect(minimalCvtLayout(src, src).outDimNames).toEqual([]);
    }),
    { seed: 8, numRuns: 100 },
  ));

test("the pieces of a warp conversion multiply to the conversion", () => {
  let found = 0;
  fc.assert(
    fc.property(matrixShape, blockedMatrix(1), blockedMatrix(1), (shape, a, b) => {
      const src = unique(toLinearLayout(shape, a));
      const dst = unique(toLinearLayout(shape, b));
      fc.pre(src.isInvertible() && dst.isInvertible());
      found++;
      const decomposition = getWarpLayoutConvertDecomposition(src, dst, 32);
      if (decomposition === undefined) return expect.fail("blocked layouts are permutations of bits");
      const { pReg, pLane, mixedTranspositions } = decomposition;
      const cvt = src.invertAndCompose(dst);
      for (let register = 0; register < src.getInDimSize("register"); register++) {
        for (let lane = 0; lane < 32; lane += 3) {
          let r = pReg.applyFlat(register);
          let l = pLane.applyFlat(lane);
          for (const { transposition } of mixedTranspositions) {
            const [i, j] = transposition;
            const differ = ((r >> i) ^ (l >> j)) & 1;
            r ^= differ << i;
            l ^= differ << j;
          }
          const image = cvt.apply({ register, lane, warp: 0, block: 0 });
          if (image["register"] !== r || image["lane"] !== l) expect.fail(`register ${register}, lane ${lane} goes to ${r}, ${l}`);
        }
      }
    }),
    { seed: 9, numRuns: 120 },
  );
  expect(found).toBeGreaterThan(20);
});
