/** The thread map: who holds which element, as a drawing whose cells light up with their thread. */
import type { Panel } from "../../../cute/draw.js";
import { INKS, type Ink } from "../../../tui/draw/style.js";
import type { MapPicture } from "../../protocol.js";
import { h, s } from "../dom.js";

const CELL = { width: 46, height: 22, head: 20, gutter: 34 } as const;
const colourOf = (n: number): string => `var(--i${INKS.indexOf(`c${n % 8}` as Ink)})`;

export interface MapListeners {
  readonly element: (element: readonly number[], thread: number | undefined) => void;
}

export function threadMap(map: MapPicture, { element: choose }: MapListeners): HTMLElement {
  const { rows, columns, top, left, threads, registers, lanes, colour, rank, of, lead } = map;
  const folded = rank === 1;
  const at = (i: number): readonly number[] => {
    const [r, c] = [top + Math.floor(i / columns), left + (i % columns)];
    return folded ? [r * of[1] + c] : rank === 0 ? [] : [...lead, r, c];
  };
  const by = (i: number): number =>
    colour === "thread" ? threads[i]! : colour === "warp" ? Math.floor(threads[i]! / lanes) : registers[i]!;
  const width = CELL.gutter + columns * CELL.width;
  const height = CELL.head + rows * CELL.height;
  const drawing = s("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    class: "map",
    role: "img",
    "aria-label": `who holds which element: ${map.caption}`,
  });
  for (let c = 0; c < columns; c++) drawing.append(label(CELL.gutter + (c + 0.5) * CELL.width, CELL.head - 6, String(left + c)));
  for (let r = 0; r < rows; r++)
    drawing.append(label(CELL.gutter / 2, CELL.head + (r + 0.65) * CELL.height, String(folded ? (top + r) * of[1] : top + r)));
  const cells: SVGGElement[] = [];
  threads.forEach((thread, i) => {
    if (thread < 0) return;
    const [x, y] = [CELL.gutter + (i % columns) * CELL.width, CELL.head + Math.floor(i / columns) * CELL.height];
    const cell = s(
      "g",
      { "data-i": i, "data-thread": thread },
      s("rect", { x: x + 1, y: y + 1, width: CELL.width - 2, height: CELL.height - 2, rx: 3, fill: colourOf(by(i)) }),
      s("text", { x: x + CELL.width / 2, y: y + CELL.height * 0.68, "text-anchor": "middle" }, `T${thread}:${registers[i]}`),
    );
    cells.push(cell);
    drawing.append(cell);
  });
  const said = h("p", { class: "said", "aria-live": "polite" });
  const light = (thread: number | undefined, i?: number): void => {
    for (const cell of cells) cell.classList.toggle("lit", thread !== undefined && Number(cell.dataset["thread"]) === thread);
    drawing.classList.toggle("some", thread !== undefined);
    const held = threads.flatMap((t, k) => (t === thread ? [`(${at(k).join(", ")})`] : []));
    const where = i === undefined ? "" : `(${at(i).join(", ")}) is in register ${registers[i]} of `;
    said.textContent =
      thread === undefined
        ? "point at an element: its thread lights up with all that it holds"
        : `${where}thread ${thread} (warp ${Math.floor(thread / lanes)}, lane ${thread % lanes}), which holds ${held.slice(0, 16).join(" ")}${held.length > 16 ? ` and ${held.length - 16} more` : ""}`;
  };
  const over = (event: Event): number | undefined => {
    const cell = (event.target as Element).closest<SVGGElement>("g[data-i]");
    return cell ? Number(cell.dataset["i"]) : undefined;
  };
  const chosen = (): void => {
    const i = map.thread === undefined ? undefined : threads.findIndex((_, k) => at(k).join() === map.element.join());
    light(map.thread, i === undefined || i < 0 ? undefined : i);
  };
  drawing.addEventListener("pointerover", (event) => {
    const i = over(event);
    if (i !== undefined) light(threads[i], i);
  });
  drawing.addEventListener("pointerleave", chosen);
  drawing.addEventListener("click", (event) => {
    const i = over(event);
    if (i !== undefined) choose(at(i), map.thread === threads[i] && at(i).join() === map.element.join() ? undefined : threads[i]);
  });
  chosen();
  const part =
    rows < of[0] || columns < of[1]
      ? `rows ${top} to ${top + rows - 1} of ${of[0]}, columns ${left} to ${left + columns - 1} of ${of[1]}`
      : "";
  const pages: HTMLElement[] = [];
  const turn = (text: string, r: number, c: number, isThere: boolean): void => {
    if (isThere)
      pages.push(h("button", { type: "button", onclick: () => choose(folded ? [r * of[1] + c] : [...lead, r, c], map.thread) }, text));
  };
  turn("rows above", top - rows, left, top > 0);
  turn("rows below", top + rows, left, top + rows < of[0]);
  turn("columns before", top, left - columns, left > 0);
  turn("columns after", top, left + columns, left + columns < of[1]);
  const threadField = h("input", {
    type: "number",
    min: 0,
    value: map.thread ?? "",
    "aria-label": "thread",
    onchange: (event: Event) => {
      const asked = (event.target as HTMLInputElement).value;
      choose(map.element, asked === "" ? undefined : Number(asked));
    },
  });
  return h(
    "div",
    { class: "mapbox" },
    h("div", { class: "line" }, h("label", {}, "thread ", threadField), ...pages, h("span", { class: "note" }, part)),
    said,
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "thread map" }, drawing as unknown as HTMLElement),
  );
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
