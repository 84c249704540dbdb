/** Elimination on packed integers against boolean matrices. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyLayout, invertibleLayout, layoutBetween } from "./arbitraries.fixture.js";
import { complementBasis, eliminate, intersectionBasis, nullspaceBasis, rankOf } from "./gf2.js";
import { LinearLayout } from "./linear-layout.js";
import { applyMatrix, composeMatrices, invertMatrix, matrixOf, rankOfMatrix } from "./naive-matrix.fixture.js";

const vectors = fc.array(fc.nat({ max: 255 }), { maxLength: 8 });
const runs = { seed: 21, numRuns: 300 };

/** All sums of the vectors. */
function span(basis: readonly number[]): Set<number> {
  let sums = [0];
  for (const v of basis) sums = sums.concat(sums.map((sum) => sum ^ v));
  return new Set(sums);
}

test("solutions are sums of pivots, and exist just within the span", () =>
  fc.assert(
    fc.property(vectors, fc.nat({ max: 255 }), (basis, target) => {
      const system = eliminate(basis);
      const { rank, pivots } = system;
      expect(rank).toBe(Math.log2(span(basis).size));
      expect(rank).toBe(rankOf(Int32Array.from(basis)));
      const solution = system.solve(target);
      expect(solution !== undefined).toBe(span(basis).has(target));
      if (solution === undefined) return;
      expect(solution & ~pivots).toBe(0);
      expect(basis.reduce((sum, v, i) => ((solution >> i) & 1 ? sum ^ v : sum), 0)).toBe(target);
    }),
    runs,
  ));

test("complements, null spaces and intersections", () =>
  fc.assert(
    fc.property(vectors, vectors, (a, b) => {
      const complement = complementBasis(a, 8);
      expect(span([...a, ...complement]).size).toBe(256);
      expect(complement.length).toBe(8 - Math.log2(span(a).size));
      const parity = (v: number): number => v.toString(2).replaceAll("0", "").length % 2;
      const orthogonal = Array.from({ length: 256 }, (_, x) => x).filter((x) => a.every((v) => parity(v & x) === 0));
      expect([...span(nullspaceBasis(a, 8))].sort((x, y) => x - y)).toEqual(orthogonal);
      const common = [...span(a)].filter((v) => span(b).has(v));
      expect(span(intersectionBasis(a, b, 8))).toEqual(new Set(common));
    }),
    runs,
  ));

test("unit vectors intersect in the order of the first list", () => expect(intersectionBasis([4, 1, 8], [8, 4], 4)).toEqual([4, 8]));

test("layouts agree with boolean matrices", () =>
  fc.assert(
    fc.property(anyLayout, invertibleLayout(6), fc.nat(), (l, square, n) => {
      expect(l.getRank()).toBe(rankOfMatrix(matrixOf(l)));
      expect(matrixOf(square.invert())).toEqual(invertMatrix(matrixOf(square)));
      const index = n % l.getTotalInDimSize();
      const bits = Array.from({ length: l.getTotalInDimSizeLog2() }, (_, b) => ((index >> b) & 1) === 1);
      const image = applyMatrix(matrixOf(l), bits).reduce((sum, bit, i) => (bit ? sum | (1 << i) : sum), 0);
      expect(l.applyFlat(index)).toBe(image);
    }),
    runs,
  ));

test("composition agrees with boolean matrices", () =>
  fc.assert(
    fc.property(
      layoutBetween(
        [["a", 16]],
        [
          ["x", 8],
          ["y", 4],
        ],
      ),
      layoutBetween(
        [
          ["x", 8],
          ["y", 4],
        ],
        [["u", 32]],
      ),
      (f, g) => {
        expect(matrixOf(f.compose(g))).toEqual(composeMatrices(matrixOf(f), matrixOf(g)));
      },
    ),
    runs,
  ));

test("vectors of 31 bits fit", () => {
  const high = LinearLayout.identity1D(2 ** 30, "a", "x");
  expect(
    high
      .multiply(LinearLayout.identity1D(2, "a", "x"))
      .invert()
      .isInvertible(),
  ).toBe(true);
  expect(() => high.multiply(LinearLayout.identity1D(4, "a", "x"))).toThrow(/too large/);
});
