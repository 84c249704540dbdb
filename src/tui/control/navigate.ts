/** Going to definitions, uses, matches, source lines; an op's life line; search through time. */

import type { StepDiff } from "../../diff/step-diff.js";
import { type StepSide, sideOf } from "../../diff/step-side.js";
import { codegenFacts } from "../../explain/codegen-facts.js";
import { ancestorsOf, callersOf, descendantsOf, linesOfOps, locationOf } from "../../explain/provenance.js";
import type { Step, Trace } from "../../trace/trace.js";
import { cutName, shown } from "../draw/text-width.js";
import { functionLines } from "../kernels.js";
import { ptxRowOf } from "../panes/codegen/final-code.js";
import { cursorLine, cursorName, displayOf, namesOn } from "../panes/diff/model.js";
import { ask, type ListItem, type Overlay, type State, say, withView } from "../state/state.js";
import { placeText, selectedStep, stepName, stepsOf } from "../state/steps.js";
import { overlayRect } from "./overlay-rect.js";
import { againstMarked, atStep, centred } from "./walk.js";

/** Where the name under the cursor is defined, as a line of the side that the cursor is on. */
function definitionLine(
  state: State,
): { readonly name: string; readonly line: number; readonly at: number; readonly side: StepSide } | string {
  const shownRows = displayOf(state);
  const cursor = cursorLine(state);
  const names = cursor ? namesOn(cursor.text) : [];
  // Where no name is picked, an operand is more likely meant than the result that comes first.
  const picked = names[state.view.diff.word]?.name ?? cursorName(state);
  if (!shownRows || !cursor || picked === undefined) return "no value on this line";
  const { diff } = shownRows.compared;
  const side = sideOf(diff.lines, cursor.side === "right" ? diff.after : diff.before);
  const name = picked.replace(/#\d+$/, "");
  if (name.startsWith("#")) {
    const found = [...side.otherLines()].find((l) => side.line(l).startsWith(`${name} = `));
    return found === undefined ? `${name} is not defined in this IR` : { name, line: found, at: cursor.line, side };
  }
  const found = side.definition(name, cursor.line);
  return found ? { name, line: found.line, at: cursor.line, side } : `${name} is not defined in this IR`;
}

export function definition(state: State): State {
  const found = definitionLine(state);
  if (typeof found === "string") return say(state, found);
  if (found.line === found.at) {
    // On the definition itself, that of the first operand is meant.
    const cursor = cursorLine(state)!;
    const names = namesOn(cursor.text);
    const operand = names.findIndex((n, i) => i > state.view.diff.word && n.name.startsWith("%") && n.name !== found.name);
    if (state.view.diff.word < 0 && operand >= 0) return definition(withView(state, { diff: { ...state.view.diff, word: operand } }));
    return say(state, `${found.name} is defined here; g r lists its uses`);
  }
  return atLine(state, found.line);
}

/** The cursor on a line of the side that it is on; a fold that hides it is opened. */
export function atLine(state: State, line: number, side?: "left" | "right"): State {
  const at = side ?? cursorLine(state)?.side ?? "right";
  const shownRows = displayOf(state);
  if (!shownRows) return state;
  const row = shownRows.indexOf(at, line);
  if (row < 0) {
    const other = kernelAt(state, shownRows.compared.diff, at, line);
    return other === undefined ? state : atLine({ ...state, session: { ...state.session, kernel: other } }, line, at);
  }
  const there = shownRows.at(row);
  const focused = withView(state, { focus: "diff" });
  if (there.kind !== "fold") return centred(focused, row);
  const opened = withView(focused, { diff: { ...state.view.diff, open: [...state.view.diff.open, there.first] } });
  return centred(opened, Math.max(0, displayOf(opened)!.indexOf(at, line)));
}

/** Another function of the module, in which a line is. */
function kernelAt({ session }: State, { lines, before, after }: StepDiff, side: "left" | "right", line: number): number | undefined {
  const found = session.kernels.findIndex(({ symbol }, i) => {
    if (symbol === undefined || i === session.kernel) return false;
    const [from, to] = functionLines(lines, side === "left" ? before : after, symbol) ?? [0, 0];
    return line >= from && line < to;
  });
  return found < 0 ? undefined : found;
}

export function uses(state: State): State {
  const found = definitionLine(state);
  if (typeof found === "string") return say(state, found);
  const { name, line, side } = found;
  const step = selectedStep(state)!;
  const items: ListItem[] = [
    { text: `defined  ${String(line + 1).padStart(5)}  ${shown(side.line(line)).trim()}`, go: { to: "line", step: step.index, line } },
  ];
  const pattern = new RegExp(`${name.replace(/[$.*+?^()|[\]{}\\]/g, "\\$&")}(?![\\w$.-])`);
  for (let at = 0; at < side.text.lines.length; at++) {
    if (at === line) continue;
    const text = side.line(at);
    if (!text.includes(name) || !pattern.test(text)) continue;
    if (!name.startsWith("#") && side.definition(name, at)?.line !== line) continue;
    items.push({ text: `used     ${String(at + 1).padStart(5)}  ${shown(text).trim()}`, go: { to: "line", step: step.index, line: at } });
  }
  return list(state, `${name}: ${items.length - 1} use${items.length === 2 ? "" : "s"} after ${step.flag}`, items);
}

/** A list over the panes; the cursor is on `row`, or on the first item that leads somewhere. */
export function list(state: State, title: string, items: readonly ListItem[], row?: number): State {
  const at =
    row ??
    Math.max(
      0,
      items.findIndex((i) => i.go !== undefined),
    );
  const overlay: Extract<Overlay, { kind: "list" }> = { kind: "list", title, items, row: at, top: 0 };
  const page = Math.max(1, overlayRect(state, overlay).height - 3);
  return { ...state, overlay: { ...overlay, top: Math.max(0, at - page) } };
}

/** All steps in which an op, what it came from or what became of it, is there or changes. */
export function lifeLine(state: State): State {
  const cursor = cursorLine(state);
  if (!cursor || cursor.op === 0) return say(state, "no op on this line");
  const { trace } = state.session;
  const family = new Set([...ancestorsOf(trace, cursor.op), ...descendantsOf(trace, cursor.op)]);
  const items: ListItem[] = [];
  const place = locationOf(trace, cursor.op);
  if (place) items.push({ text: `Python  ${placeText(state.session, place)}`, go: { to: "source", file: place.file, line: place.line } });
  for (const call of callersOf(trace, cursor.op))
    items.push({ text: `  called from  ${placeText(state.session, call)}`, go: { to: "source", file: call.file, line: call.line } });
  let last = "";
  for (const step of stepsOf(state.session)) {
    if (step.parent !== undefined) continue;
    const there = linesOfFamily(step, family).filter(
      (line) => step.text.ops[line] === cursor.op || !CONSTANT.test(trace.lines.line(step.text.lines[line]!)),
    );
    const key = there.map((line) => `${step.text.ops[line]}:${step.text.hashes[line]}`).join();
    if (key === last) continue;
    last = key;
    const name = cutName(`${step.label.padStart(3)} ${stepName(trace, step)}`, NAME_WIDTH);
    if (there.length === 0) {
      items.push({ text: `${name}: gone`, muted: true, go: { to: "step", step: step.index } });
      continue;
    }
    for (const [i, line] of there.slice(0, MAX_FAMILY).entries()) {
      const text = shown(trace.lines.line(step.text.lines[line]!)).trim();
      items.push({ text: `${(i === 0 ? name : "").padEnd(NAME_WIDTH)} ${text}`, go: { to: "line", step: step.index, line } });
    }
    if (there.length > MAX_FAMILY) items.push({ text: `${"".padEnd(NAME_WIDTH)} and ${there.length - MAX_FAMILY} more`, muted: true });
  }
  for (const fact of codegenFacts(trace))
    if (fact.op !== undefined && family.has(fact.op))
      items.push({
        text: `${"    instructions".padEnd(NAME_WIDTH)} ${fact.count} x ${fact.predicate ? `${fact.predicate} ` : ""}${fact.instruction}`,
        go: { to: "codegen", line: fact.lines[0]! },
      });
  const here = items.findIndex((item) => item.go !== undefined && "step" in item.go && item.go.step >= state.view.passes.selected);
  return list(state, "life line", items, Math.max(here, 0));
}
const MAX_FAMILY = 12;
const NAME_WIDTH = 40;
/** A constant stands for whatever folded to it: its life is not the op's. */
const CONSTANT = /= "?(?:arith\.constant|llvm\.mlir\.constant)\b/;

function linesOfFamily(step: Step, family: ReadonlySet<number>): number[] {
  const lines = linesOfOps(step.text);
  const found: number[] = [];
  for (const op of family) {
    const line = lines.get(op);
    if (line !== undefined) found.push(line);
  }
  return found.sort((a, b) => a - b);
}

/** First and last step in whose IR a text occurs, and where it comes and goes between. */
export function throughTime(state: State, needle: string): State {
  const { trace } = state.session;
  const numbers = new Map<number, boolean>();
  const holds = (number: number): boolean => {
    let found = numbers.get(number);
    if (found === undefined) numbers.set(number, (found = trace.lines.line(number).includes(needle)));
    return found;
  };
  const items: ListItem[] = [];
  let was: boolean | undefined;
  let lastSeen: Step | undefined;
  for (const step of stepsOf(state.session)) {
    if (step.parent !== undefined || !step.known) continue;
    const line = step.text.lines.findIndex(holds);
    const is = line >= 0;
    if (is) lastSeen = step;
    if (is === (was ?? false)) continue;
    was = is;
    const name = `${step.label.padStart(3)} ${stepName(trace, step)}`.padEnd(40);
    items.push(
      is
        ? { text: `comes  ${name} ${lineText(trace, step, line)}`, go: { to: "line", step: step.index, line } }
        : { text: `goes   ${name}`, go: { to: "step", step: step.index } },
    );
  }
  if (items.length === 0) return say(state, `'${needle}' is in no step`);
  if (was) items.push({ text: `stays  to the end (${lastSeen!.label} ${stepName(trace, lastSeen!)})`, muted: true });
  return list({ ...state, lastSearches: [needle, ...state.lastSearches] }, `'${needle}' through time`, items);
}
function lineText(trace: Trace, step: Step, line: number): string {
  return shown(trace.lines.line(step.text.lines[line]!)).trim();
}

/** From the IR to its Python line, and from a Python line to its ops. */
export function sourceOf(state: State): State {
  const { trace, sources } = state.session;
  if (state.view.focus === "source") {
    const file = sources[state.view.source.file];
    const step = selectedStep(state);
    if (!file || !step) return state;
    const items: ListItem[] = [];
    step.text.ops.forEach((op, line) => {
      const at = op === 0 ? undefined : locationOf(trace, op);
      if (at?.line === state.view.source.row + 1 && at.file === file.path)
        items.push({ text: `${String(line + 1).padStart(5)}  ${lineText(trace, step, line)}`, go: { to: "line", step: step.index, line } });
    });
    if (items.length === 0) return say(state, `no op after ${step.flag} comes from this line`);
    return list(state, `${step.flag}: ops of line ${state.view.source.row + 1}`, items);
  }
  const cursor = cursorLine(state);
  const place = cursor && cursor.op !== 0 ? locationOf(trace, cursor.op) : undefined;
  if (!place) return say(state, "no place in the source is known for this line");
  const file = sources.findIndex((s) => s.path === place.file);
  if (file < 0) return say(state, `${place.file}:${place.line}:${place.column} (the file is not here)`);
  return withView(state, { focus: "source", source: { ...state.view.source, file, row: place.line - 1 } });
}

/** Follows what a list's item leads to. */
export function go(state: State, item: ListItem): State {
  const { go: to } = item;
  if (!to) return state;
  const closed = { ...state, overlay: undefined };
  switch (to.to) {
    case "step":
      return atStep(closed, to.step);
    case "line": {
      const there = atStep(withView(closed, { diff: { ...state.view.diff, base: "previous" } }), to.step);
      return atLine(there, to.line, "right");
    }
    case "op": {
      const line = linesOfOps(state.session.trace.steps[to.step]!.text).get(to.op);
      return line === undefined ? atStep(closed, to.step) : go(state, { text: "", go: { to: "line", step: to.step, line } });
    }
    case "mark":
      return againstMarked(closed, to.step);
    case "kernel": {
      const kernel = state.session.kernels[to.kernel]!;
      // All functions of a module have the same steps.
      const step = kernel.symbol === undefined ? kernel.first : state.view.passes.selected;
      return atStep({ ...closed, session: { ...state.session, kernel: to.kernel } }, step, true);
    }
    case "source": {
      const file = state.session.sources.findIndex((s) => s.path === to.file);
      if (file < 0) return say(closed, `${to.file}:${to.line} (the file is not here)`);
      return withView(closed, { focus: "source", source: { ...state.view.source, file, row: to.line - 1 } });
    }
    case "codegen":
      return withView(closed, {
        focus: "codegen",
        codegen: { ...state.view.codegen, tab: "ptx", row: ptxRowOf(state, to.line) },
      });
    case "choice":
      return ask(say(closed, "opening ..."), { kind: "open", choice: to.choice });
  }
}
