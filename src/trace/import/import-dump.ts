/**
 * A Trace from what real Triton wrote: a dump log, or single IR texts one after the other. Ops are followed through the
 * steps by inference (`identify`), so that diffs and life lines work as for our own compilations.
 */

import { compact } from "../../support/bytes.js";
import { finished, type Progress } from "../../support/slices.js";
import { LineTable, type StepText } from "../line-table.js";
import { LocationCollector } from "../op-locations.js";
import { type PipelineStep, STAGES, type Stage } from "../stage.js";
import type { Step, Trace } from "../trace.js";
import { type Dump, splitLog } from "./dump-log.js";
import { identify } from "./identify.js";
import { withoutLocations } from "./locations.js";
import { flagOfPass } from "./pass-names.js";
import { collectPlaces } from "./read-positions.js";
import { BLOCK, readTextIR, type TextIR } from "./text-ops.js";
import { mixHash } from "./text-scan.js";
import { flagOfPass20 } from "./triton20.js";
import { isTriton20, specializations, unchangedAfter, unchangedBefore } from "./unchanged-passes.js";

export interface ImportOptions {
  /** Keep locations in the lines. They are used to follow ops either way. */
  readonly debugInfo?: boolean;
  /** Another spelling of the texts. */
  readonly rewrite?: (text: string) => string;
  /** Called before each step of a log with how far the import is. */
  readonly progress?: (progress: Progress) => void;
}

/** The Trace of a log. An error, with the reason, when no IR is in it. */
export function importDumpLog(name: string, text: string, options: ImportOptions = {}): Trace | { readonly error: string } {
  const { dumps, warnings } = splitLog(text);
  if (!dumps.some((d) => d.text !== ""))
    return { error: warnings.length > 0 ? `the log holds no IR; ${warnings[0]}` : "the log holds no IR" };
  const builder = new ImportedTrace(options, dumps.length);
  const changedOnly = isTriton20(dumps);
  for (const compilation of splitCompilations(dumps)) addCompilation(builder, compilation, changedOnly);
  return builder.finish(name, "dump log", [...cut(text, dumps), ...warnings, ...specializations(dumps)]);
}

/** Where a log ends in the middle of the IR of a pass. */
function cut(log: string, dumps: readonly Dump[]): string[] {
  const last = dumps.at(-1)!;
  const lines = last.text.trimEnd().split("\n");
  // Aliases of locations may come after the module's last brace.
  const isWhole = lines.some((line) => /^[}]|^(?:builtin\.)?module\b.*[}]$|^"builtin\.module".*[)]$/.test(line));
  if (last.text === "" || isWhole) return [];
  return [
    `${LOG_ENDS} at line ${log.split("\n").length}, in the IR ${last.when} ${last.flag ?? last.pass}: what is shown of it is incomplete`,
  ];
}
/** The warning of a log that was cut off begins so. */
export const LOG_ENDS = "the log ends";
/** In the warning that says how many ops were not identified. */
export const UNMATCHED = "of the ops in changed steps have no partner in the step before";

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
  options: ImportOptions = {},
): Trace {
  const builder = new ImportedTrace(options);
  texts.forEach(({ pass, flag, stage, text }, i) =>
    builder.step(
      { kind: i === 0 ? "source" : "pass", pass, flag, options: "", stage: stage ?? stageOfIr(text), op: undefined, symbol: undefined },
      text,
    ),
  );
  const trace = builder.finish(name, kind, warnings);
  return { ...trace, target: metadata.target ?? trace.target, options: metadata.options };
}

/** A log's compilations: a new one begins where the IR is of an earlier stage than before, or the first pass runs again. */
function splitCompilations(dumps: readonly Dump[]): Dump[][] {
  const compilations: Dump[][] = [];
  let reached = 0;
  for (const [i, dump] of dumps.entries()) {
    const current = compilations.at(-1);
    const first = current?.find((d) => d.when !== "internal");
    // The inliner is where make_ttir begins; the gluon inliner and function passes have other names or ops.
    const isFirstPass = dump.when !== "internal" && dump.pass === first?.pass && isInliner(dump.pass) && dump.op === first.op;
    const restarts = isFirstPass && !(i > 0 && isShownAgain(dumps, i - 1));
    const at = dump.text === "" ? reached : STAGES.indexOf(stageOfIr(dump.text));
    if (!current || restarts || at < reached) {
      compilations.push([dump]);
      reached = at;
    } else {
      current.push(dump);
      reached = Math.max(reached, at);
    }
  }
  return compilations;
}
/** Whether a dump before a pass is followed by its result, which is the one to show: the articles print both. */
function isShownAgain(dumps: readonly Dump[], i: number): boolean {
  const dump = dumps[i]!;
  const next = dumps[i + 1];
  return dump.when === "before" && next?.when === "after" && next.pass === dump.pass;
}
function isInliner(pass: string): boolean {
  return /^Inliner(?:Pass)?$/.test(pass);
}

