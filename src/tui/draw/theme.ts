/** How roles look: numbers of the terminal's 256 colours. */
import { attributesOf, BOLD, DIM, INKS, type Ink, inkOf, PAPERS, type Paper, paperOf, REVERSE, type Style, UNDERLINE } from "./style.js";

export interface Theme {
  readonly name: "dark" | "light" | "none";
  /** The page behind everything, for exports: `#rrggbb`. */
  readonly page: readonly [paper: string, ink: string];
  readonly inks: Readonly<Partial<Record<Ink, number>>>;
  readonly papers: Readonly<Partial<Record<Paper, number>>>;
  /** Quieter papers, `#rrggbb`, where the terminal has true colours and in exports. */
  readonly quiet: Readonly<Partial<Record<Paper, string>>>;
  readonly trueColour: boolean;
}

const DARK: Theme = {
  name: "dark",
  page: ["#15171c", "#d0d0d0"],
  inks: {
    muted: 244,
    accent: 75,
    title: 255,
    op: 117,
    value: 252,
    type: 150,
    alias: 179,
    string: 180,
    number: 216,
    symbol: 222,
    comment: 243,
    added: 114,
    removed: 210,
    moved: 183,
    changed: 221,
    warning: 214,
    error: 203,
    good: 114,
    key: 75,
    c0: 75,
    c1: 114,
    c2: 221,
    c3: 210,
    c4: 183,
    c5: 80,
    c6: 215,
    c7: 250,
  },
  papers: {
    selected: 24,
    cursor: 237,
    addedLine: 22,
    addedWord: 28,
    removedLine: 52,
    removedWord: 88,
    movedLine: 54,
    match: 58,
    bar: 236,
    panel: 235,
  },
  quiet: {
    addedLine: "#12301a",
    addedWord: "#1f6b34",
    removedLine: "#3a1a1e",
    removedWord: "#8a2f38",
    movedLine: "#2b2245",
    match: "#5f5a10",
    panel: "#1d2026",
    cursor: "#2c313a",
  },
  trueColour: false,
};
const LIGHT: Theme = {
  name: "light",
  page: ["#ffffff", "#1c1c1c"],
  inks: {
    muted: 244,
    accent: 25,
    title: 16,
    op: 25,
    value: 235,
    type: 22,
    alias: 94,
    string: 130,
    number: 166,
    symbol: 90,
    comment: 245,
    added: 28,
    removed: 124,
    moved: 91,
    changed: 130,
    warning: 166,
    error: 160,
    good: 28,
    key: 25,
    c0: 25,
    c1: 28,
    c2: 136,
    c3: 160,
    c4: 91,
    c5: 30,
    c6: 166,
    c7: 238,
  },
  papers: {
    selected: 153,
    cursor: 254,
    addedLine: 194,
    addedWord: 157,
    removedLine: 224,
    removedWord: 217,
    movedLine: 225,
    match: 228,
    bar: 253,
    panel: 255,
  },
  quiet: {
    addedLine: "#e6ffec",
    addedWord: "#abf2bc",
    removedLine: "#ffebe9",
    removedWord: "#ffc1bc",
    movedLine: "#f3e8ff",
    panel: "#f6f8fa",
  },
  trueColour: false,
};
/** No colours: what they say is said by marks, and by bold, underlined and reversed text. */
const NONE: Theme = { name: "none", page: ["#ffffff", "#000000"], inks: {}, papers: {}, quiet: {}, trueColour: false };

export const THEMES: Readonly<Record<Theme["name"], Theme>> = { dark: DARK, light: LIGHT, none: NONE };

/** Without colours some papers are attributes. */
const PLAIN_PAPERS: Readonly<Partial<Record<Paper, number>>> = {
  selected: REVERSE,
  cursor: UNDERLINE,
  addedWord: BOLD,
  removedWord: BOLD,
  match: REVERSE,
  bar: 0,
};

