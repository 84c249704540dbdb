/**
 * Benchmarks of the Trace: how soon the first pass starts, what large logs cost in time and memory. The input is made
 * from fixtures: their lowered functions repeated to 29 MB, their log repeated to 200 passes.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { importDumpLog } from "../compile/import/import-dump.js";
import type { Trace } from "../compile/trace.js";
import { align } from "../diff/align.js";
import { unified } from "../diff/hunks.js";

const LARGE = 29e6;
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

/** Prints the figures. `lowered` is LLVM dialect whose functions can be repeated by `repeat`. */
export function reportTrace(lowered: string, repeat: (text: string, times: number) => string): void {
  process.stdout.write("\nTrace\n");
  reportFirstPass();
  reportLargeSteps(repeat(lowered, Math.ceil(LARGE / lowered.length)));
  reportManyPasses();
}

function reportFirstPass(): void {
  const time = (argv: readonly string[]): number => {
    const start = performance.now();
    spawnSync(process.execPath, argv, { stdio: "ignore" });
    return performance.now() - start;
  };
  const empty: number[] = [];
  const ours: number[] = [];
  for (let i = 0; i < 21; i++) {
    empty.push(time(["-e", "0"]));
    ours.push(time(["bin/tt-step.js", "fixtures/kernels/matmul.ttir", "--stop-after", "0"]));
  }
  process.stdout.write(
    `  tt-step up to the first pass: ${(median(ours) / median(empty)).toFixed(2)} times an empty node process (budget 2)\n`,
  );
}

const header = (pass: string): string => `// -----// IR Dump Before ${pass} (${pass}) ('builtin.module' operation) //----- //\n`;

function reportLargeSteps(text: string): void {
  // The second text has one more op in front: all values after it are renumbered.
  const renumbered = text.replace(/%(\d+)\b/g, (_, n: string) => `%${Number(n) + 1}`);
  const log = `${header("one")}${text}\n${header("two")}${renumbered}\n${header("three")}${renumbered}\n`;
  const before = heap();
  let start = performance.now();
  const trace = imported(log);
  const importing = performance.now() - start;
  start = performance.now();
  const [a, b] = [trace.steps[0]!, trace.steps[1]!];
  const alignment = align(trace.lines, a.text, b.text, [b.origins]);
  const out = unified({ lines: trace.lines, before: a.text, after: b.text }, alignment);
  const diff = performance.now() - start;
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  process.stdout.write(
    `  two steps of ${(text.length / 1e6).toFixed(0)} MB: ${seconds(importing)} to import, ${seconds(diff)} to diff (budget 2; ${out.length} characters)\n`,
  );
  reportMemory("  their Trace", trace, before, text.length + renumbered.length);
}

/** A log of 200 passes, each of which changes something. */
function reportManyPasses(): void {
  const log = readFileSync("fixtures/dumps/3.6.0-softmax.log", "latin1");
  const modules = log.split(/^\/\/ -----\/\/.*\n/m).slice(1);
  let text = "";
  for (let i = 0; i < 200; i++) text += header(`pass-${i}`) + modules[i % modules.length]!;
  const before = heap();
  const start = performance.now();
  const trace = imported(text);
  const ms = performance.now() - start;
  const lines = trace.lines.all().lines.reduce((n, line) => n + line.length, 0);
  process.stdout.write(`  a log of 200 passes (${(text.length / 1e6).toFixed(1)} MB): ${ms.toFixed(0)} ms to import\n`);
  reportMemory("  its Trace", trace, before, lines);
}

function imported(log: string): Trace {
  const trace = importDumpLog("log", log);
  if ("error" in trace) throw new Error(trace.error);
  return trace;
}

function reportMemory(name: string, trace: Trace, before: number, distinct: number): void {
  const kept = heap() - before;
  process.stdout.write(
    `${name} keeps ${(kept / 1e6).toFixed(1)} MB, ${(kept / distinct).toFixed(2)} times its distinct lines (budget 3; ${trace.steps.length} steps)\n`,
  );
}
/** Bytes in use after a collection. */
function heap(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
