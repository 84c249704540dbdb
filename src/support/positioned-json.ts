/** JSON whose values know where they are: JSON.parse reports neither where a value is nor, always, where an error is. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type PositionedJson =
  /** `at` holds the offset of each value by its path, as `keys.quit`, and of a key by its path with a `:` after it. */
  { readonly value: Json; readonly at: ReadonlyMap<string, number> } | { readonly error: string; readonly offset: number };

const SCALAR = /"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** Characters that a string holds as they are, and an escape: an expression of whole strings would run out of stack in a long one. */
const PLAIN = /[^"\\\x00-\x1f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** Reads a JSON text. Deeper than 100 levels is an error. `only`: the path whose offset is wanted, where a large text would have too many. */
export function parsePositionedJson(text: string, only?: string): PositionedJson {
  const at = new Map<string, number>();
  let offset = 0;
  const note = (path: string, start: number) => {
    if (only === undefined || only === path) at.set(path, start);
  };
  let error: string | undefined;
  const space = () => {
    while (offset < text.length && " \t\r\n".includes(text[offset]!)) offset++;
    return text[offset];
  };
  const fail = (message: string): null => {
    error ??= `${message}${offset >= text.length ? ", but the text ends" : `, not '${text[offset]}'`}`;
    return null;
  };
  const endOf = (pattern: RegExp, start: number): number | undefined => {
    pattern.lastIndex = start;
    return pattern.test(text) ? pattern.lastIndex : undefined;
  };
  const scalar = (wanted: string): Json => {
    let end = endOf(SCALAR, offset);
    if (text[offset] === '"') {
      for (let next = end; next !== undefined; next = endOf(ESCAPE, end)) end = endOf(PLAIN, next)!;
      end = text[end!] === '"' ? end! + 1 : undefined;
    }
    if (end === undefined) return fail(`expected ${wanted}`);
    const found = text.slice(offset, end);
    offset = end;
    return JSON.parse(found) as Json;
  };
  /** Entries up to the closing bracket; `entry` reads one. */
  const entries = (close: string, entry: (index: number) => void): void => {
    offset++;
    if (space() === close) return void offset++;
    for (let index = 0; error === undefined; index++) {
      space();
      entry(index);
      if (error !== undefined) return;
      const next = space();
      if (next === close) return void offset++;
      if (next !== ",") return void fail(`expected ',' or '${close}'`);
      offset++;
    }
  };
  const value = (path: string, depth: number): Json => {
    const first = space();
    note(path, offset);
    if (depth > 100) return fail("expected fewer levels");
    const below = (key: string | number) => (path === "" ? `${key}` : `${path}.${key}`);
    if (first === "[") {
      const list: Json[] = [];
      entries("]", (index) => list.push(value(below(index), depth + 1)));
      return list;
    }
    if (first !== "{") return scalar("a value");
    const record = new Map<string, Json>();
    entries("}", () => {
      const start = offset;
      const key = text[offset] === '"' ? (scalar("a key in quotes") as string) : fail("expected a key in quotes");
      if (key === null) return;
      note(`${below(key)}:`, start);
      if (space() !== ":") return void fail("expected ':'");
      offset++;
      record.set(key, value(below(key), depth + 1));
    });
    return Object.fromEntries(record);
  };
  const result = value("", 0);
  if (error === undefined && space() !== undefined) fail("expected the end of the text");
  return error === undefined ? { value: result, at } : { error, offset };
}
