/**
 * Styles of cells as one number each: a role for the ink, a role for the paper, and attributes. Roles are what a thing is
 * (an op's name, an added line); a theme says how it looks.
 */

/** Foreground styles, by the meaning of the text. The last eight are a palette for threads and warps. */
export const INKS = [
  "plain",
  "muted",
  "accent",
  "title",
  "op",
  "value",
  "type",
  "alias",
  "string",
  "number",
  "symbol",
  "comment",
  "added",
  "removed",
  "moved",
  "changed",
  "warning",
  "error",
  "good",
  "key",
  "c0",
  "c1",
  "c2",
  "c3",
  "c4",
  "c5",
  "c6",
  "c7",
] as const;
export type Ink = (typeof INKS)[number];

/** Background styles, by the meaning of the cell. */
export const PAPERS = [
  "none",
  "selected",
  "cursor",
  "addedLine",
  "addedWord",
  "removedLine",
  "removedWord",
  "movedLine",
  "match",
  "bar",
  "panel",
] as const;
export type Paper = (typeof PAPERS)[number];

export const BOLD = 1;
export const DIM = 2;
export const UNDERLINE = 4;
export const REVERSE = 8;

/** A style; plain on none is 0. */
export type Style = number;
export function style(ink: Ink = "plain", paper: Paper = "none", attributes = 0): Style {
  return INKS.indexOf(ink) | (PAPERS.indexOf(paper) << 6) | (attributes << 12);
}
export const inkOf = (s: Style): number => s & 63;
export const paperOf = (s: Style): number => (s >> 6) & 63;
export const attributesOf = (s: Style): number => s >> 12;
/** The style on another paper. */
export function onPaper(s: Style, paper: Paper): Style {
  return (s & ~(63 << 6)) | (PAPERS.indexOf(paper) << 6);
}
export function withAttributes(s: Style, attributes: number): Style {
  return s | (attributes << 12);
}

/** A piece of a row. */
export type Span = readonly [text: string, style: Style];
/** A row of a pane: pieces from left to right. */
export type Row = readonly Span[];

export const PLAIN = style();
export const MUTED = style("muted");
export const ACCENT = style("accent");
export const TITLE = style("title", "none", BOLD);
export const WARNING = style("warning");
export const ERROR = style("error");
export const GOOD = style("good");
export const KEY = style("key", "none", BOLD);

/** A row of one style. */
export function line(text: string, s: Style = PLAIN): Row {
  return [[text, s]];
}
/** The row's text. */
export function textOf(row: Row): string {
  return row.map(([text]) => text).join("");
}
/** The row with every piece on a paper. */
export function rowOn(row: Row, paper: Paper): Row {
  return row.map(([text, s]) => [text, paperOf(s) === 0 ? onPaper(s, paper) : s]);
}
