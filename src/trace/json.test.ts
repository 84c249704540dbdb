import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { main } from "../cli/tt-step.js";
import { compile } from "../library/compile.js";
import { readSource } from "../library/sources.js";
import { memoryIo } from "../testing/memory-io.js";
import { fromJson, toJson } from "./json.js";
import { checkTraceSchema, TRACE_SCHEMA } from "./schema.js";
import type { Trace } from "./trace.js";

/** The output of a command, which must succeed. */
async function printed(argv: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<string> {
  const io = memoryIo("", files);
  expect([await main(argv, io), io.err()]).toEqual([0, expect.any(String)]);
  return io.out();
}
function read(text: string): Trace {
  const trace = fromJson(text);
  if ("diagnostic" in trace) throw new Error(trace.rendered);
  return trace;
}

const INPUTS = [
  "fixtures/kernels/softmax.ttir",
  "fixtures/kernels/matmul.ttir",
  "fixtures/tui/softmax.log",
  "fixtures/ptx/inline_asm-sm80.ptx",
];

test.each(INPUTS)("%s: the Trace comes back from JSON as it was, locations included", async (input) => {
  const text = await printed([input, "--json", "--no-times"]);
  expect(checkTraceSchema(JSON.parse(text))).toBeUndefined();
  const trace = read(text);
  expect(toJson(trace)).toBe(text);
  expect(trace.locations.places.length > 0).toBe(!input.endsWith(".ptx"));
});

test("tt-step shows a Trace in JSON as it shows the input that it came from", async () => {
  const input = "fixtures/kernels/softmax.ttir";
  const files = { "trace.json": await printed([input, "--json", "--no-times"]) };
  for (const shown of [["--list", "--no-times"], ["--print-after-change"], ["--diff", "convert-triton-to-tritongpu..tritongpu-coalesce"]])
    expect(await printed(["trace.json", ...shown], files)).toBe(await printed([input, ...shown]));
});

test("an AMD kernel's text for execution comes back too", () => {
  const source = readSource({ name: "softmax.ttir", text: readFileSync("fixtures/kernels/softmax.ttir", "latin1") });
  if (source.kind !== "module") throw new Error(source.kind);
  const made = compile(source, { target: "hip:gfx942", artifacts: ["executable"] });
  if (made.kind !== "compiled") throw new Error(made.rendered);
  const text = toJson(made.trace);
  expect(checkTraceSchema(JSON.parse(text))).toBeUndefined();
  expect(read(text).artifacts.executable).toMatch(/^\.version/);
});

test("letters that are not ASCII come back, and the JSON is ASCII", async () => {
  const ptx = ".version 8.0\n.target sm_80\n// \u00c3\u00a9\n";
  const trace = read(await printed(["k.ptx", "--json"], { "k.ptx": ptx }));
  expect(trace.lines.textOf(trace.steps[0]!.text)).toBe(ptx);
  expect(toJson(trace)).toMatch(/^[\0-\x7f]*$/);
  expect(toJson(trace)).toContain("// \\u00e9");
});

test.each([
  ["no JSON", (text: string) => text.slice(0, 100), 1],
  ["another format", (text: string) => text.replace('"format":2', '"format":1'), 1],
  ["an unknown entry", (text: string) => text.replace('"warnings"', '\n"warning"'), 1],
  ["a line outside the table", (text: string) => text.replace(/"lines":\[0,/, '\n"lines":[1000000,'), 2],
  ["steps out of order", (text: string) => text.replace('"index":1,', '\n"index":7,'), 2],
  ["a missing hash", (text: string) => text.replace(/"hashes":\[-?\d+,/, '\n"hashes":['), 2],
])("%s is named with its place", async (_, damage, line) => {
  const io = memoryIo("", { "trace.json": damage(await printed([INPUTS[0]!, "--json"])) });
  expect(await main(["trace.json", "--list"], io)).toBe(2);
  expect(io.err()).toMatch(new RegExp(`^trace\\.json:${line}:\\d+: error: .* \\[trace\\.form\\]\n`));
});

test("the schema that is shipped", async () => {
  await expect(`${JSON.stringify(TRACE_SCHEMA, null, 2)}\n`).toMatchFileSnapshot("../../schemas/trace.json");
  expect(readFileSync("package.json", "utf8")).toContain('"schemas"');
});
