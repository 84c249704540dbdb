/**
 * The ptx and sass tabs: the final code as text, lines of the op under the cursor lit. Our own compilation has PTX, whose lines tell by
 * `.loc` where they come from; of a large module it is made when it is looked at. A dump without PTX shows its last step. Machine code is
 * tied to lines of the PTX, which is beside it where there is room.
 */
import { codegenStep, lastTtgirStep } from "../../../explain/codegen-facts.js";
import { ancestorIn, locationOf, type SourcePosition } from "../../../explain/provenance.js";
import { assembles } from "../../../gpu/gpu.js";
import { memo } from "../../../support/memo.js";
import { wrapText } from "../../../support/wrap-text.js";
import { stageName } from "../../../trace/stage.js";
import type { Step, Trace } from "../../../trace/trace.js";
import { irSpans } from "../../draw/ir-text.js";
import { line, MUTED, type Row, type Span, style } from "../../draw/style.js";
import { shown } from "../../draw/text-width.js";
import { assembledText } from "../../machine-step.js";
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
  /** The line of PTX that a line of machine code is from. */
  readonly ptx?: (at: number) => number | undefined;
}

/** The PTX, as far as it is known. */
export function ptxOf({ trace, computed, input, failure }: Session): Ptx {
  if (trace.artifacts.ptx !== undefined) return { kind: "text", text: trace.artifacts.ptx };
  // AMD's GPUs have none.
  if (!input || failure !== undefined || assembles(trace.target) !== "ptx") return { kind: "none", why: "" };
  return computed.ptx ?? MAKING;
}

/** The text that is assembled, as far as it is known: PTX, or LLVM IR for AMD's GPUs. */
export function toAssemble(session: Session): Ptx {
  const { trace, computed, input, failure } = session;
  if (assembles(trace.target) === "ptx") return ptxOf(session);
  const text = assembledText(trace);
  if (text !== undefined) return { kind: "text", text };
  return input && failure === undefined ? (computed.ptx ?? MAKING) : { kind: "none", why: "" };
}
const MAKING: Ptx = { kind: "making", done: 0, total: 0, what: "" };

