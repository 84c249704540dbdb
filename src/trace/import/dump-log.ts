/**
 * Splits a log written under MLIR_ENABLE_DUMP=1 into IR dumps. Three header forms: Triton 2.0 shows the IR after each
 * pass that changed it, later versions the IR before every pass, 3.9 with options in the header. Lines of other
 * origin (warnings, prints) may come between; a log may hold several compilations and may end anywhere.
 *
 * Lines of the IR are found by indentation: MLIR prints a top-level op from the left margin to a `}` at the left
 * margin, and everything inside it indented.
 */
import { compact } from "../../support/bytes.js";

export interface Dump {
  /** 1-based line of the banner. */
  readonly line: number;
  /** Whether the IR is that before or after the pass; an internal dump is one after an inner point of a pass. */
  readonly when: "before" | "after" | "internal";
  /** `TritonGPUCoalesce`; for an internal dump the pass that made it. */
  readonly pass: string;
  /** `tritongpu-coalesce`, where the header has it; for an internal dump its label. */
  readonly flag: string | undefined;
  readonly options: string;
  /** `builtin.module`, `tt.func`; absent in 2.0. */
  readonly op: string | undefined;
  readonly symbol: string | undefined;
  /** The IR, without lines of other origin. Empty when none follows the banner. */
  readonly text: string;
  /** Whether every op that was begun is also closed. */
  readonly complete: boolean;
}
export interface Log {
  readonly dumps: readonly Dump[];
  /** Messages about parts of the log that were skipped or cut off, with their lines. */
  readonly warnings: readonly string[];
}

const INTERNAL = /^\/\/ -----\/\/ (\S+) internal IR Dump (?:After|Before): ?(\S+)/;
const BANNER = /^\/\/ -----\/\/ IR Dump (Before|After) (?:([\w:]+)(?:: )?)(.*?)(?:\/\/-*(?: \/\/)?)?\s*$/;

/** Whether a text looks like such a log. */
export function isDumpLog(text: string): boolean {
  return /^\/\/ -----\/\/ (?:IR Dump|\S+ internal IR Dump)/m.test(text);
}

type Header = Omit<Dump, "text" | "complete">;

export function splitLog(text: string): Log {
  const splitter = new Splitter();
  let number = 0;
  for (let at = 0; at < text.length; ) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = text.length;
    splitter.line(text.slice(at, text.charCodeAt(end - 1) === 13 && end > at ? end - 1 : end), ++number);
    at = end + 1;
  }
  return splitter.finish();
}

class Splitter {
  readonly #dumps: Dump[] = [];
  readonly #warnings: { readonly line: number; readonly text: string }[] = [];
  /** Lines of other origin, as ranges. */
  readonly #foreign: [number, number][] = [];
  #header: Header | undefined;
  #body: string[] = [];
  /** Whether a top-level op is open, and whether a whole module was seen. */
  #inside = false;
  #module = false;

