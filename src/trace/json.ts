/** A Trace as JSON and back: lines in one table, steps with numbers of lines and ids of ops. `schema.ts` describes the form. */
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import { SourceBuffer } from "../diagnostics/source.js";
import { parsePositionedJson } from "../support/positioned-json.js";
import { fromBytes, toBytes } from "../support/utf8.js";
import { LineTable, type StepText } from "./line-table.js";
import type { OpLocations } from "./op-locations.js";
import { checkTraceSchema, type SchemaProblem, TRACE_FORMAT } from "./schema.js";
import type { Step, Trace } from "./trace.js";

/** A step as JSON has it. */
interface JsonStep extends Omit<Step, "rewrites" | "origins" | "text" | "parent" | "symbol" | "ms"> {
  readonly parent?: number;
  readonly symbol?: string;
  readonly ms?: number;
  readonly rewrites: readonly number[];
  readonly origins: readonly number[];
  readonly lines: readonly number[];
  readonly ops: readonly number[];
  readonly hashes: readonly number[];
}
interface JsonTrace extends Omit<Trace, "steps" | "lines" | "locations" | "target" | "layoutNames"> {
  readonly format: typeof TRACE_FORMAT;
  readonly target?: string;
  readonly locations: { readonly files: readonly string[]; readonly places: readonly number[]; readonly calls?: readonly number[] };
  readonly lines: readonly string[];
  readonly steps: readonly JsonStep[];
}

/** The Trace as JSON of ASCII characters, with a newline at its end: what `fromJson` reads back and `schemas/trace.json` describes. */
export function toJson(trace: Trace): string {
  const { lines, indexOf } = trace.lines.all();
  const step = ({ text, rewrites, origins, ...rest }: Step) => ({
    ...rest,
    rewrites: [...rewrites],
    origins: [...origins],
    lines: Array.from(text.lines, indexOf),
    ops: [...text.ops],
    hashes: [...text.hashes],
  });
  const { source, target, triton, language, options, diagnostics, warnings, artifacts, locations } = trace;
  const { files, places, calls } = locations;
  const steps = trace.steps.map(step);
  const head = { format: TRACE_FORMAT, source, target, triton, language, options, diagnostics, warnings, artifacts };
  const text = JSON.stringify({ ...head, locations: { files, places: [...places], calls: [...calls] }, lines, steps });
  return `${fromBytes(text).replaceAll(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}

/**
 * The Trace that a text of JSON holds; `name` is the file's, for messages. A text that is no Trace gives a diagnostic with line and
 * column, and the same rendered with an excerpt.
 */
export function fromJson(json: string, name = "<trace>"): Trace | { readonly diagnostic: Diagnostic; readonly rendered: string } {
  // Programs that TypeScript has not checked hand over other things too.
  const text = String(json);
  const refuse = ({ path, message }: SchemaProblem, offset?: number) => {
    const found = offset === undefined ? parsePositionedJson(text, path) : undefined;
    const source = new SourceBuffer(name, toBytes(text), 0);
    const at = offset ?? (found && "at" in found ? (found.at.get(path) ?? 0) : 0);
    const position = source.position(toBytes(text.slice(0, at)).length);
    const where = path === "" ? "" : `${path.replace(/:$/, "")}: `;
    const diagnostic: Diagnostic = { severity: "error", code: "trace.form", message: where + message, position, notes: [] };
    return { diagnostic, rendered: renderDiagnostic(diagnostic, [source]) };
  };
  let value: unknown;
  try {
    // Texts are kept as bytes.
    const hasLetters = /[^\0-\x7f]|\\u(?!00[0-7])/.test(text);
    value = JSON.parse(text, hasLetters ? (_, entry: unknown) => (typeof entry === "string" ? toBytes(entry) : entry) : undefined);
  } catch {
    const found = parsePositionedJson(text, "");
    return "error" in found ? refuse({ path: "", message: found.error }, found.offset) : refuse({ path: "", message: "it is no JSON" });
  }
  const problem = checkTraceSchema(value) ?? contradiction(value as JsonTrace);
  if (problem) return refuse(problem);
  const {
    format: _,
    source,
    target,
    triton,
    language,
    options,
    diagnostics,
    warnings,
    artifacts,
    locations,
    lines,
    steps,
  } = value as JsonTrace;
  const texts = new SharedTexts();
  return {
    source,
    target,
    ...(triton === undefined ? {} : { triton }),
    ...(language === undefined ? {} : { language }),
    options,
    steps: steps.map(({ rewrites, origins, lines, ops, hashes, ...rest }) => ({
      ...rest,
      parent: rest.parent,
      symbol: rest.symbol,
      ms: rest.ms,
      remarks: rest.remarks.map((remark) => ({ ...remark, refs: remark.refs.map((ref) => ({ ...ref, at: ref.at })) })),
      rewrites: Int32Array.from(rewrites),
      origins: Int32Array.from(origins),
      text: texts.take({ lines: Int32Array.from(lines), ops: Int32Array.from(ops), hashes: Int32Array.from(hashes) }),
    })),
    diagnostics,
    lines: new LineTable(lines),
    locations: {
      files: locations.files,
      places: Int32Array.from(locations.places),
      calls: Int32Array.from(locations.calls ?? []),
    } satisfies OpLocations,
    warnings,
    artifacts,
  };
}

/** Steps that changed nothing share their text with the step before, as in a Trace that was compiled. */
class SharedTexts {
  #last: StepText | undefined;
  take(text: StepText): StepText {
    const last = this.#last;
    const same = (key: keyof StepText) => last![key].length === text[key].length && last![key].every((n, i) => n === text[key][i]);
    return last && same("lines") && same("ops") && same("hashes") ? last : (this.#last = text);
  }
}

/** The first place where numbers that the schema allows point nowhere. */
function contradiction({ steps, lines, locations }: JsonTrace): SchemaProblem | undefined {
  if (steps.length === 0) return { path: "steps", message: "a Trace has one step at least, its source" };
  for (const key of ["places", "calls"] as const) {
    const numbers = locations[key] ?? [];
    for (let i = 0; i + 3 < numbers.length; i += 4)
      if (!(numbers[i + 1]! in locations.files)) return { path: `locations.${key}.${i + 1}`, message: "no such file" };
    if (numbers.length % 4 !== 0) return { path: `locations.${key}`, message: "expected four numbers an op" };
  }
  for (const [i, step] of steps.entries()) {
    const at = (key: string) => `steps.${i}.${key}`;
    if (step.index !== i) return { path: at("index"), message: `expected ${i}` };
    if (step.parent !== undefined && step.parent >= steps.length) return { path: at("parent"), message: "no such step" };
    const outside = step.lines.findIndex((line) => line >= lines.length);
    if (outside >= 0) return { path: at(`lines.${outside}`), message: `the table has ${lines.length} lines` };
    for (const key of ["ops", "hashes"] as const)
      if (step[key].length !== step.lines.length) return { path: at(key), message: `expected ${step.lines.length} numbers, one a line` };
    if (step.origins.length % 2 !== 0) return { path: at("origins"), message: "expected pairs" };
    for (let k = 0; k < step.rewrites.length; ) {
      const [pattern, , made = -1] = step.rewrites.slice(k, k + 3);
      if (!(pattern! in step.patterns)) return { path: at(`rewrites.${k}`), message: "no such pattern" };
      if (made < 0 || (k += 3 + made) > step.rewrites.length) return { path: at("rewrites"), message: "a rewrite is cut off" };
    }
  }
  return undefined;
}
