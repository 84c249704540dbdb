/**
 * The arguments of `tt-step`. One record: its entries give parsing, types and help. Read by node's own parser: a
 * library for this costs half of the start-up time.
 */

import { parseArgs } from "node:util";
import { type CudaOptions, checkOptions, defaultOptions } from "../backend/nvidia/options.js";
import type { GivenArguments } from "../frontend/specialize.js";
import { CAPABILITIES, knownCapability } from "../gpu/nvidia.js";
import { nearest } from "../support/nearest.js";
import type { SimulationArgs } from "./simulation-args.js";

interface OptionDef {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  readonly value?: string;
  readonly summary: string;
  readonly group: (typeof GROUPS)[number];
}

const GROUPS = ["What to show", "Python kernels", "Compilation", "Execution", "Other"] as const;

/** Options of the program itself; those of Triton's CUDAOptions follow. */
const OPTIONS = {
  list: { type: "boolean", group: "What to show", summary: "one line a step: index, stage, flag, * if changed, op counts, time" },
  nested: { type: "boolean", group: "What to show", summary: "also print passes run by other passes (sub-steps)" },
  "print-after": {
    type: "string",
    multiple: true,
    value: "PASS",
    group: "What to show",
    summary: "the IR after a pass (repeatable; 0 is the source)",
  },
  "print-after-all": { type: "boolean", group: "What to show", summary: "the IR after every pass" },
  "print-after-change": { type: "boolean", group: "What to show", summary: "the IR after every pass that changed it" },
  diff: { type: "string", value: "A..B", group: "What to show", summary: "the IR after A against the IR after B, by identity of ops" },
  "diff-mode": { type: "string", value: "side-by-side|unified", group: "What to show", summary: "how --diff is printed (default unified)" },
  emit: {
    type: "string",
    value: "STAGE",
    group: "What to show",
    summary: "what a stage ends with: ttir, ttgir, llvm-dialect, llir, ptx or cubin",
  },
  codegen: { type: "boolean", group: "What to show", summary: "loads, stores, tensor cores and barriers of the final code, and why" },
  llc: { type: "boolean", group: "What to show", summary: "PTX by an llc of LLVM 21 or newer" },
  "ptxas-report": { type: "boolean", group: "What to show", summary: "registers, spills, shared memory and machine code, by ptxas" },
  why: {
    type: "string",
    value: "VALUE",
    group: "What to show",
    summary: "why a value (%23, or all of kernel.py:12) has its layout, its width, its conversions, and what passes say of it",
  },
  layout: { type: "string", value: "VALUE", group: "What to show", summary: "a value's thread map, as triton-tensor-layout draws it" },
  at: {
    type: "string",
    value: "PASS",
    group: "What to show",
    summary: "after which pass --why and --layout look (default: the last of ttgir)",
  },
  against: {
    type: "string",
    value: "DUMP|INPUT|OPTION=VALUE",
    group: "What to show",
    summary: "where the result first differs from a dump's, another input's, or its own under another option (exit 1)",
  },
  validate: {
    type: "boolean",
    group: "What to show",
    summary: "execute the IR after every pass; exit 1 and the pass where results change",
  },
  strict: {
    type: "boolean",
    group: "Execution",
    summary: "--validate: exit 2 where a step was not executed, 1 where the kernel itself has races",
  },
  seconds: {
    type: "string",
    value: "N",
    group: "Execution",
    summary: "--validate: about how long a step of lowered code may take: how many programs and launches it runs on (default 3)",
  },
  "all-programs": { type: "boolean", group: "Execution", summary: "--validate: lowered code runs on every program of the grid" },
  json: { type: "boolean", group: "What to show", summary: "the whole Trace as JSON" },
  times: {
    type: "boolean",
    group: "What to show",
    summary: "times in --list, --json and --export (default; with --no-times their bytes are the same on every run)",
  },
  modernize: { type: "boolean", group: "What to show", summary: "older spellings printed as Triton 3.6's" },
  "debug-info": { type: "boolean", group: "What to show", summary: "print locations" },
  "dump-pass-pipeline": { type: "boolean", group: "What to show", summary: "the pipeline as text" },
  output: { type: "string", value: "FILE", group: "What to show", summary: "write to FILE instead of standard output (also -o)" },
  kernel: { type: "string", value: "NAME", group: "Python kernels", summary: "which function (default: the only one under @triton.jit)" },
  signature: {
    type: "string",
    value: "TYPES",
    group: "Python kernels",
    summary: "'*fp16:16, i32:16, i32, 128': types with what values are multiples of, and constants",
  },
  type: {
    type: "string",
    multiple: true,
    value: "NAME=TYPE",
    group: "Python kernels",
    summary: "one argument: a_ptr=*fp16:16 (repeatable)",
  },
  const: {
    type: "string",
    multiple: true,
    value: "NAME=VALUE",
    group: "Python kernels",
    summary: "a constant, as a Python literal: BLOCK=128 (repeatable)",
  },
  define: {
    type: "string",
    multiple: true,
    value: "NAME=VALUE",
    group: "Python kernels",
    summary: "what a name of the file's module level is, as a Python literal: HAS_TMA=False (repeatable)",
  },
  config: { type: "string", value: "N", group: "Python kernels", summary: "which configuration of @triton.autotune, from 0" },
  "triton-lib": {
    type: "string",
    value: "DIR",
    group: "Python kernels",
    summary: "where library functions (tl.sum, tl.cdiv) are read from; default a Triton 3.6 behind python3; none: the built-in ones",
  },
  target: {
    type: "string",
    value: "cuda:80",
    group: "Compilation",
    summary: `cuda:${CAPABILITIES.join(", ")}; default the module's ttg.target, else cuda:80`,
  },
  "start-after": { type: "string", value: "PASS", group: "Compilation", summary: "begin behind that pass" },
  "stop-after": { type: "string", value: "PASS", group: "Compilation", summary: "end with that pass" },
  "disable-pass": { type: "string", multiple: true, value: "PASS", group: "Compilation", summary: "leave a pass out (repeatable)" },
  "verify-each": { type: "boolean", group: "Compilation", summary: "verify the IR after every pass (default; --no-verify-each)" },
  "pessimistic-axis-info": {
    type: "boolean",
    group: "Compilation",
    summary: "AxisInfo knows nothing: what the kernel costs without its hints",
  },
  reproducer: {
    type: "string",
    value: "FILE",
    group: "Compilation",
    summary: "where to leave the IR before a pass whose result does not verify",
  },
  arg: {
    type: "string",
    multiple: true,
    value: "NAME=N",
    group: "Execution",
    summary: "a scalar argument (repeatable); others are made up",
  },
  grid: { type: "string", value: "X,Y,Z", group: "Execution", summary: "how many programs there are" },
  program: {
    type: "string",
    multiple: true,
    value: "X,Y,Z",
    group: "Execution",
    summary: "a program to run (repeatable; default: corners)",
  },
  seed: {
    type: "string",
    multiple: true,
    value: "N",
    group: "Execution",
    summary: "what values in memory depend on (repeatable; default 0, 1)",
  },
  "max-steps": { type: "string", value: "N", group: "Execution", summary: "stop after so many ops" },
  export: {
    type: "string",
    value: "FILE.html|.svg",
    group: "What to show",
    summary: "one self-contained page with passes, diffs, layouts and code; or a drawing of the screen",
  },
  theme: {
    type: "string",
    value: "dark|light|none",
    group: "Other",
    summary: "colours of the terminal UI (default dark; none under NO_COLOR)",
  },
  mouse: { type: "boolean", group: "Other", summary: "the mouse in the terminal UI (default; --no-mouse)" },
  tui: { type: "boolean", group: "Other", summary: "open the terminal UI also with --against" },
  color: { type: "string", value: "auto|always|never", group: "Other", summary: "colour in diffs and diagnostics" },
  explain: { type: "string", value: "CODE", group: "Other", summary: "what the code of a diagnostic or remark means" },
  help: { type: "boolean", group: "Other", summary: "this text" },
  version: { type: "boolean", group: "Other", summary: "the version of this program" },
} as const satisfies Readonly<Record<string, OptionDef>>;

