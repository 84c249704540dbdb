/**
 * Benchmarks: `npm run bench [-- FILE...] [--python PYTHON]`. Every figure is a ratio against something measured in the
 * same run: libtriton's parser and printer (with a PYTHON that has Triton), an empty node process, or the same work on
 * a tenth of the input. Without FILEs a module of LLVM dialect is made from a fixture. FILEs named source.ttir are compiled
 * (see passes.ts and whole-process.ts); without any, those of fixtures/kernels. `--tui [FILE@cuda:75 ...]` measures the terminal UI alone,
 * `--web` the playground.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFile } from "../cli/node-io.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { verifyOperation } from "../ir/verify.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";
import { reportFrontEnd } from "./frontend.js";
import { reportLayouts } from "./layout.js";
import { LIBTRITON_BENCH } from "./libtriton.js";
import { BENCH, jobOf, reportPasses, reportUnrolled, timePasses } from "./passes.js";
import { reportSimulation } from "./simulate.js";
import { reportStartUp } from "./start-up.js";
import { reportTrace } from "./trace.js";
import { reportTui, reportTuiMemory } from "./tui.js";
import { reportPlayground } from "./web.js";
import { reportWholeProcess } from "./whole-process.js";

const KERNELS = ["matmul", "flash_attention", "layernorm", "softmax", "vecadd"];

/** Set once by `run`. */
let python: string | undefined;
let scratch = "";

interface Times {
  /** Milliseconds. */
  readonly parse: number;
  readonly print: number;
}
const ms = (body: () => void): number => {
  const start = performance.now();
  body();
  return performance.now() - start;
};
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;
const rate = (bytes: number, time: number): string => `${(bytes / 1e3 / time).toFixed(1).padStart(7)} MB/s`;

/** Parses (with locations and verifier) and prints once. */
function once(text: string): Times {
  const ctx = new Context(ALL_DIALECTS);
  let module: Operation | undefined;
  const parse = ms(() => {
    module = parseModule(ctx, "bench.mlir", text)?.module;
    if (!module || !verifyOperation(module)) throw new Error(ctx.diagnostics[0]?.message ?? "does not parse");
  });
  const print = ms(() => void printOperation(module!));
  return { parse, print };
}

function warm(text: string, runs: number): Times {
  for (let i = 0; i < 3; i++) once(text);
  const times = Array.from({ length: runs }, () => once(text));
  return { parse: median(times.map((t) => t.parse)), print: median(times.map((t) => t.print)) };
}
/** The first run of a process, which is what the user of a command feels. */
function cold(file: string): Times {
  const runs = Array.from({ length: 3 }, () => {
    // As installed: started from V8's compiled code.
    const child = spawnSync(process.execPath, [BENCH, "--once", file], { encoding: "utf8" });
    return JSON.parse(child.stdout) as Times;
  });
  return { parse: median(runs.map((t) => t.parse)), print: median(runs.map((t) => t.print)) };
}
function libtriton(file: string): Times | undefined {
  if (!python) return undefined;
  const child = spawnSync(python, ["-c", LIBTRITON_BENCH, file], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`libtriton: ${child.stderr}`);
  return JSON.parse(child.stdout) as Times;
}

function reportFile(file: string, name: string): void {
  const text = readFileSync(file, "latin1");
  const bytes = text.length;
  const reference = libtriton(file);
  const rows: [string, Times][] = [
    ["cold", cold(file)],
    ["warm", warm(text, bytes > 1e7 ? 3 : 7)],
  ];
  process.stdout.write(`\n${name} (${(bytes / 1e6).toFixed(1)} MB), with locations and verifier\n`);
  if (reference) process.stdout.write(`  libtriton  parse ${rate(bytes, reference.parse)}   print ${rate(bytes, reference.print)}\n`);
  for (const [label, times] of rows) {
    const ratio = (key: keyof Times) => (reference ? `  ${(times[key] / reference[key]).toFixed(2)}x its time` : "");
    process.stdout.write(
      `  ${label.padEnd(9)}  parse ${rate(bytes, times.parse)}${ratio("parse")}   print ${rate(bytes, times.print)}${ratio("print")}\n`,
    );
  }
}

/** The input with its functions repeated `times` under other names. */
function repeated(text: string, times: number): string {
  const start = text.indexOf("\n", text.indexOf("module")) + 1;
  const end = text.lastIndexOf("}");
  const body = text.slice(start, end);
  let out = text.slice(0, start);
  for (let i = 0; i < times; i++) out += body.replace(/@([A-Za-z_]\w*)/g, `@$1_${i}`);
  return out + text.slice(end);
}

function reportScaling(text: string): void {
  const [one, ten] = [warm(repeated(text, 20), 9), warm(repeated(text, 200), 5)];
  process.stdout.write(
    `\n10 times the IR takes ${(ten.parse / one.parse).toFixed(1)} times to parse, ${(ten.print / one.print).toFixed(1)} times to print\n`,
  );
}

/** Started by scripts/bench.cjs. */
export async function run(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  const args = [...argv];
  // Node reads these certificates at each start, whatever it runs: 37 ms of the 60 that an empty process then takes.
  delete process.env["NODE_EXTRA_CA_CERTS"];
  if (args[0] === "--once") {
    process.stdout.write(JSON.stringify(once(readFile(args[1]!))));
    return;
  }
  if (args[0] === "--passes") {
    process.stdout.write(timePasses(args[1]!));
    return;
  }
  if (args[0] === "--web") return reportPlayground();
  if (args[0] === "--tui")
    return withScratch(() => (args.length > 1 ? reportTuiMemory(args.slice(1)) : reportTui(lowered(), repeated, scratch)));
  const pythonAt = args.indexOf("--python");
  python = pythonAt < 0 ? undefined : args.splice(pythonAt, 2)[1];
  const sources = args.filter((file) => file.endsWith("source.ttir"));
  if (args[0] === "--front-end") return reportFrontEnd(python);
  return withScratch(async () => (sources.length > 0 ? reportCompilation(sources) : reportAll(args)));
}
/** Whole processes are those of NVIDIA's: to PTX. */
function reportCompilation(sources: readonly string[], target = "cuda:80"): void {
  const jobs = sources.map((file) => jobOf(file, target));
  reportPasses(jobs, python, scratch);
  const nvidia = jobs.filter((job) => job.target.startsWith("cuda:"));
  if (nvidia.length > 0) reportWholeProcess(nvidia, python, scratch);
}
const lowered = (): string => readFileSync("fixtures/bench/lowered.mlir", "latin1");
async function withScratch(body: () => Promise<void>): Promise<void> {
  scratch = mkdtempSync(join(tmpdir(), "tt-step-bench-"));
  try {
    await body();
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

async function reportAll(args: readonly string[]): Promise<void> {
  const fixture = lowered();
  const files = args.length > 0 ? args : [join(scratch, "repeated.mlir")];
  if (args.length === 0) writeFileSync(files[0]!, repeated(fixture, Math.ceil(5e6 / fixture.length)), "latin1");
  for (const file of files) reportFile(file, args.length > 0 ? file : "a fixture's functions repeated");
  reportScaling(fixture);
  reportStartUp(python, scratch);
  reportTrace(fixture, repeated);
  reportLayouts(python);
  reportSimulation();
  for (const target of ["cuda:80", "hip:gfx942"])
    reportCompilation(
      KERNELS.map((name) => `fixtures/kernels/${name}.ttir`),
      target,
    );
  reportUnrolled();
  await reportFrontEnd(python);
  await reportTui(fixture, repeated, scratch);
  reportPlayground();
}
