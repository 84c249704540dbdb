/** Keys while the form is open. */
import { edited } from "../control/text-edit.js";
import { ask, type Overlay, type State, say } from "../state/state.js";
import { type Field, problemOf } from "./form.js";

export type FormOverlay = Extract<Overlay, { kind: "form" }>;

/** Opens the form of the session's kernel. */
export function openForm(state: State): State {
  const { form, progress } = state.session;
  if (!form) return say(state, "only a Python kernel has arguments to change");
  if (progress) return say(state, "still compiling");
  return { ...state, overlay: atField({ kind: "form", form, row: 0, at: 0 }, 0) };
}

/** The state after a key in a form. */
export function formKey(state: State, overlay: FormOverlay, key: string): State {
  const { form, row, at } = overlay;
  const field = form.fields[row]!;
  const shown = (next: FormOverlay): State => ({ ...state, overlay: next });
  const changed = (text: string, cursor: number): State => {
    const fields = form.fields.map((f, i): Field => (i === row ? { ...f, text, note: text === f.text ? f.note : "" } : f));
    return shown({ ...overlay, form: { ...form, fields }, at: cursor });
  };
  switch (key) {
    case "esc":
      return { ...state, overlay: undefined };
    case "down":
    case "tab":
      return shown(atField(overlay, row + 1));
    case "up":
    case "shift+tab":
      return shown(atField(overlay, row - 1));
    case "enter": {
      const wrong = form.fields.findIndex((f) => problemOf(f) !== undefined);
      if (wrong >= 0) return say(shown(atField(overlay, wrong)), `${form.fields[wrong]!.name}: ${problemOf(form.fields[wrong]!)}`, "error");
      return ask(say({ ...state, overlay: undefined }, "compiling ..."), { kind: "fill", form });
    }
    default: {
      if (field.kind === "comment" && /^(?:space|left|right)$/.test(key)) return changed(field.text === "yes" ? "no" : "yes", 0);
      const next = edited(field, at, key);
      return next ? changed(next.text, next.at) : state;
    }
  }
}

/** The cursor at the end of another field. */
export function atField(overlay: FormOverlay, row: number): FormOverlay {
  const { fields } = overlay.form;
  const to = Math.max(0, Math.min(fields.length - 1, row));
  return { ...overlay, row: to, at: fields[to]!.text.length };
}
