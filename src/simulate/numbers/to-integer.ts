/** Float to integer as `cvt` does it: rounded, then clamped to the integer's range. */

/** `.rni` nearest even, `.rzi` towards zero, `.rmi` down, `.rpi` up. */
export type IntegerRounding = "rni" | "rzi" | "rmi" | "rpi";

/** The integral double in that direction; keeps the sign of zero. */
export function roundToIntegral(x: number, rounding: IntegerRounding): number {
  switch (rounding) {
    case "rzi":
      return Math.trunc(x);
    case "rmi":
      return Math.floor(x);
    case "rpi":
      return Math.ceil(x);
    case "rni": {
      if (!(Math.abs(x) < 2 ** 52)) return x;
      const shifted = Math.abs(x) + 2 ** 52 - 2 ** 52; // the double's own rounding is to nearest even
      return x < 0 || Object.is(x, -0) ? -shifted : shifted;
    }
  }
}

/** Clamped to [low, high]; NaN gives 0, as for every destination of at most 32 bits. */
export function clampToInteger(x: number, rounding: IntegerRounding, low: number, high: number): number {
  if (Number.isNaN(x)) return 0;
  const integral = roundToIntegral(x, rounding);
  return integral < low ? low : integral > high ? high : integral + 0;
}

/** The same for 64 bits; NaN gives the pattern with only the top bit set. */
export function clampToInt64(x: number, rounding: IntegerRounding, signed: boolean): bigint {
  if (Number.isNaN(x)) return signed ? -(1n << 63n) : 1n << 63n;
  const integral = roundToIntegral(x, rounding);
  if (signed) {
    if (integral >= 2 ** 63) return (1n << 63n) - 1n;
    return integral <= -(2 ** 63) ? -(1n << 63n) : BigInt(integral);
  }
  if (integral >= 2 ** 64) return (1n << 64n) - 1n;
  return integral <= 0 ? 0n : BigInt(integral);
}
