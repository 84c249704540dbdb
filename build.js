// Bundles the package into dist/: the commands in parts that share code, the terminal UI's React and Ink, and the library.
// `--out DIR` makes the package in another folder, `--bench` also bundles the benchmarks.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "es-module-lexer";
import { build } from "esbuild";
import { pageParts } from "./scripts/web-bundles.js";

const { out, bench } = parseArgs({ options: { out: { type: "string", default: "." }, bench: { type: "boolean" } } }).values;

const COMMANDS = ["tt-step", "tt-opt", "triton-tensor-layout", "cute-layout"];

/** Packages that are another in the terminal UI's bundle: expressions for emoji in `string-width` take long to load. */
const alias = { "string-width": "fast-string-width" };
/** Packages that are files of ours in commands. With the first three yargs measures and breaks the lines of help, which is ASCII. */
const plain = Object.fromEntries(
  ["string-width", "strip-ansi", "wrap-ansi", "assert"].map((name) => [name, resolve(`src/cli/plain/${name}.ts`)]),
);
/** Modules of Ink's that are ours in bundles: those in which it measures text, puts it together and writes it, and what would be slow to load. */
const plugins = [
  {
    name: "ink-modules",
    setup: ({ onResolve, onLoad }) => {
      onResolve(
        { filter: /^(?:\.\/(?:output|log-update|sanitize-ansi|measure-text)\.js|widest-line|terminal-size|yoga-layout)$/ },
        ({ path, importer }) =>
          /[/\\]ink[/\\]build[/\\]/.test(importer) ? { path: resolve(`src/tui/ink/${path.replace(/^\.\/|\.js$/g, "")}.ts`) } : undefined,
      );
      // Scripts cannot wait while they are loaded. Ink would for its devtools, which are left out.
      onLoad({ filter: /[/\\]ink[/\\]build[/\\]reconciler\.js$/ }, ({ path }) => ({
        contents: readFileSync(path, "utf8").replace(/\bawait (?=import\(|loadPackageJson)/g, ""),
      }));
    },
  },
];
/** @type {import("esbuild").BuildOptions} */
const common = {
  bundle: true,
  target: "node20",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
  // A file imported for what it does must be in `sideEffects` of package.json.
  logOverride: { "ignored-bare-import": "error" },
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
  alias,
  plugins,
};

/**
 * A command is divided where the source says `import()`. esbuild divides only ES modules, and node 20 takes compiled code only of
 * scripts: each file is made a script after that.
 */
async function command(name, entry = `src/cli/${name}.ts`) {
  const { outputFiles } = await build({
    ...common,
    alias: plain,
    entryPoints: { [name]: entry },
    outdir: `${out}/dist`,
    chunkNames: `${name}-[hash]`,
    outExtension: { ".js": ".cjs" },
    format: "esm",
    splitting: true,
    platform: "node",
    // yargs asks for the one to load files that are not in the bundle; for the other node would make a stream. Neither is needed.
    // yargs asks for the current folder, which may be gone, unless its own path has node_modules in it.
    define: { ...common.define, "import.meta.url": '"file:///node_modules/"', "import.meta": "{}", "process.stdout.columns": "0" },
    write: false,
  });
  mkdirSync(`${out}/dist`, { recursive: true });
  for (const { path, text } of outputFiles) writeFileSync(path, asScript(text));
}

/**
 * An ES module as a script for `bin/load.js`. Its exports are one statement at the end, and nothing exported is assigned to later. Imported
 * names become variables. esbuild would make a getter of each export, which takes longer than to run most modules.
 */
function asScript(text) {
  const [imports, exported] = parse(text);
  let script = '"use strict";';
  let end = 0;
  for (const { ss, se, n, d } of imports) {
    script += text.slice(end, ss);
    end = se;
    const required = `require(${JSON.stringify(n)})`;
    if (d >= 0) script += `Promise.resolve().then(()=>${required})`;
    else {
      const [, name, names] = /^import *(?:(?:\*as )?([\w$]+),?)?(\{.*\})?/.exec(text.slice(ss, se));
      if (name) script += `const ${name}=${required};`;
      script += names ? `const${names.replaceAll(" as ", ":")}=${required}` : required;
    }
  }
  script += text.slice(end, exported.length > 0 ? text.lastIndexOf("export{") : undefined);
  return `${script}module.exports={${exported.map(({ n, ln }) => `${n}:${ln}`)}};`;
}
const module = (name, entry, options) =>
  build({ ...common, entryPoints: [entry], outfile: `${out}/dist/${name}`, format: "esm", ...options });

rmSync(`${out}/dist`, { recursive: true, force: true });
if (out !== ".") for (const part of ["bin", "python", "package.json"]) cpSync(part, `${out}/${part}`, { recursive: true });
await Promise.all([
  ...COMMANDS.map((name) => command(name)),
  ...(bench ? [command("bench", "src/bench/index.ts")] : []),
  // Yoga would `fetch` its own bytes, for which node loads a client of HTTP.
  module("app.cjs", "src/tui/app.tsx", {
    platform: "node",
    format: "cjs",
    define: { ...common.define, fetch: "undefined", "process.env.DEV": "undefined", "import.meta.url": '"file:///"' },
    external: ["*/devtools.js"],
  }),
  // What an exported page consists of.
  pageParts().then((parts) => Promise.all(Object.entries(parts).map(([name, text]) => writeFileSync(`${out}/dist/${name}`, text)))),
  // The library: no node in it.
  module("index.js", "src/index.ts", { platform: "neutral" }),
]);
const { status } = spawnSync(process.execPath, ["scripts/code-cache.cjs", out], { stdio: ["ignore", "ignore", "inherit"] });
if (status !== 0) throw new Error("the commands do not run");
