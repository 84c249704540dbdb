/** The options of `tt-step` and its commands. Kept in one file, as commands share most of them. */
import { DEFAULT_TARGET, TARGETS, targetCalled } from "../../backend/targets.js";
import { GPU_PRODUCTS } from "../../gpu/products.js";
import { LIMIT_FIGURES } from "../../limits/figures.js";
import { DEFAULT_TRITON, FOLLOWED, TRITON_VERSIONS, tritonCalled, unknownTriton } from "../../support/triton-version.js";
import {
  anyText,
  camel,
  choice,
  decimal,
  FLAG,
  file,
  integer,
  type OptionTable,
  orList,
  PASS,
  text,
  type Values,
  type ValueType,
} from "./option.js";
import type { Program } from "./read.js";
import { TRITON_OPTIONS } from "./triton.js";

const SHOW = "What to show";
const PYTHON = "Python kernels";
const COMPILE = "Compilation";
const EXECUTE = "Execution";
const OTHER = "Other";

type Triple = readonly [number, number, number];

/** Up to three numbers; those left out are `missing`. */
const triple = (missing: 0 | 1): ValueType<Triple> => ({
  shown: "X,Y,Z",
  expected: missing === 1 ? "X,Y,Z with at least one program along each axis" : "X,Y,Z",
  read(given) {
    if (!/^\d{1,10}(?:[,x]\d{1,10}){0,2}$/.test(given)) return undefined;
    const [x = missing, y = missing, z = missing] = given.split(/[,x]/).map(Number);
    return Math.min(x, y, z) < missing ? undefined : [x, y, z];
  },
});

/** The number that an argument of the kernel has. */
const NUMBER_OF_ARGUMENT: ValueType<readonly [name: string, value: number]> = {
  shown: "NAME=N",
  expected: "NAME=NUMBER",
  read(given) {
    const [, name, value] = /^([^=]+)=(-?(?:[\d.]+(?:e[-+]?\d+)?|inf|nan))$/i.exec(given) ?? [];
    const number = Number(value?.replace(/inf/i, "Infinity"));
    return name === undefined || (Number.isNaN(number) && !/nan/i.test(value!)) ? undefined : [name, number];
  },
};

const TARGET: ValueType<string> = {
  shown: "TARGET",
  expected: orList(TARGETS),
  values: TARGETS,
  read: targetCalled,
};

const TWO_PASSES: ValueType<readonly [string, string]> = {
  shown: "A..B",
  expected: "A..B",
  completes: "pass",
  read(given) {
    const [a, b, ...more] = given.split("..");
    return a && b && more.length === 0 ? [a, b] : undefined;
  },
};

const OUTPUT = {
  output: { type: file(), short: "o", group: OTHER, help: "where the output goes; - is standard output", default: "-" },
  color: { type: choice("auto", "always", "never"), group: OTHER, help: "colour in diffs and diagnostics", default: "auto" },
} as const satisfies OptionTable;

/** Options for a Python kernel: which one, its arguments, and where Triton's own library is. */
const PYTHON_OPTIONS = {
  kernel: { type: text("NAME", "a name"), group: PYTHON, help: "which function", defaultText: "the only one under @triton.jit" },
  signature: {
    type: anyText("TYPES", "types"),
    group: PYTHON,
    help: "'*fp16:16, i32:16, i32, 128': types with what values are multiples of, and constants",
  },
  type: { type: anyText("NAME=TYPE"), repeat: true, group: PYTHON, help: "the type of one argument: a_ptr=*fp16:16 (repeatable)" },
  const: { type: anyText("NAME=VALUE"), repeat: true, group: PYTHON, help: "a constant, as a Python literal: BLOCK=128 (repeatable)" },
  define: {
    type: anyText("NAME=VALUE"),
    repeat: true,
    group: PYTHON,
    help: "the value of a name of the file's module level, as a Python literal: HAS_TMA=False (repeatable)",
  },
  config: { type: integer("N"), group: PYTHON, help: "which configuration of @triton.autotune, from 0" },
  guess: { type: FLAG, group: PYTHON, help: "compile with guesses for the types and constants that are not given; they are listed" },
  "triton-lib": {
    type: text("DIR", "a folder"),
    group: PYTHON,
    help: "where library functions (tl.sum, tl.cdiv) are read from; none: the built-in ones",
    defaultText: "python3's Triton, if it is the version that is followed",
  },
} as const satisfies OptionTable;

