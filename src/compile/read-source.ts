/** Reads the compiler's input, recognised by content: Python kernels, folders, and what `readIr` reads. */
import { TARGETS, unknownTarget } from "../backend/targets.js";
import { tritonCalled, unknownTriton } from "../support/triton-version.js";
import { type FolderFile, importFolder } from "../trace/import/folder.js";
import type { ImportOptions } from "../trace/import/import-dump.js";
import { isPython } from "./is-python.js";
import { kernelMenu } from "./kernel-folder.js";
import { readPythonSource } from "./python-source.js";
import { imported, readIr } from "./read-ir.js";
import { type Rejected, rejected, type Source, type SourceRequest, type TraceSource } from "./source.js";

/** Reads a text. Bad input is `Rejected`; nothing is thrown. */
export function readSource(request: SourceRequest): Source | Rejected {
  const { name, text, triton, target } = request ?? {};
  if (typeof name !== "string" || typeof text !== "string")
    return rejected("readSource takes a name and a text; the text is a string of bytes, as readFileSync(file, 'latin1') returns it");
  if (target !== undefined && !TARGETS.includes(target)) return rejected(unknownTarget(target));
  if (triton !== undefined && !tritonCalled(triton)) return rejected(unknownTriton(triton));
  return isPython(text, name) ? readPythonSource(request) : readIr(request);
}

interface FolderOptions extends ImportOptions {
  /** Reads a file elsewhere: one that a kernel was captured from. */
  readonly readFile?: (path: string) => string | undefined;
}

/** Reads the files of a folder: Triton's cache of a kernel, an IR tree of MLIR, or files of torch.compile, of which one must be chosen. */
export function readFolder(
  name: string,
  files: readonly FolderFile[],
  { readFile = () => undefined, ...options }: FolderOptions = {},
): TraceSource | Rejected {
  return kernelMenu(name, files, readFile) ?? imported(name, importFolder(name, files, options));
}
