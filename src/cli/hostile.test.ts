import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LimitError } from "../support/limits.js";
import { memoryIo } from "../testing/memory-io.js";
import { main as cuteLayout } from "./cute-layout.js";
import { main as tensorLayout } from "./triton-tensor-layout.js";
import { main as ttOpt } from "./tt-opt.js";
import { main as ttStep } from "./tt-step.js";

/**
 * Inputs made to break things, in `fixtures/hostile`. `commands.txt` has a command on each `$` line, and what comes of it below: its exit
 * code and the first line that it says. Where real Triton was asked too (`tt-opt`), both take or refuse the same inputs.
 */
const FOLDER = "fixtures/hostile/";
const TABLE = `${FOLDER}commands.txt`;
const TOOLS = { "tt-step": ttStep, "tt-opt": ttOpt, "cute-layout": cuteLayout, "triton-tensor-layout": tensorLayout };

const commands = readFileSync(TABLE, "utf8").match(/^\$ .*$/gm)!;
const told = new Map<string, string>();

test.each(commands)("%s", async (command) => {
  // `(*20000` means 20,000 brackets. File names are relative to the folder.
  const [tool, ...args] = [...command.slice(2).matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) =>
    (quoted ?? plain!).replace(/^(.)\*(\d{3,})$/, (_, c: string, n: string) => c.repeat(Number(n))),
  );
  const io = memoryIo();
  const inFolder = args.map((arg) => (/^[\w.-]+\.(?:ttir|ttgir|mlir|ptx|py|log)$/.test(arg) ? FOLDER + arg : arg));
  let code: number;
  try {
    code = await TOOLS[tool as keyof typeof TOOLS](inFolder, io);
  } catch (error) {
    // As `runMain` does.
    if (!(error instanceof LimitError)) throw error;
    io.stderr.write(`${error.message} [${error.code}]`);
    code = 2;
  }
  const [first = ""] = (io.err() || io.out()).split("\n");
  told.set(command, `${command}\n${code}: ${first.replaceAll(FOLDER, "").slice(0, 200)}\n`);
  expect(code).toBeLessThan(3);
});

test("exit codes and messages", async () => {
  const comments = readFileSync(TABLE, "utf8").split(/^\$.*\n\d: .*\n/gm)[0]!;
  await expect(comments + commands.map((c) => told.get(c)).join("")).toMatchFileSnapshot(`../../${TABLE}`);
});
