/** Describes an input that cannot be read: its kind, its size, and where it ends. */
import { terminalText } from "../support/terminal-text.js";
import type { Io } from "./io.js";

/** Files of other kinds, by their first bytes. */
const KINDS: readonly (readonly [begins: string, kind: string])[] = [
  ["\x7fELF", "an ELF file, as a cubin or a program is"],
  ["\x1f\x8b", "compressed by gzip"],
  ["\xfd7zXZ", "compressed by xz"],
  ["BZh", "compressed by bzip2"],
  ["PK\x03\x04", "a zip archive"],
  ["\x28\xb5\x2f\xfd", "compressed by zstd"],
  ["BC\xc0\xde", "LLVM bitcode"],
  ["ML\xefR", "MLIR bytecode"],
];

/** Sentences about a file that is no input; none where the message says all: it is empty, or cannot be read. */
export function inputFacts(path: string, io: Io): readonly string[] {
  const folder = io.readFolder(path);
  if (folder)
    return [
      `It is a folder of ${folder.length} file${folder.length === 1 ? "" : "s"}: ${folder.slice(0, 8).join(", ")}${folder.length > 8 ? ", ..." : ""}`,
    ];
  let text: string;
  try {
    text = io.readFile(path);
  } catch {
    return [];
  }
  if (text === "") return [];
  const kind = KINDS.find(([begins]) => text.startsWith(begins))?.[1];
  if (kind !== undefined || text.slice(0, 8192).includes("\0"))
    return [`It has ${text.length} bytes, and is not text${kind === undefined ? "" : `: ${kind}`}.`];
  const lines = text.replace(/\n$/, "").split("\n");
  const last = terminalText(lines.at(-1)!).slice(0, 120);
  const where = text.endsWith("\n") ? "after" : "in the middle of";
  const open = [...text.matchAll(/[{}]/g)].reduce((n, [brace]) => n + (brace === "{" ? 1 : -1), 0);
  const missing = open > 0 ? [`${open} of its braces { ${open === 1 ? "is" : "are"} not closed: the end of the text is missing.`] : [];
  return [
    `It has ${text.length} bytes in ${lines.length} line${lines.length === 1 ? "" : "s"}, and ends ${where} this one:`,
    `    ${last}`,
    ...missing,
  ];
}
