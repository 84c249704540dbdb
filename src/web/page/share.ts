/** Ways out of the page: a link, a command line, files. */

import { packed } from "../../support/pack.js";
import { pageHtml } from "../../tui/export/html.js";
import { type PageState, toFragment } from "../link.js";
import type { Pictures } from "../protocol.js";
import type { CompilerWorker } from "./compiler-worker.js";
import { dialog, textField } from "./dialogs.js";
import { h } from "./dom.js";

export async function share(state: PageState, status: Pictures["status"] | undefined, worker: CompilerWorker): Promise<void> {
  const link = new URL(`#${await toFragment(state)}`, document.baseURI).href;
  const { name, text } = state.input;
  const base = name.replace(/\.\w+$/, "");
  const said = h("p", { class: "note", role: "status" });
  const save = (label: string, run: () => void | Promise<void>) => h("button", { type: "button", onclick: () => void run() }, label);
  const json = async (): Promise<string> => (await worker.ask({ kind: "json" })).text ?? "";
  dialog(
    document.body,
    "share",
    textField("link", link),
    h("p", { class: "note" }, `${link.length} characters; the kernel is in the link itself, and no server sees it`),
    textField("in a terminal", status?.command ?? ""),
    h(
      "div",
      { class: "line" },
      save("source", () => download(name, "text/plain", text)),
      save("page", async () => {
        const script = async (file: string): Promise<string> => (await fetch(file)).text();
        const parts = { element: await script("tt-step.js"), worker: await packed(await script("worker.js")) };
        download(`${base}.html`, "text/html", await pageHtml(parts, await json(), { name, screen: status?.screen ?? "" }));
      }),
      save("compilation as JSON", async () => download(`${base}.json`, "application/json", await json())),
      save("drawing as SVG", () => {
        const drawing = document.querySelector("svg.map");
        if (drawing) download(`${base}.svg`, "image/svg+xml", drawingText(drawing));
        else said.textContent = "no drawing is shown: the layouts tab has one";
      }),
    ),
    said,
  );
}

/** Gives the reader a file. */
function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
/** A drawing with its colours in it. */
function drawingText(drawing: Element): string {
  const copy = drawing.cloneNode(true) as Element;
  const style = getComputedStyle(document.documentElement);
  for (const shape of copy.querySelectorAll("[fill]"))
    shape.setAttribute(
      "fill",
      shape.getAttribute("fill")!.replace(/var\((--\w+)\)/, (_, name: string) => style.getPropertyValue(name)),
    );
  copy.setAttribute("font-family", "monospace");
  copy.setAttribute("font-size", "12");
  return new XMLSerializer().serializeToString(copy);
}
