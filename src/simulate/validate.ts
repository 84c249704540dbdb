/**
 * `--validate`: executes the IR before and after every pass on the same memory. A pass that keeps the meaning leaves the
 * same final stores, and no new finding; one that does not is named, with the first store that differs. Triton IR runs tensor
 * by tensor; lowered code thread by thread, on as many programs as a budget allows, and is compared with the source.
 */

import { kernelOf } from "../dialects/builtin/function-op.js";
import { TensorDescType } from "../dialects/tt/types.js";
import { gpuCalled } from "../gpu/gpu.js";
import { cloneOperation } from "../ir/clone.js";
import type { Operation } from "../ir/operation.js";
import { symbolName } from "../ir/symbol-table.js";
import type { Instrumentation } from "../pass/instrumentation.js";
import { Budget, DEFAULT_SECONDS, mostSteps, mostWarpSteps, type Results, THREADS, workOf, workOfThreads } from "./budget.js";
import { type Coverage, coverageText, instructionCoverage, listed, onesided, opCoverage } from "./coverage.js";
import { type TensorMapForm, tensorMapForms } from "./host-tensor-maps.js";
import { type Chosen, chooseLaunches, isStopped, type LaunchOptions } from "./launches.js";
import { runLlvm } from "./llvm/run.js";
import { sharedBytesOf } from "./llvm/translate.js";
import { DEPENDENT, differenceOfLowered, launchOf, ownRaces, type Reference, referenceOf } from "./lowered.js";
import { type PtxLaunch, type PtxRun, runPtx } from "./ptx/run.js";
import { compareRuns, differenceText, uncertain } from "./tensor/compare.js";
import { elementOfType } from "./tensor/elements.js";
import { type Finding, RACES } from "./tensor/findings.js";
import { argumentCounts, expandedTo } from "./tensor/host-descriptors.js";
import type { Checks } from "./tensor/machine.js";
import { printableLocation } from "./tensor/place.js";
import { RULES } from "./tensor/rules/index.js";
import { type RunResult, runModule, samplePrograms } from "./tensor/run.js";

/** How a kernel is started when its steps are validated, and how long that may take. */
export interface ValidateOptions
  extends Pick<LaunchOptions, "kernel" | "target" | "grid" | "programs" | "limits" | "seeds" | "preconditions" | "names"> {
  /** About how many seconds all of it may take; DEFAULT_SECONDS by default. */
  readonly seconds?: number;
  /** Lowered code runs on every program of the grid, and nothing is left out, however long that takes. */
  readonly allPrograms?: boolean;
}

/** A pass that changed the meaning of the program, with the evidence. */
export interface Broken {
  /** The pass by its flag, and which of its runs; the source where it is the kernel itself. */
  readonly pass: string;
  /** Undefined where nothing ran. */
  readonly seed: number | undefined;
  readonly message: string;
  /** The pass, and those before it whose results could not be executed: one of them it is. By default the pass alone. */
  readonly suspects?: readonly string[];
  /** It shows where threads run for the first time: it may as well be an earlier pass, whose result was right tensor by tensor. */
  readonly hidden?: boolean;
}
/** The outcome of executing a kernel after each of its passes. */
export interface Validation {
  readonly kind: "validated";
  readonly broken: readonly Broken[];
  /** How many times the kernel was run, and after which passes it changed. */
  readonly runs: number;
  readonly passes: readonly string[];
  /** The coverage of the source, of the last Triton IR, of the last lowered code, and of PTX. */
  readonly coverage: ReadonlyMap<string, Coverage>;
  /** On how many programs of how many lowered code ran, in words. */
  readonly programs: string;
  /** Stores of floats where the bound is so large that it says little, with how many elements of how many. */
  readonly uncertain: ReadonlyMap<string, string>;
  /** Cases that no launch of the source covered: a mask that is off, the other side of a branch. */
  readonly onesided: ReturnType<typeof onesided>;
  /** Findings about the kernel itself, before any pass. */
  readonly findings: readonly Finding[];
  /** Steps that were not executed, and so not validated: the last of each stage, each with the reason. */
  readonly notExecuted: readonly NotExecuted[];
  /** The first pass whose results differ where the source has errors: there they say nothing. */
  readonly undefinedAfter?: string | undefined;
  /** Programs and launches of Triton IR, and results of passes, that there was no time for; each of how many. */
  readonly leftOut: Readonly<Record<"programs" | "launches" | "results", { readonly count: number; readonly of: number }>>;
  /** Set where the user ended it: how many results there were to execute. */
  readonly endedEarly?: { readonly of: number };
}

