/** What `tt-step` is given, recognised by content. */
import { renderDiagnostic } from "../diagnostics/render.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import type { Choices } from "../frontend/specialize.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { verifyOperation } from "../ir/verify.js";
import { fileError } from "../node/files.js";
import { fromBytes } from "../support/utf8.js";
import { parseModule } from "../syntax/parse.js";
import { isDumpLog } from "../trace/import/dump-log.js";
import { importFolder } from "../trace/import/folder.js";
import { importDumpLog, importTexts } from "../trace/import/import-dump.js";
import { fromJson } from "../trace/json.js";
import type { Stage } from "../trace/stage.js";
import type { Trace } from "../trace/trace.js";
import type { Io } from "./io.js";
import { type InputDefaults, isPython, type PythonOptions, readPython } from "./tt-step-python.js";

export type Input =
  | { readonly kind: "imported"; readonly trace: Trace }
  | {
      readonly kind: "module";
      readonly module: Operation;
      readonly text: string;
      /** Of Python: what its file says of how it is compiled. */
      readonly defaults?: InputDefaults;
    }
  /** `message` is one line; `diagnostics` stand for themselves. */
  | {
      readonly kind: "error";
      readonly message?: string;
      readonly diagnostics?: string;
      /** What the user can choose to have it read. */
      readonly choices?: Choices;
    };

/** How an input is read; for Python also what is compiled of it, and for what. */
export interface InputOptions extends Partial<PythonOptions> {
  readonly debugInfo: boolean;
}

/** Reads a file, a folder or standard input (`-`). */
export function readInput(path: string, io: Io, options: InputOptions): Input {
  const folder = io.readFolder(path);
  if (folder)
    return imported(
      path,
      importFolder(
        path,
        folder.map((file) => ({ path: file, read: () => io.readFile(`${path}/${file}`) })),
        options,
      ),
    );
  let text: string;
  try {
    text = io.readFile(path);
  } catch (error) {
    return { kind: "error", message: `cannot read '${path}': ${fileError(error)}` };
  }
  if (isPython(text, path)) return readPython(path, text, io, { ...NO_OPTIONS, ...options });
  const refusal = notIr(path, text);
  if (refusal) return { kind: "error", message: refusal };
  if (/^\s*\{\s*"/.test(text.slice(0, 1 << 10))) {
    const trace = fromJson(fromBytes(text), path);
    return "rendered" in trace ? { kind: "error", diagnostics: trace.rendered } : { kind: "imported", trace };
  }
  if (isDumpLog(text)) return imported(path, importDumpLog(path, text, options));
  const single = singleText(text);
  if (single)
    return imported(
      path,
      importTexts(path, single.kind, [{ pass: single.kind, flag: single.flag, stage: "ptx", text }], [], undefined, options),
    );
  const ctx = new Context(ALL_DIALECTS);
  const parsed = parseModule(ctx, path === "-" ? "<stdin>" : path, text);
  if (parsed && verifyOperation(parsed.module)) {
    if (parsed.module.regions[0]?.firstBlock?.firstOp) return { kind: "module", module: parsed.module, text };
    return { kind: "error", message: `'${path}' holds no IR` };
  }
  return { kind: "error", diagnostics: ctx.diagnostics.map((d) => renderDiagnostic(d, ctx.sources)).join("") };
}

const NO_OPTIONS: PythonOptions = {
  python: { kernel: undefined, signature: undefined, types: [], constants: [], defines: [], config: undefined, tritonLib: undefined },
  capability: undefined,
  cuda: {},
};

function imported(path: string, trace: Trace | { readonly error: string }): Input {
  return "error" in trace ? { kind: "error", message: `'${path}': ${trace.error}` } : { kind: "imported", trace };
}

/** Why a text is no IR that can be shown, where that can be told at once. */
function notIr(path: string, text: string): string | undefined {
  if (text.trim() === "") return `'${path}' is empty`;
  if (text.includes("\0")) return `'${path}' is a binary file`;
  return undefined;
}

/** LLVM IR and PTX are one step each: no pass of ours runs on them. */
function singleText(text: string): { readonly kind: string; readonly flag: string } | undefined {
  const head = text.slice(0, 1 << 16);
  if (/^\s*\.version\s+\d/m.test(head) && /^\s*\.target\s+sm_/m.test(head)) return { kind: "PTX", flag: "ptx" };
  if (/^(?:; ModuleID = |target triple = |source_filename = |define .*@)/m.test(head)) return { kind: "LLVM IR", flag: "llir" };
  return undefined;
}

/** The stage that an input's first pass belongs to: LLVM dialect goes to translation, TTGIR to make_llir, TTIR to make_ttir. */
export function stageOf(module: Operation): Stage {
  let lowered = false;
  for (const op of module.regions[0]!.firstBlock?.ops() ?? []) if (op.name === "llvm.func") lowered = true;
  if (lowered) return "ptx";
  return module.hasAttr("ttg.num-warps") ? "llir" : "ttir";
}
