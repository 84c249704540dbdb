/**
 * Splits a log written under MLIR_ENABLE_DUMP=1 into IR dumps. Three header forms: Triton 2.0 shows the IR after each
 * pass that changed it, later versions the IR before every pass, 3.9 with options in the header. Lines of other
 * origin (warnings, prints) stand between; a log may hold several compilations and may end anywhere.
 */

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
  /** The IR's lines, without lines of other origin. */
  readonly text: readonly string[];
  /** Whether the IR's braces close. */
  readonly complete: boolean;
}
export interface Log {
  readonly dumps: readonly Dump[];
  /** What was passed over or cut off, with its line. */
  readonly warnings: readonly string[];
}

const INTERNAL = /^\/\/ -----\/\/ (\S+) internal IR Dump (?:After|Before): (\S+)/;
const BANNER = /^\/\/ -----\/\/ IR Dump (Before|After) (?:([\w:]+)(?:: )?)(.*?)(?:\/\/-*(?: \/\/)?)?\s*$/;

/** Whether a text looks like such a log. */
export function isDumpLog(text: string): boolean {
  return /^\/\/ -----\/\/ (?:IR Dump|\S+ internal IR Dump)/m.test(text);
}

export function splitLog(text: string): Log {
  const dumps: Dump[] = [];
  const warnings: string[] = [];
  const lines = text.split("\n");
  let header: Omit<Dump, "text" | "complete"> | undefined;
  let body: string[] = [];
  let foreign = 0;
  let depth = 0;
  const close = (atEnd: boolean) => {
    if (!header) return;
    while (body.length > 0 && body.at(-1)!.trim() === "") body.pop();
    const complete = depth === 0 && body.length > 0;
    if (!complete)
      warnings.push(
        body.length === 0
          ? `line ${header.line}: no IR follows the header of ${header.pass}`
          : `line ${header.line}: the IR of ${header.pass} is cut off${atEnd ? " at the end of the log" : ""}`,
      );
    dumps.push({ ...header, text: body, complete });
    header = undefined;
    body = [];
    depth = 0;
  };
  lines.forEach((line, i) => {
    const next = line.startsWith("// -----//") ? readBanner(line, i + 1) : undefined;
    if (next) {
      close(false);
      header = next;
      return;
    }
    if (!header) {
      if (line.trim() !== "") foreign++;
      return;
    }
    if (depth === 0 && body.length > 0 && !startsTopLevel(line)) {
      if (line.trim() !== "") foreign++;
      else body.push(line);
      return;
    }
    if (depth === 0 && body.length === 0 && line.trim() === "") return;
    if (depth === 0 && !startsTopLevel(line)) {
      foreign++;
      return;
    }
    body.push(line);
    depth += braces(line);
  });
  close(true);
  if (foreign > 0) warnings.push(`${foreign} line${foreign === 1 ? "" : "s"} of other origin passed over`);
  return { dumps, warnings };
}

function readBanner(line: string, number: number): Omit<Dump, "text" | "complete"> | undefined {
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

/** Top-level lines of IR: ops, alias definitions, the resource section. */
function startsTopLevel(line: string): boolean {
  return /^(?:module\b|func\b|"?[a-z_]\w*\.[\w.]+"?[ (]|[#!][\w$.]+\s*=|%|\^|\}|\{-#|#-\}|\/\/)/.test(line);
}

/** Opening minus closing braces outside strings. */
function braces(line: string): number {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line.charCodeAt(i);
    if (c === 92 && quoted) i++;
    else if (c === 34) quoted = !quoted;
    else if (quoted) continue;
    else if (c === 123) depth++;
    else if (c === 125) depth--;
    else if (c === 47 && line.charCodeAt(i + 1) === 47) break;
  }
  return depth;
}
