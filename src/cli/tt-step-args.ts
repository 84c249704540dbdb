/** The arguments of `tt-step` and its commands, as the rest of the program takes them. */
import { checkOptions, defaultOptions, type TargetOptions, targetAsked, versionProblem } from "../backend/targets.js";
import { type GivenArguments, type Proposal, signatureOf } from "../frontend/specialize.js";
import type { ModuleSource, TraceSource } from "../library/sources.js";
import { shellWord } from "../support/shell-word.js";
import { tritonOrDefault } from "../support/triton-version.js";
import { dashed, type Values, valuesOf, type Written } from "./options/option.js";
import { type CommandLine, type Instead, readCommandLine } from "./options/read.js";
import { COMPILE_OPTIONS, COMPILER_SETTINGS, STEP, STEP_DEFAULTS, type StepValues, TT_STEP } from "./options/step.js";
import { TRITON_OPTIONS, tritonOptionsOf } from "./options/triton.js";
import type { SimulationArgs } from "./simulation-args.js";

/** The options of a Python kernel: which one, its arguments, and where Triton's own library is. */
export interface PythonArgs extends GivenArguments {
  /** `NAME=<Python literal>` of the file's module level. */
  readonly defines: readonly string[];
  readonly tritonLib: string | undefined;
}

type OfPython = "kernel" | "signature" | "type" | "const" | "define" | "config" | "guess" | "tritonLib";
type OfExecution = "arg" | "grid" | "program" | "seed" | "maxSteps" | "strict" | "seconds" | "allPrograms";

export interface TtStepArgs extends Omit<StepValues, OfPython | OfExecution> {
  readonly input: string | undefined;
  /** Triton's options as given, by CUDAOptions' names in camel case. */
  readonly options: Partial<TargetOptions>;
  readonly python: PythonArgs;
  readonly simulation: SimulationArgs;
  /** The values written for each option. */
  readonly written: Written;
}

type TtStepLine = CommandLine<(typeof TT_STEP)["commands"]>;

/** A command line of one of the commands; `""` is the program itself. */
export type LineOf<C extends TtStepLine["command"]> = Extract<TtStepLine, { readonly command: C }>;

/** Reads a command line of `tt-step`. */
export const readTtStep = (argv: readonly string[]): TtStepLine | Instead => readCommandLine(TT_STEP, argv);

/**
 * The arguments of a command that has some of `tt-step`'s options; the others have their defaults. `error` is one line. `words(input)` is
 * the command line that errors show, without `tt-step`.
 */
export function stepArgs(
  given: Partial<StepValues>,
  written: Written,
  input: string | undefined,
  words: (input: string) => readonly string[] = (name) => [name],
): TtStepArgs | { readonly error: string } {
  const values: StepValues = { ...STEP_DEFAULTS, ...given };
  const { kernel, signature, type, const: constants, define, config, guess, tritonLib } = values;
  const { arg, grid, program, seed, maxSteps, strict, seconds, allPrograms, target, ...rest } = values;
  const commandLine = (file: string, proposal: Proposal) => proposedCommand(words(file), written, proposal);
  const compiler = compilerArgs(given, written);
  if ("error" in compiler) return compiler;
  if (values.at !== undefined && values.why === undefined && values.layout === undefined && !values.axisInfo)
    return { error: "--at says where --why, --layout or --axis-info look, and none is given" };
  return {
    ...rest,
    ...compiler,
    input,
    written,
    python: { kernel, signature, types: type, constants, defines: define, config, guess, tritonLib, commandLine },
    simulation: simulationArgs({ arg, grid, program, seed, maxSteps, strict, seconds, allPrograms }),
  };
}

/** The options of an execution. */
export function simulationArgs({ arg, program, seed, ...rest }: Pick<StepValues, OfExecution>): SimulationArgs {
  return {
    ...rest,
    values: new Map(arg),
    programs: program.length > 0 ? program : undefined,
    seeds: seed.length > 0 ? seed : undefined,
  };
}

/** The compiler's settings: a target and Triton's options. */
export type CompilerArgs = Pick<TtStepArgs, "target" | "options" | "triton">;

