/** The theme that is guessed from the terminal's background: terminals that report it, at any time, and terminals that do not. */
import { join } from "node:path";
import { afterEach, expect, inject, test } from "vitest";
import { hexOf, THEMES } from "../../tui/draw/theme.js";
import { ASK_BACKGROUND, REPLY_MS } from "../../tui/terminal-background.js";
import { Pty } from "./pty.js";

const COMMAND = join(inject("built"), "bin/tt-step.js");
const LOG = "fixtures/tui/softmax.log";
const WHITE = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\";
const BLACK = "\x1b]11;rgba:0000/0000/0000/ffff\x07";

let open: Pty[] = [];
afterEach(() => {
  for (const pty of open) pty.kill();
  open = [];
});
function start(argv: readonly string[]): Pty {
  const pty = new Pty(argv, { columns: 120, rows: 40 });
  open.push(pty);
  return pty;
}
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Pieces of input as they come, and milliseconds between them. */
const TERMINALS: readonly (readonly [what: string, theme: "dark" | "light", come: readonly (string | number)[]])[] = [
  ["a light one", "light", [WHITE, "?/qu"]],
  ["a dark one", "dark", [BLACK, "?/qu"]],
  ["one that does not reply", "dark", ["?/qu"]],
  ["one that replies late", "light", ["?/qu", 3 * REPLY_MS, WHITE]],
  ["one that replies among keys", "light", [`?/${WHITE}qu`]],
  ["one whose reply is divided, with keys before and after", "light", ["?/\x1b]11;rgb:ff", 50, "ff/ffff/ffff\x1b", 50, "\\qu"]],
  ["one that reports something else too", "light", [`\x1b[?1;2c${WHITE}?/qu`]],
];
test.each(TERMINALS)("%s", async (_, theme, come) => {
  const pty = start([process.execPath, COMMAND, LOG]);
  await pty.until(() => pty.received.includes(ASK_BACKGROUND), "the question");
  for (const piece of come) await (typeof piece === "number" ? wait(piece) : pty.type(piece));
  await pty.until((s) => s.text.includes("keys /qu_"), "the help, with what was typed", 60_000);
  const { text } = await pty.idle(500);
  expect(text).not.toMatch(/no key|rgb:|11;/);
  const colours = (await pty.runs()).map(({ ink }) => ink);
  const other = theme === "light" ? "dark" : "light";
  expect(colours).toContain(hexOf(THEMES[theme].inks.accent!));
  expect(colours).not.toContain(hexOf(THEMES[other].inks.accent!));
  pty.type("\x1b\x1bq");
  expect(await pty.exited()).toMatchObject({ code: 0 });
});

test("a reply that comes after q is not typed into the shell", async () => {
  const pty = start(["/bin/bash", "--norc", "-i"]);
  pty.type(`'${process.execPath}' '${COMMAND}' ${LOG}; echo over\r`);
  await pty.until(() => pty.received.includes(ASK_BACKGROUND), "the question");
  pty.type("q");
  pty.type(WHITE);
  await pty.until((s) => /^over$/m.test(s.text), "the shell");
  const { text } = await pty.idle(500);
  expect(text).not.toMatch(/rgb:|11;/);
});
