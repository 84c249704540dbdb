/** The panes, by id. */
import { PANES, type PaneId } from "../state/state.js";
import { codegenPane } from "./codegen/model.js";
import { diffPane } from "./diff/pane.js";
import { layoutPane } from "./layout/model.js";
import type { PaneModel } from "./pane.js";
import { passesPane } from "./passes/pane.js";
import { sourcePane } from "./source/model.js";

const MODELS: Readonly<Record<PaneId, PaneModel>> = {
  source: sourcePane,
  passes: passesPane,
  diff: diffPane,
  layout: layoutPane,
  codegen: codegenPane,
};
export function paneModel(id: PaneId): PaneModel {
  return MODELS[id];
}
export const PANE_ORDER: readonly PaneId[] = PANES;
