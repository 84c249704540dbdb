/** Runs a target's pipeline on a module and records what every pass did. */

import type { ArtifactKind, BackendStep, Translate } from "../backend/backend.js";
import { backendOf } from "../backend/index.js";
import type { TargetOptions } from "../backend/targets.js";
import { stringOf } from "../ir/builtin-attrs.js";
import { callStack, type LocationRef } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import { followTriton } from "../ir/spelling.js";
import { isValid } from "../ir/verify.js";
import { stepText } from "../pass/define-pass.js";
import type { Instrumentation, StepRecord } from "../pass/instrumentation.js";
import { runPipeline } from "../pass/pass-manager.js";
import { type Remark, refTo, remarkWithIds } from "../pass/remark.js";
import { Bug } from "../support/assert.js";
import { finished } from "../support/slices.js";
import { DEFAULT_TRITON, type TritonVersion } from "../support/triton-version.js";
import { LineTable, type StepText } from "../trace/line-table.js";
import { LocationCollector, MAX_CALLS, NO_LOCATIONS, type OpLocations } from "../trace/op-locations.js";
import { type PipelineStep, STAGES, type Stage } from "../trace/stage.js";
import { type Artifacts, countOps, type Step, type Trace } from "../trace/trace.js";
import { Identities } from "./identities.js";
import { type Origins, RewriteRecorder } from "./record-rewrites.js";
import { recordText, textHash } from "./record-text.js";

/** Settings of one compilation, all of them decided. */
export interface CompileOptions {
  readonly target: string;
  readonly options: TargetOptions;
  /** Triton's version, whose pipeline is run. */
  readonly version?: TritonVersion;
  /** The stage of the input: passes of earlier stages are not run. */
  readonly from?: Stage;
  /** The index (in the pipeline) of the first pass to run and of the last one. */
  readonly startAfter?: number;
  readonly stopAfter?: number;
  /** Indices of passes to leave out. */
  readonly disabled?: ReadonlySet<number>;
  /** Passes that the pipeline has not at these places. */
  readonly inserted?: readonly InsertedStep[];
  readonly verifyEach?: boolean;
  /** AxisInfo knows nothing: what the kernel costs without its hints. */
  readonly pessimisticAxisInfo?: boolean;
  /** See `Context.preferTmem16x256`. */
  readonly preferTmem16x256?: boolean;
  readonly debugInfo?: boolean;
  /** False for a Trace without texts, which is made sooner: it still says which steps changed the IR. */
  readonly texts?: boolean;
  /** False for a Trace without steps, of which only what follows the last pass is wanted; `ttgir` for one whose last step is that before the lowering to LLVM. */
  readonly steps?: boolean | "ttgir";
  /** False for a Trace without remarks. */
  readonly remarks?: boolean;
  /** Another observer of the pass at a position of the pipeline. */
  readonly watch?: (position: number, inserted: number | undefined) => Instrumentation | undefined;
  /** The artifacts to make of the module after the last pass. */
  readonly artifacts?: readonly ArtifactKind[];
  /** Makes the artifacts. It is a bug to ask for some without it. */
  readonly translate?: Translate<TargetOptions> | undefined;
  /** No artifacts are made of a module with more ops than this. */
  readonly maxArtifactOps?: number;
  /** Milliseconds; the only thing here that is not a function of the input. */
  readonly clock: () => number;
}
/** Options that say nothing of the input: they stay the same whatever is compiled next. */
export type Always = Pick<CompileOptions, "verifyEach" | "pessimisticAxisInfo" | "preferTmem16x256">;
export interface CompileResult {
  readonly trace: Trace;
  /** The id in the Trace of an op, by its own. */
  readonly idOf: (op: number) => number;
  readonly ok: boolean;
  /** The flag of the pass that failed, and whether its own result did not verify. */
  readonly failed?: { readonly flag: string; readonly reason: "pass" | "verify" };
}

/** The steps of the pipeline that an input of that stage goes through. TTGIR that is compiled from there is Gluon's. */
export function pipelineOf(options: Pick<CompileOptions, "target" | "options" | "version" | "from">): readonly BackendStep[] {
  const { pipelines } = backendOf(options.target);
  // Commands ask before they find that a version is not followed for the target.
  const pipeline = pipelines.get(options.version ?? DEFAULT_TRITON) ?? pipelines.get(DEFAULT_TRITON)!;
  const first = STAGES.indexOf(options.from ?? "ttir");
  return pipeline(options, options.from === "ttgir" ? "gluon" : "triton").filter((s) => STAGES.indexOf(s.stage) >= first);
}

/** Compiles `module` in place. The Trace's step 0 is the source. */
export function compile(name: string, module: Operation, options: CompileOptions): CompileResult {
  return finished(compileSteps(name, module, options));
}

