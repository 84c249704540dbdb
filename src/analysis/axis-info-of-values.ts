/**
 * AxisInfo of actual numbers, from the definition: what the analysis, which knows no numbers, can at best find.
 * Source: the definitions in include/triton/Analysis/AxisInfo.h.
 */
import { type AxisInfo, highestPowOf2Divisor, MAX_DIVISOR } from "./axis-info.js";

/**
 * Contiguity, divisibility and constancy of numbers, given in row-major order of `shape`. Along each dimension a tensor is cut
 * into groups of equal length: the longest ones (a divisor of the dimension's size) in which numbers rise by one, or are
 * equal, everywhere. Divisibility is that of the first numbers of the former groups.
 */
export function axisInfoOf(values: readonly (number | bigint)[], shape: readonly number[]): AxisInfo {
  const numbers = values.map(BigInt);
  const contiguity = shape.map((_, dim) => longestGroups(numbers, shape, dim, 1n));
  const constancy = shape.map((_, dim) => longestGroups(numbers, shape, dim, 0n));
  const divisibility = shape.map((size, dim) => {
    const stride = strideOf(shape, dim);
    let divisor = MAX_DIVISOR;
    numbers.forEach((n, i) => {
      if ((Math.floor(i / stride) % size) % contiguity[dim]! === 0) divisor = Math.min(divisor, highestPowOf2Divisor(n));
    });
    return divisor;
  });
  const first = numbers[0];
  return { contiguity, divisibility, constancy, constantValue: numbers.every((n) => n === first) ? first : undefined };
}

const strideOf = (shape: readonly number[], dim: number): number => shape.slice(dim + 1).reduce((n, size) => n * size, 1);

/** The longest groups along `dim` inside which each number is the one before plus `step`. */
function longestGroups(numbers: readonly bigint[], shape: readonly number[], dim: number, step: bigint): number {
  const stride = strideOf(shape, dim);
  const size = shape[dim]!;
  // Groups end where two neighbours do not follow each other: their length divides all such places.
  let length = size;
  numbers.forEach((n, i) => {
    const at = Math.floor(i / stride) % size;
    if (at > 0 && n !== numbers[i - stride]! + step) length = divisor(length, at);
  });
  return length;
}
function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
