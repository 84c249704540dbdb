/** `tt-step`: shows what the Triton compiler does to a kernel, pass by pass. */
import { type CompileResult, compile, pipelineOf } from "../compile/compile.js";
import { isDumpLog } from "../compile/import/dump-log.js";
import { importFolder } from "../compile/import/folder.js";
import { importDumpLog } from "../compile/import/import-dump.js";
import { defaultOptions } from "../compile/options.js";
import type { PipelineStep, Stage } from "../compile/pipelines/cuda.js";
import { findStep, type Step, stepBanner, type Trace } from "../compile/trace.js";
import { traceJson } from "../compile/trace-json.js";
import { explain } from "../diagnostics/catalogue.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { align } from "../diff/align.js";
import { countsText, sideBySide, unified } from "../diff/hunks.js";
import { stringOf } from "../ir/builtin-attrs.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { verifyOperation } from "../ir/verify.js";
import { parseModule } from "../syntax/parse.js";
import { EXIT, type Io } from "./io.js";
import { fileError, runMain } from "./node-io.js";
import { parseTtStepArgs, type TtStepArgs, ttStepHelp } from "./tt-step-args.js";
import { VERSION } from "./version.js";

export const run = (argv?: readonly string[]): Promise<void> => runMain(main, argv);

export function main(argv: readonly string[], io: Io): number {
  const args = parseTtStepArgs(argv);
  if ("error" in args) return usage(io, args.error);
  if (args.help) return print(io, ttStepHelp());
  if (args.version) return print(io, `tt-step ${VERSION}\n`);
  if (args.explain !== undefined) {
    const text = explain(args.explain, (name) => new Context(ALL_DIALECTS).ops.get(name)?.summary);
    return text === undefined ? usage(io, `no diagnostic has the code '${args.explain}'`) : print(io, `${args.explain}: ${text}\n`);
  }
  if (args.input === undefined) return usage(io, "expects an input file. Try: tt-step --help");
  const input = args.input;
  const folder = io.readFolder(input);
  if (folder)
    return showImported(
      importFolder(
        input,
        folder.map((path) => ({ path, read: () => io.readFile(`${input}/${path}`) })),
      ),
      args,
      io,
    );
  let text: string;
  try {
    text = io.readFile(input);
  } catch (error) {
    return usage(io, `cannot read '${args.input}': ${fileError(error)}`);
  }
  const refusal = notIr(args.input, text);
  if (refusal) return usage(io, refusal);
  if (isDumpLog(text)) return showImported(importDumpLog(args.input, text), args, io);

  const ctx = new Context(ALL_DIALECTS);
  const diagnose = () => {
    for (const diagnostic of ctx.diagnostics) io.stderr.write(renderDiagnostic(diagnostic, ctx.sources));
  };
  const parsed = parseModule(ctx, args.input === "-" ? "<stdin>" : args.input, text);
  if (!parsed || !verifyOperation(parsed.module)) {
    diagnose();
    return EXIT.badInput;
  }
  const capability = args.capability ?? targetOf(parsed.module) ?? 80;
  const options = { ...defaultOptions(capability), ...args.cuda };
  const from = stageOf(parsed.module);
  const pipeline = pipelineOf({ capability, options, from });
  if (args.dumpPassPipeline)
    return print(io, `builtin.module(${pipeline.map((s) => s.flag + (s.options ? `{${s.options}}` : "")).join(",")})\n`);
  const range = pipelineRange(pipeline, args);
  if ("error" in range) return usage(io, range.error);
  const result = compile(args.input, parsed.module, {
    capability,
    options,
    from,
    ...range,
    verifyEach: args.verifyEach,
    debugInfo: args.debugInfo,
    clock: io.clock,
  });
  const shown = show(result.trace, args, io);
  diagnose();
  return result.ok ? shown : Math.max(shown, failure(result, io));
}

/** Shows an imported Trace; what could not be read of it is said. */
function showImported(trace: Trace | { readonly error: string }, args: TtStepArgs, io: Io): number {
  if ("error" in trace) return usage(io, `'${args.input}': ${trace.error}`);
  const shown = show(trace, args, io);
  for (const warning of trace.warnings) io.stderr.write(`${args.input}: note: ${warning}\n`);
  return shown;
}

/** Why a text is no IR that can be compiled, where that can be told at once. */
function notIr(path: string, text: string): string | undefined {
  if (text.trim() === "") return `'${path}' is empty`;
  if (text.includes("\0")) return `'${path}' is a binary file`;
  if (/^\s*(?:import |from \w+ import |@triton\.jit|def )/m.test(text) && !/\btt\.func|^module/m.test(text))
    return `'${path}' is a Python kernel; the Python front end is not built yet: compile it with Triton and pass the .ttir from its cache folder`;
  return undefined;
}

/** The compute capability that the module names in `ttg.target`. */
function targetOf(module: Operation): number | undefined {
  const target = /^cuda:(\d+)$/.exec(stringOf(module.attr("ttg.target")) ?? "");
  return target ? Number(target[1]) : undefined;
}
/** LLVM dialect goes to translation, TTGIR (a module with `ttg.num-warps`) to make_llir, TTIR to make_ttir. */
function stageOf(module: Operation): Stage {
  let lowered = false;
  for (const op of module.regions[0]!.firstBlock?.ops() ?? []) if (op.name === "llvm.func") lowered = true;
  if (lowered) return "ptx";
  return module.hasAttr("ttg.num-warps") ? "llir" : "ttir";
}

