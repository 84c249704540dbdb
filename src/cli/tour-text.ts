/** A tour on paper: as text, or as a page, with what the tool shows at each step. */
import type { Tour, TourStep } from "../learn/tour.js";
import { wrapText } from "../support/wrap-text.js";
import { line, type Row, textOf } from "../tui/draw/style.js";
import { cssOf, type Theme } from "../tui/draw/theme.js";
import { shownPane } from "../tui/tour/shown.js";
import { commandShown } from "../tui/tour/step.js";
import { escaped, htmlPage } from "./text-page.js";
import type { Player } from "./tour-player.js";

/** A step and what the tool shows at it; no rows where it is text to read. */
export interface TourPage {
  readonly step: TourStep;
  readonly title: string;
  readonly rows: readonly Row[];
}

/** Goes through a tour from its beginning; the error is one line. */
export async function tourPages(player: Player): Promise<readonly TourPage[] | { readonly error: string }> {
  const { tour } = player.request.tour;
  const pages: TourPage[] = [];
  for (const [at, step] of tour.steps.entries()) {
    await player.play({ type: "tour", tour, at });
    if (step.state !== "" || step.command !== "") await player.play({ type: "command", command: "tour-show" });
    const { state } = player;
    if (!state.tour!.done)
      return { error: `step ${at + 1} (${step.title}): its state is not reached: ${state.message?.text ?? step.state}` };
    const { overlay } = state;
    if (step.state !== "") pages.push({ step, ...shownPane(state) });
    else
      pages.push({
        step,
        title: commandShown(step.command, tour),
        rows: overlay?.kind === "list" ? overlay.items.map(({ text }) => line(text)) : [],
      });
  }
  return pages;
}

const WIDTH = 100;

/** The tour for a terminal. */
export function tourAsText(tour: Tour, pages: readonly TourPage[]): string {
  const wrapped = (text: string) => text.split("\n").flatMap((part) => wrapText(part, WIDTH));
  const out = [tour.title, "=".repeat(tour.title.length), ...(tour.about === "" ? [] : ["", ...wrapped(tour.about)])];
  for (const [i, { step, title, rows }] of pages.entries()) {
    out.push("", `${i + 1}. ${step.title}`, "", ...wrapped(step.text));
    if (rows.length > 0)
      out.push(
        "",
        ...(step.keys === "" ? [] : [`    press ${step.keys}`]),
        `    ${step.command === "" ? "─── " : "$ "}${title}`,
        ...rows.map((row) => `    ${textOf(row)}`.trimEnd()),
      );
    if (step.seen !== "") out.push("", ...wrapped(step.seen));
  }
  return `${out.join("\n")}\n`;
}

/** The tour as one self-contained page. */
export function tourAsPage(tour: Tour, pages: readonly TourPage[], theme: Theme): string {
  const paragraphs = (text: string, about = "") =>
    text
      .split("\n")
      .map((part) => `<p${about}>${escaped(part)}</p>`)
      .join("\n");
  const rowHtml = (row: Row) =>
    row.map(([text, style]) => (style === 0 ? escaped(text) : `<span style="${cssOf(theme, style)}">${escaped(text)}</span>`)).join("");
  const section = ({ step, title, rows }: TourPage, i: number) => `<section>
<h2 id="${i + 1}">${i + 1}. ${escaped(step.title)}</h2>
${paragraphs(step.text)}
${step.keys === "" ? "" : `<p class="keys">press <kbd>${escaped(step.keys)}</kbd></p>`}
${rows.length === 0 ? "" : `<figure><figcaption>${escaped(step.command === "" ? title : `$ ${title}`)}</figcaption>\n<pre>${rows.map(rowHtml).join("\n")}</pre></figure>`}
${step.seen === "" ? "" : paragraphs(step.seen, ' class="then"')}
</section>`;
  const style = `figure{margin:1rem 0;border:1px solid #8884;border-radius:6px}
figcaption{padding:.4rem .8rem;border-bottom:1px solid #8884;opacity:.8}
kbd{border:1px solid #8886;border-radius:4px;padding:0 .5ch}
.then{border-left:3px solid #4a8;padding-left:1ch}
`;
  const body = `<h1>${escaped(tour.title)}</h1>\n${paragraphs(tour.about)}\n${pages.map(section).join("\n")}`;
  return htmlPage(tour.title, body, theme, style);
}