const TRITONS = TRITON_VERSIONS.map(({ name }) => name);

/** Settings that are not options of Triton but also decide what is compiled. */
export const COMPILER_SETTINGS = {
  triton: {
    type: { ...choice(...TRITONS), read: (given) => tritonCalled(given)?.name, why: unknownTriton } as ValueType<string>,
    group: COMPILE,
    help: `the version of Triton that compiles: ${FOLLOWED}`,
    defaultText: `for Python the one that python3 would import if it is among them, else ${DEFAULT_TRITON.name}`,
  },
  target: { type: TARGET, group: COMPILE, help: TARGETS.join(", "), defaultText: `the module's ttg.target, else ${DEFAULT_TARGET}` },
} as const satisfies OptionTable;

export const COMPILE_OPTIONS = {
  ...COMPILER_SETTINGS,
  language: {
    type: choice("triton", "gluon"),
    group: COMPILE,
    help: "what the IR was made of: TTGIR of Gluon's front end begins at gluon-inline; a Python kernel says it itself",
    defaultText: "triton",
  },
  "start-after": { type: PASS, group: COMPILE, help: "begin after this pass" },
  "stop-after": { type: PASS, group: COMPILE, help: "end with this pass" },
  "disable-pass": { type: PASS, repeat: true, group: COMPILE, help: "leave a pass out (repeatable)" },
  "insert-pass": {
    type: text("PASS:PASS", "a pass, a colon, and the pass to run after it: coalesce:cse"),
    repeat: true,
    group: COMPILE,
    help: "run a pass where the pipeline has it not: coalesce:cse runs cse after coalesce, 0:cse before all (repeatable)",
  },
  "verify-each": { type: FLAG, group: COMPILE, help: "verify the IR after every pass", default: true },
  "pessimistic-axis-info": { type: FLAG, group: COMPILE, help: "AxisInfo knows nothing: what the kernel costs without its hints" },
} as const satisfies OptionTable;

const LAUNCH_OPTIONS = {
  arg: {
    type: NUMBER_OF_ARGUMENT,
    repeat: true,
    group: EXECUTE,
    help: "the value of a number by name or position (repeatable)",
    defaultText: "made up",
  },
  grid: { type: triple(1), group: EXECUTE, help: "how many programs there are", defaultText: "made up" },
  program: { type: triple(0), repeat: true, group: EXECUTE, help: "run this program (repeatable)", defaultText: "corners of the grid" },
  "max-steps": {
    type: decimal("N", "a number above 0", (value) => value > 0),
    group: EXECUTE,
    help: "stop after so many ops or warp instructions",
  },
} as const satisfies OptionTable;

const VALIDATE_OPTIONS = {
  ...LAUNCH_OPTIONS,
  seed: { type: integer("N"), repeat: true, group: EXECUTE, help: "what values in memory depend on (repeatable)", defaultText: "0 and 1" },
  strict: { type: FLAG, group: EXECUTE, help: "exit 2 where a step was not executed, 1 where the kernel itself has errors or races" },
  seconds: {
    type: decimal("N", "a number from 0", (value) => value >= 0),
    group: EXECUTE,
    help: "about how long the validation may take: how many programs, launches and results of passes are executed",
    defaultText: "20",
  },
  "all-programs": { type: FLAG, group: EXECUTE, help: "lowered code runs on every program of the grid, and nothing is left out" },
} as const satisfies OptionTable;

/** The program without a command executes for `--validate`. */
const VALIDATE_STEPS = Object.fromEntries(
  Object.entries(VALIDATE_OPTIONS).map(([name, def]) => [name, { ...def, goesWith: ["validate"] }]),
) as unknown as typeof VALIDATE_OPTIONS;

