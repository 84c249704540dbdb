/** Opening what lies over the panes. */

import { codeLine } from "../panes/codegen/final-code.js";
import { codegenGo } from "../panes/codegen/pane.js";
import { isCode } from "../panes/codegen/tabs.js";
import { cursorLine } from "../panes/diff/model.js";
import { insideOf } from "../state/places.js";
import { type PromptKind, type State, say, withView } from "../state/state.js";
import { selectedStep } from "../state/steps.js";
import { go, list } from "./navigate.js";

const LABELS: Readonly<Record<PromptKind, string>> = {
  insert: "insert after it the pass: ",
  search: "/",
  filter: "filter passes: ",
  "through-time": "through all passes: ",
  command: ":",
  export: "export to (.html, .svg, .json, .mlir: the pass to run again): ",
};

export function openPrompt(state: State, prompt: PromptKind, text = ""): State {
  const initial =
    prompt === "export" && text === "" ? `${baseName(state.session.name)}.html` : prompt === "filter" ? state.view.passes.filter : text;
  return {
    ...state,
    overlay: {
      kind: "prompt",
      prompt,
      label: LABELS[prompt],
      text: initial,
      at: initial.length,
      offered: initial !== "" && prompt !== "filter",
    },
  };
}
function baseName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
  return name === "" || name === "-" ? "trace" : name;
}

export function openHelp(state: State): State {
  return { ...state, overlay: { kind: "help", top: 0, filter: undefined, typing: false } };
}

/** Why the op under the cursor is as it is; from the pass list, what the pass is for. It comes into view wherever it is asked. */
export function openWhy(state: State): State {
  const { focus, codegen } = state.view;
  const isElsewhere = focus === "codegen" && codegen.tab !== "why";
  const to = isElsewhere ? codegenGo(state) : undefined;
  const code =
    isElsewhere && isCode(codegen.tab)
      ? codeLine(state)
      : focus === "diff" && selectedStep(state)?.stage === "ptx"
        ? cursorLine(state)?.text
        : undefined;
  const asked = to?.to === "op" && code === undefined ? withView(go(state, { text: "", go: to }), { focus }) : state;
  const about = code !== undefined ? "instruction" : focus === "passes" ? "pass" : focus === "layout" ? "element" : "op";
  const view = {
    lower: "codegen",
    codegen: { ...codegen, tab: "why", about, instruction: code ?? "", row: 0, top: 0, left: 0 },
  } as const;
  const shown = withView(asked, view);
  const isSeen = focus !== "layout" && insideOf(shown, "codegen") !== undefined;
  return isSeen ? shown : withView(shown, { focus: "codegen" });
}

export function openWhatIf(state: State): State {
  const { settings } = state.session;
  if (!settings) return say(state, "a dump cannot be rerun; e edits its IR and runs our passes on it");
  if (state.session.progress) return say(state, "still compiling");
  return { ...state, overlay: { kind: "what-if", row: 0, draft: settings, editing: undefined } };
}

export function chooseKernel(state: State): State {
  const { kernels, kernel, menu, progress } = state.session;
  if (menu) {
    if (progress) return say(state, "still compiling");
    const mark = (i: number): string => (menu.chosen === undefined ? "" : i === menu.chosen ? "* " : "  ");
    const items = menu.items.map((text, i) => ({ text: mark(i) + text, go: { to: "choice", choice: i } as const }));
    return list(state, menu.title, items, menu.chosen ?? 0);
  }
  if (kernels.length < 2) return say(state, "the input holds one kernel");
  return list(
    state,
    "kernels",
    kernels.map(({ name, symbol, first, last }, i) => ({
      text: `${i === kernel ? "*" : " "} ${name}${symbol === undefined ? `  (${last - first} passes)` : ""}`,
      go: { to: "kernel", kernel: i } as const,
    })),
    kernel,
  );
}
