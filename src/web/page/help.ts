/** The dialog that says what the page is, and lists its keys. */
import { dialog } from "./dialogs.js";
import { h } from "./dom.js";
import { keyHelp } from "./keys.js";

export function help(root: Node): void {
  const rows = keyHelp().map(([keys, title]) => h("tr", {}, h("td", {}, h("kbd", {}, keys)), h("td", {}, title)));
  dialog(
    root,
    "tt-step",
    h(
      "p",
      {},
      "The source is a Triton kernel; the views show what each pass of the compiler makes of it. Nothing leaves this page: the compiler runs in your browser.",
    ),
    h(
      "p",
      {},
      "In the editor: point at a value for the reason of its layout and width, F12 or ctrl+click goes to a definition, Escape and Tab leave it.",
    ),
    h("table", { class: "keys" }, h("tbody", {}, ...rows)),
  );
}
