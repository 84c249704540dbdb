// Builds the Python package: `npm run wheel [-- DIR]`, by default into the repository's folder. Needs python3 with pip, which gets hatchling.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [out = "."] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "tt-step-wheel-"));
try {
  execFileSync(process.execPath, ["build.js"], { stdio: "inherit" });
  cpSync("python", folder, { recursive: true, filter: (path) => !path.includes("__pycache__") });
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  const project = join(folder, "pyproject.toml");
  writeFileSync(project, readFileSync(project, "utf8").replace(/^version = .*$/m, `version = "${version}"`));
  // The commands as npm installs them, with the module that `tt-step capture` puts into programs.
  for (const part of ["bin", "dist", "package.json", "THIRD_PARTY.md", "python/tt_step", "fixtures/tours"])
    cpSync(part, join(folder, "tt_step/package", part), { recursive: true, filter: (path) => !path.includes("__pycache__") });
  execFileSync("python3", ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out, folder], { stdio: "inherit" });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
