/**
 * Starts a bundled command from V8's compiled code, which the build leaves beside each chunk. Start-up is most of what a
 * short command costs: compiling the source takes as long as node's own start.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";

type Run = (argv?: readonly string[]) => Promise<void>;

/** Runs a command, on this process's arguments unless given others. */
export function launch(tool: string, argv?: readonly string[]): void {
  void command(tool)(argv);
}

const command = (tool: string): Run => (load(`${tool}.cjs`).exports as { readonly run: Run }).run;

interface Chunk {
  readonly exports: object;
  readonly script: Script;
}
const chunks = new Map<string, Chunk>();

/** The chunk of a file in this folder, evaluated once. */
function load(name: string): Chunk {
  const known = chunks.get(name);
  if (known) return known;
  const path = join(__dirname, name);
  const source = `(function(exports,require,__dirname){${readFileSync(path, "latin1")}\n})`;
  const script = new Script(source, { filename: path, cachedData: compiledCode(`${path}.cache`) });
  const chunk: Chunk = { exports: {}, script };
  chunks.set(name, chunk);
  const evaluate = script.runInThisContext() as (exports: object, requires: (id: string) => unknown, folder: string) => void;
  evaluate(chunk.exports, (id) => (id.startsWith("./") ? load(id.slice(2)).exports : require(id)), __dirname);
  return chunk;
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

const WARM_UP: Readonly<Record<string, readonly (readonly string[])[]>> = {
  bench: [["--once", "fixtures/bench/lowered.mlir"]],
  "tt-opt": [["fixtures/kernels/vecadd.ttir"]],
  "tt-step": [
    ["fixtures/kernels/matmul.ttir", "--emit", "ptx"],
    ["fixtures/kernels/seed003_matmul.py", "--signature", PYTHON, "--emit", "ttir"],
  ],
  "triton-tensor-layout": [["-t", "tensor<4x32xf16>", "-l", LAYOUT]],
};

/**
 * Runs a command on a small input, so that what it needs is compiled, and leaves the compiled code of its chunks that have none yet.
 * V8 takes it only under the flags that it was made under: those that commands start with.
 */
async function makeCaches(tool: string): Promise<void> {
  const v8 = process.getBuiltinModule("node:v8");
  const setFlags = v8.setFlagsFromString;
  v8.setFlagsFromString = () => {};
  // What was optimized or has not run for a while is kept too.
  setFlags("--no-flush-bytecode");
  const run = command(tool);
  for (const argv of WARM_UP[tool] ?? [["--version"]]) await run(argv);
  setFlags("--flush-bytecode");
  for (const [name, { script }] of chunks) {
    const path = join(__dirname, `${name}.cache`);
    if (!existsSync(path)) writeFileSync(path, script.createCachedData());
  }
}

// As a program: `launch.cjs TOOL ARGS...`, or `launch.cjs --make-caches TOOL` in the build.
if (require.main === module) {
  const [first = "", ...rest] = process.argv.slice(2);
  if (first === "--make-caches") void makeCaches(rest[0]!);
  else launch(first, rest);
}
