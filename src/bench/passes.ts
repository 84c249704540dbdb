/**
 * From source.ttir to the final TTGIR beside libtriton: its `make_ttir` and `make_ttgir` on the same files, with its verifier; ours
 * as tt-step runs it (verifier after each pass, ids and remarks recorded), with and without the text of every step, and as --emit
 * runs it. Then from TTGIR to PTX, beside `make_llir` and `make_ptx`, recorded likewise, and as --emit runs it; for AMD to the LLVM
 * IR that LLVM optimizes. A process for each target; every file is compiled 40 times. Cold is the first time, warm the median of the
 * 21st to the 40th. Times are those of the thread.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { defaultOptions } from "../backend/targets.js";
import { artifactsOf } from "../backend/translate.js";
import { type CompileOptions, compile, pipelineOf } from "../compile/compile.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { assembles } from "../gpu/gpu.js";
import { Context } from "../ir/context.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";
import { threadClock } from "./clock.js";
import { LIBTRITON_LOWERING, LIBTRITON_PASSES } from "./libtriton.js";

const RUNS = 40;
const WARM_FROM = 20;

export interface Job {
  readonly file: string;
  /** `cuda:80`, `hip:gfx942`. */
  readonly target: string;
  readonly numWarps: number;
  readonly numStages: number;
}
/** Milliseconds: the first run, and the median of the warm ones. */
interface Timing {
  readonly cold: number;
  readonly warm: number;
}

/** The part of the compilation that runs, and the outputs that are kept. */
type Mode = "passes" | "passes, texts" | "passes, no steps" | "lowering" | "lowering, no steps" | "all";

/** The times of one process's jobs, as JSON: `bench --passes JOBS`. */
export function timePasses(jobs: string): string {
  const { list, mode } = JSON.parse(jobs) as { readonly list: readonly Job[]; readonly mode: Mode };
  return JSON.stringify(list.map((job) => timeJob(readFileSync(job.file, "latin1"), job, mode)));
}

function settingsOf({ target, numWarps, numStages }: Job): CompileOptions {
  const options = { ...defaultOptions(target), numWarps, numStages };
  return { target, options, clock: () => performance.now() };
}
/** The text at the end of what is compiled here. */
const lastText = (target: string): "ptx" | "llir" => assembles(target);
/** How many passes come before the lowering. */
const passesToTtgir = (options: CompileOptions): number =>
  pipelineOf(options).filter(({ stage }) => stage === "ttir" || stage === "ttgir").length;

function timeJob(text: string, job: Job, mode: Mode, runs = RUNS): Timing {
  const settings = settingsOf(job);
  const toTtgir = passesToTtgir(settings);
  const range = mode.startsWith("passes") ? { stopAfter: toTtgir } : mode === "all" ? {} : { startAfter: toTtgir };
  const options: CompileOptions = {
    ...settings,
    ...range,
    texts: mode === "passes, texts",
    steps: !mode.endsWith("no steps"),
    artifacts: mode.startsWith("passes") ? [] : [lastText(job.target)],
    translate: artifactsOf,
  };
  const times = Array.from({ length: runs }, () => {
    const module = parseModule(new Context(ALL_DIALECTS), job.file, text)!.module!;
    const start = threadClock();
    const { ok, trace } = compile(job.file, module, options);
    const time = threadClock() - start;
    if (!ok || (options.artifacts!.length > 0 && trace.artifacts[lastText(job.target)] === undefined))
      throw new Error(`${job.file} does not compile`);
    return time;
  });
  return { cold: times[0]!, warm: median(times.slice(Math.min(WARM_FROM, runs - 1))) };
}

/**
 * Prints the figures of the given files; where a case.json is beside one, its architecture, warps and stages are taken, and the
 * kernel.ttgir there is what is lowered. `scratch` is a folder for those that are made here.
 */
export function reportPasses(jobs: readonly Job[], python: string | undefined, scratch: string): void {
  report(`Passes: source.ttir to the final TTGIR, ${jobs.length} files, sums in ms`, jobs, python, LIBTRITON_PASSES, [
    ["tt-step", "passes"],
    ["tt-step, with texts", "passes, texts"],
    ["tt-step --emit", "passes, no steps"],
  ]);
  const lowered = jobs.map((job) => ({ ...job, file: stageFile(job, "ttgir", scratch) }));
  report(`Lowering: TTGIR to PTX (AMD: LLVM IR), ${jobs.length} files, sums in ms`, lowered, python, LIBTRITON_LOWERING, [
    ["tt-step", "lowering"],
    ["tt-step --emit", "lowering, no steps"],
  ]);
}

function report(
  title: string,
  jobs: readonly Job[],
  python: string | undefined,
  program: string,
  rows: readonly (readonly [name: string, mode: Mode])[],
): void {
  const byTarget = new Map<string, Job[]>();
  for (const job of jobs) byTarget.set(job.target, [...(byTarget.get(job.target) ?? []), job]);
  const reference = python === undefined ? undefined : totals(byTarget, (list) => libtriton(list, python, program));
  process.stdout.write(`\n${title}\n`);
  if (reference)
    process.stdout.write(`  ${"libtriton".padEnd(20)} cold ${reference.cold.toFixed(0)}   warm ${reference.warm.toFixed(0)}\n`);
  for (const [name, mode] of rows) {
    const { cold, warm } = totals(byTarget, (list) => ours(list, mode));
    const ratio = (time: number, other: number | undefined) => (other === undefined ? "" : ` (${(time / other).toFixed(2)}x)`);
    process.stdout.write(
      `  ${name.padEnd(20)} cold ${cold.toFixed(0)}${ratio(cold, reference?.cold)}   warm ${warm.toFixed(0)}${ratio(warm, reference?.warm)}\n`,
    );
  }
}

