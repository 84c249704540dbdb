/**
 * The arguments of `tt-opt`: MLIR's flags, in order, with one or two dashes. Passes run in the order given, which is
 * why a reader of our own is needed.
 */

import { optionText } from "../pass/options.js";
import type { PipelineElement } from "../pass/pass-manager.js";
import { parsePipeline, parseStep } from "../pass/pipeline-text.js";
import { PASSES } from "../passes/index.js";
import { nearest } from "../support/nearest.js";
import { COMPILED_VERSIONS, DEFAULT_TRITON, type TritonVersion, tritonCalled, unknownTriton } from "../support/triton-version.js";
import { withHint } from "./options/option.js";

export interface TtOptArgs {
  file: string;
  output: string;
  pipeline: PipelineElement[];
  splitInputFile: boolean;
  verifyDiagnostics: false | "all" | "only-expected";
  verifyEach: boolean;
  allowUnregisteredDialect: boolean;
  printGeneric: boolean;
  printDebugInfo: boolean;
  printLocalScope: boolean;
  useNameLocAsPrefix: boolean;
  printIrAfterAll: boolean;
  timing: boolean;
  dumpPassPipeline: boolean;
  runReproducer: boolean;
  validate: boolean;
  debug: boolean;
  triton: TritonVersion;
  help: boolean;
  version: boolean;
}
type Flag = {
  readonly name: string;
  readonly summary: string;
  /** Returns what is wrong with the value, if anything. */
  readonly set: (args: TtOptArgs, value: string | undefined) => string | undefined;
};
const on =
  (key: { [K in keyof TtOptArgs]: TtOptArgs[K] extends boolean ? K : never }[keyof TtOptArgs]): Flag["set"] =>
  (args, value) => {
    if (value !== undefined && value !== "true" && value !== "false") return `expects true or false, not '${value}'`;
    args[key] = value !== "false";
    return undefined;
  };

const VERSIONS = COMPILED_VERSIONS.map((version) => version.name);

/** Every flag that is no pass. */
const FLAGS: readonly Flag[] = [
  {
    name: "allow-unregistered-dialect",
    summary: "let ops, types and attributes of unknown dialects through",
    set: on("allowUnregisteredDialect"),
  },
  { name: "debug", summary: "accepted, without effect", set: on("debug") },
  { name: "dump-pass-pipeline", summary: "print the pipeline to stderr before it runs", set: on("dumpPassPipeline") },
  { name: "help", summary: "this text; --help PASS: what a pass is for, with an example", set: on("help") },
  { name: "mlir-disable-threading", summary: "accepted: there is one thread", set: () => undefined },
  { name: "mlir-print-debuginfo", summary: "print locations", set: on("printDebugInfo") },
  { name: "mlir-print-ir-after-all", summary: "print the IR after every pass to stderr", set: on("printIrAfterAll") },
  { name: "mlir-print-local-scope", summary: "print without aliases", set: on("printLocalScope") },
  { name: "mlir-print-op-generic", summary: "print the generic form", set: on("printGeneric") },
  { name: "mlir-timing", summary: "print how long each pass took to stderr", set: on("timing") },
  { name: "mlir-use-nameloc-as-prefix", summary: "name values by their name locations", set: on("useNameLocAsPrefix") },
  { name: "run-reproducer", summary: "run the pipeline that the file's {-# #-} section names", set: on("runReproducer") },
  { name: "split-input-file", summary: "process the parts between `// -----` lines one by one", set: on("splitInputFile") },
  {
    name: "triton",
    summary: `the version of Triton whose passes run, by default ${DEFAULT_TRITON.name}`,
    set: (args, value) => {
      const version = value === undefined ? undefined : tritonCalled(value);
      if (!version || !COMPILED_VERSIONS.includes(version))
        return `expects ${VERSIONS.join(", ")}${value && !version ? `: ${unknownTriton(value)}` : ""}`;
      args.triton = version;
      return undefined;
    },
  },
  { name: "validate", summary: "execute the IR before and after every pass; exit 1 where results change", set: on("validate") },
  {
    name: "verify-diagnostics",
    summary: "check diagnostics against expected-* comments; =only-expected ignores others",
    set: (args, value) => {
      if (value !== undefined && value !== "all" && value !== "only-expected") return `expects all or only-expected, not '${value}'`;
      args.verifyDiagnostics = value === "only-expected" ? value : "all";
      return undefined;
    },
  },
  { name: "verify-each", summary: "verify after every pass (default true)", set: on("verifyEach") },
  { name: "version", summary: "the version of this program", set: on("version") },
  {
    name: "pass-pipeline",
    summary: "a pipeline as text: 'builtin.module(cse,canonicalize{top-down=false})'",
    set: (args, value) => {
      if (value === undefined) return "needs a value: -pass-pipeline='builtin.module(...)'";
      const parsed = parsePipeline(value, (flag) => PASSES.get(flag));
      if ("error" in parsed) return `${parsed.error} (at '${value.slice(parsed.at, parsed.at + 30)}')`;
      args.pipeline.push(...parsed.elements);
      return undefined;
    },
  },
];

