/** The terminal UI's colours as style sheets, light and dark. Inks are darkened or lightened until they can be read on every paper. */
import { INKS, PAPERS } from "../tui/draw/style.js";
import { hexOf, THEMES, type Theme } from "../tui/draw/theme.js";

/** `--i4` is the ink of index 4, `--p3` the paper; `.i4`, `.p3` and `.b` are what spans of a row have. */
export function themeCss(): string {
  const dark = variables(THEMES.dark);
  return `:root{color-scheme:light dark;${variables(THEMES.light)}}
@media (prefers-color-scheme:dark){:root{${dark}}}
:root[data-theme=light]{color-scheme:light;${variables(THEMES.light)}}
:root[data-theme=dark]{color-scheme:dark;${dark}}
${spanCss()}`;
}
/** The classes of spans. */
export function spanCss(): string {
  const inks = INKS.map((_, i) => `.i${i}{color:var(--i${i})}`);
  const papers = PAPERS.map((name, i) => (name === "none" ? "" : `.p${i}{background:var(--p${i})}`));
  return `${[...inks, ...papers].join("")}.b{font-weight:bold}.d{opacity:.75}.u{text-decoration:underline}`;
}

/** The contrast that WCAG asks for text of this size. */
const CONTRAST = 4.6;

export function variables(theme: Theme): string {
  const [page, ink] = theme.page;
  const paper = (name: (typeof PAPERS)[number]): string =>
    name === "none" ? page : (theme.quiet[name] ?? (theme.papers[name] === undefined ? page : hexOf(theme.papers[name])));
  const papers = PAPERS.map(paper);
  // Words on papers are in plain ink there, where their own would be hard to read.
  const grounds = PAPERS.filter((name) => !/Word|selected|match/.test(name)).map(paper);
  const parts = [`--page:${page}`, `--ink:${ink}`];
  INKS.forEach((name, i) => {
    const own = theme.inks[name];
    parts.push(`--i${i}:${own === undefined ? ink : legible(hexOf(own), grounds, ink)}`);
  });
  papers.forEach((colour, i) => parts.push(`--p${i}:${colour}`));
  return parts.join(";");
}

/** The colour, as far towards `end` as it takes. */
function legible(colour: string, grounds: readonly string[], end: string): string {
  for (let part = 0; part < 1; part += 0.05) {
    const mixed = mix(colour, end, part);
    if (grounds.every((ground) => contrast(mixed, ground) >= CONTRAST)) return mixed;
  }
  return end;
}
const channels = (colour: string): readonly number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
function mix(a: string, b: string, part: number): string {
  const [x, y] = [channels(a), channels(b)];
  return `#${x
    .map((c, i) =>
      Math.round(c + (y[i]! - c) * part)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}
/** Source: WCAG 2.2, relative luminance and contrast ratio. */
function contrast(a: string, b: string): number {
  const luminance = (colour: string): number => {
    const [red, green, blue] = channels(colour).map((c) => {
      const part = c / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  };
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}
