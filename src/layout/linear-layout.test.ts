import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyLayout, invertibleLayout, layoutBetween, layoutFrom, layoutInto } from "./arbitraries.fixture.js";
import { divideLeft, divideRight, getReps } from "./divide.js";
import { LayoutError } from "./layout-error.js";
import { type Dim, LinearLayout } from "./linear-layout.js";
import { supremum } from "./supremum.js";

const check = <T extends [unknown, ...unknown[]]>(...args: Parameters<typeof fc.property<T>>): void =>
  fc.assert(fc.property(...args), { seed: 5, numRuns: 200 });

const XY: readonly Dim[] = [
  ["x", 8],
  ["y", 4],
];
const UV: readonly Dim[] = [
  ["u", 4],
  ["v", 16],
];

/** Every index of a layout, as `apply` takes it. */
function indices(layout: LinearLayout): Record<string, number>[] {
  let all: Record<string, number>[] = [{}];
  for (const [dim, size] of layout.getInDims()) all = all.flatMap((ins) => Array.from({ length: size }, (_, i) => ({ ...ins, [dim]: i })));
  return all;
}

describe("makers", () => {
  test("a swizzled 4x4 memory", () => {
    const layout = LinearLayout.fromBases(
      [
        [
          "offset",
          [
            [0, 1],
            [0, 2],
            [1, 1],
            [2, 2],
          ],
        ],
      ],
      ["dim0", "dim1"],
    );
    expect(layout.apply({ offset: 13 })).toEqual({ dim0: 3, dim1: 2 });
    expect(layout.isInvertible()).toBe(true);
  });

  test("identity, strided, zeros, empty", () => {
    expect(LinearLayout.identity1D(4, "a", "x").apply({ a: 3 })).toEqual({ x: 3 });
    expect(LinearLayout.strided1D(4, 2, "a", "x").getOutDimSize("x")).toBe(8);
    expect(LinearLayout.zeros1D(4, "a", "x").apply({ a: 3 })).toEqual({ x: 0 });
    expect(LinearLayout.identity1D(0, "a", "x").equals(LinearLayout.empty())).toBe(true);
    expect(LinearLayout.empty().toString()).toBe("\n(empty layout)");
    expect(LinearLayout.fromBases([], [["x", 2]], false).toString()).toBe("\n(empty layout with out-dims [x (size 2)])");
  });

  test.each([
    ["a negative basis", [["a", [[-1]]]], [["x", 2]], /non-negative/],
    ["bases of different length", [["a", [[1, 0]]]], [["x", 2]], /same size/],
    ["an odd size", [["a", [[1]]]], [["x", 3]], /powers of 2/],
    ["a basis beyond its dim", [["a", [[2]]]], [["x", 2]], /less than the out-dim size/],
    ["a missing coordinate", [["a", [[1]]]], [["x", 4]], /expected to be surjective/],
    [
      "too many bits",
      [["a", []]],
      [
        ["x", 2 ** 20],
        ["y", 2 ** 20],
      ],
      /too large/,
    ],
  ] as const)("refuses %s", (_, bases, outDims, message) => {
    expect(() => LinearLayout.fromBases(bases, outDims)).toThrow(LayoutError);
    expect(LinearLayout.tryFromBases(bases, outDims)).toMatch(message);
  });
});

describe("algebra", () => {
  test("apply is linear and agrees with the bases", () =>
    check(anyLayout, fc.nat(), fc.nat(), (l, i, j) => {
      const mask = l.getTotalInDimSize() - 1;
      expect(l.applyFlat(i & mask) ^ l.applyFlat(j & mask)).toBe(l.applyFlat((i ^ j) & mask));
      for (const ins of indices(l).slice(0, 8)) expect(l.unpack(l.applyPacked(ins))).toEqual(Object.values(l.apply(ins)));
    }));

  test("rank, surjectivity and injectivity are those of the set of images", () =>
    check(anyLayout, (l) => {
      const images = new Set(Array.from({ length: l.getTotalInDimSize() }, (_, i) => l.applyFlat(i)));
      expect(2 ** l.getRank()).toBe(images.size);
      expect(l.isSurjective()).toBe(images.size === l.getTotalOutDimSize());
      expect(l.isInjective()).toBe(images.size === l.getTotalInDimSize());
    }));

  test("composition is application one after the other, and associative", () =>
    check(layoutInto(["i"], XY), layoutBetween([...XY].reverse(), UV), layoutBetween(UV, [["z", 64]]), (f, g, h) => {
      expect(
        f
          .compose(g)
          .compose(h)
          .equals(f.compose(g.compose(h))),
      ).toBe(true);
      for (const ins of indices(f).slice(0, 6)) expect(f.compose(g).apply(ins)).toEqual(g.apply(f.apply(ins)));
    }));

  test("inverse laws", () =>
    check(invertibleLayout(7), (l) => {
      expect(l.invert().invert().equals(l)).toBe(true);
      expect(l.compose(l.invert()).squareSublayoutIsIdentity(["a", "b"])).toBe(true);
      expect(l.invert().compose(l).squareSublayoutIsIdentity(["x", "y"])).toBe(true);
    }));

  test("a pseudoinverse of a surjective layout undoes it from the right", () =>
    check(anyLayout, (l) => {
      fc.pre(l.isSurjective());
      expect(l.pseudoinvert().compose(l).squareSublayoutIsIdentity(["x", "y"])).toBe(true);
    }));

  test("invertAndCompose finds the same element, there and back", () =>
    check(
      invertibleLayout(6),
      layoutInto(
        ["r", "s"],
        [
          ["x", 64],
          ["y", 1],
        ],
      ),
      (outer0, l0) => {
        const outer = outer0.flattenOuts().reshapeOuts([
          ["x", 64],
          ["y", 1],
        ]);
        const cvt = l0.invertAndCompose(outer);
        expect(cvt.compose(outer).equals(l0)).toBe(true);
      },
    ));

  test("multiply tiles: its first factor divides it on the left, its second on the right", () =>
    check(anyLayout, layoutFrom(["b", "c"], ["y", "z"]), (a, b) => {
      const product = a.multiply(b);
      for (const ins of indices(a).slice(0, 6))
        for (const [dim, c] of Object.entries(a.apply(ins))) expect(product.apply(ins)[dim]).toBe(c);
      const left = divideLeft(product, a);
      const right = divideRight(product, b);
      expect(left !== undefined && a.multiply(left).equals(product)).toBe(true);
      const again = right?.multiply(b).transposeOuts(product.outDimNames);
      expect(again?.transposeIns(product.inDimNames).equals(product)).toBe(true);
    }));

  test("free variables are the index bits one can drop", () =>
    check(anyLayout, (l) => {
      const masks = l.getFreeVariableMasks();
      const freeBits = [...masks.values()].reduce((sum, mask) => sum + mask.toString(2).replaceAll("0", "").length, 0);
      expect(freeBits).toBe(l.getTotalInDimSizeLog2() - l.getRank());
    }));
});

