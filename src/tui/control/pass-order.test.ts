import { expect, test } from "vitest";
import { kernelSession, screenOf, typed } from "../session.fixture.js";
import type { State, WhatIf } from "../state/state.js";
import { initialState } from "./reducer.js";

const session = kernelSession("fixtures/kernels/vecadd.ttir");
const state = initialState(session, { columns: 140, rows: 40 }, { keys: {}, ascii: false, command: [] });
const asked = ({ effects, message }: State): WhatIf | string => {
  const effect = effects.at(-1);
  return effect?.kind === "compile" ? effect.whatIf : (message?.text ?? "");
};
const with_ = (inserted: readonly string[], disabled: readonly number[] = []): State => ({
  ...state,
  session: { ...session, settings: { ...session.settings!, inserted, disabled } },
});

test("a pass is put in after the selected one", () => {
  const at = typed(state, ":coalesce\r");
  expect(asked(typed(at, "icse\r"))).toMatchObject({ inserted: ["11:cse"], disabled: [] });
  expect(asked(typed(at, "icsee\r"))).toContain("there is no pass 'csee' here");
});

test("a pass is moved before the one before it, and after the one after it", () => {
  const at = typed(state, ":coalesce\r");
  expect(asked(typed(at, "U"))).toMatchObject({ inserted: ["9:tritongpu-coalesce"], disabled: [11] });
  expect(asked(typed(at, "D"))).toMatchObject({ inserted: ["12:tritongpu-coalesce"], disabled: [11] });
  expect(asked(typed(typed(state, ":1\r"), "U"))).toBe("this is the first pass");
});

test("after passes were changed, the place that was changed is shown", () => {
  const at = typed(state, ":coalesce\r");
  for (const [keys, select] of [
    ["U", 10],
    ["D", 12],
    ["x", 11],
    ["icse\r", 12],
  ] as const)
    expect(typed(at, keys).effects.at(-1)).toMatchObject({ kind: "compile", select });
});

test("the menu of what-if names what was changed about the passes", () => {
  const shown = screenOf(typed(with_(["9:tritongpu-remove-layout-conversions"], [11]), "o"));
  expect(shown).toMatch(/11: coalesce +‹ off ›/);
  expect(shown).toContain("after 9: remove-layout-conversions");
});

test("a pass that was moved is one row of that menu, which puts it back", () => {
  const menu = typed(with_(["9:tritongpu-coalesce"], [11]), "o");
  expect(screenOf(menu)).toMatch(/11: coalesce +‹ after 9 ›/);
  expect(screenOf(menu)).not.toContain("after 9: coalesce");
  expect(asked(typed(menu, `${"j".repeat(20)}l\r`))).toMatchObject({ inserted: [], disabled: [] });
});

test("an inserted pass is moved and taken out as another one is", () => {
  // The pass after coalesce is the inserted one.
  const at = typed(with_(["11:cse", "11:canonicalize"]), ":12\r");
  expect(asked(typed(at, "x"))).toMatchObject({ inserted: ["11:canonicalize"], disabled: [] });
  expect(asked(typed(at, "D"))).toMatchObject({ inserted: ["11:canonicalize", "11:cse"], disabled: [] });
  expect(asked(typed(at, "U"))).toMatchObject({ inserted: ["11:canonicalize", "10:cse"], disabled: [] });
});
