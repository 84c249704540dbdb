/** The input of a compilation: IR, or a Trace that was made elsewhere; or the reason why there is neither. */

import type { TargetOptions } from "../backend/targets.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import type { PythonHost } from "../frontend/compile-python.js";
import type { Choices, GivenArguments, Proposal } from "../frontend/specialize.js";
import type { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import type { Environment } from "../support/environment.js";
import type { TritonVersion } from "../support/triton-version.js";
import type { ImportOptions } from "../trace/import/import-dump.js";
import type { Trace } from "../trace/trace.js";
import type { Captured } from "./capture.js";

/** The arguments for a Python file: the kernel, its arguments (as `--signature` and its like), names of the module level. */
export interface PythonArguments extends GivenArguments {
  /** `NAME=<Python literal>` */
  readonly defines: readonly string[];
  /** Kernels of the file that were captured: used where no signature is given. */
  readonly captured?: readonly Captured[];
}

/** A request to compile a Python file: its arguments and options, and how its other files are read. */
export interface PythonRequest extends Partial<Pick<PythonHost, "readFile" | "isFolder" | "cwd" | "searchPath" | "env">> {
  readonly python?: Partial<PythonArguments>;
  /** `cuda:90`. The file's own code may ask for it. */
  readonly target?: string | undefined;
  readonly options?: Partial<TargetOptions>;
  /** The version of Triton that is followed: `3.6`, which is the default. */
  readonly triton?: string | undefined;
  /** The version of the user's Triton, `3.8.0`: followed where none is asked for and it is known for the target. */
  readonly installedTriton?: () => string | undefined;
  /** The folder of a Triton of that version whose library functions are used instead of tt-step's own; called once, if the kernel calls some. */
  readonly tritonLib?: (report: (diagnostic: Diagnostic) => void, triton: TritonVersion) => string | undefined;
}

/** A text to read, and for Python what is compiled of it. */
export interface SourceRequest extends ImportOptions, PythonRequest {
  /** The file's name, for messages and locations; `-` is standard input. A name that ends in `.py` is Python. */
  readonly name: string;
  /** The file's bytes, one character each (latin1), as MLIR counts columns. ASCII text is that already; `toBytes` converts other text. */
  readonly text: string;
  /** The language that the IR was made from, `triton` by default; Python says it itself. */
  readonly language?: Context["language"] | undefined;
  /** Environment variables, some of which set options in Triton; the request's and the file's options come first. */
  readonly environment?: Environment;
  /** False keeps IR of another Triton as it is spelt, which no pass of 3.6 knows; true makes no remark of the change. */
  readonly modernize?: boolean | undefined;
}

/** The settings that a file gives for its own compilation; settings of the request come first. */
export interface SourceDefaults {
  /** `cuda:90` */
  readonly target: string | undefined;
  readonly options: Partial<TargetOptions>;
  /** The version of Triton. */
  readonly triton?: string;
}

/** IR that can be compiled. `compile` changes `module` in place. */
export interface ModuleSource {
  readonly kind: "module";
  readonly module: Operation;
  /** Only for Python inputs. */
  readonly defaults?: SourceDefaults;
  readonly python?: PythonKernel;
  /** The settings that the IR depends on; only for Python inputs. */
  readonly madeFor?: { readonly target: string; readonly options: TargetOptions; readonly version: TritonVersion };
  readonly request: SourceRequest;
  /** Reads its text again: for other settings, or as a module that no compilation has changed. */
  readonly readAgain: (request: SourceRequest) => Source | Rejected;
}
/** The kernel of a Python file that a module was made of. */
export interface PythonKernel {
  /** Its arguments, for a form in which they can be changed. */
  readonly proposal: Proposal;
  /** The grid of its launch in the file or its tests, for the values of its numbers; undefined where they do not decide it. */
  readonly grid: (numbers: ReadonlyMap<string, number>) => readonly number[] | undefined;
}
/** A compilation that was done elsewhere: a log, a cache folder, PTX, a Trace in JSON. */
export interface TraceSource {
  readonly kind: "imported";
  readonly trace: Trace;
}
/** The result of `readSource`: IR to compile, or a Trace. */
export type Source = ModuleSource | TraceSource;

/** An input that cannot be read, and why. */
export interface Rejected {
  readonly kind: "error";
  /** One line, where it is no matter of a place in the text: a choice that is missing, an empty file. */
  readonly message?: string;
  /** `diagnostics` as text with excerpts; undefined where `message` is all. */
  readonly rendered?: string;
  readonly diagnostics: readonly Diagnostic[];
  /** The kernels or configurations of a Python file of which one must be chosen. */
  readonly choices?: Choices;
  /** The arguments of a Python kernel as far as they are known, where some are missing. */
  readonly proposal?: Proposal;
}

/** Rejected for a reason that has no place in the text. */
export function rejected(message: string, more: Pick<Rejected, "choices" | "proposal"> = {}): Rejected {
  const { choices, proposal } = more;
  const diagnostics = [{ severity: "error", code: "", message, notes: [] }] as const;
  return { kind: "error", message, diagnostics, ...(choices ? { choices } : {}), ...(proposal ? { proposal } : {}) };
}
/** Rejected for what a Context found. */
export function rejectedBy({ diagnostics, sources }: Context): Rejected {
  return { kind: "error", rendered: diagnostics.map((d) => renderDiagnostic(d, sources)).join(""), diagnostics };
}
