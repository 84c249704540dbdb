// Bundles a TypeScript program of the repository and runs it: `node scripts/run-ts.js src/fuzz/index.ts [ARG...]`. For what is run from a
// checkout and is no command of the package.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { build } from "esbuild";

const [entry, ...argv] = process.argv.slice(2);
const outfile = `node_modules/.cache/${basename(dirname(entry))}-${process.pid}.mjs`;
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
  outfile,
});
const { status } = spawnSync(process.execPath, ["--enable-source-maps", outfile, ...argv], { stdio: "inherit" });
rmSync(outfile, { force: true });
process.exit(status ?? 1);
