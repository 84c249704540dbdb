/**
 * How far floats may be apart, relative to the value or, of a sum, to the magnitudes that it adds: what an op that rounds to
 * the type leaves open, see `Bounds`. docs/execution.md has the table.
 */
export const TOLERANCES: Readonly<Record<string, number>> = {
  f64: 1e-12,
  f32: 1e-5,
  tf32: 1e-3,
  f16: 2e-3,
  bf16: 1.6e-2,
  // One step.
  f8E4M3FN: 0.125,
  f8E4M3B11FNUZ: 0.125,
  f8E5M2: 0.25,
};
/** And near zero: a step of what denormals there are, as far as targets keep them. */
export const LEAST: Readonly<Record<string, number>> = {
  f64: 2 ** -1022,
  f32: 2 ** -126,
  f16: 2 ** -24,
  bf16: 2 ** -126,
  f8E4M3FN: 2 ** -9,
  f8E4M3B11FNUZ: 2 ** -17,
  f8E5M2: 2 ** -16,
};
/** The bound of a zero that may have either sign. */
export const OPEN_SIGN = Number.MIN_VALUE;
