import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { main as ttOpt } from "../cli/tt-opt.js";
import { main as ttStep } from "../cli/tt-step.js";
import { fileCheck } from "./filecheck.js";
import { memoryIo } from "./memory-io.js";

const tools = { "tt-opt": ttOpt, "tt-step": ttStep };

const fixtures = readdirSync("fixtures", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".mlir"))
  .map((path) => `fixtures/${path}`)
  .filter((path) => /RUN:/.test(readFileSync(path, "latin1")))
  .sort();

/** Every fixture with RUN lines is one test named by its path: `npm test -- -t ttg/coalesce` runs just that one. */
describe("fixtures", () => {
  for (const path of fixtures) test(path, () => runFixture(path));
});

/** Runs the RUN lines of a fixture in this process: `tt-opt ARGS %s | filecheck %s [--check-prefix=X]`, `not tt-opt ...`. */
async function runFixture(path: string): Promise<void> {
  const text = readFileSync(path, "latin1");
  const commands = [...text.matchAll(/^\s*(?:\/\/|;|#)\s*RUN:\s*(.+)$/gm)].map((m) => m[1]!);
  for (const command of commands) {
    let stdin = "";
    for (const stage of command.split(/\s\|\s/)) {
      const words = split(stage.trim()).map((word) => word.replaceAll("%s", path));
      const fails = words[0] === "not" && words.shift() !== undefined;
      const merge = words.at(-1) === "2>&1" && words.pop() !== undefined;
      const [name, ...argv] = words;
      if (name === "filecheck") {
        const prefixes = argv.filter((a) => a.startsWith("--check-prefix")).flatMap((a) => a.slice(a.indexOf("=") + 1).split(","));
        const problem = fileCheck(text, stdin, prefixes.length > 0 ? prefixes : ["CHECK"]);
        expect(problem, `${path}\n${problem}`).toBeUndefined();
        continue;
      }
      const main = tools[name as keyof typeof tools];
      if (!main) throw new Error(`${path}: RUN names unknown tool '${name}'`);
      const io = memoryIo(stdin);
      const code = await main(argv, io);
      expect(code !== 0, `$ ${stage.trim()}\nexit ${code}\n${io.err()}`).toBe(fails);
      stdin = merge ? io.err() + io.out() : io.out();
    }
  }
}

/** Words of a command, with quotes. */
function split(command: string): string[] {
  return [...command.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}
