import { expect, test } from "vitest";
import { locationOf } from "../../../explain/provenance.js";
import { initialState } from "../../control/reducer.js";
import { dumpSession, typed } from "../../session.fixture.js";
import { insideOf } from "../../state/places.js";
import type { State } from "../../state/state.js";
import { cursorLine } from "../diff/model.js";

const open = (): State =>
  typed(initialState(dumpSession("fixtures/tui/softmax.log"), { columns: 140, rows: 40 }, { keys: {}, ascii: false, command: [] }), "P");
const lineOf = (state: State): number | undefined => {
  const op = cursorLine(state)?.op ?? 0;
  return op > 0 ? locationOf(state.session.trace, op)?.line : undefined;
};

test("P shows the source beside the diff", () => {
  const beside = open();
  expect(insideOf(beside, "source")!.y).toBe(insideOf(typed(beside, "P"), "diff")!.y - 1);
  expect(insideOf(beside, "diff")!.width).toBeLessThan(insideOf(typed(beside, "P"), "diff")!.width);
});

test("the source follows the cursor of the IR, and the IR that of the source", () => {
  let state = typed(open(), ":tritongpu-coalesce\r2");
  const seen = new Set<number>();
  for (let i = 0; i < 12; i++) {
    state = typed(state, "j");
    const line = lineOf(state);
    if (line === undefined || line > state.session.sources[0]!.lines.length) continue;
    expect(state.view.source.row).toBe(line - 1);
    seen.add(line);
  }
  expect(seen.size).toBeGreaterThan(1);
  const [first] = seen;
  const back = typed(state, `0gg${"j".repeat(first! - 1)}`);
  expect(back.view.source.row).toBe(first! - 1);
  expect(lineOf(back)).toBe(first);
});

test("the IR follows a match of a search in the source too", () => {
  const state = typed(open(), ":tritongpu-coalesce\r0/line 12\r");
  expect(state.view.source.row).toBe(11);
  expect(lineOf(state)).toBe(12);
});

test("without a source P says why, and that there may be one after the compilation", () => {
  const session = { ...dumpSession("fixtures/tui/softmax.log"), sources: [] };
  const pressed = (more: object): string | undefined =>
    typed(initialState({ ...session, ...more }, { columns: 140, rows: 40 }, { keys: {}, ascii: false, command: [] }), "P").message?.text;
  expect(pressed({})).toContain("no location of the input names a file");
  expect(pressed({ progress: { done: 1, total: 9, what: "inline", ms: 0 } })).toContain("still compiling");
});

test.each([
  [80, 24, 40],
  [120, 40, 60],
  [200, 55, 72],
])("the source is half as wide as the screen while it is read, at %ix%i", (columns, rows, width) => {
  const state = initialState(dumpSession("fixtures/tui/softmax.log"), { columns, rows }, { keys: {}, ascii: false, command: [] });
  const read = typed(state, "0");
  expect(insideOf(read, "source")!.width).toBe(width - 2);
  expect(insideOf(typed(read, "1"), "passes")!.width).toBe(insideOf(state, "passes")!.width);
});

test("where there is no room for both, P says what shows the source", () => {
  const narrow = initialState(dumpSession("fixtures/tui/softmax.log"), { columns: 80, rows: 24 }, { keys: {}, ascii: false, command: [] });
  expect(typed(narrow, "P").message?.text).toBe("the source beside the IR needs 120 columns; 0 shows it in place of the passes");
});
