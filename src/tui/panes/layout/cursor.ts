/** Moving and selecting in the layout pane. */
import { insideOf } from "../../state/places.js";
import { type State, withView } from "../../state/state.js";
import { firstOwner, gridOf, within } from "./grid.js";
import { hwWindow } from "./hw.js";
import { mapWindow } from "./map.js";
import { subjectOf } from "./subject.js";

export function moveElement(state: State, down: number, right: number): State {
  const subject = subjectOf(state);
  const { tab, top } = state.view.layout;
  if ("reason" in subject || tab === "bases" || tab === "pair")
    return withView(state, { layout: { ...state.view.layout, top: Math.max(0, top + Math.max(-1e6, Math.min(down, 200))) } });
  const { shape } = subject.layout;
  const at = within(shape, state.view.layout.element);
  if (tab === "hw" && subject.layout.kind === "distributed") return moveOwner(state, down, right);
  const grid = gridOf(shape, at, mapWindow(subject, insideOf(state, "layout") ?? { width: 80, height: 20 }).fold);
  const [row, column] = grid.cell(at);
  const to = grid.element(Math.max(0, Math.min(grid.rows - 1, row + down)), Math.max(0, Math.min(grid.columns - 1, column + right)));
  return withView(state, { layout: { ...state.view.layout, element: within(shape, to) } });
}

/** In the hardware view: to another register (down) or another thread (right). */
function moveOwner(state: State, down: number, right: number): State {
  const subject = subjectOf(state);
  if ("reason" in subject) return state;
  const { layout, shape } = subject.layout;
  const owner = firstOwner(layout, shape, within(shape, state.view.layout.element));
  if (!owner) return state;
  const registers = layout.getInDimSize("register");
  const lanes = layout.getInDimSize("lane");
  const threads = lanes * layout.getInDimSize("warp");
  const register = Math.max(0, Math.min(registers - 1, owner.register + down));
  const thread = Math.max(0, Math.min(threads - 1, owner.thread + right));
  const element = layout.unpack(
    layout.applyPacked({ register, lane: thread % lanes, warp: Math.trunc(thread / lanes), block: owner.block }),
  );
  return withView(state, { layout: { ...state.view.layout, element } });
}

export function clickElement(state: State, x: number, y: number): State {
  const subject = subjectOf(state);
  if ("reason" in subject) return state;
  const inside = insideOf(state, "layout");
  if (!inside) return state;
  const { shape, kind } = subject.layout;
  const at = within(shape, state.view.layout.element);
  if (state.view.layout.tab === "map" && kind === "distributed") {
    const window = mapWindow(subject, inside);
    const grid = gridOf(shape, at, window.fold);
    const [row, column] = grid.cell(at);
    const shown = window.around(grid, row, column, inside.height);
    const to = [shown.top + y - window.head, shown.left + Math.floor((x - window.gutter) / window.cell)] as const;
    if (to[0] < 0 || to[1] < 0 || to[0] >= grid.rows || to[1] >= grid.columns) return state;
    return withView(state, { layout: { ...state.view.layout, element: within(shape, grid.element(to[0], to[1])) } });
  }
  return hwWindow(state, y);
}

/** The thread that holds the element under the cursor: what it owns is shown, or no longer. */
export function selectElement(state: State): State {
  const subject = subjectOf(state);
  if ("reason" in subject) return { ...state, message: { text: subject.reason, kind: "info" } };
  const { layout, shape, kind } = subject.layout;
  if (kind === "shared") return { ...state, message: { text: "shared memory belongs to no thread", kind: "info" } };
  const owner = firstOwner(layout, shape, within(shape, state.view.layout.element));
  const thread = owner && state.view.layout.thread === owner.thread ? undefined : owner?.thread;
  return withView(state, { layout: { ...state.view.layout, thread } });
}

const COLOURS = ["thread", "warp", "register"] as const;
export function nextColour(state: State): State {
  const colour = COLOURS[(COLOURS.indexOf(state.view.layout.colour) + 1) % COLOURS.length]!;
  return { ...withView(state, { layout: { ...state.view.layout, colour } }), message: { text: `coloured by ${colour}`, kind: "info" } };
}
