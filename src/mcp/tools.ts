/**
 * The tools that `tt-step mcp` offers to agents: functions of the library, with results that are short enough to read. A tool's arguments
 * are checked by its schema first; what is wrong with a kernel or launch is the answer, marked as an error.
 */
import { type Compilation, type CompileRequest, compile } from "../library/compile.js";
import { stepDiff, unified } from "../library/diff.js";
import { validate, validationText } from "../library/execute.js";
import { explain } from "../library/explain.js";
import { findings, headlineOf, headlineText, noFindings, placeText } from "../library/findings.js";
import { GPU_PRODUCTS, limits, limitsText, readGrid, type SweepAxis, sweep, sweepText } from "../library/limits.js";
import { type ModuleSource, type Rejected, readSource } from "../library/sources.js";
import { findStep, type Step, type Trace } from "../library/trace.js";

/** The files that a tool may read. Throws where one cannot be read. */
export interface Host {
  readonly readFile: (path: string) => string;
}

/** The answer of a tool. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** JSON Schema of an argument, as far as it is used here. */
interface Schema {
  readonly type: "string" | "number" | "integer" | "array" | "object";
  readonly description: string;
  readonly items?: Omit<Schema, "description">;
  readonly additionalProperties?: Omit<Schema, "description">;
  readonly enum?: readonly string[];
}

/** A tool as the protocol lists it, and what it does. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  readonly call: (args: Arguments, host: Host) => string | Rejected;
}
type Arguments = Readonly<Record<string, unknown>>;

const text = (description: string): Schema => ({ type: "string", description });
const texts = (description: string): Schema => ({ type: "array", description, items: { type: "string" } });

/** The arguments of every tool: the kernel, and how it is compiled. */
const KERNEL = {
  path: text("The kernel's file: Python, TTIR, TTGIR or a dump log"),
  kernel: text("Which function of a Python file, where it has several"),
  types: texts('Types of a Python kernel\'s arguments: "x_ptr=*fp16:16" (:16 says that it is a multiple of 16)'),
  constants: texts('Values of tl.constexpr arguments: "BLOCK=128"'),
  target: text('"cuda:80", "cuda:90", ...'),
  options: { type: "object", description: "num_warps, num_stages, num_ctas, maxnreg", additionalProperties: { type: "integer" } },
} as const satisfies Readonly<Record<string, Schema>>;

const LAUNCH = {
  args: { type: "object", description: "The launch's numbers by argument name", additionalProperties: { type: "number" } },
  shapes: {
    type: "object",
    description: "Shapes of arrays by argument name; descriptors need theirs",
    additionalProperties: { type: "array", items: { type: "integer" } },
  },
  grid: text('How many programs: "1024", or expressions: "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N), batch"'),
  gpu: { type: "string", description: "Whose bounds", enum: GPU_PRODUCTS.map(({ name }) => name) },
} as const satisfies Readonly<Record<string, Schema>>;

/** The most lines of an answer: agents read all of them. */
const MOST_LINES = 200;

