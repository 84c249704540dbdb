/** The kinds of input that the fuzzer makes: where each begins, and the commands that read it. */
import { readdirSync, readFileSync } from "node:fs";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { verifyOperation } from "../ir/verify.js";
import { compile } from "../library/compile.js";
import { readSource } from "../library/sources.js";
import { toJson } from "../library/trace.js";
import { parseModule } from "../syntax/parse.js";
import "../syntax/print.js";
import { mutant } from "./mutate.js";
import type { Random } from "./random.js";

/** A command; `config` is the reader of the UI's configuration, which no command that prints reads, and `mcp` a tool for agents. */
export type Tool = "tt-step" | "tt-opt" | "triton-tensor-layout" | "cute-layout" | "config" | "mcp";

/** One run of a command: what it reads lies in memory. */
export interface FuzzInput {
  readonly tool: Tool;
  readonly argv: readonly string[];
  /** Texts by path, one character a byte. */
  readonly files: Readonly<Record<string, string>>;
}

/** A text to mutate, and its name. */
interface Seed {
  readonly name: string;
  readonly text: string;
  /** Options that the text needs to be accepted. */
  readonly options?: readonly string[];
  /** Whether the whole compiler has something to do on it. */
  readonly isKernel?: boolean;
}
/** A kind with its seeds read. */
export interface Corpus {
  readonly kind: Kind;
  readonly seeds: readonly Seed[];
}

export interface Kind {
  readonly name: string;
  readonly seeds: () => readonly Seed[];
  /** Makes the input of a mutated text. */
  readonly input: (text: string, seed: Seed, random: Random) => FuzzInput;
}

/** Larger seeds make slow inputs; every construct occurs in a smaller one too. */
const MAX_SEED_BYTES = 24_000;

/** The texts of fixtures, one for each part of a file between `// -----` lines; `cut` takes the beginning of large ones. */
const fixtures = (pattern: RegExp, cut = false): readonly Seed[] =>
  readdirSync("fixtures", { recursive: true, encoding: "utf8" })
    .map((file) => `fixtures/${file.replaceAll("\\", "/")}`)
    .filter((file) => pattern.test(file))
    .sort()
    .flatMap((name) => {
      const text = readFileSync(name, "latin1");
      const parts = cut ? [text.slice(0, MAX_SEED_BYTES)] : text.split(/^\/\/ -----.*\n/m);
      return parts.map((part) => ({ name, text: part }));
    })
    .filter(({ text }) => text.length <= MAX_SEED_BYTES && !text.includes("expected-error"));

/** The modules among parts of fixtures that verify, outputs of passes among them: as many kernels, which come again, as others. */
function modules(pattern: RegExp): readonly Seed[] {
  const parts = fixtures(pattern).flatMap(({ name, text }) => text.split(/^\/\/ ===>.*\n/m).map((part) => ({ name, text: part })));
  const seeds = parts
    .filter(({ text }) => verifies(text))
    .map((seed) => ({ ...seed, isKernel: /tt\.func public|llvm\.func.*nvvm\.kernel/.test(seed.text) }));
  const [kernels, others] = [seeds.filter(({ isKernel }) => isKernel), seeds.filter(({ isKernel }) => !isKernel)];
  return [...others, ...Array.from({ length: Math.max(others.length, kernels.length) }, (_, i) => kernels[i % kernels.length]!)];
}
function verifies(text: string): boolean {
  const parsed = parseModule(new Context(ALL_DIALECTS), "seed.mlir", text);
  return parsed !== undefined && verifyOperation(parsed.module);
}

/** Python kernels that lie beside what real Triton makes of them. */
function goldenKernels(): readonly Seed[] {
  const kernels = JSON.parse(readFileSync("fixtures/frontend/kernels.json", "utf8")) as Record<
    string,
    Record<"file" | "kernel" | "signature", string>
  >;
  return Object.values(kernels).map(({ file, kernel, signature }) => ({
    name: file,
    text: readFileSync(`fixtures/${file}`, "latin1"),
    options: ["--kernel", kernel, "--signature", signature],
  }));
}

