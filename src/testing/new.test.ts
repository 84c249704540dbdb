/** `npm run new`: an op, a pass and a pane of the generator are registered and do what nothing does. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PASSES as Passes } from "../passes/index.js";
import { memoryIo } from "./memory-io.js";

const folder = mkdtempSync(join(tmpdir(), "tt-step-new-"));
const generate = (...args: readonly string[]) =>
  spawnSync(process.execPath, [resolve("scripts/new.js"), ...args], { cwd: folder, encoding: "utf8" });

interface Bundle {
  readonly PASSES: typeof Passes;
  readonly PANES: Readonly<Record<string, { readonly title: (state: never) => string }>>;
  readonly PANE_TABLE: Readonly<Record<string, { readonly key: string }>>;
  readonly main: typeof import("../cli/tt-opt.js").main;
}
let bundle: Bundle;

beforeAll(async () => {
  cpSync("src", join(folder, "src"), { recursive: true, filter: (path) => !/\.(?:test|fixture)\.tsx?$/.test(path) });
  cpSync("package.json", join(folder, "package.json"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  for (const args of [
    ["op", "math.exp10"],
    ["pass", "triton-drop-asserts"],
    ["pane", "remarks"],
  ])
    expect(generate(...args).stderr).toBe("");
  writeFileSync(
    join(folder, "src/all.ts"),
    'export * from "./passes/index.js"; export * from "./tui/panes/index.js"; export * from "./tui/state/view.js"; export { main } from "./cli/tt-opt.js";',
  );
  const outfile = join(folder, "all.cjs");
  await build({
    entryPoints: [join(folder, "src/all.ts")],
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile,
    logLevel: "error",
    define: { "import.meta.url": '"file:///"' },
  });
  bundle = createRequire(import.meta.url)(outfile) as Bundle;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The output of `tt-opt` on a fixture that was made. */
async function ttOpt(fixture: string, ...flags: readonly string[]): Promise<string> {
  const io = memoryIo();
  expect(await bundle.main([join(folder, fixture), ...flags], io), io.err()).toBe(0);
  return io.out();
}

test("an op is read and printed", async () => {
  expect(await ttOpt("fixtures/math/exp10.mlir")).toContain("math.exp10 %arg0 : i32 -> i32");
});

test("a pass runs", async () => {
  expect(bundle.PASSES.get("triton-drop-asserts")?.name).toBe("TritonDropAsserts");
  expect(await ttOpt("fixtures/tt/drop-asserts.mlir", "-triton-drop-asserts")).toContain("tt.func @f");
});

test("a pane has a title, and the next key", () => {
  expect(bundle.PANES["remarks"]?.title(undefined as never)).toBe("remarks");
  expect(bundle.PANE_TABLE["remarks"]?.key).toBe("6");
});

test("a name that is none says what one is like", () => {
  expect(generate("op", "exp10").stderr).toContain("an op has a name like math.exp10");
  expect(generate("pass", "Nothing").stderr).toContain("a pass has a name like triton-drop-asserts");
  expect(generate("pane", "two words").stderr).toContain("a pane has a name like remarks");
  expect(generate("thing", "x").stderr).toContain("usage: npm run new");
});
