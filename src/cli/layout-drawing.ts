/**
 * `--format svg|html`: a layout as a drawing for a talk. A grid of cells, each with the threads and registers that hold the element
 * (or the offset at which shared memory has it), coloured by one of them, with a legend; pointing at a cell shows the rest. Cells
 * have light colours and dark ink of their own; paper and other ink follow the reader's dark or light mode.
 */
import { type Owner, ownerAt, preimage } from "../layout/grid.js";
import type { Window } from "../layout/print-layout.js";
import { type TensorLayout, UserError } from "./layout-input.js";
import type { ColorBy } from "./options/layout.js";

export interface DrawingOptions {
  readonly colorBy: ColorBy | undefined;
  readonly window: Window | undefined;
  /** A thread to point out: the others fade. */
  readonly thread: number | undefined;
}

/** More cells than this nobody can look at. */
const MAX_CELLS = 1 << 14;
const MAX_OWNERS_SHOWN = 8;
const MAX_LEGEND = 64;
const FONT = 11;
const CHAR = 6.7;
const ROW = 22;

interface Cell {
  readonly coordinates: readonly number[];
  readonly label: string;
  readonly title: string;
  /** Which colour; undefined where nobody holds the element. */
  readonly color: number | undefined;
  readonly faded: boolean;
}
interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly body: string;
}

