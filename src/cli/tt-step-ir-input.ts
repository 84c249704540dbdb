/** Reads what `tt-step` is given, without the front end for Python: that is loaded for those that need it. */
import type { TargetOptions } from "../backend/targets.js";
import { isPython } from "../compile/is-python.js";
import { readIr } from "../compile/read-ir.js";
import { type Rejected, rejected, type Source, type SourceRequest } from "../compile/source.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { modernText } from "../modernize/modern-text.js";
import { fileError } from "../node/files.js";
import type { ImportOptions } from "../trace/import/import-dump.js";
import type { Io } from "./io.js";
import type { TtStepArgs } from "./tt-step-args.js";

export type Input = Source | Rejected;

/** How an input is read; for Python also what is compiled of it, and for what. */
export interface InputOptions extends ImportOptions {
  readonly python?: TtStepArgs["python"];
  readonly target?: string | undefined;
  readonly options?: Partial<TargetOptions>;
  readonly written?: TtStepArgs["written"];
  readonly language?: TtStepArgs["language"];
  readonly triton?: string | undefined;
}

/** An input that `readInput` reads on: a folder, with its files; Python, with what is known of it. */
type NotIr =
  | { readonly kind: "folder"; readonly files: readonly string[]; readonly options: ImportOptions }
  | { readonly kind: "python"; readonly request: SourceRequest };

/** Reads IR, a log or a Trace. */
export function readIrInput(path: string, io: Io, { python: _, written, ...given }: InputOptions): Input | NotIr {
  const modernize = written?.get("modernize")?.at(-1) as boolean | undefined;
  // Steps of logs are texts.
  const options = modernize ? { ...given, rewrite: (text: string) => modernText(text, ALL_DIALECTS) } : given;
  const files = io.readFolder(path);
  if (files) return { kind: "folder", files, options };
  let text: string;
  try {
    text = io.readFile(path);
  } catch (error) {
    return rejected(`cannot read '${path}': ${fileError(error)}`);
  }
  const request = { ...options, environment: io.env, name: path, text, modernize };
  return isPython(text, path) ? { kind: "python", request } : readIr(request);
}
