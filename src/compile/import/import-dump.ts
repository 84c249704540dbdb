/**
 * A Trace from what real Triton wrote: a dump log, or single IR texts one after the other. Ops are followed through the
 * steps by inference (`identify`), so that diffs and life lines work as for our own compilations.
 */
import { flagOfPass, type Stage } from "../pipelines/cuda.js";
import { LineTable, type Step, type StepText, type Trace } from "../trace.js";
import { type Dump, splitLog } from "./dump-log.js";
import { identify } from "./identify.js";
import { readTextIR, type TextIR } from "./text-ops.js";

/** The Trace of a log. Undefined, with the reason, when no IR is in it. */
export function importDumpLog(name: string, text: string): Trace | { readonly error: string } {
  const { dumps, warnings } = splitLog(text);
  if (!dumps.some((d) => d.text.length > 0)) return { error: "the log holds no IR" };
  const builder = new ImportedTrace();
  for (const compilation of splitCompilations(dumps)) addCompilation(builder, compilation);
  return builder.finish(name, "dump log", warnings);
}

/** One IR text with what is known of how it came about. */
export interface ImportedText {
  readonly pass: string;
  readonly flag: string;
  /** By what the IR holds when undefined. */
  readonly stage: Stage | undefined;
  readonly text: string;
}
/** The Trace of IR texts in the order in which they came about. */
export function importTexts(
  name: string,
  kind: string,
  texts: readonly ImportedText[],
  warnings: readonly string[] = [],
  metadata: { readonly target: string | undefined; readonly options: Readonly<Record<string, unknown>> } = {
    target: undefined,
    options: {},
  },
): Trace {
  const builder = new ImportedTrace();
  texts.forEach(({ pass, flag, stage, text }, i) => {
    const lines = text.replace(/\n$/, "").split("\n");
    builder.step(
      {
        kind: i === 0 ? "source" : "pass",
        pass,
        flag,
        options: "",
        stage: stage ?? stageOfLines(lines),
        op: "builtin.module",
        symbol: undefined,
        known: true,
      },
      lines,
    );
  });
  const trace = builder.finish(name, kind, warnings);
  return { ...trace, target: metadata.target ?? trace.target, options: metadata.options };
}

/** A log's compilations: a new one begins where the first pass of the log runs again on a module. */
function splitCompilations(dumps: readonly Dump[]): Dump[][] {
  const first = dumps.find((d) => d.when !== "internal");
  const compilations: Dump[][] = [];
  let stages = 0;
  for (const dump of dumps) {
    const restarts = dump.pass === first?.pass && (dump.op ?? "builtin.module") === (first.op ?? "builtin.module") && isFrontEnd(dump.pass);
    if (compilations.length === 0 || (restarts && stages > 0)) {
      compilations.push([]);
      stages = 0;
    }
    compilations.at(-1)!.push(dump);
    if (dump.when !== "internal" && stageOf(dump) !== "ttir") stages++;
  }
  return compilations;
}
/** Passes that can begin a compilation; others occur in the middle again and again. */
function isFrontEnd(pass: string): boolean {
  return /^(?:Inliner(?:Pass)?|TritonRewriteTensorPointer)$/.test(pass);
}

function addCompilation(builder: ImportedTrace, dumps: readonly Dump[]): void {
  const main = dumps.filter((d) => d.when !== "internal");
  const showsBefore = main.some((d) => d.when === "before");
  const firstIr = showsBefore ? main[0] : undefined;
  builder.newCompilation();
  if (firstIr) builder.step({ ...describe(firstIr, "source"), kind: "source", pass: "source", flag: "source", options: "" }, firstIr.text);
  dumps.forEach((dump, i) => {
    // A "before" dump's own result is what the next one shows; inner dumps of the pass come between.
    const nextMain = dumps.slice(i + 1).find((d) => d.when !== "internal");
    const shown = dump.when !== "before" ? dump : nextMain;
    builder.step(
      { ...describe(dump, dump.when === "internal" ? "internal" : "pass"), known: shown !== undefined && shown.text.length > 0 },
      shown?.text ?? [],
    );
  });
}

interface Described {
  readonly kind: Step["kind"];
  readonly pass: string;
  readonly flag: string;
  readonly options: string;
  readonly stage: Stage;
  readonly op: string;
  readonly symbol: string | undefined;
  /** Whether the IR after it is known: not for the last pass of a log that shows the IR before passes. */
  readonly known: boolean;
}
function describe(dump: Dump, kind: Step["kind"]): Described {
  return {
    kind,
    pass: dump.pass,
    flag: dump.flag ?? flagOfPass(dump.pass) ?? dump.pass,
    options: dump.options,
    stage: stageOf(dump),
    op: dump.op ?? "builtin.module",
    symbol: dump.symbol,
    known: true,
  };
}

