/**
 * Division of layouts, the inverse of `multiply`: `divideLeft(a, b)` is the c with b * c = a, `divideRight(a, b)` the c with
 * c * b = a. Dividing a register-to-memory layout by an instruction's tile shows whether the instruction fits, and the
 * quotient says where to issue it. Source: LinearLayout.cpp.
 */
import { LinearLayout } from "./linear-layout.js";
import { type PackedBases, shiftsOf } from "./packed-bases.js";

/** c with `b.multiply(c)` = a, with the dims of a; undefined if there is none. */
export function divideLeft(a: LinearLayout, b: LinearLayout): LinearLayout | undefined {
  return divide(a, b, true);
}

/** c with `c.multiply(b)` = a, with the dims of a; undefined if there is none. */
export function divideRight(a: LinearLayout, b: LinearLayout): LinearLayout | undefined {
  return divide(a, b, false);
}

function divide(a: LinearLayout, b: LinearLayout, left: boolean): LinearLayout | undefined {
  if (!b.inDimNames.every((dim) => a.hasInDim(dim)) || !b.outDimNames.every((dim) => a.hasOutDim(dim))) return undefined;

  const quotientSizes = a.outDimNames.map((dim) => a.getOutDimSizeLog2(dim) - (b.hasOutDim(dim) ? b.getOutDimSizeLog2(dim) : 0));
  if (quotientSizes.some((size) => size < 0)) return undefined;
  const quotientShift = shiftsOf(quotientSizes);
  const bases: PackedBases[] = [];
  for (const inDim of a.inDimNames) {
    const ofA = a.getPackedBases(inDim);
    const ofB = b.hasInDim(inDim) ? b.getPackedBases(inDim) : [];
    if (ofA.length < ofB.length) return undefined;
    const count = ofA.length - ofB.length;
    const quotient: number[] = [];
    for (let i = 0; i < ofA.length; i++) {
      // On the left the divisor comes first and holds the low bits; on the right it comes last and holds the high bits.
      const divisor = left ? ofB[i] : ofB[i - count];
      const inDivisor = left ? i < ofB.length : i >= count;
      let packed = 0;
      for (let d = 0; d < a.outDimNames.length; d++) {
        const outDim = a.outDimNames[d]!;
        const v = a.coordinate(ofA[i]!, d);
        const e = b.outDimNames.indexOf(outDim);
        const size = e < 0 ? 0 : b.outShift[e + 1]! - b.outShift[e]!;
        if (inDivisor) {
          const expected = e < 0 ? 0 : b.coordinate(divisor!, e) << (left ? 0 : quotientSizes[d]!);
          if (v !== expected) return undefined;
        } else {
          if (left ? (v & ((1 << size) - 1)) !== 0 : v >>> quotientSizes[d]! !== 0) return undefined;
          packed |= (left ? v >>> size : v) << quotientShift[d]!;
        }
      }
      if (!inDivisor) quotient.push(packed);
    }
    bases.push([inDim, quotient]);
  }
  const start = shiftsOf(bases.map(([, vectors]) => vectors.length));
  const packed = Int32Array.from(bases.flatMap(([, vectors]) => Array.from(vectors)));
  return new LinearLayout(a.inDimNames, start, packed, a.outDimNames, quotientShift);
}

/**
 * A close cousin of dividing by `tile` on the left: what is left of `cvt` when `tile` covers the first bases of each in dim
 * and the rest stays clear of the tile's bits, with the tile's bases set to 0. Unlike a division it allows later bases that
 * the tile surrounds. Undefined if the tile does not fit. Source: LayoutUtils.cpp, getReps.
 */
export function getReps(cvt: LinearLayout, tile: LinearLayout): LinearLayout | undefined {
  const covered = cvt.outDimNames.map((dim) => {
    const e = tile.outDimNames.indexOf(dim);
    return e < 0 ? 0 : tile.packed.reduce((bits, v) => bits | tile.coordinate(v, e), 0);
  });
  const bases: PackedBases[] = [];
  for (const inDim of cvt.inDimNames) {
    const all = cvt.getPackedBases(inDim);
    const inTile = tile.hasInDim(inDim) ? tile.getPackedBases(inDim) : [];
    if (inTile.length > all.length) return undefined;
    const reps = new Int32Array(all.length);
    for (let i = 0; i < all.length; i++) {
      for (let d = 0; d < covered.length; d++) {
        const v = cvt.coordinate(all[i]!, d);
        const e = tile.outDimNames.indexOf(cvt.outDimNames[d]!);
        if (i < inTile.length) {
          if (v !== (e < 0 ? 0 : tile.coordinate(inTile[i]!, e))) return undefined;
        } else if ((v & covered[d]!) !== 0) return undefined;
      }
      reps[i] = i < inTile.length ? 0 : all[i]!;
    }
    bases.push([inDim, reps]);
  }
  return cvt.withBases(bases);
}