/** One self-contained SVG. */
export function layoutSvg(tensor: TensorLayout, options: DrawingOptions): string {
  const { width, height, body } = draw(tensor, options);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="${FONT}">
<style>.paper{fill:#fff}.ink{fill:#1b1f24}.faint{fill:#59636e}@media (prefers-color-scheme: dark){.paper{fill:#14171b}.ink{fill:#e6e8eb}.faint{fill:#9aa4af}}</style>
<rect class="paper" width="${width}" height="${height}"/>
${body}</svg>
`;
}

/** One self-contained page with a drawing of each layout. */
export function layoutHtml(tensors: readonly TensorLayout[], options: DrawingOptions): string {
  const figures = tensors.map((tensor) => {
    const { width, height, body } = draw(tensor, options);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-size="${FONT}" role="img">\n${body}</svg>`;
    return `<figure><div class="scroll">${svg}</div></figure>\n`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(tensors.map((tensor) => tensor.name ?? tensor.text).join(", "))}</title>
<style>
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1f24;--faint:#59636e}
@media (prefers-color-scheme: dark){:root{--paper:#14171b;--ink:#e6e8eb;--faint:#9aa4af}}
body{margin:24px;background:var(--paper);color:var(--ink);font:14px ui-monospace,Menlo,Consolas,monospace}
figure{margin:0 0 32px}.scroll{overflow-x:auto}
.ink{fill:var(--ink)}.faint{fill:var(--faint)}
.cell:hover rect{stroke:var(--ink);stroke-width:2}
svg.pointed .cell:not(.same){opacity:.25}
#at{position:sticky;bottom:0;min-height:1.4em;padding:8px 0;background:var(--paper)}
</style>
</head>
<body>
${figures.join("")}<p id="at">Point at a cell.</p>
<script>
const at = document.getElementById("at");
for (const svg of document.querySelectorAll("svg")) {
  svg.addEventListener("mouseover", (event) => {
    const cell = event.target.closest(".cell, .key");
    if (!cell) return;
    const title = cell.querySelector("title");
    if (title) at.textContent = title.textContent.replaceAll("\\n", "; ");
    svg.classList.add("pointed");
    for (const other of svg.querySelectorAll(".cell")) other.classList.toggle("same", other.dataset.c === cell.dataset.c);
  });
  svg.addEventListener("mouseleave", () => svg.classList.remove("pointed"));
}
</script>
</body>
</html>
`;
}

function draw(tensor: TensorLayout, options: DrawingOptions): Drawing {
  const shared = tensor.layout.hasInDim("offset");
  const colorBy = options.colorBy ?? (shared ? "bank" : "thread");
  if (shared !== (colorBy === "bank"))
    throw new UserError(
      `error: --color-by ${colorBy} is for ${shared ? "distributed layouts; shared memory has banks" : "shared memory"}\n`,
    );
  const window = options.window ?? tensor.shape.map((size): [number, number] => [0, size]);
  const count = window.reduce((product, [from, to]) => product * (to - from), 1);
  if (count > MAX_CELLS)
    throw new UserError(`error: ${count} cells are too many for a drawing (at most ${MAX_CELLS}): choose a part with --crop 0:64,0:64\n`);
  const cellOf = shared ? sharedCell(tensor) : distributedCell(tensor, colorBy, options.thread);

  // The last two dimensions make a grid; each combination of the others has its own.
  const rank = window.length;
  const outer = window.slice(0, Math.max(0, rank - 2));
  const [rows, columns] = [rank > 1 ? window[rank - 2]! : ([0, 1] as const), rank > 0 ? window[rank - 1]! : ([0, 1] as const)];
  const panels = combinations(outer).map((prefix) => ({
    prefix,
    cells: range(rows).map((r) => range(columns).map((c) => cellOf([...prefix, ...(rank > 1 ? [r] : []), ...(rank > 0 ? [c] : [])]))),
  }));
  const cells = panels.flatMap((panel) => panel.cells.flat());
  const longest = Math.max(3, ...cells.map((cell) => cell.label.length));
  const cellWidth = Math.ceil(longest * CHAR + 10);
  const left = 12 + Math.ceil(String(rows[1]).length * CHAR) + 8;
  const colors = new Map<number, string>();
  for (const { color } of cells) if (color !== undefined && !colors.has(color)) colors.set(color, colorOf(color));

  const titleLines = [
    ...wrapped(`${tensor.name === undefined ? "" : `${tensor.name} = `}${tensor.text}`, 110),
    `${tensor.shape.join(" x ")}, coloured by ${colorBy}`,
  ];
  let y = 16;
  let body = "";
  for (const line of titleLines) {
    body += `<text class="${line === titleLines.at(-1) ? "faint" : "ink"}" x="12" y="${y}">${escaped(line)}</text>\n`;
    y += 16;
  }
  y += 4;
  for (const { prefix, cells: grid } of panels) {
    if (prefix.length > 0) {
      body += `<text class="faint" x="12" y="${y + 10}">[${prefix.join(", ")}, :, :]</text>\n`;
      y += 18;
    }
    range(columns).forEach((c, i) => {
      body += `<text class="faint" text-anchor="middle" x="${left + i * cellWidth + cellWidth / 2}" y="${y + 10}">${c}</text>`;
    });
    y += 16;
    grid.forEach((row, r) => {
      if (rank > 1) body += `\n<text class="faint" text-anchor="end" x="${left - 6}" y="${y + 15}">${rows[0] + r}</text>\n`;
      row.forEach((cell, c) => {
        body += cellSvg(cell, left + c * cellWidth, y, cellWidth, colors);
      });
      y += ROW;
    });
    y += 12;
  }
  const width = Math.max(
    left + cellWidth * (columns[1] - columns[0]) + 12,
    ...titleLines.map((line) => Math.ceil(line.length * CHAR) + 24),
  );
  const legend = legendSvg(colors, colorBy, y, width);
  return { width, height: y + legend.height + 12, body: body + legend.body };
}

function cellSvg(cell: Cell, x: number, y: number, width: number, colors: ReadonlyMap<number, string>): string {
  const fill = cell.color === undefined ? "none" : colors.get(cell.color)!;
  const color = cell.color === undefined ? "" : ` data-c="${cell.color}"`;
  const rect = `<rect x="${x}" y="${y}" width="${width}" height="${ROW}" fill="${fill}" stroke="#8b949e" stroke-width="0.5"/>`;
  const text = `<text x="${x + width / 2}" y="${y + 15}" text-anchor="middle" fill="#111">${cell.label}</text>`;
  return `<g class="cell"${color}${cell.faded ? ' opacity="0.2"' : ""}><title>${escaped(cell.title)}</title>${rect}${text}</g>\n`;
}

function legendSvg(
  colors: ReadonlyMap<number, string>,
  colorBy: ColorBy,
  top: number,
  width: number,
): { readonly body: string; readonly height: number } {
  const keys = [...colors.keys()].sort((a, b) => a - b);
  const shown = keys.slice(0, MAX_LEGEND);
  const step = Math.ceil((colorBy.length + 1 + String(keys.at(-1) ?? 0).length) * CHAR) + 34;
  const perRow = Math.max(1, Math.trunc((width - 24) / step));
  let body = "";
  shown.forEach((key, i) => {
    const x = 12 + (i % perRow) * step;
    const y = top + Math.trunc(i / perRow) * 20;
    body += `<g class="key" data-c="${key}"><rect x="${x}" y="${y}" width="14" height="14" fill="${colors.get(key)}" stroke="#8b949e" stroke-width="0.5"/>`;
    body += `<text class="ink" x="${x + 20}" y="${y + 11}">${colorBy} ${key}</text></g>\n`;
  });
  let height = Math.ceil(shown.length / perRow) * 20;
  if (keys.length > shown.length) {
    body += `<text class="faint" x="12" y="${top + height + 11}">and ${keys.length - shown.length} more</text>\n`;
    height += 20;
  }
  return { body, height };
}

function distributedCell(tensor: TensorLayout, colorBy: ColorBy, thread: number | undefined): (at: readonly number[]) => Cell {
  const { layout } = tensor;
  const blocks = layout.getInDimSize("block") > 1;
  const name = (owner: Owner): string => `${blocks ? `B${owner.block}:` : ""}T${owner.thread}:${owner.register}`;
  const lanes = layout.getInDimSize("lane");
  return (coordinates) => {
    const all = preimage(layout, packed(tensor, coordinates)).map((index) => ownerAt(layout, index));
    // As the text prints them: by block, warp, lane, register.
    const owners = all.sort((a, b) => a.block - b.block || a.thread - b.thread || a.register - b.register);
    const [first] = owners;
    const lines = owners.slice(0, MAX_OWNERS_SHOWN).map((owner) => {
      const block = blocks ? `block ${owner.block}, ` : "";
      return `${block}thread ${owner.thread} (warp ${owner.warp}, lane ${owner.thread % lanes}), register ${owner.register}`;
    });
    if (owners.length > MAX_OWNERS_SHOWN) lines.push(`and ${owners.length - MAX_OWNERS_SHOWN} more`);
    return {
      coordinates,
      label: first ? name(first) + (owners.length > 1 ? `|+${owners.length - 1}` : "") : "",
      title: [`(${coordinates.join(", ")})`, ...lines].join("\n"),
      color: first && (colorBy === "bank" ? 0 : first[colorBy]),
      faded: thread !== undefined && !owners.some((owner) => owner.thread === thread),
    };
  };
}

function sharedCell(tensor: TensorLayout): (at: readonly number[]) => Cell {
  const { layout } = tensor;
  const offsetAt = layout.inStart[layout.inDimNames.indexOf("offset")]!;
  const offsetMask = layout.getInDimSize("offset") - 1;
  const bits = Math.max(8, tensor.bits);
  return (coordinates) => {
    const places = preimage(layout, packed(tensor, coordinates)).map((index) => ({
      offset: (index >>> offsetAt) & offsetMask,
      block: layout.hasInDim("block") ? ownerAt(layout, index).block : 0,
    }));
    const [first] = places;
    const lines = places.map(({ offset, block }) => `block ${block}, offset ${offset} (byte ${(offset * bits) / 8}), bank ${bank(offset)}`);
    return {
      coordinates,
      label: first ? String(first.offset) : "",
      title: [`(${coordinates.join(", ")})`, ...lines.slice(0, MAX_OWNERS_SHOWN)].join("\n"),
      color: first && bank(first.offset),
      faded: false,
    };
  };
  function bank(offset: number): number {
    return Math.trunc((offset * bits) / 32) % 32;
  }
}

function packed({ layout }: TensorLayout, coordinates: readonly number[]): number {
  return coordinates.reduce((sum, c, d) => sum | (c << layout.outShift[d]!), 0);
}

/** Neighbouring numbers get hues far apart; all are light enough for dark ink. */
function colorOf(n: number): string {
  const hue = (n * 137.508) % 360;
  const light = 0.72 + 0.1 * (Math.trunc(n / 8) % 2);
  const channel = (shift: number): string => {
    const k = (shift + hue / 30) % 12;
    const value = light - 0.6 * (1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * Math.min(1, value))
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

function combinations(window: Window): number[][] {
  return window.reduce<number[][]>((prefixes, bounds) => prefixes.flatMap((prefix) => range(bounds).map((i) => [...prefix, i])), [[]]);
}
function range([from, to]: readonly [number, number]): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width && lines.length < 6) {
    const space = rest.lastIndexOf(" ", width);
    const end = space > width / 2 ? space + 1 : width;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end);
  }
  return [...lines, rest.length > width ? `${rest.slice(0, width)}...` : rest];
}
function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}