/** The stage of a dump by what its IR holds. */
function stageOf(dump: Dump): Stage {
  return stageOfLines(dump.text);
}
function stageOfLines(lines: readonly string[]): Stage {
  for (const line of lines) {
    if (/\bllvm\.func\b/.test(line)) return "llir";
    if (/#(?:ttg|triton_gpu)\.|\b(?:ttg|triton_gpu)\.|"(?:ttg|triton_gpu)\.num-warps"/.test(line)) return "ttgir";
  }
  return "ttir";
}

class ImportedTrace {
  readonly #lines = new LineTable();
  readonly #steps: Step[] = [];
  readonly #runs = new Map<string, number>();
  #previous: { readonly ir: TextIR; readonly ids: Int32Array; readonly text: StepText } | undefined;
  #nextId = 1;
  #target: string | undefined;
  #unmatched = 0;
  #matched = 0;

  newCompilation(): void {
    this.#previous = undefined;
  }

  step(info: Described, lines: readonly string[]): void {
    const before = this.#previous?.text;
    const content = info.known && lines.length > 0 ? this.record(lines) : (before ?? this.record([]));
    this.#target ??= lines.map((l) => /"?(?:ttg|triton_gpu)\.target"? = "(cuda:\d+)"/.exec(l)?.[1]).find((t) => t !== undefined);
    const run =
      info.kind === "pass" && (info.symbol === undefined || info.op === "builtin.module") ? (this.#runs.get(info.flag) ?? 0) + 1 : 0;
    if (run > 0) this.#runs.set(info.flag, run);
    const index = this.#steps.length;
    this.#steps.push({
      index,
      label: String(index),
      kind: info.kind,
      parent: undefined,
      op: info.op,
      symbol: info.symbol,
      stage: info.stage,
      pass: info.pass,
      flag: info.flag,
      options: info.options,
      run,
      built: true,
      changed: before !== undefined && info.kind !== "source" && content !== before && !sameShape(before, content),
      ms: undefined,
      statistics: {},
      rewrites: NONE,
      patterns: [],
      origins: NONE,
      verified: true,
      numOps: content.ops.reduce((n, id) => n + (id === 0 ? 0 : 1), 0),
      text: content,
    });
  }

  /** The text of a step, its ops identified with those of the step before. */
  private record(lines: readonly string[]): StepText {
    const ir = readTextIR(lines);
    const previous = this.#previous;
    if (previous && lines.length === previous.ir.lines.length && lines.every((line, i) => line === previous.ir.lines[i]))
      return previous.text;
    const match = previous ? identify(previous.ir, ir) : undefined;
    const ids = new Int32Array(ir.ops.length);
    for (let i = 0; i < ids.length; i++) {
      const partner = match?.[i] ?? -1;
      ids[i] = partner >= 0 ? previous!.ids[partner]! : this.#nextId++;
      if (match) partner >= 0 ? this.#matched++ : this.#unmatched++;
    }
    const text: StepText = {
      lines: Int32Array.from(lines, (line) => this.#lines.number(line)),
      ops: Int32Array.from(lines, (_, i) => (ir.opAt[i]! < 0 ? 0 : ids[ir.opAt[i]!]!)),
      hashes: hashLines(ir, ids),
    };
    this.#previous = { ir, ids, text };
    return text;
  }

  finish(name: string, kind: string, warnings: readonly string[]): Trace {
    const total = this.#matched + this.#unmatched;
    const share = total === 0 ? [] : [`${((100 * this.#unmatched) / total).toFixed(1)} % of the ops have no partner in the step before`];
    return {
      source: { name, kind },
      target: this.#target,
      options: {},
      steps: this.#steps,
      diagnostics: [],
      lines: this.#lines,
      warnings: [...warnings, ...share],
    };
  }
}

const NONE = new Int32Array(0);

/** Equal but for names and numbers. */
function sameShape(a: StepText, b: StepText): boolean {
  return a.hashes.length === b.hashes.length && a.hashes.every((h, i) => h === b.hashes[i] && a.ops[i] === b.ops[i]);
}

/** For each line a hash of its op with operands by identity; 0 where no op begins. */
function hashLines(ir: TextIR, ids: Int32Array): Int32Array {
  const hashes = new Int32Array(ir.lines.length);
  const definitions = new Map<string, number>();
  ir.ops.forEach((op, i) => {
    let h = 0x811c9dc5;
    const mix = (x: number) => (h = (Math.imul(h ^ x, 0x9e3779b1) ^ (h >>> 15)) | 0);
    for (let k = 0; k < op.shape.length; k++) h = Math.imul(h ^ op.shape.charCodeAt(k), 0x01000193);
    for (const name of op.operands) mix(definitions.get(name) ?? 0);
    op.args.forEach((name, k) => definitions.set(name, ids[i]! * 64 + 32 + k));
    op.results.forEach((name, k) => definitions.set(name, ids[i]! * 64 + k));
    for (let k = 0; k < op.name.length; k++) mix(op.name.charCodeAt(k));
    hashes[op.line] = h || 1;
  });
  return hashes;
}
