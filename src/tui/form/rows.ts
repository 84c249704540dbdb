/** The rows of the form. */
import { BOLD, ERROR, MUTED, PLAIN, REVERSE, type Row, style } from "../draw/style.js";
import { cut } from "../draw/text-width.js";
import { problemOf } from "./form.js";
import type { FormOverlay } from "./keys.js";

/** The rows of a form. */
export function formRows({ form, row, at }: FormOverlay, { width, height }: { readonly width: number; readonly height: number }): Row[] {
  const names = Math.min(28, Math.max(...form.fields.map((f) => f.name.length)));
  const texts = Math.min(40, Math.max(16, ...form.fields.map((f) => f.text.length + 1)));
  const rows = form.fields.map((field, i): Row => {
    const { name, text, note } = field;
    const problem = problemOf(field);
    const from = i === row ? Math.max(0, at - texts + 1) : 0;
    const shown = text.slice(from, from + texts);
    const value: Row =
      i === row
        ? [
            [shown.slice(0, at - from), style("title")],
            [shown[at - from] ?? " ", style("title", "none", REVERSE)],
            [shown.slice(at - from + 1).padEnd(texts - 1 - (at - from)), style("title")],
          ]
        : [[shown.padEnd(texts), PLAIN]];
    const rest = width - names - texts - 6;
    return [
      [`${i === row ? "› " : "  "}${cut(name, names).padEnd(names)}  `, i === row ? style("title", "none", BOLD) : PLAIN],
      ...value,
      [`  ${cut(problem ?? note, rest)}`, problem === undefined ? MUTED : ERROR],
    ];
  });
  return rows.slice(Math.max(0, row + 1 - height));
}
