/** The tensor as a grid of cells, each with the place that holds it: what the map shows and the cursor moves on. */
import { firstOwners, type Owner, ownerAt } from "../../../layout/grid.js";
import type { LinearLayout } from "../../../layout/linear-layout.js";
import { memo } from "../../../support/memo.js";

export interface Grid {
  readonly rows: number;
  readonly columns: number;
  /** The element of a cell; leading dimensions come from `lead`. */
  readonly element: (row: number, column: number) => readonly number[];
  readonly cell: (element: readonly number[]) => readonly [row: number, column: number];
}

/** The last two dimensions as rows and columns; a vector is folded into rows of `fold` elements. */
export function gridOf(shape: readonly number[], lead: readonly number[], fold: number): Grid {
  const rank = shape.length;
  if (rank === 0) return { rows: 1, columns: 1, element: () => [], cell: () => [0, 0] };
  if (rank === 1) {
    const columns = Math.min(shape[0]!, fold);
    return {
      rows: Math.ceil(shape[0]! / columns),
      columns,
      element: (row, column) => [row * columns + column],
      cell: ([i = 0]) => [Math.floor(i / columns), i % columns],
    };
  }
  const leading = shape.slice(0, -2).map((_, d) => lead[d] ?? 0);
  return {
    rows: shape[rank - 2]!,
    columns: shape[rank - 1]!,
    element: (row, column) => [...leading, row, column],
    cell: (element) => [element[rank - 2] ?? 0, element[rank - 1] ?? 0],
  };
}

/** Who holds an element first; undefined where nobody does. */
export function firstOwner(layout: LinearLayout, shape: readonly number[], element: readonly number[]): Owner | undefined {
  let flat = 0;
  shape.forEach((size, d) => {
    flat = flat * size + (element[d] ?? 0);
  });
  const index = owners(layout)[flat] ?? -1;
  return index < 0 ? undefined : ownerAt(layout, index);
}
const owners = memo(firstOwners, 4);

/** An element within the tensor. */
export function within(shape: readonly number[], element: readonly number[]): readonly number[] {
  return shape.map((size, d) => Math.max(0, Math.min(size - 1, element[d] ?? 0)));
}
