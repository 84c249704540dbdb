/** Dialogs over the page: the arguments of a Python kernel, lists, texts to copy. */
import { type Form, fieldText, problemOf, signatureText } from "../../tui/form/form.js";
import type { Input } from "../protocol.js";
import { h } from "./dom.js";

/** Shows a dialog until it is closed; the browser keeps the keyboard inside. */
export function dialog(root: Node, title: string, ...content: (Node | string)[]): HTMLDialogElement {
  const close = h("button", { type: "button", class: "close", "aria-label": "close", onclick: () => shown.close() }, "×");
  const shown = h("dialog", { "aria-label": title }, h("div", { class: "line" }, h("h2", {}, title), close), ...content);
  shown.addEventListener("close", () => shown.remove());
  shown.addEventListener("click", (event) => event.target === shown && shown.close());
  root.appendChild(shown);
  shown.showModal();
  return shown;
}

/** The form of a Python kernel. A text is checked as it is typed; the others stay as they are. */
export function formDialog(root: Node, form: Form, done: (asked: Pick<Input, "signature" | "target" | "options">) => void): void {
  let now = form;
  const fields = form.fields.flatMap((field, i) => {
    if (field.kind === "comment") return [];
    const note = h("span", { class: "note", id: `note-${i}` }, field.note);
    const input = h("input", {
      value: field.text,
      spellcheck: "false",
      autocomplete: "off",
      disabled: field.kind === "computed",
      "aria-describedby": `note-${i}`,
      oninput: () => {
        now = { ...now, fields: now.fields.map((f, k) => (k === i ? { ...f, text: input.value } : f)) };
        const problem = problemOf(now.fields[i]!);
        input.setCustomValidity(problem ?? "");
        note.textContent = problem ?? "";
        note.classList.toggle("failed", problem !== undefined);
      },
    });
    return [h("label", { class: "field" }, h("span", { class: "name" }, field.name), input, note)];
  });
  const body = h(
    "form",
    {
      method: "dialog",
      onsubmit: () =>
        done({
          signature: signatureText(now),
          target: fieldText(now, "target"),
          options: { numWarps: Number(fieldText(now, "num_warps")), numStages: Number(fieldText(now, "num_stages")) },
        }),
    },
    ...fields,
    h("p", { class: "note" }, "types as *fp16:16 (a pointer whose address 16 divides), i32, 128 for a constant"),
    h("button", { type: "submit", class: "main" }, "compile"),
  );
  dialog(root, form.title, body);
}

/** A list to choose from. */
export function listDialog(
  root: Node,
  title: string,
  items: readonly { readonly text: string; readonly choose: (() => void) | undefined }[],
  closed: () => void,
): void {
  const shown = dialog(
    root,
    title,
    h(
      "div",
      { class: "rows" },
      ...items.map(({ text, choose }) =>
        choose
          ? h(
              "button",
              {
                type: "button",
                class: "row",
                onclick: () => {
                  shown.close();
                  choose();
                },
              },
              text,
            )
          : h("div", { class: "row" }, text),
      ),
    ),
  );
  shown.addEventListener("close", closed);
}

/** Text that can be copied. */
export function textField(label: string, text: string): HTMLElement {
  const field = h("input", { readonly: true, value: text, "aria-label": label, onfocus: () => field.select() });
  const copy = h(
    "button",
    {
      type: "button",
      onclick: async () => {
        await navigator.clipboard.writeText(text);
        copy.textContent = "copied";
      },
    },
    "copy",
  );
  return h("div", { class: "field" }, h("span", { class: "name" }, label), field, copy);
}
