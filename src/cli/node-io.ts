import { closeSync, fstatSync, mkdtempSync, openSync, readdirSync, rmSync, type Stats, statSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { failureOf } from "../node/failure.js";
import { fileError, readText, writeAll, writeFile } from "../node/files.js";
import { terminalText } from "../support/terminal-text.js";
import { printable } from "../support/utf8.js";
import { LineTable } from "../trace/line-table.js";
import { EXIT, type Io, type Programs } from "./io.js";
import { ProgressLine } from "./progress.js";

/** More entries are no folder of dumps. */
const MAX_FOLDER_ENTRIES = 20_000;

/** Collects output and writes it in large pieces. Output that cannot be written is dropped, `error` says why; a closed pipe is none. */
class Output {
  #pending = "";
  #isGone = false;
  error: string | undefined;
  constructor(readonly fd: number) {}
  write(text: string): void {
    this.add(printable(terminalText(text)));
  }
  writeBytes(text: string): void {
    this.add(fstatSync(this.fd).isCharacterDevice() ? terminalText(text) : text);
  }
  private add(text: string): void {
    this.#pending += text;
    if (this.#pending.length > 1 << 16) this.flush();
  }
  flush(): void {
    const bytes = Buffer.from(this.#pending, "latin1");
    this.#pending = "";
    if (this.#isGone) return;
    try {
      writeAll(this.fd, bytes);
    } catch (error) {
      this.#isGone = true;
      if ((error as NodeJS.ErrnoException).code !== "EPIPE") this.error = fileError(error);
    }
  }
}

/** Loaded when a large text is met: most compilations have none, and start sooner without. */
const zlib = () => process.getBuiltinModule("node:zlib");
LineTable.deflater = {
  deflate: (text) => zlib().deflateRawSync(Buffer.from(text, "latin1"), { level: 1 }),
  inflate: (bytes) => zlib().inflateRawSync(bytes).toString("latin1"),
};

/** Runs a command's main on this process: arguments, streams, exit code. Called by the launchers in bin/. */
export async function runMain(
  main: (argv: readonly string[], io: Io) => number | Promise<number>,
  argv: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const stdout = new Output(1);
  const stderr = new Output(2);
  const line = new ProgressLine();
  const io: Io = {
    stdout,
    stderr,
    readFile,
    readFolder,
    writeFile(path, text) {
      // A stream of ours by its name (/dev/stdout): what a file that it goes to has already stays.
      const stat = statSync(path, { throwIfNoEntry: false });
      const stream = stat && [stdout, stderr].find(({ fd }) => isSame(stat, fstatSync(fd)));
      if (stream) stream.writeBytes(text);
      else writeFile(path, text);
    },
    programs: PROGRAMS,
    packageFolder: join(__dirname, ".."),
    runInTerminal(program, args, env) {
      const { spawnSync } = process.getBuiltinModule("node:child_process");
      const { error, status, signal } = spawnSync(program, args, { stdio: "inherit", env: { ...process.env, ...env } });
      if (error) return { error: fileError(error) };
      return status ?? 128 + (signal ? constants.signals[signal] : 0);
    },
    clock: () => performance.now(),
    // node:tty would be the way, but loading it takes a fifth of a short command's time.
    get isTerminal() {
      return fstatSync(1).isCharacterDevice();
    },
    get isInteractive() {
      return takesEscapes() && isTerminal(0) && isTerminal(1);
    },
    get hasKeyboard() {
      return takesEscapes() && isTerminal(1) && canOpenTerminal();
    },
    // Asked only where it matters: the folder may be gone.
    get cwd() {
      return process.cwd();
    },
    env: process.env,
    ...(takesEscapes() && isTerminal(2) ? { progress: line.show, showProgress: line.write } : {}),
  };
  let code: number;
  try {
    code = await main(argv, io);
    line.end();
  } catch (error) {
    line.end();
    stdout.flush();
    const { text, isBug } = failureOf(error);
    stderr.write(`${text}
`);
    if (process.env["TT_STEP_STACK"])
      stderr.write(`${(error as Error).stack}
`);
    code = isBug ? EXIT.bug : EXIT.badInput;
  }
  stdout.flush();
  if (stdout.error !== undefined) stderr.write(`error: cannot write standard output: ${stdout.error}\n`);
  stderr.flush();
  process.exitCode = stdout.error === undefined && stderr.error === undefined ? code : Math.max(code, EXIT.badInput);
}

/** False where terminals take no escape codes (`TERM=dumb`), and under CI, whose logs keep them. */
function takesEscapes(): boolean {
  const { CI, TERM } = process.env;
  return !CI && TERM !== "dumb";
}
/** Whether the program has a terminal, which keys can be read from. */
function canOpenTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
const isTerminal = (fd: number): boolean => fstatSync(fd).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(fd);

const isSame = (a: Stats, b: Stats): boolean => a.dev === b.dev && a.ino === b.ino;

/** Other programs are given up after that long ($TT_STEP_PROGRAM_SECONDS), and when they print more than that many bytes. */
const MAX_PROGRAM_SECONDS = 120;
const MAX_PROGRAM_OUTPUT = 64 * 2 ** 20;

export const PROGRAMS: Programs = {
  listFolder: (path) => (statOf(path)?.isDirectory() ? readdirSync(path).sort() : []),
  isProgram(path) {
    const stat = statOf(path);
    return stat?.isFile() === true && (stat.mode & 0o111) !== 0;
  },
  runProgram(program, args) {
    // Loaded when a program is run: most commands run none.
    const { spawnSync } = process.getBuiltinModule("node:child_process");
    const seconds = Number(process.env["TT_STEP_PROGRAM_SECONDS"]) || MAX_PROGRAM_SECONDS;
    const limits = { maxBuffer: MAX_PROGRAM_OUTPUT, timeout: 1000 * seconds, killSignal: "SIGKILL" } as const;
    const { status, signal, stdout, stderr, error } = spawnSync(program, [...args], { ...limits, encoding: "latin1" });
    const { code } = (error ?? {}) as NodeJS.ErrnoException;
    if (code === "ETIMEDOUT") return { status: 1, output: `${program} has not ended after ${seconds} s` };
    if (error) return { status: 1, output: `${program} cannot be run: ${code === "ENOBUFS" ? "it prints without end" : fileError(error)}` };
    return { status: status ?? 1, output: stdout + stderr + (signal === null ? "" : `${program} was ended by ${signal}\n`) };
  },
  withFolder(use) {
    const folder = mkdtempSync(join(process.env["TMPDIR"] || "/tmp", "tt-step-"));
    try {
      return use(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Above this size compiling the parser is part of the wait. */
const LARGE_FILE_BYTES = 2 ** 20;

/** The text read from standard input and from pipes: they can be read once only. */
const piped = new Map<string, string>();

/** The file that was read last: commands look at an input before they read it. */
let last: { readonly path: string; readonly size: number; readonly mtimeMs: number; readonly text: string } | undefined;

export function readFile(path: string): string {
  const known = piped.get(path);
  if (known !== undefined) return known;
  const stat = path === "-" ? undefined : statSync(path);
  if (!stat?.isFile()) {
    const text = readText(stat ? path : 0);
    piped.set(path, text);
    return text;
  }
  const { size, mtimeMs } = stat;
  if (last?.path === path && last.size === size && last.mtimeMs === mtimeMs) return last.text;
  // V8 inlines up to 920 bytes of bytecode into one function by default, and compiling that competes with the first parse: with a
  // ninth of it 5 MB are read 20 % faster, and later runs are no slower. Fetched here, as short runs would pay for the module.
  if (size > LARGE_FILE_BYTES) process.getBuiltinModule("node:v8").setFlagsFromString("--max-inlined-bytecode-size-cumulative=100");
  const text = readText(path);
  last = { path, size, mtimeMs, text };
  return text;
}

/** The file status of a path; undefined where it cannot be read. Reading the file then reports the error. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function readFolder(path: string): readonly string[] | undefined {
  if (path === "-" || !statOf(path)?.isDirectory()) return undefined;
  const files: string[] = [];
  const folders = [""];
  for (let entries = 0, folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of readdirSync(join(path, folder), { withFileTypes: true })) {
      if (++entries > MAX_FOLDER_ENTRIES)
        throw Object.assign(new Error(`more than ${MAX_FOLDER_ENTRIES} entries`), { code: "EFBIG", syscall: "scandir", path });
      if (entry.isFile()) files.push(join(folder, entry.name));
      else if (entry.isDirectory()) folders.push(join(folder, entry.name));
    }
  return files.sort();
}
