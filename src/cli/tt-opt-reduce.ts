/**
 * `tt-opt reduce FILE [PASSES] --predicate P`: the smallest input for which P still holds.
 *
 *     tt-opt reduce k.mlir --tritongpu-coalesce --predicate fails                  # the passes fail as they do now
 *     tt-opt reduce k.mlir --tritongpu-coalesce --predicate 'count(convert_layout) > 2'   # of their result, as tt-step bisect reads it
 *     tt-opt reduce k.mlir --predicate 'command: ./check.sh'                        # a program that is given the file ends with 0
 */

import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { followTriton } from "../ir/spelling.js";
import { fileError } from "../node/files.js";
import { type PipelineElement, runPipeline } from "../pass/pass-manager.js";
import { type Reduced, reducing } from "../reduce/reduce.js";
import { isOn } from "../support/environment.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";
import { EXIT, type Io, PREFER_TMEM_16X256, watched } from "./io.js";
import { parsePredicate } from "./predicate.js";
import { parseTtOptArgs, pipelineOf, type TtOptArgs } from "./tt-opt-args.js";

const MAX_TESTS = 2000;
const USAGE = "Usage: tt-opt reduce FILE [PASSES] --predicate 'fails | EXPRESSION | command: PROGRAM ARGS' [--max-tests N] [-o FILE]";

export async function reduceMain(argv: readonly string[], io: Io): Promise<number> {
  const refuse = (message: string): number => {
    io.stderr.write(`tt-opt: ${message}\n`);
    return EXIT.badInput;
  };
  if (argv.some((arg) => /^--?help$/.test(arg))) {
    io.stdout.write(`The smallest input for which a predicate still holds.\n\n${USAGE}\n
  fails       the passes fail, as they do on the input
  EXPRESSION  of the IR after the passes, as tt-step bisect reads it: 'count(ttg.convert_layout) > 2', 'has(dot) && text("#mma")'
  command:    a program that is given the file ends with 0
  --max-tests N  how often the predicate is asked at most (default: ${MAX_TESTS}); ctrl+c ends it too, with the smallest so far
`);
    return EXIT.ok;
  }
  const own = takeOptions(argv);
  if ("error" in own) return refuse(own.error);
  const args = parseTtOptArgs(own.others);
  if ("error" in args) return refuse(args.error);
  if (own.predicate === undefined) return refuse(`reduce expects --predicate. ${USAGE}`);
  let text: string;
  try {
    text = io.readFile(args.file);
  } catch (error) {
    return refuse(`cannot read '${args.file}': ${fileError(error)}`);
  }
  const context = (): Context => contextOf(args, io);
  const pipeline = pipelineOf(args, parseModule(context(), args.file, text)?.metadata);
  if ("error" in pipeline) return refuse(pipeline.error);
  const holds = predicateOf(own.predicate, text, pipeline.elements, context, io);
  if (typeof holds === "object") return refuse(holds.error);
  if (!holds(text)) {
    io.stderr.write(`tt-opt: the predicate does not hold for '${args.file}': there is nothing to reduce\n`);
    return EXIT.difference;
  }
  const { value: reduced } = await watched(reducing(text, { context, holds, maxTests: own.maxTests }), io);
  if (!reduced) return refuse(`'${args.file}' is no valid IR: tt-opt says where`);
  return deliver(reduced, args, io);
}

function deliver({ text, before, after, tests, endedEarly }: Reduced, args: TtOptArgs, io: Io): number {
  const early = { interrupted: "; interrupted", limit: "; --max-tests ended it" } as const;
  io.stderr.write(`tt-opt: ${before} ops reduced to ${after} in ${tests} tests${endedEarly ? early[endedEarly] : ""}\n`);
  try {
    if (args.output === "-") io.stdout.writeBytes(text);
    else io.writeFile(args.output, text);
  } catch (error) {
    io.stderr.write(`tt-opt: cannot write '${args.output}': ${fileError(error)}\n`);
    return EXIT.badInput;
  }
  return endedEarly === "interrupted" ? EXIT.interrupted : EXIT.ok;
}

interface Options {
  readonly predicate: string | undefined;
  readonly maxTests: number;
  readonly others: readonly string[];
}
/** The options that only `reduce` has. */
function takeOptions(argv: readonly string[]): Options | { readonly error: string } {
  const others: string[] = [];
  let predicate: string | undefined;
  let maxTests = MAX_TESTS;
  for (let i = 0; i < argv.length; i++) {
    const [, name, given] = /^--?(predicate|max-tests)(?:=(.*))?$/s.exec(argv[i]!) ?? [];
    if (name === undefined) {
      others.push(argv[i]!);
      continue;
    }
    const value = given ?? argv[++i];
    if (value === undefined) return { error: `--${name} needs a value` };
    if (name === "predicate") predicate = value;
    else if (/^[1-9]\d{0,8}$/.test(value)) maxTests = Number(value);
    else return { error: `--max-tests expects a number above 0, not '${value}'` };
  }
  return { predicate, maxTests, others };
}

function contextOf(args: TtOptArgs, io: Io): Context {
  const ctx = new Context(ALL_DIALECTS);
  ctx.allowUnregisteredDialects = args.allowUnregisteredDialect;
  ctx.preferTmem16x256 = isOn(io.env[PREFER_TMEM_16X256]);
  followTriton(ctx, args.triton);
  return ctx;
}

/** The predicate as a function of a candidate. */
function predicateOf(
  predicate: string,
  input: string,
  elements: readonly PipelineElement[],
  context: () => Context,
  io: Io,
): ((text: string) => boolean) | { readonly error: string } {
  const command = /^command:\s*(\S.*)$/s.exec(predicate)?.[1];
  if (command !== undefined) {
    const { programs } = io;
    const [program = "", ...args] = command.trim().split(/\s+/);
    if (!programs) return { error: "no program can be run here" };
    return (text) =>
      programs.withFolder((folder) => {
        io.writeFile(`${folder}/input.mlir`, text);
        return programs.runProgram(program, [...args, `${folder}/input.mlir`]).status === 0;
      });
  }
  if (predicate === "fails") {
    const wanted = failureOf(input, elements, context());
    return (text) => wanted !== undefined && failureOf(text, elements, context()) === wanted;
  }
  const parsed = parsePredicate(predicate);
  if ("error" in parsed) return parsed;
  if (/\bresults\b/.test(predicate)) return { error: "results compares the steps of a kernel: tt-step bisect has it" };
  return (text) => {
    const { module } = parseModule(context(), "<candidate>", text) ?? {};
    if (!module || !runPipeline(module, elements, { verifyEach: true, instrumentation: [] }).ok) return false;
    return Boolean(parsed.term({ text: printOperation(module), module, results: () => true }));
  };
}

/** How the passes fail on a text, without what differs from input to input: names, numbers and types. */
function failureOf(text: string, elements: readonly PipelineElement[], ctx: Context): string | undefined {
  const { module } = parseModule(ctx, "<candidate>", text) ?? {};
  if (!module) return undefined;
  try {
    const { ok, failed } = runPipeline(module, elements, { verifyEach: true, instrumentation: [] });
    if (ok) return undefined;
    const error = ctx.diagnostics.find(({ severity }) => severity === "error");
    return `${failed?.step.pass.flag} ${failed?.reason} ${error?.code} ${error?.message.replace(/'[^']*'|[%#!]?\d+/g, "_")}`;
  } catch (error) {
    // A bug of a pass is what is looked for, too.
    return `bug ${(error as Error).message.replace(/\d+/g, "_")}`;
  }
}
