/** Random keys at random sizes: nothing is thrown, nothing is too wide or too high, selections stay visible, undo undoes. */
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { readTypedOptions } from "../cli/typed-options.js";
import { type Action, initialState, reduce } from "./control/reducer.js";
import { plainText } from "./draw/ansi.js";
import { textWidth } from "./draw/text-width.js";
import { THEMES } from "./draw/theme.js";
import { type AreaView, type Frame, frame } from "./frame.js";
import { COMMAND_IDS, COMMANDS } from "./keymap.js";
import { charactersOf, type TerminalInput } from "./keys.js";
import { CODEGEN_TABS } from "./panes/codegen/tabs.js";
import { displayOf } from "./panes/diff/model.js";
import { subjectOf } from "./panes/layout/subject.js";
import { selectedRow } from "./panes/passes/model.js";
import { dumpSession, functionsSession, kernelSession } from "./session.fixture.js";
import { insideOf } from "./state/places.js";
import type { Effect, Session, Size, State } from "./state/state.js";

/** `TUI_KEYS=10000 npm test -- random-keys` for the full number. */
const RUNS = Number(process.env["TUI_KEYS"] ?? 60);
let sessions: readonly Session[] = [];
beforeAll(() => {
  sessions = [
    dumpSession("fixtures/tui/softmax.log"),
    dumpSession("fixtures/dumps/2.0.0-vecadd.log"),
    kernelSession("fixtures/kernels/vecadd.ttir", 8),
    functionsSession(),
  ];
});

const keysOf = (...names: readonly string[]): TerminalInput[] => names.map((key) => ({ kind: "key", key }));
const leaves = new Set(["quit", "suspend"]);
const key = fc.constantFrom(
  ...COMMAND_IDS.filter((id) => !leaves.has(id)).flatMap((id) => COMMANDS[id].keys.map((key) => keysOf(...key.split(" ")))),
);
const mouse = (what: "press" | "wheel-up" | "wheel-down", x: number, y: number): TerminalInput[] => [{ kind: "mouse", what, x, y }];
const text = fc.constantFrom(
  ...["load", "convert\r", "%c\r", "zzz\r", "\x7f", "12\r", "tt-step x --diff 3..5\r"].map(charactersOf),
  mouse("press", 19, 4),
  mouse("wheel-up", 59, 8),
  mouse("wheel-down", 59, 8),
  mouse("press", 89, 29),
);
const size = fc.record({ columns: fc.integer({ min: 1, max: 240 }), rows: fc.integer({ min: 1, max: 70 }) });
const event = fc.oneof({ weight: 20, arbitrary: key }, { weight: 3, arbitrary: text }, { weight: 1, arbitrary: size });

function step(before: State, action: Action): State {
  const next = reduce(before, action);
  if (next.past.length > before.past.length) {
    const undone = reduce(next, { type: "command", command: "undo" });
    expect(withoutTops(undone)).toEqual(withoutTops(before));
    expect(undone.session.trace).toBe(before.session.trace);
    expect(undone.session.kernel).toBe(before.session.kernel);
  }
  return next.effects.reduce(perform, reduce(next, { type: "taken" }));
}
/** Acts as the shell does on the state: a what-if gives another session, which `u` takes back. */
function perform(state: State, effect: Effect): State {
  if (effect.kind !== "compile" && effect.kind !== "edit") return state;
  const { session } = state;
  const baseline = { trace: session.trace, settings: session.settings };
  const begun = reduce(state, { type: "begin", session: { ...session, generation: session.generation + 1, baseline } });
  const undone = reduce(begun, { type: "command", command: "undo" });
  expect(undone.session).toBe(session);
  expect(withoutTops(undone)).toEqual(withoutTops(state));
  const redone = reduce(undone, { type: "command", command: "redo" });
  expect(redone.session).toBe(begun.session);
  return begun;
}
const actionsOf = (input: readonly TerminalInput[] | Size): Action[] =>
  "length" in input ? input.map((i) => ({ type: "input", input: i })) : [{ type: "resize", size: input }];

/** Nothing is too wide or too high for its place. */
function checkArea({ area, lines, over }: Frame, columns: number, rows: number): void {
  const size = (view: AreaView): readonly [number, number] => {
    if ("split" in view) {
      const sizes = view.parts.map(size);
      const [widths, heights] = [sizes.map(([w]) => w), sizes.map(([, h]) => h)];
      const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
      return view.split === "row" ? [sum(widths), Math.max(...heights)] : [Math.max(...widths), sum(heights)];
    }
    const widest = Math.max(0, ...[view.title, view.tabs, view.note, ...view.rows].map((row) => textWidth(plainText(row))));
    expect(widest).toBeLessThanOrEqual(view.width - 2);
    expect(view.rows.length).toBeLessThanOrEqual(view.height - 2);
    return [view.width, view.height];
  };
  if (area) expect(size(area)).toEqual([columns, rows - 2]);
  for (const row of lines) expect(textWidth(plainText(row))).toBeLessThanOrEqual(columns);
  if (over) {
    const [width, height] = size(over.box);
    expect(over.x + width).toBeLessThanOrEqual(columns);
    expect(over.y + height).toBeLessThan(rows);
  }
}

function check(state: State): void {
  const { columns, rows } = state.size;
  const shown = frame(state, THEMES.none);
  expect(shown.failure).toBeUndefined();
  checkArea(shown, columns, rows);
  const passes = insideOf(state, "passes");
  const row = selectedRow(state);
  if (passes && row >= 0) {
    expect(row).toBeGreaterThanOrEqual(state.view.passes.top);
    expect(row).toBeLessThan(state.view.passes.top + passes.height);
  }
  const diff = insideOf(state, "diff");
  const length = displayOf(state)?.length ?? 0;
  if (diff && length > 0) {
    expect(state.view.diff.row).toBeGreaterThanOrEqual(state.view.diff.top);
    expect(state.view.diff.row).toBeLessThan(Math.min(length, state.view.diff.top + diff.height));
  }
}

test("random keys", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3 }), size, fc.array(event, { minLength: 1, maxLength: 40 }), (which, start, events) => {
      let state = initialState(sessions[which]!, start, { keys: {}, ascii: false, command: [], readOptions: readTypedOptions });
      check(state);
      for (const input of events) {
        for (const action of actionsOf(input)) state = step(state, action);
        check(state);
      }
    }),
    { numRuns: RUNS },
  );
}, 3_600_000);

test("every tab is drawn at every width", () => {
  const wide = initialState(sessions[2]!, { columns: 100, rows: 30 }, { keys: {}, ascii: false, command: [] });
  const keys = (state: State, typed: string) => charactersOf(typed).reduce((at, input) => step(at, { type: "input", input }), state);
  const converts = keys(wide, ":tritongpu-coalesce\r2/convert_layout\r\x1b");
  expect(subjectOf(converts)).toHaveProperty("name");
  for (const pane of ["3", "4"])
    for (let tab = 0; tab < CODEGEN_TABS.length; tab++)
      for (let columns = 40; columns < 120; columns += 3)
        for (const zoom of ["", "+"])
          check(step(keys(converts, pane + "]".repeat(tab) + zoom), { type: "resize", size: { columns, rows: 26 } }));
});

/** The content of the view, without the scroll positions, which follow from the size. */
function withoutTops({ view }: State): unknown {
  return JSON.parse(JSON.stringify(view, (name, value: unknown) => (name === "top" ? undefined : value)));
}
