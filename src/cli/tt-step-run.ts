/** `tt-step run INPUT`: executes a stage of a kernel on the CPU. */

import { renderDiagnostic } from "../diagnostics/render.js";
import { kernelOf } from "../dialects/builtin/function-op.js";
import type { Operation } from "../ir/operation.js";
import { settingsOf } from "../library/pipeline.js";
import { fileError } from "../node/files.js";
import { coverageText, instructionCoverage } from "../simulate/coverage.js";
import { sharedBytesOf, translateToPtx } from "../simulate/llvm/translate.js";
import { bytesOf, readElement } from "../simulate/numbers/element.js";
import { type PtxRun, runningPtx } from "../simulate/ptx/run.js";
import { isExecutable } from "../simulate/validate.js";
import { EXIT, type Io, watched } from "./io.js";
import { type LaunchFile, type NamedArgument, readLaunchFile } from "./launch-file.js";
import { writeNpy } from "./npy.js";
import { TT_STEP } from "./options/step.js";
import { NOTHING_STATED, preconditionsBeside, preconditionsText } from "./preconditions-file.js";
import { programProblem, type SimulationArgs } from "./simulation-args.js";
import { launchedArguments, madeUpArguments, madeUpText, type ThreadCode } from "./thread-arguments.js";
import { type LineOf, stepArgs, type TtStepArgs, withoutEffect } from "./tt-step-args.js";
import { readInput } from "./tt-step-input.js";
import { runIr } from "./tt-step-run-ir.js";
import { noteUseless } from "./useless-options.js";

type Triple = readonly [number, number, number];

interface RunArgs {
  readonly input: string;
  readonly launch: LaunchFile | undefined;
  readonly out: string | undefined;
  readonly kernel: string | undefined;
  readonly signature: readonly string[] | undefined;
  readonly simulation: SimulationArgs;
  readonly shared: number | undefined;
  readonly facts: boolean;
  readonly checks: boolean;
  readonly python: TtStepArgs;
}

export async function runCommand(line: LineOf<"run">, io: Io): Promise<number> {
  const args = runArgs(line, io);
  if ("error" in args) return usage(io, args.error);
  let text: string;
  try {
    text = io.readFile(args.input);
  } catch (error) {
    return usage(io, `cannot read '${args.input}': ${fileError(error)}`);
  }
  if (isPtx(text)) {
    const unused = withoutEffect({ kind: "imported" }, args.input, args.python, ["kernel", "signature"]);
    return unused === undefined
      ? runPtxInput({ text, kernel: args.kernel, shared: args.shared, source: undefined }, args, io)
      : usage(io, unused);
  }
  return runIrInput(args, io);
}

function usage(io: Io, message: string): number {
  io.stderr.write(`tt-step run: ${message}\n`);
  return EXIT.badInput;
}

const isPtx = (text: string): boolean =>
  /^\s*\.version\s+\d/m.test(text.slice(0, 1 << 16)) && /^\s*\.target\s+sm_/m.test(text.slice(0, 1 << 16));

// Arguments of the command.

function runArgs({ words, values, written }: LineOf<"run">, io: Io): RunArgs | { readonly error: string } {
  const [input] = words;
  if (input === undefined || words.length > 1) return { error: "expects one input. Try: tt-step run --help" };
  const { launch: launchPath, out, kernel, shared, facts, checks, seed } = values;
  const python = stepArgs({ ...values, seed: written.has("seed") ? [seed] : [] }, written, input, (name) => ["run", name]);
  if ("error" in python) return python;
  let launch: LaunchFile | undefined;
  if (launchPath !== undefined) {
    const file = readLaunchFile(launchPath, io);
    if ("error" in file) return file;
    if (values.arg.length > 0) return { error: "--arg and --launch exclude each other" };
    launch = file;
  }
  const signature = values.signature?.split(",").map((s) => s.trim());
  return { input, launch, out, kernel, signature, simulation: python.simulation, shared, facts, checks, python };
}

