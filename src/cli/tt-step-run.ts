/** `tt-step run INPUT`: executes a stage of a kernel on the CPU. */
import { parseArgs } from "node:util";
import { WHOLE_COMPILER } from "../compile/whole-compiler.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import type { Operation } from "../ir/operation.js";
import { coverageText, instructionCoverage } from "../simulate/coverage.js";
import { sharedBytesOf, translateToPtx } from "../simulate/llvm/translate.js";
import { bytesOf, elementKind, readElement } from "../simulate/numbers/element.js";
import { type LaunchArgument, type PtxRun, runPtx } from "../simulate/ptx/run.js";
import { kernelParameters } from "../simulate/ptx/signature.js";
import { isExecutable } from "../simulate/validate.js";
import { EXIT, type Io } from "./io.js";
import { type LaunchFile, type NamedArgument, readLaunch } from "./launch-file.js";
import { fileError } from "./node-io.js";
import { writeNpy } from "./npy.js";
import { parseTtStepArgs } from "./tt-step-args.js";
import { readInput } from "./tt-step-input.js";
import type { PythonOptions } from "./tt-step-python.js";
import { runIr } from "./tt-step-run-ir.js";

type Triple = readonly [number, number, number];

const OPTIONS = {
  launch: { type: "string" },
  out: { type: "string" },
  kernel: { type: "string" },
  signature: { type: "string" },
  type: { type: "string", multiple: true },
  const: { type: "string", multiple: true },
  config: { type: "string" },
  "triton-lib": { type: "string" },
  target: { type: "string" },
  "num-warps": { type: "string" },
  "num-stages": { type: "string" },
  "num-ctas": { type: "string" },
  arg: { type: "string", multiple: true },
  grid: { type: "string" },
  program: { type: "string", multiple: true },
  seed: { type: "string" },
  shared: { type: "string" },
  "max-steps": { type: "string" },
  facts: { type: "boolean" },
  checks: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** What a Python kernel is compiled for: options of `tt-step` itself. */
const COMPILATION = ["kernel", "signature", "type", "const", "config", "triton-lib", "target", "num-warps", "num-stages", "num-ctas"];

const HELP = `Executes a Python kernel, TTIR, TTGIR, LLVM dialect or PTX on the CPU, and tells of bad accesses and races.

Usage: tt-step run INPUT --launch launch.json --out DIR
       tt-step run INPUT [--arg N=1000]... [--signature "*fp16, i32"] [--grid 4,1,1] [--program 0,0,0]...

  --launch FILE      {"grid": [x, y, z], "args": {...}}: numbers, {"file": "x.npy"}, or
                     {"dtype": "fp16", "shape": [64, 64], "init": "randn"|"zeros"|"arange", "seed": 1};
                     with "box": [64, 64], "swizzle": 128 an array is a tensor map, as PTX of sm_90 takes descriptors
  --out DIR          where each array argument is written as NAME.npy (bf16 and fp8 as their bits)
  --arg NAME=VALUE   without --launch: the value of a number (repeatable; by name or position)
  --signature TYPES  without --launch: the arguments' types, as in Triton: *fp16, i32, fp32
  --grid X,Y,Z       programs in the grid (default 2,2,1)
  --program X,Y,Z    run only this program (repeatable)
  --kernel NAME      which kernel of the input
  a Python kernel    --signature, --type, --const, --config, --target, --num-warps, ... as without run
  --seed N           what untouched memory holds
  --shared BYTES     dynamic shared memory of a CTA
  --max-steps N      stop after that many warp instructions
  --facts            what memory instructions cost: sectors, lines, wavefronts
  --no-checks        do not look for races and reads of unwritten shared memory
`;

interface RunArgs {
  readonly input: string;
  readonly launch: LaunchFile | undefined;
  readonly out: string | undefined;
  readonly kernel: string | undefined;
  readonly signature: readonly string[] | undefined;
  readonly values: ReadonlyMap<string, number>;
  readonly grid: Triple;
  readonly gridGiven: boolean;
  readonly programs: readonly Triple[] | undefined;
  readonly seed: number;
  readonly shared: number | undefined;
  readonly maxSteps: number | undefined;
  readonly facts: boolean;
  readonly checks: boolean;
  readonly python: PythonOptions;
}

export function runCommand(argv: readonly string[], io: Io): number {
  const args = readArgs(argv, io);
  if ("error" in args) {
    if (args.help) io.stdout.write(HELP);
    else io.stderr.write(`tt-step run: ${args.error}\n`);
    return args.help ? EXIT.ok : EXIT.badInput;
  }
  let text: string;
  try {
    text = io.readFile(args.input);
  } catch (error) {
    return usage(io, `cannot read '${args.input}': ${fileError(error)}`);
  }
  if (isPtx(text)) return runPtxInput(text, args, io);
  return runIrInput(args, io);
}

function usage(io: Io, message: string): number {
  io.stderr.write(`tt-step run: ${message}\n`);
  return EXIT.badInput;
}

const isPtx = (text: string): boolean =>
  /^\s*\.version\s+\d/m.test(text.slice(0, 1 << 16)) && /^\s*\.target\s+sm_/m.test(text.slice(0, 1 << 16));

// Arguments of the command.

function readArgs(argv: readonly string[], io: Io): RunArgs | { readonly error: string; readonly help?: boolean } {
  let values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  let positionals: readonly string[];
  try {
    ({ values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, allowNegative: true, strict: true }));
  } catch (error) {
    return { error: (error as Error).message.split(". ")[0]!.replace(/\.$/, "") };
  }
  if (values["help"] === true) return { error: "", help: true };
  const [input] = positionals;
  if (input === undefined || positionals.length > 1) return { error: "expects one input. Try: tt-step run --help" };
  const text = (name: string) => values[name] as string | undefined;
  const list = (name: string) => (values[name] as string[] | undefined) ?? [];
  const number = (name: string): number | undefined => (text(name) === undefined ? undefined : Number(text(name)));
  for (const name of ["seed", "shared", "max-steps"])
    if (number(name) !== undefined && !Number.isInteger(number(name)))
      return { error: `--${name} expects an integer, not '${text(name)}'` };
  const grid = text("grid") === undefined ? undefined : triple(text("grid")!, 1);
  const programs = list("program").map((p) => triple(p, 0));
  if ((text("grid") !== undefined && grid === undefined) || programs.includes(undefined))
    return { error: "--grid and --program expect X,Y,Z" };
  const assigned = list("arg").map((a) => /^([^=]+)=(-?[\d.]+(?:e[-+]?\d+)?)$/i.exec(a));
  if (assigned.includes(null)) return { error: "--arg expects NAME=NUMBER" };
  let launch: LaunchFile | undefined;
  const launchPath = text("launch");
  if (launchPath !== undefined) {
    const read = readLaunchFile(launchPath, io);
    if ("error" in read) return { error: `'${launchPath}': ${read.error}` };
    launch = read;
  }
  const python = parseTtStepArgs(COMPILATION.flatMap((name) => [values[name] ?? []].flat().map((value) => `--${name}=${value}`)));
  if ("error" in python) return python;
  return {
    input,
    launch,
    out: text("out"),
    kernel: text("kernel"),
    signature: text("signature")
      ?.split(",")
      .map((s) => s.trim().replace(/:.*/, "")),
    values: new Map(assigned.map((a) => [a![1]!, Number(a![2])])),
    grid: grid ?? launch?.grid ?? [2, 2, 1],
    gridGiven: grid !== undefined,
    programs: programs.length > 0 ? programs.map((p) => p!) : undefined,
    seed: number("seed") ?? 0,
    shared: number("shared"),
    maxSteps: number("max-steps"),
    facts: values["facts"] === true,
    checks: values["checks"] !== false,
    python,
  };
}