export const STEP = {
  list: { type: FLAG, group: SHOW, help: "one line a step: index, stage, flag, * if changed, op counts, time" },
  nested: {
    type: FLAG,
    group: SHOW,
    help: "also print passes run by other passes (sub-steps)",
    goesWith: ["print-after-all", "print-after-change"],
  },
  "print-after": { type: PASS, repeat: true, group: SHOW, help: "the IR after a pass; 0 is the source (repeatable)" },
  "print-after-all": { type: FLAG, group: SHOW, help: "the IR after every pass" },
  "print-after-change": { type: FLAG, group: SHOW, help: "the IR after every pass that changed it" },
  diff: { type: TWO_PASSES, group: SHOW, help: "the IR after A against the IR after B, by identity of ops" },
  "diff-mode": {
    type: choice("side-by-side", "unified"),
    group: SHOW,
    help: "how --diff is printed",
    default: "unified",
    goesWith: ["diff", "against"],
  },
  emit: {
    type: choice("ttir", "ttgir", "llvm-dialect", "llir", "ptx", "cubin", "amdgcn", "hsaco"),
    group: SHOW,
    help: "the result of a stage",
  },
  findings: { type: FLAG, group: SHOW, help: "what holds the kernel back, worst first, and which pass, op and line to look at" },
  codegen: { type: FLAG, group: SHOW, help: "loads, stores, tensor cores and barriers of the final code, and why" },
  llc: { type: FLAG, group: SHOW, help: "PTX by an llc of LLVM 21 or newer", goesWith: ["emit", "ptxas-report"] },
  "ptxas-report": { type: FLAG, group: SHOW, help: "registers, spills, shared memory and machine code, by ptxas (hip: by LLVM)" },
  why: {
    type: text("VALUE", "a value (%23) or a line of Python (kernel.py:12)"),
    group: SHOW,
    help: "why a value (%23, or all of kernel.py:12) has its layout, its width, its conversions, and what passes say of it",
  },
  layout: { type: text("VALUE", "a value (%23)"), group: SHOW, help: "a value's thread map, as triton-tensor-layout draws it" },
  "axis-info": { type: FLAG, group: SHOW, help: "the IR with the AxisInfo of each value: its numbers, the rule, those of its operands" },
  at: { type: PASS, group: SHOW, help: "after which pass --why, --layout and --axis-info look", defaultText: "the last of ttgir" },
  against: {
    type: { ...text("DUMP|INPUT|OPTION=VALUE", "a dump, an input or OPTION=VALUE"), completes: "file" },
    group: SHOW,
    help: "where the result first differs from a dump's, another input's, or its own under another option (exit 1)",
  },
  format: {
    type: choice("md", "json", "junit"),
    group: SHOW,
    help: "how --against OPTION=VALUE reports on several inputs, the most changed first",
    defaultText: "md",
    goesWith: ["against"],
  },
  validate: { type: FLAG, group: SHOW, help: "execute the IR after every pass; exit 1 and the pass where results change" },
  json: { type: FLAG, group: SHOW, help: "the whole Trace as JSON" },
  times: {
    type: FLAG,
    group: SHOW,
    help: "times in --list, --json and --export; with --no-times their bytes are the same on every run",
    default: true,
  },
  modernize: { type: FLAG, group: SHOW, help: "older spellings printed as Triton 3.6's" },
  "debug-info": { type: FLAG, group: SHOW, help: "print locations" },
  "dump-pass-pipeline": { type: FLAG, group: SHOW, help: "the pipeline as text" },
  open: {
    type: text("STATE", "a state: pass=11,line=17,focus=diff"),
    group: SHOW,
    help: "the screen that the terminal UI opens with, as : in the UI names it; without a terminal it is not heeded",
  },
  export: {
    type: file("FILE.html|.svg"),
    group: SHOW,
    help: "one self-contained page with passes, diffs, layouts and code; or a drawing of the screen (.svg, .txt), the Trace (.json)",
  },
  ...PYTHON_OPTIONS,
  ...COMPILE_OPTIONS,
  reproducer: {
    type: file(),
    group: COMPILE,
    help: "where to leave the IR before a pass whose result does not verify, or before that of --stop-after",
  },
  ...VALIDATE_STEPS,
  ...OUTPUT,
  theme: {
    type: choice("dark", "light", "none"),
    group: OTHER,
    help: "colours of the terminal UI",
    defaultText: "dark; none under NO_COLOR",
  },
  mouse: { type: FLAG, group: OTHER, help: "the mouse in the terminal UI", default: true },
  "plain-ui": {
    type: FLAG,
    group: OTHER,
    help: "the terminal UI as text, a section at a time, for screen readers: keys are lines of standard input",
  },
  tui: { type: FLAG, group: OTHER, help: "open the terminal UI also with --against", goesWith: ["against"] },
  explain: {
    type: anyText("NAME"),
    valueIsOptional: true,
    group: OTHER,
    help: "the meaning of a pass, op, encoding, instruction, or code of a diagnostic or remark; without NAME all names",
  },
} as const satisfies OptionTable;

