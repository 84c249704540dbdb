import { expect, test } from "vitest";
import { compareFacts, differenceTable, type FinalFacts } from "./compare-facts.js";

const facts = (instructions: FinalFacts["instructions"], more: Partial<FinalFacts> = {}): FinalFacts => ({
  instructions,
  mma: {},
  sharedBytes: 0,
  layoutConversions: 0,
  ...more,
});

test("instructions are compared in groups, by width, and figures by number", () => {
  const before = facts({ "ld.global.b32": 16, "bar.sync 0": 2, "st.global.v4.b32": 1 }, { sharedBytes: 16, layoutConversions: 2 });
  const after = facts({ "ld.global.v4.b32": 4, "bar.sync 0": 1, "bar.sync 1": 1, "st.global.v4.b32": 1 }, { layoutConversions: 1 });
  expect(differenceTable(compareFacts(before, after))).toEqual([
    "global loads        ld.global.b32 16 -> ld.global.v4.b32 4",
    "shared memory       16 bytes -> 0 bytes",
    "layout conversions  2 -> 1",
  ]);
  expect(compareFacts(before, before)).toEqual([]);
});

test("an instruction that both have is named once", () => {
  expect(compareFacts(facts({ "st.shared.b32": 2 }), facts({ "st.shared.b32": 4 }))).toEqual([
    { what: "shared stores", before: "st.shared.b32 2", after: "4" },
  ]);
});

test("what only one has is none in the other", () => {
  const before = facts({ "bar.sync 0": 2 }, { mma: { "mma.sync.x (16x8x16)": 8 } });
  expect(compareFacts(before, facts({}))).toEqual([
    { what: "barriers", before: "bar.sync 2", after: "none" },
    { what: "tensor cores", before: "mma.sync.x (16x8x16) 8", after: "none" },
  ]);
});

test("registers and spills are compared where both sides were assembled", () => {
  const assembled = (registers: number, spilledBytes: number) => ({ ...facts({}), registers, spilledBytes });
  expect(differenceTable(compareFacts(assembled(64, 0), assembled(255, 96)))).toEqual([
    "registers  64 a thread -> 255 a thread",
    "spills     0 bytes a thread -> 96 bytes a thread",
  ]);
  expect(compareFacts(facts({}), assembled(64, 0))).toEqual([]);
});
