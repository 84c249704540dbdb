/** The layout of the value under the cursor. */
import { say, withView } from "../../state/state.js";
import { LAYOUT_TABS, type LayoutView } from "../../state/view.js";
import { type PaneDef, tabAway } from "../pane.js";
import { clickElement, moveElement, selectElement } from "./cursor.js";
import { layoutRows } from "./model.js";
import { subjectOf } from "./subject.js";

export const layoutPane: PaneDef<LayoutView> = {
  initial: { tab: "map", element: [], thread: undefined, colour: "thread", top: 0, left: 0 },
  title: (state) => {
    const subject = subjectOf(state);
    return "reason" in subject ? "layout" : `layout of ${subject.name}`;
  },
  tabs: (state) => ({ names: LAYOUT_TABS, active: state.view.layout.tab }),
  note: (state) => {
    const subject = subjectOf(state);
    if ("reason" in subject) return "";
    const { thread, colour } = state.view.layout;
    return `${subject.layout.bits} ${subject.layout.bits === 1 ? "bit" : "bits"} · by ${colour}${thread === undefined ? "" : ` · thread ${thread}`}`;
  },
  rows: layoutRows,
  length: () => 0,
  top: () => 0,

  move: (state, by) => moveElement(state, by, 0),
  across: (state, by) => moveElement(state, 0, by),
  sideways: (state, by) => moveElement(state, 0, Math.sign(by) * 4),
  click: clickElement,
  enter: (state) => say(state, "space selects the thread that holds the element"),
  select: selectElement,
  tab: (state, by) =>
    withView(state, { layout: { ...state.view.layout, tab: tabAway(LAYOUT_TABS, state.view.layout.tab, by), top: 0, left: 0 } }),
  copied: (state) => {
    const subject = subjectOf(state);
    return "reason" in subject ? undefined : ["the encoding", subject.layout.encodingText];
  },
};