/** Reads the arguments; `error` is one line for the user. */
export function parseTtOptArgs(argv: readonly string[]): TtOptArgs | { readonly error: string } {
  const args: TtOptArgs = {
    file: "-",
    output: "-",
    pipeline: [],
    splitInputFile: false,
    verifyDiagnostics: false,
    verifyEach: true,
    allowUnregisteredDialect: false,
    printGeneric: false,
    printDebugInfo: false,
    printLocalScope: false,
    useNameLocAsPrefix: false,
    printIrAfterAll: false,
    timing: false,
    dumpPassPipeline: false,
    runReproducer: false,
    validate: false,
    debug: false,
    triton: DEFAULT_TRITON,
    help: false,
    version: false,
  };
  let fileSeen = false;
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i]!;
    if (arg === "-" || !arg.startsWith("-")) {
      if (fileSeen) return { error: `one input file only, but both '${args.file}' and '${arg}' are given` };
      args.file = arg;
      fileSeen = true;
      continue;
    }
    const text = arg.replace(/^--?/, "");
    const equals = text.indexOf("=");
    const name = equals < 0 ? text : text.slice(0, equals);
    const value = equals < 0 ? undefined : text.slice(equals + 1);
    if (name === "o") {
      const path = value ?? argv[++i];
      if (path === undefined) return { error: "-o needs a file" };
      args.output = path;
      continue;
    }
    const flag = FLAGS.find((f) => f.name === name);
    if (flag) {
      const needed = ["pass-pipeline", "triton"].includes(name) && value === undefined ? argv[++i] : value;
      const problem = flag.set(args, needed);
      if (problem) return { error: `-${name} ${problem}` };
      continue;
    }
    const pass = PASSES.get(name);
    if (!pass) {
      const near = nearest(name, [...FLAGS.map((f) => f.name), ...PASSES.keys()]);
      return { error: withHint(`unknown command line argument '${arg}'${near ? `; did you mean '--${near}'?` : ""}`, "tt-opt --help") };
    }
    const step = parseStep(pass, value ?? "");
    if ("error" in step) return step;
    args.pipeline.push(step);
  }
  return args;
}

/** All flags, for completion. */
export function ttOptFlags(): readonly {
  readonly name: string;
  readonly summary: string;
  readonly takes: "nothing" | "file" | "text" | readonly string[];
}[] {
  const values: Readonly<Record<string, "text" | readonly string[]>> = {
    "pass-pipeline": "text",
    triton: VERSIONS,
    "verify-diagnostics": ["all", "only-expected"],
  };
  return [
    ...FLAGS.map(({ name, summary }) => ({ name, summary, takes: values[name] ?? ("nothing" as const) })),
    { name: "o", summary: "write to FILE instead of standard output", takes: "file" },
    ...[...PASSES.values()]
      .filter(({ testOnly }) => !testOnly)
      .map(({ flag, summary }) => ({ name: flag, summary, takes: "nothing" as const })),
  ];
}

export function ttOptHelp(): string {
  const line = (name: string, summary: string) => `  --${name.padEnd(48)} ${summary}\n`;
  let text =
    "Runs passes of the Triton GPU compiler on IR, in the order given.\n\nUsage: tt-opt [FLAGS] [FILE]    (FILE - or none: standard input)\n       tt-opt reduce FILE [PASSES] --predicate P    (the smallest input for which P holds; tt-opt reduce --help)\n\nFlags:\n";
  for (const { name, summary } of FLAGS) text += line(name, summary);
  text += line("o FILE", "write to FILE instead of standard output");
  text += "\nPasses (options as --pass='name=value name=value'):\n";
  for (const pass of [...PASSES.values()].sort((a, b) => (a.flag < b.flag ? -1 : 1))) {
    if (pass.testOnly) continue;
    text += line(pass.flag, pass.summary);
    for (const [key, spec] of Object.entries(pass.options)) text += `      ${optionText(key, spec).padEnd(46)} ${spec.summary}\n`;
  }
  return text;
}

/** The passes to run: those of the command line or, for a reproducer, those of the file's metadata. */
export function pipelineOf(
  args: TtOptArgs,
  metadata: string | undefined,
): { readonly elements: readonly PipelineElement[] } | { readonly error: string } {
  if (!args.runReproducer) return { elements: args.pipeline };
  const text = /pipeline:\s*"((?:[^"\\]|\\.)*)"/.exec(metadata ?? "")?.[1];
  if (text === undefined) return { error: "the file has no mlir_reproducer section with a pipeline" };
  const parsed = parsePipeline(text, (flag) => PASSES.get(flag));
  if ("error" in parsed) return { error: `the reproducer's pipeline: ${parsed.error}` };
  const [only] = parsed.elements;
  return {
    elements: only?.kind === "nested" && parsed.elements.length === 1 && only.op === "builtin.module" ? only.elements : parsed.elements,
  };
}
