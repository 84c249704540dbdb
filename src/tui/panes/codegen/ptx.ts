/**
 * The ptx tab: the final code as text, lines of the op under the cursor lit. Our own compilation has PTX, whose lines tell by `.loc`
 * where they come from; of a large module it is made when it is looked at. A dump without PTX shows its last step.
 */
import { codegenStep } from "../../../explain/codegen-facts.js";
import { ancestorIn, locationOf, type SourcePosition } from "../../../explain/provenance.js";
import { memo } from "../../../support/memo.js";
import type { Step, Trace } from "../../../trace/trace.js";
import { irSpans } from "../../draw/ir-text.js";
import { line, MUTED, type Row, style } from "../../draw/style.js";
import { shown } from "../../draw/text-width.js";
import type { Go, Ptx, Session, State } from "../../state/state.js";
import { selectedStep } from "../../state/steps.js";
import { cursorLine, fitted, skipped } from "../diff/model.js";
import type { Size2 } from "../pane.js";
import { familyOf } from "./family.js";

/** Lines of code, and what each is tied to. */
interface FinalCode {
  readonly length: number;
  readonly line: (at: number) => string;
  /** The op on the line; 0 for none. */
  readonly op: (at: number) => number;
  readonly place: (at: number) => SourcePosition | undefined;
}

/** The PTX, as far as it is known. */
export function ptxOf({ trace, computed, input, failure }: Session): Ptx {
  if (trace.artifacts.ptx !== undefined) return { kind: "text", text: trace.artifacts.ptx };
  if (!input || failure !== undefined) return { kind: "none", why: "" };
  return computed.ptx ?? { kind: "making", done: 0, total: 0, what: "" };
}

const codeOf = memo((trace: Trace, ptx: string | undefined): FinalCode | undefined => {
  if (ptx !== undefined) return ptxCode(ptx);
  const step = codegenStep(trace);
  return step && stepCode(trace, step);
});
function stepCode(trace: Trace, { text }: Step): FinalCode {
  return {
    length: text.lines.length,
    line: (at) => trace.lines.line(text.lines[at]!),
    op: (at) => text.ops[at]!,
    place: (at) => (text.ops[at] === 0 ? undefined : locationOf(trace, text.ops[at]!)),
  };
}
function ptxCode(ptx: string): FinalCode {
  const lines = ptx.trimEnd().split("\n");
  // Files are named at the end.
  const files = new Map([...ptx.matchAll(/^\s*\.file\s+(\d+)\s+"([^"]*)"/gm)].map((m) => [m[1]!, m[2]!]));
  const places: (SourcePosition | undefined)[] = [];
  let current: SourcePosition | undefined;
  for (const text of lines) {
    const loc = text.includes(".loc") ? /^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)/.exec(text) : null;
    if (loc) current = { file: files.get(loc[1]!) ?? "", line: Number(loc[2]), column: Number(loc[3]) };
    else if (text.startsWith("}")) current = undefined;
    places.push(current);
  }
  return { length: lines.length, line: (at) => lines[at]!, op: () => 0, place: (at) => places[at] };
}
const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const samePlace = (a: SourcePosition | undefined, b: SourcePosition | undefined): boolean =>
  a !== undefined && b !== undefined && a.line === b.line && a.column === b.column && baseName(a.file) === baseName(b.file);

function finalCode({ session }: State): FinalCode | undefined {
  const ptx = ptxOf(session);
  return session.progress || ptx.kind === "making" ? undefined : codeOf(session.trace, ptx.kind === "text" ? ptx.text : undefined);
}
export function ptxLength(state: State): number {
  return finalCode(state)?.length ?? 0;
}

export function ptxRows(state: State, { width, height }: Size2): Row[] {
  const code = finalCode(state);
  const { trace, progress } = state.session;
  const ptx = ptxOf(state.session);
  if (!code) {
    const far = ptx.kind === "making" && ptx.total > 0 ? `${ptx.done}/${ptx.total} ${ptx.what}` : "";
    return [line(progress ? "compiling ..." : ptx.kind === "making" ? `making PTX ... ${far}` : "no machine code in this Trace", MUTED)];
  }
  const { top, left, row } = state.view.codegen;
  const op = cursorLine(state)?.op ?? 0;
  const family = familyOf(trace, op);
  const place = op === 0 || ptx.kind !== "text" ? undefined : locationOf(trace, op);
  const digits = String(code.length).length;
  const rows: Row[] = [];
  for (let at = top; at < Math.min(code.length, top + height); at++) {
    const isFamily = family.has(code.op(at)) || samePlace(place, code.place(at));
    const spans = skipped(irSpans(shown(code.line(at))), left);
    const isCursor = at === row && state.view.focus === "codegen";
    rows.push(
      fitted(
        [[`${String(at + 1).padStart(digits)}${isFamily ? "<" : " "}`, isFamily ? style("moved") : style("comment")], ...spans],
        width,
        isCursor ? "cursor" : isFamily ? "movedLine" : "none",
      ),
    );
  }
  return rows;
}

/** Where enter leads from the row under the cursor: the op of the selected step that the line was made from. */
export function ptxGo(state: State): Go | undefined {
  const code = finalCode(state);
  const step = selectedStep(state);
  const { trace } = state.session;
  const { row } = state.view.codegen;
  if (!code || !step || row >= code.length) return undefined;
  const own = code.op(row);
  const ancestor = own === 0 ? undefined : ancestorIn(trace, own, new Set(step.text.ops));
  if (ancestor !== undefined) return { to: "op", step: step.index, op: ancestor };
  const place = code.place(row);
  const there = place && step.text.ops.find((op) => op !== 0 && samePlace(place, locationOf(trace, op)));
  return there === undefined ? undefined : { to: "op", step: step.index, op: there };
}

/** The row that shows what is on a line of the last step: an instruction of the same kind from the same place. */
export function ptxRowOf(state: State, at: number): number {
  const { trace } = state.session;
  const step = codegenStep(trace);
  const code = finalCode(state);
  if (!step || !code || ptxOf(state.session).kind !== "text") return at;
  const op = step.text.ops[at] ?? 0;
  const place = op === 0 ? undefined : locationOf(trace, op);
  const mnemonic = /[a-z]\w*(?:\.[\w:]+){2,}/.exec(trace.lines.line(step.text.lines[at]!).replace(/^[^"]*"?/, ""))?.[0] ?? "";
  const kind = mnemonic.split(".").slice(0, 2).join(".");
  let fallback = -1;
  for (let row = 0; row < code.length; row++) {
    if (!samePlace(place, code.place(row)) || code.line(row).includes(".loc")) continue;
    if (kind !== "" && code.line(row).includes(kind)) return row;
    if (fallback < 0) fallback = row;
  }
  return Math.max(0, fallback);
}
