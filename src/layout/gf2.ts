/**
 * Linear algebra over GF(2) on vectors packed into int32: bit i of a number is coordinate i, addition is xor.
 *
 *     const e = eliminate([0b01, 0b11, 0b10]);   // the third vector is the sum of the first two
 *     e.rank                                      // 2
 *     e.pivots                                    // 0b011: the first two are independent
 *     e.solve(0b10)                               // 0b011: 0b01 ^ 0b11 = 0b10
 *
 * Pivots are the leftmost independent vectors, as in a reduced row echelon form, so a solution that uses pivots only is
 * the one upstream reads off its reduced matrix.
 */

/** The outcome of `eliminate`. Masks over vectors use bit j for vector j (or for `positions[j]`). */
export interface Elimination {
  readonly rank: number;
  /** The vectors that are independent of those before them; exact only for positions below 32. */
  readonly pivots: number;
  /** The set of pivots whose sum is `target`, or undefined if `target` is outside the span. */
  solve(target: number): number | undefined;
}

/**
 * Eliminates `vectors` from left to right. `positions[j]` is the bit that stands for vector j in masks (default j).
 */
export function eliminate(vectors: ArrayLike<number>, positions?: ArrayLike<number>): Elimination {
  // Slot b holds the reduced vector whose highest bit is b, slot 32 + b which vectors were summed to get it.
  const reduced = new Int32Array(64);
  let rank = 0;
  let pivots = 0;
  for (let j = 0; j < vectors.length; j++) {
    let v = vectors[j]!;
    let sum = 1 << (positions === undefined ? j : positions[j]!);
    const self = sum;
    while (v !== 0) {
      const b = 31 - Math.clz32(v);
      if (reduced[b] === 0) {
        reduced[b] = v;
        reduced[32 + b] = sum;
        pivots |= self;
        rank++;
        break;
      }
      v ^= reduced[b]!;
      sum ^= reduced[32 + b]!;
    }
  }
  return new SolvedSystem(rank, pivots, reduced);
}

/** One shape of object for all callers: layouts are inverted in inner loops. */
class SolvedSystem implements Elimination {
  constructor(
    readonly rank: number,
    readonly pivots: number,
    private readonly reduced: Int32Array,
  ) {}

  solve(target: number): number | undefined {
    const reduced = this.reduced;
    let sum = 0;
    while (target !== 0) {
      const b = 31 - Math.clz32(target);
      if (reduced[b] === 0) return undefined;
      target ^= reduced[b]!;
      sum ^= reduced[32 + b]!;
    }
    return sum;
  }
}

/** The number of independent vectors. */
export function rankOf(vectors: Int32Array): number {
  const reduced = rankScratch.fill(0);
  let rank = 0;
  for (let j = 0; j < vectors.length; j++) {
    let v = vectors[j]!;
    while (v !== 0) {
      const b = 31 - Math.clz32(v);
      if (reduced[b] === 0) {
        reduced[b] = v;
        rank++;
        break;
      }
      v ^= reduced[b]!;
    }
  }
  return rank;
}

/** Allocating a typed array would cost more than the elimination. */
const rankScratch = new Int32Array(32);

/**
 * The unit vectors that complete `vectors` to a basis of the space of `dim` bits: those at the columns without a leading
 * (lowest) one in the reduced row echelon form of `vectors` as rows.
 */
export function complementBasis(vectors: readonly number[], dim: number): number[] {
  const leading = leadingColumns(rowEchelon(vectors));
  const complement: number[] = [];
  for (let i = 0; i < dim; i++) if ((leading & (1 << i)) === 0) complement.push(1 << i);
  return complement;
}

/** A basis of all x of `dim` bits that are orthogonal to every vector, one for each free column, ascending. */
export function nullspaceBasis(vectors: readonly number[], dim: number): number[] {
  const rows = rowEchelon(vectors);
  const leading = leadingColumns(rows);
  const basis: number[] = [];
  for (let free = 0; free < dim; free++) {
    if ((leading & (1 << free)) !== 0) continue;
    let x = 1 << free;
    for (const row of rows) if ((row & (1 << free)) !== 0) x ^= row & -row;
    basis.push(x);
  }
  return basis;
}

/**
 * A basis of the intersection of two spans. When both are unit vectors the result keeps the order of `a`, which decides
 * the order of vectorised registers in swizzling. Source: GenericSwizzling.cpp, intersectionBasis.
 */
export function intersectionBasis(a: readonly number[], b: readonly number[], dim: number): number[] {
  if (a.every(isUnit) && b.every(isUnit)) return a.filter((v) => b.includes(v));
  return nullspaceBasis([...nullspaceBasis(a, dim), ...nullspaceBasis(b, dim)], dim);
}

function isUnit(v: number): boolean {
  return v > 0 && (v & (v - 1)) === 0;
}

/** Reduced row echelon form with the lowest bit as the first column; zero rows are dropped. */
function rowEchelon(vectors: readonly number[]): number[] {
  const rows: number[] = [];
  for (const vector of vectors) {
    let v = vector;
    for (const row of rows) if ((v & row & -row) !== 0) v ^= row;
    if (v === 0) continue;
    const lead = v & -v;
    for (let r = 0; r < rows.length; r++) if ((rows[r]! & lead) !== 0) rows[r]! ^= v;
    rows.push(v);
  }
  return rows;
}

function leadingColumns(rows: readonly number[]): number {
  let leading = 0;
  for (const row of rows) leading |= row & -row;
  return leading;
}
