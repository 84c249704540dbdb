/** The JSON form of a Trace: one schema, which `fromJson` checks by and `schemas/trace.json` shows. */

/** The words of JSON Schema that are used here; `checkSchema` knows no others. */
export interface JsonSchema {
  readonly description?: string;
  readonly $ref?: string;
  readonly type?: "object" | "array" | "string" | "boolean" | "number" | "integer";
  readonly const?: number;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | JsonSchema;
  readonly items?: JsonSchema;
}

const text = (description: string): JsonSchema => ({ description, type: "string" });
const flag = (description: string): JsonSchema => ({ description, type: "boolean" });
const number = (description: string): JsonSchema => ({ description, type: "number" });
const INT: JsonSchema = { type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
const int = (description: string): JsonSchema => ({ description, ...INT });
const count = (description: string): JsonSchema => ({ description, ...INT, minimum: 0 });
const list = (items: JsonSchema, description: string): JsonSchema => ({ description, type: "array", items });
const oneOf = (...names: readonly string[]): JsonSchema => ({ enum: names });
const def = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });
/** An object of these entries and no others; a name with `?` may be absent. */
function record(description: string, entries: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const names = Object.keys(entries);
  return {
    description,
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name.replace("?", ""), entries[name]!])),
    required: names.filter((name) => !name.endsWith("?")),
    additionalProperties: false,
  };
}
const map = (values: JsonSchema, description: string): JsonSchema => ({ description, type: "object", additionalProperties: values });
const anything = (description: string): JsonSchema => ({ description, type: "object" });

const step = record("the IR after a pass", {
  index: count("position in steps"),
  label: text("as --list shows it: 8, or 8.1 for a pass run by a pass"),
  kind: oneOf("source", "pass", "internal"),
  "parent?": count("index of the step whose pass ran this one; absent at the top level"),
  op: text("name of the op it ran on"),
  "symbol?": text("that op's symbol, when it is a function"),
  stage: oneOf("ttir", "ttgir", "llir", "ptx"),
  pass: text("TritonGPUCoalesce"),
  flag: text("tritongpu-coalesce"),
  options: text("the pass's options, as text"),
  run: count("which top-level run of that flag"),
  changed: flag("whether the IR differs from the step before"),
  known: flag("false where a dump ends before it shows the IR after this step"),
  "ms?": number("milliseconds; absent in an imported step"),
  statistics: map({ type: "number" }, "counters of the pass, by name"),
  patterns: list({ type: "string" }, "names of the patterns that rewrites refer to"),
  rewrites: list(INT, "one after the other: index into patterns, id of the op rewritten, number n of new ops, n ids"),
  origins: list(INT, "pairs: id of an op that is new in this step, id of the op that it came from"),
  remarks: list(def("remark"), "why the pass did what it did"),
  verified: flag("whether the IR after it verifies"),
  numOps: count("ops in the IR"),
  lines: list({ ...INT, minimum: 0 }, "the IR after the step, as indices into the table of lines"),
  ops: list(INT, "for each line the id of the op that begins on it; 0 for none. An op keeps its id through all steps"),
  hashes: list(INT, "for each line a hash of the op's own text, equal when it did not change though values were renumbered; 0 for none"),
});

const remark = record("why a pass did something, or did not", {
  code: text("tt-step --explain CODE"),
  kind: oneOf("applied", "missed", "analysis"),
  op: int("id of the op that it is about"),
  message: text("{0}, {1}, ... stand for refs"),
  refs: list(def("ref"), "the ops and values that the message names"),
  fields: anything("the facts, by name"),
});

const ref = record("an op, one of its results, or an argument of one of its blocks", {
  kind: oneOf("op", "result", "argument"),
  op: int("id of the op"),
  "region?": count("of an argument: the region of the op"),
  "block?": count("of an argument: the block of the region"),
  "index?": count("position among the results or arguments"),
  text: text("its name where the IR has it no more"),
  "at?": text("its place in the source: kernel.py:12"),
});

const diagnostic = record("an error, warning, remark or note", {
  severity: oneOf("error", "warning", "remark", "note"),
  code: text("stable; tt-step --explain CODE"),
  message: text("one sentence"),
  "position?": record("where, from 1; columns count bytes", { file: text("as given"), line: int("line"), column: int("column") }),
  notes: list(def("diagnostic"), "what belongs to it"),
});

export const TRACE_FORMAT = 2;

