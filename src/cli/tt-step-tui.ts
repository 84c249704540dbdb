/** Opens the terminal UI on what the arguments name. */

import { type TargetOptions, targetCalled } from "../backend/targets.js";
import { readOptions } from "../compile/comment-options.js";
import { withComment } from "../frontend/kernel-comment.js";
import type { Proposal } from "../frontend/specialize.js";
import { insertedText, pipelineOf, settingsOf } from "../library/pipeline.js";
import { stageOf } from "../library/sources.js";
import type { Stage } from "../library/trace.js";
import { fileError } from "../node/files.js";
import { toBytes } from "../support/utf8.js";
import type { Trace } from "../trace/trace.js";
import { THEMES, type Theme } from "../tui/draw/theme.js";
import { exportText } from "../tui/export/export.js";
import type { PageParts } from "../tui/export/html.js";
import { type Form, fieldText, formOf, signatureText } from "../tui/form/form.js";
import { loadApp } from "../tui/load-app.js";
import { type Opened, type OpenForm, openedState } from "../tui/opening.js";
import { runTui, type TuiRequest } from "../tui/run.js";
import { runPlain } from "../tui/run-plain.js";
import { type Config, configPath, readConfig } from "./config.js";
import { inputFacts } from "./input-facts.js";
import { EXIT, type Io } from "./io.js";
import { noAssemblerFor } from "./machine-code.js";
import { withSettings as changedBy, otherTrace, settingsIn, traceWithout } from "./tt-step-against.js";
import { COMPILE_NAMES, compileWords, readTtStep, type Setting, stepArgs, type TtStepArgs, withoutEffect } from "./tt-step-args.js";
import { everywhere, shownRange } from "./tt-step-compile.js";
import { readInput } from "./tt-step-input.js";
import type { Input } from "./tt-step-ir-input.js";
import { readTypedOptions } from "./typed-options.js";
import { uselessOptions } from "./useless-options.js";

export function openUi(given: TtStepArgs, typed: readonly string[], io: Io): number | Promise<number> {
  const config = readConfig(io);
  if ("error" in config) {
    io.stderr.write(config.error);
    return EXIT.badInput;
  }
  const argv = [...config.options, ...typed];
  const line = readTtStep(argv);
  const args = "values" in line && line.command === "" ? stepArgs(line.values, line.written, given.input) : given;
  if ("error" in args) {
    io.stderr.write(`tt-step: with the defaults of ${configPath(io.env)}: ${args.error}\n`);
    return EXIT.badInput;
  }
  return (args.plainUi ? runPlain : runTui)(uiOf(args, given, config.keys, io));
}