/** `numWarps` -> `num-warps` */
const kebab = (key: string): string => key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
const CUDA_KEYS = Object.keys(defaultOptions(80)) as (keyof CudaOptions)[];
const BOOLEAN_KEYS = CUDA_KEYS.filter((key) => typeof defaultOptions(80)[key] === "boolean");
const NUMBER_KEYS: readonly (keyof CudaOptions)[] = [
  "numWarps",
  "numCtas",
  "numStages",
  "warpSize",
  "maxnreg",
  "ptxVersion",
  "maxNumImpreciseAccDefault",
];

/** What is said of a Python kernel: which one, its arguments, and where Triton's own library is. */
export interface PythonArgs extends GivenArguments {
  /** `NAME=<Python literal>` of the file's module level. */
  readonly defines: readonly string[];
  readonly tritonLib: string | undefined;
}

/** What `--emit` takes. */
export const EMITTED = ["ttir", "ttgir", "llvm-dialect", "llir", "ptx", "cubin"] as const;

export interface TtStepArgs {
  readonly input: string | undefined;
  readonly list: boolean;
  readonly nested: boolean;
  readonly printAfter: readonly string[];
  readonly printAfterAll: boolean;
  readonly printAfterChange: boolean;
  readonly diff: readonly [string, string] | undefined;
  readonly sideBySide: boolean;
  readonly emit: (typeof EMITTED)[number] | undefined;
  /** PTX by llc. */
  readonly llc: boolean;
  readonly codegen: boolean;
  readonly ptxasReport: boolean;
  readonly why: string | undefined;
  readonly layout: string | undefined;
  readonly at: string | undefined;
  readonly against: string | undefined;
  readonly reproducer: string | undefined;
  readonly color: "auto" | "always" | "never";
  readonly validate: boolean;
  readonly simulation: SimulationArgs;
  readonly export: string | undefined;
  readonly theme: "dark" | "light" | "none" | undefined;
  readonly mouse: boolean | undefined;
  readonly tui: boolean;
  readonly json: boolean;
  readonly debugInfo: boolean;
  /** Whether times of passes are shown. */
  readonly times: boolean;
  readonly modernize: boolean;
  readonly dumpPassPipeline: boolean;
  readonly output: string;
  /** Compute capability, when given. */
  readonly capability: number | undefined;
  readonly startAfter: string | undefined;
  readonly stopAfter: string | undefined;
  readonly disablePass: readonly string[];
  readonly verifyEach: boolean;
  readonly pessimisticAxisInfo: boolean;
  readonly explain: string | undefined;
  readonly help: boolean;
  readonly version: boolean;
  /** Triton's options as given, by CUDAOptions' names in camel case. */
  readonly cuda: Partial<CudaOptions>;
  readonly python: PythonArgs;
}

