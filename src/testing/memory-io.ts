import { readdirSync, readFileSync, statSync } from "node:fs";
import type { Io } from "../cli/io.js";
import { terminalText } from "../support/terminal-text.js";

/** Streams in memory: what a command prints can be looked at. Files come from disk unless given here. */
export interface MemoryIo extends Io {
  readonly out: () => string;
  readonly err: () => string;
  readonly written: ReadonlyMap<string, string>;
}
export function memoryIo(stdin = "", files: Readonly<Record<string, string>> = {}): MemoryIo {
  let out = "";
  let err = "";
  const written = new Map<string, string>();
  return {
    stdout: { write: (text) => void (out += terminalText(text)), writeBytes: (text) => void (out += text) },
    stderr: { write: (text) => void (err += terminalText(text)) },
    readFile: (path) => (path === "-" ? stdin : (files[path] ?? readFileSync(path, "latin1"))),
    readFolder: (path) => {
      const inside = Object.keys(files).filter((file) => file.startsWith(`${path}/`));
      if (inside.length > 0) return inside.map((file) => file.slice(path.length + 1)).sort();
      if (path === "-" || path in files || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
      return readdirSync(path, { recursive: true, encoding: "utf8" })
        .filter((f) => statSync(`${path}/${f}`).isFile())
        .sort();
    },
    writeFile: (path, text) => void written.set(path, text),
    clock: () => 0,
    env: {},
    out: () => out,
    err: () => err,
    written,
  };
}
