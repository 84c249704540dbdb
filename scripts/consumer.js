// Acts as a user of the library: installs the packed tarball (that of the argument, or a new one) in a project of its own, checks examples/ with
// tsc, and runs them.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const project = mkdtempSync(join(tmpdir(), "tt-step-consumer-"));
const run = (program, args, cwd = project) => execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
try {
  const packed = () => `./${run("npm", ["pack", "--silent", "--pack-destination", project], ".").trim().split("\n").at(-1)}`;
  const [tarball = packed()] = process.argv.slice(2).map((path) => resolve(path));
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  run("npm", ["install", "--silent", "--offline", "--no-audit", "--no-fund", tarball]);
  for (const name of ["@types", "undici-types"]) symlinkSync(resolve("node_modules", name), join(project, "node_modules", name));
  cpSync("examples", project, { recursive: true });
  const compilerOptions = { target: "es2022", lib: ["es2022"], module: "nodenext", strict: true, skipLibCheck: false, types: ["node"] };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  run(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", "."]);
  for (const example of readdirSync("examples").filter((name) => name.endsWith(".ts"))) {
    const printed = run(process.execPath, [example.replace(/ts$/, "js"), resolve("fixtures/kernels/matmul.ttir")]);
    if (printed.trim() === "") throw new Error(`${example} prints nothing`);
    console.log(`${example}: ${printed.trim().split("\n").at(-1)}`);
  }
} finally {
  rmSync(project, { recursive: true, force: true });
}