/** `changedOnly`: the log shows the passes of Triton 2.0 that changed something. */
function addCompilation(builder: ImportedTrace, all: readonly Dump[], changedOnly: boolean): void {
  builder.newCompilation();
  const first = all.find((d) => d.when !== "internal" && d.text !== "");
  if (first?.when === "before")
    builder.step(
      { kind: "source", pass: "source", flag: "source", options: "", stage: stageOfIr(first.text), op: first.op, symbol: undefined },
      first.text,
    );
  const dumps = all.filter((_, i) => !isShownAgain(all, i));
  // A "before" dump's own result is what the next one shows; inner dumps of the pass come between.
  const shown: (Dump | undefined)[] = new Array<undefined>(dumps.length);
  let next: Dump | undefined;
  for (let i = dumps.length - 1; i >= 0; i--) {
    const dump = dumps[i]!;
    shown[i] = dump.when === "before" ? next : dump;
    if (dump.when !== "internal") next = dump;
  }
  const lowering = beginOfLowering(dumps);
  const unchanged = changedOnly ? unchangedBefore(dumps) : undefined;
  let last = "";
  const addUnchanged = (passes: readonly PipelineStep[]) => {
    for (const pass of passes) builder.step({ ...pass, kind: "pass", op: undefined, symbol: undefined }, last);
  };
  dumps.forEach((dump, i) => {
    const text = shown[i]?.text ?? "";
    if (unchanged) addUnchanged(unchanged[i]!);
    if (text !== "") last = text;
    const stage = stageOfIr(text || dump.text);
    builder.step(
      {
        kind: dump.when === "internal" ? "internal" : "pass",
        pass: dump.pass,
        flag: dump.flag ?? flagOfPass(dump.pass) ?? flagOfPass20(dump.pass) ?? dump.pass,
        options: dump.options,
        stage: i >= lowering && stage === "ttgir" ? "llir" : stage,
        op: dump.op,
        symbol: dump.symbol,
      },
      text,
    );
  });
  if (unchanged) addUnchanged(unchangedAfter(dumps));
}

/** The first pass of make_llir: the last passes on TTGIR belong to it already. */
function beginOfLowering(dumps: readonly Dump[]): number {
  const passes = dumps.map((d) => d.flag ?? flagOfPass(d.pass) ?? d.pass);
  let at = passes.findIndex((flag) => /^(?:convert-scf-to-cf|allocate-shared-memory(?:-nv)?|convert-triton-gpu-to-llvm)$/.test(flag));
  if (at < 0) return dumps.length;
  const before = /^(?:tritongpu-combine-tensor-select-and-if|tritongpu-allocate-warp-groups|decompose-unsupported-nvidia-conversions)$/;
  while (at > 0 && before.test(passes[at - 1]!)) at--;
  return at;
}

/** The stage of an IR by what it holds. */
export function stageOfIr(text: string): Stage {
  if (/\bllvm\.func\b/.test(text)) return "llir";
  return /#(?:ttg|triton_gpu)\.|\b(?:ttg|triton_gpu)\.|"(?:ttg|triton_gpu)\.num-warps"/.test(text) ? "ttgir" : "ttir";
}

interface Described {
  readonly kind: Step["kind"];
  readonly pass: string;
  readonly flag: string;
  readonly options: string;
  readonly stage: Stage;
  /** The op that the pass ran on, as the dump reports it; if undefined, it is taken from the IR. */
  readonly op: string | undefined;
  readonly symbol: string | undefined;
}

/** IR as it was last seen: the module, or single functions, newest first. */
interface Piece {
  readonly ir: TextIR;
  readonly ids: Int32Array;
  /** The function's symbol where the piece is one function. */
  readonly symbol: number;
}

interface LoneFunction {
  readonly op: string;
  readonly symbol: string;
}
interface Recorded {
  readonly step: StepText;
  readonly origins: Int32Array;
  /** Where the text is one function without its module. */
  readonly func: LoneFunction | undefined;
}

