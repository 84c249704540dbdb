/** Reads what `tt-step` is given: a file, a folder or standard input, Python included. */

import { resolve } from "node:path";
import { type Captured, readCapture } from "../compile/capture.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { isTritonLib } from "../frontend/compile-python.js";
import { type PythonArguments, readFolder, readSource, rejected } from "../library/sources.js";
import { memo } from "../support/memo.js";
import { isNewerTriton, type TritonVersion } from "../support/triton-version.js";
import { fromBytes } from "../support/utf8.js";
import type { Io } from "./io.js";
import { type FoundTriton, findTriton, pythonHost } from "./python-path.js";
import type { TtStepArgs } from "./tt-step-args.js";
import { type Input, type InputOptions, readIrInput } from "./tt-step-ir-input.js";

/** The folder that `tt-step capture` writes, and where a kernel without a signature is looked for. */
export const CAPTURES = "tt-step-capture";

/** The value of `--triton-lib` that selects tt-step's own library functions. */
export const NO_TRITON = "none";

/** Reads a file, a folder or standard input (`-`). */
export function readInput(path: string, io: Io, options: InputOptions): Input {
  const input = readIrInput(path, io, options);
  if (input.kind === "folder") {
    const files = input.files.map((file) => ({ path: file, read: () => io.readFile(`${path}/${file}`) }));
    return readFolder(path, files, { ...input.options, readFile: pythonHost(io).readFile });
  }
  if (input.kind !== "python") return input;
  const { tritonLib: lib, ...said }: Partial<PythonArguments & TtStepArgs["python"]> = options.python ?? {};
  const files = pythonHost(io);
  if (lib !== undefined && lib !== NO_TRITON && !isTritonLib(lib, files.readFile))
    return rejected(`--triton-lib: '${lib}' holds no Triton: there is no language/standard.py in it`);
  // Looked for where a version or a library function depends on it.
  const installed = memo(() => findTriton(io));
  return readSource({
    ...input.request,
    ...files,
    python: { ...said, captured: capturesOf(path, io) },
    installedTriton: () => (lib === undefined ? installed()?.version : undefined),
    tritonLib: (report, triton) => (lib === NO_TRITON ? undefined : (lib ?? ownTriton(report, triton, installed()))),
  });
}

/** What `tt-step capture` kept of a file's kernels, in the folder that it writes unless told otherwise. */
function capturesOf(path: string, io: Io): readonly Captured[] {
  if (io.cwd === undefined) return [];
  const file = resolve(io.cwd, path);
  return (io.programs?.listFolder(CAPTURES) ?? []).flatMap((name) => {
    const folder = `${CAPTURES}/${name}`;
    if (!io.programs!.listFolder(folder).includes("capture.json")) return [];
    const captured = readCapture(folder, fromBytes(io.readFile(`${folder}/capture.json`)));
    return "error" in captured || captured.file !== file ? [] : [captured];
  });
}

/** The folder of the user's Triton if it is one whose functions make the same operations as the followed version's; another is named. */
function ownTriton(
  report: (diagnostic: Diagnostic) => void,
  { name: triton }: TritonVersion,
  found: FoundTriton | undefined,
): string | undefined {
  if (!found || found.version.startsWith(`${triton}.`)) return found?.folder;
  // It is reported where the version is chosen.
  if (isNewerTriton(found.version)) return undefined;
  const which = `${found.version === "" ? "the Triton of no known version" : `Triton ${found.version}`} in ${found.folder}`;
  const message = `library functions are those of Triton ${triton}; ${which} is used only if --triton-lib names it (--triton-lib none looks for none)`;
  report({ severity: "remark", code: "python.other-triton", message, notes: [] });
  return undefined;
}
