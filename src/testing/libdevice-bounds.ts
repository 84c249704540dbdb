/**
 * The errors that CUDA documents. Source: CUDA C++ Programming Guide, "Mathematical Functions", the tables of maximum errors of version 12
 * (tables 13 and 14) and 13 (5.5.7, 5.5.8), which agree. powi is not there: it has pow's. lgamma's bound holds outside of
 * [-10.001, -2.264] (f32) and [-23.0001, -2.2637] (f64), jn's for n = 128.
 */

/** In ulp, for f32 and f64; what is missing is exact. */
export const BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  acos: [2, 2],
  acosh: [4, 3],
  asin: [2, 2],
  asinh: [3, 3],
  atan: [2, 2],
  atan2: [3, 2],
  atanh: [3, 2],
  cbrt: [1, 1],
  cos: [2, 2],
  cosh: [2, 1],
  cospi: [1, 2],
  cyl_bessel_i0: [6, 6],
  cyl_bessel_i1: [6, 6],
  erf: [2, 2],
  erfc: [4, 5],
  erfcinv: [4, 6],
  erfcx: [4, 4],
  erfinv: [2, 5],
  exp: [2, 1],
  exp10: [2, 1],
  exp2: [2, 1],
  expm1: [1, 1],
  hypot: [3, 2],
  j0: [9, 7],
  j1: [9, 7],
  jn: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  lgamma: [6, 4],
  log: [1, 1],
  log10: [2, 1],
  log1p: [1, 1],
  log2: [1, 1],
  norm3d: [3, 2],
  norm4d: [3, 2],
  normcdf: [5, 5],
  normcdfinv: [5, 8],
  pow: [4, 2],
  powi: [4, 2],
  rcbrt: [1, 1],
  rhypot: [2, 1],
  rnorm3d: [2, 1],
  rnorm4d: [2, 1],
  rsqrt: [2, 1],
  sin: [2, 2],
  sinh: [3, 2],
  sinpi: [1, 2],
  tan: [4, 2],
  tanh: [2, 1],
  tgamma: [5, 10],
  y0: [9, 7],
  y1: [9, 7],
  yn: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
};

/** Where only the absolute error is documented: Bessel functions beyond 8 and of higher orders. */
export function isAbsolute(name: string, isFloat: boolean): (args: readonly number[]) => boolean {
  if (/^[jy][01]$/.test(name)) return ([x]) => Math.abs(x!) >= 8;
  if (name === "jn") return () => true;
  if (name === "yn") return ([n, x]) => x! > (isFloat ? 1 : 1.5) * n!;
  return () => false;
}
export const absoluteBound = (isFloat: boolean): number => (isFloat ? 2.2e-6 : 5e-12);
/** ynf below its order: 2 + 2.5 n ulp. */
export const ynBound = (n: number): number => Math.ceil(2 + 2.5 * n);
