/** The panes, by id. */
import type { PaneId, PaneViews, View } from "../state/view.js";
import { codegenPane } from "./codegen/pane.js";
import { diffPane } from "./diff/pane.js";
import { findingsPane } from "./findings/pane.js";
import { layoutPane } from "./layout/pane.js";
import type { PaneDef } from "./pane.js";
import { passesPane } from "./passes/pane.js";
import { sourcePane } from "./source/pane.js";

/** In the order of `tab`. */
export const PANES: { readonly [P in PaneId]: PaneDef<PaneViews[P]> } = {
  passes: passesPane,
  diff: diffPane,
  layout: layoutPane,
  codegen: codegenPane,
  source: sourcePane,
  findings: findingsPane,
};
export const PANE_IDS = Object.keys(PANES) as PaneId[];

/** The view that the UI begins with. */
export function initialView(): View {
  const slices = Object.fromEntries(PANE_IDS.map((id) => [id, PANES[id].initial])) as { [P in PaneId]: PaneViews[P] };
  return {
    focus: "findings",
    upper: "findings",
    lower: "layout",
    zoomed: false,
    sizes: {},
    marks: {},
    mark: undefined,
    search: undefined,
    ...slices,
  };
}
