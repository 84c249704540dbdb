/** Files: read with an end in sight, and written whole or not at all. Errors are thrown as node does; `fileError` gives the reason. */
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Larger inputs are refused: they would not fit in memory as IR. */
const MAX_BYTES = 500 * 2 ** 20;
/** How long a FIFO may have nobody at its other end. */
const MAX_WAIT_MS = 5000;
const PAUSE_MS = 5;

/** Reads a file, or what a FIFO or standard input (0) holds to its end, as latin1. Devices are refused: they need not have an end. */
export function readText(path: string | 0): string {
  if (path === 0) return readToEnd(0, "standard input", () => true);
  const stat = statSync(path);
  if (stat.isDirectory()) throw fault("EISDIR", "is a directory", path);
  if (stat.isFIFO()) return readFifo(path);
  if (!stat.isFile()) throw fault("EINVAL", "not a regular file", path);
  if (stat.size > MAX_BYTES) throw tooLarge(path);
  // Files of /proc say that they have no bytes.
  return stat.size > 0 ? readFileSync(path, "latin1") : withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, readToEnd);
}

/** Opened without waiting for a writer, as there may never be one; a pipe under /dev/fd has had its writer. */
function readFifo(path: string): string {
  const until = performance.now() + (/^\/(?:dev|proc)\//.test(path) ? 0 : MAX_WAIT_MS);
  const isOver = (): boolean => {
    if (performance.now() > until) return true;
    pause();
    return false;
  };
  return withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, (fd) => readToEnd(fd, path, isOver));
}

/** `isOver` decides at the end of the file, as long as nobody has written. */
function readToEnd(fd: number, path: string, isOver: () => boolean = () => true): string {
  const chunks: Buffer[] = [];
  let size = 0;
  let hasWriter = false;
  for (;;) {
    const chunk = Buffer.allocUnsafe(1 << 16);
    const read = whenReady(() => readSync(fd, chunk), fd);
    if (read === undefined) hasWriter = true;
    else if (read > 0) {
      chunks.push(chunk.subarray(0, read));
      if ((size += read) > MAX_BYTES) throw tooLarge(path);
    } else if (size > 0 || hasWriter || isOver()) return Buffer.concat(chunks).toString("latin1");
  }
}

/** Does what does not block; after a pause undefined where it is not ready yet. Only pipes and terminals become ready. */
function whenReady<T>(body: () => T, fd: number): T | undefined {
  try {
    return body();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || fstatSync(fd).isFile()) throw error;
    pause();
    return undefined;
  }
}
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);

function withFile<T>(path: string, flags: number, use: (fd: number, path: string) => T): T {
  const fd = openSync(path, flags);
  try {
    return use(fd, path);
  } finally {
    closeSync(fd);
  }
}

/** Writes all bytes, with pauses where the other end is slow and the file does not block. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += whenReady(() => writeSync(fd, bytes, at), fd) ?? 0;
}

/**
 * Writes a file so that at every moment the old one or the new one is there whole; a string is latin1. Links are followed, the mode is
 * kept, missing folders are made. A file that is not regular (a device, a FIFO) is written to and stays.
 */
export function writeFile(path: string, data: string | Uint8Array): void {
  const bytes = typeof data === "string" ? Buffer.from(data, "latin1") : data;
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) throw fault("EISDIR", "is a directory", path);
  if (stat?.isFIFO()) return writeFifo(path, bytes);
  if (stat && !stat.isFile()) return withFile(path, constants.O_WRONLY, (fd) => writeAll(fd, bytes));
  if (stat) accessSync(path, constants.W_OK);
  const target = stat ? realpathSync(path) : linkTarget(path);
  makeFolder(dirname(target));
  const temporary = beside(target);
  try {
    writeNew(temporary, bytes, stat ? { mode: stat.mode, owner: stat } : {});
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeFifo(path: string, bytes: Uint8Array): void {
  for (const until = performance.now() + MAX_WAIT_MS; ; pause())
    try {
      return withFile(path, constants.O_WRONLY | constants.O_NONBLOCK, (fd) => writeAll(fd, bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
      if (performance.now() > until) throw fault("ENXIO", "nobody reads the FIFO", path);
    }
}

/** Where a new file is made: a link may name one that is not there yet. */
function linkTarget(path: string): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  return isLink ? linkTarget(resolve(realpathSync(dirname(path)), readlinkSync(path))) : path;
}

interface NewFile {
  /** Exactly this mode; else what the umask leaves. */
  readonly mode?: number;
  readonly owner?: Pick<Stats, "uid" | "gid">;
  /** Whether it is on the disk when it was written. */
  readonly sync?: boolean;
}

/** Makes a file that must not be there yet. */
export function writeNew(path: string, data: string | Uint8Array, { mode, owner, sync }: NewFile = {}): void {
  const fd = openSync(path, "wx", (mode ?? 0o666) & 0o777);
  try {
    writeAll(fd, typeof data === "string" ? Buffer.from(data, "latin1") : data);
    // Only root can give files away.
    if (owner && process.geteuid?.() === 0) fchownSync(fd, owner.uid, owner.gid);
    if (mode !== undefined) fchmodSync(fd, mode & 0o7777);
    if (sync) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** A random name in the same folder, as `isBeside` knows it; for names of any length. */
export const beside = (path: string): string => join(dirname(path), `${prefixOf(path)}${Math.random().toString(36).slice(2)}${TEMPORARY}`);
export const isBeside = (path: string, name: string): boolean => name.startsWith(prefixOf(path)) && name.endsWith(TEMPORARY);
const prefixOf = (path: string): string => `.${basename(path).slice(0, 50)}.`;
const TEMPORARY = ".tmp";

/** Makes a folder and those above it. node's own never ends where a folder can hold none, as in /proc. */
export function makeFolder(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return;
  if (stat) throw fault("ENOTDIR", "not a directory", path);
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Whether an error is the file system's: the user's matter, and no bug. */
export const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";

/** The reason of an error of the file system, in a few words. */
export function fileError(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return code === "EISDIR" ? "is a directory" : (/^E[A-Z0-9]+: (.+?), \w+/.exec(message)?.[1] ?? message);
}

/** Path and reason. */
export const fileErrorText = (error: NodeJS.ErrnoException): string =>
  `cannot use ${error.syscall === "uv_cwd" ? "the current folder" : `'${error.path ?? "a file"}'`}: ${fileError(error)}`;

const fault = (code: string, message: string, path: string): Error => Object.assign(new Error(message), { code, path, syscall: "open" });
const tooLarge = (path: string): Error => fault("EFBIG", `more than ${MAX_BYTES} bytes`, path);