const RUN = {
  launch: { type: file(), group: EXECUTE, help: "the grid and all arguments, as below" },
  out: {
    type: text("DIR", "a folder"),
    group: EXECUTE,
    help: "where each array argument is written as NAME.npy (bf16 and fp8 as their bits)",
  },
  ...LAUNCH_OPTIONS,
  seed: { type: integer("N"), group: EXECUTE, help: "what untouched memory holds", default: 0 },
  shared: { type: integer("BYTES"), group: EXECUTE, help: "dynamic shared memory of a CTA", defaultText: "as much as the kernel says" },
  facts: { type: FLAG, group: EXECUTE, help: "the cost of memory instructions: sectors, lines, wavefronts" },
  checks: { type: FLAG, group: EXECUTE, help: "look for races and reads of unwritten shared memory", default: true },
  ...PYTHON_OPTIONS,
  ...COMPILER_SETTINGS,
} as const satisfies OptionTable;

/** The shape of an array argument. */
const SHAPE: ValueType<readonly [name: string, shape: readonly number[]]> = {
  shown: "NAME=N,N",
  expected: "NAME=N,N with the extents of an array, outermost first",
  read(given) {
    const [, name, shape] = /^([^=]+)=(\d{1,12}(?:[,x]\d{1,12})*)$/.exec(given) ?? [];
    return name === undefined ? undefined : [name, shape!.split(/[,x]/).map(Number)];
  },
};
/** The values that a sweep gives a constant or an option. */
const AXIS: ValueType<readonly [name: string, values: readonly string[]]> = {
  shown: "NAME=V,V",
  expected: "NAME=V,V with the values to try",
  read(given) {
    const [, name, values] = /^([A-Za-z_][\w-]*)=([^,\s]+(?:,[^,\s]+)*)$/.exec(given) ?? [];
    return name === undefined ? undefined : [name.replaceAll("-", "_"), values!.split(",")];
  },
};
const GPUS = GPU_PRODUCTS.map(({ name }) => name);
const LIMITS_GROUP = "Limits";

/** The launch whose costs are asked for. */
const LIMITS_LAUNCH = {
  gpu: { type: choice(...GPUS), group: LIMITS_GROUP, help: GPUS.join(", "), defaultText: "the target's best known" },
  arg: { type: NUMBER_OF_ARGUMENT, repeat: true, group: LIMITS_GROUP, help: "the value of a number by name or position (repeatable)" },
  shape: {
    type: SHAPE,
    repeat: true,
    group: LIMITS_GROUP,
    help: "the shape of an array: needed for descriptors, of others accesses beyond the end are refused (repeatable)",
  },
  grid: {
    type: anyText("X,Y,Z"),
    group: LIMITS_GROUP,
    help: "how many programs there are: numbers, or expressions of arguments and constants: 'cdiv(M, BLOCK_M), batch'",
    defaultText: "as the input's own file launches it",
  },
} as const satisfies OptionTable;

/** How much a figure of a launch may grow. */
const ALLOWANCE: ValueType<readonly [figure: string, most: number]> = {
  shown: "FIGURE=+P%",
  expected: `FIGURE=+P% with ${orList(LIMIT_FIGURES)}`,
  read(given) {
    const [, figure, most] = /^([a-z-]+)=\+?(\d+(?:\.\d+)?)%$/.exec(given) ?? [];
    return figure !== undefined && (LIMIT_FIGURES as readonly string[]).includes(figure) ? [figure, Number(most) / 100] : undefined;
  },
};

