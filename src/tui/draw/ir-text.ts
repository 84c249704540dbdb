/** Lines of IR, LLVM IR, PTX and Python with their words in ink. */
import { MUTED, PLAIN, type Span, type Style, style } from "./style.js";

const WORD =
  /(?<comment>\/\/.*|^\s*;.*)|(?<string>"(?:[^"\\]|\\.)*")|(?<value>%[\w$.-]+(?:#\d+)?)|(?<alias>[#!][A-Za-z_][\w$.]*)|(?<block>\^[\w$.-]+|^\$?[\w$]+:)|(?<symbol>@[\w$.-]+)|(?<op>\b[a-z_]\w*(?:\.[a-z_]\w*)+\b|^\s*(?:module|return)\b)|(?<type>\b(?:tensor|vector|memref|i\d+|f\d+|bf16|index|f8E\w+|none)\b)|(?<number>(?<![\w$.])-?\d[\w.+]*)/g;
const INKS: Readonly<Record<string, Style>> = {
  comment: style("comment"),
  string: style("string"),
  value: style("value"),
  alias: style("alias"),
  block: style("symbol"),
  symbol: style("symbol"),
  op: style("op"),
  type: style("type"),
  number: style("number"),
};
const PYTHON =
  /(?<comment>#.*)|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<symbol>@[\w.]+)|(?<op>\b(?:def|for|if|else|elif|return|in|range|import|from|as|while|and|or|not|with|assert|pass|None|True|False)\b)|(?<alias>\btl\.[\w.]+)|(?<number>\b\d[\w.]*)/g;

function highlight(text: string, pattern: RegExp): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const kind = Object.keys(match.groups!).find((k) => match.groups![k] !== undefined)!;
    if (match.index > at) spans.push([text.slice(at, match.index), PLAIN]);
    spans.push([match[0], INKS[kind]!]);
    at = match.index + match[0].length;
  }
  if (at < text.length) spans.push([text.slice(at), PLAIN]);
  return spans;
}

/** A line of IR or machine code. Very long lines are coloured at their beginning only. */
export function irSpans(text: string): readonly Span[] {
  let spans = known.get(text);
  if (!spans) {
    spans = text.length > 600 ? [...highlight(text.slice(0, 600), WORD), [text.slice(600), MUTED] as const] : highlight(text, WORD);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, spans);
  }
  return spans;
}
/** Lines that were shown: most are in the next frame too. */
const known = new Map<string, readonly Span[]>();
const MAX_KNOWN = 4096;
export function pythonSpans(text: string): Span[] {
  return highlight(text, PYTHON);
}

/** The spans with another style laid over some stretches of their text: `change` makes the new style of the old one. */
export function overlay(spans: readonly Span[], stretches: readonly (readonly [number, number])[], change: (s: Style) => Style): Span[] {
  if (stretches.length === 0) return [...spans];
  const out: Span[] = [];
  let at = 0;
  for (const [text, s] of spans) {
    let from = 0;
    const end = at + text.length;
    for (const [a, b] of stretches) {
      if (b <= at + from || a >= end) continue;
      const start = Math.max(a, at + from) - at;
      const stop = Math.min(b, end) - at;
      if (start > from) out.push([text.slice(from, start), s]);
      out.push([text.slice(start, stop), change(s)]);
      from = stop;
    }
    if (from < text.length) out.push([text.slice(from), s]);
    at = end;
  }
  return out;
}
