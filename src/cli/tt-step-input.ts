/** Reads what `tt-step` is given: a file, a folder or standard input. */

import { resolve } from "node:path";
import type { CudaOptions } from "../backend/nvidia/options.js";
import { type Captured, readCapture } from "../compile/capture.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { isTritonLib } from "../frontend/compile-python.js";
import { isPython, type PythonArguments, type Rejected, readFolder, readSource, rejected, type Source } from "../library/sources.js";
import { DEFAULT_TRITON } from "../library/targets.js";
import { modernText } from "../modernize/modern-text.js";
import { fileError } from "../node/files.js";
import { fromBytes } from "../support/utf8.js";
import type { ImportOptions } from "../trace/import/import-dump.js";
import type { Io } from "./io.js";
import { findTriton, pythonHost } from "./python-path.js";
import type { TtStepArgs } from "./tt-step-args.js";

/** The folder that `tt-step capture` writes, and where a kernel without a signature is looked for. */
export const CAPTURES = "tt-step-capture";

export type Input = Source | Rejected;

/** How an input is read; for Python also what is compiled of it, and for what. */
export interface InputOptions extends ImportOptions {
  readonly python?: TtStepArgs["python"];
  readonly capability?: number | undefined;
  readonly cuda?: Partial<CudaOptions>;
  readonly written?: TtStepArgs["written"];
  readonly language?: TtStepArgs["language"];
  readonly triton?: string | undefined;
}

/** The value of `--triton-lib` that selects tt-step's own library functions. */
export const NO_TRITON = "none";

/** Reads a file, a folder or standard input (`-`). */
export function readInput(path: string, io: Io, { python, written, ...given }: InputOptions): Input {
  const modernize = written?.get("modernize")?.at(-1) as boolean | undefined;
  // Steps of logs are texts.
  const options = modernize ? { ...given, rewrite: (text: string) => modernText(text, ALL_DIALECTS) } : given;
  const folder = io.readFolder(path);
  if (folder) {
    const files = folder.map((file) => ({ path: file, read: () => io.readFile(`${path}/${file}`) }));
    return readFolder(path, files, { ...options, readFile: pythonHost(io).readFile });
  }
  let text: string;
  try {
    text = io.readFile(path);
  } catch (error) {
    return rejected(`cannot read '${path}': ${fileError(error)}`);
  }
  const files = pythonHost(io);
  const { tritonLib: lib, ...said }: Partial<PythonArguments & TtStepArgs["python"]> = python ?? {};
  if (lib !== undefined && lib !== NO_TRITON && isPython(text, path) && !isTritonLib(lib, files.readFile))
    return rejected(`--triton-lib: '${lib}' holds no Triton: there is no language/standard.py in it`);
  return readSource({
    ...options,
    ...files,
    name: path,
    text,
    python: { ...said, captured: capturesOf(path, io) },
    modernize,
    tritonLib: (report) => (lib === NO_TRITON ? undefined : (lib ?? ownTriton(report, options.triton, io))),
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
function ownTriton(report: (diagnostic: Diagnostic) => void, triton = DEFAULT_TRITON.name, io: Io): string | undefined {
  const found = findTriton(io);
  if (!found || found.version.startsWith(`${triton}.`)) return found?.folder;
  const which = `Triton ${found.version} in ${found.folder}`;
  const message = `library functions are those of Triton ${triton}; ${which} is used only if --triton-lib names it (--triton-lib none looks for none)`;
  report({ severity: "remark", code: "python.other-triton", message, notes: [] });
  return undefined;
}
