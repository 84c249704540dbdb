/** Places in the Python source that printed locations name: `"a"(#loc3)`, `callsite(#loc1 at #loc2)`, `"k.py":7:0`. */
import { compact } from "../../support/bytes.js";
import { type LocationCollector, MAX_CALLS, type Place } from "../op-locations.js";
import type { TextIR } from "./text-ops.js";

/** A place, and the calls around it from the inside out. */
type Stack = readonly Place[];

/** Notes the place of every op of `ir` for which `isMoved` holds: it is new, or its location is another than before. */
export function collectPlaces(
  ir: TextIR,
  ids: Int32Array,
  isMoved: (op: number) => boolean,
  into: LocationCollector,
  known: Map<number, Stack | undefined>,
): void {
  let aliases: Map<string, string> | undefined;
  const places = new Map<string, Stack | undefined>();
  for (let op = 0; op < ir.numOps; op++) {
    const hash = ir.loc[op]!;
    if (hash === 0 || !isMoved(op)) continue;
    let place = known.get(hash);
    if (place === undefined && !known.has(hash)) {
      const line = ir.line[op]!;
      const text = ir.text.slice(ir.lineStart[line]!, ir.lineStart[line + 1]! - 1);
      const at = text.lastIndexOf(" loc(");
      // The location of an op with regions comes after them.
      if (at < 0) continue;
      aliases ??= locationAliases(ir.text);
      place = placeOf(text.slice(at + 5, -1), aliases, places);
      known.set(hash, place);
    }
    if (place) into.add(ids[op]!, place);
  }
}

function locationAliases(text: string): Map<string, string> {
  const aliases = new Map<string, string>();
  for (const [, name, body] of text.matchAll(/^(#loc\d*) = loc\((.*)\)$/gm)) aliases.set(name!, body!);
  return aliases;
}

/** Locations within locations that are looked through. */
const MAX_DEPTH = 256;

/** The place that a location's text names. Texts in `known` are not looked at again: parts of locations repeat. */
function placeOf(text: string, aliases: ReadonlyMap<string, string>, known: Map<string, Stack | undefined>, depth = 0): Stack | undefined {
  if (known.has(text) || depth > MAX_DEPTH) return known.get(text);
  known.set(text, undefined);
  const place = newPlaceOf(text, (part) => placeOf(part, aliases, known, depth + 1), aliases);
  known.set(text, place);
  return place;
}

function newPlaceOf(text: string, inner: (part: string) => Stack | undefined, aliases: ReadonlyMap<string, string>): Stack | undefined {
  if (text.startsWith("#")) {
    const body = aliases.get(text);
    return body === undefined ? undefined : inner(body);
  }
  const file = /^"((?:[^"\\]|\\.)*)":(\d+):(\d+)/.exec(text);
  if (file) return [{ file: compact(file[1]!), line: Number(file[2]), column: Number(file[3]) }];
  const named = /^"(?:[^"\\]|\\.)*"\((.*)\)$/s.exec(text);
  if (named) return inner(named[1]!);
  const call = /^callsite\((.*)\)$/s.exec(text);
  if (call) {
    const at = splitAt(call[1]!);
    const [callee = [], caller = []] = [inner(call[1]!.slice(0, at)), inner(call[1]!.slice(at + 4))];
    return callee.length + caller.length === 0 ? undefined : [...callee, ...caller].slice(0, MAX_CALLS + 1);
  }
  const fused = /^fused(?:<.*?>)?\[(.*)\]$/s.exec(text);
  if (!fused) return undefined;
  for (const part of fused[1]!.split(", ")) {
    const place = inner(part);
    if (place) return place;
  }
  return undefined;
}

/** Where ` at ` occurs outside of parentheses. */
function splitAt(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "(" || c === "[") depth++;
    else if (c === ")" || c === "]") depth--;
    else if (c === " " && depth === 0 && text.startsWith(" at ", i)) return i;
  }
  return text.length;
}
