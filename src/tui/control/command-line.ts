/** The command line that prints what is shown. */
import { DEFAULT_TARGET } from "../../backend/targets.js";
import { DEFAULT_TRITON } from "../../support/triton-version.js";
import { cursorName, shownMode } from "../panes/diff/model.js";
import type { Session, State } from "../state/state.js";
import { before, fullName, selectedStep } from "../state/steps.js";

import { openWords } from "./open-state.js";

const quoted = (arg: string): string => (/^[\w./:=,#%@+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`);

/** `tt-step matmul.ttir --diff 10..11 --open pass=11,line=17,focus=diff`: it prints what is shown, and in a terminal shows it again. */
export function commandLine(state: State): string {
  return state.session.trace.steps.length === 0 ? printing(state) : `${printing(state)} --open ${quoted(openWords(state))}`;
}
function printing(state: State): string {
  const { session, view } = state;
  const words = ["tt-step", quoted(session.name), ...wordsOf(state).map(quoted)];
  const step = selectedStep(state);
  if (!step) return words.join(" ");
  if (view.focus === "codegen") return [...words, "--codegen"].join(" ");
  if (view.focus === "layout") return [...words, "--layout", quoted(cursorName(state) ?? "%0"), "--at", spec(state)].join(" ");
  if (view.focus === "passes" && view.zoomed) return [...words, "--list"].join(" ");
  if (step.flag === "ptx") return [...words, "--emit", "ptx"].join(" ");
  if (step.flag === "amdgcn") return [...words, "--emit", "amdgcn"].join(" ");
  if (step.flag === "sass") return [...words, "--ptxas-report"].join(" ");
  const mode = shownMode(state);
  if (mode === "IR" || step.kind === "source") return [...words, "--print-after", spec(state)].join(" ");
  if (view.diff.base === "against" && session.against) return words.join(" ");
  const other = view.diff.base === "mark" && view.mark !== undefined ? session.trace.steps[view.mark] : before(session, step);
  const modeWords = mode === "side by side" ? ["--diff-mode", "side-by-side"] : [];
  return [...words, "--diff", `${other?.label ?? 0}..${step.label}`, ...modeWords].join(" ");
}

/** The options: with the other side where that is shown. */
function wordsOf({ session, settings, view }: State): readonly string[] {
  const { against, baseline } = session;
  const given = settings.command.filter((word) => !word.startsWith("--against"));
  const shows = view.focus === "codegen" ? view.codegen.tab === "compare" : view.diff.base === "against";
  if (!against || baseline || !shows) return optionWords(session, [...given, ...(against?.options ?? [])]);
  // This side has the options of the comparison, which are no others.
  const own = against.here === undefined ? optionWords(session, given) : given;
  return [...own, `--against=${against.here ?? against.name}`];
}

function spec(state: State): string {
  const step = selectedStep(state)!;
  return step.kind === "source" || step.parent !== undefined ? step.label : fullName(state.session.trace, step);
}

/** The options that make the compilation what it is. */
function optionWords({ settings, baseline }: Session, given: readonly string[]): string[] {
  if (!settings) return [...given];
  const opened = (baseline?.settings ?? settings).triton;
  const words = given.filter((w) => !/^--(?:target|num-warps|num-stages|num-ctas|disable-pass|insert-pass)\b|^--triton(?:=|$)/.test(w));
  const { options, target, triton, disabled, inserted } = settings;
  if (given.some((w) => w.startsWith("--target")) || target !== DEFAULT_TARGET) words.push("--target", target);
  if (triton !== undefined && (triton !== DEFAULT_TRITON.name || triton !== opened)) words.push("--triton", triton);
  if (options.numWarps !== 4) words.push("--num-warps", String(options.numWarps));
  if (options.numStages !== 3) words.push("--num-stages", String(options.numStages));
  if (options.numCtas !== 1) words.push("--num-ctas", String(options.numCtas));
  for (const position of disabled) words.push("--disable-pass", String(position));
  for (const spec of inserted) words.push("--insert-pass", spec);
  return words;
}
