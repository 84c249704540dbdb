import type { Progress, Work } from "../support/slices.js";

/** The outside world as a command sees it: given by the launcher, or by a test. */
export interface Io {
  /** `write` is for people and escapes what a terminal would obey; `writeBytes` is exact unless a terminal shows it. */
  readonly stdout: { write(text: string): void; writeBytes(text: string): void };
  readonly stderr: { write(text: string): void };
  /** Reads a file as latin1; `-` is standard input. Throws as node does. */
  readFile(path: string): string;
  /** The files in a folder and its sub-folders, as relative paths in order; undefined when the path is no folder. */
  readFolder(path: string): readonly string[] | undefined;
  /** Writes a file as a whole, so that nothing half-written is left; see `node/files.ts`. */
  writeFile(path: string, text: string): void;
  /** Absent where no other program can be run. */
  readonly programs?: Programs;
  /** Runs a program with our streams and with variables of its environment set; returns its exit code, or why it could not be run. */
  readonly runInTerminal?: (
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ) => number | { readonly error: string };
  /** The folder that this package is installed in; undefined in tests. */
  readonly packageFolder?: string;
  /** Milliseconds. */
  clock(): number;
  /** Shows how far long work is; true if the user has asked to end it. Absent where standard error is no terminal. */
  readonly progress?: (progress: Progress) => Promise<boolean>;
  /** The same for work that cannot halt; a signal ends the program. */
  readonly showProgress?: (progress: Progress) => void;
  /** Whether stdout is a terminal. */
  readonly isTerminal?: boolean;
  /** Whether stdin and stdout are terminals with somebody before them; undefined in tests: nobody is. */
  readonly isInteractive?: boolean;
  /** Whether stdout is a terminal with somebody before it whose keys can be read though stdin is something else. */
  readonly hasKeyboard?: boolean;
  /** The absolute folder that relative paths begin in; undefined in tests. */
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Other programs, and what is needed to run them. */
export interface Programs {
  /** Names in a folder; none when it is not there. */
  listFolder(path: string): readonly string[];
  /** Whether a file is there that may be run. */
  isProgram(path: string): boolean;
  /** Runs a program to its end, or up to a limit of time; `output` is both of its streams, and how it ended where it did not end itself. */
  runProgram(program: string, args: readonly string[]): { readonly status: number; readonly output: string };
  /** Gives a new folder, which is removed afterwards. */
  withFolder<T>(use: (folder: string) => T): T;
}

/** Exit codes; see the command line's contract in the README. */
export const EXIT = { ok: 0, difference: 1, badInput: 2, bug: 3, interrupted: 130 } as const;

export const PREFER_TMEM_16X256 = "TRITON_PREFER_TMEM_16x256_LAYOUT";

/** Does some work, shows how far it is, and ends it early where the user asks for that. */
export async function watched<T>(
  work: Work<T>,
  { progress }: Pick<Io, "progress">,
): Promise<{ readonly value: T; readonly interrupted: boolean }> {
  let interrupted = false;
  for (let next = work.next(); ; next = work.next(interrupted)) {
    if (next.done) return { value: next.value, interrupted };
    interrupted ||= (await progress?.(next.value)) ?? false;
  }
}
