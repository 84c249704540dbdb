import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { VERSION } from "./version.js";

const folder = mkdtempSync(join(tmpdir(), "tt-step-code-cache-"));
for (const part of ["bin", "dist", "package.json"]) cpSync(join(inject("built"), part), join(folder, part), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Whether V8 took the compiled code of `tt-opt`, and what `tt-opt --version` prints. */
function start(): { readonly taken: boolean; readonly printed: string } {
  const program = `const { load, scripts } = require("./bin/load.js");
    const { run } = load("tt-opt");
    console.log(scripts.get("tt-opt.cjs").cachedDataRejected === false);
    run(["--version"]);`;
  const [taken, printed] = execFileSync(process.execPath, ["-e", program], { cwd: folder, encoding: "utf8" }).split("\n");
  return { taken: taken === "true", printed: printed! };
}

test("compiled code is taken; what is damaged, cut or missing is not, and the command works", () => {
  const printed = `tt-opt ${VERSION}`;
  expect(start()).toEqual({ taken: true, printed });
  const cache = join(folder, "dist/tt-opt.cjs.cache");
  const bytes = readFileSync(cache);
  const middle = bytes.length >> 1;
  writeFileSync(cache, bytes.fill(0xa5, middle, middle + 64));
  expect(start()).toEqual({ taken: false, printed });
  for (const length of [middle, 3, 0]) {
    writeFileSync(cache, bytes.subarray(0, length));
    expect(start(), `${length} bytes`).toEqual({ taken: false, printed });
  }
  rmSync(cache);
  expect(start()).toEqual({ taken: false, printed });
});

test("commands run in a folder that is gone; what needs it says so", () => {
  const gone = (...argv: readonly string[]) => {
    const script = `mkdir gone && cd gone && rmdir ../gone && exec "$@"`;
    return spawnSync("sh", ["-c", script, "sh", process.execPath, join(folder, "bin/tt-step.js"), ...argv], {
      cwd: folder,
      encoding: "utf8",
    });
  };
  writeFileSync(join(folder, "k.ttir"), "tt.func public @k() { tt.return }");
  writeFileSync(join(folder, "k.py"), "import triton\n@triton.jit\ndef k():\n    pass\n");
  expect(gone(join(folder, "k.ttir"), "--emit", "ttir")).toMatchObject({ status: 0, stderr: "" });
  expect(gone(join(folder, "k.py"))).toMatchObject({
    status: 2,
    stderr: "error: cannot use the current folder: no such file or directory\n",
  });
});
