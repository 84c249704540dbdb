/** Names that give terminals orders, in everything that is printed. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderDiagnostic } from "../diagnostics/render.js";
import { memoryIo } from "../testing/memory-io.js";
import { kernelName } from "./snapshot-store.js";
import { main } from "./tt-step.js";

const FILE = "fixtures/hostile/escapes.ttir";
const ORDERS = /[\0-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]/;

test.each([["--list"], ["--codegen"], ["--why", "%0"], ["--emit", "ptx"], ["--json"], ["--diff", "0..1", "--color", "never"]])(
  "%s %s",
  async (...options) => {
    const io = memoryIo();
    expect(await main([FILE, ...options], io)).toBe(0);
    expect(io.out()).toContain("EVIL");
    expect(io.out()).not.toMatch(ORDERS);
  },
);

test("messages, and names of files", async () => {
  const io = memoryIo("", { "x.ttir": 'module { tt.func @x() { tt.call @"y\\1B[31m"() : () -> () tt.return } }' });
  expect(await main(["x.ttir", "--list"], io)).toBe(2);
  expect(io.err()).toContain("'y\\x1b[31m'");
  expect(
    renderDiagnostic({ severity: "error", code: "", message: "m", position: { file: "a\n\x1b[2J", line: 1, column: 1 }, notes: [] }, []),
  ).toBe("a\\n\\x1b[2J:1:1: error: m\n");
});

test("PTX names its files as LLVM does", async () => {
  const io = memoryIo();
  await main([FILE, "--emit", "ptx"], io);
  expect(io.out()).toContain('"f\\033]52;c;AAAA\\007\\033[31m\\342\\200\\256EVIL');
});

test("--no-times: the same bytes on every run", async () => {
  const outputs = async (options: readonly string[], clock: () => number) => {
    const io = { ...memoryIo("", { "k.ttir": "tt.func public @k(%x: i32) {\n  tt.return\n}\n" }), clock };
    await main(["k.ttir", ...options, "--no-times"], io);
    return (io as unknown as ReturnType<typeof memoryIo>).written.get("x.html");
  };
  let now = 0;
  for (const options of [
    ["--list", "-o", "x.html"],
    ["--json", "-o", "x.html"],
    ["--export", "x.html"],
  ]) {
    const text = await outputs(options, () => (now += 17));
    expect(text).toBe(await outputs(options, () => (now += 5)));
    expect(text).toBeDefined();
    // The page's own script has these words.
    if (options[0] !== "--export") expect(text).not.toMatch(/ ms\n|"ms":/);
  }
});

test.each([
  ["vecadd.ttir", "vecadd"],
  ["/a/b/../kernel.ttir", "a"],
  ["src/cli/../kernel.ttir", "src"],
  ["..ttir", "..ttir"],
  [".ttir", ".ttir"],
  ["a/..", /^[^./]+/],
  ["/kernel.ttir", "kernel"],
])("the snapshot of %s is called %s: a folder inside --dir", (path, name) =>
  expect(kernelName(path)).toMatch(name instanceof RegExp ? name : new RegExp(`^${name.replaceAll(".", "\\.")}$`)),
);

test("a log that does not say how many warps there are: --why says the rest", async () => {
  const io = memoryIo("", {});
  expect(readFileSync("fixtures/dumps/2.0.0-gemm.log", "latin1")).toContain("IR Dump After");
  expect(await main(["fixtures/dumps/2.0.0-gemm.log", "--why", "%5"], io)).toBe(0);
  expect(io.out()).toContain("not known: the module does not say how many warps it has");
});
