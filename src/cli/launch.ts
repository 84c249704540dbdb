/**
 * Starts a bundled command from V8's compiled code, which the build leaves beside each file. Start-up is most of what a
 * short command costs: compiling the source takes as long as node's own start.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { OPTIMIZE_LATER } from "./v8-flags.js";

type Run = (argv?: readonly string[]) => Promise<void>;

/**
 * What a command is given most: IR, or Python. Each has compiled code of its own, with the functions that it runs, made under V8's flags for
 * it: V8 takes compiled code under the flags alone that it was made under.
 */
type Kind = "ir" | "python";
let kind: Kind = "ir";

/** Runs a command, on this process's arguments unless given others. */
export function launch(tool: string, argv: readonly string[] = process.argv.slice(2)): void {
  if (argv.some((arg) => arg.endsWith(".py"))) setKind("python");
  void command(tool)(argv).then(() => {
    // Nothing is left to do but to take the heap apart. A thread of the terminal UI has no exit code, and ends by itself.
    if (process.exitCode !== undefined) process.exit();
  });
}

function setKind(asked: Kind): void {
  kind = asked;
  if (kind === "python") for (const flag of PYTHON_FLAGS) process.getBuiltinModule("node:v8").setFlagsFromString(flag);
}

/** Small heaps are collected often: with a larger one at once TTIR of a kernel takes two collections instead of six. */
const PYTHON_FLAGS = ["--semi-space-growth-factor=16", ...OPTIMIZE_LATER];

const command = (tool: string): Run => (required(`${tool}#${tool}.js`) as { readonly run: Run }).run;

/** A file of this folder: functions that evaluate the chunks in it, by their names. */
interface File {
  readonly script: Script;
  readonly chunks: Readonly<Record<string, (exports: object, require: (id: string) => unknown, folder: string) => void>>;
}
const files = new Map<string, File>();
const evaluated = new Map<string, object>();

/** What a chunk exports, named as `file#chunk`, or a module of node's. */
export function required(id: string): unknown {
  const known = evaluated.get(id);
  if (known) return known;
  const [file, chunk] = id.split("#");
  if (chunk === undefined) return require(id);
  // Hundreds of names, written once: an object with a prototype would change its shape at each.
  const exports = Object.create(null) as object;
  evaluated.set(id, exports);
  const inOne = kind === "python" ? load("python").chunks[chunk] : undefined;
  (inOne ?? load(file!).chunks[chunk]!)(exports, required, __dirname);
  return exports;
}

function load(name: string): File {
  const known = files.get(name);
  if (known) return known;
  const path = join(__dirname, `${name}.cjs`);
  const script = new Script(readFileSync(path, "latin1"), { filename: path, cachedData: compiledCode(name) });
  const file: File = { script, chunks: script.runInThisContext() as File["chunks"] };
  files.set(name, file);
  return file;
}

/** A file of compiled code ends with a checksum of the rest. */
const CHECKSUM_BYTES = 4;
const checksum = (code: Buffer): number => process.getBuiltinModule("node:zlib").crc32(code);
const cachePath = (name: string): string => join(__dirname, `${name}.${kind}.cache`);

function compiledCode(name: string): Buffer | undefined {
  try {
    const bytes = readFileSync(cachePath(name));
    const code = bytes.subarray(0, -CHECKSUM_BYTES);
    // V8 runs what it is given: damaged code would end the process.
    return checksum(code) === bytes.readUInt32LE(code.length) ? code : undefined;
  } catch {
    return undefined; // Slower, but the same.
  }
}

const PYTHON = "*fp16:16, *fp16:16, *fp32:16, i32:16, 1, i32, 1, i32, 1, 16, 8, 64, 16, 8, 16";
const LAYOUT = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>";
const DRAWING = join(__dirname, "drawing.svg");
const KERNEL = ["fixtures/kernels/seed003_matmul.py", "--signature", PYTHON, "--emit"];

/** Small inputs, so that what commands need is compiled. A file's code is left after the first step that loads it. */
const WARM_UP: Readonly<Record<Kind, readonly (readonly (readonly [tool: string, ...argv: string[]])[])[]>> = {
  ir: [
    [
      ["bench", "--once", "fixtures/bench/lowered.mlir"],
      ["tt-step", "fixtures/kernels/matmul.ttir", "--emit", "ptx"],
      ["tt-step", "fixtures/kernels/matmul.ttir", "--export", DRAWING],
      ["tt-step", ...KERNEL, "ttir"],
      ["tt-opt", "fixtures/kernels/vecadd.ttir"],
      ["triton-tensor-layout", "-t", "tensor<4x32xf16>", "-l", LAYOUT],
      ["cute-layout", "--version"],
    ],
  ],
  python: [[["tt-step", ...KERNEL, "ttir"]], [["tt-step", ...KERNEL, "ptx"]]],
};

function leaveCode(name: string, code: Buffer): void {
  const end = Buffer.alloc(CHECKSUM_BYTES);
  end.writeUInt32LE(checksum(code));
  writeFileSync(cachePath(name), Buffer.concat([code, end]));
}

/** Runs commands, loads what they did not load, and leaves the compiled code. */
async function makeCaches(asked: Kind, tools: readonly string[]): Promise<void> {
  setKind(asked);
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  process.getBuiltinModule("node:v8").setFlagsFromString = () => {};
  // What was optimized or has not run for a while is kept too.
  setFlagsFromString("--no-flush-bytecode");
  const left = new Set<string>();
  const leave = () => {
    setFlagsFromString("--flush-bytecode");
    for (const [name, { script }] of files) if (!left.has(name)) leaveCode(name, script.createCachedData());
    for (const name of files.keys()) left.add(name);
    setFlagsFromString("--no-flush-bytecode");
  };
  for (const step of WARM_UP[kind]) {
    for (const [tool, ...argv] of step) {
      if (!tools.includes(tool)) continue;
      await command(tool)(argv);
      if (process.exitCode) throw new Error(`failed: ${tool} ${argv.join(" ")}`);
    }
    if (step !== WARM_UP[kind].at(-1)) leave();
  }
  rmSync(DRAWING, { force: true });
  const names = readdirSync(__dirname).filter((name) => /^(?!launch|python).*\.cjs$/.test(name));
  for (const name of names.map((name) => name.replace(/\.cjs$/, "")))
    for (const chunk of Object.keys(load(name).chunks)) required(`${name}#${chunk}`);
  leave();
}

// As a program: `launch.cjs TOOL ARGS...`, or `launch.cjs --make-caches KIND TOOL...` in the build.
if (require.main === module) {
  const [first = "", ...rest] = process.argv.slice(2);
  if (first === "--make-caches") void makeCaches(rest[0] as Kind, rest.slice(1));
  else launch(first, rest);
}
