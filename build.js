// Bundles one file per command into dist/. `--bench` adds the benchmarks.
import { existsSync } from "node:fs";
import { build } from "esbuild";

const tools = ["tt-step", "tt-opt", "triton-tensor-layout", "cute-layout"].filter((t) => existsSync(`src/cli/${t}.ts`));
const entries = tools.map((tool) => ({ in: `src/cli/${tool}.ts`, out: tool }));
if (process.argv.includes("--bench")) entries.push({ in: "src/bench/index.ts", out: "bench" });

await build({
  entryPoints: entries,
  outdir: "dist",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  minify: true,
  keepNames: false,
  legalComments: "none",
  logLevel: "warning",
});
