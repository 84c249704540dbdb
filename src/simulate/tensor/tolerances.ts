/**
 * How far floats may be apart, relative to the larger one and to the mean magnitude of what the same op stored; of a value
 * that was rounded to a narrower type on its way, as far as that type's. The README's table.
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
