/** `tt-step INPUT`: compiles or imports an input, and shows it: in the terminal UI, or as text. */
import type { Compilation } from "../library/compile.js";
import { pipelineOf, settingsOf } from "../library/pipeline.js";
import { fileError } from "../node/files.js";
import { printOperation } from "../syntax/print.js";
import { reproducer } from "../trace/reproducer.js";
import type { Trace } from "../trace/trace.js";
import { loadApp } from "../tui/load-app.js";
import { EXIT, type Io, watched } from "./io.js";
import { oneInput } from "./options/read.js";
import { TT_STEP } from "./options/step.js";
import { COMPILE_NAMES, type LineOf, stepArgs, type TtStepArgs, withoutEffect } from "./tt-step-args.js";
import { tracing, translatorFor } from "./tt-step-compile.js";
import { readIrInput } from "./tt-step-ir-input.js";
import { deliver, refuse, usage } from "./tt-step-output.js";
import { asksForNothing, asksForPrograms, show } from "./tt-step-show.js";
import { noteUseless } from "./useless-options.js";

export async function stepMain(line: LineOf<"">, argv: readonly string[], io: Io): Promise<number> {
  const { against, format } = line.values;
  if (against !== undefined && (format !== undefined || line.words.length > 1)) {
    const args = stepArgs(line.values, line.written, undefined);
    return "error" in args ? usage(io, args.error) : (await import("./tt-step-more.js")).againstAll(line.words, { ...args, against }, io);
  }
  const input = oneInput(line.words, TT_STEP);
  if (typeof input === "object") return usage(io, input.error);
  const args = stepArgs(line.values, line.written, input);
  if ("error" in args) return usage(io, args.error);
  if (args.explain !== undefined) return (await import("./tt-step-more.js")).explainMain(args.explain, args, io);
  if (input === undefined) return usage(io, "expects an input file. Try: tt-step --help");
  return step({ ...args, input }, argv, io);
}

/** Options about one compilation; a comparison is printed alone. */
const OF_ONE = "list print-after print-after-all print-after-change diff emit findings ptxas-report why layout axis-info json export".split(
  " ",
);