const LIMITS = {
  ...LIMITS_LAUNCH,
  launch: { type: file(), group: LIMITS_GROUP, help: "the grid, numbers and shapes of arrays, as tt-step run --launch takes them" },
  sweep: {
    type: AXIS,
    repeat: true,
    group: LIMITS_GROUP,
    help: "rank configurations: values of a tl.constexpr, or of num_warps, num_stages, num_ctas, maxnreg (repeatable: all combinations)",
  },
  "what-if": {
    type: FLAG,
    group: LIMITS_GROUP,
    help: "what moves the bound: its dearest ops and why, and the bound with other warps, stages and block sizes",
  },
  roofline: { type: file("FILE.svg|.html|.txt"), group: LIMITS_GROUP, help: "a drawing of the GPU's roofline with the kernel in it" },
  against: {
    type: { ...text("INPUT|OPTION=VALUE", "an input or OPTION=VALUE"), completes: "file" },
    group: LIMITS_GROUP,
    help: "what the same launch costs with another input or option: the facts and figures that differ (exit 1)",
  },
  trace: {
    type: file("FILE.json"),
    group: LIMITS_GROUP,
    help: "writes the compilation with the costs of the launch, for tt-step FILE.json",
  },
  ptxas: { type: FLAG, group: LIMITS_GROUP, help: "registers by ptxas, where one is found; --no-ptxas estimates them", default: true },
  json: { type: FLAG, group: LIMITS_GROUP, help: "all numbers as JSON" },
  ...PYTHON_OPTIONS,
  ...COMPILE_OPTIONS,
  ...OUTPUT,
} as const satisfies OptionTable;

const BISECT = { ...PYTHON_OPTIONS, ...COMPILE_OPTIONS, ...VALIDATE_OPTIONS, ...OUTPUT } as const satisfies OptionTable;

