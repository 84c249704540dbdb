// Bundles the commands into dist/ as chunks that they share, with V8's compiled code beside each: a command then starts without compiling
// its own source, and loads what it runs. `import()` in the source is where a chunk begins. Another version of node ignores the
// compiled code and compiles as usual. `--out DIR TOOL...` builds some commands alone into another folder: for tests in a terminal, and benchmarks.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { build } from "esbuild";

const [option, outdir = "dist", ...named] = process.argv.slice(2);
if (option && option !== "--out") throw new Error(`unknown option ${option}`);
const tools = named.length > 0 ? named : ["tt-step", "tt-opt", "triton-tensor-layout", "cute-layout"];
/** The parts of commands, behind an `import()`, that share much with each other. */
const PARTS = ["ttir", "ttgir", "triton", "dialects", "whole-compiler", "compile-python"];
/** What TTIR of Python needs lies in one file once more. */
const FOR_PYTHON = ["tt-step", "ttir", "compile-python"];
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
const plugins = [inkAtOnce, yogaAtOnce];

rmSync(outdir, { recursive: true, force: true });
const { outputFiles, metafile } = await build({
  ...common,
  plugins,
  entryPoints: tools.map((tool) => ({ in: tool === "bench" ? "src/bench/index.ts" : `src/cli/${tool}.ts`, out: tool })),
  outdir,
  format: "esm",
  splitting: true,
  write: false,
  metafile: true,
});
await build({ ...common, entryPoints: ["src/cli/launch.ts"], outfile: `${outdir}/launch.cjs`, format: "cjs" });
writeChunks();

for (const kind of tools.includes("tt-step") ? ["ir", "python"] : ["ir"]) run(`${outdir}/launch.cjs`, "--make-caches", kind, ...tools);

/**
 * Writes the chunks, as functions that `launch.ts` calls when they are required. Those that are loaded together lie in one file, as files
 * cost more than what is in them: chunks that the same commands need, then those of the same parts.
 */
function writeChunks() {
  const chunks = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const reached = (chunk, seen = new Set()) => {
    seen.add(chunk);
    for (const { path, kind, external } of outputs.get(chunk).imports)
      if (kind === "import-statement" && !external && !seen.has(basename(path))) reached(basename(path), seen);
    return seen;
  };
  const fileOf = new Map();
  const nameOf = (chunk) => chunk.replace(/(?:-[A-Z0-9]{8})?\.js$/, "");
  const entries = [...chunks.keys()].filter((chunk) => outputs.get(chunk).entryPoint);
  const assign = (isUser) => {
    const users = entries.filter(isUser).map((entry) => [nameOf(entry), reached(entry)]);
    for (const chunk of chunks.keys()) {
      const names = users.filter(([, needed]) => needed.has(chunk)).map(([name]) => name);
      if (names.length > 0 && !fileOf.has(chunk)) fileOf.set(chunk, names.join("+"));
    }
  };
  assign((entry) => tools.includes(nameOf(entry)));
  assign((entry) => PARTS.includes(nameOf(entry)));
  for (const rest of entries) assign((entry) => entry === rest);
  const write = (file, isIn) => {
    const functions = [...chunks]
      .filter(([chunk]) => isIn(chunk))
      .map(([chunk, text]) => `${JSON.stringify(chunk)}(exports,require,__dirname){${asFunctionBody(text, fileOf)}}`);
    const text = `({${functions.join(",\n")}})`;
    // Commands read it as latin1, which needs no decoding.
    if (/[^\0-\x7f]/.test(text)) throw new Error(`${file}.cjs is not ASCII`);
    writeFileSync(`${outdir}/${file}.cjs`, text);
  };
  for (const file of new Set(fileOf.values())) write(file, (chunk) => fileOf.get(chunk) === file);
  const python = new Set(entries.filter((entry) => FOR_PYTHON.includes(nameOf(entry))).flatMap((entry) => [...reached(entry)]));
  write("python", (chunk) => python.has(chunk));
}

/**
 * A chunk as the body of a function. Names of other chunks are local variables, as they are in one bundle: no name that is exported is assigned
 * to later, and chunks do not import each other in a circle. A statement that were overlooked would not compile.
 */
function asFunctionBody(esm, fileOf) {
  const required = (from) => `require(${JSON.stringify(from.startsWith("./") ? `${fileOf.get(from.slice(2))}#${from.slice(2)}` : from)})`;
  return esm
    .replaceAll(/\bimport\{([^{}]*)\}from"([^"]+)";/g, (_, names, from) => `var{${names.replaceAll(" as ", ":")}}=${required(from)};`)
    .replaceAll(/\bimport(?:\*as)? ([\w$]+) from"([^"]+)";/g, (_, name, from) => `var ${name}=${required(from)};`)
    .replaceAll(/\bimport"([^"]+)";/g, (_, from) => `${required(from)};`)
    .replaceAll(/\bimport\("(\.[^"]+)"\)/g, (_, from) => `Promise.resolve().then(()=>${required(from)})`)
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
