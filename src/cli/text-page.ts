/** Text for people as a self-contained page or a drawing: explanations, facts of layouts, tours. */
import type { Theme } from "../tui/draw/theme.js";
import { screenSvg } from "../tui/export/svg.js";

export const escaped = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

/** A page; `body` is HTML, and `style` CSS beside that of paragraphs and code. */
export function htmlPage(title: string, body: string, theme: Theme, style = ""): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>
:root{color-scheme:${theme.name === "light" ? "light" : "dark"}}
body{margin:2rem auto;max-width:132ch;padding:0 1rem;background:${theme.page[0]};color:${theme.page[1]};font:16px/1.5 system-ui,sans-serif}
p{max-width:80ch}
pre,kbd,figcaption{font:13px/1.35 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre{margin:0;padding:.6rem .8rem;overflow:auto}
${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** Lines as a page: those that begin with a space are code or a drawing, the others paragraphs. */
export function linesAsPage(title: string, lines: readonly string[], theme: Theme): string {
  const parts: string[] = [];
  let code: string[] = [];
  const endCode = (): void => {
    if (code.length > 0) parts.push(`<pre>${code.map(escaped).join("\n")}</pre>`);
    code = [];
  };
  for (const line of lines) {
    if (line.startsWith(" ")) code.push(line);
    else {
      endCode();
      if (line !== "") parts.push(`<p>${escaped(line)}</p>`);
    }
  }
  endCode();
  return htmlPage(title, `<h1>${escaped(title)}</h1>\n${parts.join("\n")}`, theme);
}

/** Lines as a drawing of their characters. */
export function linesAsSvg(title: string, lines: readonly string[], theme: Theme): string {
  return screenSvg(lines.join("\n"), Math.max(...lines.map((line) => line.length)), theme, title);
}