/** The text at the end of a stage: Triton's own, which lies beside a case; else made here. */
export function stageFile(job: Job, stage: "ttir" | "ttgir", scratch: string): string {
  const beside = join(dirname(job.file), `kernel.${stage}`);
  if (existsSync(beside)) return beside;
  const settings = settingsOf(job);
  const module = parseModule(new Context(ALL_DIALECTS), job.file, readFileSync(job.file, "latin1"))!.module!;
  const stopAfter = stage === "ttgir" ? passesToTtgir(settings) : pipelineOf(settings).filter((step) => step.stage === "ttir").length;
  compile(job.file, module, { ...settings, stopAfter, texts: false });
  const made = join(mkdtempSync(join(scratch, "made-")), basename(job.file));
  writeFileSync(made, printOperation(module), "latin1");
  return made;
}

/** A file with what a case.json beside it says, else for a target. */
export function jobOf(file: string, target: string): Job {
  const about = join(dirname(file), "case.json");
  if (!existsSync(about)) return { file, target, numWarps: 4, numStages: target.startsWith("cuda:") ? 3 : 2 };
  const { arch, spec } = JSON.parse(readFileSync(about, "utf8")) as {
    readonly arch: number | string;
    readonly spec: { readonly num_warps: number; readonly num_stages: number };
  };
  return { file, target: typeof arch === "number" ? `cuda:${arch}` : `hip:${arch}`, numWarps: spec.num_warps, numStages: spec.num_stages };
}

function totals(byTarget: ReadonlyMap<string, readonly Job[]>, measure: (jobs: readonly Job[]) => readonly Timing[]): Timing {
  const all = [...byTarget.values()].flatMap((jobs) => [...measure(jobs)]);
  const sum = (key: keyof Timing) => all.reduce((total, timing) => total + timing[key], 0);
  return { cold: sum("cold"), warm: sum("warm") };
}
/** Starts the benchmarks' own bundle. */
export const BENCH = "scripts/bench.cjs";

function ours(list: readonly Job[], mode: Mode): readonly Timing[] {
  return answerOf(process.execPath, [BENCH, "--passes", JSON.stringify({ list, mode })]);
}
function libtriton(list: readonly Job[], python: string, program: string): readonly Timing[] {
  return answerOf(python, ["-c", program, JSON.stringify({ list, target: list[0]!.target, runs: RUNS, warmFrom: WARM_FROM })]);
}
function answerOf(command: string, argv: readonly string[]): readonly Timing[] {
  const child = spawnSync(command, argv, { encoding: "utf8", maxBuffer: 1 << 26 });
  if (child.status !== 0) throw new Error(`${command}: ${child.stderr}`);
  return JSON.parse(child.stdout) as readonly Timing[];
}

/** A kernel with a body repeated 10 and 100 times: the time must grow like n log n, up to TTGIR and up to PTX. */
export function reportUnrolled(): void {
  const job = { file: "unrolled", target: "cuda:80", numWarps: 4, numStages: 3 };
  process.stdout.write("\nA kernel 10 and 100 times as long\n");
  for (const mode of ["passes", "all"] as const) {
    const [one, ten, hundred] = [4, 40, 400].map((times) => timeJob(unrolled(times), job, mode, times > 100 ? 3 : 9).warm) as [
      number,
      number,
      number,
    ];
    process.stdout.write(
      `  to ${mode === "all" ? "PTX" : "TTGIR"}: ${(ten / one).toFixed(1)} and ${(hundred / one).toFixed(1)} times the time of ${one.toFixed(0)} ms\n`,
    );
  }
}

/** Loads, arithmetic, a reduction and a store, `times` times over. */
function unrolled(times: number): string {
  let body = "";
  for (let i = 0; i < times; i++)
    body += `
    %k${i} = arith.constant ${i * 256} : i32
    %s${i} = tt.splat %k${i} : i32 -> tensor<256xi32>
    %o${i} = arith.addi %range, %s${i} : tensor<256xi32>
    %m${i} = arith.cmpi slt, %o${i}, %limit : tensor<256xi32>
    %a${i} = tt.addptr %base, %o${i} : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %v${i} = tt.load %a${i}, %m${i} : tensor<256x!tt.ptr<f32>>
    %w${i} = arith.mulf %v${i}, %v${i} : tensor<256xf32>
    %r${i} = "tt.reduce"(%w${i}) <{axis = 0 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<256xf32>) -> f32
    %t${i} = tt.splat %r${i} : f32 -> tensor<256xf32>
    %d${i} = arith.divf %w${i}, %t${i} : tensor<256xf32>
    tt.store %a${i}, %d${i}, %m${i} : tensor<256x!tt.ptr<f32>>`;
  return `module {
  tt.func public @unrolled(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %limit = tt.splat %n : i32 -> tensor<256xi32>
    %base = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>${body}
    tt.return
  }
}
`;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;
