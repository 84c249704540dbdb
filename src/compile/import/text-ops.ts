/**
 * Reads just enough of printed IR to know its ops: which lines begin one, what it defines and uses. It knows no dialect,
 * so that the IR of any Triton, older, newer or of another vendor, can be stepped.
 */

export interface TextOp {
  readonly line: number;
  readonly name: string;
  /** Names of results, without `%`; a group `%0:2` is one name. */
  readonly results: readonly string[];
  /** Names used on the line (operands, without `#index` of a group), in order, with the op's own region arguments left out. */
  readonly operands: readonly string[];
  /** Names that the line gives to region or block arguments. */
  readonly args: readonly string[];
  /** The line with value names, aliases' numbers and the location left out: what the op is apart from its operands. */
  readonly shape: string;
  /** `shape` without encodings and other attributes of types: what a change of layout leaves. */
  readonly bare: string;
  /** The location's text, alias resolved; empty when there is none. */
  readonly loc: string;
  /** Index of the op whose region this one is in; -1 at the top. */
  readonly parent: number;
}
export interface TextIR {
  readonly lines: readonly string[];
  readonly ops: readonly TextOp[];
  /** For each line the index of the op that begins there; -1 for none. */
  readonly opAt: Int32Array;
}

const OP = /^\s*(?:((?:%[\w$.-]+(?::\d+)?(?:, )?)+) = )?(?:"([\w$.]+)"|([a-z_][\w$]*(?:\.[\w$]+)*))(?=[\s(<@]|$)/;
const ARGUMENT = /(%[\w$.-]+)(?=: (?:[!a-z(]|\w))/g;
const VALUE = /%[\w$.-]+(?:#\d+)?/g;

export function readTextIR(lines: readonly string[]): TextIR {
  const aliases = readAliases(lines);
  const expand = (text: string, depth = 0): string =>
    text.replace(/[#!][A-Za-z_][\w$]*(?![\w$.]*[<.])/g, (name) => {
      const definition = aliases.get(name);
      return definition === undefined || depth > 8 ? name : expand(definition, depth + 1);
    });
  const ops: TextOp[] = [];
  const opAt = new Int32Array(lines.length).fill(-1);
  const open: number[] = [];
  const expanded = new Map<string, string>();
  lines.forEach((line, i) => {
    const match = /^\s*[#!][\w$.]+\s*=|^\s*\/\/|^\s*\^|^\s*$/.test(line) ? null : OP.exec(line);
    const closing = /^\s*\}/.test(line);
    if (closing) {
      // `} else {` and `}, {` stay inside the same op.
      if (!/\{\s*$/.test(line)) open.pop();
      return;
    }
    if (!match) return;
    const [head, results = "", quoted, bare] = match;
    const name = quoted ?? bare!;
    const { body, loc } = splitLocation(line.slice(head.length));
    const opens = /\{\s*(?:\/\/.*)?$/.test(body);
    const args = opens || name.endsWith("func") ? [...body.matchAll(ARGUMENT)].map((m) => m[1]!.slice(1)) : [];
    const iterArgs = opens ? [...body.matchAll(/(%[\w$.-]+) = /g)].map((m) => m[1]!.slice(1)) : [];
    const own = new Set([...args, ...iterArgs]);
    const operands = (body.match(VALUE) ?? []).map((v) => v.slice(1).replace(/#\d+$/, "")).filter((v) => !own.has(v));
    const bare_ = body.replace(VALUE, "%");
    let shape = expanded.get(bare_);
    if (shape === undefined) expanded.set(bare_, (shape = expand(bare_)));
    opAt[i] = ops.length;
    ops.push({
      line: i,
      name,
      results: results ? results.split(", ").map((r) => r.slice(1).replace(/:\d+$/, "")) : [],
      operands,
      args: [...own],
      shape,
      bare: bareShape(shape),
      loc: expand(loc),
      parent: open.at(-1) ?? -1,
    });
    if (opens) open.push(ops.length - 1);
  });
  return { lines, ops, opAt };
}

/** Drops `, #...<...>` (with nested brackets) from types. */
function bareShape(shape: string): string {
  if (!shape.includes(", #")) return shape;
  let out = "";
  for (let i = 0; i < shape.length; ) {
    if (!shape.startsWith(", #", i)) {
      out += shape[i++]!;
      continue;
    }
    i += 3;
    let depth = 0;
    for (; i < shape.length; i++) {
      const c = shape[i];
      if (c === "<") depth++;
      else if (c === ">" && depth-- === 0) break;
      else if (depth === 0 && (c === "," || c === ")" || c === " ")) break;
    }
  }
  return out;
}

function readAliases(lines: readonly string[]): Map<string, string> {
  const aliases = new Map<string, string>();
  for (const line of lines) {
    if (line[0] !== "#" && line[0] !== "!") continue;
    const match = /^([#!][\w$]+) = (.*)$/.exec(line);
    if (match) aliases.set(match[1]!, match[2]!.replace(/^loc\((.*)\)$/, "$1"));
  }
  return aliases;
}

function splitLocation(body: string): { readonly body: string; readonly loc: string } {
  const at = body.lastIndexOf(" loc(");
  if (at < 0) return { body, loc: "" };
  const loc = /^ loc\((.*)\)\s*(\{?)\s*$/.exec(body.slice(at));
  return loc ? { body: body.slice(0, at) + (loc[2] ? " {" : ""), loc: loc[1]! } : { body, loc: "" };
}
