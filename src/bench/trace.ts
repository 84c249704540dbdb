/**
 * Benchmarks of the Trace: how soon the first pass starts, what large logs cost in time and memory. The input is made
 * from a fixture: its lowered functions repeated to 29 MB, and to a log of 200 passes.
 */
import { spawnSync } from "node:child_process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { align } from "../diff/align.js";
import { unified } from "../diff/hunks.js";
import { importDumpLog } from "../trace/import/import-dump.js";
import type { Trace } from "../trace/trace.js";

const LARGE = 29e6;
const MEDIUM = 1e5;
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

/** Prints the figures. `lowered` is LLVM dialect whose functions can be repeated by `repeat`. */
export function reportTrace(lowered: string, repeat: (text: string, times: number) => string): void {
  process.stdout.write("\nTrace\n");
  reportFirstPass();
  reportLargeSteps(repeat(lowered, Math.ceil(LARGE / lowered.length)));
  reportManyPasses(repeat(lowered, Math.ceil(MEDIUM / lowered.length)));
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
  const before = heap();
  const { trace, ms } = timedImport(() => {
    // The second text is numbered anew.
    const renumbered = shifted(text, 1);
    return `${header("one")}${text}\n${header("two")}${renumbered}\n${header("three")}${renumbered}\n`;
  });
  const kept = heap() - before;
  const start = performance.now();
  const [a, b] = [trace.steps[0]!, trace.steps[1]!];
  const out = unified({ lines: trace.lines, before: a.text, after: b.text }, align(trace.lines, a.text, b.text, [b.origins]).rows);
  const diff = performance.now() - start;
  if (out !== "") throw new Error("renumbered values are no difference");
  const seconds = (time: number) => `${(time / 1000).toFixed(2)} s`;
  process.stdout.write(
    `  two steps of ${(text.length / 1e6).toFixed(0)} MB: ${seconds(ms)} to import, ${seconds(diff)} to diff (budget 2)${memory(kept, 2 * text.length)}\n`,
  );
}

/** A log of 200 passes, of which every tenth changes something. */
function reportManyPasses(text: string): void {
  const before = heap();
  const { trace, ms, size } = timedImport(() => {
    let log = "";
    for (let i = 0; i < 200; i++) log += `${header(`pass-${i}`)}${shifted(text, Math.floor(i / 10))}\n`;
    return log;
  });
  const kept = heap() - before;
  const distinct = trace.lines.all().lines.reduce((n, line) => n + line.length, 0);
  process.stdout.write(`  a log of 200 passes (${(size / 1e6).toFixed(0)} MB): ${ms.toFixed(0)} ms to import${memory(kept, distinct)}\n`);
}

const shifted = (text: string, by: number): string => text.replace(/%(\d+)\b/g, (_, n: string) => `%${Number(n) + by}`);
const memory = (kept: number, distinct: number): string =>
  `; the Trace keeps ${(kept / 1e6).toFixed(1)} MB, ${(kept / distinct).toFixed(2)} times its distinct lines (budget 3)`;

/** Imports a log that nothing else holds on to. */
function timedImport(make: () => string): { readonly trace: Trace; readonly ms: number; readonly size: number } {
  const log = make();
  const start = performance.now();
  const trace = imported(log);
  return { trace, ms: performance.now() - start, size: log.length };
}
function imported(log: string): Trace {
  const trace = importDumpLog("log", log);
  if ("error" in trace) throw new Error(trace.error);
  return trace;
}

/** Bytes in use after a collection. */
function heap(): number {
  setFlagsFromString("--expose-gc");
  // The engine holds on to the subject of the last match.
  /a/.exec("a");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
