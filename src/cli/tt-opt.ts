/** `tt-opt`: runs passes on IR, as `triton-opt` does. */

import { renderDiagnostic } from "../diagnostics/render.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { followTriton } from "../ir/spelling.js";
import { isValid, verifyOperation } from "../ir/verify.js";
import { fileError } from "../node/files.js";
import { banner, type Instrumentation, timing } from "../pass/instrumentation.js";
import { type PipelineElement, runPipeline } from "../pass/pass-manager.js";
import { pipelineText } from "../pass/pipeline-text.js";
import { enableLineInfo } from "../passes/llvm/index.js";
import { EXTRACTS_VARIABLES, isOn } from "../support/environment.js";
import { parseModule } from "../syntax/parse.js";
import { type PrintOptions, printOperation } from "../syntax/print.js";
import { checkExpected } from "./expected-diagnostics.js";
import { EXIT, type Io, PREFER_TMEM_16X256 } from "./io.js";
import { runMain } from "./node-io.js";
import { parseTtOptArgs, pipelineOf, type TtOptArgs, ttOptHelp } from "./tt-opt-args.js";
import type * as Validation from "./tt-opt-validate.js";
import { VERSION } from "./version.js";

export const run = (argv?: readonly string[]): Promise<void> => runMain(main, argv);

export function main(argv: readonly string[], io: Io): number | Promise<number> {
  if (argv[0] === "reduce") return import("./tt-opt-reduce.js").then(({ reduceMain }) => reduceMain(argv.slice(1), io));
  const args = parseTtOptArgs(argv);
  if ("error" in args) {
    io.stderr.write(`tt-opt: ${args.error}\n`);
    return EXIT.badInput;
  }
  if (args.help && args.file !== "-") return helpOf(args.file, io);
  if (args.help) {
    io.stdout.write(ttOptHelp());
    return EXIT.ok;
  }
  if (args.version) {
    io.stdout.write(`tt-opt ${VERSION}\n`);
    return EXIT.ok;
  }
  let text: string;
  try {
    text = io.readFile(args.file);
  } catch (error) {
    io.stderr.write(`tt-opt: cannot read '${args.file}': ${fileError(error)}\n`);
    return EXIT.badInput;
  }
  if (args.validate) return import("./tt-opt-validate.js").then((validation) => compileFile(args, text, io, validation));
  return compileFile(args, text, io);
}

/** In Triton the pass reads the variable itself. */
const withVariables = (elements: readonly PipelineElement[]): readonly PipelineElement[] =>
  elements.map((element) => {
    if (element.kind === "nested") return { ...element, elements: withVariables(element.elements) };
    return element.pass === enableLineInfo ? enableLineInfo({ variables: true }) : element;
  });

/** `tt-opt --help PASS`: what one pass is for. */
async function helpOf(name: string, io: Io): Promise<number> {
  const [{ passText }, { nameAsText }] = await Promise.all([import("../explain/texts/index.js"), import("./tt-step-explain.js")]);
  const text = passText(name);
  if (text) io.stdout.write(nameAsText(text));
  else io.stderr.write(`tt-opt: there is no pass '${name}'. Try: tt-opt --help\n`);
  return text ? EXIT.ok : EXIT.badInput;
}

function compileFile(args: TtOptArgs, text: string, io: Io, validation?: typeof Validation): number {
  const pieces: string[] = [];
  let code: number = EXIT.ok;
  for (const chunk of args.splitInputFile ? splitInput(text) : [{ text, firstLine: 1 }]) {
    const result = processChunk(args, chunk.text, chunk.firstLine, io, validation);
    code = Math.max(code, result.code);
    if (result.output !== undefined) pieces.push(result.output);
  }
  const output = pieces.join("// -----\n");
  if (code !== EXIT.ok && !args.splitInputFile) return code;
  try {
    if (args.output === "-") io.stdout.writeBytes(output);
    else io.writeFile(args.output, output);
  } catch (error) {
    io.stderr.write(`tt-opt: cannot write '${args.output}': ${fileError(error)}\n`);
    return EXIT.badInput;
  }
  return code;
}

