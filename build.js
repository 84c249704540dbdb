// Bundles one file per command into dist/, with V8's compiled code beside each: a command then starts without compiling
// its own source. Another version of node ignores the compiled code and compiles as usual. `--bench` adds the benchmarks.
import { spawnSync } from "node:child_process";
import { build } from "esbuild";

const tools = ["tt-step", "tt-opt", "triton-tensor-layout", "cute-layout"];
if (process.argv.includes("--bench")) tools.push("bench");
const common = { bundle: true, platform: "node", target: "node20", minify: true, legalComments: "none", logLevel: "warning" };

await build({
  ...common,
  entryPoints: [
    ...tools.map((tool) => ({ in: tool === "bench" ? "src/bench/index.ts" : `src/cli/${tool}.ts`, out: tool })),
    { in: "src/cli/launch.ts", out: "launch" },
  ],
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  format: "cjs",
});
for (const tool of tools) {
  const made = spawnSync(process.execPath, ["dist/launch.cjs", "--make-cache", tool], { stdio: ["ignore", "ignore", "inherit"] });
  if (made.status !== 0) throw new Error(`no compiled code for ${tool}`);
}
