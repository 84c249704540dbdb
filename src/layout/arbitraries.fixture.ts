/** Random layouts for property tests. */
import fc from "fast-check";
import type { BlockedParams } from "./encoding-params.js";
import { defaultCga } from "./encodings/cga.js";
import { type Dim, LinearLayout } from "./linear-layout.js";
import { log2 } from "./packed-bases.js";

/** Any layout from dims `a, b` to dims `x, y`, of up to 2^8 indices and 2^8 coordinates. */
export const anyLayout: fc.Arbitrary<LinearLayout> = layoutFrom(["a", "b"], ["x", "y"]);

/** Any layout between these dims, with up to 4 bases and 4 coordinate bits per dim. */
export function layoutFrom(inDims: readonly string[], outDims: readonly string[]): fc.Arbitrary<LinearLayout> {
  return fc.array(fc.integer({ min: 0, max: 4 }), { minLength: outDims.length, maxLength: outDims.length }).chain((sizes) => {
    const basis = fc.tuple(...sizes.map((size) => fc.integer({ min: 0, max: 2 ** size - 1 })));
    const outs = outDims.map((dim, i): Dim => [dim, 2 ** sizes[i]!]);
    return fc.tuple(...inDims.map(() => fc.array(basis, { maxLength: 4 }))).map((bases) =>
      LinearLayout.fromBases(
        bases.map((vectors, i) => [inDims[i]!, vectors] as const),
        outs,
        false,
      ),
    );
  });
}

/** Layouts with the in dims `inDims` into the given out dims. */
export function layoutInto(inDims: readonly string[], outs: readonly Dim[]): fc.Arbitrary<LinearLayout> {
  const basis = fc.tuple(...outs.map(([, size]) => fc.integer({ min: 0, max: size - 1 })));
  return fc.tuple(...inDims.map(() => fc.array(basis, { maxLength: 4 }))).map((bases) =>
    LinearLayout.fromBases(
      bases.map((vectors, i) => [inDims[i]!, vectors] as const),
      outs,
      false,
    ),
  );
}

/** Layouts with exactly these dims. */
export function layoutBetween(ins: readonly Dim[], outs: readonly Dim[]): fc.Arbitrary<LinearLayout> {
  const basis = fc.tuple(...outs.map(([, size]) => fc.integer({ min: 0, max: size - 1 })));
  const basesOf = (size: number): fc.Arbitrary<number[][]> => fc.array(basis, { minLength: log2(size), maxLength: log2(size) });
  return fc.tuple(...ins.map(([, size]) => basesOf(size))).map((bases) =>
    LinearLayout.fromBases(
      bases.map((vectors, i) => [ins[i]![0], vectors] as const),
      outs,
      false,
    ),
  );
}

/** One-to-one layouts over `bits` bits: products of random elementary steps. */
export function invertibleLayout(bits: number): fc.Arbitrary<LinearLayout> {
  const step = fc.tuple(fc.nat({ max: bits - 1 }), fc.nat({ max: bits - 1 }));
  return fc.tuple(fc.array(step, { maxLength: 30 }), fc.nat({ max: bits })).map(([steps, cut]) => {
    const rows = Array.from({ length: bits }, (_, i) => 1 << i);
    for (const [i, j] of steps) if (i !== j) rows[i]! ^= rows[j]!;
    const flat = LinearLayout.fromBases([["i", rows.map((row) => [row])]], [["o", 2 ** bits]]);
    return flat
      .reshapeIns([
        ["a", 2 ** cut],
        ["b", 2 ** (bits - cut)],
      ])
      .reshapeOuts([
        ["x", 2 ** (bits - cut)],
        ["y", 2 ** cut],
      ]);
  });
}

/** A shape of rank 2 with sizes up to 64. */
export const matrixShape: fc.Arbitrary<[number, number]> = fc.tuple(powerOf2(6), powerOf2(6));

/** Blocked encodings of matrices for 32 lanes and `warps` warps. */
export function blockedMatrix(warps: number): fc.Arbitrary<BlockedParams> {
  return fc
    .record({
      size: fc.tuple(powerOf2(3), powerOf2(3)),
      lanes: fc.nat({ max: 5 }),
      warps: fc.nat({ max: log2(warps) }),
      order: fc.constantFrom([0, 1], [1, 0]),
    })
    .map(
      ({ size, lanes, warps: w, order }): BlockedParams => ({
        kind: "blocked",
        sizePerThread: size,
        threadsPerWarp: [2 ** lanes, 32 / 2 ** lanes],
        warpsPerCTA: [2 ** w, warps / 2 ** w],
        order,
        cga: defaultCga(2),
      }),
    );
}

function powerOf2(max: number): fc.Arbitrary<number> {
  return fc.nat({ max }).map((exponent) => 2 ** exponent);
}