/** The Trace of a small kernel up to two passes, as JSON. */
const traces = (): readonly Seed[] =>
  ["cse", "coalesce"].flatMap((until) => {
    const name = "fixtures/kernels/vecadd.ttir";
    const source = readSource({ name, text: readFileSync(name, "latin1") });
    const compiled = source.kind === "error" ? source : compile(source, { until });
    if (compiled.kind === "error") throw new Error(compiled.rendered ?? compiled.message);
    return [{ name, text: toJson(compiled.trace) }];
  });

const inline = (...texts: readonly string[]): readonly Seed[] => texts.map((text, i) => ({ name: `${i}`, text }));

/** A kernel with two arrays to read, one to write, and a number. */
const VECADD = "fixtures/kernels/vecadd_any_n.ttir";

/** An array in a file of numpy's. */
function npy(descr: string, fortran: string, shape: string, bytes: number): string {
  const header = `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }\n`;
  return `\x93NUMPY\x01\0${String.fromCharCode(header.length)}\0${header}${"\0\0\x80?".repeat(bytes / 4)}`;
}

/** Runs a kernel with the arguments of a launch file. */
const launchOf = (launch: string, array: string, random: Random): FuzzInput => ({
  tool: "tt-step",
  argv: ["run", "k.ttir", "--launch", "l.json", "--max-steps", "20000", ...random.pick([[], ["--out", "d"]])],
  files: { "l.json": launch, "a.npy": array, "k.ttir": readFileSync(VECADD, "latin1") },
});

const TARGETS = [
  "cuda:75",
  "cuda:80",
  "cuda:89",
  "cuda:90",
  "cuda:100",
  "cuda:120",
  "hip:gfx942",
  "hip:gfx950",
  "hip:gfx1201",
  "hip:gfx1250",
];
const VERSIONS = ["3.7", "3.8"];

/** An input of one file, read by one of several commands: a tool, then its arguments with the file's name as FILE. */
const oneFile =
  (name: string, ...commands: readonly (readonly [Tool, ...string[]])[]) =>
  (text: string, { options = [] }: Seed, random: Random): FuzzInput => {
    const [tool, ...argv] = random.pick(commands);
    const compiles = tool === "tt-step" && argv[0] !== "learn";
    const target = compiles && random.below(2) === 0 ? ["--target", random.pick(TARGETS)] : [];
    const version = compiles && random.below(4) === 0 ? ["--triton", random.pick(VERSIONS)] : [];
    return {
      tool,
      argv: [...argv.map((arg) => (arg === "FILE" ? name : arg)), ...target, ...version, ...options],
      files: { [name]: text },
    };
  };