/** A pass that runs after that many of the pipeline's. */
export interface InsertedStep {
  readonly after: number;
  readonly step: BackendStep;
}
/** A pass that runs: its position in the pipeline, or that of the pass before it and which of the inserted ones it is. */
export interface RunStep {
  readonly position: number;
  readonly inserted: number | undefined;
  readonly step: BackendStep;
}
/** The passes that run, in order. */
export function stepsToRun(
  pipeline: readonly BackendStep[],
  {
    startAfter = 0,
    stopAfter = pipeline.length,
    disabled,
    inserted = [],
  }: Pick<CompileOptions, "startAfter" | "stopAfter" | "disabled" | "inserted">,
): readonly RunStep[] {
  const found: RunStep[] = [];
  for (let position = startAfter; position <= stopAfter; position++) {
    const step = pipeline[position - 1];
    if (step && position > startAfter && !disabled?.has(position)) found.push({ position, inserted: undefined, step });
    for (const [i, { after, step }] of inserted.entries()) if (after === position) found.push({ position, inserted: i, step });
  }
  return found;
}

/** The progress of a compilation so far. */
export interface CompileProgress {
  readonly done: number;
  readonly total: number;
  /** The pass that comes next. */
  readonly next: PipelineStep;
  /** The Trace up to here. */
  readonly trace: () => Trace;
}

/** As `compile`, halting before each pass. */
export function* compileSteps(name: string, module: Operation, options: CompileOptions): Generator<CompileProgress, CompileResult> {
  module.ctx.pessimisticAxisInfo = options.pessimisticAxisInfo ?? false;
  followTriton(module.ctx, options.version ?? DEFAULT_TRITON);
  module.ctx.preferTmem16x256 = options.preferTmem16x256 ?? false;
  const recorder = new Recorder(module, options);
  const pipeline = pipelineOf(options);
  // An argument of a function that was modernized is in no region any more.
  const kept = [...module.ctx.namesOfInput].filter(([, value]) => value.definingOp ?? value.argOwner?.region?.parentOp);
  const names = new Map(kept.map(([name, value]) => [name, refTo(value)] as const));
  if (options.steps !== false) recorder.source(name);
  const traceOf = (locations: OpLocations): Trace => ({
    source: { name, kind: options.from ?? "ttir" },
    target: options.target,
    triton: module.ctx.triton.name,
    ...(module.ctx.language === "gluon" ? { language: module.ctx.language } : {}),
    options: { ...options.options },
    steps: [...recorder.steps],
    diagnostics: module.ctx.diagnostics,
    lines: recorder.lines,
    locations,
    names,
    ...(module.ctx.layoutNames.size > 0 ? { layoutNames: module.ctx.layoutNames } : {}),
    warnings: [],
    artifacts: {},
  });
  if (options.artifacts?.length && !options.translate) throw new Bug("artifacts are asked for without what makes them");
  let failed: CompileResult["failed"];
  let recorded = options.steps !== false;
  for (const { position, inserted, step } of stepsToRun(pipeline, options)) {
    yield { done: Math.max(0, position - 1), total: pipeline.length, next: step, trace: () => traceOf(NO_LOCATIONS) };
    const watch = options.watch?.(position, inserted);
    if (options.steps === "ttgir" && TO_LLVM.test(step.flag)) recorded = false;
    failed = recorded ? recorder.run(step, watch) : runUnrecorded(module, step, options, watch);
    if (failed) break;
  }
  recorder.lines.seal();
  const { idOf } = recorder;
  const trace: Trace = {
    ...traceOf(recorder.locations.take()),
    artifacts: failed || !options.translate ? {} : withIds(options.translate(module, options), idOf),
  };
  return failed ? { trace, idOf, ok: false, failed } : { trace, idOf, ok: true };
}

/** The pass that makes the LLVM dialect of TTGIR. */
const TO_LLVM = /^convert-triton-(?:amd)?gpu-to-llvm$/;

function withIds({ instructions, ...artifacts }: Artifacts, idOf: (op: number) => number): Artifacts {
  if (!instructions) return artifacts;
  return { ...artifacts, instructions: Object.fromEntries(Object.entries(instructions).map(([op, names]) => [idOf(Number(op)), names])) };
}

function runUnrecorded(
  module: Operation,
  { step, flag }: BackendStep,
  options: CompileOptions,
  watch: Instrumentation | undefined,
): CompileResult["failed"] {
  const { failed } = runPipeline(module, [step], {
    verifyEach: options.verifyEach ?? true,
    ...(watch ? { instrumentation: [watch] } : {}),
  });
  return failed && { flag, reason: failed.reason };
}

/** An open sub-step: a pass that runs inside another. */
interface Open {
  readonly version: number;
  readonly started: number;
  readonly rewrites: RewriteRecorder;
  readonly remarks: Remark[];
}

