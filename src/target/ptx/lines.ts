/** Source locations as `.file` and `.loc`. */
import type { Attribute } from "../../ir/attribute.js";
import { CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import { terminalLine } from "../../support/terminal-text.js";

export class LocTable {
  readonly #files = new Map<string, number>();
  readonly #texts: string[] = [""];
  /** File and line of each location. */
  readonly #lines: string[] = [""];
  readonly #known = new Map<Attribute, number>();

  /** The number of an op's location; 0 when it has none. A place in the text that was read says nothing of the kernel. */
  indexOf(op: Operation): number {
    const ref = op.locRef;
    if (typeof ref === "number") return 0;
    let index = this.#known.get(ref);
    if (index === undefined) {
      const at = place(ref);
      index = at ? this.#texts.push(this.text(at.file, at.line, at.column)) - 1 : 0;
      this.#known.set(ref, index);
    }
    return index;
  }
  private text(file: string, line: number, column: number): string {
    let number = this.#files.get(file);
    if (number === undefined) this.#files.set(file, (number = this.#files.size + 1));
    this.#lines.push(`${number} ${line}`);
    const base = file.slice(file.lastIndexOf("/") + 1);
    return `\t${`.loc\t${number} ${line} ${column}`.padEnd(40)}// ${terminalLine(base)}:${line}:${column}`;
  }
  loc(index: number): string {
    return this.#texts[index]!;
  }
  /** A key for the line of a location: equal for two places in one line. */
  lineOf(index: number): string {
    return this.#lines[index]!;
  }
  files(): string {
    return [...this.#files].map(([file, number]) => `\t.file\t${number} "${quoted(file)}"`).join("\n") + (this.#files.size > 0 ? "\n" : "");
  }
}

/** As LLVM writes a string of assembly. Source: MCAsmStreamer.cpp, PrintQuotedString. */
function quoted(text: string): string {
  const named: Readonly<Record<string, string>> = {
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    '"': '\\"',
    "\\": "\\\\",
  };
  return text.replace(/["\\]|[^\x20-\x7e]/g, (c) => named[c] ?? `\\${c.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

/** The innermost place: in a function that was inlined, its own line. Without recursion: locations may be nested thousands deep. */
function place(loc: Attribute): { readonly file: string; readonly line: number; readonly column: number } | undefined {
  const work = [loc];
  for (let at = work.pop(); at; at = work.pop()) {
    if (FileLineColLoc.is(at)) return at.params;
    if (NameLoc.is(at)) work.push(at.params.child);
    else if (CallSiteLoc.is(at)) work.push(at.params.caller, at.params.callee);
    else if (FusedLoc.is(at)) for (let i = at.params.locations.length - 1; i >= 0; i--) work.push(at.params.locations[i]!);
  }
  return undefined;
}