// TTIR, TTGIR and the LLVM dialect.

function isLowered(module: Operation): boolean {
  for (const op of module.regions[0]?.firstBlock?.ops() ?? []) if (op.name === "llvm.func") return true;
  return false;
}

async function runIrInput(args: RunArgs, io: Io): Promise<number> {
  const input = readInput(args.input, io, { ...args.python, debugInfo: false });
  if (input.kind === "error") {
    if (input.rendered !== undefined) io.stderr.write(input.rendered);
    return input.message === undefined ? EXIT.badInput : usage(io, input.message);
  }
  const lowers = input.kind === "module" && isLowered(input.module);
  const unused = withoutEffect(input, args.input, args.python, lowers ? ["kernel", "signature"] : ["kernel"]);
  if (unused !== undefined) return usage(io, unused);
  noteUseless(input, args.python, io, { from: "tt-step run", table: TT_STEP.commands.run.options });
  if (lowers) {
    const source = kernelOf(input.module, args.kernel);
    const lowered = translateToPtx(input.module, args.input, args.kernel);
    if ("error" in lowered) return usage(io, lowered.error);
    return runPtxInput({ ...lowered, shared: args.shared ?? sharedBytesOf(input.module), source }, args, io);
  }
  if (input.kind !== "module" || !isExecutable(input.module))
    return usage(io, `'${args.input}' is no TTIR, TTGIR, LLVM dialect or PTX with a kernel`);
  const { target } = settingsOf(input, args.python);
  const { value: run, interrupted } = await watched(
    runIr(input.module, { ...args, target, gridOf: input.python?.grid, text: input.defaults ? "" : input.request.text }, io),
    io,
  );
  if ("error" in run) return usage(io, run.error);
  io.stdout.write(run.printed + run.report);
  if (args.launch === undefined) io.stdout.write(storesText(run));
  for (const finding of run.findings) io.stderr.write(finding);
  const failed = args.out === undefined || args.launch === undefined ? undefined : writeArrays(run, args.launch.args, args.out, io);
  if (failed !== undefined) return usage(io, failed);
  if (interrupted) return wasInterrupted(io);
  return run.failed ? EXIT.difference : EXIT.ok;
}

/** Said after what the programs did that were run. */
function wasInterrupted(io: Io): number {
  io.stderr.write("tt-step run: interrupted: the programs that were left are not run\n");
  return EXIT.interrupted;
}

// PTX.

async function runPtxInput(code: ThreadCode & { readonly shared: number | undefined }, args: RunArgs, io: Io): Promise<number> {
  // A launch.json states all.
  const beside = args.launch ? NOTHING_STATED : preconditionsBeside(args.input, io);
  if ("error" in beside) return usage(io, beside.error);
  const { signature, simulation } = args;
  const { grid: gridBeside, programs: programsBeside } = beside.preconditions;
  const read = {
    ...simulation,
    programs: simulation.programs ?? programsBeside?.map((place) => triple(place, 0)),
    grid: simulation.grid ?? (gridBeside && triple(gridBeside, 1)),
  };
  const told = { signature, values: simulation.values, beside };
  const made = args.launch ? launchedArguments(code, args.launch.args, told) : madeUpArguments(code, told);
  if ("error" in made) return usage(io, made.error);
  const { named } = made;
  const grid = read.grid ?? args.launch?.grid ?? DEFAULT_GRID;
  const outside = programProblem(read.programs, grid);
  if (outside !== undefined) return usage(io, outside);
  const { value: run, interrupted } = await watched(
    runningPtx(
      code.text,
      {
        ...(code.kernel === undefined ? {} : { kernel: code.kernel }),
        grid,
        args: named.map((a) => a.argument),
        ...(read.programs === undefined ? {} : { programs: read.programs }),
        seed: read.seeds?.[0] ?? 0,
        ...(code.shared === undefined ? {} : { sharedBytes: code.shared }),
        ...(read.maxSteps === undefined ? {} : { limits: { maxSteps: read.maxSteps } }),
        checks: args.checks,
        facts: args.facts,
      },
      args.input,
    ),
    io,
  );
  if (run.diagnostics.length > 0) {
    io.stderr.write(run.diagnostics.map((d) => renderDiagnostic(d, [run.source])).join(""));
    return EXIT.badInput;
  }
  io.stdout.write(run.printed);
  io.stdout.write((args.launch ? "" : preconditionsText(beside)) + report(run, args));
  if (args.launch === undefined)
    io.stdout.write(madeUpText(made, read.grid === undefined ? grid : undefined, run.memory) + storesText(run));
  for (const finding of run.findings) {
    const program = finding.program.join(", ");
    io.stderr.write(
      `${args.input}: error: ${finding.kind}: ${finding.message}\n  ${finding.site === "" ? "" : `at ${finding.site}, `}program (${program})${finding.times > 1 ? `, ${finding.times} times` : ""}\n`,
    );
  }
  const failed = args.out === undefined ? undefined : writeArrays(run, named, args.out, io);
  if (failed !== undefined) return usage(io, failed);
  if (interrupted) return wasInterrupted(io);
  return run.findings.length > 0 ? EXIT.difference : EXIT.ok;
}

