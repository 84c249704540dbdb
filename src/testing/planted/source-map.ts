import { readFileSync } from "node:fs";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Where an offset of a source file lies in a bundle, by the source map beside it. */
export function generatedOffset(bundle: string): (file: string, text: string, offset: number) => number {
  const { sources, mappings } = JSON.parse(readFileSync(`${bundle}.map`, "utf8")) as { sources: readonly string[]; mappings: string };
  const lineStarts = [0, ...[...readFileSync(bundle, "utf8").matchAll(/\n/g)].map(({ index }) => index + 1)];
  const places = sources.map((): { readonly line: number; readonly column: number; readonly at: number }[] => []);
  let [source, line, column] = [0, 0, 0];
  for (const [generatedLine, segments] of mappings.split(";").entries()) {
    let generated = 0;
    for (const segment of segments.split(",").filter(Boolean)) {
      const [g = 0, s, l = 0, c = 0] = numbersOf(segment);
      generated += g;
      if (s === undefined) continue;
      [source, line, column] = [source + s, line + l, column + c];
      places[source]!.push({ line, column, at: lineStarts[generatedLine]! + generated });
    }
  }
  return (file, text, offset) => {
    const before = text.slice(0, offset).split("\n");
    const [atLine, atColumn] = [before.length - 1, before.at(-1)!.length];
    const index = sources.findIndex((name) => name.endsWith(`/src/${file}`));
    const isBefore = (p: { line: number; column: number }) => p.line < atLine || (p.line === atLine && p.column <= atColumn);
    // The nearest one before it; code may have been moved, so all are looked at.
    let nearest = { line: -1, column: 0, at: 0 };
    for (const place of places[index]!)
      if (isBefore(place) && (place.line > nearest.line || (place.line === nearest.line && place.column >= nearest.column)))
        nearest = place;
    return nearest.at;
  };
}

function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value += (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