/** Reads the arguments; `error` is one line for the user. */
export function parseTtStepArgs(argv: readonly string[]): TtStepArgs | { readonly error: string } {
  const options: Record<string, { type: "string" | "boolean"; multiple?: boolean; short?: string }> = {};
  for (const [name, { type, ...rest }] of Object.entries<OptionDef>(OPTIONS))
    options[name] = { type, ...(rest.multiple ? { multiple: true } : {}) };
  options["output"] = { type: "string", short: "o" };
  for (const key of CUDA_KEYS) options[kebab(key)] = { type: BOOLEAN_KEYS.includes(key) ? "boolean" : "string" };
  let values: Record<string, unknown>;
  let positionals: readonly string[];
  try {
    const parsed = parseArgs({ args: [...argv], options, allowPositionals: true, allowNegative: true, strict: true });
    values = parsed.values;
    positionals = parsed.positionals;
  } catch (error) {
    return { error: argumentError(error as Error, Object.keys(options)) };
  }
  const cuda = cudaOptions(values);
  if ("error" in cuda) return { error: cuda.error as string };
  const text = (name: string) => values[name] as string | undefined;
  const flag = (name: string) => values[name] === true;
  const list = (name: string) => (values[name] as string[] | undefined) ?? [];
  if (positionals.length > 1) return { error: `one input only, but '${positionals[0]}' and '${positionals[1]}' are given` };
  const target = text("target");
  const capability = target === undefined ? undefined : knownCapability(target);
  if (target !== undefined && capability === undefined)
    return { error: `unknown target '${target}'; known are ${CAPABILITIES.map((c) => `cuda:${c}`).join(", ")}` };
  const diff = text("diff")?.split("..");
  if (text("at") !== undefined && text("why") === undefined && text("layout") === undefined)
    return { error: "--at says where --why or --layout look, and neither is given" };
  if (diff && (diff.length !== 2 || diff.includes(""))) return { error: `--diff expects A..B, not '${text("diff")}'` };
  const mode = text("diff-mode");
  if (mode !== undefined && mode !== "unified" && mode !== "side-by-side")
    return { error: `--diff-mode expects side-by-side or unified, not '${mode}'` };
  const emit = text("emit") as TtStepArgs["emit"];
  if (emit !== undefined && !EMITTED.includes(emit))
    return { error: `--emit expects ttir, ttgir, llvm-dialect, llir, ptx or cubin, not '${emit}'` };
  const color = text("color") ?? "auto";
  if (color !== "auto" && color !== "always" && color !== "never")
    return { error: `--color expects auto, always or never, not '${color}'` };
  const theme = text("theme");
  if (theme !== undefined && theme !== "dark" && theme !== "light" && theme !== "none")
    return { error: `--theme expects dark, light or none, not '${theme}'` };
  const config = text("config");
  if (config !== undefined && !/^\d+$/.test(config)) return { error: `--config expects a number from 0, not '${config}'` };
  const problem = checkOptions({ ...defaultOptions(capability ?? 80), ...cuda.values }, capability ?? 80);
  if (problem) return { error: problem };
  return {
    input: positionals[0],
    list: flag("list"),
    nested: flag("nested"),
    printAfter: (values["print-after"] as string[] | undefined) ?? [],
    printAfterAll: flag("print-after-all"),
    printAfterChange: flag("print-after-change"),
    diff: diff ? [diff[0]!, diff[1]!] : undefined,
    sideBySide: mode === "side-by-side",
    emit,
    llc: flag("llc"),
    codegen: flag("codegen"),
    ptxasReport: flag("ptxas-report"),
    why: text("why"),
    layout: text("layout"),
    at: text("at"),
    against: text("against"),
    reproducer: text("reproducer"),
    color,
    validate: flag("validate"),
    simulation: {
      arg: list("arg"),
      grid: text("grid"),
      program: list("program"),
      seed: list("seed"),
      maxSteps: text("max-steps"),
      strict: flag("strict"),
      seconds: text("seconds"),
      allPrograms: flag("all-programs"),
    },
    export: text("export"),
    theme,
    mouse: values["mouse"] as boolean | undefined,
    tui: flag("tui"),
    json: flag("json"),
    debugInfo: flag("debug-info"),
    times: values["times"] !== false,
    modernize: flag("modernize"),
    dumpPassPipeline: flag("dump-pass-pipeline"),
    output: text("output") ?? "-",
    capability,
    startAfter: text("start-after"),
    stopAfter: text("stop-after"),
    disablePass: (values["disable-pass"] as string[] | undefined) ?? [],
    verifyEach: values["verify-each"] !== false,
    pessimisticAxisInfo: flag("pessimistic-axis-info"),
    explain: text("explain"),
    help: flag("help"),
    version: flag("version"),
    cuda: cuda.values,
    python: {
      kernel: text("kernel"),
      signature: text("signature"),
      types: list("type"),
      constants: list("const"),
      defines: list("define"),
      config: config === undefined ? undefined : Number(config),
      tritonLib: text("triton-lib"),
    },
  };
}

