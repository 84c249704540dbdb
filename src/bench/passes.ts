/**
 * From source.ttir to the final TTGIR beside libtriton: its `make_ttir` and `make_ttgir` on the same files, with its verifier; ours
 * as tt-step runs it (verifier after each pass, ids and remarks recorded), with and without the text of every step. A process
 * for each architecture; every file is compiled 15 times. Cold is the first time, warm the median of the 6th to the 15th.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { compile, pipelineOf } from "../compile/compile.js";
import { defaultOptions } from "../compile/options.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { parseModule } from "../syntax/parse.js";
import { LIBTRITON_PASSES } from "./libtriton.js";

const RUNS = 15;
const WARM_FROM = 5;

interface Job {
  readonly file: string;
  readonly arch: number;
  readonly numWarps: number;
  readonly numStages: number;
}
/** Milliseconds: the first run, and the median of the warm ones. */
interface Timing {
  readonly cold: number;
  readonly warm: number;
}

/** The times of one process's jobs, as JSON: `bench --passes JOBS`. */
export function timePasses(jobs: string): string {
  const { list, texts } = JSON.parse(jobs) as { readonly list: readonly Job[]; readonly texts: boolean };
  return JSON.stringify(list.map((job) => timeJob(readFileSync(job.file, "latin1"), job, texts)));
}

function timeJob(text: string, job: Job, texts: boolean, runs = RUNS): Timing {
  const times = Array.from({ length: runs }, () => {
    const module = parseModule(new Context(ALL_DIALECTS), job.file, text)!.module!;
    const { arch: capability, numWarps, numStages } = job;
    const options = { capability, options: { ...defaultOptions(capability), numWarps, numStages } };
    const stopAfter = pipelineOf(options).filter(({ stage }) => stage === "ttir" || stage === "ttgir").length;
    const start = performance.now();
    const { ok } = compile(job.file, module, { ...options, stopAfter, texts, remarks: true, clock: () => performance.now() });
    const time = performance.now() - start;
    if (!ok) throw new Error(`${job.file} does not compile`);
    return time;
  });
  return { cold: times[0]!, warm: median(times.slice(Math.min(WARM_FROM, runs - 1))) };
}

/** Prints the figures of the given files; where a case.json is beside one, its architecture, warps and stages are taken. */
export function reportPasses(files: readonly string[], python: string | undefined): void {
  const byArch = new Map<number, Job[]>();
  for (const job of files.map(jobOf)) byArch.set(job.arch, [...(byArch.get(job.arch) ?? []), job]);
  const rows: readonly [string, (jobs: readonly Job[]) => readonly Timing[]][] = [
    ["tt-step", (jobs) => ours(jobs, false)],
    ["tt-step, with texts", (jobs) => ours(jobs, true)],
  ];
  const reference = python === undefined ? undefined : totals(byArch, (jobs) => libtriton(jobs, python));
  process.stdout.write(`\nPasses: source.ttir to the final TTGIR, ${files.length} files, sums in ms\n`);
  if (reference)
    process.stdout.write(`  ${"libtriton".padEnd(20)} cold ${reference.cold.toFixed(0)}   warm ${reference.warm.toFixed(0)}\n`);
  for (const [name, measure] of rows) {
    const { cold, warm } = totals(byArch, measure);
    const ratio = (time: number, other: number | undefined) => (other === undefined ? "" : ` (${(time / other).toFixed(2)}x)`);
    process.stdout.write(
      `  ${name.padEnd(20)} cold ${cold.toFixed(0)}${ratio(cold, reference?.cold)}   warm ${warm.toFixed(0)}${ratio(warm, reference?.warm)}\n`,
    );
  }
  reportUnrolled();
}

function jobOf(file: string): Job {
  const about = join(dirname(file), "case.json");
  if (!existsSync(about)) return { file, arch: 80, numWarps: 4, numStages: 3 };
  const { arch, spec } = JSON.parse(readFileSync(about, "utf8")) as {
    readonly arch: number;
    readonly spec: { readonly num_warps: number; readonly num_stages: number };
  };
  return { file, arch, numWarps: spec.num_warps, numStages: spec.num_stages };
}

function totals(byArch: ReadonlyMap<number, readonly Job[]>, measure: (jobs: readonly Job[]) => readonly Timing[]): Timing {
  const all = [...byArch.values()].flatMap((jobs) => [...measure(jobs)]);
  const sum = (key: keyof Timing) => all.reduce((total, timing) => total + timing[key], 0);
  return { cold: sum("cold"), warm: sum("warm") };
}
function ours(list: readonly Job[], texts: boolean): readonly Timing[] {
  const argv = ["dist/launch.cjs", "bench", "--passes", JSON.stringify({ list, texts })];
  return answerOf(process.execPath, argv);
}
function libtriton(list: readonly Job[], python: string): readonly Timing[] {
  return answerOf(python, ["-c", LIBTRITON_PASSES, JSON.stringify({ list, runs: RUNS, warmFrom: WARM_FROM })]);
}
function answerOf(command: string, argv: readonly string[]): readonly Timing[] {
  const child = spawnSync(command, argv, { encoding: "utf8", maxBuffer: 1 << 26 });
  if (child.status !== 0) throw new Error(`${command}: ${child.stderr}`);
  return JSON.parse(child.stdout) as readonly Timing[];
}

/** A kernel with a body repeated 10 and 100 times: the time must grow like n log n. */
function reportUnrolled(): void {
  const job = { file: "unrolled", arch: 80, numWarps: 4, numStages: 3 };
  const [one, ten, hundred] = [4, 40, 400].map((times) => timeJob(unrolled(times), job, false, times > 100 ? 3 : 9).warm) as [
    number,
    number,
    number,
  ];
  process.stdout.write(
    `  a kernel 10 times as long takes ${(ten / one).toFixed(1)} times, 100 times as long ${(hundred / one).toFixed(1)} times\n`,
  );
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
