/**
 * The part of a screen that a command line can bring back: pass, line, pane, tabs. `--open pass=11,line=17,focus=diff`
 * The steps of tours wait for a state in the same words.
 */

import { assembles } from "../../gpu/gpu.js";
import { passCalled } from "../../pass/pass-name.js";
import { findStep, noStep } from "../../trace/trace.js";
import { assembledText, unassembled } from "../machine-step.js";
import { toAssemble, whyNoSass } from "../panes/codegen/final-code.js";
import { CODEGEN_TABS } from "../panes/codegen/tabs.js";
import { type CursorLine, cursorLine, displayOf } from "../panes/diff/model.js";
import { PANE_IDS } from "../panes/index.js";
import { ask, type Session, type State, say, type WhatIf, withView } from "../state/state.js";
import { selectedStep } from "../state/steps.js";
import { DIFF_MODES, LAYOUT_TABS } from "../state/view.js";
import { atLine } from "./navigate.js";
import { settle } from "./settle.js";
import { atStep } from "./walk.js";
import { whatIfRows } from "./what-if.js";

/** One word, `name=value`. */
interface Word {
  /** The value that the screen has now; undefined where it has none. */
  readonly now: (state: State) => string | undefined;
  /** Whether the screen is so, where that is more than having the value. */
  readonly isSo?: (state: State, value: string) => boolean;
  /** The state with the value; undefined where there is no such thing. */
  readonly open: (state: State, value: string) => State | undefined;
  /** Whether another word says it: it is not written. */
  readonly isUnwritten?: true;
}

const cursor = (state: State): CursorLine | undefined => (state.view.upper === "diff" ? cursorLine(state) : undefined);

/** One of some values, for a change of the view. */
const choice =
  <T extends string>(values: readonly T[], changed: (state: State, value: T) => Partial<State["view"]>): Word["open"] =>
  (state, text) => {
    const value = values.find((v) => v === text);
    return value && withView(state, changed(state, value));
  };

/** In the order in which they are opened: each may depend on those before. */
const WORDS: Readonly<Record<string, Word>> = {
  option: {
    now: () => undefined,
    isSo: ({ session: { settings, input } }, text) => {
      const [name, value] = optionOf(text);
      return settings !== undefined && whatIfRows(settings, input).some((row) => row.name === name && row.value === value);
    },
    open: (state, text) => {
      const whatIf = withOption(state, text);
      return whatIf === state.session.settings ? state : whatIf && ask(say(state, "compiling ..."), { kind: "compile", whatIf });
    },
  },
  mode: {
    now: ({ view }) => (view.diff.mode === "side by side" ? undefined : view.diff.mode),
    open: choice(DIFF_MODES, ({ view }, mode) => ({ diff: { ...view.diff, mode } })),
  },
  base: {
    now: ({ view }) => (view.diff.base === "against" ? "against" : undefined),
    open: (state, value) =>
      value === "against" && state.session.against ? withView(state, { diff: { ...state.view.diff, base: value } }) : undefined,
  },
  pass: {
    now: (state) => selectedStep(state)?.label ?? "0",
    isSo: ({ view, session }, value) => view.upper === "diff" && findStep(session.trace, value)?.index === view.passes.selected,
    open: (state, value) => {
      const step = findStep(state.session.trace, value);
      return step && atStep(withView(state, { upper: "diff", focus: "passes" }), step.index, true);
    },
  },
  line: {
    now: (state) => {
      const at = cursor(state);
      return at && `${at.line + 1}${at.side === "left" ? "-" : ""}`;
    },
    open: (state, value) => {
      const [, number, left] = /^(\d+)(-?)$/.exec(value) ?? [];
      return number && displayOf(state) ? atLine(state, Number(number) - 1, left ? "left" : "right") : undefined;
    },
  },
  op: {
    now: (state) => opOn(cursor(state)?.text ?? ""),
    open: (state, value) => {
      const line = lineOfOp(state, value);
      return line === undefined ? undefined : atLine(state, line, "right");
    },
    isUnwritten: true,
  },
  focus: {
    now: ({ view }) => view.focus,
    open: choice(PANE_IDS, (_, focus) => ({ focus })),
  },
  layout: {
    now: ({ view }) => (view.lower === "layout" ? view.layout.tab : undefined),
    open: choice(LAYOUT_TABS, ({ view }, tab) => ({ lower: "layout", layout: { ...view.layout, tab } })),
  },
  codegen: {
    now: ({ view }) => (view.lower === "codegen" ? view.codegen.tab : undefined),
    open: choice(CODEGEN_TABS, ({ view }, tab) => ({
      lower: "codegen",
      codegen: { ...view.codegen, tab, about: view.focus === "passes" ? "pass" : "op", row: 0 },
    })),
  },
  zoomed: {
    now: ({ view }) => (view.zoomed ? "" : undefined),
    open: (state) => withView(state, { zoomed: true }),
  },
};

