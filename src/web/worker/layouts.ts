/** The playgrounds of layouts: Triton's from the text of a type, CuTe's from C++ expressions. */
import * as any from "../../cute/composed-layout.js";
import { evaluate, evaluateExpression } from "../../cute/cxx/evaluate.js";
import { layoutPanel, type Panel } from "../../cute/draw.js";
import * as plain from "../../cute/layout.js";
import { parseLayout as parseCute, SyntaxProblem } from "../../cute/parse-term.js";
import { printLayout } from "../../cute/print-layout.js";
import { printTerm } from "../../cute/print-term.js";
import { type AnyLayout, CuteError } from "../../cute/term.js";
import { LayoutError } from "../../layout/layout-error.js";
import { parseLayout } from "../../library/layouts.js";
import { LimitError } from "../../support/limits.js";
import { fromBytes, toBytes } from "../../support/utf8.js";
import { within } from "../../tui/panes/layout/grid.js";
import type { Answer, DrawingPicture } from "../protocol.js";
import { bankGrid, elementGrid, lanesOf, registerGrid } from "./grids.js";

/** `tensor<16x16xf16, #ttg.blocked<{...}>>`: who holds what. */
export function layoutAnswer(text: string, view: Pick<DrawingPicture, "element" | "thread">): Answer {
  const found = parseLayout(toBytes(text.trim()));
  if ("diagnostics" in found) return refused(fromBytes(found.rendered ?? found.message ?? ""));
  const { layout, kind, shape } = found;
  const lines = layout
    .toString()
    .split("\n")
    .filter((line) => line.trim() !== "");
  const cursor = { element: within(shape, view.element), thread: view.thread, colour: "thread" } as const;
  const grids = kind === "shared" ? [bankGrid(found, cursor, undefined)] : [elementGrid(found, cursor), registerGrid(found, cursor)];
  return { sections: [{ title: "bases", lines }], drawing: { ...cursor, grids, lanes: lanesOf(layout), notes: [] } };
}

/** A layout as CuTe writes it, or C++ expressions over layouts. */
export function cuteAnswer(text: string): Answer {
  const asked = toBytes(text.trim());
  try {
    const isCode = /[{}<;]|[a-z_]\w*\(/.test(asked) && !asked.startsWith("Sw<");
    if (!isCode) {
      const layout = parseCute(asked);
      return drawn(layout.kind === "swizzle" ? any.layoutOfSwizzle(layout) : layout);
    }
    let out = "";
    const env = { write: (part: string) => void (out += part), defines: new Map<string, string>() };
    evaluate(asked, env);
    const panels = panelsOf(asked);
    return { sections: [], text: fromBytes(out), ...(panels.length > 0 ? { panels } : {}) };
  } catch (error) {
    if (error instanceof SyntaxProblem) return refused(`${asked}\n${" ".repeat(Math.max(0, error.offset))}^\n${error.message}`);
    if (error instanceof CuteError || error instanceof LayoutError || error instanceof LimitError) return refused(error.message);
    throw error;
  }
}
const refused = (text: string): Answer => ({ sections: [], text, failed: true });

function drawn(layout: AnyLayout): Answer {
  const rank = any.rank(layout);
  const two = rank > 2 ? any.group(layout, 1, rank) : any.appendMode(layout, plain.trivial, 2);
  return { sections: [], text: printLayout(two, layout), panels: [layoutPanel(layout, printTerm(layout))] };
}
/** The drawing of an expression that is a layout. */
function panelsOf(text: string): readonly Panel[] {
  const only = text.replace(/;\s*$/, "");
  if (only.includes(";")) return [];
  const value = evaluateExpression(only, { write: () => undefined, defines: new Map() });
  return value.kind === "layout" || value.kind === "composed" ? [layoutPanel(value, printTerm(value))] : [];
}
