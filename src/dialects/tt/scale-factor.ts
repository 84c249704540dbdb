/** How many elements along K share a scale of `tt.dot_scaled`, by the shapes. Source: lib/Dialect/Triton/IR/Ops.cpp, deduceScaleFactor (Triton 3.8). */

/** An operand: its shape, that of its scales, and whether a byte holds two of its elements along K. */
export interface ScaledShape {
  readonly shape: readonly number[];
  readonly scales: readonly number[] | undefined;
  readonly packsK: boolean;
}

/** 16 or 32; upstream's complaint where the shapes do not fit. */
export function scaleFactorOf(lhs: ScaledShape, rhs: ScaledShape): number | string {
  const byShape = ({ shape, scales, packsK }: ScaledShape, dim: number): number | undefined =>
    !scales || scales.reduce((a, b) => a * b, 1) === 1 ? undefined : Math.trunc((shape.at(dim)! * (packsK ? 2 : 1)) / scales.at(-1)!);
  const [a, b] = [byShape(lhs, -1), byShape(rhs, -2)];
  for (const factor of [a, b])
    if (factor !== undefined && factor !== 16 && factor !== 32) return `scale factor must be 16 or 32. Got ${factor}`;
  if (a && b && a !== b) return `Operands must have the same scale factor; (lhs: ${a} vs rhs: ${b})`;
  return a ?? b ?? 32;
}
