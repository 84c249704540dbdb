/** The tensor view: who holds each element, `T4:1` for register 1 of thread 4, coloured by thread, warp or register. */
import { ownersOf } from "../../../layout/grid.js";
import { wrapText } from "../../../support/wrap-text.js";
import { BOLD, INKS, type Ink, line, MUTED, onPaper, type Row, type Span, style, withAttributes } from "../../draw/style.js";
import { cut } from "../../draw/text-width.js";
import type { View } from "../../state/view.js";
import type { Size2 } from "../pane.js";
import { firstOwner, type Grid, gridOf, within } from "./grid.js";
import type { Subject } from "./subject.js";

const digits = (n: number): number => String(n).length;

/** How a map is cropped. */
export interface MapWindow {
  /** Columns of a cell, its space included. */
  readonly cell: number;
  /** Columns of row numbers. */
  readonly gutter: number;
  /** Rows above the cells. */
  readonly head: number;
  /** Elements in a row of a folded vector. */
  readonly fold: number;
  readonly around: (
    grid: Grid,
    row: number,
    column: number,
    height: number,
  ) => { readonly top: number; readonly left: number; readonly rows: number; readonly columns: number };
}

export function mapWindow(subject: Subject, size: Size2): MapWindow {
  const { layout, shape } = subject.layout;
  const threads = layout.hasInDim("lane") ? layout.getInDimSize("lane") * layout.getInDimSize("warp") : 1;
  const registers = layout.hasInDim("register") ? layout.getInDimSize("register") : 1;
  const blocks = layout.hasInDim("block") ? layout.getInDimSize("block") : 1;
  const cell = (blocks > 1 ? 2 + digits(blocks - 1) : 0) + 1 + digits(threads - 1) + 1 + digits(registers - 1) + 1;
  const rows = shape.length > 1 ? shape[shape.length - 2]! : (shape[0] ?? 1);
  const gutter = digits(rows - 1) + 1;
  const across = Math.max(1, Math.floor((size.width - gutter) / cell));
  const fold = 2 ** Math.max(0, Math.min(6, Math.floor(Math.log2(across))));
  const head = subjectHead(subject, size).length + 1;
  return {
    cell,
    gutter,
    head,
    fold,
    around: (grid, row, column, height) => {
      const rowsShown = Math.max(1, Math.min(grid.rows, height - head - 1));
      const columnsShown = Math.max(1, Math.min(grid.columns, across));
      const page = (at: number, size: number, all: number) => Math.max(0, Math.min(all - size, Math.floor(at / size) * size));
      return {
        top: page(row, rowsShown, grid.rows),
        left: page(column, columnsShown, grid.columns),
        rows: rowsShown,
        columns: columnsShown,
      };
    },
  };
}

const PALETTE: readonly Ink[] = INKS.filter((ink) => /^c\d$/.test(ink));

export function mapRows(subject: Subject, view: View["layout"], size: Size2): Row[] {
  const { layout, shape } = subject.layout;
  const at = within(shape, view.element);
  const window = mapWindow(subject, size);
  const grid = gridOf(shape, at, window.fold);
  const [row, column] = grid.cell(at);
  const part = window.around(grid, row, column, size.height);
  const blocks = layout.getInDimSize("block") > 1;
  const rows: Row[] = [...subjectHead(subject, size)];
  const numbers: Span[] = [[" ".repeat(window.gutter), MUTED]];
  for (let c = part.left; c < part.left + part.columns; c++)
    numbers.push([
      String(c)
        .padStart(window.cell - 1)
        .padEnd(window.cell),
      c === column ? style("accent", "none", BOLD) : MUTED,
    ]);
  rows.push(numbers);
  for (let r = part.top; r < part.top + part.rows; r++) {
    const label = shape.length === 1 ? r * grid.columns : r;
    const spans: Span[] = [[`${String(label).padStart(window.gutter - 1)} `, r === row ? style("accent", "none", BOLD) : MUTED]];
    for (let c = part.left; c < part.left + part.columns; c++) {
      const element = grid.element(r, c);
      const owner = (element[0] ?? 0) < (shape[0] ?? 1) ? firstOwner(layout, shape, element) : undefined;
      if (!owner) {
        spans.push([" ".repeat(window.cell), 0]);
        continue;
      }
      const text = `${blocks ? `B${owner.block}:` : ""}T${owner.thread}:${owner.register}`;
      const by = view.colour === "thread" ? owner.thread : view.colour === "warp" ? owner.warp : owner.register;
      let s = style(PALETTE[by % PALETTE.length]!);
      if (view.thread === owner.thread) s = withAttributes(onPaper(s, "match"), BOLD);
      if (r === row && c === column) s = withAttributes(onPaper(s, "selected"), BOLD);
      spans.push([text.padStart(window.cell - 1), s], [" ", 0]);
    }
    rows.push(spans);
  }
  rows.push(ownerLine(subject, at, part, grid, size.width));
  return rows;
}

/** The value, its type, and its encoding. */
export function subjectHead({ name, layout }: Subject, size: Size2): Row[] {
  return [
    [
      [name, style("value", "none", BOLD)],
      [` ${layout.typeText.replace(/, #.*$/, ">")}`, style("type")],
    ],
    ...encodingIn(layout.encodingText, size).map((text) => line(text, MUTED)),
  ];
}

/** An encoding as it is written, or in short where there is no room: over several rows, or cut in a low pane. */
export function encodingIn(text: string, { width, height }: Size2): string[] {
  if (text.length <= width) return [text];
  const short = text
    .replaceAll("#ttg.", "")
    .replaceAll("<{", " ")
    .replaceAll(/[}>]|(?<=\d,) (?=\d)| =/g, "");
  return height < ROOMY ? [cut(short, width)] : wrapText(short, width);
}
/** From this height on, a row more is no loss. */
const ROOMY = 8;

/** `(3, 8): thread 12 (warp 0, lane 12), register 1; and 3 more`, and what part is shown. */
function ownerLine(
  subject: Subject,
  at: readonly number[],
  part: { readonly top: number; readonly left: number; readonly rows: number; readonly columns: number },
  grid: Grid,
  width: number,
): Row {
  const owners = ownersOf(subject.layout.layout, at);
  const [first] = owners;
  const element = `(${at.join(", ")})`;
  const more = owners.length > 1 ? `; and ${owners.length - 1} more` : "";
  const named = (thread: string, register: string) =>
    first
      ? `: ${thread}${first.thread} (warp ${first.warp}, lane ${first.lane}), ${register}${first.register}${first.block ? `, CTA ${first.block}` : ""}${more}`
      : ": nobody";
  const isWhole = part.rows === grid.rows && part.columns === grid.columns;
  const size = isWhole ? "" : `   ${part.columns}x${part.rows} of ${grid.columns}x${grid.rows}`;
  const texts = [named("thread ", "register "), named("T", "r")];
  const forms = [size, ""].flatMap((shown) => texts.map((text) => [text, shown] as const));
  const [names, shown] = forms.find((form) => element.length + form.join("").length <= width) ?? forms.at(-1)!;
  return [
    [element, style("accent", "none", BOLD)],
    [names, 0],
    [shown, MUTED],
  ];
}