describe("reshaping", () => {
  test("transposing and flattening keep every image", () =>
    check(anyLayout, (l) => {
      const t = l.transposeIns(["b", "a"]).transposeOuts(["y", "x"]);
      for (const ins of indices(l).slice(0, 8)) expect(t.apply(ins)).toEqual(l.apply(ins));
      const flat = l.flattenIns().flattenOuts();
      for (let i = 0; i < Math.min(8, l.getTotalInDimSize()); i++) expect(flat.applyFlat(i)).toBe(l.applyFlat(i));
      expect(flat.reshapeIns(l.getInDims()).reshapeOuts(l.getOutDims()).equals(l)).toBe(true);
    }));

  test("concatIns and concatOuts are undone by sublayout", () =>
    check(anyLayout, (l) => {
      const parts = [l.sublayout(["a"], ["x", "y"]), l.sublayout(["b"], ["x", "y"])] as const;
      expect(parts[0].concatIns(parts[1]).equals(l)).toBe(true);
      expect(
        l
          .sublayout(["a", "b"], ["x"])
          .concatOuts(l.sublayout(["a", "b"], ["y"]))
          .equals(l),
      ).toBe(true);
    }));

  test("renaming and unsqueezing", () => {
    const l = LinearLayout.identity1D(4, "a", "x").multiply(LinearLayout.identity1D(1, "b", "y"));
    expect(l.renameInDim("a", "c").inDimNames).toEqual(["b", "c"]);
    expect(l.renameOutDim("x", "z").outDimNames).toEqual(["z", "y"]);
    expect(
      l
        .unsqueezeIn("b")
        .unsqueezeOut("y")
        .equals(LinearLayout.identity1D(4, "a", "x")),
    ).toBe(true);
    expect(() => l.unsqueezeIn("a")).toThrow(LayoutError);
    expect(l.resizeOutDim("x", 2).apply({ a: 3 })).toEqual({ x: 1, y: 0 });
  });

  test("equality: with and without sizes, and as a key", () => {
    const small = LinearLayout.fromBases([["a", [[1]]]], [["x", 2]]);
    const large = LinearLayout.fromBases([["a", [[1]]]], [["x", 4]], false);
    expect(small.equals(large)).toBe(false);
    expect(small.equalIgnoringOutDimSizes(large)).toBe(true);
    expect(small.key).not.toBe(large.key);
    expect(small.key).toBe(LinearLayout.identity1D(2, "a", "x").key);
  });
});

test("getReps allows bases that the tile surrounds", () => {
  const cvt = LinearLayout.fromBases(
    [
      [
        "register",
        [
          [0, 1],
          [8, 0],
          [0, 8],
          [16, 0],
        ],
      ],
      [
        "lane",
        [
          [0, 2],
          [0, 4],
          [1, 0],
          [2, 0],
          [4, 0],
        ],
      ],
    ],
    ["row", "col"],
  );
  const tile = LinearLayout.fromBases(
    [
      [
        "register",
        [
          [0, 1],
          [8, 0],
        ],
      ],
      [
        "lane",
        [
          [0, 2],
          [0, 4],
          [1, 0],
          [2, 0],
          [4, 0],
        ],
      ],
    ],
    ["row", "col"],
  );
  expect(getReps(cvt, tile)?.getInDimBases("register")).toEqual([
    [0, 0],
    [0, 0],
    [0, 8],
    [16, 0],
  ]);
  expect(getReps(tile, cvt)).toBeUndefined();
});

test.each([
  [
    ["a", "b"],
    ["a", "c"],
    ["a", "b", "c"],
  ],
  [
    ["a", "b"],
    ["b", "c"],
    ["a", "b", "c"],
  ],
  [["b"], ["a", "b"], ["a", "b"]],
  [
    ["a", "b"],
    ["b", "a"],
    ["a", "b"],
  ],
  [[], ["a"], ["a"]],
])("supremum of %j and %j", (x, y, expected) => expect(supremum(x, y)).toEqual(expected));