const triple = ([x, y, z]: readonly number[], missing: number): Triple => [x ?? missing, y ?? missing, z ?? missing];

/** Where neither --grid nor launch.json nor args.json says. */
const DEFAULT_GRID: Triple = [2, 2, 1];

function report(run: PtxRun, args: RunArgs): string {
  let text = `${run.warpInstructions} warp instructions, ${run.laneInstructions} of lanes; ${coverageText(instructionCoverage([run]))}\n`;
  if (!args.facts) return text;
  text += "requests  sectors/request  lines/request  wavefronts (without conflicts)  instruction\n";
  for (const site of run.sites) {
    if (site.requests === 0) continue;
    const per = (n: number) => (n === 0 ? "" : (n / site.requests).toFixed(2));
    const wavefronts = site.wavefronts === 0 ? "" : `${site.wavefronts} (${site.idealWavefronts})`;
    text += `${String(site.requests).padStart(8)}  ${per(site.sectors).padStart(15)}  ${per(site.lines).padStart(13)}  ${wavefronts.padStart(30)}  line ${site.line}: ${site.text}\n`;
  }
  return text;
}

const SHOWN = 8;
const STRETCHES = 32;

/** The values stored into each buffer: the first elements of each stretch. */
function storesText({ stores, memory }: Pick<PtxRun, "stores" | "memory">): string {
  let text = "";
  const elements = new Map(memory.buffers.map((b) => [b.spec.name, b.spec.element]));
  for (const [name, runs] of stores) {
    const element = elements.get(name)!;
    const size = bytesOf(element);
    for (const { offset, bytes } of runs.slice(0, STRETCHES)) {
      const count = Math.floor(bytes.length / size);
      const values = Array.from({ length: Math.min(count, SHOWN) }, (_, i) => String(readElement(element, bytes, i * size)));
      text += `${name}[${offset / size}..${offset / size + count - 1}] = ${values.join(", ")}${count > SHOWN ? ", ..." : ""}\n`;
    }
    if (runs.length > STRETCHES) text += `${name}: ${runs.length - STRETCHES} more stretches\n`;
  }
  return text;
}

function writeArrays(run: Pick<PtxRun, "memory">, args: readonly NamedArgument[], out: string, io: Io): string | undefined {
  for (const { name, argument, array } of args) {
    if (argument.kind === "scalar" || array === undefined) continue;
    const data = run.memory.contents(name, argument.spec.data!.length);
    const path = `${out}/${name}.npy`;
    try {
      io.writeFile(path, writeNpy({ ...array, data }));
    } catch (error) {
      return `cannot write '${path}': ${fileError(error)}`;
    }
  }
  return undefined;
}