/** Up to three numbers; those left out are `missing`: 1 of a grid, 0 of a program. */
function triple(text: string, missing: number): Triple | undefined {
  const parts = text.split(",").map(Number);
  if (parts.length > 3 || parts.some((n) => !Number.isInteger(n) || n < 0)) return undefined;
  const [x = missing, y = missing, z = missing] = parts;
  return [x, y, z];
}

function readLaunchFile(path: string, io: Io): LaunchFile | { readonly error: string } {
  try {
    // Files are named as seen from launch.json.
    const folder = /^(.*\/)[^/]*$/.exec(path)?.[1] ?? "";
    return readLaunch(io.readFile(path), (file) => io.readFile(file.startsWith("/") ? file : folder + file));
  } catch (error) {
    return { error: fileError(error) };
  }
}

// TTIR, TTGIR and the LLVM dialect.

function isLowered(module: Operation): boolean {
  for (const op of module.regions[0]?.firstBlock?.ops() ?? []) if (op.name === "llvm.func") return true;
  return false;
}

function runIrInput(args: RunArgs, io: Io): number {
  const input = readInput(WHOLE_COMPILER, args.input, io, { ...args.python, debugInfo: false });
  if (input.kind === "error") {
    if (input.diagnostics !== undefined) io.stderr.write(input.diagnostics);
    return input.message === undefined ? EXIT.badInput : usage(io, input.message);
  }
  if (input.kind === "module" && isLowered(input.module)) {
    const lowered = translateToPtx(input.module, args.input, args.kernel);
    if ("error" in lowered) return usage(io, lowered.error);
    return runPtxInput(lowered.text, { ...args, kernel: lowered.kernel, shared: args.shared ?? sharedBytesOf(input.module) }, io);
  }
  if (input.kind !== "module" || !isExecutable(input.module))
    return usage(io, `'${args.input}' is no TTIR, TTGIR, LLVM dialect or PTX with a kernel`);
  const run = runIr(input.module, { ...args, grid: args.gridGiven ? args.grid : undefined }, io);
  if ("error" in run) return usage(io, run.error);
  io.stdout.write(run.printed + run.report);
  if (args.launch === undefined) io.stdout.write(storesText(run));
  for (const finding of run.findings) io.stderr.write(finding);
  const failed = args.out === undefined || args.launch === undefined ? undefined : writeArrays(run, args.launch.args, args.out, io);
  if (failed !== undefined) return usage(io, failed);
  return run.failed ? EXIT.difference : EXIT.ok;
}

