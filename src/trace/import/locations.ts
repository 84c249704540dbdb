/** Printed IR without its locations: as it would have been printed without debug information. */
import { Ints } from "./ints.js";
import { endOfParens } from "./text-scan.js";

/** Drops `loc(...)` from every line, and the lines that define aliases of locations. `lines` are the numbers of those kept. */
export function withoutLocations(text: string): { readonly text: string; readonly lines: Int32Array } {
  // Debug information hangs on locations, unless ops name it.
  const dropped = text.includes("llvm.intr.dbg.") ? /^#loc\d* = / : /^(?:#loc\d*|#\w+ = (?:distinct)?#llvm\.di_\w+) ?[=<]/;
  const kept: string[] = [];
  const lines = new Ints();
  /** The next location: looked for once, not from every line. */
  let next = text.indexOf(START);
  for (let at = 0, line = 0; at < text.length; line++) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = text.length;
    if (text.charCodeAt(at) !== 35 || !dropped.test(text.slice(at, Math.min(end, at + 80)))) {
      kept.push(next < 0 || next >= end ? text.slice(at, end) : lineWithoutLocations(text, at, next, end));
      lines.push(line);
    }
    if (next >= 0 && next < end) next = text.indexOf(START, end);
    at = end + 1;
  }
  return { text: `${kept.join("\n")}\n`, lines: lines.take() };
}

const START = " loc(";

/** The line `from` to `end`; `first` is where a location may begin in it. */
function lineWithoutLocations(text: string, from: number, first: number, end: number): string {
  let out = "";
  let kept = from;
  for (let at = first; at >= 0 && at < end; at = text.indexOf(START, at)) {
    if (isQuoted(text, kept, at)) {
      at += START.length;
      continue;
    }
    out += text.slice(kept, at);
    at = kept = endOfParens(text, at + 4, end);
  }
  return out + text.slice(kept, end);
}

/** Whether a string is open at `to`. */
function isQuoted(text: string, from: number, to: number): boolean {
  let quoted = false;
  for (let at = text.indexOf('"', from); at >= 0 && at < to; at = text.indexOf('"', at + 1)) {
    if (!quoted || text.charCodeAt(at - 1) !== 92) quoted = !quoted;
  }
  return quoted;
}
