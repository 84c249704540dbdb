/** Opening what lies over the panes, and going in. */
import { codegenItems } from "../panes/codegen/model.js";
import { ptxGo } from "../panes/codegen/ptx.js";
import { displayOf } from "../panes/diff/model.js";
import { insideOf } from "../state/places.js";
import { type PromptKind, type State, withView } from "../state/state.js";
import { selectedStep } from "../state/steps.js";
import { say } from "./commands.js";
import { go, list, sourceOf } from "./navigate.js";

const LABELS: Readonly<Record<PromptKind, string>> = {
  search: "/",
  filter: "filter passes: ",
  "through-time": "through all passes: ",
  command: ":",
  export: "export to (.html, .svg, .json): ",
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
  return { ...state, overlay: { kind: "help", top: 0 } };
}

export function openWhy(state: State): State {
  return withView(state, {
    focus: state.view.focus === "passes" || state.view.zoomed ? "codegen" : state.view.focus,
    lower: "codegen",
    codegen: { ...state.view.codegen, tab: "why", row: 0, top: 0, left: 0 },
  });
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

/** Enter: in the pass list the rewrites of the pass, elsewhere what is under the cursor. */
export function enter(state: State): State {
  const { view } = state;
  switch (view.focus) {
    case "passes": {
      if (!selectedStep(state)) return state;
      const focused = withView(state, { focus: "codegen", codegen: { ...view.codegen, tab: "rewrites", row: 0, top: 0, left: 0 } });
      return focused;
    }
    case "diff": {
      const shown = displayOf(state);
      if (shown && shown.length > 0) {
        const at = shown.at(view.diff.row);
        if (at.kind === "fold") return withView(state, { diff: { ...view.diff, open: [...view.diff.open, at.first] } });
        if (at.row.kind === "moved-from" || at.row.kind === "moved-to") {
          const there =
            at.row.kind === "moved-from" ? shown.indexOf("right", at.row.counterpart!) : shown.indexOf("left", at.row.counterpart!);
          if (there >= 0) return withView(state, { diff: { ...view.diff, row: there } });
        }
      }
      return withView(state, { focus: "layout" });
    }
    case "codegen": {
      const item = codegenItems(state, insideOf(state, "codegen")?.width ?? 80)[view.codegen.row];
      const to = view.codegen.tab === "ptx" ? ptxGo(state) : item?.go;
      return to ? go(state, { text: "", go: to }) : say(state, "this row leads nowhere");
    }
    case "source":
      return sourceOf(state);
    case "layout":
      return say(state, "space selects the thread that holds the element");
  }
}