/** A step that was not executed. */
export interface NotExecuted {
  readonly pass: string;
  readonly reason: string;
}

type Execute = (launch: PtxLaunch) => PtxRun | { readonly error: string };
/** The runs of lowered code on each launch, or the reason why there are none. */
type Lowered =
  | { readonly runs: readonly PtxRun[]; readonly problems: readonly Pick<Broken, "seed" | "message">[] }
  | { readonly skip: string }
  | { readonly unreadable: string };
type Stage = "Triton IR" | "lowered code" | "PTX";

/** One way to start the kernel, and what the source did then. */
interface Launch extends Chosen {
  /** Error bounds of the values that the source stores, by address. */
  readonly bounds: RunResult["bounds"];
}

/** The launches and programs that lowered code runs on: the source so started. */
interface Planned {
  readonly launch: Launch;
  readonly reference: Reference;
}

/** Watches a pipeline and executes what it makes. Ask for the outcome when the pipeline has run. */
export class Validator {
  readonly #broken: Broken[] = [];
  readonly #passes: string[] = [];
  readonly #counts = new Map<string, number>();
  readonly #coverage = new Map<string, Coverage>();
  readonly #uncertain = new Map<string, string>();
  #launches: readonly Launch[] = [];
  readonly #leftOut = { programs: { count: 0, of: 0 }, launches: { count: 0, of: 0 }, results: { count: 0, of: 0 } };
  #before: readonly RunResult[] | undefined;
  #version = -1;
  #runs = 0;
  #findings: Finding[] = [];
  #onesided: Validation["onesided"] = { masks: [], branches: [] };
  /** By stage; what runs later of the same stage takes it away. */
  readonly #notExecuted = new Map<string, NotExecuted>();
  #source: Operation | undefined;
  #loweredIsBroken = false;
  #loweredRan = false;
  /** How long the last result of lowered code took. */
  #loweredWork = 0;
  /** The launches and programs that lowered code runs on, once they are known. */
  #planned: readonly Planned[] | undefined;
  /** How many reshapes could reorder elements after the last pass; the pass, and those before it that were not executed, that took an order which matters. */
  #reordering = 0;
  #takesOrder: readonly string[] | undefined;
  /** The first pass whose results differ where the source's are not defined. */
  #undefinedAfter: string | undefined;
  /** Passes since the last one whose result was executed. */
  readonly #pending: string[] = [];
  /** The tensor map forms of descriptor arguments, as they were last. */
  #tensorMaps: ReadonlyMap<number, TensorMapForm> | undefined;
  /** How many arguments the kernel had last. */
  #numArguments = 0;

  readonly #budget: Budget;

  /** Where `results` says how many there are to execute, some are left out if there is no time for all. */
  constructor(
    readonly options: ValidateOptions = {},
    results?: Results,
  ) {
    this.#budget = new Budget(options.allPrograms ? Infinity : (options.seconds ?? DEFAULT_SECONDS), results);
  }

