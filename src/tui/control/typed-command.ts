/** Commands typed after `:`: a step, `q`, an option with its value, or a command line of tt-step. */

import { retargeted } from "../../backend/targets.js";
import { findStep, noStep } from "../../trace/trace.js";
import { ask, type State, say, type TypedOptions, withView } from "../state/state.js";
import { commandLine } from "./command-line.js";
import { atLine } from "./navigate.js";
import { isToCome, whyNoStep, withOpened } from "./open-state.js";
import { atStep } from "./walk.js";
import { whatIfProblem } from "./what-if.js";

/** Does what was typed after `:`. */
export function typedCommand(state: State, typed: string): State {
  const text = typed.trim();
  if (text === "") return state;
  if (text === "q" || text === "quit") return ask(state, { kind: "quit" });
  // Unchanged, it is what the user wants to keep.
  if (text === commandLine(state)) return ask(say(state, "copied the command line"), { kind: "copy", text });
  if (/^\d+$/.test(text) && state.view.focus === "diff") return atLine(state, Number(text) - 1);
  const [, launch] = /^limits\b\s*(.*)$/.exec(text) ?? [];
  if (launch !== undefined)
    return withView(state, { focus: "codegen", codegen: { ...state.view.codegen, tab: "limits", launch, row: 0, top: 0 } });
  const direct = findStep(state.session.trace, text);
  if (direct) return atStep(state, direct.index);
  if (isToCome(state.session, text)) return withOpened(state, `pass=${text}`);
  const options = state.settings.readOptions?.(text);
  return options === undefined
    ? say(state, whyNoStep(state.session, text), "error")
    : "error" in options
      ? say(state, options.error, "error")
      : follow(state, options);
}

/** Does what the options of a command line say, as far as they are about what is shown. */
function follow(state: State, { diff, after, export: path, target, triton, options }: TypedOptions): State {
  const { trace, settings } = state.session;
  if (diff) {
    const [a, b] = diff.map((spec) => findStep(trace, spec));
    if (!a || !b) return say(state, noStep(trace, diff[a ? 1 : 0]), "error");
    const marked = withView(state, {
      marks: { ...state.view.marks, [a.index]: state.view.marks[a.index] ?? "'" },
      mark: a.index,
      diff: { ...state.view.diff, base: "mark" },
    });
    return atStep(marked, b.index, true);
  }
  if (after !== undefined) {
    const step = findStep(trace, after);
    return step
      ? atStep(withView(state, { diff: { ...state.view.diff, mode: "IR" } }), step.index, true)
      : say(state, noStep(trace, after), "error");
  }
  if (settings) {
    const to = target ?? settings.target;
    const changed = {
      ...settings,
      ...(triton === undefined ? {} : { triton }),
      target: to,
      options: { ...retargeted(settings.options, settings.target, to), ...options },
    };
    const problem = whatIfProblem(changed);
    if (problem !== undefined) return say(state, problem, "error");
    if (JSON.stringify(changed) !== JSON.stringify(settings)) return ask(say(state, "compiling ..."), { kind: "compile", whatIf: changed });
  }
  if (path !== undefined) return ask(state, { kind: "export", path });
  return say(state, "nothing to do: --diff A..B, --print-after PASS, --export FILE and compile options are followed here", "info");
}