  line(line: string, number: number): void {
    const first = line.charCodeAt(0);
    if (first === 47 && line.startsWith("// -----//")) return this.banner(line, number);
    if (!this.#header) return this.foreign(line, number);
    if (first === 32) {
      if (this.#inside && isInner(line)) this.#body.push(line);
      else this.foreign(line, number);
    } else if (first === 125 || first === 94 || Number.isNaN(first)) {
      // `}`, `^bb1`, and an empty line.
      if (this.#inside && !Number.isNaN(first)) this.#body.push(line);
      else this.foreign(line, number);
      if (first === 125 && !opensRegion(line)) this.#inside = false;
    } else if (isDefinition(line)) this.topLevel(line, number, false);
    else if (/^(?:module\b|func\b|"?[a-z_]\w*\.[\w.]+"?[ ({])/.test(line)) this.topLevel(line, number, true);
    else if (!/^\/\/(?! ---)/.test(line)) this.foreign(line, number);
  }

  private topLevel(line: string, number: number, op: boolean): void {
    if (op && this.#module && !this.#inside) return this.foreign(line, number);
    if (this.#inside) {
      // Another text begins before this one has ended.
      this.warn(number, `the IR of ${this.#header!.pass} (line ${this.#header!.line}) is interrupted; it is read from here on`);
      this.#body = [];
      this.#inside = false;
    }
    this.#body.push(line);
    if (!op) return;
    this.#inside = opensRegion(line);
    this.#module = line.startsWith("module") || line.startsWith('"builtin.module"') || line.startsWith("builtin.module");
  }

  private banner(line: string, number: number): void {
    this.close(false);
    // A copy: names cut out of the log would keep all of it in memory.
    this.#header = readBanner(compact(line), number);
    if (!this.#header) this.warn(number, "this header is cut off or not understood");
  }
  private close(atEnd: boolean): void {
    const header = this.#header;
    if (!header) return;
    const complete = !this.#inside && this.#body.length > 0;
    if (this.#body.length === 0) this.warn(header.line, `no IR follows the header of ${header.pass}`);
    else if (!complete) this.warn(header.line, `the IR of ${header.pass} is cut off${atEnd ? " at the end of the log" : ""}`);
    // A text of its own, so that the log can be forgotten.
    const text = this.#body.length === 0 ? "" : `${this.#body.join("\n")}\n`;
    this.#dumps.push({ ...header, text, complete });
    this.#header = undefined;
    this.#body = [];
    this.#inside = false;
    this.#module = false;
  }
  private foreign(line: string, number: number): void {
    if (line.trim() === "") return;
    const last = this.#foreign.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else this.#foreign.push([number, number]);
  }
  private warn(line: number, text: string): void {
    this.#warnings.push({ line, text });
  }

  finish(): Log {
    this.close(true);
    const warnings = this.#warnings.map(({ line, text }) => `line ${line}: ${text}`);
    if (this.#foreign.length > 0) {
      const shown = this.#foreign.slice(0, 5).map(([from, to]) => (from === to ? String(from) : `${from} to ${to}`));
      const count = this.#foreign.reduce((n, [from, to]) => n + to - from + 1, 0);
      const more = this.#foreign.length > shown.length ? ` and elsewhere, ${count} in all` : "";
      warnings.push(`line${count === 1 ? "" : "s"} ${shown.join(", ")}${more}: of other origin, passed over`);
    }
    return { dumps: this.#dumps, warnings };
  }
}

function readBanner(line: string, number: number): Header | undefined {
  const internal = INTERNAL.exec(line);
  if (internal)
    return { line: number, when: "internal", pass: internal[1]!, flag: internal[2]!, options: "", op: undefined, symbol: undefined };
  const match = BANNER.exec(line);
  if (!match) return undefined;
  const [, when, pass, rest = ""] = match;
  // `(flag) ('op' operation: @symbol)`, or with 3.9 `flag{options} ('op' operation: @symbol)`.
  const tail = /\('([\w.]+)' operation(?:: (@.*?))?\)\s*$/.exec(rest.trim());
  const before = tail ? rest.trim().slice(0, tail.index).trim() : rest.trim();
  const flag = /^\(([\w-]+)\)$/.exec(before)?.[1] ?? /^([\w-]+)(?:\{(.*)\})?$/.exec(before)?.[1];
  const options = /^[\w-]+\{(.*)\}$/.exec(before)?.[1] ?? "";
  const name = pass!.replace(/:$/, "");
  return {
    line: number,
    when: when === "After" ? "after" : "before",
    pass: name,
    flag,
    options: options.replace(/\s+/g, " ").trim(),
    op: tail?.[1],
    symbol: tail?.[2]?.replace(/^@"?|"$/g, ""),
  };
}

/** `#blocked = ...`, `!shared = ...`, and the section of resources at the end. */
function isDefinition(line: string): boolean {
  return /^(?:[#!][\w$.]+\s*=|\{-#|#-\})/.test(line);
}
/** Whether a line ends in `{`, after which only a location may come. */
function opensRegion(line: string): boolean {
  const end = line.charCodeAt(line.length - 1);
  return end === 123 || (end === 41 && /\{\s*loc\(.*\)$/.test(line));
}
/** Whether an indented line can be IR: it begins with a value, a name with a dialect, a brace, a label, a case, ... */
function isInner(line: string): boolean {
  let at = 1;
  while (line.charCodeAt(at) === 32) at++;
  const c = line.charCodeAt(at);
  if (c === 37 || c === 34 || c === 125 || c === 94 || c === 93) return true;
  return /^ +(?:[a-z_][\w$]*\.[\w$.]|(?:module|func|return|call|br|cond_br|switch|assert|default|case|partition\d+|tt|llvm)\b|-?\d+:|[{}[\]#!]|\/\/)/.test(
    line,
  );
}