export const TOOLS: readonly Tool[] = [
  {
    name: "compile",
    description: "Compiles a Triton kernel: its findings, worst first, and on demand the IR or PTX that a stage ends with",
    properties: { ...KERNEL, emit: { type: "string", description: "The text to return", enum: ["ttir", "ttgir", "llvm-dialect", "ptx"] } },
    required: ["path"],
    call: (args, host) =>
      compiled(args, host, ({ trace, artifacts }) => {
        const found = findings(trace).map(
          (finding) =>
            `${finding.kind}: ${finding.title}${finding.inLoop ? ", in a loop" : ""} (${placeText(trace, finding)})\n  ${finding.why.join("\n  ")}`,
        );
        const wanted = { ttir: artifacts.ttir, ttgir: artifacts.ttgir, "llvm-dialect": artifacts.llvmDialect, ptx: artifacts.ptx };
        const emitted = typeof args["emit"] === "string" ? wanted[args["emit"] as keyof typeof wanted] : undefined;
        return [
          headlineText(headlineOf(trace)),
          ...(found.length > 0 ? found : [noFindings(trace)]),
          ...(emitted === undefined ? [] : ["", emitted]),
        ].join("\n");
      }),
  },
  {
    name: "list_passes",
    description: "Lists the passes of a compilation: label, stage, name, whether the pass changed something",
    properties: KERNEL,
    required: ["path"],
    call: (args, host) =>
      compiled(args, host, ({ trace }) =>
        topSteps(trace)
          .map(({ label, stage, flag, changed, numOps }) => `${label} ${stage} ${flag}${changed ? " *" : ""} ${numOps} ops`)
          .join("\n"),
      ),
  },
  {
    name: "diff_steps",
    description: "The difference of the IR after two passes, each by label or name; by default of a pass and the one before",
    properties: { ...KERNEL, to: text("The later pass: a label of list_passes or a name"), from: text("The earlier pass") },
    required: ["path", "to"],
    call: (args, host) => compiled(args, host, ({ trace }) => diffOf(trace, args)),
  },
  {
    name: "why",
    description: "Why a value or a line's ops have their layout, access width, shared memory, and what passes say of them",
    properties: {
      ...KERNEL,
      what: text('A value ("%23") or a line of Python ("kernel.py:12")'),
      at: text("After which pass; by default the last of TTGIR"),
    },
    required: ["path", "what"],
    call: (args, host) =>
      compiled(args, host, ({ trace }) => {
        const found = explain(trace, String(args["what"]), optional(args, "at"));
        if (found.kind === "error") return found;
        return found.explanations
          .map(({ subject, sections }) =>
            [subject, ...sections.flatMap(({ title, lines }) => [`  ${title}`, ...lines.map((line) => `    ${line}`)])].join("\n"),
          )
          .join("\n");
      }),
  },
  {
    name: "limits",
    description:
      "What a launch costs and which resource of a GPU binds it, without a GPU: traffic, occupancy, least times, the dearest ops",
    properties: { ...KERNEL, ...LAUNCH },
    required: ["path", "grid"],
    call: (args, host) =>
      withModule(args, host, (source) => {
        const grid = readGrid(String(args["grid"]));
        if ("error" in grid) return wrong(grid.error);
        const extents = grid(new Map([...constantsOf(source), ...Object.entries(numbers(args, "args"))]));
        if ("error" in extents) return wrong(extents.error);
        const found = limits(source, { ...launchOf(args), grid: extents });
        return found.kind === "error" ? found : limitsText(found, false);
      }),
  },
  {
    name: "sweep",
    description: "Compiles configurations of a kernel and ranks them by the least time that each needs on a GPU",
    properties: {
      ...KERNEL,
      ...LAUNCH,
      axes: {
        type: "object",
        description: 'Values to try by name, of tl.constexpr arguments or options: {"BLOCK_M": ["64", "128"], "num_warps": ["4", "8"]}',
        additionalProperties: { type: "array", items: { type: "string" } },
      },
    },
    required: ["path", "grid", "axes"],
    call: (args, host) =>
      withModule(args, host, (source) => {
        const grid = readGrid(String(args["grid"]));
        if ("error" in grid) return wrong(grid.error);
        const known = [...constantsOf(source), ...Object.entries(numbers(args, "args"))];
        const axes = Object.entries(args["axes"] as Readonly<Record<string, readonly string[]>>).map(
          ([name, values]): SweepAxis => [name, values.map(String)],
        );
        const found = sweep(source, { ...launchOf(args), axes, gridOf: (constants) => grid(new Map([...known, ...constants])) });
        return found.kind === "error" ? found : sweepText(found);
      }),
  },
  {
    name: "validate",
    description: "Executes the kernel after every pass on made-up arguments, and names the pass after which it computes something else",
    properties: KERNEL,
    required: ["path"],
    call: (args, host) =>
      compiled(args, host, ({ trace }) => {
        const found = validate(trace);
        return found.kind === "error" ? found : validationText(found);
      }),
  },
];

/** Calls a tool by name. */
export function callTool(name: string, args: Arguments, host: Host): Answer {
  const tool = TOOLS.find((t) => t.name === name);
  if (!tool) return { text: `there is no tool '${name}'; there are ${TOOLS.map((t) => t.name).join(", ")}`, isError: true };
  const missing = tool.required.filter((key) => args[key] === undefined);
  if (missing.length > 0) return { text: `${name} needs ${missing.join(", ")}`, isError: true };
  const strange = Object.keys(args).find((key) => !Object.hasOwn(tool.properties, key));
  if (strange !== undefined)
    return { text: `${name} has no argument '${strange}'; it has ${Object.keys(tool.properties).join(", ")}`, isError: true };
  const bad = Object.entries(args).find(([key, value]) => !fits(value, tool.properties[key]!));
  if (bad) {
    const { description, type, enum: known } = tool.properties[bad[0]]!;
    return { text: `argument '${bad[0]}' of ${name} is to be: ${description} (${known?.join(", ") ?? type})`, isError: true };
  }
  const made = tool.call(args, host);
  return typeof made === "string"
    ? { text: shortened(made), isError: false }
    : { text: shortened(made.message ?? made.rendered ?? ""), isError: true };
}

