/** The parts of the page as data, drawn from the State. Only those of the tab that is shown are made. */
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { ratedFacts } from "../../explain/codegen/explain-facts.js";
import { headlineOf, headlineText } from "../../explain/headline.js";
import { locationOf } from "../../explain/provenance.js";
import type { Choices } from "../../frontend/specialize.js";
import { PASSES } from "../../passes/index.js";
import { memo } from "../../support/memo.js";
import { fromBytes, toBytes } from "../../support/utf8.js";
import type { Trace } from "../../trace/trace.js";
import { commandLine } from "../../tui/control/command-line.js";
import { openWords } from "../../tui/control/open-state.js";
import { irSpans, overlay } from "../../tui/draw/ir-text.js";
import { onPaper, type Span } from "../../tui/draw/style.js";
import { shown } from "../../tui/draw/text-width.js";
import { compareItems } from "../../tui/panes/codegen/compare.js";
import { ptxCodeOf } from "../../tui/panes/codegen/final-code.js";
import type { CodegenItem } from "../../tui/panes/codegen/item.js";
import { codegenItems } from "../../tui/panes/codegen/model.js";
import { isCode } from "../../tui/panes/codegen/tabs.js";
import { displayOf, inkedLine, matchesIn, noteOf } from "../../tui/panes/diff/model.js";
import { diffPane } from "../../tui/panes/diff/pane.js";
import { findingRows } from "../../tui/panes/findings/model.js";
import { placeOf } from "../../tui/panes/findings/pane.js";
import { within } from "../../tui/panes/layout/grid.js";
import { layoutRows } from "../../tui/panes/layout/model.js";
import { type Access, accessesOf, bufferOf } from "../../tui/panes/layout/shared.js";
import { type Subject, subjectOf } from "../../tui/panes/layout/subject.js";
import { passItems, passSummary, timeText } from "../../tui/panes/passes/model.js";
import type { Go, State } from "../../tui/state/state.js";
import { changesOf, differs, isChanged, selectedStep, stepName } from "../../tui/state/steps.js";
import type * as pictures from "../protocol.js";
import { bankGrid, elementGrid, lanesOf, registerGrid } from "./grids.js";

/** Facts beside the State. */
export interface About {
  readonly input: pictures.Input;
  /** Characters of the widest text row. */
  readonly columns: number;
  /** Rows of the diff that are drawn. */
  readonly rows: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly rendered: string;
  readonly choices: Choices | undefined;
  /** How far the compilation under way is. */
  readonly busy: pictures.StatusPicture["busy"];
}

/** The parts that the tab needs; each is made when it is asked for. */
export function picturesOf(state: State, about: About): { readonly [P in keyof pictures.Pictures]?: () => pictures.Pictures[P] } {
  const tab = tabOf(state);
  const always = {
    status: () => status(state, about, tab),
    passes: () => passes(state),
    hints: () => hints(state.session.trace, about.input.name),
  };
  const ofDiff = { ...always, diff: () => diff(state, about.rows) };
  if (tab === "passes") return ofDiff;
  if (tab === "layout") return { ...ofDiff, layout: () => layout(state, about.columns) };
  if (tab === "code") return { ...always, code: () => code(state) };
  const rows = () => ({ tab, rows: rowsOf(state, tab, about.columns) });
  return tab === "why" ? { ...ofDiff, rows } : { ...always, rows };
}

/** The tab that shows what the terminal UI has in focus. */
function tabOf({ view }: State): pictures.Tab {
  if (view.focus === "layout") return "layout";
  if (view.focus === "findings" || (view.focus === "passes" && view.upper === "findings")) return "overview";
  if (view.focus !== "codegen") return "passes";
  const { tab } = view.codegen;
  return tab === "memory" || tab === "mma" || isCode(tab) ? "code" : tab;
}

function status(state: State, { input, diagnostics, rendered, choices, busy }: About, tab: pictures.Tab): pictures.StatusPicture {
  const { session, overlay, message } = state;
  const { settings, trace } = session;
  const isKnown = trace.steps.length > 0;
  return {
    tab,
    focus: state.view.focus,
    busy,
    message,
    problems: diagnostics.filter((d) => d.severity !== "note").map((d) => problem(d, input)),
    rendered: fromBytes(rendered),
    headline: isKnown ? headlineText(headlineOf(trace)) : "",
    target: trace.target,
    triton: trace.triton,
    options: settings && {
      numWarps: settings.options.numWarps,
      numStages: settings.options.numStages,
      numCtas: settings.options.numCtas,
    },
    form: session.form,
    choices: (choices?.items ?? []).map(({ text, given }) => ({
      text,
      ...(given.kernel === undefined ? {} : { kernel: given.kernel }),
      ...(given.config === undefined ? {} : { config: given.config }),
    })),
    against: session.against?.name,
    runs: session.input !== undefined,
    command: isKnown ? commandLine(state) : `tt-step ${input.name}`,
    screen: isKnown ? openWords(state) : "",
    list: overlay?.kind === "list" ? { title: overlay.title, items: overlay.items.map(({ text, go }) => ({ text, go })) } : undefined,
  };
}
function problem({ severity, code, message, position }: Diagnostic, { name, text }: pictures.Input): pictures.Problem {
  const own = position?.file === name ? position : undefined;
  const line = own && text.split("\n")[own.line - 1];
  return {
    severity,
    code,
    message: fromBytes(message),
    line: own?.line,
    column: line === undefined ? 0 : fromBytes(toBytes(line).slice(0, own!.column - 1)).length,
  };
}

