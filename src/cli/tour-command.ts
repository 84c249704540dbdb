/** Commands that tours show. */
import { main as cuteMain } from "./cute-layout.js";
import { EXIT, type Io } from "./io.js";
import { main as layoutMain } from "./triton-tensor-layout.js";
import { main as optMain } from "./tt-opt.js";
import { shellWords } from "./typed-options.js";

/** A command of this package. */
export type Main = (argv: readonly string[], io: Io) => number | Promise<number>;

const OTHERS: ReadonlyMap<string, Main> = new Map<string, Main>([
  ["tt-opt", optMain],
  ["triton-tensor-layout", layoutMain],
  ["cute-layout", cuteMain],
]);

/** The output of a command of one of the four programs, with its exit code where it failed. A tour runs nothing else, and writes no file. */
export async function outputOf(command: string, kernel: string, step: Main, io: Io): Promise<string> {
  const words = shellWords(command.replaceAll(/\bKERNEL\b/g, () => `'${kernel.replaceAll("'", "'\\''")}'`));
  if ("error" in words) return `${command}: ${words.error}`;
  const [program, ...argv] = words;
  const main = program === "tt-step" ? step : OTHERS.get(program!);
  if (!main) return `${program} is none of the four programs that a tour may run`;
  let out = "";
  const stream = { write: (text: string) => void (out += text), writeBytes: (text: string) => void (out += text) };
  const writeFile = () => {
    throw Object.assign(new Error("EACCES: a tour writes no files, open"), { code: "EACCES", syscall: "open" });
  };
  const { progress: _, programs: __, runInTerminal: ___, ...rest } = io;
  const code = await main(argv, {
    ...rest,
    stdout: stream,
    stderr: stream,
    writeFile,
    isTerminal: false,
    isInteractive: false,
    hasKeyboard: false,
  });
  return code <= EXIT.difference ? out : `${out}exit code ${code}\n`;
}