/** The range and omissions that the arguments name, as positions in the pipeline. */
function pipelineRange(
  pipeline: readonly PipelineStep[],
  args: TtStepArgs,
): { readonly startAfter?: number; readonly stopAfter?: number; readonly disabled: ReadonlySet<number> } | { readonly error: string } {
  const position = (spec: string): number | undefined => {
    if (/^\d+$/.test(spec)) return Number(spec) <= pipeline.length ? Number(spec) : undefined;
    const [flag, run = "1"] = spec.split("#");
    const runs = pipeline.flatMap((s, i) => (s.flag === flag ? [i + 1] : []));
    return runs[Number(run) - 1];
  };
  const unknown = (spec: string) => ({ error: `no pass '${spec}' in this pipeline; see --list` });
  const range: { startAfter?: number; stopAfter?: number; disabled: Set<number> } = { disabled: new Set() };
  for (const key of ["startAfter", "stopAfter"] as const) {
    const spec = args[key];
    if (spec === undefined) continue;
    const at = position(spec);
    if (at === undefined) return unknown(spec);
    range[key] = at;
  }
  for (const spec of args.disablePass) {
    const at = position(spec);
    if (at === undefined) return unknown(spec);
    range.disabled.add(at);
  }
  return range;
}

/** Prints what the arguments ask for; a list when they ask for nothing. */
function show(trace: Trace, args: TtStepArgs, io: Io): number {
  const nothing =
    !args.list && args.printAfter.length === 0 && !args.printAfterAll && !args.printAfterChange && !args.diff && !args.emit && !args.json;
  if (args.json) return deliver(traceJson(trace), args, io);
  let out = "";
  if (args.list || nothing) out += listText(trace);
  for (const spec of args.printAfter) {
    const step = findStep(trace, spec);
    if (!step) return usage(io, `no step '${spec}'; see --list`);
    out += stepText(trace, step);
  }
  if (args.printAfterAll || args.printAfterChange)
    for (const step of trace.steps) {
      if (step.kind === "source" || (step.parent !== undefined && !args.nested)) continue;
      if (args.printAfterAll || step.changed) out += stepText(trace, step);
    }
  if (args.diff) {
    const [a, b] = args.diff.map((spec) => findStep(trace, spec));
    if (!a || !b) return usage(io, `no step '${args.diff[a ? 1 : 0]}'; see --list`);
    out += diffText(trace, a, b, args.sideBySide, Number(io.env["COLUMNS"]) || 160);
  }
  if (args.emit) {
    const stage: Stage = args.emit === "llvm-dialect" ? "llir" : args.emit;
    const last = trace.steps.filter((s) => s.parent === undefined && (s.stage === stage || s.kind === "source")).at(-1);
    if (!last || (last.kind === "source" && trace.source.kind !== stage)) return usage(io, `there is no ${args.emit} here`);
    out += trace.lines.textOf(last.text);
  }
  return deliver(out, args, io);
}

function stepText(trace: Trace, step: Step): string {
  return `${stepBanner(step)}\n${trace.lines.textOf(step.text)}\n\n`;
}

/** One line a step: index, stage, flag with run, `*` if changed, op count, time; what is not built is said. */
export function listText(trace: Trace): string {
  const runs = new Map<string, number>();
  for (const step of trace.steps) runs.set(step.flag, Math.max(runs.get(step.flag) ?? 0, step.run));
  return trace.steps
    .map((step) => {
      const flag = step.kind !== "source" && (runs.get(step.flag) ?? 0) > 1 && step.run > 0 ? `${step.flag}#${step.run}` : step.flag;
      const indent = step.parent === undefined ? "" : "  ";
      const ms = step.ms === undefined ? "" : `${step.ms.toFixed(1)} ms`;
      const note = step.built ? ms : "not built yet";
      const symbol = step.symbol === undefined ? "" : ` @${step.symbol}`;
      return (
        `${step.label.padStart(5)}  ${step.stage.padEnd(5)} ${step.changed ? "*" : " "} ${(indent + flag + symbol).padEnd(52)} ${String(step.numOps).padStart(6)} ops  ${note}`.trimEnd() +
        "\n"
      );
    })
    .join("");
}

function diffText(trace: Trace, a: Step, b: Step, columns: boolean, width: number): string {
  const origins = trace.steps.slice(Math.min(a.index, b.index) + 1, Math.max(a.index, b.index) + 1).map((s) => s.origins);
  const alignment = align(trace.lines, a.text, b.text, origins);
  const text = { lines: trace.lines, before: a.text, after: b.text };
  const name = (step: Step) => `${step.label} ${step.flag}`;
  return `--- ${name(a)}\n+++ ${name(b)}: ${countsText(alignment)}\n${columns ? sideBySide(text, alignment, width) : unified(text, alignment)}`;
}

function failure(result: CompileResult, io: Io): number {
  const { failed } = result;
  if (failed?.reason === "verify") {
    io.stderr.write(
      `tt-step: the result of pass '${failed.flag}' does not verify; this is a bug in tt-step, please report it with the input\n`,
    );
    return EXIT.bug;
  }
  io.stderr.write(`tt-step: pass '${failed?.flag}' failed\n`);
  return EXIT.badInput;
}

function usage(io: Io, message: string): number {
  io.stderr.write(`tt-step: ${message}\n`);
  return EXIT.badInput;
}
function print(io: Io, text: string): number {
  io.stdout.write(text);
  return EXIT.ok;
}
function deliver(text: string, args: TtStepArgs, io: Io): number {
  if (args.output === "-") return print(io, text);
  try {
    io.writeFile(args.output, text);
    return EXIT.ok;
  } catch (error) {
    return usage(io, `cannot write '${args.output}': ${fileError(error)}`);
  }
}
