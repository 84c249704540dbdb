/**
 * Starts a bundled command from V8's compiled code, which the build leaves beside the bundle. Start-up is most of what a
 * short command costs: compiling the bundle takes as long as node's own start.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";

interface Bundle {
  readonly run: (argv?: readonly string[]) => Promise<void>;
}

/** Runs a command, on this process's arguments unless given others. */
export function launch(tool: string, argv: readonly string[] = process.argv.slice(2)): void {
  void load(tool).bundle.run(argv);
}

/**
 * V8 optimizes a function after so much of its bytecode was run; by its default of 66 KB that took half of the time of a compilation,
 * and was over too late for most of it. Shorter commands are spared the module, and benchmarks are warm. V8 takes compiled code only under the flags that it
 * was made under, so they are set first.
 */
function setFlags(tool: string): void {
  if (tool === "tt-step") process.getBuiltinModule("node:v8").setFlagsFromString("--interrupt-budget=500000");
}

function load(tool: string): { readonly script: Script; readonly bundle: Bundle } {
  setFlags(tool);
  const path = join(__dirname, `${tool}.cjs`);
  const cache = join(__dirname, `${tool}.cache`);
  const source = `(function (exports, require, module) {${readFileSync(path, "utf8")}\n})`;
  const script = new Script(source, { filename: path, ...(existsSync(cache) ? { cachedData: readFileSync(cache) } : {}) });
  const module: { exports: unknown } = { exports: {} };
  (script.runInThisContext() as (exports: unknown, require: NodeJS.Require, module: { exports: unknown }) => void)(
    module.exports,
    createRequire(path),
    module,
  );
  return { script, bundle: module.exports as Bundle };
}

const PYTHON = "*fp16:16, *fp16:16, *fp32:16, i32:16, 1, i32, 1, i32, 1, 16, 8, 64, 16, 8, 16";
const LAYOUT = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>";

/** Compiles a command, runs it on a small input so that what it needs is compiled too, and leaves the compiled code. */
async function makeCache(tool: string): Promise<void> {
  const { script, bundle } = load(tool);
  const warmUp: Readonly<Record<string, readonly (readonly string[])[]>> = {
    bench: [["--once", "fixtures/bench/lowered.mlir"]],
    "tt-opt": [["fixtures/kernels/vecadd.ttir"]],
    "tt-step": [
      ["fixtures/kernels/matmul.ttir", "--emit", "ptx"],
      ["fixtures/kernels/seed003_matmul.py", "--signature", PYTHON, "--emit", "ttir"],
    ],
    "triton-tensor-layout": [["-t", "tensor<4x32xf16>", "-l", LAYOUT]],
  };
  for (const argv of warmUp[tool] ?? [["--version"]]) await bundle.run(argv);
  writeFileSync(join(__dirname, `${tool}.cache`), script.createCachedData());
}

// As a program: `launch.cjs TOOL ARGS...`, or `launch.cjs --make-cache TOOL` in the build.
if (require.main === module) {
  const [first = "", ...rest] = process.argv.slice(2);
  if (first === "--make-cache") void makeCache(rest[0]!);
  else launch(first, rest);
}
