/** A screen as a drawing. */
import type { Canvas } from "../draw/canvas.js";
import { paperOf } from "../draw/style.js";
import { cssOf, type Theme } from "../draw/theme.js";

const CELL = { width: 8.4, height: 18 } as const;
const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

export function canvasSvg(canvas: Canvas, theme: Theme, title = "tt-step"): string {
  const width = Math.ceil(canvas.width * CELL.width) + 16;
  const height = Math.ceil(canvas.height * CELL.height) + 16;
  const papers: string[] = [];
  const texts: string[] = [];
  for (let y = 0; y < canvas.height; y++) {
    for (let x = 0; x < canvas.width; ) {
      const s = canvas.styles[y * canvas.width + x]!;
      let end = x;
      let text = "";
      for (; end < canvas.width && canvas.styles[y * canvas.width + end] === s; end++) {
        const code = canvas.chars[y * canvas.width + end]!;
        if (code !== 0) text += String.fromCodePoint(code);
      }
      const [px, py] = [(8 + x * CELL.width).toFixed(1), 8 + y * CELL.height];
      const css = cssOf(theme, s);
      const paper = /background:([^;]+)/.exec(css)?.[1];
      if (paper !== undefined && (paperOf(s) !== 0 || css.includes("background")))
        papers.push(`<rect x="${px}" y="${py}" width="${((end - x) * CELL.width).toFixed(1)}" height="${CELL.height}" fill="${paper}"/>`);
      if (text.trim() !== "") {
        const ink = /(?:^|;)color:([^;]+)/.exec(css)?.[1];
        const bold = css.includes("bold") ? ' font-weight="bold"' : "";
        const lead = text.length - text.trimStart().length;
        texts.push(
          `<text x="${(8 + (x + lead) * CELL.width).toFixed(1)}" y="${py + 13.5}"${ink ? ` fill="${ink}"` : ""}${bold} textLength="${(text.trim().length * CELL.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs">${escaped(text.trim()).replaceAll(" ", "\u00a0")}</text>`,
        );
      }
      x = end;
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="${theme.page[1]}" xml:space="preserve">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="${theme.page[0]}"/>
${papers.join("\n")}
${texts.join("\n")}
</svg>
`;
}
