/** The obvious version of the algebra: a boolean matrix, a row per coordinate bit, a column per index bit. For tests and benchmarks. */
import type { LinearLayout } from "./linear-layout.js";

/** `rows[coordinate bit][index bit]`. */
export type BooleanMatrix = readonly (readonly boolean[])[];

/** The matrix of a layout; bits of the first dims come first. */
export function matrixOf(layout: LinearLayout): BooleanMatrix {
  const rows: boolean[][] = [];
  for (const outDim of layout.outDimNames) {
    for (let bit = 0; bit < layout.getOutDimSizeLog2(outDim); bit++) {
      const row: boolean[] = [];
      for (const inDim of layout.inDimNames)
        for (let pos = 0; pos < layout.getInDimSizeLog2(inDim); pos++) row.push(((layout.getBasis(inDim, pos, outDim) >> bit) & 1) === 1);
      rows.push(row);
    }
  }
  return rows;
}

/** First `inner`, then `outer`. */
export function composeMatrices(inner: BooleanMatrix, outer: BooleanMatrix): BooleanMatrix {
  const columns = inner[0]?.length ?? 0;
  return outer.map((row) => {
    const result: boolean[] = [];
    for (let c = 0; c < columns; c++) {
      let sum = false;
      for (let k = 0; k < inner.length; k++) if (row[k] && inner[k]![c]) sum = !sum;
      result.push(sum);
    }
    return result;
  });
}

/** The number of independent rows, by Gaussian elimination. */
export function rankOfMatrix(matrix: BooleanMatrix): number {
  return eliminated(matrix.map((row) => [...row])).rank;
}

/** The inverse of a square matrix of full rank. */
export function invertMatrix(matrix: BooleanMatrix): BooleanMatrix {
  const n = matrix.length;
  const augmented = matrix.map((row, r) => [...row, ...Array.from({ length: n }, (_, c) => c === r)]);
  return eliminated(augmented).rows.map((row) => row.slice(n));
}

/** The image of an index, both as bits. */
export function applyMatrix(matrix: BooleanMatrix, index: readonly boolean[]): boolean[] {
  return matrix.map((row) => row.reduce((sum, entry, c) => (entry && index[c] ? !sum : sum), false));
}

function eliminated(rows: boolean[][]): { readonly rows: boolean[][]; readonly rank: number } {
  let rank = 0;
  for (let c = 0; c < (rows[0]?.length ?? 0) && rank < rows.length; c++) {
    const pivot = rows.findIndex((row, r) => r >= rank && row[c]);
    if (pivot < 0) continue;
    [rows[rank], rows[pivot]] = [rows[pivot]!, rows[rank]!];
    for (let r = 0; r < rows.length; r++) if (r !== rank && rows[r]![c]) rows[r] = rows[r]!.map((entry, k) => entry !== rows[rank]![k]);
    rank++;
  }
  return { rows, rank };
}
