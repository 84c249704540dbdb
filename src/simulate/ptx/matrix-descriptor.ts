/**
 * Matrices in shared memory, as wgmma and tcgen05 describe them: pieces of 16 bytes, eight rows of them an atom as wide as
 * the swizzle. Along one dimension elements are neighbours, K (`K-major`) or the other one (`MN-major`):
 *
 *     K-major    piece (row, j):  start + (row % 8) * width + (row / 8) * SBO + (j % perRow) * 16 + (j / perRow) * LBO
 *     MN-major   piece (j, k):    start + (k % 8) * width + (k / 8) * SBO + (j % perRow) * 16 + (j / perRow) * LBO
 *
 * where `width` is the swizzle's bytes (16 without one) and `perRow` pieces of 16 bytes are in it; without a swizzle, LBO and SBO
 * of an MN-major matrix change places. The swizzle goes over the address that comes out.
 */
import type { PieceReader } from "./matrix-elements.js";
import { swizzled } from "./swizzle.js";

export interface MatrixDescriptor {
  /** In bytes. */
  readonly start: number;
  readonly leading: number;
  readonly stride: number;
  /** 0, 32, 64 or 128 bytes. */
  readonly swizzle: number;
}

const SWIZZLES: Readonly<Record<number, number>> = { 0: 0, 2: 128, 4: 64, 6: 32 };

/** Decodes a 64-bit descriptor; returns a line with the reason if it is not modelled. */
export function readDescriptor(low: number, high: number): MatrixDescriptor | string {
  const swizzle = SWIZZLES[(high >>> 29) & 7];
  if (swizzle === undefined) return `swizzle ${(high >>> 29) & 7} of a matrix descriptor`;
  if ((high >>> 17) & 7) return "a matrix descriptor with a base offset";
  return { start: (low & 0x3fff) << 4, leading: ((low >>> 16) & 0x3fff) << 4, stride: (high & 0x3fff) << 4, swizzle };
}

/** Where each piece lies: of `outer` x `k` elements, `count` to a piece, from element `first` of the outer dimension on. */
export function piecesOf(d: MatrixDescriptor, isKMajor: boolean, outer: number, k: number, count: number, first = 0): Int32Array {
  const width = d.swizzle || 16;
  const perRow = width / 16;
  // Lines of eight to an atom, pieces along them.
  const [lines, along] = isKMajor ? [outer, k / count] : [k, outer / count];
  const exchanged = !isKMajor && d.swizzle === 0;
  const [leading, stride] = exchanged ? [d.stride, d.leading] : [d.leading, d.stride];
  const pieces = new Int32Array(lines * along);
  const [firstLine, firstAlong] = isKMajor ? [first, 0] : [0, first / count];
  let i = 0;
  for (let line = firstLine; line < firstLine + lines; line++) {
    const row = d.start + (line & 7) * width + (line >> 3) * stride;
    for (let j = firstAlong; j < firstAlong + along; j++)
      pieces[i++] = swizzled(row + (j % perRow) * 16 + Math.floor(j / perRow) * leading, d.swizzle);
  }
  return pieces;
}

/** Reads the elements of `piecesOf` into `outer` rows of `k`. */
export function readMatrix(
  words: Int32Array,
  pieces: Int32Array,
  isKMajor: boolean,
  outer: number,
  k: number,
  { count, read }: PieceReader,
  out: Float64Array,
): void {
  const along = (isKMajor ? k : outer) / count;
  for (let i = 0; i < pieces.length; i++) {
    const [line, j] = [Math.floor(i / along), i % along];
    const at = pieces[i]! >> 2;
    if (isKMajor) read(words, at, out, line * k + j * count, 1);
    else read(words, at, out, j * count * k + line, k);
  }
}
