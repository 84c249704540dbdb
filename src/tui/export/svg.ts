/** A screen as a drawing. */
import { textWidth } from "../draw/text-width.js";
import { hexOf, type Theme } from "../draw/theme.js";

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

/** Lines of text with styles as a drawing. */
export function screenSvg(screen: string, columns: number, theme: Theme, title = "tt-step"): string {
  const lines = screen.split("\n");
  return runsSvg(
    lines.flatMap((line, y) => lineRuns(line, y, theme)),
    { columns, rows: lines.length, page: theme.page, title },
  );
}

function lineRuns(line: string, y: number, { page }: Theme): Run[] {
  const runs: Run[] = [];
  let x = 0;
  let [bold, reversed, ink, paper] = [false, false, undefined as string | undefined, undefined as string | undefined];
  for (const [, codes, text] of line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)) {
    if (text !== undefined) {
      const cells = textWidth(text);
      const [own, on] = reversed ? [paper ?? page[0], ink ?? page[1]] : [ink, paper];
      runs.push({ x, y, cells, text, ink: own, paper: on, bold });
      x += cells;
      continue;
    }
    const numbers = codes!.split(";").map(Number);
    while (numbers.length > 0) {
      const code = numbers.shift()!;
      if (code === 0) [bold, reversed, ink, paper] = [false, false, undefined, undefined];
      else if (code === 1) bold = true;
      else if (code === 7) reversed = true;
      else if (code === 39) ink = undefined;
      else if (code === 49) paper = undefined;
      else if (code === 38) ink = colour(numbers);
      else if (code === 48) paper = colour(numbers);
    }
  }
  return runs;
}
/** `5;N` or `2;R;G;B`, which are taken off. */
function colour(numbers: number[]): string {
  if (numbers.shift() === 5) return hexOf(numbers.shift()!);
  return `#${numbers
    .splice(0, 3)
    .map((n) => n.toString(16).padStart(2, "0"))
    .join("")}`;
}

/** Runs of cells on a page. */
export function runsSvg(runs: readonly Run[], page: Page): string {
  return pageSvg(page, drawn(runs));
}

/** A screen of a film, for so many seconds, and a line below it that says what happens. */
export interface FilmScreen {
  readonly runs: readonly Run[];
  readonly seconds: number;
  readonly caption: string;
}
/** Screens one after the other, again and again. Rows that several screens share are kept once. */
export function filmSvg(screens: readonly FilmScreen[], page: Page): string {
  const ids = new Map<string, number>();
  const whole = screens.reduce((all, { seconds }) => all + seconds, 0);
  let at = 0;
  const films = screens.map(({ runs, seconds, caption }, i) => {
    const from = at / whole;
    at += seconds;
    const rows = Array.from({ length: page.rows }, (_, y) => {
      const row = drawn(runs.filter((run) => run.y === y).map((run) => ({ ...run, y: 0 })));
      if (row === "") return "";
      if (!ids.has(row)) ids.set(row, ids.size);
      return `<use href="#r${ids.get(row)}" y="${y * CELL.height}"/>`;
    });
    const [values, times] =
      i === 0 ? ["inline;none", `0;${(at / whole).toFixed(4)}`] : ["none;inline;none", `0;${from.toFixed(4)};${(at / whole).toFixed(4)}`];
    const said = drawn([{ x: 1, y: page.rows, cells: caption.length, text: caption, ink: page.page[1], paper: undefined, bold: true }]);
    const animation = `<animate attributeName="display" values="${values}" keyTimes="${times}" calcMode="discrete" dur="${whole}s" repeatCount="indefinite"/>`;
    return `<g${i === 0 ? "" : ' display="none"'}>${animation}${rows.join("")}${said}</g>`;
  });
  const defs = [...ids].map(([row, id]) => `<g id="r${id}">${row}</g>`);
  return pageSvg({ ...page, rows: page.rows + 1 }, `<defs>\n${defs.join("\n")}\n</defs>\n${films.join("\n")}`);
}

/** Runs as rectangles and texts. */
function drawn(runs: readonly Run[]): string {
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
  return [...papers, ...texts].join("\n");
}

function pageSvg({ columns, rows, page, title }: Page, inside: string): string {
  const width = Math.ceil(columns * CELL.width) + 16;
  const height = Math.ceil(rows * CELL.height) + 16;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="${page[1]}" xml:space="preserve">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="${page[0]}"/>
${inside}
</svg>
`;
}