/** The parts of a text between `// -----` lines, with the number of the line each begins on. */
export function splitInput(text: string): { readonly text: string; readonly firstLine: number }[] {
  const chunks: { text: string; firstLine: number }[] = [];
  const lines = text.split("\n");
  let start = 0;
  const close = (end: number) =>
    chunks.push({ text: lines.slice(start, end).join("\n") + (end < lines.length ? "\n" : ""), firstLine: start + 1 });
  lines.forEach((line, i) => {
    if (!/^\/\/ -----\s*$/.test(line)) return;
    close(i);
    start = i + 1;
  });
  close(lines.length);
  return chunks;
}

function processChunk(
  args: TtOptArgs,
  text: string,
  firstLine: number,
  io: Io,
  validation: typeof Validation | undefined,
): { readonly code: number; readonly output?: string } {
  const ctx = new Context(ALL_DIALECTS);
  ctx.allowUnregisteredDialects = args.allowUnregisteredDialect;
  followTriton(ctx, args.triton);
  ctx.preferTmem16x256 = isOn(io.env[PREFER_TMEM_16X256]);
  const file = args.file === "-" ? "<stdin>" : args.file;
  const outcome = compileChunk(ctx, args, file, text, firstLine, io, validation);
  if (args.verifyDiagnostics) {
    const problems = checkExpected(ctx, file, text, firstLine, args.verifyDiagnostics === "only-expected");
    for (const problem of problems) io.stderr.write(renderDiagnostic(problem, ctx.sources));
    return problems.length > 0
      ? { code: EXIT.difference }
      : outcome.output === undefined
        ? { code: EXIT.ok }
        : { code: EXIT.ok, output: outcome.output };
  }
  for (const diagnostic of ctx.diagnostics) io.stderr.write(renderDiagnostic(diagnostic, ctx.sources));
  return outcome;
}

function compileChunk(
  ctx: Context,
  args: TtOptArgs,
  file: string,
  text: string,
  firstLine: number,
  io: Io,
  validation: typeof Validation | undefined,
): { readonly code: number; readonly output?: string } {
  const parsed = parseModule(ctx, file, text, firstLine);
  if (!parsed || !verifyOperation(parsed.module)) return { code: EXIT.badInput };
  const pipeline = pipelineOf(args, parsed.metadata);
  if ("error" in pipeline) {
    io.stderr.write(`tt-opt: ${pipeline.error}\n`);
    return { code: EXIT.badInput };
  }
  const elements = isOn(io.env[EXTRACTS_VARIABLES]) ? withVariables(pipeline.elements) : pipeline.elements;
  if (args.dumpPassPipeline) io.stderr.write(`Pass Manager with ${elements.length} passes:\nbuiltin.module(${pipelineText(elements)})\n`);
  const print: PrintOptions = {
    debugInfo: args.printDebugInfo,
    generic: args.printGeneric,
    localScope: args.printLocalScope,
    nameLocAsPrefix: args.useNameLocAsPrefix,
  };
  const clock = args.timing ? timing(io.clock) : undefined;
  const instrumentation: Instrumentation[] = clock ? [clock] : [];
  if (args.printIrAfterAll)
    instrumentation.push({
      after: (record, ok) => {
        const generic = print.generic || (!ok && !isValid(record.root));
        io.stderr.write(`${banner("After", record)}\n${printOperation(record.root, { ...print, generic })}\n\n`);
      },
    });
  const validator = validation?.validatorOf(parsed.module, text, args.file, io);
  if (validator && "error" in validator) {
    io.stderr.write(`tt-opt: ${validator.error}\n`);
    return { code: EXIT.badInput };
  }
  if (validator) instrumentation.push(validator.instrumentation);
  const result = runPipeline(parsed.module, elements, { verifyEach: args.verifyEach, instrumentation });
  if (clock) io.stderr.write(clock.report());
  if (!result.ok) {
    if (result.failed?.reason === "pass") return { code: EXIT.badInput };
    io.stderr.write(`tt-opt: the result of pass '${result.failed?.step.pass.flag}' does not verify; this is a bug in tt-step\n`);
    return { code: EXIT.bug };
  }
  const output = printOperation(parsed.module, print);
  if (!validation || !validator) return { code: EXIT.ok, output };
  io.stderr.write(validation.validationText(validator.outcome));
  return { code: validator.outcome.broken.length > 0 ? EXIT.difference : EXIT.ok, output };
}