export const TRACE_SCHEMA: JsonSchema & { readonly $defs: Readonly<Record<string, JsonSchema>> } & Readonly<Record<string, unknown>> = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "tt-step's Trace",
  ...record("every step of a compilation: what tt-step --json prints and tt-step FILE.json reads", {
    format: { const: TRACE_FORMAT },
    source: record("the input", { name: text("as given"), kind: text("what it was recognised as") }),
    "target?": text("cuda:80; absent where unknown"),
    "triton?": text("the version of Triton that was followed: 3.6; absent where unknown"),
    "language?": { description: "the language of the kernel; absent if it is Triton's", ...oneOf("gluon") },
    options: anything("Triton's CUDAOptions in camel case"),
    diagnostics: list(def("diagnostic"), "errors and warnings"),
    warnings: list({ type: "string" }, "what could not be read of a dump, and what to know of the result"),
    artifacts: record("texts made after the last pass", {
      "llir?": text("LLVM IR before LLVM's own passes"),
      "ptx?": text("PTX"),
      "executable?": text("the LLVM dialect of an AMD kernel as the text that is executed thread by thread, in place of PTX"),
      "instructions?": map(
        { type: "array", items: { type: "string" } },
        "by the id of an op of the last step: its instructions in PTX, where they are not just what its text says; an empty name stands for what it says",
      ),
      "machine?": record("what NVIDIA's assembler makes of the PTX, or LLVM of the LLVM IR for AMD, where it was found", {
        registers: count("registers of a thread"),
        spilled: count("bytes of a thread that are stored to and loaded from local memory for want of registers"),
        "sass?": list(
          record("an instruction or label", { text: text("as disassembled"), "ptx?": count("the line of the PTX it is from, from 1") }),
          "the disassembly; AMD's assembly, in what the terminal UI writes alone",
        ),
        "wave?": record("more of AMD's registers and memory", {
          accumulators: count("AGPRs, which `registers` counts too"),
          scalars: count("SGPRs"),
          spilledScalars: count("SGPRs that are spilled"),
          scratch: count("bytes of a lane for spills and arrays"),
          lds: count("bytes of LDS besides what the launch asks for"),
        }),
      }),
      "costs?": record("what a launch costs, where one was given: tt-step limits --trace", {
        gpu: text("h100"),
        grid: list(INT, "how many programs there are along each axis"),
        figures: map({ type: "number" }, "the costs of one program by name, and the least time of the launch in seconds: bound"),
      }),
    }),
    locations: record("where in the source ops are", {
      files: list({ type: "string" }, "names of files"),
      places: list(INT, "four numbers an op: its id, index into files, line and column from 1"),
      "calls?": list(INT, "the same for each call that an op was inlined by, the innermost first"),
    }),
    lines: list({ type: "string" }, "every distinct line of text, once"),
    steps: list(def("step"), "step 0 is the source"),
  }),
  $defs: { step, remark, ref, diagnostic },
};

/** A value that breaks the schema, by its path (`steps.3.kind`). */
export interface SchemaProblem {
  readonly path: string;
  readonly message: string;
}

/** The first place where a value of JSON breaks `TRACE_SCHEMA`. */
export function checkTraceSchema(value: unknown): SchemaProblem | undefined {
  return check(value, TRACE_SCHEMA, "", 0);
}

/** Nothing in a Trace has more levels. */
const MAX_LEVELS = 100;

function check(value: unknown, wanted: JsonSchema, path: string, level: number): SchemaProblem | undefined {
  const { $ref, type, properties, required = [], items, additionalProperties = {} } = wanted;
  if (level > MAX_LEVELS) return { path, message: `expected at most ${MAX_LEVELS} levels` };
  if ($ref) return check(value, TRACE_SCHEMA.$defs[$ref.slice("#/$defs/".length)]!, path, level);
  if (wanted.const !== undefined && value !== wanted.const) return { path, message: `expected ${wanted.const}` };
  if (wanted.enum && !wanted.enum.includes(value as string)) return { path, message: `expected ${wanted.enum.join(", ")}` };
  if (type && !isOf(type, value)) return { path, message: `expected ${/^[aeio]/.test(type) ? "an" : "a"} ${type}` };
  if (type === "integer") {
    const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = wanted;
    return minimum <= (value as number) && (value as number) <= maximum
      ? undefined
      : { path, message: `expected ${minimum} to ${maximum}` };
  }
  const below = (key: string | number) => (path === "" ? `${key}` : `${path}.${key}`);
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return first(value.keys(), (i) => check(value[i], items ?? {}, below(i), level + 1));
  const entries = value as Readonly<Record<string, unknown>>;
  const missing = required.find((name) => !Object.hasOwn(entries, name));
  if (missing !== undefined) return { path, message: `'${missing}' is missing` };
  return first(Object.keys(entries), (name) => {
    const known = properties && Object.hasOwn(properties, name) ? properties[name]! : additionalProperties;
    if (known === false) return { path: `${below(name)}:`, message: `'${name}' is not known here` };
    return check(entries[name], known, below(name), level + 1);
  });
}

function first<T>(items: Iterable<T>, problemOf: (item: T) => SchemaProblem | undefined): SchemaProblem | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem) return problem;
  }
  return undefined;
}

function isOf(type: NonNullable<JsonSchema["type"]>, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  return type === "object" ? typeof value === "object" && value !== null && !Array.isArray(value) : typeof value === type;
}