function passes(state: State): pictures.PassesPicture {
  const { session, view } = state;
  const items = passItems(state).map((item): pictures.PassItem => {
    if (item.kind === "stage") return item;
    if (item.kind === "pending") return { kind: "stage", stage: item.step.flag };
    const { step } = item;
    const changes = changesOf(session, step);
    return {
      kind: "step",
      index: step.index,
      label: step.label,
      name: stepName(session.trace, step),
      flag: step.flag,
      selected: step.index === view.passes.selected,
      changed: isChanged(session, step) || step.kind === "source",
      failed: !step.verified,
      differs: step.parent === undefined && differs(session, step) === true,
      nested: step.parent !== undefined,
      added: changes?.added ?? 0,
      removed: changes?.removed ?? 0,
      time: step.ms === undefined ? "" : timeText(step.ms),
    };
  });
  return { items, summary: passSummary(session) };
}

function diff(state: State, count: number): pictures.DiffPicture {
  const display = displayOf(state);
  const step = selectedStep(state);
  if (!display || !step) return { title: "", about: "", note: "", mode: "IR", cursor: -1, length: 0, rows: [] };
  const { session, view } = state;
  const { diff: stepDiff } = display.compared;
  const rows: pictures.DiffRow[] = [];
  for (let d = 0; d < Math.min(display.length, Math.max(count, view.diff.row + 100)); d++) {
    const at = display.at(d);
    if (at.kind === "fold") {
      rows.push({ fold: at.count });
      continue;
    }
    const { row } = at;
    const line = (side: "left" | "right"): pictures.DiffLine | undefined => {
      const number = row[side];
      const isHidden =
        (at.kind !== "both" && at.kind !== side) ||
        (display.mode !== "side by side" && side === "left" && at.kind === "both" && row.right >= 0);
      if (number < 0 || isHidden) return undefined;
      const text = stepDiff.lines.line((side === "left" ? stepDiff.before : stepDiff.after).lines[number]!);
      const { spans } = inkedLine(state, stepDiff, row, shown(text), side, display.mode);
      const matches = view.search?.pane === "diff" ? matchesIn(shown(text), view.search.text) : [];
      return { number: number + 1, spans: matches.length > 0 ? overlay(spans, matches, (ink) => onPaper(ink, "match")) : spans };
    };
    const op = row.right >= 0 ? stepDiff.after.ops[row.right]! : stepDiff.before.ops[row.left]!;
    rows.push({
      kind: row.kind,
      left: line("left"),
      right: line("right"),
      note: noteOf(row, at, display.mode),
      source: sourceLine(session.trace, op),
    });
  }
  const about = step.kind === "source" ? "the IR before the first pass" : (PASSES.get(step.flag)?.summary ?? "");
  return {
    title: diffPane.title(state),
    about,
    note: diffPane.note?.(state) ?? "",
    mode: display.mode,
    cursor: view.diff.row,
    length: display.length,
    rows,
  };
}
const sourceLine = (trace: Trace, op: number): number => (op === 0 ? 0 : (locationOf(trace, op)?.line ?? 0));

function layout(state: State, columns: number): pictures.LayoutPicture {
  const subject = subjectOf(state);
  if ("reason" in subject) return { kind: "none", reason: subject.reason };
  const { tab } = state.view.layout;
  const drawing = drawingOf(subject, state.view.layout);
  return {
    kind: "layout",
    name: subject.name,
    type: subject.layout.typeText,
    encoding: subject.layout.encodingText,
    tab,
    drawing,
    rows: drawing ? [] : layoutRows(state, { width: columns, height: 48 }),
  };
}
/** The grids of a view: the elements, and beside them the registers or the banks. */
function drawingOf(subject: Subject, view: State["view"]["layout"]): pictures.DrawingPicture | undefined {
  const { tab, element, thread, colour } = view;
  const { layout } = subject;
  if (tab === "pair" || tab === "bases") return undefined;
  const held = layout.kind === "distributed" ? layout : undefined;
  const buffer = tab === "shared" || !held ? bufferOf(subject) : undefined;
  if (tab === "shared" && !buffer) return undefined;
  return {
    grids: [
      ...(held ? [elementGrid(held, view)] : []),
      ...(held && tab === "hw" ? [registerGrid(held, view)] : []),
      ...(buffer ? [bankGrid(buffer.layout, view, held)] : []),
    ],
    lanes: lanesOf(layout.layout),
    element: within(layout.shape, element),
    thread,
    colour,
    notes: buffer ? accessesOf(buffer.value).map(accessText) : [],
  };
}
function accessText({ op, bytes, instructions, rounds, least }: Access): string {
  const conflicts = rounds > least ? `${(rounds / least).toFixed(1)} times the least: bank conflicts` : "no bank conflicts";
  return `${op}: ${bytes} bytes a lane, ${instructions} instructions, ${rounds} rounds (${conflicts})`;
}

