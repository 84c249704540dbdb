/** A screen as a drawing. */
import type { Canvas } from "../draw/canvas.js";
import { paperOf } from "../draw/style.js";
import { cssOf, type Theme } from "../draw/theme.js";

const CELL = { width: 8.4, height: 18 } as const;
const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** Cells of one look beside each other; colours as CSS has them, undefined for the page's own. */
export interface Run {
  readonly x: number;
  readonly y: number;
  readonly cells: number;
  readonly text: string;
  readonly ink: string | undefined;
  readonly paper: string | undefined;
  readonly bold: boolean;
}
interface Page {
  readonly columns: number;
  readonly rows: number;
  readonly page: Theme["page"];
  readonly title: string;
}

export function canvasSvg(canvas: Canvas, theme: Theme, title = "tt-step"): string {
  const runs: Run[] = [];
  for (let y = 0; y < canvas.height; y++)
    for (let x = 0; x < canvas.width; ) {
      const s = canvas.styles[y * canvas.width + x]!;
      let end = x;
      let text = "";
      for (; end < canvas.width && canvas.styles[y * canvas.width + end] === s; end++) {
        const code = canvas.chars[y * canvas.width + end]!;
        if (code !== 0) text += String.fromCodePoint(code);
      }
      const css = cssOf(theme, s);
      const paper = /background:([^;]+)/.exec(css)?.[1];
      runs.push({
        x,
        y,
        cells: end - x,
        text,
        ink: /(?:^|;)color:([^;]+)/.exec(css)?.[1],
        paper: paperOf(s) !== 0 || css.includes("background") ? paper : undefined,
        bold: css.includes("bold"),
      });
      x = end;
    }
  return runsSvg(runs, { columns: canvas.width, rows: canvas.height, page: theme.page, title });
}

/** Runs of cells on a page. */
export function runsSvg(runs: readonly Run[], { columns, rows, page, title }: Page): string {
  const width = Math.ceil(columns * CELL.width) + 16;
  const height = Math.ceil(rows * CELL.height) + 16;
  const papers: string[] = [];
  const texts: string[] = [];
  for (const { x, y, cells, text, ink, paper, bold } of runs) {
    const [px, py] = [(8 + x * CELL.width).toFixed(1), 8 + y * CELL.height];
    if (paper !== undefined)
      papers.push(`<rect x="${px}" y="${py}" width="${(cells * CELL.width).toFixed(1)}" height="${CELL.height}" fill="${paper}"/>`);
    if (text.trim() === "") continue;
    const lead = text.length - text.trimStart().length;
    texts.push(
      `<text x="${(8 + (x + lead) * CELL.width).toFixed(1)}" y="${py + 13.5}"${ink ? ` fill="${ink}"` : ""}${bold ? ' font-weight="bold"' : ""} textLength="${(text.trim().length * CELL.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs">${escaped(text.trim()).replaceAll(" ", "\u00a0")}</text>`,
    );
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="${page[1]}" xml:space="preserve">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="${page[0]}"/>
${papers.join("\n")}
${texts.join("\n")}
</svg>
`;
}
