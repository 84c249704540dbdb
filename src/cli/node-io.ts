import {
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { Bug } from "../support/assert.js";
import { LimitError } from "../support/limits.js";
import { EXIT, type Io, type Programs } from "./io.js";
import { OPTIMIZE_LATER } from "./v8-flags.js";

/** Files larger than this are refused: they would not fit in memory as IR. */
const MAX_FILE_BYTES = 512 * 2 ** 20;

/** Collects output and writes it in large pieces; a reader that closes early ends the program quietly. */
class Output {
  #pending = "";
  constructor(readonly fd: number) {}
  write(text: string): void {
    this.#pending += text;
    if (this.#pending.length > 1 << 16) this.flush();
  }
  flush(): void {
    const bytes = Buffer.from(this.#pending, "latin1");
    this.#pending = "";
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(this.fd, bytes, at);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "EAGAIN") continue;
        if (code === "EPIPE") process.exit(EXIT.ok);
        throw error;
      }
    }
  }
}

/** Runs a command's main on this process: arguments, streams, exit code. Called by the launchers in bin/. */
export async function runMain(
  main: (argv: readonly string[], io: Io) => number | Promise<number>,
  argv: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const stdout = new Output(1);
  const stderr = new Output(2);
  const io: Io = {
    stdout,
    stderr,
    readFile,
    readFolder,
    writeFile(path, text) {
      const temporary = `${path}.${process.pid}.tmp`;
      try {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(temporary, text, "latin1");
        renameSync(temporary, path);
      } catch (error) {
        rmSync(temporary, { force: true });
        throw error;
      }
    },
    programs: PROGRAMS,
    clock: () => performance.now(),
    // node:tty would be the way, but loading it takes a fifth of a short command's time.
    get isTerminal() {
      return fstatSync(1).isCharacterDevice();
    },
    get isInteractive() {
      const { CI, TERM } = process.env;
      if (CI || TERM === "dumb" || !fstatSync(0).isCharacterDevice() || !fstatSync(1).isCharacterDevice()) return false;
      // /dev/null is a character device too.
      const { isatty } = process.getBuiltinModule("node:tty");
      return isatty(0) && isatty(1);
    },
    env: process.env,
  };
  let code: number;
  try {
    code = await main(argv, io);
  } catch (error) {
    stdout.flush();
    const { message } = error as Error;
    const isLimit = error instanceof LimitError;
    const what = error instanceof Bug ? message : `${(error as Error).name}: ${message}`;
    if (isLimit) stderr.write(`${message} [${error.code}]\n`);
    else stderr.write(`internal error: ${what}\nThis is a bug in tt-step. Please report it with the input and the command line.\n`);
    if (process.env["TT_STEP_STACK"]) stderr.write(`${(error as Error).stack}\n`);
    code = isLimit ? EXIT.badInput : EXIT.bug;
  }
  stdout.flush();
  stderr.flush();
  process.exitCode = code;
}

const PROGRAMS: Programs = {
  listFolder: (path) => (statSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path).sort() : []),
  isProgram(path) {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() === true && (stat.mode & 0o111) !== 0;
  },
  runProgram(program, args) {
    // Loaded when a program is run: most commands run none.
    const { spawnSync } = process.getBuiltinModule("node:child_process");
    const { status, stdout, stderr, error } = spawnSync(program, [...args], { encoding: "latin1", maxBuffer: MAX_FILE_BYTES });
    return { status: status ?? 1, output: error ? error.message : stdout + stderr };
  },
  withFolder(use) {
    const folder = mkdtempSync(join(process.env["TMPDIR"] ?? "/tmp", "tt-step-"));
    try {
      return use(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Above this size compiling the parser is part of the wait. */
const LARGE_FILE_BYTES = 2 ** 20;

/** What stood on standard input and in pipes: they can be read once only. */
const piped = new Map<string, string>();

/** The file that was read last: commands look at an input before they read it. */
let last: { readonly path: string; readonly size: number; readonly mtimeMs: number; readonly text: string } | undefined;

export function readFile(path: string): string {
  const known = piped.get(path);
  if (known !== undefined) return known;
  const stat = path === "-" ? undefined : statSync(path);
  if (!stat || stat.isFIFO()) {
    const text = readFileSync(stat ? path : 0, "latin1");
    piped.set(path, text);
    return text;
  }
  const { size, mtimeMs } = stat;
  if (last?.path === path && last.size === size && last.mtimeMs === mtimeMs) return last.text;
  if (size > MAX_FILE_BYTES)
    throw Object.assign(new Error(`the file has ${size} bytes; at most ${MAX_FILE_BYTES} are read`), { code: "EFBIG" });
  // V8 inlines up to 920 bytes of bytecode into one function by default, and compiling that competes with the first parse: with a
  // ninth of it 5 MB are read 20 % faster, and later runs are no slower. Fetched here, as short runs would pay for the module.
  if (size > LARGE_FILE_BYTES) process.getBuiltinModule("node:v8").setFlagsFromString("--max-inlined-bytecode-size-cumulative=100");
  const text = readFileSync(path, "latin1");
  last = { path, size, mtimeMs, text };
  return text;
}

/**
 * Told before an input is read. V8 optimizes a function after so much of its bytecode was run; by its default of 66 KB that takes half of the
 * time of a compilation, and is over too late for most of it. Shorter commands are spared the module, and benchmarks are warm.
 * Of the parser of Python it did so too, in other threads, for a third of the processor time that TTIR of a kernel takes.
 * V8 does not take compiled code that was made under other flags: what is loaded later is compiled again.
 */
export function optimizeLater(): void {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  for (const flag of OPTIMIZE_LATER) setFlagsFromString(flag);
}

function readFolder(path: string): readonly string[] | undefined {
  if (path === "-" || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)))
    .sort();
}

/** Why a file cannot be read or written, in a few words. */
export function fileError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known: Readonly<Record<string, string>> = {
    ENOENT: "no such file or directory",
    EISDIR: "is a directory",
    EACCES: "permission denied",
    ENOTDIR: "not a directory",
    ENOSPC: "no space left",
  };
  return (code && known[code]) ?? message;
}
