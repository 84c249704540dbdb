// Bundles the commands into dist/ as chunks that they share, with V8's compiled code beside each: a command then starts without compiling
// its own source, and loads what it runs. `import()` in the source is where a chunk begins. Another version of node ignores the
// compiled code and compiles as usual. `--out DIR TOOL...` builds some commands alone into another folder: for tests in a terminal, and benchmarks.
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { build } from "esbuild";

const [option, outdir = "dist", ...named] = process.argv.slice(2);
if (option && option !== "--out") throw new Error(`unknown option ${option}`);
const tools = named.length > 0 ? named : ["tt-step", "tt-opt", "triton-tensor-layout", "cute-layout"];
const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"', "import.meta.url": '"file:///"' },
  external: ["react-devtools-core"],
};

/** A file of the sources that is another in a bundle. */
const replaced = (name, filter, contents) => ({
  name,
  setup: (build) => build.onLoad({ filter }, ({ path }) => ({ contents: contents(path), loader: "js" })),
});
/** The two WebAssembly modules of the parser of Python, and the prelude's trees, lie beside the bundle. */
const wasmBeside = replaced(
  "wasm-beside",
  /python[/\\]wasm\.ts$/,
  () => `import { existsSync, readFileSync } from "node:fs";
const read = (name) => readFileSync(__dirname + "/" + name + ".wasm");
export const readWasm = () => ({ runtime: read("web-tree-sitter"), grammar: read("tree-sitter-python") });
export const readTrees = () => readFileSync(__dirname + "/prelude.json", "utf8");`,
);
/** What Triton writes in Triton: the Python texts are inside the bundle. */
const preludeTexts = replaced("prelude-texts", /prelude[/\\]texts\.ts$/, () => {
  const text = (name) => JSON.stringify(readFileSync(`src/frontend/prelude/${name}.py`, "utf8"));
  const entries = ["standard", "random"].map((name) => `"triton.language.${name}": () => ${text(name)}`);
  return `export const PRELUDE = { ${entries.join(", ")} };`;
});
/** Yoga waits for its WebAssembly while it is loaded, which a CommonJS chunk cannot: here it is ready when asked to be. Ink waits for React's devtools only. */
const inkAtOnce = replaced("ink-at-once", /ink[/\\]build[/\\]reconciler\.js$/, (path) =>
  readFileSync(path, "utf8")
    .replaceAll(/isDev\(\)/g, "false")
    .replaceAll("await import('./devtools.js')", "0")
    .replaceAll("await loadPackageJson()", "{}"),
);
const yogaAtOnce = replaced(
  "yoga-at-once",
  /yoga-layout[/\\]dist[/\\]src[/\\]index\.js$/,
  () => `import load from "../binaries/yoga-wasm-base64-esm.js";
import wrap from "./wrapAssembly.js";
const Yoga = {};
Yoga.ready = load().then((wasm) => void Object.assign(Yoga, wrap(wasm)));
export default Yoga;
export * from "./generated/YGEnums.js";`,
);
const plugins = [wasmBeside, preludeTexts, inkAtOnce, yogaAtOnce];

rmSync(outdir, { recursive: true, force: true });
const { outputFiles } = await build({
  ...common,
  plugins,
  entryPoints: tools.map((tool) => ({ in: tool === "bench" ? "src/bench/index.ts" : `src/cli/${tool}.ts`, out: tool })),
  outdir,
  outExtension: { ".js": ".cjs" },
  format: "esm",
  splitting: true,
  write: false,
});
await build({ ...common, entryPoints: ["src/cli/launch.ts"], outfile: `${outdir}/launch.cjs`, format: "cjs" });
for (const { path, text } of outputFiles) writeFileSync(path, asCommonJs(text));

for (const wasm of ["web-tree-sitter/web-tree-sitter.wasm", "tree-sitter-python/tree-sitter-python.wasm"])
  copyFileSync(`node_modules/${wasm}`, `${outdir}/${basename(wasm)}`);
const makeTrees = `${outdir}/make-trees.cjs`;
await build({ ...common, plugins, entryPoints: ["src/frontend/prelude/make-trees.ts"], outfile: makeTrees, format: "cjs" });
run(makeTrees, `${outdir}/prelude.json`);
rmSync(makeTrees);
for (const tool of tools) run(`${outdir}/launch.cjs`, "--make-caches", tool);

/**
 * A chunk as a CommonJS module. Modules' own names are local variables, as they are in one bundle: no name
 * that is exported is assigned to later, and chunks do not import each other in a circle. A statement that were overlooked would not compile.
 */
function asCommonJs(esm) {
  return esm
    .replaceAll(/\bimport\{([^{}]*)\}from("[^"]+");/g, (_, names, from) => `var{${names.replaceAll(" as ", ":")}}=require(${from});`)
    .replaceAll(/\bimport\*as ([\w$]+) from("[^"]+");/g, "var $1=require($2);")
    .replaceAll(/\bimport ([\w$]+) from("[^"]+");/g, "var $1=require($2);")
    .replaceAll(/\bimport("[^"]+");/g, "require($1);")
    .replaceAll(/\bimport\(("\.[^"]+")\)/g, "Promise.resolve().then(()=>require($1))")
    .replaceAll(/\bimport\(("[^"]+")\)/g, "process.getBuiltinModule($1)")
    .replaceAll(/\bexport\{([^{}]*)\};/g, (_, names) =>
      names
        .split(",")
        .map((name) => name.split(" as "))
        .map(([own, name = own]) => `exports.${name}=${own};`)
        .join(""),
    );
}

function run(...argv) {
  const { status } = spawnSync(process.execPath, argv, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`failed: ${argv.join(" ")}`);
}