interface Look {
  readonly attributes: number;
  /** Parameters of colours. */
  readonly ink: string;
  readonly paper: string;
}
const OWN_INK = "39";
const OWN_PAPER = "49";
function lookOf(theme: Theme, s: Style): Look {
  const paper = PAPERS[paperOf(s)]!;
  const extra = theme.name === "none" ? (PLAIN_PAPERS[paper] ?? 0) : 0;
  const ink = theme.inks[INKS[inkOf(s)]!];
  return { attributes: attributesOf(s) | extra, ink: ink === undefined ? OWN_INK : `38;5;${ink}`, paper: paperParameter(theme, paper) };
}

function paperParameter(theme: Theme, paper: Paper): string {
  const quiet = theme.trueColour ? theme.quiet[paper] : undefined;
  if (quiet !== undefined) return `48;2;${[1, 3, 5].map((at) => Number.parseInt(quiet.slice(at, at + 2), 16)).join(";")}`;
  const number = theme.papers[paper];
  return number === undefined ? OWN_PAPER : `48;5;${number}`;
}

/** The sequence that changes style `from` into `to`, as short as can be. */
export function transition(theme: Theme, from: Style, to: Style): string {
  const now = lookOf(theme, to);
  const was = lookOf(theme, from);
  if (was.attributes === now.attributes && was.ink === now.ink && was.paper === now.paper) return "";
  const parts: (string | number)[] = [];
  // A row ends with a reset, so that nothing of it is left.
  const fresh = to === 0 || (was.attributes & ~now.attributes) !== 0;
  const attributes = fresh ? now.attributes : now.attributes & ~was.attributes;
  if (attributes & BOLD) parts.push(1);
  if (attributes & DIM) parts.push(2);
  if (attributes & UNDERLINE) parts.push(4);
  if (attributes & REVERSE) parts.push(7);
  if (now.ink !== (fresh ? OWN_INK : was.ink)) parts.push(now.ink);
  if (now.paper !== (fresh ? OWN_PAPER : was.paper)) parts.push(now.paper);
  return `\x1b[${[...(fresh ? [0] : []), ...parts].join(";")}m`;
}
/** The colour of a border, as Ink names it; undefined for the terminal's own. */
export function inkColour({ inks }: Theme, ink: Ink): string | undefined {
  return inks[ink] === undefined ? undefined : `ansi256(${inks[ink]})`;
}

/** Colour `n` of the 256 as `#rrggbb`. */
export function hexOf(n: number): string {
  const hex = (r: number, g: number, b: number) => `#${[r, g, b].map((c) => c.toString(16).padStart(2, "0")).join("")}`;
  if (n >= 232) return hex(8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232));
  if (n >= 16) {
    const level = (c: number) => (c === 0 ? 0 : 55 + 40 * c);
    return hex(level(Math.trunc((n - 16) / 36)), level(Math.trunc((n - 16) / 6) % 6), level((n - 16) % 6));
  }
  const base = [
    0, 0x800000, 0x8000, 0x808000, 0x80, 0x800080, 0x8080, 0xc0c0c0, 0x808080, 0xff0000, 0xff00, 0xffff00, 0xff, 0xff00ff, 0xffff, 0xffffff,
  ][n]!;
  return hex(base >> 16, (base >> 8) & 255, base & 255);
}

/** A style as CSS declarations, for exported pages and drawings. */
export function cssOf(theme: Theme, s: Style): string {
  const ink = theme.inks[INKS[inkOf(s)]!];
  const name = PAPERS[paperOf(s)]!;
  const paper = theme.papers[name];
  const attributes = attributesOf(s);
  const parts: string[] = [];
  const colours = [
    ink === undefined ? theme.page[1] : hexOf(ink),
    theme.quiet[name] ?? (paper === undefined ? undefined : hexOf(paper)),
  ] as const;
  const reversed = (attributes & REVERSE) !== 0;
  if (reversed) parts.push(`color:${colours[1] ?? theme.page[0]}`, `background:${colours[0]}`);
  else {
    if (ink !== undefined) parts.push(`color:${colours[0]}`);
    if (colours[1]) parts.push(`background:${colours[1]}`);
  }
  if (attributes & BOLD) parts.push("font-weight:bold");
  if (attributes & DIM) parts.push("opacity:.6");
  if (attributes & UNDERLINE) parts.push("text-decoration:underline");
  return parts.join(";");
}