/** Whether a value is what a schema describes. */
function fits(value: unknown, schema: Omit<Schema, "description">): boolean {
  switch (schema.type) {
    case "string":
      return typeof value === "string" && (schema.enum === undefined || schema.enum.includes(value));
    case "array":
      return Array.isArray(value) && value.every((item) => fits(item, schema.items!));
    case "object":
      return (
        typeof value === "object" &&
        value !== null &&
        !Array.isArray(value) &&
        Object.values(value).every((item) => fits(item, schema.additionalProperties!))
      );
    default:
      return typeof value === "number" && Number.isFinite(value) && (schema.type === "number" || Number.isInteger(value));
  }
}

function shortened(made: string): string {
  const lines = made.trimEnd().split("\n");
  if (lines.length <= MOST_LINES) return lines.join("\n");
  return [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more lines`].join("\n");
}

const wrong = (message: string): Rejected => ({ kind: "error", message, diagnostics: [] });
const optional = (args: Arguments, key: string): string | undefined => (typeof args[key] === "string" ? args[key] : undefined);
const numbers = (args: Arguments, key: string): Readonly<Record<string, number>> => (args[key] ?? {}) as Readonly<Record<string, number>>;
const list = (args: Arguments, key: string): readonly string[] => (args[key] ?? []) as readonly string[];

function sourceOf(args: Arguments, { readFile }: Host) {
  const path = String(args["path"]);
  let read: string;
  try {
    read = readFile(path);
  } catch (error) {
    return wrong(`cannot read '${path}': ${error instanceof Error ? error.message : String(error)}`);
  }
  return readSource({
    name: path,
    text: read,
    python: { kernel: optional(args, "kernel"), types: list(args, "types"), constants: list(args, "constants") },
    readFile: (file) => {
      try {
        return readFile(file);
      } catch {
        return undefined;
      }
    },
  });
}

const OPTIONS: Readonly<Record<string, string>> = {
  num_warps: "numWarps",
  num_stages: "numStages",
  num_ctas: "numCtas",
  maxnreg: "maxnreg",
};

/** The settings of a compilation among the arguments. */
function requestOf(args: Arguments): CompileRequest | Rejected {
  const given = Object.entries(numbers(args, "options"));
  const strange = given.find(([name]) => !Object.hasOwn(OPTIONS, name));
  if (strange) return wrong(`there is no option '${strange[0]}'; there are ${Object.keys(OPTIONS).join(", ")}`);
  const target = optional(args, "target");
  return {
    options: Object.fromEntries(given.map(([name, value]) => [OPTIONS[name]!, value])),
    ...(target === undefined ? {} : { target }),
  };
}

function compiled(args: Arguments, host: Host, answer: (made: Compilation) => string | Rejected): string | Rejected {
  const source = sourceOf(args, host);
  if (source.kind === "error") return source;
  const request = requestOf(args);
  if ("kind" in request) return request;
  const made = compile(source, { ...request, artifacts: ["ptx", "instructions"] });
  if (made.kind === "error") return made;
  return made.ok ? answer(made) : wrong(made.rendered);
}

function withModule(args: Arguments, host: Host, answer: (source: ModuleSource) => string | Rejected): string | Rejected {
  const source = sourceOf(args, host);
  if (source.kind === "error") return source;
  const request = requestOf(args);
  if ("kind" in request) return request;
  return source.kind === "module" ? answer(source) : wrong("this input was compiled elsewhere, without its source");
}

function launchOf(args: Arguments) {
  const request = requestOf(args);
  return {
    args: numbers(args, "args"),
    shapes: (args["shapes"] ?? {}) as Readonly<Record<string, readonly number[]>>,
    gpu: optional(args, "gpu"),
    compile: "kind" in request ? {} : request,
  };
}

const constantsOf = ({ python }: ModuleSource): readonly (readonly [string, number])[] =>
  (python?.proposal.entries ?? []).flatMap(({ name, text: value }) => (/^-?\d+$/.test(value) ? [[name, Number(value)] as const] : []));

const topSteps = ({ steps }: Trace): readonly Step[] => steps.filter((step) => step.parent === undefined && step.known);

function diffOf(trace: Trace, args: Arguments): string | Rejected {
  const named = (key: string): Step | Rejected | undefined => {
    const asked = optional(args, key);
    if (asked === undefined) return undefined;
    return (asked === "0" ? trace.steps[0] : findStep(trace, asked)) ?? wrong(`there is no pass '${asked}'; list_passes names them`);
  };
  const to = named("to")!;
  if ("diagnostics" in to) return to;
  const steps = topSteps(trace);
  const from = named("from") ?? steps[Math.max(0, steps.indexOf(to) - 1)]!;
  if ("diagnostics" in from) return from;
  const { lines, before, after, alignment } = stepDiff(trace, from, to);
  const body = unified({ lines, before, after }, alignment.rows, false);
  return body === ""
    ? `${to.flag} changed nothing since ${from.flag}`
    : `--- ${from.label} ${from.flag}\n+++ ${to.label} ${to.flag}\n${body}`;
}
