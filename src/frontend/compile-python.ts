/** From a Python file to the TTIR of one of its kernels. */
import type { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import type { KernelInfo, Specialization } from "./request.js";

/** What readers of files beside the kernel's need. */
export interface PythonHost {
  /** A file's text as latin1, undefined when it is not there. */
  readonly readFile: (path: string) => string | undefined;
  /** The folder of a Triton whose library functions are used. */
  readonly tritonLib: string | undefined;
}

export interface PythonFile {
  readonly kernels: readonly KernelInfo[];
}

/** Loads the grammar; once, before the first file. */
export async function loadPython(): Promise<void> {}

/** Parses a file and evaluates its module level; undefined where that fails, and the Context's diagnostics tell why. */
export function readPython(ctx: Context, file: string, _text: string, _host: PythonHost): PythonFile | undefined {
  ctx.diagnostics.push({
    severity: "error",
    code: "",
    message: `'${file}' is a Python kernel; the Python front end is not built yet: compile it with Triton and pass the .ttir from its cache folder`,
    notes: [],
  });
  return undefined;
}

/** Generates the module of a kernel; undefined where the kernel is wrong, and the Context's diagnostics tell why. */
export function compileKernel(_file: PythonFile, _specialization: Specialization, _options: object): Operation | undefined {
  return undefined;
}
