/** Frames of which only changes are written show in a terminal what frames that are written whole show. */
import headless from "@xterm/headless";
import fc from "fast-check";
import { expect, test } from "vitest";
import { screenText } from "../app.js";
import { initialState } from "../control/reducer.js";
import { THEMES } from "../draw/theme.js";
import { frame } from "../frame.js";
import { dumpSession, typed } from "../session.fixture.js";
import logUpdate, { changedColumns } from "./log-update.js";

const [WIDTH, HEIGHT] = [20, 4];
const piece = fc.tuple(
  fc.constantFrom("", "\x1b[31m", "\x1b[1;38;5;75m", "\x1b[48;2;1;2;3m"),
  fc.constantFrom("a", "%12 = load", "│", "  ", " ".repeat(13), "0m", "日本", "‹x›", ""),
);
const row = fc
  .array(piece, { maxLength: 4 })
  .map((pieces) => pieces.map(([style, text]) => style + text + (style === "" ? "" : "\x1b[0m")).join(""));
const screen = fc.array(row, { minLength: HEIGHT, maxLength: HEIGHT }).map((rows) => `${rows.join("\n")}\n`);

/** The cells that a terminal shows after some frames, with their looks. */
async function cells(frames: readonly string[], width = WIDTH, height = HEIGHT): Promise<readonly string[]> {
  const terminal = new headless.Terminal({ cols: width, rows: height + 1, allowProposedApi: true });
  const render = logUpdate.create({ write: (text) => terminal.write(text) });
  terminal.write("\x1b[?7lwhat was there");
  for (const frame of frames) render(frame);
  await new Promise<void>((resolve) => terminal.write("", resolve));
  const seen = Array.from({ length: width * height }, (_, i) => {
    const cell = terminal.buffer.active.getLine(Math.floor(i / width))!.getCell(i % width)!;
    return `${cell.getChars() || " "} ${cell.getFgColor()} ${cell.getBgColor()} ${cell.isBold()}`;
  });
  terminal.dispose();
  return seen;
}

test("changes of random frames", async () => {
  await fc.assert(
    fc.asyncProperty(screen, screen, screen, async (a, b, c) => {
      expect(await cells([a, b, c])).toEqual(await cells([c]));
    }),
    { numRuns: 100 },
  );
});

test("screens one after the other", async () => {
  const size = { columns: 120, rows: 40 };
  let state = initialState(dumpSession("fixtures/tui/softmax.log"), size, { keys: {}, ascii: false, command: [] });
  const frames: string[] = [];
  for (const key of ["1", ">", ">", "2", "j", "j", "n", "J", "3", "4", "]", "?", "\x1b", "t", "|", "+", "_", ":"]) {
    state = typed(state, key);
    frames.push(`${screenText(frame(state, { ...THEMES.dark, trueColour: true }))}\n`);
    const at = frames.length - 1;
    if (at > 0) expect(await cells(frames.slice(at - 1), 120, 39), key).toEqual(await cells(frames.slice(at), 120, 39));
  }
});

test("of a row, the changed columns are written; of one with wide characters, all", () => {
  const row = (word: string) => `\x1b[31m│\x1b[0m one ${word} \x1b[31m│\x1b[0m`;
  expect(changedColumns(row("two"), row("six"), 2)).toBe("\x1b[3;7Hsix \x1b[31m│\x1b[0m");
  expect(changedColumns("\x1b[31mab\x1b[0m, and so on", "\x1b[31mac\x1b[0m, and so on", 0)).toBe("\x1b[1;2H\x1b[31mc\x1b[0m");
  expect(changedColumns("two words", "two", 0)).toBe("\x1b[1;4H\x1b[K");
  expect(changedColumns("日a", "日b", 0)).toBe("\x1b[1H\x1b[K日b");
  expect(changedColumns(row("two"), row("two"), 2)).toBe("");
  const blank = " ".repeat(30);
  expect(changedColumns(`${blank}a`, `\x1b[31mb\x1b[0mc${blank}`, 0)).toBe("\x1b[1;1H\x1b[31mb\x1b[0mc\x1b[30X\x1b[30C\x1b[0m");
});
