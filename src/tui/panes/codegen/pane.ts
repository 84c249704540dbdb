/** The final code. */
import { codegenStep } from "../../../explain/codegen-facts.js";
import { assembles } from "../../../gpu/gpu.js";
import { stageName } from "../../../trace/stage.js";
import { go } from "../../control/navigate.js";
import { textOf } from "../../draw/style.js";
import { insideOf } from "../../state/places.js";
import { type Go, type State, say, withView } from "../../state/state.js";
import { selectedStep, stepName } from "../../state/steps.js";
import type { CodegenView } from "../../state/view.js";
import { leftAway } from "../diff/pane.js";
import { type PaneDef, tabAway } from "../pane.js";
import { codeGo, codeLength, ptxOf, tiedRow } from "./final-code.js";
import type { CodegenItem } from "./item.js";
import { codegenItems, codegenRows } from "./model.js";
import { CODEGEN_TABS, isCode } from "./tabs.js";

/** Labels of the tabs of code for AMD's GPUs. */
const OF_AMD: Readonly<Record<string, string>> = { ptx: "llir", sass: "amdgcn", sas: "gcn" };

export const codegenPane: PaneDef<CodegenView> = {
  initial: { tab: "memory", about: "op", instruction: "", launch: "", row: 0, top: 0, left: 0 },
  title: (state) => {
    const { tab, about } = state.view.codegen;
    const step = selectedStep(state);
    const pass = step ? stepName(state.session.trace, step) : "";
    if (tab === "rewrites") return `rewrites of ${pass}`;
    if (tab === "why") return about === "pass" ? `why ${pass}` : "why";
    if (tab === "stats") return "statistics";
    if (tab === "flow") return "control flow";
    return shortTitle(state);
  },
  shorterTitles: (state) => [shortTitle(state)],
  tabs: (state) => {
    const isAmd = assembles(state.session.trace.target) === "llir";
    const shown = (label: string): string => (isAmd ? OF_AMD[label] : undefined) ?? label;
    return {
      names: CODEGEN_TABS,
      long: CODEGEN_TABS.map(shown),
      short: ["mem", "mma", "ptx", "sas", "cmp", "why", "cf", "sta", "rew", "lim"].map(shown),
      active: state.view.codegen.tab,
    };
  },
  note: (state) => {
    const count = codegenPane.length(state, { width: 80, height: 20 });
    return count > 0 ? `${Math.min(count, state.view.codegen.row + 1)}/${count}` : "";
  },
  rows: codegenRows,
  length: (state, size) => (isCode(state.view.codegen.tab) ? codeLength(state) : codegenItems(state, size.width).length),
  top: (state) => state.view.codegen.top,

  move: (state, by) => atRow(state, state.view.codegen.row + by),
  sideways: (state, by) => withView(state, { codegen: { ...state.view.codegen, left: leftAway(state.view.codegen, by) } }),
  click: (state, _, y) => atRow(state, state.view.codegen.top + y),
  enter: (state) => {
    const to = codegenGo(state);
    return to ? go(state, { text: "", go: to }) : say(state, "this row leads nowhere");
  },
  tab: (state, by) => {
    const tab = tabAway(CODEGEN_TABS, state.view.codegen.tab, by);
    const row = isCode(tab) ? tiedRow(state, tab) : 0;
    return withView(state, { codegen: { ...state.view.codegen, tab, row, top: row, left: 0 } });
  },
  copied: (state) => {
    const { row } = state.view.codegen;
    const [shown] = codegenRows(
      { ...state, view: { ...state.view, codegen: { ...state.view.codegen, top: row, left: 0 } } },
      { width: 1000, height: 1 },
    );
    return shown && ["the row", textOf(shown).trim()];
  },
  next: (state, direction) => {
    const { tab, row } = state.view.codegen;
    if (tab !== "rewrites") return undefined;
    const items = itemsOf(state);
    const isHead = (item: CodegenItem, i: number) => item.head === true && (direction > 0 ? i > row : i < row);
    const to = direction > 0 ? items.findIndex(isHead) : items.findLastIndex(isHead);
    return to < 0 ? say(state, `no rewrite ${direction > 0 ? "below" : "above"}`) : atRow(state, to);
  },
  // The cursor on the first row that leads somewhere, where it is still on the heading above.
  focused: (state) => {
    const { row, tab } = state.view.codegen;
    if (row > 0 || isCode(tab) || tab === "rewrites") return state;
    const items = itemsOf(state);
    return items[0]?.go || !items[1]?.go ? state : atRow(state, 1);
  },
};

function shortTitle({ session, view }: State): string {
  const { tab } = view.codegen;
  if (tab === "ptx") {
    const step = codegenStep(session.trace);
    return ptxOf(session).kind !== "none" ? "PTX" : step ? stageName(step).toUpperCase() : "code";
  }
  if (tab === "sass") return assembles(session.trace.target) === "llir" ? "AMDGCN" : "SASS";
  return tab === "memory" || tab === "mma" || tab === "compare" ? "code" : tab;
}

/** Where the row under the cursor leads. */
export function codegenGo(state: State): Go | undefined {
  const { tab, row } = state.view.codegen;
  return isCode(tab) ? codeGo(state) : itemsOf(state)[row]?.go;
}

function atRow(state: State, row: number): State {
  return withView(state, { codegen: { ...state.view.codegen, row: Math.max(0, row) } });
}
function itemsOf(state: State): readonly CodegenItem[] {
  return codegenItems(state, insideOf(state, "codegen")?.width ?? 80);
}
