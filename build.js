// Bundles the package into dist/: each command in one file, the terminal UI's React and Ink in another.
// `--out DIR` makes the package in another folder, `--bench` also bundles the benchmarks.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const { out, bench } = parseArgs({ options: { out: { type: "string", default: "." }, bench: { type: "boolean" } } }).values;

/** Packages that are another in bundles. Expressions for emoji in `string-width` take as long to load as the rest of yargs. */
const alias = { "string-width": "fast-string-width" };
/** Files of packages that are others in bundles: the one in which Ink puts text together. */
const plugins = [
  {
    name: "ink-output",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\.\/output\.js$/ }, ({ importer }) =>
        /[/\\]ink[/\\]build[/\\]/.test(importer) ? { path: resolve("src/tui/ink/output.ts") } : undefined,
      ),
  },
];

const common = {
  bundle: true,
  target: "node20",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
  alias,
  plugins,
};
/** Commands are read as latin1, which esbuild's ASCII is too: V8 needs no decoding. */
const command = (name, entry = `src/cli/${name}.ts`) =>
  build({
    ...common,
    // yargs asks for it to load files that are not in the bundle, and not needed.
    define: { ...common.define, "import.meta.url": '"file:///"' },
    entryPoints: [entry],
    outfile: `${out}/dist/${name}.cjs`,
    format: "cjs",
    platform: "node",
  });
const module = (name, entry, options) =>
  build({ ...common, entryPoints: [entry], outfile: `${out}/dist/${name}.js`, format: "esm", ...options });

const commands = ["tt-step", "tt-opt", "triton-tensor-layout", "cute-layout"];
rmSync(`${out}/dist`, { recursive: true, force: true });
if (out !== ".") for (const part of ["bin", "package.json"]) cpSync(part, `${out}/${part}`, { recursive: true });
await Promise.all([
  ...commands.map((name) => command(name)),
  // Ink and Yoga wait while they are loaded, which only ES modules can; packages in them `require` node's modules. Ink's devtools are left out.
  module("app", "src/tui/app.tsx", {
    platform: "node",
    external: ["*/devtools.js"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  }),
  // The library: no node in it.
  module("index", "src/index.ts", { platform: "neutral" }),
  ...(bench ? [command("bench", "src/bench/index.ts")] : []),
]);
for (const name of bench ? [...commands, "bench"] : commands) {
  const { status } = spawnSync(process.execPath, ["scripts/code-cache.cjs", out, name], { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`${name} does not run`);
}
