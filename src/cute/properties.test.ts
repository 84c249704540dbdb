/** The laws of the algebra on random layouts, against brute force. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { leaves } from "./int-tuple.js";
import * as plain from "./layout.js";
import { parseTerm } from "./parse-term.js";
import { printTerm } from "./print-term.js";
import { applySwizzle, downcastSwizzle, swizzle, upcastSwizzle } from "./swizzle.js";
import { CuteError, dyn, type Layout, lit, numberOf, type Term, tuple } from "./term.js";

const runs = { numRuns: 300 };

/** A nested shape of small static sizes. */
const shapes: fc.Arbitrary<Term> = fc.letrec<{ shape: Term }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 2 },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 6 }).map(lit) },
    { weight: 2, arbitrary: fc.array(tie("shape"), { minLength: 1, maxLength: 3 }).map((items) => tuple(...items)) },
  ),
})).shape;

/** Any layout: strides at will. */
const layouts: fc.Arbitrary<Layout> = shapes.chain((shape) =>
  fc.infiniteStream(fc.constantFrom(0, 1, 2, 3, 4, 6, 8, 12, 24)).map((stream) =>
    plain.layout(
      shape,
      mapLeaves(shape, () => lit(stream.next().value)),
    ),
  ),
);

/** A compact layout: the modes of a shape in random order. */
const compactLayouts: fc.Arbitrary<Layout> = shapes.chain((shape) =>
  fc
    .shuffledSubarray(
      leaves(shape).map((_, i) => i),
      { minLength: leaves(shape).length },
    )
    .map((order) => {
      const sizes = leaves(shape).map((s) => numberOf(s));
      const strides: number[] = [];
      let next = 1;
      for (const i of order) {
        strides[i] = next;
        next *= sizes[i]!;
      }
      let i = 0;
      return plain.layout(
        shape,
        mapLeaves(shape, () => lit(strides[i++]!)),
      );
    }),
);

function mapLeaves(t: Term, f: () => Term): Term {
  return t.kind === "tuple" ? tuple(...t.items.map((x) => mapLeaves(x, f))) : f();
}

/** The value at index `i`, by the definition and nothing else. */
function bruteForce(l: Layout, i: number): number {
  const [sizes, strides] = [leaves(l.shape), leaves(l.stride)];
  let sum = 0;
  sizes.forEach((s, m) => {
    const last = m === sizes.length - 1;
    sum += (last ? i : i % numberOf(s)) * numberOf(strides[m]!);
    i = Math.floor(i / numberOf(s));
  });
  return sum;
}

const at = (l: Layout, i: number): number => numberOf(plain.apply(l, dyn(i)));
const sizeOf = (l: Layout): number => numberOf(plain.size(l));
const indices = (l: Layout): number[] => Array.from({ length: sizeOf(l) }, (_, i) => i);
/** The result, or undefined where CuTe would refuse. */
const attempt = <T>(f: () => T): T | undefined => {
  try {
    return f();
  } catch (e) {
    if (e instanceof CuteError) return undefined;
    throw e;
  }
};

test("a layout is the sum of coordinates times strides", () => {
  fc.assert(
    fc.property(layouts, (l) => indices(l).every((i) => at(l, i) === bruteForce(l, i))),
    runs,
  );
});

test("coalesce, filter and flatten keep the map (filter: its range)", () => {
  fc.assert(
    fc.property(layouts, (l) => {
      expect(indices(l).map((i) => at(plain.coalesce(l), i))).toEqual(indices(l).map((i) => at(l, i)));
      expect(indices(l).map((i) => at(plain.flatten(l), i))).toEqual(indices(l).map((i) => at(l, i)));
      const range = (x: Layout) => new Set(indices(x).map((i) => at(x, i)));
      expect(range(plain.filter(l))).toEqual(range(l));
    }),
    runs,
  );
});

test("composition(A, B)(i) = A(B(i))", () => {
  let seen = 0;
  fc.assert(
    fc.property(layouts, compactLayouts, (a, b) => {
      const c = attempt(() => plain.composition(a, b));
      if (!c) return;
      // CuTe promises it where modes divide and B's modes do not carry into each other (so B is compact here); beyond the
      // end of A its last mode goes on.
      const inside = indices(b).every((i) => at(b, i) < sizeOf(a));
      if (!inside || !divisible(a, b)) return;
      seen++;
      expect(sizeOf(c)).toBe(sizeOf(b));
      expect(indices(b).map((i) => at(c, i))).toEqual(indices(b).map((i) => bruteForce(a, at(b, i))));
    }),
    { numRuns: 2000 },
  );
  expect(seen).toBeGreaterThan(50);
});

/** Whether every mode of `b` fits the modes of `a`: strides and sizes divide, so that the law is promised. */
function divisible(a: Layout, b: Layout): boolean {
  const sizes = leaves(plain.coalesce(a).shape).map((s) => numberOf(s));
  const [bs, bd] = [leaves(b.shape).map((s) => numberOf(s)), leaves(b.stride).map((s) => numberOf(s))];
  return bs.every((n, m) => {
    let d = bd[m]!;
    if (d === 0 || n === 1) return true;
    for (const s of sizes.slice(0, -1)) {
      if (d % s === 0) d /= s;
      else {
        if (s % d !== 0) return false;
        const step = s / d;
        if (n <= step) return step % n === 0;
        if (n % step !== 0) return false;
        n /= step;
        d = 1;
      }
    }
    return true;
  });
}

