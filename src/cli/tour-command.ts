/** Commands that tours show. */
import { EXIT, type Io } from "./io.js";
import { shellWords } from "./typed-options.js";

/** A command of this package. */
export type Main = (argv: readonly string[], io: Io) => number | Promise<number>;

/** The output of a command of one of the four programs, with its exit code where it failed. A tour runs nothing else, and writes no file. */
export async function outputOf(command: string, kernel: string, step: Main, io: Io): Promise<string> {
  const words = shellWords(command.replaceAll(/\bKERNEL\b/g, () => `'${kernel.replaceAll("'", "'\\''")}'`));
  if ("error" in words) return `${command}: ${words.error}`;
  const [program, ...argv] = words;
  const main = program === "tt-step" ? step : await otherMain(program);
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

async function otherMain(program: string | undefined): Promise<Main | undefined> {
  switch (program) {
    case "tt-opt":
      return (await import("./tt-opt.js")).main;
    case "triton-tensor-layout":
      return (await import("./triton-tensor-layout.js")).main;
    case "cute-layout":
      return (await import("./cute-layout.js")).main;
    default:
      return undefined;
  }
}
