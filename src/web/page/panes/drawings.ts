/** Drawings of layouts: grids whose cells light up with their thread, in all of them at once; and tiles of CuTe. */
import type { Panel } from "../../../cute/draw.js";
import { INKS, type Ink } from "../../../tui/draw/style.js";
import type { DrawingPicture, GridCell, GridPicture } from "../../protocol.js";
import { h, s } from "../dom.js";

const CELL = { letter: 7.3, height: 22, head: 20 } as const;
const colourOf = (n: number): string => `var(--i${INKS.indexOf(`c${n % 8}` as Ink)})`;
const textOf = (element: readonly number[]): string => `(${element.join(", ")})`;

/** An element that is chosen, with its thread; undefined for none. */
export type Choose = (element: readonly number[], thread: number | undefined) => void;

export function drawings(picture: DrawingPicture, choose: Choose): HTMLElement {
  const { grids, element, thread: chosen, notes } = picture;
  const key = element.join();
  const made = grids.map((grid) => drawn(grid, (to) => choose(to, chosen)));
  const cells = made.flatMap((grid) => grid.cells);
  const said = h("p", { class: "said", "aria-live": "polite" });
  const light = (thread: number | undefined, at: string): void => {
    for (const { cell, shape } of cells) {
      shape.classList.toggle("lit", cell.thread === thread);
      shape.classList.toggle("at", cell.element.join() === at);
    }
    for (const { svg } of made) svg.classList.toggle("some", thread !== undefined);
    said.textContent = sentence(picture, thread, at);
  };
  for (const { cell, shape } of cells) {
    const thread = cell.thread < 0 ? undefined : cell.thread;
    const at = cell.element.join();
    shape.addEventListener("pointerenter", () => light(thread, at));
    shape.addEventListener("click", () => choose(cell.element, at === key && thread === chosen ? undefined : thread));
  }
  const box = h("div", { class: "grids", onpointerleave: () => light(chosen, key) }, ...made.map(({ figure }) => figure));
  light(chosen, key);
  // A cell that was chosen in one grid comes into sight in the others.
  if (chosen !== undefined) requestAnimationFrame(() => made.forEach(({ figure }) => bringIntoSight(figure)));
  const field = h("input", {
    type: "number",
    min: 0,
    value: chosen ?? "",
    "aria-label": "thread",
    onchange: () => choose(element, field.value === "" ? undefined : Number(field.value)),
  });
  return h(
    "div",
    { class: "drawings" },
    ...notes.map((note) => h("p", {}, note)),
    h("div", { class: "line" }, cells.some(({ cell }) => cell.thread >= 0) && h("label", {}, "thread ", field), said),
    box,
  );
}

function bringIntoSight(figure: HTMLElement): void {
  const [box, cell] = [figure.querySelector(".scroll"), figure.querySelector(".at")];
  if (!box || !cell) return;
  const [outer, inner] = [box.getBoundingClientRect(), cell.getBoundingClientRect()];
  if (inner.left < outer.left || inner.right > outer.right) box.scrollLeft += inner.left - outer.left - outer.width / 2;
  if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 2;
}

/** Where an element is, and what its thread holds. */
function sentence({ grids, lanes }: DrawingPicture, thread: number | undefined, at: string): string {
  const parts: string[] = [];
  const cells = grids.flatMap((grid) => grid.cells.flatMap((cell) => cell ?? []));
  const cell = cells.find(({ element }) => element.join() === at);
  if (cell && cell.thread >= 0) {
    const where = `warp ${Math.floor(cell.thread / lanes)}, lane ${cell.thread % lanes}`;
    parts.push(`${textOf(cell.element)} is in register ${cell.register} of thread ${cell.thread} (${where})`);
  }
  for (const { kind, rows, columns, cells } of grids) {
    const i = kind === "banks" ? cells.findIndex((c) => c?.element.join() === at) : -1;
    if (i >= 0)
      parts.push(
        `at byte ${Number(rows[Math.floor(i / columns.length)]) + 4 * Number(columns[i % columns.length])}, bank ${columns[i % columns.length]}`,
      );
  }
  if (thread !== undefined) {
    const held = [...new Set(cells.filter((c) => c.thread === thread).map(({ element }) => textOf(element)))];
    parts.push(`thread ${thread} holds ${held.slice(0, 12).join(" ")}${held.length > 12 ? ` and ${held.length - 12} more` : ""}`);
  }
  return parts.length > 0 ? parts.join("; ") : "point at a cell: its thread lights up with all that it holds";
}

