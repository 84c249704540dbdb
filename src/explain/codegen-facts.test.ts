import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { importDumpLog } from "../trace/import/import-dump.js";
import type { Trace } from "../trace/trace.js";
import { codegenFacts, lastTtgirStep } from "./codegen-facts.js";
import { linesOfOps } from "./provenance.js";

function facts(file: string): { readonly trace: Trace; readonly text: string[] } {
  const trace = importDumpLog("log", readFileSync(file, "latin1"));
  if ("error" in trace) throw new Error(trace.error);
  const ttgir = lastTtgirStep(trace);
  const text = codegenFacts(trace).map(({ count, instruction, op, source }) => {
    const line = op === undefined ? undefined : linesOfOps(ttgir!.text).get(op);
    const owner = line === undefined ? "?" : /([a-z]+\.\w+)/.exec(trace.lines.line(ttgir!.text.lines[line]!))![1];
    return `${count} ${instruction} <- ${owner}${source ? ` line ${source.line}` : ""}`;
  });
  return { trace, text };
}

test("a dump of Triton 3.6: each access is tied to its op and its line of Python", () => {
  const { text } = facts("fixtures/tui/softmax.log");
  expect(text).toContain("8 ld.global.b32 <- tt.load line 10");
  expect(text).toContain("8 st.global.b32 <- tt.store line 13");
  expect(text.filter((t) => t.startsWith("7 shfl.sync")).map((t) => t.split("<- ")[1])).toEqual(["tt.reduce line 11", "tt.reduce line 13"]);
});

test("older dumps, without and with other spellings", () => {
  expect(facts("fixtures/dumps/3.1.0-vecadd.log").text).toEqual([
    "2 ld.global.v4.b32 <- tt.load line 11",
    "2 ld.global.v4.b32 <- tt.load line 12",
    "2 st.global.v4.b32 <- tt.store line 13",
  ]);
  expect(facts("fixtures/dumps/2.0.0-vecadd.log").text).toContain("2 ld.global.v4.b32 <- tt.load");
});