/** Values of IR to ask for: some exist in most texts. */
const STEP_COMMANDS: readonly (readonly [Tool, ...string[]])[] = [
  ["tt-step", "FILE", "--list"],
  ["tt-step", "FILE", "--print-after-change", "--debug-info"],
  ["tt-step", "FILE", "--emit", "ttgir"],
  ["tt-step", "FILE", "--emit", "ptx"],
  ["tt-step", "FILE", "--emit", "llir"],
  ["tt-step", "FILE", "--codegen"],
  ["tt-step", "FILE", "--findings"],
  ["tt-step", "FILE", "--axis-info"],
  ["tt-step", "FILE", "--why", "%0"],
  ["tt-step", "FILE", "--layout", "%3"],
  ["tt-step", "FILE", "--diff", "0..3"],
  ["tt-step", "FILE", "--json"],
  ["tt-step", "FILE", "--export", "x.html"],
  ["tt-step", "FILE", "--against", "num-warps=8"],
  ["tt-step", "FILE", "--against", "triton=3.8"],
  ["tt-step", "run", "FILE", "--max-steps", "2000"],
  ["tt-step", "limits", "FILE", "--grid", "4"],
];
/** For a compilation that was made elsewhere. */
const TRACE_COMMANDS: readonly (readonly [Tool, ...string[]])[] = [
  ["tt-step", "FILE", "--list"],
  ["tt-step", "FILE", "--diff", "1..2"],
  ["tt-step", "FILE", "--why", "%5"],
  ["tt-step", "FILE", "--export", "x.html"],
];
const OPT_COMMANDS: readonly (readonly [Tool, ...string[]])[] = [
  ["tt-opt", "FILE"],
  ["tt-opt", "FILE", "-canonicalize", "-cse"],
  ["tt-opt", "FILE", "--mlir-print-op-generic", "-split-input-file", "-allow-unregistered-dialect"],
  ["tt-opt", "FILE", "--mlir-print-debuginfo", "-sccp", "-loop-invariant-code-motion"],
];
/** A module, read by tt-opt or, where it is a kernel, by tt-step. */
const oneModule =
  (name: string, ...commands: readonly (readonly [Tool, ...string[]])[]): Kind["input"] =>
  (text, seed, random) =>
    oneFile(name, ...OPT_COMMANDS, ...(seed.isKernel ? commands : []))(text, seed, random);
const LAYOUT_TYPE = / -t "([^"]*)"/;
const LAYOUT_OF = / -l "([^"]*)"/;