interface DrawnGrid {
  readonly figure: HTMLElement;
  readonly svg: SVGSVGElement;
  readonly cells: readonly { readonly cell: GridCell; readonly shape: SVGGElement }[];
}
function drawn(grid: GridPicture, turn: (element: readonly number[]) => void): DrawnGrid {
  const { kind, title, rows, columns, part, turns } = grid;
  const texts = grid.cells.map((cell) => (cell ? (kind === "elements" ? `T${cell.thread}:${cell.register}` : cell.element.join(",")) : ""));
  const width = Math.max(...texts.map((text) => text.length), ...columns.map((name) => name.length)) * CELL.letter + 8;
  const gutter = Math.max(...rows.map((name) => name.length)) * CELL.letter + 10;
  const size = { width: gutter + columns.length * width, height: CELL.head + rows.length * CELL.height };
  const svg = s("svg", { viewBox: `0 0 ${size.width} ${size.height}`, ...size, class: "map", role: "img", "aria-label": title });
  columns.forEach((name, c) => svg.append(label(gutter + (c + 0.5) * width, CELL.head - 6, name)));
  rows.forEach((name, r) => svg.append(label(gutter / 2, CELL.head + (r + 0.65) * CELL.height, name)));
  const cells = grid.cells.flatMap((cell, i) => {
    if (!cell) return [];
    const [x, y] = [gutter + (i % columns.length) * width, CELL.head + Math.floor(i / columns.length) * CELL.height];
    const shape = s(
      "g",
      { "data-thread": cell.thread, "data-element": cell.element.join() },
      s("rect", { x: x + 1, y: y + 1, width: width - 2, height: CELL.height - 2, rx: 3, fill: colourOf(cell.colour) }),
      s("text", { x: x + width / 2, y: y + CELL.height * 0.68, "text-anchor": "middle" }, texts[i]),
    );
    svg.append(shape);
    return [{ cell, shape }];
  });
  const pages = turns.map(({ text, element }) => h("button", { type: "button", onclick: () => turn(element) }, text));
  const figure = h(
    "figure",
    { class: kind },
    h("figcaption", { class: "line" }, title, h("span", { class: "note" }, part), ...pages),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, svg as unknown as HTMLElement),
  );
  return { figure, svg, cells };
}
const label = (x: number, y: number, text: string): SVGTextElement => s("text", { x, y, "text-anchor": "middle", class: "axis" }, text);

/** Tiles of CuTe beside each other. */
export function panels(all: readonly Panel[]): HTMLElement {
  return h(
    "div",
    { class: "panels" },
    ...all.map(({ caption, rows, columns, cells }) => {
      const width = Math.max(28, ...cells.map(({ lines }) => Math.max(...lines.map((line) => line.length)) * 8 + 8));
      const drawing = s("svg", { width: 30 + columns * width, height: 24 + rows * 24, class: "map", role: "img", "aria-label": caption });
      for (let c = 0; c < columns; c++) drawing.append(label(30 + (c + 0.5) * width, 16, String(c)));
      for (let r = 0; r < rows; r++) drawing.append(label(14, 24 + (r + 0.65) * 24, String(r)));
      for (const { row, column, lines, colour } of cells)
        drawing.append(
          s(
            "g",
            {},
            s("rect", {
              x: 30 + column * width,
              y: 24 + row * 24,
              width: width - 2,
              height: 22,
              rx: 3,
              fill: colour === undefined ? "var(--p10)" : colourOf(colour),
            }),
            s(
              "text",
              {
                x: 30 + (column + 0.5) * width,
                y: 24 + row * 24 + 15,
                "text-anchor": "middle",
                class: colour === undefined ? "plain" : "",
              },
              lines.join(" "),
            ),
          ),
        );
      return h("figure", {}, h("figcaption", {}, caption), drawing as unknown as HTMLElement);
    }),
  );
}