test("complement is disjoint, ordered and covers", () => {
  fc.assert(
    fc.property(compactLayouts, fc.constantFrom(1, 2, 3), fc.integer({ min: 1, max: 4 }), (base, scale, more) => {
      const l = plain.layout(
        base.shape,
        mapLeaves2(base.stride, (d) => lit(numberOf(d) * scale)),
      );
      const target = numberOf(plain.cosize(l)) * more;
      const rest = plain.complement(l, lit(target));
      const values = indices(rest).map((i) => at(rest, i));
      expect(values).toEqual([...values].sort((x, y) => x - y));
      const both = plain.concat(l, rest);
      const image = new Set(indices(both).map((i) => at(both, i)));
      expect(image.size).toBe(sizeOf(l) * sizeOf(rest));
      for (let i = 0; i < target; i++) expect(image.has(i)).toBe(true);
    }),
    runs,
  );
});

function mapLeaves2(t: Term, f: (leaf: Term) => Term): Term {
  return t.kind === "tuple" ? tuple(...t.items.map((x) => mapLeaves2(x, f))) : f(t);
}

test("inverses undo compact layouts; a right inverse is one wherever it reaches", () => {
  fc.assert(
    fc.property(compactLayouts, (l) => {
      for (const inverse of [plain.rightInverse(l), plain.leftInverse(l)]) {
        expect(sizeOf(inverse)).toBe(sizeOf(l));
        for (const i of indices(l)) expect([at(l, at(inverse, i)), at(inverse, at(l, i))]).toEqual([i, i]);
      }
    }),
    runs,
  );
  fc.assert(
    fc.property(layouts, (l) => indices(plain.rightInverse(l)).every((i) => at(l, at(plain.rightInverse(l), i)) === i)),
    runs,
  );
});

test("nullspace is where a layout is 0 through strides 0", () => {
  fc.assert(
    fc.property(layouts, (l) => indices(plain.nullspace(l)).every((i) => at(l, at(plain.nullspace(l), i)) === 0)),
    runs,
  );
});

const powers = fc.constantFrom(1, 2, 4, 8);
test("divide and product: a tile's offsets come first, all offsets once", () => {
  fc.assert(
    fc.property(powers, powers, powers, powers, (m, n, tm, tn) => {
      const l = plain.compactLayout(tuple(lit(m * tm), lit(n * tn)), "right");
      const tiler = tuple(lit(tm), lit(tn));
      const all = new Set(indices(l).map((i) => at(l, i)));
      for (const f of [plain.logicalDivide, plain.zippedDivide, plain.tiledDivide, plain.flatDivide]) {
        const d = f(l, tiler);
        expect(new Set(indices(d).map((i) => at(d, i)))).toEqual(all);
      }
      const zipped = plain.zippedDivide(l, tiler);
      const tile = plain.mode(zipped, 0);
      expect(sizeOf(tile)).toBe(tm * tn);
      for (const i of indices(tile)) expect(at(tile, i)).toBe((i % tm) * n * tn + Math.floor(i / tm));

      const block = plain.compactLayout(tuple(lit(m), lit(n)), "right");
      const repeated = plain.compactLayout(tuple(lit(tm), lit(tn)));
      for (const f of [plain.logicalProduct, plain.blockedProduct, plain.rakedProduct]) {
        const p = f(block, repeated);
        expect(new Set(indices(p).map((i) => at(p, i))).size).toBe(m * n * tm * tn);
        expect(numberOf(plain.cosize(p))).toBe(m * n * tm * tn);
      }
    }),
    { numRuns: 100 },
  );
});

/** Terms as people write them: static and dynamic integers, `_`, scaled bases, swizzled layouts. */
const printable: fc.Arbitrary<Term> = layouts.chain((l) =>
  fc.record({ dynamic: fc.boolean(), basis: fc.boolean(), swizzled: fc.boolean() }).map(({ dynamic, basis, swizzled }): Term => {
    const shape = dynamic ? mapLeaves2(l.shape, (s) => dyn(numberOf(s))) : l.shape;
    const stride = basis ? mapLeaves2(l.stride, (d) => ({ kind: "basis", value: lit(numberOf(d)), modes: [1, 0] })) : l.stride;
    const plainOne = plain.layout(shape, stride);
    return swizzled ? { kind: "composed", a: swizzle(2, 3, 3), offset: lit(0), b: plainOne } : plainOne;
  }),
);
test("what is printed parses back", () => {
  fc.assert(
    fc.property(printable, (t) => {
      expect(parseTerm(printTerm(t))).toEqual(t);
    }),
    runs,
  );
});

test("a swizzle is its own inverse and permutes every aligned block", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: 0, max: 4 }),
      fc.constantFrom(3, 4, -3),
      fc.nat(4095),
      (bits, base, shift, x) => {
        const s = swizzle(bits, base, shift);
        const y = numberOf(applySwizzle(s, dyn(x)));
        expect(numberOf(applySwizzle(s, dyn(y)))).toBe(x);
        expect(y >> (base + bits + Math.abs(shift))).toBe(x >> (base + bits + Math.abs(shift)));
        expect(upcastSwizzle(downcastSwizzle(s, 4), 4)).toEqual(s);
      },
    ),
    runs,
  );
});