const SNAPSHOT = {
  dir: { type: text("DIR", "a folder"), group: "Snapshots", help: "where snapshots are kept", default: "snapshots" },
  update: { type: FLAG, group: "Snapshots", help: "write what differs or is new, instead of comparing" },
  full: { type: FLAG, group: "Snapshots", help: "keep the IR of steps of lowering to LLVM too" },
  limit: {
    type: ALLOWANCE,
    repeat: true,
    group: "Snapshots",
    help: `fail where a launch costs more than its snapshot by that: ${LIMIT_FIGURES.join(", ")}; with --grid and --arg (repeatable)`,
  },
  ...LIMITS_LAUNCH,
  format: { type: choice("text", "json", "junit", "github"), group: "Snapshots", help: "how results are reported", default: "text" },
  shard: {
    type: {
      shown: "I/N",
      expected: "I/N with 1 <= I <= N",
      read(given): readonly [number, number] | undefined {
        const [, part, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(given) ?? [];
        return part !== undefined && 1 <= Number(part) && Number(part) <= Number(of) ? [Number(part), Number(of)] : undefined;
      },
    },
    group: "Snapshots",
    help: "the I-th of N parts of the inputs",
    default: [1, 1],
    defaultText: "1/1",
  },
  ...PYTHON_OPTIONS,
  ...COMPILE_OPTIONS,
} as const satisfies OptionTable;

const CAPTURE = {
  output: { type: text("DIR", "a folder"), short: "o", group: OTHER, help: "where kernels are kept", default: "tt-step-capture" },
  gpu: { type: FLAG, group: COMPILE, help: "launch kernels; with --no-gpu they are compiled and not launched", default: true },
  target: { type: TARGET, group: COMPILE, help: "what --no-gpu compiles for", default: "cuda:90" },
} as const satisfies OptionTable;

const LEARN = {
  print: { type: FLAG, group: SHOW, help: "the tour as text, with what the tool shows at each step" },
  export: { type: file("FILE.html"), group: SHOW, help: "the tour as one self-contained page" },
  step: { type: integer("N", 1), group: SHOW, help: "begin at this step, from 1", defaultText: "where the tour was left" },
  ...OUTPUT,
  theme: STEP.theme,
  mouse: STEP.mouse,
} as const satisfies OptionTable;

const PASSES_TEXT = `PASS is an index of --list, a flag (tritongpu-coalesce: its first run), a part of a flag that only one has (coalesce),
or flag#run (canonicalize#3).`;

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** The commands of `tt-step`. Triton's own options are in a table that is made of its backend. */
export const TT_STEP = {
  name: "tt-step",
  commands: {
    "": {
      summary: "Shows what the Triton GPU compiler does to a kernel, pass by pass.",
      usage: ["INPUT [OPTIONS]    (INPUT - is standard input; in a terminal, without options that print, the UI opens)"],
      options: { ...STEP, ...TRITON_OPTIONS },
      after: PASSES_TEXT,
    },
    run: {
      summary: "Executes a Python kernel, TTIR, TTGIR, LLVM dialect or PTX on the CPU, and reports bad accesses and races.",
      usage: [
        "INPUT --launch launch.json --out DIR",
        'INPUT [--arg N=1000]... [--signature "*fp16, i32"] [--grid 4,1,1] [--program 0,0,0]...',
      ],
      options: { ...RUN, ...TRITON_OPTIONS },
      after: `--launch FILE holds {"grid": [x, y, z], "args": {...}}: numbers, {"file": "x.npy"}, or
{"dtype": "fp16", "shape": [64, 64], "init": "randn"|"zeros"|"arange", "seed": 1};
with "box": [64, 64], "swizzle": 128 an array is a tensor map, as PTX of sm_90 takes descriptors.`,
    },
    bisect: {
      summary: "Names the first pass after which a predicate on the IR or the results changes.",
      usage: ["INPUT PREDICATE [OPTIONS]"],
      options: { ...BISECT, ...TRITON_OPTIONS },
      after: `PREDICATE: 'count(ttg.convert_layout) > 2', 'has(ttg.async_wait) && !text("vec = 8")', results
count(OP), ops and lines are numbers; has(OP), text("..."), text(/.../) and results are true or false; with == != < <= > >= && || ! ( ).`,
    },
    limits: {
      summary: "Counts what a launch costs, and gives the least time that each resource of a GPU needs for it; no GPU is needed.",
      usage: ["INPUT --arg M=4096... --grid X,Y,Z [--gpu h100] [OPTIONS]"],
      options: { ...LIMITS, ...TRITON_OPTIONS },
    },
    mcp: {
      summary: "Serves the tools of tt-step to agents, by the Model Context Protocol over standard input and output.",
      usage: [""],
      options: {},
    },
    snapshot: {
      summary: "Compares what the compiler makes of kernels with files that are kept; exit 1 where it differs.",
      usage: ["INPUT... [--dir DIR] [--update]"],
      options: { ...SNAPSHOT, ...TRITON_OPTIONS },
    },
    capture: {
      summary: "Runs a program that uses Triton and keeps what Triton compiles: signatures, options, stages, launches.",
      usage: ["[-o DIR] [--no-gpu [--target cuda:90]] -- python train.py ARGUMENTS"],
      options: CAPTURE,
      after:
        "The exit code is the program's. `tt-step DIR` lists the kernels; each is compiled here and compared with Triton's own stages.",
    },
    learn: {
      summary: "Tours through the compiler: what to look at in a kernel, and why. Without NAME it lists them.",
      usage: ["[NAME | FILE.tour.json] [--print | --export FILE.html]"],
      options: LEARN,
      after: "docs/learn.md says how a tour is written; schemas/tour.json is its schema.",
    },
    completion: {
      summary: "Prints a script with which a shell completes the command lines of all four programs.",
      usage: ["bash|zsh|fish"],
      options: {},
      words: SHELLS,
    },
  },
} as const satisfies Program;

/** The values of the options of `tt-step` itself, without Triton's. */
export type StepValues = Values<typeof STEP>;
export type SnapshotValues = Values<typeof SNAPSHOT>;

/** The values of options that are not given. */
export const STEP_DEFAULTS: StepValues = Object.fromEntries(
  Object.entries<OptionTable[string]>(STEP).map(([name, def]) => [
    camel(name),
    def.default ?? (def.repeat ? [] : def.type === FLAG ? false : undefined),
  ]),
) as unknown as StepValues;
