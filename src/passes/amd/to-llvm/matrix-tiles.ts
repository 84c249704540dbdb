/** Dots by MFMA and by WMMA alike: how often tiles repeat in operands, and the formats of scaled dots. */
import type { AmdMfmaParams, AmdWmmaParams } from "../../../layout/encoding-params.js";

/** How often the tile of an instruction repeats in an operand: batches, rows or columns, along K. */
export interface Repetitions {
  readonly batch: number;
  readonly nonK: number;
  readonly k: number;
}
/** The repetitions in operand `index`, of whose K one instruction takes `kDim`. */
export function repetitions(
  { instrShape, warpsPerCTA, tilesPerWarp }: AmdMfmaParams | AmdWmmaParams,
  shape: readonly number[],
  kDim: number,
  index: 0 | 1,
): Repetitions {
  const dim = shape.length - 2 + index;
  const tiles = tilesPerWarp[dim]!;
  const times = (extent: number, tile: number): number => Math.max(1, Math.floor(extent / tile));
  return {
    batch: shape.length === 3 ? times(shape[0]!, warpsPerCTA[0]!) : 1,
    nonK: times(shape[dim]!, instrShape[index]! * tiles * warpsPerCTA[dim]!) * tiles,
    k: times(shape[shape.length - 1 - index]!, kDim),
  };
}

/** The numbers of the formats of f8f6f4, and their element types. */
export const FORMATS: Readonly<Record<string, readonly [number: number, kind: string]>> = {
  e4m3: [0, "f8E4M3FN"],
  e5m2: [1, "f8E5M2"],
  e2m1: [4, "f4E2M1FN"],
};
