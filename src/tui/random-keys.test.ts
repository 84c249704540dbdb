/** Random keys at random sizes: nothing is thrown, nothing is too wide or too high, selections stay visible, undo undoes. */
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { readTypedOptions } from "../cli/typed-options.js";
import { type Action, initialState, reduce } from "./control/reducer.js";
import { frame } from "./frame.js";
import { COMMAND_IDS, COMMANDS } from "./keymap.js";
import { decodeInput } from "./keys.js";
import { displayOf } from "./panes/diff/model.js";
import { subjectOf } from "./panes/layout/subject.js";
import { selectedRow } from "./panes/passes/model.js";
import { dumpSession, functionsSession, kernelSession } from "./session.fixture.js";
import { insideOf } from "./state/places.js";
import { CODEGEN_TABS, type Effect, type Session, type Size, type State } from "./state/state.js";

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

const BYTES: Readonly<Record<string, string>> = {
  down: "\x1b[B",
  up: "\x1b[A",
  left: "\x1b[D",
  right: "\x1b[C",
  pgdn: "\x1b[6~",
  pgup: "\x1b[5~",
  home: "\x1b[H",
  end: "\x1b[F",
  tab: "\t",
  "shift+tab": "\x1b[Z",
  enter: "\r",
  space: " ",
  esc: "\x1b",
};
const bytesOf = (keys: string): string =>
  keys
    .split(" ")
    .map((key) => BYTES[key] ?? (key.startsWith("ctrl+") ? String.fromCharCode(key.charCodeAt(5) & 31) : key))
    .join("");
const leaves = new Set(["quit", "suspend"]);
const key = fc.constantFrom(...COMMAND_IDS.filter((id) => !leaves.has(id)).flatMap((id) => COMMANDS[id].keys.map(bytesOf)));
const typed = fc.constantFrom(
  "load",
  "convert\r",
  "%c\r",
  "zzz\r",
  "\x7f",
  "12\r",
  "tt-step x --diff 3..5\r",
  "\x1b[<0;20;5M",
  "\x1b[<64;60;9M",
  "\x1b[<65;60;9M",
  "\x1b[<0;90;30M",
  "\x1b[200~",
);
const size = fc.record({ columns: fc.integer({ min: 1, max: 240 }), rows: fc.integer({ min: 1, max: 70 }) });
const event = fc.oneof({ weight: 20, arbitrary: key }, { weight: 3, arbitrary: typed }, { weight: 1, arbitrary: size });

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
/** What the shell does, as far as the state goes: a what-if gives another session, which `u` takes back. */
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
const actionsOf = (input: string | Size): Action[] =>
  typeof input === "string" ? decodeInput(input).map((i) => ({ type: "input", input: i })) : [{ type: "resize", size: input }];

function check(state: State): void {
  const { columns, rows } = state.size;
  const canvas = frame(state);
  expect(canvas.failure).toBeUndefined();
  expect(canvas.width).toBe(columns);
  expect(canvas.height).toBe(Math.max(1, rows - 1));
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
  const keys = (state: State, typed: string) => decodeInput(typed).reduce((at, input) => step(at, { type: "input", input }), state);
  const converts = keys(wide, ":tritongpu-coalesce\r2/convert_layout\r\x1b");
  expect(subjectOf(converts)).toHaveProperty("name");
  for (const pane of ["3", "4"])
    for (let tab = 0; tab < CODEGEN_TABS.length; tab++)
      for (let columns = 40; columns < 120; columns += 3)
        for (const zoom of ["", "+"])
          check(step(keys(converts, pane + "]".repeat(tab) + zoom), { type: "resize", size: { columns, rows: 26 } }));
});

/** What the view says, but for what follows from the size. */
function withoutTops({ view }: State): unknown {
  return JSON.parse(JSON.stringify(view, (name, value: unknown) => (name === "top" ? undefined : value)));
}
