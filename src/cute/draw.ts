/**
 * Drawings: layouts as tables of offsets, thread-value maps coloured by thread, side by side; and an HTML page with the
 * drawing, who owns each element and what each thread owns. Everything is inline, so that a page is self-contained.
 */
import * as any from "./composed-layout.js";
import { productEach } from "./int-tuple.js";
import * as plain from "./layout.js";
import { type Marked, type Owner, threadColours } from "./print-picture.js";
import { type AnyLayout, dyn, get, numberOf, tuple } from "./term.js";

/** One tile with its caption; every cell has a text in one or two lines and a colour number. */
export interface Panel {
  readonly caption: string;
  readonly rows: number;
  readonly columns: number;
  readonly cells: readonly Cell[];
}

/** A cell of a panel. */
export interface Cell {
  readonly row: number;
  readonly column: number;
  readonly lines: readonly string[];
  /** Index into the colours of threads; undefined is white. */
  readonly colour: number | undefined;
  /** Whether the drawing points it out. */
  readonly marked?: boolean;
}

/** A layout of one or two modes (further ones flattened into the second) as a panel of offsets. */
export function layoutPanel(l: AnyLayout, caption: string): Panel {
  const shown = any.positionIndependent(l);
  const r = any.rank(shown);
  const two = r > 2 ? any.group(shown, 1, r) : any.appendMode(shown, plain.trivial, 2);
  const extents = productEach(any.shape(two));
  const [rows, columns] = [numberOf(get(extents, 0)), numberOf(get(extents, 1))];
  const cells: Cell[] = [];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const value = any.apply(two, tuple(dyn(row), dyn(column)));
      const text = value.kind === "tuple" ? `(${value.items.map((x) => numberOf(x)).join(",")})` : String(numberOf(value));
      cells.push({ row, column, lines: [text], colour: undefined });
    }
  return { caption, rows, columns, cells };
}

/** A thread-value map: every element with its first owner. */
export const ownerPanel = (owners: readonly Owner[], rows: number, columns: number, caption: string, marked?: Marked): Panel => ({
  caption,
  rows,
  columns,
  cells: owners.map((o) => ({
    row: o.row,
    column: o.column,
    lines: [`T${o.thread}`, `V${o.value}`],
    colour: o.thread,
    marked: marked?.(o.thread) ?? false,
  })),
});

const margin = 24;
const colourOf = (n: number | undefined): string => (n === undefined ? "rgb(255,255,255)" : `rgb(${threadColours[n % 8]!.join(",")})`);
const escapeXml = (s: string): string => s.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Panels beside each other as one SVG. */
export function svgOfPanels(panels: readonly Panel[]): string {
  const cellWidth = Math.max(20, ...panels.flatMap((p) => p.cells.map((c) => Math.max(...c.lines.map((l) => l.length)) * 7 + 6)));
  let x = 0;
  let height = 0;
  let body = "";
  for (const p of panels) {
    body += panelSvg(p, x, cellWidth);
    x += margin * 2 + p.columns * cellWidth;
    height = Math.max(height, margin * 2 + p.rows * 20);
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${x} ${height}" width="${x}" height="${height}" font-family="monospace">\n${body}</svg>\n`;
}

function panelSvg(p: Panel, x0: number, width: number): string {
  const text = (x: number, y: number, size: number, s: string) =>
    `<text x="${x}" y="${y}" text-anchor="middle" dominant-baseline="central" font-size="${size}">${escapeXml(s)}</text>\n`;
  const left = x0 + margin;
  let out = `<text x="${left}" y="10" font-size="11">${escapeXml(p.caption)}</text>\n`;
  for (let c = 0; c < p.columns; c++) out += text(left + c * width + width / 2, margin + 2, 9, String(c));
  for (let r = 0; r < p.rows; r++) out += text(x0 + margin / 2, margin + 10 + r * 20 + 10, 9, String(r));
  for (const cell of p.cells) {
    const [x, y] = [left + cell.column * width, margin + 10 + cell.row * 20];
    out += `<rect x="${x}" y="${y}" width="${width}" height="20" fill="${colourOf(cell.colour)}" stroke="${cell.marked ? 'red" stroke-width="3' : "black"}"/>\n`;
    if (cell.lines.length === 1) out += text(x + width / 2, y + 10, 10, cell.lines[0]!);
    else
      cell.lines.forEach((line, i) => {
        out += text(x + width / 2, y + 5 + i * 10, 8, line);
      });
  }
  return out;
}

/** Columns of a terminal that a grid takes; wider ones are broken into parts. */
const GRID_WIDTH = 120;

/** Panels below each other as text: a cell is `T19:V2`, in brackets where it is pointed out. */
export function textOfPanels(panels: readonly Panel[]): string {
  return panels.map(panelText).join("\n");
}

function panelText({ caption, rows, columns, cells }: Panel): string {
  const texts = new Map(
    cells.map((cell) => [cell.row * columns + cell.column, cell.marked ? `[${cell.lines.join(":")}]` : ` ${cell.lines.join(":")} `]),
  );
  const width = Math.max(...[...texts.values()].map((text) => text.length));
  const number = String(rows).length + 1;
  const part = Math.max(1, Math.floor((GRID_WIDTH - number) / width));
  let out = `${caption}\n`;
  for (let from = 0; from < columns; from += part) {
    const shown = Array.from({ length: Math.min(part, columns - from) }, (_, i) => from + i);
    const line = (head: string, cell: (column: number) => string) =>
      `${head.padStart(number)}${shown.map((column) => cell(column).padStart(width)).join("")}`.trimEnd();
    out += `${line("", (column) => `${column} `)}\n`;
    for (let row = 0; row < rows; row++) out += `${line(String(row), (column) => texts.get(row * columns + column) ?? "")}\n`;
  }
  return out;
}

/** A page with the printed text, the drawing, and (where there are threads) a table of what each thread owns. */
export function htmlPage(title: string, text: string, panels: readonly Panel[], owned: readonly OwnedTable[] = []): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeXml(title)}</title>
<style>
body { font-family: sans-serif; margin: 1.5em; }
pre, td { font-family: monospace; }
td, th { border: 1px solid #999; padding: 1px 6px; text-align: left; }
table { border-collapse: collapse; margin-bottom: 1em; }
</style>
</head>
<body>
<h1>${escapeXml(title)}</h1>
<pre>${escapeXml(text)}</pre>
${panels.map((p) => svgOfPanels([p])).join("")}${owned.map(tableHtml).join("")}</body>
</html>
`;
}

/** The elements of a tile that each thread owns, in order of its values. */
export interface OwnedTable {
  readonly caption: string;
  /** For each thread its elements as `(row,column)`, by value. */
  readonly threads: readonly (readonly string[])[];
}

function tableHtml(t: OwnedTable): string {
  const colour = (i: number) => `style="background:${colourOf(i)}"`;
  const rows = t.threads.map((elements, i) => `<tr><th ${colour(i)}>T${i}</th>${elements.map((e) => `<td>${e}</td>`).join("")}</tr>`);
  return `<h2>${escapeXml(t.caption)}</h2>\n<table>\n${rows.join("\n")}\n</table>\n`;
}