async function step(args: TtStepArgs & { readonly input: string }, argv: readonly string[], io: Io): Promise<number> {
  const clash = args.against === undefined ? undefined : OF_ONE.find((name) => args.written.has(name));
  if (clash !== undefined) return usage(io, `--${clash} is about one compilation: it does not go with --against, which compares two`);
  if (opensUi(args) && (args.plainUi || io.isInteractive || (args.input === "-" && io.hasKeyboard))) {
    // Yoga's code is compiled by another thread while the UI is loaded.
    if (!args.plainUi) void loadApp();
    return (await import("./tt-step-tui.js")).openUi(args, argv, io);
  }
  const reading = { ...args, ...(io.showProgress ? { progress: io.showProgress } : {}) };
  const read = readIrInput(args.input, io, reading);
  const isIr = read.kind !== "python" && read.kind !== "folder";
  const input = isIr ? read : (await import("./tt-step-input.js")).readInput(args.input, io, reading);
  if (input.kind === "error") return refuse(input, io);
  const unused = withoutEffect(input, args.input, args, args.against !== undefined || asksForPrograms(args) ? COMPILE_NAMES : []);
  if (unused !== undefined) return usage(io, unused);
  noteUseless(input, args, io);
  if (input.kind === "module" && args.modernize && asksForNothing(args))
    return deliver(printOperation(input.module, { debugInfo: args.debugInfo }), args, io);
  if (input.kind === "module" && args.dumpPassPipeline) {
    const pipeline = pipelineOf(settingsOf(input, args));
    return deliver(`builtin.module(${pipeline.map((s) => s.flag + (s.options ? `{${s.options}}` : "")).join(",")})\n`, args, io);
  }
  const validation = args.validate ? await import("./tt-step-more.js") : undefined;
  const names = validation?.namesOfInput(input);
  const { value: made, interrupted } = await watched(tracing(input, args, io, await translatorFor(args)), io);
  if ("error" in made) return usage(io, made.error, interrupted ? EXIT.interrupted : EXIT.badInput);
  /** The exit code, which a pass that failed makes worse. */
  const ended = async (code: number): Promise<number> =>
    made.compiled && !made.compiled.ok ? Math.max(code, await failure(made.compiled, args, argv, io)) : code;
  const checked = validation
    ? (await watched(validation.validatingTrace(made.trace, args.input, names, args.simulation, io), io)).value
    : undefined;
  if (checked && "error" in checked) return usage(io, checked.error);
  if (args.reproducer !== undefined && args.stopAfter !== undefined && made.compiled?.ok) {
    const code = leaveReproducer(made.trace, args.reproducer, "runs", argv, io);
    if (code !== EXIT.ok || asksForNothing(args)) return code;
  }
  if (checked && asksForNothing(args) && args.against === undefined) {
    return ended(Math.max(deliver(checked.text, args, io), checked.code));
  }
  if (args.export !== undefined) {
    const output = args.export;
    return (await import("./tt-step-tui.js"))
      .exported(made.trace, args, io)
      .then((text) => ended("error" in text ? usage(io, text.error) : deliver(text.text, { ...args, output }, io)));
  }
  const shown = asksForPrograms(args)
    ? (await import("./tt-step-more.js")).showTarget(made.trace, args, io)
    : made.emitted !== undefined
      ? { text: made.emitted, exact: true, code: EXIT.ok }
      : args.against !== undefined
        ? (await import("./tt-step-more.js")).against(made, input, args, io)
        : await show(made.trace, args, io);
  if ("error" in shown) return ended(usage(io, shown.error));
  if (checked) io.stderr.write(checked.text);
  const code = Math.max(deliver(shown.text, args, io, shown.exact), shown.code, checked?.code ?? 0);
  for (const warning of made.trace.warnings) io.stderr.write(`${args.input}: note: ${warning}\n`);
  return ended(code);
}

/** Whether the terminal UI shows what is asked for. */
function opensUi(args: TtStepArgs): boolean {
  if (!asksForNothing(args) && args.open === undefined) return false;
  if (args.dumpPassPipeline || args.export !== undefined || args.validate || args.output !== "-") return false;
  return args.against === undefined || args.tui || args.open !== undefined;
}

async function failure({ failed, trace }: Compilation, args: TtStepArgs, argv: readonly string[], io: Io): Promise<number> {
  if (failed?.reason !== "verify") {
    io.stderr.write(`tt-step: pass '${failed?.flag}' failed\n`);
    return EXIT.badInput;
  }
  io.stderr.write(
    `tt-step: the result of pass '${failed.flag}' does not verify; this is a bug in tt-step, please report it with the input\n`,
  );
  if (args.reproducer !== undefined) leaveReproducer(trace, args.reproducer, `fails in`, argv, io);
  return EXIT.bug;
}

/** Writes the IR before the last pass that ran, so that tt-opt can run the pass on it; returns the exit code. */
function leaveReproducer(trace: Trace, path: string, does: string, argv: readonly string[], io: Io): number {
  const step = trace.steps.findLast((s) => s.parent === undefined)!;
  const command = `tt-step ${argv.map((arg) => (/^[\w./:=,#-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`)).join(" ")}`;
  try {
    io.writeFile(path, reproducer(trace, step, [command, `${does} ${step.label} ${step.flag}; the IR before it:`]));
    io.stderr.write(`tt-step: the IR before it is in '${path}'; tt-opt --run-reproducer runs the pass on it\n`);
    return EXIT.ok;
  } catch (error) {
    io.stderr.write(`tt-step: cannot write '${path}': ${fileError(error)}\n`);
    return EXIT.badInput;
  }
}
