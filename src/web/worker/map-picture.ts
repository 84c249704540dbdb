/** Who holds which element of a tensor, as numbers: a window of its last two dimensions. */
import type { ValueLayout } from "../../explain/value-layout.js";
import { firstOwner, gridOf, within } from "../../tui/panes/layout/grid.js";
import type { LayoutView } from "../../tui/panes/layout/pane.js";
import type { MapPicture } from "../protocol.js";

/** Rows and columns that are drawn at once. */
const MOST = 64;
/** Elements of a vector in a row. */
const FOLD = 32;

export function mapPicture(
  { layout, shape, encodingText, typeText }: Pick<ValueLayout, "layout" | "shape" | "encodingText" | "typeText">,
  { element, thread, colour }: Pick<LayoutView, "element" | "thread" | "colour">,
): MapPicture {
  const at = within(shape, element);
  const grid = gridOf(shape, at, FOLD);
  const [row, column] = grid.cell(at);
  const page = (of: number, all: number) => Math.floor(of / MOST) * MOST * Number(all > MOST);
  const [top, left] = [page(row, grid.rows), page(column, grid.columns)];
  const [rows, columns] = [Math.min(MOST, grid.rows - top), Math.min(MOST, grid.columns - left)];
  const threads: number[] = [];
  const registers: number[] = [];
  for (let r = top; r < top + rows; r++)
    for (let c = left; c < left + columns; c++) {
      const cell = grid.element(r, c);
      const owner = cell.every((index, d) => index < shape[d]!) ? firstOwner(layout, shape, cell) : undefined;
      threads.push(owner?.thread ?? -1);
      registers.push(owner?.register ?? -1);
    }
  return {
    caption: `${typeText}  ${encodingText}`,
    rows,
    columns,
    top,
    left,
    of: [grid.rows, grid.columns],
    lanes: layout.hasInDim("lane") ? layout.getInDimSize("lane") : 1,
    threads,
    registers,
    lead: shape.slice(0, -2).map((_, d) => at[d] ?? 0),
    rank: shape.length,
    element: at,
    thread,
    colour,
  };
}