class Recorder {
  readonly steps: Step[] = [];
  readonly lines = new LineTable();
  readonly locations = new LocationCollector();
  readonly #runs = new Map<string, number>();
  #text: StepText | undefined;
  #textVersion = -1;
  #hash = 0;
  #numOps = 0;
  #countedVersion = -1;
  /** The stage of the last step; at first, the stage that made the source. */
  #stage: Stage;
  #top = 0;
  /** Ids from here on belong to ops that no earlier step has seen. */
  #lastSeen = 0;
  #originVersion = -1;
  /** How many origins of an op with several the steps have reported. */
  readonly #toldOrigins = new Map<number, number>();
  /** Where ops came from that have gone since the last step: what came of them came from there. */
  readonly #gone: Origins = new Map();
  readonly #locatedAt = new Map<number, LocationRef>();
  readonly #identities = new Identities();
  readonly idOf = this.#identities.of;
  /** The file of IR without locations: places in it are no places in Python, also where a pass made them part of others. */
  readonly #inputFile: string | undefined;

  constructor(
    readonly module: Operation,
    readonly options: CompileOptions,
  ) {
    this.#stage = options.from === "llir" || options.from === "ttgir" ? "ttgir" : options.from === "ptx" ? "llir" : "ttir";
    const { locRef } = module;
    this.#inputFile = typeof locRef === "number" ? module.ctx.positionOf(locRef)?.file : undefined;
  }

  source(name: string): void {
    this.push({
      kind: "source",
      parent: undefined,
      pass: "source",
      flag: name,
      changed: false,
      ...NO_FACTS,
      op: this.module,
    });
  }

