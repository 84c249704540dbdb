// Bundles one file per command into dist/, with V8's compiled code beside each: a command then starts without compiling
// its own source. Another version of node ignores the compiled code and compiles as usual. `--bench` adds the benchmarks;
// `--out DIR` builds tt-step alone into another folder, for tests in a terminal.
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { build } from "esbuild";

const out = process.argv.includes("--out") ? process.argv[process.argv.indexOf("--out") + 1] : undefined;
const outdir = out ?? "dist";
const tools = out ? ["tt-step"] : ["tt-step", "tt-opt", "triton-tensor-layout", "cute-layout"];
if (process.argv.includes("--bench")) tools.push("bench");
const common = { bundle: true, platform: "node", target: "node20", minify: true, legalComments: "none", logLevel: "warning" };

/** React and Ink are a chunk of their own, loaded when the terminal UI opens: one-shot commands do not pay for them. */
const uiChunk = {
  name: "ui-chunk",
  setup(build) {
    build.onResolve({ filter: /\/tui\/app\.js$/ }, () => ({ path: "./tui.cjs", external: true }));
  },
};
/** The parser of Python likewise: only Python input loads it, and the two WebAssembly modules beside it. */
const pythonChunk = {
  name: "python-chunk",
  setup(build) {
    build.onResolve({ filter: /\/tree-sitter\.js$/ }, () => ({ path: "./python.cjs", external: true }));
  },
};
const wasmBeside = {
  name: "wasm-beside",
  setup(build) {
    build.onLoad({ filter: /python[/\\]wasm\.ts$/ }, () => ({
      contents: `import { readFileSync } from "node:fs";
const read = (name) => readFileSync(__dirname + "/" + name + ".wasm");
export const readWasm = () => ({ runtime: read("web-tree-sitter"), grammar: read("tree-sitter-python") });
export const readTrees = () => readFileSync(__dirname + "/prelude.json", "utf8");`,
    }));
  },
};
/** What Triton writes in Triton: the Python texts are inside the bundle. */
const preludeTexts = {
  name: "prelude-texts",
  setup(build) {
    build.onLoad({ filter: /prelude[/\\]texts\.ts$/ }, () => {
      const text = (name) => JSON.stringify(readFileSync(`src/frontend/prelude/${name}.py`, "utf8"));
      const entries = ["standard", "random"].map((name) => `"triton.language.${name}": () => ${text(name)}`);
      return { contents: `export const PRELUDE = { ${entries.join(", ")} };`, loader: "js" };
    });
  },
};
/** Yoga waits for its WebAssembly while it is loaded, which a CommonJS chunk cannot: here it is ready when asked to be. Ink waits for React's devtools only. */
const loadedAtOnce = {
  name: "loaded-at-once",
  setup(build) {
    build.onLoad({ filter: /ink[/\\]build[/\\]reconciler\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8")
        .replaceAll(/isDev\(\)/g, "false")
        .replaceAll("await import('./devtools.js')", "0")
        .replaceAll("await loadPackageJson()", "{}"),
      loader: "js",
    }));
    build.onLoad({ filter: /yoga-layout[/\\]dist[/\\]src[/\\]index\.js$/ }, () => ({
      contents: `import load from "../binaries/yoga-wasm-base64-esm.js";
import wrap from "./wrapAssembly.js";
const Yoga = {};
Yoga.ready = load().then((wasm) => void Object.assign(Yoga, wrap(wasm)));
export default Yoga;
export * from "./generated/YGEnums.js";`,
      loader: "js",
    }));
  },
};
await build({
  ...common,
  entryPoints: ["src/tui/app.tsx"],
  outfile: `${outdir}/tui.cjs`,
  format: "cjs",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"', "import.meta.url": '""' },
  external: ["react-devtools-core"],
  plugins: [loadedAtOnce],
});
await build({
  ...common,
  entryPoints: ["src/frontend/python/tree-sitter.ts"],
  outfile: `${outdir}/python.cjs`,
  format: "cjs",
  define: { "import.meta.url": JSON.stringify("file:///") },
  plugins: [wasmBeside],
});
for (const wasm of ["web-tree-sitter/web-tree-sitter.wasm", "tree-sitter-python/tree-sitter-python.wasm"])
  copyFileSync(`node_modules/${wasm}`, `${outdir}/${basename(wasm)}`);
await build({
  ...common,
  plugins: [pythonChunk, preludeTexts],
  supported: { "dynamic-import": false },
  entryPoints: ["src/frontend/prelude/make-trees.ts"],
  outfile: `${outdir}/make-trees.cjs`,
  format: "cjs",
});
run(`${outdir}/make-trees.cjs`, `${outdir}/prelude.json`);
rmSync(`${outdir}/make-trees.cjs`);
await build({
  ...common,
  plugins: [uiChunk, pythonChunk, preludeTexts],
  // A chunk is loaded with require: commands run as scripts, which have no import().
  supported: { "dynamic-import": false },
  entryPoints: [
    ...tools.map((tool) => ({ in: tool === "bench" ? "src/bench/index.ts" : `src/cli/${tool}.ts`, out: tool })),
    { in: "src/cli/launch.ts", out: "launch" },
  ],
  outdir,
  outExtension: { ".js": ".cjs" },
  format: "cjs",
});
for (const tool of tools) run(`${outdir}/launch.cjs`, "--make-cache", tool);

function run(...argv) {
  const { status } = spawnSync(process.execPath, argv, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`failed: ${argv.join(" ")}`);
}
