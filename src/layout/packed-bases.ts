/** Bookkeeping on packed bases: int32 numbers that hold a coordinate of every out dim side by side. */
import { LayoutError } from "./layout-error.js";

/** Packed bases of one in dim. */
export type PackedBases = readonly [inDim: string, bases: ArrayLike<number>];

/** The exponent of a power of two below 2^31; throws a LayoutError for other numbers. */
export function log2(size: number): number {
  if (size >= 2 ** 31) throw new LayoutError(`${size} is larger than a layout can hold: 2^30`);
  const exponent = 31 - Math.clz32(size);
  if (size < 1 || 2 ** exponent !== size) throw new LayoutError(`${size} is not a power of two`);
  return exponent;
}

/** Running sums of `lengths`, from 0 on. */
export function shiftsOf(lengths: readonly number[]): number[] {
  const shifts = [0];
  for (let i = 0; i < lengths.length; i++) shifts.push(shifts[i]! + lengths[i]!);
  return shifts;
}

/** The part of a layout that repacking looks at. */
interface Packed {
  readonly packed: Int32Array;
  readonly outDimNames: readonly string[];
  readonly outShift: readonly number[];
}

/**
 * The packed bases of `layout` with out dim `outs[d]` at bit `shifts[d]`: out dims not in `outs` are dropped, and `outs` may name
 * dims that the layout lacks.
 */
export function repack(layout: Packed, outs: readonly string[], shifts: readonly number[]): Int32Array {
  const n = layout.outDimNames.length;
  const target = new Array<number>(n);
  let inPlace = true;
  for (let d = 0; d < n; d++) {
    const t = outs.indexOf(layout.outDimNames[d]!);
    target[d] = t < 0 ? -1 : shifts[t]!;
    if (target[d] !== layout.outShift[d]) inPlace = false;
  }
  if (inPlace) return layout.packed;
  const packed = new Int32Array(layout.packed.length);
  for (let d = 0; d < n; d++) {
    const to = target[d]!;
    if (to < 0) continue;
    const from = layout.outShift[d]!;
    const mask = maskOf(layout.outShift[d + 1]! - from);
    if (mask === 0) continue;
    for (let i = 0; i < packed.length; i++) packed[i]! |= ((layout.packed[i]! >>> from) & mask) << to;
  }
  return packed;
}

/** Equal lists of names? */
export function sameStrings(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((x, i) => x === b[i]));
}

/** Equal lists of numbers? */
export function sameNumbers(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Equal parts of two lists? */
export function sameRange(a: Int32Array, aStart: number, aEnd: number, b: Int32Array, bStart: number, bEnd: number): boolean {
  if (aEnd - aStart !== bEnd - bStart) return false;
  for (let i = 0; i < aEnd - aStart; i++) if (a[aStart + i] !== b[bStart + i]) return false;
  return true;
}

/** The lowest `bits` bits, at most 31. */
export function maskOf(bits: number): number {
  return bits >= 31 ? 0x7fffffff : (1 << bits) - 1;
}