function compilerArgs(
  values: { readonly target?: string | undefined; readonly triton?: string | undefined },
  written: Written,
): CompilerArgs | { readonly error: string } {
  const { arch, ...options } = tritonOptionsOf(values as Readonly<Record<string, unknown>>, written);
  const asked = targetAsked(values.target, arch, dashed);
  if ("error" in asked) return asked;
  const { target } = asked;
  // Without a target the input's decides.
  const problem =
    target === undefined
      ? undefined
      : (versionProblem(target, tritonOrDefault(values.triton), options) ??
        checkOptions({ ...defaultOptions(target), ...options }, target));
  return problem === undefined ? { target, options, triton: values.triton } : { error: problem };
}

const PYTHON_NAMES = ["kernel", "signature", "type", "const", "define", "config", "guess", "triton-lib"] as const;

/** Options of compilations, which change nothing about one that was done elsewhere. */
export const COMPILE_NAMES: readonly string[] = [
  ...Object.keys({ ...COMPILE_OPTIONS, ...TRITON_OPTIONS }),
  "dump-pass-pipeline",
  "reproducer",
];

/** The options that say what is compiled and compared, each as one word: `--num-warps=8`. */
export function compileWords(written: Written): readonly string[] {
  return [...PYTHON_NAMES, ...COMPILE_NAMES, "against"].flatMap((name) =>
    (written.get(name) ?? []).map((value) => (value === true ? `--${name}` : value === false ? `--no-${name}` : `--${name}=${value}`)),
  );
}

/** The complaint, in one line, about an option that has no effect on an input; `but` are those that have one all the same. */
export function withoutEffect(
  input: ModuleSource | Pick<TraceSource, "kind">,
  path: string,
  { written }: Pick<TtStepArgs, "written">,
  but: readonly string[] = [],
): string | undefined {
  const given = (names: readonly string[]) => names.find((name) => written.has(name) && !but.includes(name));
  const python = input.kind === "module" && input.defaults ? undefined : given(PYTHON_NAMES);
  if (python !== undefined) return `--${python} is for Python kernels, and '${path}' is none`;
  const compile = input.kind === "module" ? undefined : given(COMPILE_NAMES);
  return compile && `--${compile} has no effect: '${path}' is not compiled, its passes have run`;
}

/** Options that a proposed command states itself. */
const PROPOSED: ReadonlySet<string> = new Set(["kernel", "signature", "type", "const", "config", "guess"]);

/** The command line that compiles what is proposed, with the words and other options that were given. `words` is the command and its arguments. */
export function proposedCommand(words: readonly string[], written: Written, { kernel, config, entries, options }: Proposal): string {
  const given = [...written].flatMap(([name, values]) =>
    PROPOSED.has(name)
      ? []
      : values.flatMap((value) => (value === true ? [dashed(name)] : value === false ? [`--no-${name}`] : [dashed(name), value])),
  );
  const launched = [...options].flatMap(([key, value]) => {
    const name = key.replaceAll("_", "-");
    return written.has(name) ? [] : [dashed(name), value];
  });
  const chosen = config === undefined ? [] : ["--config", String(config)];
  const all = [...words, "--kernel", kernel, ...chosen, "--signature", signatureOf(entries), ...given, ...launched];
  return `tt-step ${all.map(shellWord).join(" ")}`;
}

/** One setting that is no argument: of the configuration file, of `--against num-warps=8`. */
export type Setting = readonly [name: string, value: string | boolean];

/** Reads settings of the compiler: a target and Triton's options. */
export function readCompilerSettings(settings: readonly Setting[]): CompilerArgs | { readonly error: string } {
  const written = writtenOf(settings);
  const values = valuesOf({ ...COMPILER_SETTINGS, ...TRITON_OPTIONS }, written);
  return "error" in values ? { error: values.error as string } : compilerArgs(values, written);
}

/** Checks settings that are given to every command line. */
export function settingsProblem(settings: readonly Setting[]): string | undefined {
  const written = writtenOf(settings);
  const values = valuesOf({ ...STEP, ...TRITON_OPTIONS }, written);
  const args = "error" in values ? values : stepArgs(values as Values<typeof STEP>, written, undefined);
  return "error" in args ? (args.error as string) : undefined;
}

function writtenOf(settings: readonly Setting[]): Written {
  const written = new Map<string, (string | boolean)[]>();
  for (const [name, value] of settings) written.set(name, [...(written.get(name) ?? []), value]);
  return written;
}
