/** Loads what the arguments of `tt-step` need before the input is read: short commands are mostly start-up. */
import type { Compiler } from "../compile/compiler.js";
import { dialectsFor } from "../dialects/ttir.js";
import type { Operation } from "../ir/operation.js";
import type { Io } from "./io.js";
import { optimizeLater } from "./node-io.js";
import type { TtStepArgs } from "./tt-step-args.js";
import { lastStage } from "./tt-step-compile.js";
import { isPython, preparePython } from "./tt-step-python.js";

/** The parts that arguments ask for beyond compiling and printing. */
export interface Parts {
  readonly compiler: Compiler;
  readonly modernize: typeof import("./tt-step-modernize.js") | undefined;
  readonly validate: typeof import("./tt-step-validate.js") | undefined;
  readonly against: typeof import("./tt-step-against.js") | undefined;
  readonly why: typeof import("./tt-step-why.js") | undefined;
  readonly codegen: typeof import("./tt-step-codegen.js") | undefined;
}

export async function loadParts(args: TtStepArgs & { readonly input: string }, io: Io): Promise<Parts> {
  const python = preparePython([args.input, args.against], io);
  const parts: Parts = {
    compiler: await compilerFor(args, io),
    modernize: args.modernize ? await import("./tt-step-modernize.js") : undefined,
    validate: args.validate ? await import("./tt-step-validate.js") : undefined,
    against: args.against === undefined ? undefined : await import("./tt-step-against.js"),
    why: args.why === undefined && args.layout === undefined ? undefined : await import("./tt-step-why.js"),
    codegen: args.codegen ? await import("./tt-step-codegen.js") : undefined,
  };
  await python;
  if (lastStage(args) !== "source") optimizeLater();
  return parts;
}

/** The front end, if one of the inputs needs it. Everything afterwards is done at once. */
export async function prepareInputs(paths: readonly (string | undefined)[], io: Io): Promise<void> {
  await preparePython(paths, io);
  optimizeLater();
}

export const wholeCompiler = async (): Promise<Compiler> => (await import("../compile/whole-compiler.js")).WHOLE_COMPILER;

async function compilerFor(args: TtStepArgs & { readonly input: string }, io: Io): Promise<Compiler> {
  const stage = lastStage(args);
  if (stage === "ptx") return wholeCompiler();
  const text = textOf(args.input, io);
  const dialects = await dialectsFor(isPython(text, args.input) ? llvmIn(text) : text, stage === "ttgir");
  switch (stage) {
    case "source":
      return { dialects, passes: new Map() };
    case "ttir":
      return { dialects, passes: (await import("../passes/ttir.js")).TTIR_PASSES };
    case "ttgir":
      return { dialects, passes: (await import("../passes/ttgir.js")).TTGIR_PASSES };
  }
}

/** What Python makes of the LLVM dialect: assumptions, and what it tells of loops. */
const llvmIn = (python: string): string => (/\b(?:assume|disable_licm)\b/.test(python) ? "llvm." : "");

/** Registers the dialects of a module's ops where the text that they were made of did not name them: a kernel's helpers may be elsewhere. */
export async function registerMissing(module: Operation): Promise<void> {
  const { ctx } = module;
  let isMissing = false;
  module.walk((op) => {
    isMissing ||= !ctx.dialects.has(op.def.dialect);
  });
  if (isMissing) for (const dialect of (await import("../dialects/index.js")).ALL_DIALECTS) ctx.register(dialect);
}

/** The text of a file; of a folder or of what cannot be read there is none, and it is told where it is read. */
function textOf(path: string, io: Io): string {
  try {
    return io.readFolder(path) ? "" : io.readFile(path);
  } catch {
    return "";
  }
}
