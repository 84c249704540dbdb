// Bundles a TypeScript program of the repository and runs it: `node scripts/run-ts.js src/fuzz/index.ts [ARG...]`. For what is run from a
// checkout and is no command of the package.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const [entry, ...argv] = process.argv.slice(2);
const outfile = `node_modules/.cache/${basename(dirname(entry))}-${process.pid}.mjs`;
// Files beside a source are found as if it were not bundled.
const urls = {
  name: "source-urls",
  setup: (build) =>
    build.onLoad({ filter: /prelude[/\\]texts\.ts$|python[/\\]wasm\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll("import.meta.url", JSON.stringify(pathToFileURL(resolve(path)).href)),
      loader: "ts",
    })),
};
await build({
  entryPoints: [entry],
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20",
  format: "esm",
  jsx: "automatic",
  logLevel: "warning",
  keepNames: true,
  sourcemap: "inline",
  plugins: [urls],
  outfile,
});
const { status } = spawnSync(process.execPath, ["--enable-source-maps", outfile, ...argv], { stdio: "inherit" });
rmSync(outfile, { force: true });
process.exit(status ?? 1);