/** Lines of the last TTGIR and of the final code; the same for every selected step. */
const codeLines = memo((session: State["session"]): Pick<pictures.CodePicture, "ttgir" | "machine" | "facts"> => {
  const { trace } = session;
  const step = trace.steps.findLast((s) => s.stage === "ttgir" && s.parent === undefined && s.known);
  const ttgir = step
    ? Array.from(step.text.lines, (number, line): pictures.CodeLine => {
        const op = step.text.ops[line]!;
        const spans = irSpans(shown(trace.lines.line(number)));
        return { spans, source: sourceLine(trace, op), go: { to: "line", step: step.index, line } };
      })
    : [];
  const final = ptxCodeOf(session);
  const machine: pictures.CodeLine[] = [];
  for (let at = 0; at < Math.min(final?.length ?? 0, MAX_MACHINE_LINES); at++) {
    const text = final!.line(at);
    // Where lines are from is seen by their colours.
    if (/^\s*\.loc\b/.test(text)) continue;
    if (/^\s*\.(?:file|section)\b/.test(text)) break;
    machine.push({ spans: irSpans(shown(text)), source: final!.place(at)?.line ?? 0 });
  }
  const facts = ratedFacts(trace).map((fact): pictures.FactPicture => {
    const { count, instruction, kind, bytesPerThread, sectorsPerWarp, wavefronts, op, opStep, source, mma } = fact;
    const notes = [
      fact.predicate === undefined ? "" : fact.predicate === "zero-fill" ? "zero-fill" : "masked",
      sectorsPerWarp === undefined ? "" : `${sectorsPerWarp} sectors/warp`,
      wavefronts ? `${wavefronts.needed} round${wavefronts.needed === 1 ? "" : "s"} (least ${wavefronts.least})` : "",
      mma?.shape ? `${mma.shape.join("x")} ${mma.types.a} -> ${mma.types.acc}` : "",
    ];
    const go: Go | undefined = op === undefined || opStep === undefined ? undefined : { to: "op", step: opStep, op };
    const note = notes.filter((text) => text !== "").join(", ");
    return { count, instruction, kind, bytes: bytesPerThread, note, source: source?.line ?? 0, go };
  });
  return { ttgir, machine, facts };
}, 2);
const MAX_MACHINE_LINES = 20_000;
const code = ({ session }: State): pictures.CodePicture => codeLines(session);

function rowsOf(state: State, tab: pictures.Tab, columns: number): pictures.RowsPicture["rows"] {
  if (tab === "overview")
    return findingRows(state, columns).map(({ row, finding }) => ({
      spans: row,
      go: finding === undefined ? undefined : placeOf(state, finding),
    }));
  // The page has a field for the launch.
  if (tab === "limits" && state.view.codegen.launch === "") return [];
  const items: readonly CodegenItem[] = tab === "compare" ? compareItems(state.session, columns) : codegenItems(state, columns);
  return items
    .slice(0, MAX_ROWS)
    .map(({ row, go }): { readonly spans: readonly Span[]; readonly go: Go | undefined } => ({ spans: row, go }));
}
const MAX_ROWS = 5000;

/** For each line of the editor the accesses and tensor core instructions that it became. */
const hints = memo((trace: Trace, name: string): pictures.HintsPicture => {
  const byLine = new Map<number, Map<string, number>>();
  const base = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
  const facts = trace.artifacts.ptx === undefined ? [] : ratedFacts(trace);
  for (const { source, kind, instruction, count, bytesPerThread, mma } of facts) {
    if (!source || base(source.file) !== base(name) || !(mma || SHOWN_KINDS.has(kind))) continue;
    const known = byLine.get(source.line) ?? new Map<string, number>();
    const text = mma?.shape
      ? `${instruction.split(".").slice(0, 2).join(".")} ${mma.shape.join("x")}`
      : `${instruction} ${bytesPerThread} B`;
    known.set(text, (known.get(text) ?? 0) + count);
    byLine.set(source.line, known);
  }
  const lines = [...byLine].map(([line, texts]) => ({ line, text: [...texts].map(([text, count]) => `${count} × ${text}`).join(", ") }));
  return { linked: lines.length > 0 || facts.length === 0, lines: lines.sort((a, b) => a.line - b.line) };
}, 2);
const SHOWN_KINDS: ReadonlySet<string> = new Set(["load", "store", "atomic", "async-copy", "tma"]);
