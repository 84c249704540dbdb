/** A layout as grids of cells, for drawings: elements, registers of threads, banks of shared memory. Each is a window around the cursor. */
import type { ValueLayout } from "../../explain/value-layout.js";
import { firstOwner, gridOf, within } from "../../tui/panes/layout/grid.js";
import { offsetOf } from "../../tui/panes/layout/shared.js";
import type { LayoutView } from "../../tui/state/view.js";
import type { GridCell, GridPicture } from "../protocol.js";

type Drawn = Pick<ValueLayout, "layout" | "shape">;
type Cursor = Pick<LayoutView, "element" | "colour">;
type Element = readonly number[];

/** Rows and columns that are drawn at once. */
const MOST = 64;
/** Elements of a vector in a row. */
const FOLD = 32;
/** Bytes that the 32 banks hold at one address each. */
const BANKS = 128;

/** The tensor's last two dimensions: who holds each element. */
export function elementGrid(drawn: Drawn, { element, colour }: Cursor): GridPicture {
  const { shape } = drawn;
  const at = within(shape, element);
  const grid = gridOf(shape, at, FOLD);
  return windowed(grid.cell(at), [grid.rows, grid.columns], {
    kind: "elements",
    title: "elements, each with thread : register",
    row: (r) => String(shape.length === 1 ? r * grid.columns : r),
    column: String,
    cell: (r, c) => {
      const cell = grid.element(r, c);
      return cell.every((index, d) => index < shape[d]!) ? cellOf(drawn, cell, colour) : undefined;
    },
    element: grid.element,
  });
}

/** Registers of threads: which element each holds. */
export function registerGrid(drawn: Drawn, { element, colour }: Cursor): GridPicture {
  const { layout, shape } = drawn;
  const lanes = layout.getInDimSize("lane");
  const owner = firstOwner(layout, shape, within(shape, element));
  const held = (register: number, thread: number): Element =>
    layout.unpack(layout.applyPacked({ register, lane: thread % lanes, warp: Math.trunc(thread / lanes), block: owner?.block ?? 0 }));
  return windowed([owner?.register ?? 0, owner?.thread ?? 0], [layout.getInDimSize("register"), lanes * layout.getInDimSize("warp")], {
    kind: "registers",
    title: "registers of threads, each with its element",
    row: (r) => `r${r}`,
    column: (c) => `T${c}`,
    cell: (register, thread) => ({
      element: held(register, thread),
      thread,
      register,
      colour: hue(colour, thread, register, lanes),
    }),
    element: held,
  });
}

/** Shared memory by banks: the first element of each; `holder` tells whose it is in registers. */
export function bankGrid(buffer: ValueLayout, { element, colour }: Cursor, holder: ValueLayout | undefined): GridPicture {
  const { layout, shape, bits } = buffer;
  const perBank = Math.max(1, Math.trunc(32 / bits));
  const perRow = Math.max(1, Math.trunc((BANKS * 8) / bits));
  const total = layout.getInDimSize("offset");
  const offset = offsetOf(buffer, within(shape, element));
  const inside = (r: number, c: number): Element => layout.unpack(layout.applyPacked({ offset: r * perRow + c * perBank, block: 0 }));
  const cursor = [Math.trunc(offset / perRow), Math.trunc((offset % perRow) / perBank)] as const;
  return windowed(cursor, [Math.ceil(total / perRow), Math.ceil(perRow / perBank)], {
    kind: "banks",
    title: perBank > 1 ? `shared memory by banks; a bank holds ${perBank} elements, the first is named` : "shared memory by banks",
    row: (r) => String(r * BANKS),
    column: String,
    cell: (r, c) => {
      if (r * perRow + c * perBank >= total) return undefined;
      const cell = inside(r, c);
      if (holder) return cellOf(holder, cell, colour);
      return { element: cell, thread: -1, register: -1, colour: (cell.at(-2) ?? 0) % 8 };
    },
    element: inside,
  });
}

function cellOf({ layout, shape }: Drawn, element: Element, colour: LayoutView["colour"]): GridCell | undefined {
  const owner = firstOwner(layout, shape, element);
  if (!owner) return undefined;
  const { thread, register } = owner;
  return { element, thread, register, colour: hue(colour, thread, register, lanesOf(layout)) };
}
const hue = (by: LayoutView["colour"], thread: number, register: number, lanes: number): number =>
  (by === "thread" ? thread : by === "warp" ? Math.trunc(thread / lanes) : register) % 8;
export const lanesOf = (layout: ValueLayout["layout"]): number => (layout.hasInDim("lane") ? layout.getInDimSize("lane") : 1);

/** The part of a grid that is drawn, and where its neighbours are. */
function windowed(
  [row, column]: readonly [number, number],
  of: readonly [rows: number, columns: number],
  grid: Pick<GridPicture, "kind" | "title"> & {
    readonly row: (r: number) => string;
    readonly column: (c: number) => string;
    readonly cell: (r: number, c: number) => GridCell | undefined;
    readonly element: (r: number, c: number) => Element;
  },
): GridPicture {
  const first = (at: number, all: number): number => (all > MOST ? Math.floor(at / MOST) * MOST : 0);
  const range = (from: number, all: number): readonly number[] => Array.from({ length: Math.min(MOST, all - from) }, (_, i) => from + i);
  const [top, left] = [first(row, of[0]), first(column, of[1])];
  const [rows, columns] = [range(top, of[0]), range(left, of[1])];
  const turns = (
    [
      ["rows above", top - MOST, left],
      ["rows below", top + MOST, left],
      ["columns before", top, left - MOST],
      ["columns after", top, left + MOST],
    ] as const
  ).flatMap(([text, r, c]) => (r >= 0 && r < of[0] && c >= 0 && c < of[1] ? [{ text, element: grid.element(r, c) }] : []));
  const part = (name: string, shown: readonly number[], all: number): string => `${name} ${shown[0]} to ${shown.at(-1)} of ${all}`;
  return {
    kind: grid.kind,
    title: grid.title,
    rows: rows.map(grid.row),
    columns: columns.map(grid.column),
    cells: rows.flatMap((r) => columns.map((c) => grid.cell(r, c))),
    part: turns.length === 0 ? "" : `${part("rows", rows, of[0])}, ${part("columns", columns, of[1])}`,
    turns,
  };
}
