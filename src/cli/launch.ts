/**
 * Starts a bundled command from V8's compiled code, which the build leaves beside each file. Start-up is most of what a
 * short command costs: compiling the source takes as long as node's own start.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";

type Run = (argv?: readonly string[]) => Promise<void>;

/** Runs a command, on this process's arguments unless given others. */
export function launch(tool: string, argv?: readonly string[]): void {
  // Nothing is left to do then, but to take the heap apart.
  void command(tool)(argv).then(() => process.exit());
}

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
  const exports = {};
  evaluated.set(id, exports);
  load(file!).chunks[chunk]!(exports, required, __dirname);
  return exports;
}

function load(name: string): File {
  const known = files.get(name);
  if (known) return known;
  const path = join(__dirname, `${name}.cjs`);
  const script = new Script(readFileSync(path, "latin1"), { filename: path, cachedData: compiledCode(`${path}.cache`) });
  const file: File = { script, chunks: script.runInThisContext() as File["chunks"] };
  files.set(name, file);
  return file;
}

function compiledCode(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined; // Slower, but the same.
  }
}

const PYTHON = "*fp16:16, *fp16:16, *fp32:16, i32:16, 1, i32, 1, i32, 1, 16, 8, 64, 16, 8, 16";
const LAYOUT = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>";
const DRAWING = join(__dirname, "drawing.svg");

/** Small inputs for each command, so that what it needs is compiled. */
const WARM_UP: Readonly<Record<string, readonly (readonly string[])[]>> = {
  bench: [["--once", "fixtures/bench/lowered.mlir"]],
  "tt-opt": [["fixtures/kernels/vecadd.ttir"]],
  "tt-step": [
    ["fixtures/kernels/matmul.ttir", "--emit", "ptx"],
    ["fixtures/kernels/seed003_matmul.py", "--signature", PYTHON, "--emit", "ttir"],
    ["fixtures/kernels/matmul.ttir", "--export", DRAWING],
  ],
  "triton-tensor-layout": [["-t", "tensor<4x32xf16>", "-l", LAYOUT]],
};

/**
 * Runs commands, loads what they did not load, and leaves the compiled code. V8 takes it only under the flags that it was made under: those
 * that commands start with.
 */
async function makeCaches(tools: readonly string[]): Promise<void> {
  const v8 = process.getBuiltinModule("node:v8");
  const setFlags = v8.setFlagsFromString;
  v8.setFlagsFromString = () => {};
  // What was optimized or has not run for a while is kept too.
  setFlags("--no-flush-bytecode");
  for (const tool of tools)
    for (const argv of WARM_UP[tool] ?? [["--version"]]) {
      await command(tool)(argv);
      if (process.exitCode) throw new Error(`failed: ${tool} ${argv.join(" ")}`);
    }
  rmSync(DRAWING, { force: true });
  const names = readdirSync(__dirname).filter((name) => name.endsWith(".cjs") && name !== "launch.cjs");
  for (const name of names.map((name) => name.replace(/\.cjs$/, "")))
    for (const chunk of Object.keys(load(name).chunks)) required(`${name}#${chunk}`);
  setFlags("--flush-bytecode");
  for (const [name, { script }] of files) writeFileSync(join(__dirname, `${name}.cjs.cache`), script.createCachedData());
}

// As a program: `launch.cjs TOOL ARGS...`, or `launch.cjs --make-caches TOOL...` in the build.
if (require.main === module) {
  const [first = "", ...rest] = process.argv.slice(2);
  if (first === "--make-caches") void makeCaches(rest);
  else launch(first, rest);
}