function cudaOptions(values: Readonly<Record<string, unknown>>): { readonly values: Partial<CudaOptions> } | { readonly error: string } {
  const given: Record<string, unknown> = {};
  for (const key of CUDA_KEYS) {
    const value = values[kebab(key)];
    if (value === undefined) continue;
    if (NUMBER_KEYS.includes(key)) {
      const number = Number(value);
      if (!Number.isInteger(number) || value === "") return { error: `--${kebab(key)} expects an integer, not '${String(value)}'` };
      given[key] = number;
    } else given[key] = Array.isArray(defaultOptions(80)[key]) ? String(value).split(",") : value;
  }
  return { values: given };
}

function argumentError(error: Error, names: readonly string[]): string {
  const unknown = /Unknown option '(-[^']*)'/.exec(error.message)?.[1];
  if (unknown === undefined) return error.message.split(". ")[0]!.replace(/\.$/, "");
  const near = nearest(unknown.replace(/^-+(no-)?/, ""), names);
  return `unknown option '${unknown}'${near ? `; did you mean '--${near}'?` : ""} Try: tt-step --help`;
}

/** All options by their long names, for completion; `value` says what one takes. */
export function optionTable(): readonly { readonly name: string; readonly value: string | undefined; readonly summary: string }[] {
  const own = Object.entries<OptionDef>(OPTIONS).map(([name, { value, summary }]) => ({ name, value, summary }));
  const triton = CUDA_KEYS.map((key) => ({
    name: kebab(key),
    value: BOOLEAN_KEYS.includes(key) ? undefined : "VALUE",
    summary: `Triton's ${kebab(key).replaceAll("-", "_")}`,
  }));
  return [...own, ...triton];
}

export function ttStepHelp(): string {
  let text =
    "Shows what the Triton GPU compiler does to a kernel, pass by pass.\n\nUsage: tt-step INPUT [OPTIONS]    (INPUT - is standard input; in a terminal, without options that print, the UI opens)\n       tt-step snapshot INPUT... [--dir DIR] [--update] [--full] [--format text|json|junit|github] [--shard I/N] [OPTIONS]\n       tt-step completion bash|zsh|fish\n";
  for (const group of GROUPS) {
    text += `\n${group}:\n`;
    for (const [name, def] of Object.entries<OptionDef>(OPTIONS))
      if (def.group === group) text += `  --${`${name}${def.value ? ` ${def.value}` : ""}`.padEnd(38)} ${def.summary}\n`;
    if (group === "Compilation")
      text += `  Triton's own options, with its names and defaults:\n      ${CUDA_KEYS.map((k) => `--${kebab(k)}`)
        .join(" ")
        .replace(/(.{1,110})(?: |$)/g, "$1\n      ")
        .trimEnd()}\n`;
  }
  return text + "\nPASS is an index of --list, a flag (tritongpu-coalesce: its first run) or flag#run (canonicalize#3).\n";
}