export const KINDS: readonly Kind[] = [
  {
    name: "ttir",
    seeds: () => modules(/\/(?:arith|math|cf|scf|tt|kernels|seed003|gpu|mutants)\/.*\.(?:mlir|ttir)$|snapshots\/.*\.ttir$/),
    input: oneModule("k.ttir", ...STEP_COMMANDS),
  },
  {
    name: "ttgir",
    seeds: () => modules(/\/(?:ttg|ttng|nvws|amdg|gluon|passes|seed004|why|eras)\/.*\.(?:mlir|ttgir)$|snapshots\/.*\.ttgir$/),
    input: oneModule("k.ttgir", ...STEP_COMMANDS),
  },
  {
    name: "llvm",
    seeds: () => modules(/\/(?:llvm|nvvm|rocdl|lower|target)\/.*\.mlir$|snapshots\/.*\.mlir$/),
    input: oneModule(
      "k.mlir",
      ["tt-step", "FILE", "--emit", "ptx"],
      ["tt-step", "FILE", "--emit", "llir"],
      ["tt-step", "FILE", "--codegen"],
    ),
  },
  {
    name: "ptx",
    seeds: () => fixtures(/\.ptx$/),
    input: oneFile("k.ptx", ["tt-step", "run", "FILE", "--max-steps", "20000"], ["tt-step", "FILE", "--codegen"]),
  },
  {
    name: "python",
    seeds: () => [
      ...fixtures(/(?:kernels|wrong|language|gluon|tours)\/.*\.py$/).filter(({ text }) => text.includes("# tt-step: ")),
      ...goldenKernels(),
    ],
    input: oneFile("k.py", ["tt-step", "FILE", "--print-after", "0", "--debug-info"], ["tt-step", "FILE", "--emit", "ttgir"]),
  },
  {
    name: "log",
    seeds: () => fixtures(/\.log$/, true),
    input: oneFile("k.log", ...TRACE_COMMANDS),
  },
  {
    name: "folder",
    seeds: () => fixtures(/snapshots\/.*\.(?:ttir|ttgir)$/),
    input: (text, { name }, random) => {
      const stage = name.endsWith("ttgir") ? "ttgir" : "ttir";
      const files = {
        [`c/k.${stage}`]: text,
        "c/k.json": '{"name": "k", "target": {"backend": "cuda", "arch": 80}}',
        "c/__grp__k.json": "{}",
      };
      return {
        tool: "tt-step",
        argv: ["c", ...random.pick([["--list"], ["--json"], ["--diff", "0..1"], ["--validate", "--max-steps", "20000"]])],
        files,
      };
    },
  },
  {
    name: "layout",
    seeds: () =>
      fixtures(/layout-seeds\/.*\.txt$/).flatMap(({ text }) =>
        inline(...text.split("\n").filter((line) => LAYOUT_OF.test(line) && LAYOUT_TYPE.test(line))),
      ),
    input: (text, _, random) => {
      const [layout, type] = [LAYOUT_OF.exec(text)?.[1] ?? text, LAYOUT_TYPE.exec(text)?.[1] ?? "tensor<16x16xf16>"];
      return {
        tool: "triton-tensor-layout",
        argv: ["-l", layout, "-t", type, ...random.pick([[], ["-use-hw-view"], ["--json"]])],
        files: {},
      };
    },
  },
  {
    name: "cute",
    seeds: () => {
      const { cases } = JSON.parse(readFileSync("fixtures/cute/random.json", "utf8")) as { cases: readonly (readonly [string, string])[] };
      return [
        ...inline(...cases.map(([, code]) => code)),
        ...inline("((_4,_8),_2):((_16,_1),_8)", "Swizzle<2,3,3> o _0 o (8,32):(32,1)", "(8,(2,2)):(2,(1,16))"),
      ];
    },
    input: (text, _, random) => ({
      tool: "cute-layout",
      argv: /^[\w ]*[(<]?.*:/.test(text) && random.below(2) ? [text] : ["eval", text],
      files: {},
    }),
  },
  {
    name: "json",
    seeds: () =>
      inline(
        '{"scalars": {"n": 100}, "arrays": {"a_ptr": {"kind": "range", "low": 0, "high": 70}}, "grid": [2, 1, 1], "programs": [[0, 0, 0]]}',
        '{"scalars": {"n": 1500}, "arrays": {"a_ptr": {"kind": "zeros"}, "b_ptr": {"kind": "arange"}}, "grid": [3]}',
        '{"arrays": {"a_ptr": {"kind": "permutation", "count": 64}, "b_ptr": {"kind": "monotone", "low": -3, "step": 2}}, "programs": [[1], [0]]}',
        '{"arrays": {"a_ptr": {"kind": "special", "rate": 8, "normal": true}, "b_ptr": {"kind": "edges"}}}',
        '{"scalars": {}, "arrays": {"a_ptr": {"kind": "wide", "use": "bits"}, "b_ptr": {"kind": "random"}}}',
      ),
    input: (text) => ({
      tool: "tt-step",
      argv: ["run", "k.ttir", "--max-steps", "20000"],
      files: { "k.args.json": text, "k.ttir": readFileSync(VECADD, "latin1") },
    }),
  },
  {
    name: "launch",
    seeds: () =>
      inline(
        '{"grid": 2, "args": {"a_ptr": {"file": "a.npy"}, "b_ptr": {"dtype": "fp32", "shape": [4, 512], "init": "arange"}, "c_ptr": {"dtype": "fp32", "shape": [2048], "init": "zeros"}, "n": 1500}}',
        '{"grid": [1, 1, 1], "args": {"a_ptr": {"dtype": "fp32", "shape": [4, 256], "strides": [260, 1], "seed": 3}, "b_ptr": {"file": "a.npy", "dtype": "fp32"}, "c_ptr": {"dtype": "fp32", "shape": [1024]}, "n": true}}',
        '{"grid": [2], "args": {"a_ptr": {"dtype": "fp32", "shape": [64, 64], "box": [64, 32], "swizzle": 128}, "b_ptr": {"dtype": "i32", "shape": [0]}, "c_ptr": {"file": "a.npy"}, "n": 64}}',
      ),
    input: (text, _, random) => launchOf(text, npy("<f4", "False", "(16, 64)", 4096), random),
  },
  {
    name: "npy",
    seeds: () =>
      inline(
        npy("<f4", "False", "(1024,)", 4096),
        npy("<f4", "True", "(4, 256)", 4096),
        npy("<i4", "False", "(2, 2, 256)", 4096),
        npy("|u1", "False", "(64,)", 64),
      ),
    input: (text, _, random) =>
      launchOf(
        '{"grid": 1, "args": {"a_ptr": {"file": "a.npy"}, "b_ptr": {"file": "a.npy"}, "c_ptr": {"file": "a.npy"}, "n": 1024}}',
        text,
        random,
      ),
  },
  {
    name: "mcp",
    seeds: () =>
      inline(
        '{"name": "compile", "arguments": {"path": "k.ttir", "emit": "ptx", "target": "cuda:90", "options": {"num_warps": 8}}}',
        '{"name": "list_passes", "arguments": {"path": "k.ttir", "target": "hip:gfx942", "options": {"num_stages": 2}}}',
        '{"name": "diff_steps", "arguments": {"path": "k.ttir", "from": "0", "to": "coalesce"}}',
        '{"name": "why", "arguments": {"path": "k.ttir", "what": "%9", "at": "cse"}}',
        '{"name": "validate", "arguments": {"path": "k.ttir", "seconds": 1}}',
      ),
    input: (text) => ({ tool: "mcp", argv: [text], files: { "k.ttir": readFileSync(VECADD, "latin1") } }),
  },
  {
    name: "trace",
    seeds: traces,
    input: oneFile("k.json", ...TRACE_COMMANDS),
  },
  {
    name: "tour",
    seeds: () => fixtures(/\.tour\.json$/),
    input: (text, seed, random) => oneFile(seed.name, ["tt-step", "learn", "FILE", "--print"])(text, seed, random),
  },
  {
    name: "config",
    seeds: () =>
      inline('{"theme": "dark", "mouse": true, "keys": {"quit": ["q", "ctrl+c"]}, "defaults": {"target": "cuda:90", "num-warps": 8}}'),
    input: (text) => ({ tool: "config", argv: [], files: { "/config/tt-step/config.json": text } }),
  },
  {
    name: "pipeline",
    seeds: () =>
      inline(
        "--pass-pipeline=builtin.module(canonicalize{max-iterations=10},cse,tritongpu-pipeline{num-stages=3})",
        "--pass-pipeline=builtin.module(convert-triton-to-tritongpu{target=cuda:80 num-warps=4 threads-per-warp=32 num-ctas=1},tritongpu-coalesce)",
        "--convert-triton-to-tritongpu=target=cuda:80 num-warps=4",
        "count(ttg.convert_layout) > 2 && changed(cse) || line(3) == 'x'",
        "--num-warps=8 --num-stages=3 --target=cuda:90 --print-after=canonicalize#3 --stop-after=cse --seed=1",
      ),
    input: (text, _, random) =>
      text.startsWith("count")
        ? { tool: "tt-step", argv: ["bisect", "fixtures/kernels/vecadd.ttir", text], files: {} }
        : { tool: random.below(2) ? "tt-opt" : "tt-step", argv: ["fixtures/kernels/vecadd.ttir", ...text.split(/ (?=--)/)], files: {} },
  },
  {
    name: "validate",
    seeds: () => fixtures(/kernels\/.*\.ttir$|snapshots\/.*\.ttir$/).filter(({ text }) => text.length < 6000),
    input: oneFile("k.ttir", ["tt-step", "FILE", "--validate", "--max-steps", "2000", "--seconds", "0"]),
  },
];

export const corpusOf = (kind: Kind): Corpus => ({ kind, seeds: kind.seeds() });

/** Makes an input of a kind. */
export function makeInput({ kind, seeds }: Corpus, random: Random): FuzzInput {
  const seed = random.pick(seeds);
  return kind.input(mutant(seed.text, random, random.pick(seeds).text), seed, random);
}
