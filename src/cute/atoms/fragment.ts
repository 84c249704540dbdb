/**
 * The register fragments of warp-wide matrix instructions, by rule. A quad of threads holds a row, each thread `w`
 * neighbours of it (what fits 32 bits: 2 of fp16, 4 of int8, 32 of 1-bit); rows 8 apart and further blocks of 4w columns
 * follow as value modes:
 *
 *   A of m16n8k16 fp16, w = 2:   ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))
 *
 * Source: cute/atom/mma_traits_sm80.hpp, PTX ISA "Matrix fragments for mma".
 */
import { layout } from "../layout.js";
import { type Layout, lit, type Term, tuple } from "../term.js";

const modes = (pairs: readonly (readonly [size: number, stride: number])[]): [Term, Term] => {
  const kept = pairs.filter(([s]) => s > 1);
  if (kept.length === 0) return [lit(1), lit(0)];
  if (kept.length === 1) return [lit(kept[0]![0]), lit(kept[0]![1])];
  return [tuple(...kept.map(([s]) => lit(s))), tuple(...kept.map(([, d]) => lit(d)))];
};

/** A layout of one thread mode and one value mode from (size, stride) pairs; size 1 is left out. */
export function threadValue(threads: readonly (readonly [number, number])[], values: readonly (readonly [number, number])[]): Layout {
  const [ts, td] = modes(threads);
  const [vs, vd] = modes(values);
  return layout(tuple(ts, vs), tuple(td, vd));
}

/** Operand of `rows` (8 or 16) rows and `k` columns, `w` neighbours a thread. */
export function operandFragment(rows: 8 | 16, k: number, w: number): Layout {
  return threadValue(
    [
      [4, w * rows],
      [8, 1],
    ],
    [
      [w, rows],
      [rows / 8, 8],
      [k / (4 * w), 4 * w * rows],
    ],
  );
}

/** Accumulator of `rows` rows and 8 columns: two neighbours a thread. */
export const accumulatorFragment = (rows: 8 | 16): Layout => operandFragment(rows, 8, 2);

/** A warp, and a layout where thread and value is one each. */
export const warp = layout(lit(32), lit(1));
export const singleThread = layout(lit(1), lit(0));
