/** The package as `build.js` makes it, in a folder of its own: made once for all tests of the project `package` (`vitest.config.ts`). */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder: `bin/` and `dist/` are in it. Tests must not change it. */
    readonly built: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "tt-step-built-"));
  execFileSync(process.execPath, ["build.js", "--out", folder], { stdio: ["ignore", "ignore", "inherit"] });
  project.provide("built", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
