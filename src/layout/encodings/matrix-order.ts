/** The order of the dimensions of a (batch of) row- or column-major matrices. Source: Dialect.cpp. */

/** [rank - 1, ..., 0] for row major; the first two swapped for column major. */
export function getMatrixOrder(rank: number, rowMajor: boolean): number[] {
  if (rank < 2) return new Array<number>(rank).fill(0);
  const order = Array.from({ length: rank }, (_, i) => rank - 1 - i);
  if (!rowMajor) [order[0], order[1]] = [order[1]!, order[0]!];
  return order;
}

/** The order of operand `opIdx` ([.., m, k] or [.., k, n]) with k fastest, or else m or n. */
export function getOrderForDotOperand(opIdx: number, rank: number, kContig: boolean): number[] {
  return getMatrixOrder(rank, (opIdx !== 0) !== kContig);
}

/** The dimension of k in operand `opIdx`. */
export function kDimOf(opIdx: number, rank: number): number {
  return opIdx === 0 ? rank - 1 : rank - 2;
}

/** Is `order` a permutation of 0, 1, ..., rank - 1? Else upstream's complaint. */
export function verifyLayoutOrder(order: readonly number[]): string[] {
  const sorted = [...order].sort((a, b) => a - b);
  if (sorted.every((dim, i) => dim === i)) return [];
  return [`order must be a permutation of 0..(rank-1), but was [${order.join(", ")}]`];
}

/** Is `x` 1, 2, 4, ...? */
export function isPowerOf2(x: number): boolean {
  return x >= 1 && Number.isInteger(Math.log2(x));
}