const codeOf = memo((trace: Trace, ptx: string | undefined): FinalCode | undefined => {
  if (ptx !== undefined) return ptxCode(ptx);
  const step = codegenStep(trace);
  return step && stepCode(trace, step);
});
/** AMD's assembly, where there is some: its lines say by `.loc` where they come from. */
const assemblyOf = memo((trace: Trace): FinalCode | undefined => {
  const step = trace.steps.findLast(({ flag, known }) => flag === "amdgcn" && known);
  return step && ptxCode(trace.lines.textOf(step.text));
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
  const files = new Map([...ptx.matchAll(/^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?/gm)].map((m) => [m[1]!, m[3] ?? m[2]!]));
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
const sassOf = memo((trace: Trace, ptx: string): FinalCode | undefined => {
  const sass = trace.artifacts.machine?.sass;
  const { place } = ptxCode(ptx);
  if (!sass) return undefined;
  const lineOf = (at: number): number | undefined => (sass[at]?.ptx === undefined ? undefined : sass[at].ptx - 1);
  return {
    length: sass.length,
    line: (at) => sass[at]!.text,
    op: () => 0,
    place: (at) => place(lineOf(at) ?? -1),
    ptx: lineOf,
  };
});
const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const samePlace = (a: SourcePosition | undefined, b: SourcePosition | undefined): boolean =>
  a !== undefined && b !== undefined && a.line === b.line && a.column === b.column && baseName(a.file) === baseName(b.file);

function finalCode({ session, view }: State): FinalCode | undefined {
  if (view.codegen.tab !== "sass") return ptxCodeOf(session);
  if (assembles(session.trace.target) === "llir") return session.progress ? undefined : assemblyOf(session.trace);
  const ptx = ptxOf(session);
  return ptx.kind === "text" && !session.progress ? sassOf(session.trace, ptx.text) : undefined;
}
/** The PTX, or the last step where there is none. */
export function ptxCodeOf(session: Session): FinalCode | undefined {
  const ptx = ptxOf(session);
  return session.progress || ptx.kind === "making" ? undefined : codeOf(session.trace, ptx.kind === "text" ? ptx.text : undefined);
}
export function codeLength(state: State): number {
  return finalCode(state)?.length ?? 0;
}

/** The place in the source of a line of a step that is PTX or machine code. */
export function placeInStep({ trace }: Session, { flag }: Step, line: number): SourcePosition | undefined {
  const { ptx } = trace.artifacts;
  if (flag === "amdgcn") return assemblyOf(trace)?.place(line);
  if (ptx === undefined) return undefined;
  return (flag === "sass" ? sassOf(trace, ptx) : flag === "ptx" ? codeOf(trace, ptx) : undefined)?.place(line);
}

/** The name of the text that is assembled. */
export const assembledName = (trace: Trace): string => (assembles(trace.target) === "llir" ? "LLVM IR" : "PTX");
/** How far the PTX, or LLVM IR, of a large module is. */
export const makingText = ({ done, total, what }: Extract<Ptx, { kind: "making" }>, name = "PTX"): string =>
  `making ${name} ... ${total > 0 ? `${done}/${total} ${what}` : ""}`;

/** Why there are no instructions. */
export function whyNoCode({ progress, trace }: Session): string {
  if (progress) return "compiling ...";
  const last = trace.steps.findLast(({ known }) => known);
  return last ? `no machine instructions: the steps end with ${stageName(last).toUpperCase()}` : "nothing is compiled yet";
}
/** Why there is no code to show. */
function whyNone({ session, view }: State): string {
  const isAssembly = view.codegen.tab === "sass";
  const text = isAssembly ? toAssemble(session) : ptxOf(session);
  if (text.kind === "making") return makingText(text, assembledName(session.trace));
  return isAssembly ? whyNoSass(session) : whyNoCode(session);
}
/** Why there is no machine code. */
export function whyNoSass(session: Session): string {
  const { computed, trace } = session;
  if (assembledText(trace) === undefined) return whyNoCode(session);
  if (trace.artifacts.machine) return "no SASS: neither nvdisasm nor cuobjdump is beside ptxas";
  return computed.noMachine === undefined
    ? "assembling ..."
    : `no ${assembles(trace.target) === "llir" ? "assembly" : "SASS"}: ${computed.noMachine}`;
}

/** From this width on, machine code has its PTX beside it. */
const BESIDE_COLUMNS = 84;

export function codeRows(state: State, { width, height }: Size2): readonly Row[] {
  const code = finalCode(state);
  if (!code) return wrapText(whyNone(state), width).map((text) => line(text, MUTED));
  const { trace } = state.session;
  const { top, left, row } = state.view.codegen;
  const op = cursorLine(state)?.op ?? 0;
  const family = familyOf(trace, op);
  const ptx = ptxOf(state.session);
  const place = op === 0 || ptx.kind !== "text" ? undefined : locationOf(trace, op);
  const source = code.ptx && ptx.kind === "text" ? codeOf(trace, ptx.text) : undefined;
  const beside = width >= BESIDE_COLUMNS ? source : undefined;
  const columns = beside ? Math.ceil(width * 0.55) : width;
  // Machine code is numbered by the line of PTX that it is from.
  const digits = String((source ?? code).length).length;
  return Array.from({ length: Math.max(0, Math.min(code.length - top, height)) }, (_, i) => {
    const at = top + i;
    const isFamily = family.has(code.op(at)) || samePlace(place, code.place(at));
    const paper = at === row && state.view.focus === "codegen" ? "cursor" : isFamily ? "movedLine" : "none";
    const from = code.ptx?.(at);
    const number = code.ptx ? (from === undefined ? "" : String(from + 1)) : String(at + 1);
    const gutter = [`${number.padStart(digits)}${isFamily ? "<" : " "}`, isFamily ? style("moved") : style("comment")] as const;
    const own = fitted([gutter, ...skipped(irSpans(shown(code.line(at))), left)], columns, paper);
    if (!beside) return own;
    const isNew = from !== undefined && (at === top || code.ptx!(at - 1) !== from);
    const other: readonly Span[] = isNew ? skipped(irSpans(shown(beside.line(from)).trim()), left) : [];
    return [...own, ["│ ", MUTED], ...fitted(other, width - columns - 2, paper)];
  });
}

/** Where enter leads from the row under the cursor: the op of the selected step, or of TTGIR, that the line was made from. */
export function codeGo(state: State): Go | undefined {
  const code = finalCode(state);
  const { trace } = state.session;
  const selected = selectedStep(state);
  const step = selected?.stage === "ptx" ? lastTtgirStep(trace) : selected;
  const { row } = state.view.codegen;
  if (!code || !step || row >= code.length) return undefined;
  const own = code.op(row);
  const ancestor = own === 0 ? undefined : ancestorIn(trace, own, new Set(step.text.ops));
  if (ancestor !== undefined) return { to: "op", step: step.index, op: ancestor };
  const place = code.place(row);
  const there = place && step.text.ops.find((op) => op !== 0 && samePlace(place, locationOf(trace, op)));
  return there === undefined ? undefined : { to: "op", step: step.index, op: there };
}

/** The text of the line under the cursor. */
export function codeLine(state: State): string | undefined {
  const code = finalCode(state);
  const { row } = state.view.codegen;
  return code && row < code.length ? code.line(row) : undefined;
}

/** The row of another tab that is tied to the row under the cursor: from PTX to the machine code made of it, and back. */
export function tiedRow(state: State, tab: "ptx" | "sass"): number {
  const { row, tab: now } = state.view.codegen;
  const sass = finalCode({ ...state, view: { ...state.view, codegen: { ...state.view.codegen, tab: "sass" } } });
  if (!sass?.ptx || now === tab) return 0;
  if (now === "sass") return sass.ptx(row) ?? 0;
  if (now !== "ptx") return 0;
  // The nearest line from there on that an instruction was made of.
  let best = -1;
  for (let at = 0; at < sass.length; at++) {
    const from = sass.ptx(at);
    if (from !== undefined && from >= row && (best < 0 || from < sass.ptx(best)!)) best = at;
  }
  return Math.max(0, best);
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
