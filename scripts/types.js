// Writes types: the declarations that src/index.ts reaches, for those who import the package.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

const all = mkdtempSync(join(tmpdir(), "tt-step-types-"));
try {
  const tsc = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json", "--outDir", all];
  const { status } = spawnSync(process.execPath, tsc, { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) process.exit(status ?? 1);
  const reached = new Set([join(all, "index.d.ts")]);
  for (const file of reached)
    for (const [, path] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)\.js"/g)) {
      const declared = join(dirname(file), `${path}.d.ts`);
      if (existsSync(declared)) reached.add(declared);
    }
  rmSync("types", { recursive: true, force: true });
  for (const file of reached) {
    const to = join("types", relative(all, file));
    mkdirSync(dirname(to), { recursive: true });
    // An import for its effect declares nothing.
    writeFileSync(to, readFileSync(file, "utf8").replaceAll(/^import "[^"]+";\n/gm, ""));
  }
  console.log(`types: ${reached.size} files`);
} finally {
  rmSync(all, { recursive: true, force: true });
}