// PTX.

function runPtxInput(text: string, args: RunArgs, io: Io): number {
  const named = args.launch?.args ?? madeUpArguments(text, args);
  if ("error" in named) return usage(io, named.error);
  const run = runPtx(
    text,
    {
      ...(args.kernel === undefined ? {} : { kernel: args.kernel }),
      grid: args.grid,
      args: named.map((a) => a.argument),
      ...(args.programs === undefined ? {} : { programs: args.programs }),
      seed: args.seed,
      ...(args.shared === undefined ? {} : { sharedBytes: args.shared }),
      ...(args.maxSteps === undefined ? {} : { limits: { maxSteps: args.maxSteps } }),
      checks: args.checks,
      facts: args.facts,
    },
    args.input,
  );
  if (run.diagnostics.length > 0) {
    io.stderr.write(run.diagnostics.map((d) => renderDiagnostic(d, [run.source])).join(""));
    return EXIT.badInput;
  }
  io.stdout.write(run.printed);
  io.stdout.write(report(run, args));
  if (args.launch === undefined) io.stdout.write(storesText(run));
  for (const finding of run.findings) {
    const program = finding.program.join(", ");
    io.stderr.write(
      `${args.input}: error: ${finding.kind}: ${finding.message}\n  ${finding.site === "" ? "" : `at ${finding.site}, `}program (${program})${finding.times > 1 ? `, ${finding.times} times` : ""}\n`,
    );
  }
  const failed = args.out === undefined ? undefined : writeArrays(run, named, args.out, io);
  if (failed !== undefined) return usage(io, failed);
  return run.findings.length > 0 ? EXIT.difference : EXIT.ok;
}

/** Numbers that make loops run a few times and masks cut. */
function madeUpArguments(text: string, args: RunArgs): readonly NamedArgument[] | { readonly error: string } {
  const params = kernelParameters(text, args.kernel);
  if ("error" in params) return params;
  const given = args.signature ?? [];
  // The two pointers at the end are Triton's scratch memory.
  const count = args.signature === undefined ? Math.max(params.length - 2, 0) : given.length;
  const made: NamedArgument[] = [];
  for (let i = 0; i < Math.min(count, params.length); i++) {
    const param = params[i]!;
    const type = given[i];
    const name = param.name;
    const value = args.values.get(name) ?? args.values.get(String(i));
    if (param.isPointer) {
      const element = elementKind(type?.replace(/^\*/, "") ?? "fp32");
      if (element === undefined) return { error: `--signature: '${type}' is no pointer type` };
      made.push({ name, argument: { kind: "buffer", spec: { name, element } } });
    } else
      made.push({ name, argument: { kind: "scalar", value: value ?? (param.type.startsWith("f") ? 0.5 : 128) } satisfies LaunchArgument });
  }
  return made;
}

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

/** What was stored into each buffer, the first elements of each stretch. */
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