/** The terminal UI for arguments; those that are `given` are not defaults of the configuration. */
export function uiOf(args: TtStepArgs, given: TtStepArgs, keys: Config["keys"], io: Io): TuiRequest {
  const name = args.input!;
  let input: Exclude<Input, { kind: "error" }> | undefined;
  let stage: Stage = "ptx";
  /** The other side of the comparison: a dump or another input; or the input without these options, under the other arguments. */
  let other = args.against;
  let without: Parameters<typeof inputWithout>[0] | undefined;
  const open = (
    python = args.python,
    compiler: Pick<TtStepArgs, "target" | "options"> = args,
    path = name,
    held = args.against,
  ): Opened => {
    other = held;
    const asked = { ...args, ...compiler, python, debugInfo: false };
    const changed = held === undefined ? undefined : settingsIn(held, io);
    const here = changed ? changedBy(asked, changed) : asked;
    if ("error" in here) return { kind: "error", text: `tt-step: ${here.error}\n`, code: EXIT.badInput };
    without = changed && { changed, asked };
    const read = readInput(path, io, here);
    const form = (proposal: Proposal, target: string | undefined): OpenForm => ({
      form: formOf(proposal, target),
      open: (filled) => fill(path, proposal, filled),
    });
    if (read.kind === "error" && read.choices) {
      const { title, items } = read.choices;
      return {
        kind: "choices",
        title,
        choices: items.map(({ text, given, path: file = path, settings, against = held }) => ({
          text,
          open: () => {
            const chosen = settings ? readOptions(settings) : compiler;
            if ("error" in chosen) return { kind: "error", text: `tt-step: ${chosen.error}\n`, code: EXIT.badInput };
            return open({ ...python, ...given }, chosen, file, against);
          },
        })),
      };
    }
    if (read.kind === "error" && read.proposal) return { kind: "form", form: form(read.proposal, compiler.target) };
    if (read.kind === "error")
      return { kind: "error", text: read.rendered ?? `tt-step: ${read.message}\n`, code: EXIT.badInput, found: inputFacts(path, io) };
    // Defaults of the configuration are for all inputs.
    const unused = withoutEffect(read, path, given, given.against === undefined ? [] : COMPILE_NAMES);
    if (unused !== undefined) return { kind: "error", text: `tt-step: ${unused}\n`, code: EXIT.badInput };
    input = read;
    // Passes change the module.
    stage = read.kind === "module" ? stageOf(read.module) : "ptx";
    if (read.kind === "imported") return { kind: "imported", trace: read.trace };
    const { target, options } = settingsOf(read, asked);
    const settings = settingsOf(read, here);
    const run = shownRange(pipelineOf(settings), args);
    if ("error" in run) return { kind: "error", text: `tt-step: ${run.error}\n`, code: EXIT.badInput };
    const { disabled, inserted, ...range } = run;
    return {
      kind: "module",
      source: read,
      range,
      form: read.python && form(withSettings(read.python.proposal, options), target),
      whatIf: { target: settings.target, options: settings.options, disabled: [...disabled], inserted: inserted.map(insertedText) },
    };
  };
  /** Opens the kernel for the arguments of a form, and writes them into the file where that is asked for. */
  const fill = (path: string, { kernel, line, config }: Proposal, filled: Form): Opened => {
    const signature = signatureText(filled);
    const [target, numWarps, numStages] = (["target", "num_warps", "num_stages"] as const).map((kind) => fieldText(filled, kind));
    const python = { ...args.python, kernel, config: config ?? args.python.config, signature, types: [], constants: [] };
    const compiler = {
      target: targetCalled(target!),
      options: { ...args.options, numWarps: Number(numWarps), numStages: Number(numStages) },
    };
    const opened = open(python, compiler, path);
    if (opened.kind === "error" || fieldText(filled, "comment") === "no") return opened;
    const settings = new Map(Object.entries({ signature, target: target!, num_warps: numWarps!, num_stages: numStages! }));
    if (config !== undefined) settings.set("config", String(config));
    try {
      io.writeFile(path, withComment(io.readFile(path), line, settings));
    } catch (error) {
      return { kind: "error", text: `cannot write ${path}: ${fileError(error)}\n`, code: EXIT.badInput };
    }
    // Its lines have moved.
    return open(python, compiler, path);
  };
  // Both sides have most diagnostics in common, and the screen is the UI's.
  const quiet: Io = { ...io, stderr: { write: () => true } };
  const inputWithout = ({
    changed,
    asked,
  }: {
    readonly changed: readonly Setting[];
    readonly asked: TtStepArgs;
  }): ReturnType<typeof against> => {
    const made = traceWithout(input!, changed, asked, stage, quiet);
    if ("error" in made) return { error: `--against ${other}: ${made.error}` };
    const options = changed.map(([option, value]) =>
      value === false ? `--no-${option}` : value === true ? `--${option}` : `--${option}=${value}`,
    );
    return { name: "the input", here: other!, options, trace: made.trace };
  };
  const against: TuiRequest["against"] = () => {
    if (other === undefined) return undefined;
    if (without) return inputWithout(without);
    const made = otherTrace(input!, { ...args, against: other }, stage, quiet);
    return "error" in made ? made : { name: other, trace: made.trace };
  };
  return {
    name,
    open,
    ...(args.open === undefined ? {} : { screen: args.open }),
    always: everywhere(args, io),
    useless: (options = [...given.written.keys()]) => (input ? uselessOptions(input, options, { stage }) : []),
    against,
    theme: themeOf(args, io),
    guessesTheme: args.theme === undefined && themeOf(args, io) !== "none",
    trueColour: /^(?:truecolor|24bit)$/.test(io.env["COLORTERM"] ?? ""),
    mouse: args.mouse,
    settings: {
      keys,
      ascii: false,
      command: compileWords(args.written),
      readOptions: readTypedOptions,
    },
    noAssembler: (code) => noAssemblerFor(code, io),
    clock: io.clock,
    page: () => pageParts(io),
  };
}

/** A proposal with the options that the kernel was compiled with. */
function withSettings(proposal: Proposal, { numWarps, numStages }: TargetOptions): Proposal {
  return {
    ...proposal,
    stated: new Map([
      ["num_warps", String(numWarps)],
      ["num_stages", String(numStages)],
    ]),
  };
}

/** The output of `--export`: as `E` in the UI, for the screen that the UI opens with. */
export async function exported(trace: Trace, args: TtStepArgs, io: Io): Promise<{ readonly text: string } | { readonly error: string }> {
  const size = { columns: Number(io.env["COLUMNS"]) || 168, rows: Number(io.env["LINES"]) || 48 };
  const theme = themeOf(args, io);
  const state = openedState(args.input!, trace, size);
  const made = await exportText(args.export!, state, THEMES[theme === "none" ? "light" : theme], {
    app: loadApp,
    page: () => pageParts(io),
  });
  // Files are written as latin1, as IR is read.
  return "error" in made ? made : { text: toBytes(made.text) };
}

/** Files that `build.js` puts beside the commands. */
function pageParts(io: Pick<Io, "readFile" | "packageFolder">): PageParts {
  const part = (name: string): string => io.readFile(`${io.packageFolder ?? "."}/dist/${name}`);
  return { element: part("page-element.js"), worker: part("page-worker.txt") };
}

function themeOf(args: Pick<TtStepArgs, "color" | "theme">, io: Io): Theme["name"] {
  if (args.color === "never" || (args.color === "auto" && io.env["NO_COLOR"])) return "none";
  return args.theme ?? "dark";
}