class ImportedTrace {
  readonly #lines = new LineTable();
  readonly #steps: Step[] = [];
  readonly #runs = new Map<string, number>();
  readonly #locations = new LocationCollector();
  readonly #places: Parameters<typeof collectPlaces>[4] = new Map();
  #pieces: Piece[] = [];
  #previous: { readonly text: string; readonly step: StepText; readonly func: LoneFunction | undefined } | undefined;
  #nextId = 1;
  #target: string | undefined;
  readonly #counts = { ops: 0, new: 0, withOrigin: 0 };

  constructor(
    readonly options: ImportOptions,
    /** How many dumps there are. */
    readonly of = 0,
  ) {}

  newCompilation(): void {
    this.#pieces = [];
    this.#previous = undefined;
  }

  /** Adds a step with the IR after it; an empty text where that is not known. */
  step(info: Described, dumped: string): void {
    if (this.of > 0) this.options.progress?.({ what: "import", done: Math.min(this.#steps.length, this.of), of: this.of });
    const text = this.rewritten(dumped);
    const before = this.#previous?.step;
    const known = text !== "";
    const { step: content, origins, func } = known ? this.record(text) : this.unknown();
    this.#target ??= /"?(?:ttg|triton_gpu)\.target"? = "(cuda:\d+|hip:\w+)"/.exec(text)?.[1];
    const isPass = info.kind === "pass";
    const top = isPass && (info.symbol === undefined || info.op === "builtin.module");
    const run = top ? (this.#runs.get(info.flag) ?? 0) + 1 : 0;
    if (run > 0) this.#runs.set(info.flag, run);
    const index = this.#steps.length;
    this.#steps.push({
      index,
      label: String(index),
      kind: info.kind,
      parent: undefined,
      op: info.op ?? func?.op ?? "builtin.module",
      symbol: info.symbol ?? func?.symbol,
      stage: info.stage,
      pass: info.pass,
      flag: info.flag,
      options: info.options,
      run,
      changed: info.kind !== "source" && content !== before && !(before !== undefined && sameShape(before, content)),
      known,
      ms: undefined,
      statistics: {},
      rewrites: NONE,
      remarks: [],
      patterns: [],
      origins,
      verified: true,
      numOps: content.ops.reduce((n, id) => n + (id === 0 ? 0 : 1), 0),
      text: content,
    });
  }

  /** Steps that changed nothing come with the same text. */
  private rewritten(text: string): string {
    const { rewrite } = this.options;
    if (!rewrite || text === "") return text;
    if (this.#rewritten?.from !== text) this.#rewritten = { from: text, to: rewrite(text) };
    return this.#rewritten.to;
  }
  #rewritten: { readonly from: string; readonly to: string } | undefined;

  private unknown(): Recorded {
    return { step: this.#previous?.step ?? { lines: NONE, ops: NONE, hashes: NONE }, origins: NONE, func: this.#previous?.func };
  }

  /** The text of a step, its ops identified with those seen before. */
  private record(text: string): Recorded {
    if (this.#previous?.text === text) return { step: this.#previous.step, origins: NONE, func: this.#previous.func };
    const ir = readTextIR(text);
    const before = this.world();
    const found = before && finished(identify(before.ir, ir));
    const ids = new Int32Array(ir.numOps);
    const origins: number[] = [];
    for (let i = 0; i < ids.length; i++) {
      const partner = found?.partner[i] ?? -1;
      if (partner >= 0) {
        ids[i] = before!.ids[partner]!;
        continue;
      }
      ids[i] = this.#nextId++;
      const origin = found?.origin[i] ?? -1;
      if (origin >= 0) origins.push(ids[i]!, before!.ids[origin]!);
    }
    const isMoved = (op: number): boolean => {
      const partner = found?.partner[op] ?? -1;
      return partner < 0 || before!.ir.loc[partner] !== ir.loc[op];
    };
    collectPlaces(ir, ids, isMoved, this.#locations, this.#places);
    if (found) this.count(ir, found.partner, found.origin);
    const step = this.stepText(ir, ids);
    const func = loneFunction(ir);
    const piece = { ir, ids, symbol: func ? ir.symbol[0]! : 0 };
    this.#pieces = func ? [piece, ...this.#pieces.filter((p) => p.symbol !== piece.symbol)] : [piece];
    this.#previous = { text, step, func };
    return { step, origins: origins.length > 0 ? Int32Array.from(origins) : NONE, func };
  }

  /** All that is known of the IR: a dump of one function only leaves the rest of the module as it was. */
  private world(): Piece | undefined {
    if (this.#pieces.length <= 1) return this.#pieces[0];
    const ir = readTextIR(this.#pieces.map((p) => p.ir.text).join(""));
    const ids = Int32Array.from(this.#pieces.flatMap((p) => [...p.ids]));
    return { ir, ids, symbol: 0 };
  }

  private stepText(ir: TextIR, ids: Int32Array): StepText {
    const hashes = identityHashes(ir, ids);
    const strip = !this.options.debugInfo && ir.text.includes("loc(");
    const { text, lines } = strip ? withoutLocations(ir.text) : { text: ir.text, lines: undefined };
    const starts = lines ? lineStarts(text, lines.length) : ir.lineStart;
    const count = starts.length - 1;
    const ops = new Int32Array(count);
    const lineHashes = new Int32Array(count);
    for (let line = 0; line < count; line++) {
      const op = ir.opAt[lines ? lines[line]! : line]!;
      if (op < 0 || ir.kind[op] === BLOCK) continue;
      ops[line] = ids[op]!;
      lineHashes[line] = hashes[op]!;
    }
    return { lines: this.#lines.numbers(text, starts), ops, hashes: lineHashes };
  }

  private count(ir: TextIR, partner: Int32Array, origin: Int32Array): void {
    for (let i = 0; i < ir.numOps; i++) {
      if (ir.kind[i] === BLOCK) continue;
      this.#counts.ops++;
      if (partner[i]! >= 0) continue;
      this.#counts.new++;
      if (origin[i]! >= 0) this.#counts.withOrigin++;
    }
  }

  finish(name: string, kind: string, warnings: readonly string[]): Trace {
    const { ops, new: fresh, withOrigin } = this.#counts;
    const percent = (n: number) => `${((100 * n) / ops).toFixed(1)} %`;
    const share =
      fresh === 0 || kind === "cache folder"
        ? []
        : [`${percent(fresh)} ${UNMATCHED}; ${percent(fresh - withOrigin)} come from no known op`];
    return {
      source: { name, kind },
      target: this.#target,
      ...(this.#steps.some(({ flag }) => flag === "gluon-resolve-auto-encodings") ? { language: "gluon" } : {}),
      options: {},
      steps: this.#steps,
      diagnostics: [],
      lines: this.#lines.seal(),
      locations: this.#locations.take(),
      warnings: [...warnings, ...share],
      artifacts: {},
    };
  }
}

const NONE = new Int32Array(0);

/** The function that a text consists of, where it holds no module. */
function loneFunction(ir: TextIR): LoneFunction | undefined {
  if (ir.numOps === 0 || ir.symbol[0] === 0) return undefined;
  const from = ir.lineStart[ir.line[0]!]!;
  // A copy: a name cut out of the text would keep all of it in memory.
  const line = compact(ir.text.slice(from, ir.lineStart[ir.line[0]! + 1]! - 1));
  const match = /^"?([\w.]+)[^@]*@(?:"([^"]*)"|([\w$.-]*))/.exec(line);
  return match ? { op: match[1]!.includes(".") ? match[1]! : `func.${match[1]!}`, symbol: match[2] ?? match[3]! } : undefined;
}

/** Equal but for names and numbers. */
function sameShape(a: StepText, b: StepText): boolean {
  return a.hashes.length === b.hashes.length && a.hashes.every((h, i) => h === b.hashes[i] && a.ops[i] === b.ops[i]);
}

/** For each op a hash of what it says, with operands by identity. Never 0. */
export function identityHashes(ir: TextIR, ids: Int32Array): Int32Array {
  const hashes = new Int32Array(ir.numOps);
  for (let i = 0; i < ir.numOps; i++) {
    let h = ir.shape[i]!;
    for (let k = ir.operandStart[i]!; k < ir.operandStart[i + 1]!; k++) {
      const value = ir.operands[k]!;
      if (value >= 0) h = mixHash(mixHash(h, ids[ir.valueOp[value]!]!), ir.valueIndex[value]!);
    }
    hashes[i] = h || 1;
  }
  return hashes;
}

function lineStarts(text: string, count: number): Int32Array {
  const starts = new Int32Array(count + 1);
  for (let line = 0, at = 0; line <= count; line++) {
    starts[line] = at;
    at = text.indexOf("\n", at) + 1;
  }
  starts[count] = text.length;
  return starts;
}
