/** Lines that are longer than the pane is wide: the words that changed stay in sight, and types can be short. */
import type { Stretch } from "../../../diff/words.js";
import { MUTED, type Span } from "../../draw/style.js";

/** The name of a line's op and of its results, or of its block. */
const HEAD = /^\s*(?:%[^=]* = )?["^]?[\w.#]*/;

/**
 * The parts of a line that are shown in so many columns: its beginning, the wanted stretches as far as there is room, and what
 * is around them. Each part but the first, and an end that is left out, costs a column for `…`.
 */
export function partsInSight(text: string, columns: number, wanted: readonly Stretch[]): readonly Stretch[] {
  const { length } = text;
  if (length <= columns) return [[0, length]];
  const last = wanted.at(-1)?.[1] ?? 0;
  if (last < columns) return [[0, columns - 1]];
  const cost = (parts: readonly Stretch[]): number =>
    parts.reduce((n, [from, to]) => n + to - from, parts.length - (parts.at(-1)![1] >= length ? 1 : 0));
  let parts: readonly Stretch[] = [[0, Math.min(HEAD.exec(text)![0].length, Math.floor(columns / 3))]];
  for (const [from, to] of wanted) {
    const more = withPart(parts, [from, to]);
    if (cost(more) <= columns) parts = more;
    // The first one at least, as far as it goes.
    else if (parts.length === 1) parts = withPart(parts, [from, Math.max(from + 1, from + columns - cost(parts) - 1)]);
  }
  // Small holes are closed before anything else is added.
  const holes = parts.slice(1).map(([from], i) => [parts[i]![1], from] as const);
  for (const hole of holes.sort(([a, b], [c, d]) => b - a - (d - c))) {
    const more = withPart(parts, hole);
    if (cost(more) <= columns) parts = more;
  }
  for (let left = columns - cost(parts); left > 0; ) {
    const grown = parts.map(([from, to], i): Stretch => [i > 0 && left-- > 0 ? from - 1 : from, to < length && left-- > 0 ? to + 1 : to]);
    parts = grown.reduce<readonly Stretch[]>(withPart, []);
    left = columns - cost(parts);
  }
  return parts;
}

/** The encoding of a line's result: in a line that is new as a whole, it says most of what the type says. */
export function resultEncoding(text: string): readonly Stretch[] {
  const at = text.lastIndexOf(text.includes("‹") ? " #" : ", #");
  return at < 0 || !END_OF_TYPE.test(text.slice(at)) ? [] : [[at, text.length]];
}

/** An encoding that ends the line's last type: where other types follow, it is no result's. */
const END_OF_TYPE = /^,? #[\w.·]+(?:<\{.*\}>)?[>›]$/;

/** The parts with another one, in order; those that touch become one. */
function withPart(parts: readonly Stretch[], [from, to]: Stretch): readonly Stretch[] {
  const touching = parts.filter(([a, b]) => a <= to && from <= b);
  const apart = parts.filter((part) => !touching.includes(part));
  const joined: Stretch = [Math.min(from, ...touching.map(([a]) => a)), Math.max(to, ...touching.map(([, b]) => b))];
  return [...apart, joined].sort(([a], [b]) => a - b);
}

/** The spans without what is outside the parts, with a sign in its place. */
export function cutToParts(spans: readonly Span[], parts: readonly Stretch[]): Span[] {
  const out: Span[] = [];
  let at = 0;
  let part = 0;
  for (const [text, ink] of spans) {
    const end = at + text.length;
    while (part < parts.length) {
      const [from, to] = parts[part]!;
      if (from >= end) break;
      if (from >= at && from > 0) out.push(["…", MUTED]);
      out.push([text.slice(Math.max(0, from - at), to - at), ink]);
      if (to > end) break;
      part++;
    }
    at = end;
  }
  if (at > (parts.at(-1)?.[1] ?? 0)) out.push(["…", MUTED]);
  return out.filter(([text]) => text !== "");
}

const TYPE = /(?:tensor|!ttg\.memdesc)<(?:[^<>]|<[^<>]*(?:<[^<>]*>[^<>]*)*>)*>|!tt\.ptr<\w+>/g;

/** A line with short types, and where a stretch of the line is in it. */
export interface ShortLine {
  readonly text: string;
  readonly stretchOf: (stretch: Stretch) => Stretch;
}

/** `tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>` becomes `‹64x64xf16 #mma·dot0·k2›`, `!ttg.memdesc<64xf16, #shared, #smem>` `‹64xf16 #shared #smem›`, `!tt.ptr<f16>` `*f16`. */
export function shortLine(line: string): ShortLine {
  /** The beginnings and ends of what was replaced, here and there. */
  const places: (readonly [from: number, to: number, at: number, end: number])[] = [];
  let text = "";
  let done = 0;
  for (const match of line.matchAll(TYPE)) {
    text += line.slice(done, match.index);
    const at = text.length;
    text += shortType(match[0]);
    done = match.index + match[0].length;
    places.push([match.index, done, at, text.length]);
  }
  text += line.slice(done);
  // A part of a type stands for all of it.
  const columnOf = (column: number, isEnd: boolean): number => {
    const place = places.findLast(([from]) => from < column);
    if (!place) return column;
    const [, to, at, end] = place;
    return column >= to ? column - to + end : isEnd ? end : at;
  };
  return { text, stretchOf: ([from, to]) => [columnOf(from, false), columnOf(to, true)] };
}
function shortType(type: string): string {
  const pointers = type.replace(/!tt\.ptr<(\w+)>/g, "*$1");
  if (pointers.startsWith("!ttg.memdesc")) return `‹${pointers.slice("!ttg.memdesc<".length, -1).replaceAll(/, (?![^<]*>)/g, " ")}›`;
  const tensor = /^tensor<((?:\d+x)*)(.*)>$/.exec(pointers);
  if (!tensor) return pointers;
  const [element = "", ...encoding] = tensor[2]!.split(/, (.*)/);
  return `‹${tensor[1]}${[element, shortEncoding(encoding[0] ?? "")].filter((part) => part !== "").join(" ")}›`;
}
function shortEncoding(encoding: string): string {
  const parent = /parent = (.*?)(?:, kWidth|\}>$)/.exec(encoding)?.[1];
  if (parent === undefined) return encoding;
  const dot = /^#(?:ttg|triton_gpu)\.dot_op<\{opIdx = (\d)/.exec(encoding);
  const width = /kWidth = (\d+)/.exec(encoding.slice(encoding.indexOf(parent) + parent.length));
  const slice = /^#(?:ttg|triton_gpu)\.slice<\{dim = (\d)/.exec(encoding);
  if (dot) return `${shortEncoding(parent)}·dot${dot[1]}${width ? `·k${width[1]}` : ""}`;
  return slice ? `${shortEncoding(parent)}·slice${slice[1]}` : encoding;
}
