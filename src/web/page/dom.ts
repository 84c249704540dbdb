/** Elements from data: text is always text, never HTML. */
import { attributesOf, BOLD, DIM, inkOf, paperOf, type Span, UNDERLINE } from "../../tui/draw/style.js";

type Child = Node | string | undefined | false;
type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: never) => void)>>;

/** An element: `on...` are listeners, the others attributes; those that are undefined or false are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return filled(document.createElement(tag), attributes, children);
}
/** The same for SVG. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}
function filled<E extends Element>(element: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as (event: Event) => void);
    else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** The classes of a style: see `theme-css.ts`. */
export function classOf(style: number): string {
  const [ink, paper, attributes] = [inkOf(style), paperOf(style), attributesOf(style)];
  const names = [`i${ink}`, `p${paper}`, "b", "d", "u"];
  return names.filter((_, i) => [ink > 0, paper > 0, attributes & BOLD, attributes & DIM, attributes & UNDERLINE][i]).join(" ");
}
/** Spans of a row; plain ones are bare text. */
export function inked(spans: readonly Span[]): DocumentFragment {
  const all = document.createDocumentFragment();
  for (const [text, style] of spans) {
    if (text === "") continue;
    if (style === 0) all.append(text);
    else all.append(h("span", { class: classOf(style) }, text));
  }
  return all;
}
