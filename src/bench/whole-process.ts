/**
 * The whole process: `tt-step kernel.ttir --emit ptx -o FILE` beside a Python that has triton.compile make the same file, with an
 * empty cache. Triton goes on to the cubin. The two run in turn; ratios are those of sums of medians, of elapsed time and of processor
 * time (all threads).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { childrenClock } from "./clock.js";
import { TRITON_COMPILE } from "./libtriton.js";
import { type Job, stageFile } from "./passes.js";

const FEW_FILES = 10;

/** Prints the figures; `python` is one that has Triton. */
export function reportWholeProcess(jobs: readonly Job[], python: string | undefined, scratch: string): void {
  const runs = jobs.length > FEW_FILES ? 3 : 7;
  const ours = { wall: 0, cpu: 0 };
  const theirs = { wall: 0, cpu: 0 };
  for (const job of jobs) {
    const { target, numWarps, numStages } = job;
    const file = stageFile(job, "ttir", scratch);
    const settings = ["--target", target, "--num-warps", String(numWarps), "--num-stages", String(numStages)];
    const mine: Times[] = [];
    const reference: Times[] = [];
    for (let i = 0; i < runs; i++) {
      mine.push(time(process.execPath, ["bin/tt-step.js", file, ...settings, "--emit", "ptx", "-o", join(scratch, "x.ptx")], scratch));
      if (python !== undefined)
        reference.push(time(python, ["-c", TRITON_COMPILE, file, target, String(numWarps), String(numStages)], scratch));
    }
    for (const key of ["wall", "cpu"] as const) {
      ours[key] += median(mine.map((t) => t[key]));
      if (python !== undefined) theirs[key] += median(reference.map((t) => t[key]));
    }
  }
  process.stdout.write(`\nWhole process: kernel.ttir to PTX, ${jobs.length} files\n`);
  for (const [key, name] of [
    ["wall", "elapsed"],
    ["cpu", "processor"],
  ] as const) {
    const ratio = python === undefined ? "" : `   triton.compile ${theirs[key].toFixed(0)} ms (${(ours[key] / theirs[key]).toFixed(2)}x)`;
    process.stdout.write(`  ${name.padEnd(10)} tt-step ${ours[key].toFixed(0)} ms${ratio}\n`);
  }
}

/** Milliseconds. */
interface Times {
  readonly wall: number;
  readonly cpu: number;
}
function time(command: string, argv: readonly string[], scratch: string): Times {
  const cache = mkdtempSync(join(scratch, "cache-"));
  const cpu = childrenClock();
  const wall = performance.now();
  const { status, stderr } = spawnSync(command, argv, { encoding: "utf8", env: { ...process.env, TRITON_CACHE_DIR: cache } });
  const times = { wall: performance.now() - wall, cpu: childrenClock() - cpu };
  rmSync(cache, { recursive: true });
  if (status !== 0) throw new Error(`${command} ${argv.join(" ")}: ${stderr}`);
  return times;
}
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;