/** The words for the screen of a state. */
export function openWords(state: State): string {
  const written = Object.entries(WORDS).flatMap(([name, { now, isUnwritten }]) => {
    const value = isUnwritten ? undefined : now(state);
    return value === undefined ? [] : [value === "" ? name : `${name}=${value}`];
  });
  return [...otherTab(state), ...written].join(",");
}
/** The tab of the pane that is not the last one looked at: it comes first, as a tab brings its pane to the front. */
function otherTab({ view: { lower, layout, codegen } }: State): string[] {
  if (lower === "layout") return codegen.tab === CODEGEN_TABS[0] ? [] : [`codegen=${codegen.tab}`];
  return layout.tab === LAYOUT_TABS[0] ? [] : [`layout=${layout.tab}`];
}

/** Each word with its name and value; no value is an empty one. */
const wordsOf = (text: string) =>
  text.split(",").map((word) => /^([^=]*)=?(.*)$/s.exec(word) as unknown as readonly [string, string, string]);

/** The state with the screen that the words name, now or when its step is there; words that name nothing here are told. */
export function withOpened(state: State, text: string): State {
  const spec = passIn(text);
  if (spec !== undefined && isToCome(state.session, spec)) return { ...say(state, `${spec} is shown when it is there`), awaited: text };
  let next = state;
  const wrong: string[] = [];
  for (const [word, name, value] of wordsOf(text)) {
    const after = Object.hasOwn(WORDS, name) ? WORDS[name]!.open(next, value) : undefined;
    if (after) next = after;
    else wrong.push(word);
  }
  if (wrong.length === 0) return settle(next);
  const why = spec !== undefined && wrong.includes(`pass=${spec}`) ? `: ${whyNoStep(state.session, spec)}` : "";
  return say(settle(next), `--open: nothing here is called ${wrong.join(", ")}${why}`, "error");
}
/** The state with the screen that it awaits, if the step is there by now or will not come. */
export function arrived(state: State): State {
  const { awaited, session } = state;
  if (awaited === undefined || isToCome(session, passIn(awaited)!)) return state;
  return withOpened({ ...state, awaited: undefined, message: undefined }, awaited);
}
const passIn = (text: string): string | undefined => wordsOf(text).find(([, name]) => name === "pass")?.[2];

/** Whether a step of that name is to come: a pass that has not run, or final code that is being made. */
export function isToCome(session: Session, spec: string): boolean {
  if (findStep(session.trace, spec)) return false;
  const [name = ""] = spec.split("#");
  if (passCalled(name, new Set(session.pending.map(({ flag }) => flag))) !== undefined) return true;
  if (!(assembles(session.trace.target) === "llir" ? /^amdgcn$/i : /^(?:ptx|sass)$/i).test(name)) return false;
  // A text that was made in another thread is the Trace's a moment later.
  return assembledText(session.trace) === undefined ? toAssemble(session).kind !== "none" : unassembled(session) === session.trace;
}
/** Why no step has that name, in one line. */
export function whyNoStep(session: Session, spec: string): string {
  return /^(?:sass|amdgcn)$/i.test(spec) ? whyNoSass(session) : noStep(session.trace, spec);
}

/** The words that the screen is not as they say. */
export function wordsMissing(state: State, text: string): readonly string[] {
  return wordsOf(text).flatMap(([text, name, value]) => {
    const word = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
    const isSo = word?.isSo ?? ((at, wanted) => word?.now(at) === wanted);
    return isSo(state, value) ? [] : [text];
  });
}

/** The name of the op on a line of IR: `%5 = tt.load ...`, `tt.store ...`. */
const opOn = (text: string): string | undefined => /^\s*(?:%\S+(?:, %\S+)* = )?"?([a-z_]\w*\.[\w.]+)/.exec(text)?.[1];

/** The first line of the shown step with an op of that name. */
function lineOfOp(state: State, op: string): number | undefined {
  const diff = displayOf(state)?.compared.diff;
  const found = diff?.after.lines.findIndex((line) => opOn(diff.lines.line(line)) === op) ?? -1;
  return found < 0 ? undefined : found;
}

/** `num_warps:8`: the name and the value of a row of the what-if menu. */
function optionOf(text: string): readonly [name: string, value: string] {
  const at = text.lastIndexOf(":");
  return text.startsWith("target:") ? ["target", text.slice("target:".length)] : [text.slice(0, at), text.slice(at + 1)];
}

/** The settings with an option changed until it has the value; undefined where it never has. */
function withOption({ session: { settings, input } }: State, text: string): WhatIf | undefined {
  const [name, wanted] = optionOf(text);
  for (const by of [1, -1] as const) {
    let draft = settings;
    for (let tries = 0; draft && tries < MOST_VALUES; tries++) {
      const row = whatIfRows(draft, input).find((r) => r.name === name);
      if (row?.value === wanted) return draft;
      draft = row?.change(by);
    }
  }
  return undefined;
}
/** No option of the menu has more values. */
const MOST_VALUES = 32;
