/** The mouse on tabs, borders and dialogs: cells are those of the screen as it is drawn. */
import { expect, test } from "vitest";
import { overlayRect } from "./control/overlay-rect.js";
import { initialState, reduce } from "./control/reducer.js";
import { kernelSession, screenOf, typed } from "./session.fixture.js";
import { placesOf } from "./state/places.js";
import type { State } from "./state/state.js";

const session = kernelSession("fixtures/kernels/vecadd.ttir");
const opened = (columns: number, rows: number): State => initialState(session, { columns, rows }, { keys: {}, ascii: false, command: [] });
const mouse = (state: State, what: "press" | "drag" | "release" | "wheel-down", x: number, y: number): State =>
  reduce(state, { type: "input", input: { kind: "mouse", what, x, y } });
/** The cell of a text, and `by` columns on. */
function cellOf(state: State, text: string, by = 0): [x: number, y: number] {
  const lines = screenOf(state).split("\n");
  const y = lines.findIndex((line) => line.includes(text));
  return [lines[y]!.indexOf(text) + by, y];
}

test.each([
  [140, 40, "rew"],
  [80, 24, "rew"],
])("a click on a tab opens it, at %ix%i", (columns, rows, label) => {
  const state = typed(opened(columns, rows), "4");
  const clicked = mouse(state, "press", ...cellOf(state, `|${label}`, 2));
  expect(clicked.view.codegen.tab).toBe("rewrites");
  const back = mouse(clicked, "press", ...cellOf(clicked, "[mem", 1));
  expect(back.view.codegen.tab).toBe("memory");
});

test("borders are dragged: the pass list becomes wider, the lower panes higher", () => {
  const state = opened(140, 40);
  const rectOf = (at: State, pane: string) => placesOf(at).panes.find((p) => p.pane === pane)!.rect;
  const list = rectOf(state, "passes");
  // Its edge is two columns: that of the list and that of the pane beside it.
  const [wider] = [list.width, list.width - 1].map((x) => {
    const dragged = mouse(mouse(mouse(state, "press", x, 5), "drag", x + 12, 6), "release", x + 12, 6);
    expect(rectOf(dragged, "passes").width).toBe(list.width + 12);
    return dragged;
  }) as [State, State];
  expect(mouse(wider, "drag", 90, 6)).toBe(wider);
  const layout = rectOf(wider, "layout");
  const [higher] = [layout.y - 1, layout.y].map((y) => {
    const dragged = mouse(mouse(wider, "press", layout.x + 3, y), "drag", layout.x + 3, y - 5);
    expect(rectOf(dragged, "layout").height).toBe(layout.height + 5);
    return dragged;
  }) as [State, State];
  expect(
    screenOf(higher)
      .split("\n")
      .every((line) => line.length <= 140),
  ).toBe(true);
});

test("the border between the layout and the final code is dragged, and that of the Python source", () => {
  const state = opened(140, 40);
  const sources = [{ path: "k.py", found: "k.py", lines: ["pass"] }];
  const rectOf = (at: State, pane: string) => placesOf(at).panes.find((p) => p.pane === pane)!.rect;
  for (const [at, pane] of [
    [state, "layout"],
    [typed({ ...state, session: { ...session, sources } }, "2P"), "source"],
  ] as const) {
    const { x, y, width } = rectOf(at, pane);
    for (const edge of [x + width - 1, x + width]) {
      const wider = mouse(mouse(at, "press", edge, y + 2), "drag", edge + 9, y + 3);
      expect(rectOf(wider, pane).width).toBe(width + 9);
    }
  }
});

test("a dialog is clicked: a value changes, and the lower edge runs it", () => {
  const state = typed(opened(140, 40), "o");
  const changed = mouse(state, "press", ...cellOf(state, "num_warps", 44));
  expect(changed.overlay).toMatchObject({ draft: { options: { numWarps: 8 } } });
  const run = mouse(changed, "press", ...cellOf(changed, "enter runs"));
  expect(run.effects).toMatchObject([{ kind: "compile", whatIf: { options: { numWarps: 8 } } }]);
});

test("a list is clicked and scrolled: the row under the cursor stays in sight", () => {
  const items = Array.from({ length: 60 }, (_, i) => ({ text: `item ${i}`, go: { to: "step" as const, step: 1 } }));
  const state: State = { ...opened(80, 24), overlay: { kind: "list", title: "items", items, row: 0, top: 0 } };
  const rows = (at: State) => (at.overlay?.kind === "list" ? [at.overlay.row, at.overlay.top] : []);
  let at = state;
  for (let i = 0; i < 9; i++) at = mouse(at, "wheel-down", 40, 12);
  const { height } = overlayRect(at, at.overlay!);
  const [row = 0, top = 0] = rows(at);
  expect(row).toBeGreaterThan(height);
  expect(row).toBeLessThanOrEqual(top + height - 3);
  // The upper edge is no row; the lower one goes where enter goes.
  const { x, y } = overlayRect(at, at.overlay!);
  expect(mouse(at, "press", x + 3, y)).toEqual(at);
  expect(mouse(at, "press", x + 3, y + height - 1).overlay).toBeUndefined();
  expect(rows(mouse(at, "press", x + 3, y + 1))).toEqual([top, top]);
});

test("the help is scrolled to its end, not beyond", () => {
  let at = typed(opened(80, 24), "?");
  for (let i = 0; i < 90; i++) at = mouse(at, "wheel-down", 40, 12);
  expect(screenOf(at)).toMatch(/\^z +suspend/);
});

test("a form is clicked: a field, then the lower edge; a click beside it keeps what was typed", () => {
  const field = (name: string, text: string) => ({ name, kind: "type" as const, text, note: "" });
  const form = { title: "arguments of k", fields: [field("x", "*fp32"), field("y", "*fp16")] };
  const state = typed({ ...opened(120, 40), session: { ...session, form } }, "A");
  const second = mouse(state, "press", ...cellOf(state, "*fp16"));
  const edited = typed(second, ":16");
  expect(mouse(edited, "press", 1, 1)).toEqual(edited);
  const run = mouse(edited, "press", ...cellOf(edited, "enter compiles"));
  expect(run.effects).toMatchObject([{ kind: "fill", form: { fields: [{ text: "*fp32" }, { text: "*fp16:16" }] } }]);
});