  run(step: BackendStep, watch: Instrumentation | undefined): CompileResult["failed"] {
    this.#stage = step.stage;
    this.#top++;
    const run = (this.#runs.get(step.flag) ?? 0) + 1;
    this.#runs.set(step.flag, run);
    const index = this.steps.length;
    // Sub-steps come before their parent ends, but are listed after it: hold the parent's place.
    this.steps.push(undefined as unknown as Step);
    const before = { version: this.module.ctx.version, text: this.text() };
    const rewrites = new RewriteRecorder(this.#gone);
    const remarks: Remark[] = [];
    const open: Open[] = [];
    let statistics: Readonly<Record<string, number>> = {};
    const started = this.options.clock();
    const instrumentation: Instrumentation = {
      before: (record) => {
        if (record.depth > 0)
          open.push({
            version: this.module.ctx.version,
            started: this.options.clock(),
            rewrites: new RewriteRecorder(this.#gone),
            remarks: [],
          });
      },
      after: (record, ok) => {
        if (record.depth === 0) statistics = Object.fromEntries(record.statistics);
        else this.nested(record, open.pop()!, index, ok);
      },
      ...(this.options.remarks === false
        ? {}
        : { remark: (record: StepRecord, remark: Remark) => void (record.depth === 0 ? remarks : open.at(-1)!.remarks).push(remark) }),
      dump: (record, label) => this.internal(record, label, index),
      listener: (record) => (record.depth === 0 ? rewrites : open.at(-1)!.rewrites),
    };
    const result = runPipeline(this.module, [step.step], {
      verifyEach: this.options.verifyEach ?? true,
      instrumentation: watch ? [instrumentation, watch] : [instrumentation],
    });
    const ms = this.options.clock() - started;
    const after = this.text(result.ok);
    const changed = after !== before.text && !this.sameText(after, before.text);
    this.steps[index] = this.make({
      kind: "pass",
      parent: undefined,
      pass: step.pass,
      flag: step.flag,
      options: step.options,
      run,
      op: this.module,
      changed,
      ms,
      statistics,
      ...rewrites.take(this.idOf),
      remarks,
      verified: result.ok,
      index,
      label: String(this.#top),
    });
    return result.failed ? { flag: step.flag, reason: result.failed.reason } : undefined;
  }

  private nested(record: StepRecord, open: Open, parent: number, ok: boolean): void {
    const symbol = record.root;
    const before = this.#text;
    const after = this.text(ok);
    this.push({
      kind: "pass",
      parent,
      pass: record.step.pass.name,
      flag: record.step.pass.flag,
      options: stepText(record.step).slice(record.step.pass.flag.length),
      run: 0,
      changed: before === undefined || (after !== before && !this.sameText(after, before)),
      ms: this.options.clock() - open.started,
      statistics: Object.fromEntries(record.statistics),
      ...open.rewrites.take(this.idOf),
      remarks: open.remarks,
      verified: true,
      op: symbol,
    });
  }
  private internal(record: StepRecord, label: string, parent: number): void {
    this.push({
      kind: "internal",
      parent,
      pass: record.step.pass.name,
      flag: label,
      changed: true,
      ...NO_FACTS,
      op: this.module,
    });
  }

  /** The text of the module as it is now; shared while nothing changes. IR that is not valid after a pass that failed is in the generic form, as MLIR's dumps. */
  private text(ok = true): StepText {
    const { version } = this.module.ctx;
    if (!this.#text || this.#textVersion !== version) {
      this.#textVersion = version;
      this.#identities.settle(this.module, this.#gone);
      if (this.options.texts === false) {
        const hash = textHash(this.module);
        if (!this.#text || hash !== this.#hash) this.#text = { lines: NO_REWRITES, ops: NO_REWRITES, hashes: NO_REWRITES };
        this.#hash = hash;
      } else
        this.#text = recordText(this.module, this.lines, this.idOf, {
          debugInfo: this.options.debugInfo ?? false,
          generic: !ok && !isValid(this.module),
        });
    }
    return this.#text;
  }

  /** Texts that are not kept are one object exactly while nothing changes. */
  private sameText(a: StepText, b: StepText): boolean {
    return this.options.texts !== false && sameLines(a, b);
  }

  /** Where ops came from, as far as earlier steps have not said it: new ops, and ops that now stand for others too. */
  private newOrigins(): Int32Array {
    const pairs: number[] = [];
    const { idOf } = this;
    const { ctx } = this.module;
    if (ctx.version === this.#originVersion) return NO_REWRITES;
    this.#originVersion = ctx.version;
    const from = this.#lastSeen;
    this.#lastSeen = ctx.nextId();
    this.module.walk((op) => {
      const { origin, locRef } = op;
      // A number is a place in the IR that was read. An op that is inlined keeps its id and has another location.
      if (typeof locRef !== "number" && this.#locatedAt.get(op.id) !== locRef && idOf(op.id) === op.id) this.locate(op.id, locRef);
      if (origin === undefined) return;
      if (typeof origin === "number") {
        if (op.id > from) pairs.push(op.id, origin);
        return;
      }
      const told = this.#toldOrigins.get(op.id) ?? (op.id > from ? 0 : 1);
      for (let i = told; i < origin.length; i++) pairs.push(op.id, origin[i]!);
      this.#toldOrigins.set(op.id, origin.length);
    });
    for (let i = 1; i < pairs.length; i += 2) {
      const made = pairs[i]!;
      const origin = this.#gone.get(made);
      if (origin === undefined || made <= from) continue;
      this.#gone.delete(made);
      for (const parent of typeof origin === "number" ? [origin] : origin) pairs.push(made, parent);
    }
    this.#gone.clear();
    const told: number[] = [];
    for (let i = 0; i < pairs.length; i += 2) {
      const [op, origin] = [idOf(pairs[i]!), idOf(pairs[i + 1]!)];
      if (op !== origin) told.push(op, origin);
    }
    return told.length === 0 ? NO_REWRITES : new Int32Array(told);
  }

  private locate(op: number, loc: LocationRef): void {
    this.#locatedAt.set(op, loc);
    const stack = callStack(this.module.ctx, loc, MAX_CALLS).filter(({ file }) => file !== this.#inputFile);
    if (stack.length > 0) this.locations.add(op, stack);
  }

  private numOps(): number {
    const { version } = this.module.ctx;
    if (version !== this.#countedVersion) {
      this.#countedVersion = version;
      this.#numOps = countOps(this.module);
    }
    return this.#numOps;
  }

  private push(
    step: Omit<Step, "index" | "label" | "stage" | "symbol" | "numOps" | "text" | "op" | "origins" | "known"> & { readonly op: Operation },
  ): void {
    const index = this.steps.length;
    const { parent } = step;
    const label =
      parent === undefined
        ? String(step.kind === "source" ? 0 : this.#top)
        : `${this.#top}.${this.steps.filter((s) => s?.parent === parent).length + 1}`;
    this.steps.push(this.make({ ...step, index, label }));
  }
  private make(step: Omit<Step, "stage" | "symbol" | "numOps" | "text" | "op" | "origins" | "known"> & { readonly op: Operation }): Step {
    const { op } = step;
    const symbol = op.attr("sym_name");
    return {
      ...step,
      remarks: step.remarks.map((remark) => remarkWithIds(remark, this.idOf)),
      known: true,
      stage: this.#stage,
      op: op.name,
      symbol: stringOf(symbol),
      numOps: this.numOps(),
      text: this.text(),
      origins: this.newOrigins(),
    };
  }
}

const NO_REWRITES = new Int32Array(0);
/** The facts of a step that is no pass of its own. */
const NO_FACTS = {
  options: "",
  run: 0,
  ms: undefined,
  statistics: {},
  rewrites: NO_REWRITES,
  patterns: [],
  remarks: [],
  verified: true,
} as const;

function sameLines(a: StepText, b: StepText): boolean {
  return a.lines.length === b.lines.length && a.lines.every((line, i) => line === b.lines[i]);
}
