/** A Python kernel as input: read, chosen from, specialized and turned into TTIR. */
import { type CudaOptions, checkOptions, defaultOptions } from "../backend/nvidia/options.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import * as frontEnd from "../frontend/compile-python.js";
import { commentSettings } from "../frontend/kernel-comment.js";
import type { KernelConfig, KernelInfo } from "../frontend/request.js";
import { type Choices, chooseKernel, specialize, unknownConfigs } from "../frontend/specialize.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { printOperation } from "../syntax/print.js";
import type { Io } from "./io.js";
import { findTriton, pythonHost } from "./python-path.js";
import { readCompilerSettings, type TtStepArgs } from "./tt-step-args.js";

export type PythonOptions = Pick<TtStepArgs, "python" | "capability" | "cuda">;

/** What a kernel's file says of how it is compiled; the command line comes first. */
export interface InputDefaults {
  readonly capability: number | undefined;
  readonly cuda: Partial<CudaOptions>;
}

export type PythonInput =
  | { readonly kind: "module"; readonly module: Operation; readonly text: string; readonly defaults: InputDefaults; readonly python: true }
  | { readonly kind: "error"; readonly message?: string; readonly diagnostics?: string; readonly choices?: Choices };

/** Whether a text is Python by its file's name or by what it says, and not a dump of a compilation that quotes some. */
export function isPython(text: string, path: string): boolean {
  if (path.endsWith(".py")) return true;
  const comment = /[ \t]*(?:#.*)?\r?\n/y;
  let start = 0;
  while (comment.test(text)) start = comment.lastIndex;
  const head = text.slice(start, start + (1 << 16));
  return (
    /^[ \t]*(?:import |from [\w.]+ import |@(?:triton\.)?jit|def |class )/m.test(head) &&
    !/^\s*(?:tt|llvm)\.func |^module(?: @\S+)?(?: attributes)? ?\{|^\/\/ -----\/\//m.test(head.replace(/("""|''')[\s\S]*?\1/g, ""))
  );
}

/** `ofComment`: what the comment above the kernel defines; the file is read again with it. */
export function readPython(path: string, text: string, io: Io, args: PythonOptions, ofComment: readonly string[] = []): PythonInput {
  const ctx = new Context(ALL_DIALECTS);
  const told = (): PythonInput => ({ kind: "error", diagnostics: ctx.diagnostics.map((d) => renderDiagnostic(d, ctx.sources)).join("") });
  const files = pythonHost(io);
  const given = args.python.tritonLib;
  if (given !== undefined && given !== NO_TRITON && !frontEnd.isTritonLib(given, files.readFile))
    return { kind: "error", message: `--triton-lib: '${given}' holds no Triton: there is no language/standard.py in it` };
  const file = frontEnd.readPython(ctx, path === "-" ? "<stdin>" : path, text, {
    ...files,
    // Looked for when the kernel needs it.
    tritonLib: () => (given === NO_TRITON ? undefined : (given ?? ownTriton(ctx, io))),
    capability: args.capability ?? 80,
    defines: [...ofComment, ...args.python.defines],
  });
  if (!file) return told();
  const settings = (kernel: KernelInfo) => commentSettings(text, kernel.line);
  const kernel = chooseKernel(file.kernels, args.python.kernel, path, (k) => settings(k).length > 0);
  if ("error" in kernel) return refused(kernel);
  const defines = settings(kernel).flatMap(({ key, value }) => (key === "define" ? [value] : []));
  if (defines.length > ofComment.length) return readPython(path, text, io, args, defines);
  if (kernel.refused) {
    ctx.diagnostics.push(kernel.refused);
    return told();
  }
  const made = specialize(kernel, args.python, settings(kernel), path);
  if ("error" in made) return refused(made);
  const asked = readCompilerSettings(made.options.map(({ key, value }) => [key.replaceAll("_", "-"), settingValue(value)]));
  if ("error" in asked) return { kind: "error", message: `${path}:${kernel.line}: in the comment above '${kernel.name}': ${asked.error}` };

  const unknown = unknownConfigs(kernel);
  if (unknown !== undefined) {
    const message = `${unknown}; num_warps, num_stages and num_ctas are the defaults where none are given`;
    ctx.diagnostics.push({ severity: "remark", code: "python.configs", message, notes: [] });
  }

  const defaults: InputDefaults = {
    capability: asked.capability,
    cuda: { ...(kernel.debug ? { debug: true } : {}), ...optionsOf(made.config), ...asked.cuda },
  };
  const capability = args.capability ?? defaults.capability ?? 80;
  const options = { ...defaultOptions(capability), ...defaults.cuda, ...args.cuda };
  const problem = checkOptions(options, capability);
  if (problem) return { kind: "error", message: problem };
  const module = frontEnd.compileKernel(file, made.specialization, { capability, ...options });
  if (!module) return told();
  return {
    kind: "module",
    module,
    defaults,
    python: true,
    /** The TTIR, for what reads the input again. */
    get text() {
      return printOperation(module, { debugInfo: true });
    },
  };
}

/** What `--triton-lib` takes for tt-step's own library functions. */
export const NO_TRITON = "none";

/** The folder of the user's Triton if it is one whose functions make the same operations as 3.6's; another is named. */
function ownTriton(ctx: Context, io: Io): string | undefined {
  const found = findTriton(io);
  if (!found || /^3\.6\./.test(found.version)) return found?.folder;
  const which = `Triton ${found.version} in ${found.folder}`;
  const message = `library functions are those of Triton 3.6; ${which} is used only if --triton-lib names it (--triton-lib none looks for none)`;
  ctx.diagnostics.push({ severity: "remark", code: "python.other-triton", message, notes: [] });
  return undefined;
}

function refused({ error, choices }: { readonly error: string; readonly choices?: Choices }): PythonInput {
  return { kind: "error", message: error, ...(choices ? { choices } : {}) };
}

/** The value of `debug=True` in a comment. */
const settingValue = (text: string): string | boolean => (text === "True" ? true : text === "False" ? false : text);

function optionsOf(config: KernelConfig | undefined): Partial<CudaOptions> {
  const { numWarps, numStages, numCtas, maxnreg } = config ?? {};
  return {
    ...(numWarps === undefined ? {} : { numWarps }),
    ...(numStages === undefined ? {} : { numStages }),
    ...(numCtas === undefined ? {} : { numCtas }),
    ...(maxnreg === undefined ? {} : { maxnreg }),
  };
}
