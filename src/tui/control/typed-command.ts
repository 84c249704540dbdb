/** What is typed behind `:`: a step, `q`, or a command line of tt-step. */

import { knownCapability } from "../../gpu/nvidia.js";
import { findStep } from "../../trace/trace.js";
import { type State, type WhatIf, withView } from "../state/state.js";
import { commandLine } from "./command-line.js";
import { ask, say } from "./commands.js";
import { atLine } from "./navigate.js";
import { atStep } from "./walk.js";

export function typedCommand(state: State, typed: string): State {
  const text = typed.trim();
  if (text === "") return state;
  if (text === "q" || text === "quit") return ask(state, { kind: "quit" });
  // Unchanged, it is what the user wants to keep.
  if (text === commandLine(state)) return ask(say(state, "copied the command line"), { kind: "copy", text });
  if (/^\d+$/.test(text) && state.view.focus === "diff") return atLine(state, Number(text) - 1);
  const { trace } = state.session;
  const direct = findStep(trace, text);
  if (direct) return atStep(state, direct.index);
  if (!text.startsWith("tt-step ") && !text.startsWith("-"))
    return say(state, `no pass '${text}', and no command line of tt-step`, "error");
  return fromOptions(state, text.split(/\s+/));
}

/** Does what the options of a command line say, as far as they are about what is shown. */
function fromOptions(state: State, words: readonly string[]): State {
  const value = (name: string): string | undefined => {
    const at = words.findIndex((w) => w === `--${name}` || w.startsWith(`--${name}=`));
    if (at < 0) return undefined;
    return words[at]!.includes("=") ? words[at]!.slice(words[at]!.indexOf("=") + 1) : words[at + 1];
  };
  const { trace, settings } = state.session;
  const diff = value("diff")?.split("..");
  if (diff?.length === 2) {
    const [a, b] = diff.map((spec) => findStep(trace, spec!));
    if (!a || !b) return say(state, `no step '${diff[a ? 1 : 0]}'`, "error");
    const marked = withView(state, { mark: a.index, diff: { ...state.view.diff, base: "mark" } });
    return atStep(marked, b.index, true);
  }
  const after = value("print-after") ?? value("at");
  if (after !== undefined) {
    const step = findStep(trace, after);
    return step
      ? atStep(withView(state, { diff: { ...state.view.diff, mode: "IR" } }), step.index, true)
      : say(state, `no step '${after}'`, "error");
  }
  const changed = settings && withOptions(settings, value);
  if (settings && changed && JSON.stringify(changed) !== JSON.stringify(settings))
    return ask(say(state, "compiling ..."), { kind: "compile", whatIf: changed });
  const exportTo = value("export");
  if (exportTo !== undefined) return ask(state, { kind: "export", path: exportTo });
  return say(state, "nothing to do: --diff A..B, --print-after PASS, --export FILE and compile options are followed here", "info");
}

function withOptions(settings: WhatIf, value: (name: string) => string | undefined): WhatIf {
  const number = (name: string, otherwise: number): number => {
    const given = Number(value(name));
    return Number.isInteger(given) && given > 0 ? given : otherwise;
  };
  return {
    ...settings,
    capability: knownCapability(value("target") ?? "") ?? settings.capability,
    options: {
      ...settings.options,
      numWarps: number("num-warps", settings.options.numWarps),
      numStages: number("num-stages", settings.options.numStages),
      numCtas: number("num-ctas", settings.options.numCtas),
    },
  };
}