  /** The hooks to hand to the pass manager. */
  readonly instrumentation: Instrumentation = {
    before: ({ root, depth }) => {
      if (depth === 0 && this.#before === undefined) this.begin(moduleOf(root));
    },
    after: ({ root, depth, step }, ok) => {
      if (depth === 0 && ok) this.after(step.pass.flag, moduleOf(root));
    },
  };

  /** Executes the source: all else is compared with what it does. */
  begin(root: Operation): void {
    if (this.#before !== undefined || !isExecutable(root)) return;
    // Passes change it before it is asked what it leaves open.
    const module = cloneOperation(root);
    this.#source = module;
    const chosen = chooseLaunches(module, this.options, () => this.#runs++, this.#budget);
    const affordable = affordableOf(chosen, this.#budget.share("tritonIr"));
    const tried = chosen.length + this.#budget.launchesLeftOut;
    this.#leftOut.launches = { count: tried - affordable.length, of: tried };
    const { programs, grid } = chosen[0]!.run;
    const usual = (this.options.programs ?? this.options.preconditions?.programs ?? samplePrograms(grid)).length;
    this.#leftOut.programs = { count: usual - programs.length, of: usual };
    this.#launches = affordable.map((launch) => {
      const bounds = this.#bounded(launch.run);
      const own = launch.lowered ? this.#undefinedQuotient(launch.run, { ...launch, bounds }) : undefined;
      return { ...launch, ...(own ? { run: { ...launch.run, findings: [...launch.run.findings, own] } } : {}), bounds };
    });
    this.#before = this.#launches.map(({ run }) => run);
    this.#coverage.set("the source", opCoverage(module, this.#before));
    this.#onesided = onesided(this.#before);
    this.#version = root.ctx.version;
    this.#reordering = countReordering(root);
    this.#findings = this.#before.flatMap((r) => r.findings);
  }

  /** A quotient by zero, which is not defined, where the source stores what depends on it. */
  #undefinedQuotient(run: RunResult, launch: Launch): Finding | undefined {
    const division = run.findings.find(({ kind }) => kind === "division-by-zero");
    if (!division) return undefined;
    const { memory, programs, grid, steps } = run;
    const { args, seed } = launch;
    const limits = { maxSteps: mostSteps(steps), ...this.options.limits };
    this.#runs++;
    const checks = { quotients: true };
    const other = runModule(this.#source!, { ...this.options, args, seed, programs, grid, limits, within: memory, checks });
    this.#budget.spend(workOf(other));
    if (changeOf(run, other, launch) === undefined) return undefined;
    return { ...division, severity: "error", message: `${division.message}, and what is stored depends on the quotient` };
  }

  /** Its bounds, of which it is noted how often they were looked for, and where they say little. */
  #bounded(run: RunResult): RunResult["bounds"] {
    let asked = false;
    return () => {
      const bounds = run.bounds();
      if (asked) return bounds;
      asked = true;
      this.#runs++;
      this.#budget.spendBounds(run);
      for (const { op, count, of } of uncertain(run, bounds)) this.#uncertain.set(printableLocation(op), `${count} of ${of}`);
      return bounds;
    };
  }

  /** Executes the result of a pass, if it changed anything. */
  after(flag: string, module: Operation): void {
    const run = (this.#counts.get(flag) ?? 0) + 1;
    this.#counts.set(flag, run);
    if (this.#before === undefined || module.ctx.version === this.#version) return;
    const pass = run > 1 ? `${flag}#${run}` : flag;
    this.check(pass, module);
    this.#version = module.ctx.version;
  }

  /** Executes a module as the result of the pass named. */
  check(pass: string, module: Operation): void {
    if (this.#before === undefined) return;
    const other = otherKernel(this.#source!, module, pass);
    if (other !== undefined) return this.unreadable(pass, other);
    if (!isExecutable(module)) {
      this.#checkLowered(pass, "lowered code", (launch) => runLlvm(module, launch, `<after ${pass}>`), sharedBytesOf(module));
      return;
    }
    this.#tensorMaps = tensorMapForms(module) ?? this.#tensorMaps;
    this.#numArguments = argumentsOf(module).length;
    const before = this.#before;
    if (this.#isLeftOut("tritonIr", sumOf(before.map(workOf)), pass)) return;
    if (before.every(isStopped)) return void this.#notExecuted.set("Triton IR", { pass, reason: "the source was stopped before its end" });
    const results = this.#run(module);
    const missing = results.flatMap((r) => r.findings).find((f) => f.kind === "not-modelled");
    if (missing && !before.some((r) => r.findings.some((f) => f.kind === "not-modelled")))
      return void this.#notExecuted.set("Triton IR", { pass, reason: missing.message });
    this.#notExecuted.delete("Triton IR");
    this.#passes.push(pass);
    this.#coverage.set("Triton IR", opCoverage(module, results));
    const problems = results.flatMap((result, i) => {
      const launch = this.#launches[i]!;
      const message = changeOf(before[i]!, result, launch);
      return message === undefined ? [] : [{ pass, seed: launch.seed, message, isDefined: !launch.run.findings.some(isError) }];
    });
    const suspects = [...this.#pending.splice(0), pass];
    const problem = problems.find(({ isDefined }) => isDefined);
    if (problem) this.#broken.push({ ...problem, suspects });
    else if (problems.length > 0) this.#undefinedAfter ??= pass;
    else this.#noteReordering(module, before, suspects);
    this.#before = results;
  }

  /** Whether a pass lets elements be reordered on whose order the results depend. It does no harm where lowered code keeps the order. */
  #noteReordering(module: Operation, before: readonly RunResult[], suspects: readonly string[]): void {
    const count = countReordering(module);
    if (count > this.#reordering && !this.#takesOrder) {
      const reordered = this.#run(module, { reorders: true });
      if (reordered.some((result, i) => changeOf(before[i]!, result, this.#launches[i]!) !== undefined)) this.#takesOrder = suspects;
    }
    this.#reordering = count;
  }

  /** Executes the PTX that all of it became; `sharedBytes` is the dynamic shared memory of a CTA. */
  checkPtx(text: string, sharedBytes: number | undefined): void {
    const shared = sharedBytes === undefined ? {} : { sharedBytes };
    if (this.#before) this.#checkLowered("ptx", "PTX", (launch) => runPtx(text, { ...launch, ...shared }, "<ptx>"), sharedBytes);
  }

  /** A step whose text is no IR that can be read, or no PTX. */
  unreadable(pass: string, problem: string): void {
    this.#broken.push({ pass, seed: undefined, message: problem });
  }

  #checkLowered(pass: string, stage: Stage, execute: Execute, sharedBytes: number | undefined): void {
    if (this.#isLeftOut("lowered", this.#loweredWork, pass)) return;
    const skip = this.#notDefined(sharedBytes);
    const found = skip === undefined ? this.#runLowered(execute) : { skip };
    if ("unreadable" in found && stage === "PTX") return this.unreadable(pass, found.unreadable);
    if (!("runs" in found)) {
      this.#pending.push(pass);
      this.#notExecuted.set(stage, { pass, reason: "skip" in found ? found.skip : found.unreadable });
      return;
    }
    this.#notExecuted.delete(stage);
    this.#passes.push(pass);
    this.#coverage.set(stage, instructionCoverage(found.runs));
    const [problem] = found.problems;
    const suspects = [...this.#pending.splice(0), pass];
    const takesOrder = this.#loweredRan ? undefined : this.#takesOrder;
    if (problem && takesOrder) {
      const message = `${problem.message}, where threads run: it lets elements be reordered whose order matters`;
      this.#broken.push({ ...problem, message, pass: takesOrder.at(-1)!, suspects: takesOrder });
    } else if (problem && !this.#loweredIsBroken)
      this.#broken.push({ ...problem, pass, suspects, ...(this.#loweredRan ? {} : { hidden: true }) });
    this.#loweredIsBroken ||= problem !== undefined;
    this.#loweredRan = true;
  }

  /** Whether there is no time to execute a result of a pass, which takes so long. */
  #isLeftOut(level: keyof Results, units: number, pass: string): boolean {
    this.#leftOut.results.of++;
    if (this.#budget.isDue(level, units)) return false;
    this.#leftOut.results.count++;
    this.#pending.push(pass);
    return true;
  }

  /** Why lowered code need not do what the source does. */
  #notDefined(sharedBytes: number | undefined): string | undefined {
    if (this.#findings.some((f) => f.severity === "error")) return OWN_ERRORS;
    const { target } = this.options;
    const most = target === undefined ? undefined : gpuCalled(target)?.sharedMemoryPerCta;
    if (most === undefined || sharedBytes === undefined || sharedBytes <= most) return undefined;
    return `it needs ${sharedBytes} bytes of shared memory, and a CTA of ${target} has at most ${most}`;
  }

  /** Whether lowered code does what the source does; undefined where it cannot be executed. */
  holds(module: Operation): boolean | undefined {
    const found = this.#runLowered((launch) => runLlvm(module, launch, "<lowered>"));
    return "runs" in found ? found.problems.length === 0 : undefined;
  }

  #runLowered(execute: Execute): Lowered {
    if (this.#planned) return this.#runPlanned(this.#planned, execute);
    const [first, ...others] = this.#launches.filter(({ lowered }) => lowered);
    const { allPrograms = false } = this.options;
    const { programs, grid } = first!.run;
    const all = allPrograms ? undefined : (this.options.programs ?? this.options.preconditions?.programs);
    const total = all?.length ?? sizeOf(grid);
    const share = this.#budget.share("lowered");
    const estimate = (THREADS * workOf(first!.run)) / programs.length;
    const few = allPrograms ? total : Math.min(total, programs.length, 2 * estimate > share ? 1 : 2);
    const plan = (launch: Launch, count: number): Planned => ({
      launch,
      reference: this.#reference(launch, spread(count, total, grid, all)),
    });
    // How much a program takes is counted, so that the same input always gives the same text.
    const begun = [plan(first!, few)];
    const found = this.#runPlanned(begun, execute);
    if (!("runs" in found)) return found;
    const work = workOfThreads(found.runs[0]!);
    let left = share - work;
    for (const launch of others) {
      const cost = (work * workOf(launch.run)) / workOf(first!.run);
      if (cost > left) continue;
      left -= cost;
      begun.push(plan(launch, few));
    }
    const more = Math.min(total, allPrograms ? total : few + Math.max(0, Math.floor((left * few) / Math.max(work, 1))));
    const rest = more > few ? begun.with(0, plan(first!, more)) : begun.slice(1);
    const also = this.#runPlanned(rest, execute);
    if (!("runs" in also)) return also;
    this.#planned = more > few ? rest : begun;
    const runs = more > few ? also.runs : [...found.runs, ...also.runs];
    this.#loweredWork = sumOf(runs.map(workOfThreads));
    return { runs, problems: more > few ? also.problems : [...found.problems, ...also.problems] };
  }

  #reference({ args, seed, run: { grid } }: Launch, programs: readonly (readonly number[])[]): Reference {
    const reference = referenceOf(this.#source!, { ...this.options, args, grid, programs, seed });
    this.#runs++;
    this.#budget.spend(workOf(reference.run));
    return { ...reference, run: { ...reference.run, bounds: this.#bounded(reference.run) } };
  }

  #runPlanned(planned: readonly Planned[], execute: Execute): Lowered {
    const runs: PtxRun[] = [];
    const problems: Pick<Broken, "seed" | "message">[] = [];
    for (const { reference, launch: of } of planned) {
      const args = expandedTo(this.#numArguments, reference.run.args);
      const launch = launchOf({ ...reference, run: { ...reference.run, args } }, this.#tensorMaps);
      if (!launch) return { skip: "the tensor map of a descriptor among its arguments is not known" };
      const run = execute({ ...launch, limits: { maxSteps: mostWarpSteps(reference.run) } });
      if ("error" in run) return { skip: run.error };
      const [wrong] = run.diagnostics;
      if (wrong) {
        const { line, column } = wrong.position ?? { line: 1, column: 1 };
        const message = `${run.source.file}:${line}:${column}: ${wrong.message}`;
        return wrong.code === "ptx.launch" ? { skip: message } : { unreadable: message };
      }
      this.#runs++;
      const missing = run.findings.find((f) => f.kind === "not-modelled");
      if (missing) return { skip: `${missing.message} (${missing.site})` };
      runs.push(run);
      this.#budget.spend(workOfThreads(run));
      for (const race of ownRaces(reference.run, run))
        if (!this.#findings.some(({ kind, op }) => kind === race.kind && op === race.op)) this.#findings.push(race);
      const message = differenceOfLowered(reference, run, of.ignore);
      // Here are programs that the launch did not have.
      const own = message === undefined ? undefined : this.#undefinedQuotient(reference.run, { ...of, bounds: reference.run.bounds });
      if (own) {
        this.#findings.push(own);
        return { skip: OWN_ERRORS };
      }
      if (message !== undefined) problems.push({ seed: of.seed, message });
    }
    return { runs, problems };
  }

  /** On how much lowered code was run, in words. */
  #programs(): string {
    const [first] = this.#planned ?? [];
    if (!first) return "";
    const { programs, grid } = first.reference.run;
    const launches = this.#launches.filter(({ lowered }) => lowered);
    return `${programs.length} of ${sizeOf(grid)} programs, ${this.#planned!.length} of ${launches.length} launches`;
  }

  get outcome(): Validation {
    return {
      kind: "validated",
      broken: this.#broken,
      runs: this.#runs,
      passes: this.#passes,
      coverage: this.#coverage,
      programs: this.#programs(),
      uncertain: this.#uncertain,
      onesided: this.#onesided,
      findings: this.#findings,
      notExecuted: [...this.#notExecuted.values()],
      undefinedAfter: this.#undefinedAfter,
      leftOut: this.#leftOut,
    };
  }

  #run(module: Operation, checks: Checks = {}): RunResult[] {
    return this.#launches.map(({ seed, args, run: { memory, programs, grid, steps } }) => {
      this.#runs++;
      const limits = { maxSteps: mostSteps(steps), ...this.options.limits };
      const expanded = expandedTo(this.#numArguments, args);
      const run = runModule(module, { ...this.options, args: expanded, seed, programs, grid, limits, within: memory, checks });
      this.#budget.spend(workOf(run));
      return run;
    });
  }
}

const OWN_ERRORS = "the source itself has errors";
const isError = ({ severity, kind }: Finding): boolean => severity === "error" && kind !== "not-modelled";
/** How many reshapes may reorder elements. */
function countReordering(module: Operation): number {
  let count = 0;
  module.walk((op) => {
    if (op.hasAttr("allow_reorder")) count++;
  });
  return count;
}

const sizeOf = ([x = 1, y = 1, z = 1]: readonly number[]): number => x * y * z;

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0);

/** Launches that together take no more units than `most`, in their order; where none does, the one that takes least. */
export function affordableOf<T extends { readonly run: Parameters<typeof workOf>[0]; readonly lowered: boolean }>(
  launches: readonly T[],
  most: number,
): readonly T[] {
  let left = most;
  const affordable = launches.filter(({ run }) => workOf(run) <= left && ((left -= workOf(run)), true));
  if (affordable.some(({ lowered }) => lowered)) return affordable;
  return launches
    .filter(({ lowered }) => lowered)
    .sort((a, b) => workOf(a.run) - workOf(b.run))
    .slice(0, 1);
}

/** `count` programs of a grid, or of those stated, from the first to the last. */
function spread(
  count: number,
  total: number,
  [x = 1, y = 1]: readonly number[],
  stated?: readonly (readonly number[])[],
): readonly (readonly number[])[] {
  return Array.from({ length: count }, (_, i) => {
    const at = Math.round((i * (total - 1)) / Math.max(count - 1, 1));
    return stated?.[at] ?? [at % x, Math.floor(at / x) % y, Math.floor(at / (x * y))];
  });
}

/** Whether there is a kernel here in TTIR or TTGIR; lowered code is executed elsewhere. */
export function isExecutable(module: Operation, kernel = kernelOf(module)): boolean {
  if (kernel?.name !== "tt.func") return false;
  if (!kernel.regions[0]!.firstBlock!.args.every(({ type }) => elementOfType(type) !== undefined || TensorDescType.is(type))) return false;
  return !kernel.walk((op) => (/^(?:llvm|nvvm)\./.test(op.name) && !RULES.has(op.def) ? "interrupt" : undefined));
}

/** In words, that a step holds another kernel than the source: they cannot be compared. */
export function otherKernel(source: Operation, module: Operation, pass: string): string | undefined {
  const [ours, theirs] = [source, module].map((of) => kernelOf(of));
  if (ours?.name !== "tt.func" || theirs?.name !== "tt.func") return undefined;
  if (symbolName(ours) === symbolName(theirs) && argumentCounts(ours).includes(argumentsOf(module).length)) return undefined;
  const text = (kernel: Operation) => `'${symbolName(kernel)}' with ${kernel.regions[0]!.firstBlock!.args.length} arguments`;
  return `different kernels cannot be compared: ${text(ours)} in the source, ${text(theirs)} after '${pass}'`;
}

const argumentsOf = (module: Operation) => kernelOf(module)!.regions[0]!.firstBlock!.args;

/** The first difference after a pass: a new finding, or a store. */
function changeOf(before: RunResult, after: RunResult, { ignore, bounds }: Launch): string | undefined {
  if (isStopped(before)) return undefined;
  const known = new Set(before.findings.map((f) => f.kind));
  const fresh = after.findings.find((f) => (f.severity === "error" || RACES.has(f.kind)) && !known.has(f.kind) && !ignore.has(f.kind));
  if (fresh) return `${fresh.kind}: ${fresh.message}${placeText(fresh.op)}`;
  const difference = compareRuns(before, after, { bounds });
  if (!difference) return undefined;
  return differenceText(difference) + placeText(difference.op);
}

const placeText = (op: Operation | undefined): string => (op ? ` (${printableLocation(op)})` : "");

function moduleOf(root: Operation): Operation {
  let at = root;
  while (at.parentOp) at = at.parentOp;
  return at;
}

/** The outcome as text: one line for each pass that broke something, then what was done. */
export function validationText({
  broken,
  runs,
  passes,
  coverage,
  programs,
  uncertain,
  onesided,
  findings,
  notExecuted,
  undefinedAfter,
  leftOut,
  endedEarly,
}: Validation): string {
  const ended = endedEarly ? `validate: interrupted: ${passes.length} of ${endedEarly.of} results of passes were executed\n` : "";
  if (runs === 0)
    return ended || "validate: nothing was executed: there is no kernel in TTIR or TTGIR whose arguments are pointers and numbers\n";
  const lines = broken.map(({ pass, seed, message, suspects = [pass] }) =>
    seed === undefined
      ? `validate: '${pass}' cannot be read: ${message}`
      : `validate: ${suspects.length > 1 ? "one of the passes" : "pass"} '${suspects.join("', '")}' changed the results: ${message} (seed ${seed})`,
  );
  for (const f of new Map(
    findings.filter((x) => x.severity === "error" || DEPENDENT.has(x.kind) || RACES.has(x.kind)).map((x) => [x.message, x]),
  ).values())
    lines.push(`validate: note: the kernel itself: ${f.kind}: ${f.message}${placeText(f.op)}`);
  if (undefinedAfter !== undefined)
    lines.push(`validate: note: the results differ after '${undefinedAfter}', where the kernel's own errors leave them open`);
  if (findings.some(isError))
    lines.push(
      `validate: note: state preconditions in args.json beside the input; ${passes.length > 0 ? "lowered code was not" : "no result of a pass was"} executed`,
    );
  else for (const { pass, reason } of notExecuted) lines.push(`validate: note: '${pass}' was not executed: ${reason}`);
  if (broken.length === 0 && passes.length > 0 && undefinedAfter === undefined)
    lines.push(`validate: same results after each of ${passes.length} passes that changed the IR (${runs} runs)`);
  const short = Object.entries(leftOut).flatMap(([what, { count, of }]) => (count > 0 ? [`${count} of ${of} ${what}`] : []));
  if (short.length > 0) lines.push(`validate: note: no time for ${short.join(", ")}; --seconds allows more, args.json smaller sizes`);
  for (const [op, count] of uncertain) lines.push(`validate: note: ${count} values of ${op} may be off by more than a tenth of their size`);
  if (onesided.masks.length > 0) lines.push(`validate: note: never off: the mask of ${listed(onesided.masks)}`);
  if (onesided.branches.length > 0) lines.push(`validate: note: one side never taken: ${listed(onesided.branches)}`);
  for (const [stage, covered] of coverage)
    lines.push(`validate: ${stage}: ${covered.unit === "instructions" ? `${programs}; ` : ""}${coverageText(covered)}`);
  return `${lines.join("\n")}\n${ended}`;
}
