import { describe, expect, test } from "vitest";
import { defaultCga } from "./cga.js";
import { nvmmaSharedToLinearLayout } from "./nvmma-shared.js";

describe("layouts without swizzling, as real Triton 3.8.0 gives them", () => {
  const cases: readonly (readonly [shape: readonly number[], bits: number, bases: string])[] = [
    [[16, 32], 16, "[[1,0],[2,0],[4,0],[8,0],[0,1],[0,2],[0,4],[0,8],[0,16]]"],
    [[4, 8, 16], 16, "[[0,1,0],[0,2,0],[1,0,0],[2,0,0],[0,0,0],[0,0,0],[0,0,1],[0,0,2],[0,0,4],[0,0,8],[0,4,0]]"],
    [
      [4, 8, 16, 2],
      16,
      "[[0,0,1,0],[0,0,2,0],[0,1,0,0],[1,0,0,0],[2,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,1],[0,0,0,0],[0,0,0,0],[0,0,4,0],[0,0,8,0],[0,2,0,0],[0,4,0,0]]",
    ],
    [[512, 32], 8, "[[1,0],[2,0],[4,0],[8,0],[16,0],[32,0],[64,0],[128,0],[0,1],[0,2],[0,4],[0,8],[0,16],[256,0]]"],
    [[64], 8, "[[1],[2],[4],[8],[16],[32]]"],
  ];
  test.each(cases)("%s of %i bits, transposed", (shape, elementBitWidth, bases) => {
    const params = {
      kind: "nvmma_shared",
      swizzlingByteWidth: 0,
      transposed: true,
      turnsPlain: true,
      elementBitWidth,
      fp4Padded: false,
    } as const;
    const layout = nvmmaSharedToLinearLayout(shape, { ...params, cga: defaultCga(shape.length) });
    expect(JSON.stringify(layout.getInDimBases("offset"))).toBe(bases);
  });
});
