/** CuTe's fragments are Triton's: the two libraries against each other. */
import { expect, test } from "vitest";
import type { DistributedParams, NvidiaMmaParams } from "../layout/encoding-params.js";
import { defaultCga } from "../layout/encodings/cga.js";
import { toLinearLayout } from "../layout/to-linear-layout.js";
import type { MmaAtom } from "./atoms/mma-atom.js";
import { warpMmaAtoms } from "./atoms/mma-warp.js";
import * as plain from "./layout.js";
import { dyn, type Layout, lit, numberOf, tuple } from "./term.js";
import { layoutTv, makeTiledMma } from "./tiled-mma.js";
import { basesOfTv, linearAttribute, tvOfBases } from "./triton.js";

const atoms = warpMmaAtoms.filter((a) => a.name.startsWith("SM80_16x8x16_") && a.types.a.length > 0 && /^(half|bfloat16)/.test(a.types.a));
const mma: NvidiaMmaParams = {
  kind: "nvidia_mma",
  versionMajor: 2,
  versionMinor: 0,
  warpsPerCTA: [1, 1],
  cga: defaultCga(2),
  instrShape: [16, 8],
};

/** (row, column) that Triton gives lane and register. */
function triton(params: DistributedParams, shape: readonly [number, number], lane: number, register: number): [number, number] {
  const image = toLinearLayout(shape, params).apply({ register, lane, warp: 0, block: 0 });
  return [image["dim0"] ?? 0, image["dim1"] ?? 0];
}

/** (row, column) that CuTe gives thread and value, from the column-major index in the operand's tile. */
function cute(l: Layout, rows: number, thread: number, value: number): [number, number] {
  const index = numberOf(plain.apply(l, tuple(dyn(thread), dyn(value))));
  return [index % rows, Math.floor(index / rows)];
}

const sizes = (l: Layout): number => numberOf(plain.size(plain.mode(l, 1)));

test.each(atoms.map((a) => [a.name, a] as const))("%s: A, B and C agree element for element", (_, atom: MmaAtom) => {
  const dot = (opIdx: 0 | 1): DistributedParams => ({ kind: "dot_op", opIdx, parent: mma, kWidth: 2 });
  for (let lane = 0; lane < 32; lane++) {
    for (let v = 0; v < sizes(atom.c); v++) expect(cute(atom.c, 16, lane, v)).toEqual(triton(mma, [16, 8], lane, v));
    for (let v = 0; v < sizes(atom.a); v++) expect(cute(atom.a, 16, lane, v)).toEqual(triton(dot(0), [16, 16], lane, v));
    // CuTe's B is N x K, Triton's second operand K x N.
    for (let v = 0; v < sizes(atom.b); v++) {
      const [n, k] = cute(atom.b, 8, lane, v);
      expect([k, n]).toEqual(triton(dot(1), [16, 8], lane, v));
    }
  }
});

test("there are atoms to compare", () =>
  expect(atoms.map((a) => a.name)).toEqual([
    "SM80_16x8x16_F16F16F16F16_TN",
    "SM80_16x8x16_F32F16F16F32_TN",
    "SM80_16x8x16_F32BF16BF16F32_TN",
  ]));

test("a TiledMMA's accumulator as #ttg.linear, and back", () => {
  const tiled = makeTiledMma(atoms[0]!, plain.compactLayout(tuple(lit(4), lit(1), lit(1))));
  const bases = basesOfTv(layoutTv(tiled, "C"), [64, 8]);
  expect(linearAttribute(bases)).toBe(
    "#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>",
  );
  const back = tvOfBases(bases, [64, 8]);
  if (typeof back === "string") throw new Error(back);
  for (let t = 0; t < 128; t++)
    for (let v = 0; v < 4; v++) expect(cute(back, 64, t, v)).toEqual(cute(layoutTv(tiled, "C") as Layout, 64, t, v));
});

test("bases that share a bit have no CuTe layout", () => {
  expect(tvOfBases({ register: [[0, 1]], lane: [[1, 1]], warp: [] }, [2, 2])).toMatch(/exclusive or/);
});

test("what is not linear is refused with the place", () => {
  expect(() => basesOfTv(plain.layout(tuple(lit(4), lit(2)), tuple(lit(2), lit(3))), [8, 2])).toThrow(/not a linear layout/);
  expect(() => basesOfTv(plain.layout(tuple(lit(3), lit(2)), tuple(lit(1), lit(3))), [8])).toThrow(/powers of two/);
});
