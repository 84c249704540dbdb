/** The components on Ink: what they draw, and what keys they read. */
import { PassThrough } from "node:stream";
import type { ReadStream } from "node:tty";
import { render } from "ink-testing-library";
import { afterEach, expect, test } from "vitest";
import { type Host, Program } from "./app.js";
import { initialState, reduce } from "./control/reducer.js";
import { plainText } from "./draw/ansi.js";
import { THEMES } from "./draw/theme.js";
import { frame } from "./frame.js";
import { asKeys, asPaste, keyboardOf } from "./keyboard.js";
import type { TerminalInput } from "./keys.js";
import { dumpSession, typed } from "./session.fixture.js";
import { placesOf } from "./state/places.js";
import type { State } from "./state/state.js";

const SETTINGS = { keys: {}, ascii: false, command: [] };
const opened = (columns = 100, rows = 30): State => initialState(dumpSession("fixtures/tui/softmax.log"), { columns, rows }, SETTINGS);

let unmount = () => {};
afterEach(() => unmount());
function show(state: State) {
  const inputs: TerminalInput[] = [];
  const host: Host = { stdin: process.stdin, write: () => {}, input: (more) => void inputs.push(...more), failed: () => {} };
  const shown = (at: State) => <Program host={host} frame={frame(at, THEMES.none)} />;
  const ink = render(shown(state));
  unmount = ink.unmount;
  return {
    lines: () => plainText(ink.lastFrame()!).split("\n"),
    change: (at: State) => ink.rerender(shown(at)),
    /** The names of the keys that a terminal's bytes stand for. */
    async press(...chunks: string[]) {
      for (const chunk of chunks) {
        ink.stdin.write(asKeys(chunk));
        // A lone escape counts as a key when nothing follows.
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return inputs.splice(0).map((i) => (i.kind === "key" ? i.key : i.kind === "paste" ? [i.text] : `${i.what} ${i.x},${i.y}`));
    },
  };
}

test("what terminals send", async () => {
  const { press } = show(opened());
  expect(await press("jj\x1b[A\x1b[6~\x1bOH\x1b")).toEqual(["j", "j", "up", "pgdn", "home", "esc"]);
  expect(await press("\x1b[<0;12;3M\x1b[<0;12;3m\x1b[<65;1;1M")).toEqual(["press 11,2", "release 11,2", "wheel-down 0,0"]);
  expect(await press("\x04", " ", "\r", "\t", "\x1b[Z", "\x7f")).toEqual(["ctrl+d", "space", "enter", "tab", "shift+tab", "backspace"]);
  expect(await press("é", "2/tt.load\r\x0c")).toEqual(["é", "2", "/", ..."tt.load", "enter", "ctrl+l"]);
  expect(await press("\x1b[15~", "\x1b[3~")).toEqual(["delete"]);
  expect(await press("\x1bx\x1b/", "\x1b\r\x1b\x0c", "\x1b\x1b[A\x1b[", "\x1b\x1b")).toEqual(
    "esc x esc / esc enter esc ctrl+l esc up esc [ esc esc".split(" "),
  );
  expect(await press(`a${asPaste("q\r😀")}b`)).toEqual(["a", ["q\r😀"], "b"]);
  const long = "x".repeat(200_000);
  expect(await press(asPaste(long))).toEqual([[long]]);
});

test("a sequence that comes in two pieces is one", () => {
  const keys = new PassThrough();
  const keyboard = keyboardOf(keys as unknown as ReadStream, (text) => text);
  const read = (chunk: string) => {
    keys.write(chunk);
    return keyboard.read();
  };
  expect([read("j\x1b[<0;6"), read(";5M\x1b[<0;6;5m\x1b[1"), read(";5Ak\x1b")]).toEqual([
    "j",
    "\x1b[<0;6;5M\x1b[<0;6;5m",
    "\x1b[1;5Ak\x1b",
  ]);
  expect([read("\x1b[20"), read("0~a"), read("b\x1b[201"), read("~c")]).toEqual(["", asPaste("a"), asPaste("b"), "c"]);
});

test.each([
  [200, 55],
  [120, 40],
  [80, 24],
  [60, 20],
])("boxes are where the mouse looks for them, at %ix%i", (columns, rows) => {
  const state = opened(columns, rows);
  const lines = show(state).lines();
  expect(lines).toHaveLength(rows - 1);
  for (const { rect } of placesOf(state).panes) {
    const corner = (x: number, y: number) => [...lines[y]!][x];
    expect([corner(rect.x, rect.y), corner(rect.x + rect.width - 1, rect.y)].join("")).toMatch(/┌┐|╔╗/);
    expect([corner(rect.x, rect.y + rect.height - 1), corner(rect.x + rect.width - 1, rect.y + rect.height - 1)].join("")).toMatch(/└┘|╚╝/);
  }
});

test("keys change what is drawn: another pass, a list over the panes, a prompt, a message", () => {
  const state = opened();
  const { lines, change } = show(state);
  expect(lines().join("\n")).toMatch(/> +source/);
  change(typed(state, ">"));
  expect(lines().join("\n")).toMatch(/>[≠ ]\* rewrite-tensor-po/);
  change(typed(state, "?"));
  expect(lines().join("\n")).toMatch(/╔═ keys ═[\s\S]*║ Move +║/);
  change(typed(state, "1/load"));
  expect(lines().at(-1)).toMatch(/^ filter passes: load/);
  change(reduce(state, { type: "message", text: "what happened\x1b[2J", kind: "info" }));
  expect(lines().at(-1)).toBe(" what happened.[2J");
});
