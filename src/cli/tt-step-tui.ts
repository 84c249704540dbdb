/** Opens the terminal UI on what the arguments name. */

import { pipelineOf } from "../compile/compile.js";
import { settingsOf } from "../index.js";
import { toBytes } from "../support/utf8.js";
import type { Trace } from "../trace/trace.js";
import { THEMES, type Theme } from "../tui/draw/theme.js";
import { exportText } from "../tui/export/export.js";
import { loadApp } from "../tui/load-app.js";
import { type Opened, openedState } from "../tui/opening.js";
import { runTui } from "../tui/run.js";
import type { Regenerate } from "../tui/state/state.js";
import { configPath, readConfig } from "./config.js";
import { EXIT, type Io } from "./io.js";
import { otherTrace } from "./tt-step-against.js";
import { readTtStep, stepArgs, type TtStepArgs } from "./tt-step-args.js";
import { everywhere, shownRange } from "./tt-step-compile.js";
import { type Input, readInput } from "./tt-step-input.js";
import { readTypedOptions } from "./typed-options.js";

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
  const name = args.input!;
  let input: Exclude<Input, { kind: "error" }> | undefined;
  const open = (python = args.python): Opened => {
    const read = readInput(name, io, { ...args, python, debugInfo: false });
    if (read.kind === "error" && read.choices) {
      const { title, items } = read.choices;
      return { kind: "choices", title, choices: items.map(({ text, given }) => ({ text, open: () => open({ ...python, ...given }) })) };
    }
    if (read.kind === "error") return { kind: "error", text: read.rendered ?? `tt-step: ${read.message}\n`, code: EXIT.badInput };
    input = read;
    if (read.kind === "imported") return { kind: "imported", trace: read.trace };
    const { capability, options, from } = settingsOf(read, args);
    const asked = shownRange(pipelineOf({ capability, options, from }), args);
    if ("error" in asked) return { kind: "error", text: `tt-step: ${asked.error}\n`, code: EXIT.badInput };
    const { disabled, ...range } = asked;
    const { module, text } = read;
    const regenerate: Regenerate = (target, cuda) => {
      const again = readInput(name, io, { ...args, python, capability: target, cuda, debugInfo: false });
      return again.kind === "module"
        ? again
        : { error: again.kind === "error" ? (again.rendered ?? again.message ?? "") : "it is a dump now" };
    };
    return {
      kind: "module",
      module,
      text,
      from,
      range,
      regenerate: read.defaults ? regenerate : undefined,
      whatIf: { capability, options, disabled: [...disabled] },
    };
  };
  const against = () => {
    const other = otherTrace(input!, args, io);
    return "error" in other ? other : { name: args.against!, trace: other.trace };
  };
  return runTui({
    name,
    open,
    always: everywhere(args, io),
    ...(args.against === undefined ? {} : { against }),
    theme: themeOf(args, io),
    trueColour: /^(?:truecolor|24bit)$/.test(io.env["COLORTERM"] ?? ""),
    mouse: args.mouse,
    settings: {
      keys: config.keys,
      ascii: false,
      command: argv.filter((arg) => arg !== name && arg !== "--tui"),
      readOptions: readTypedOptions,
    },
    clock: io.clock,
  });
}

/** The output of `--export`: as `E` in the UI, for the screen that the UI opens with. */
export async function exported(trace: Trace, args: TtStepArgs, io: Io): Promise<{ readonly text: string } | { readonly error: string }> {
  const size = { columns: Number(io.env["COLUMNS"]) || 168, rows: Number(io.env["LINES"]) || 48 };
  const theme = themeOf(args, io);
  const state = openedState(args.input!, trace, size);
  const made = await exportText(args.export!, state, THEMES[theme === "none" ? "light" : theme], loadApp);
  // Files are written as latin1, as IR is read.
  return "error" in made ? made : { text: toBytes(made.text) };
}

function themeOf(args: TtStepArgs, io: Io): Theme["name"] {
  if (args.color === "never" || (args.color === "auto" && io.env["NO_COLOR"])) return "none";
  return args.theme ?? "dark";
}
