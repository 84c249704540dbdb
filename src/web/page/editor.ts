/** The editor: CodeMirror in a shadow root, where its styles need no exception from the page's Content Security Policy. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, forceLinting, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField, type Transaction } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
  WidgetType,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { INKS, type Ink } from "../../tui/draw/style.js";
import type { Problem } from "../protocol.js";
import { h } from "./dom.js";
import { mlir } from "./mlir-mode.js";

const ink = (name: Ink): string => `var(--i${INKS.indexOf(name)})`;
const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: ink("op") },
  { tag: [tags.string, tags.special(tags.string)], color: ink("string") },
  { tag: [tags.number, tags.bool, tags.null], color: ink("number") },
  { tag: tags.comment, color: ink("comment") },
  { tag: [tags.typeName, tags.className], color: ink("type") },
  { tag: [tags.definition(tags.variableName), tags.function(tags.variableName), tags.meta], color: ink("symbol") },
  { tag: [tags.macroName, tags.labelName], color: ink("alias") },
]);
const LOOK = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--page)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--page)", color: ink("comment"), border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--p2)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--p1)" },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "var(--p8)" },
  ".cm-tooltip, .cm-panels": { backgroundColor: "var(--p10)", color: "var(--ink)", border: "1px solid var(--line)", maxWidth: "48rem" },
  ".cm-panels input, .cm-panels button": { font: "inherit" },
  ".hint": {
    color: ink("accent"),
    marginLeft: "2ch",
    padding: "0",
    fontSize: "12px",
    font: "inherit",
    border: "none",
    background: "none",
    cursor: "pointer",
  },
  ".hint:hover": { textDecoration: "underline" },
  ".lit": { boxShadow: "inset 3px 0 var(--i2)", backgroundColor: "var(--p7)" },
  ".why": {
    padding: ".4rem .6rem",
    maxHeight: "20rem",
    overflow: "auto",
    fontFamily: "var(--mono)",
    fontSize: "12px",
    whiteSpace: "pre-wrap",
  },
  ".why b": { display: "block", color: ink("accent") },
  ...Object.fromEntries(
    Array.from({ length: 8 }, (_, i) => [`.s${i}`, { boxShadow: `inset 4px 0 var(--i${INKS.indexOf(`c${i}` as Ink)})` }]),
  ),
});

/** Hints, colours and the lit line beside the text. */
interface Marks {
  readonly hints: ReadonlyMap<number, string>;
  /** Colours of lines that the final code shares, 0 to 7. */
  readonly colours: ReadonlyMap<number, number>;
  readonly lit: number;
}
const setMarks = StateEffect.define<Marks>();
class Hint extends WidgetType {
  constructor(
    readonly text: string,
    readonly line: number,
  ) {
    super();
  }
  override eq(other: Hint): boolean {
    return other.text === this.text && other.line === this.line;
  }
  toDOM(view: EditorView): HTMLElement {
    const show = () => view.dom.dispatchEvent(new CustomEvent("hint", { detail: this.line }));
    return h("button", { type: "button", class: "hint", tabindex: -1, title: "shows these instructions", onclick: show }, this.text);
  }
}
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(now, { effects, changes, state }) {
    const effect = effects.findLast((e) => e.is(setMarks));
    if (!effect) return now.map(changes);
    const { hints, colours, lit } = effect.value as Marks;
    const found = [];
    for (const number of new Set([...hints.keys(), ...colours.keys(), lit])) {
      if (number < 1 || number > state.doc.lines) continue;
      const line = state.doc.line(number);
      const names = [colours.has(number) ? `s${colours.get(number)}` : "", number === lit ? "lit" : ""].filter((name) => name !== "");
      if (names.length > 0) found.push(Decoration.line({ class: names.join(" ") }).range(line.from));
      const hint = hints.get(number);
      if (hint !== undefined) found.push(Decoration.widget({ widget: new Hint(hint, number), side: 1 }).range(line.to));
    }
    return Decoration.set(found, true);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export interface Listeners {
  readonly changed: (text: string) => void;
  /** The cursor is on another line, by the reader's own doing. */
  readonly line: (line: number) => void;
  /** The instructions of a line are asked for. */
  readonly hint: (line: number) => void;
  /** The explanation of a word (`%x`) or of a line, by 1-based number. */
  readonly why: (word: string, line: number) => Promise<readonly { readonly title: string; readonly lines: readonly string[] }[]>;
}

/** Whether a text is pasted in the place of all: it is read from its beginning. */
function isOtherText(change: Transaction): boolean {
  let whole = false;
  change.changes.iterChanges((from, to) => {
    whole = from === 0 && to === change.startState.doc.length;
  });
  return whole && change.isUserEvent("input.paste");
}

const isPython = (name: string): boolean => name.endsWith(".py");

export class Editor {
  readonly #view: EditorView;
  readonly #language = new Compartment();
  #marks: Marks = { hints: new Map(), colours: new Map(), lit: 0 };
  /** A text that the page itself has put there is no change of the reader's. */
  #isPutting = false;

  constructor(parent: HTMLElement, { changed, line, hint, why }: Listeners) {
    const root = parent.attachShadow({ mode: "open" });
    const hover = hoverTooltip(async (view, position) => {
      const at = view.state.doc.lineAt(position);
      const word = [...at.text.matchAll(/%[\w$.-]+(?:#\d+)?|\w+/g)].find(
        ({ index, 0: text }) => at.from + index <= position && position <= at.from + index + text.length,
      );
      if (!word) return null;
      const sections = await why(word[0], at.number);
      if (sections.length === 0) return null;
      return {
        pos: at.from + word.index,
        end: at.from + word.index + word[0].length,
        create: () => ({
          dom: h("div", { class: "why" }, ...sections.flatMap(({ title, lines }) => [h("b", {}, title), `${lines.join("\n")}\n`])),
        }),
      };
    });
    this.#view = new EditorView({
      root,
      parent: root as unknown as Element,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          foldGutter(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          highlightSelectionMatches(),
          lintGutter(),
          syntaxHighlighting(COLOURS),
          LOOK,
          marks,
          hover,
          this.#language.of([]),
          EditorView.contentAttributes.of({ "aria-label": "source of the kernel", tabindex: "0" }),
          keymap.of([
            { key: "F12", run: (view) => toDefinition(view) },
            // Tab belongs to the page, so that the keyboard gets out again; Escape, then Tab, is CodeMirror's other way.
            { key: "Ctrl-]", run: indentWithTab.run! },
            ...defaultKeymap,
            ...historyKeymap,
            ...searchKeymap,
            ...foldKeymap,
            ...lintKeymap,
          ]),
          EditorView.domEventHandlers({
            mousedown: (event, view) => {
              if (!event.ctrlKey && !event.metaKey) return false;
              const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
              return position !== null && toDefinition(view, position);
            },
          }),
          EditorState.transactionFilter.of((change) => (isOtherText(change) ? [change, { selection: { anchor: 0 } }] : change)),
          EditorView.updateListener.of((update) => {
            if (this.#isPutting) return;
            if (update.docChanged) changed(update.state.doc.toString());
            if (update.selectionSet) line(update.state.doc.lineAt(update.state.selection.main.head).number);
          }),
        ],
      }),
    });
    this.#view.dom.addEventListener("hint", (event) => hint((event as CustomEvent<number>).detail));
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }
  put(text: string, name: string): void {
    this.#isPutting = true;
    this.#view.dispatch({
      changes: { from: 0, to: this.#view.state.doc.length, insert: text },
      selection: { anchor: 0 },
      effects: [this.#language.reconfigure(isPython(name) ? python() : mlir), EditorView.scrollIntoView(0)],
    });
    this.#isPutting = false;
    this.mark({ hints: new Map(), colours: new Map(), lit: 0 });
  }
  problems(problems: readonly Problem[]): void {
    const { doc } = this.#view.state;
    const found = problems.flatMap(({ line, column, severity, code, message }): Diagnostic[] => {
      if (line === undefined || line > doc.lines) return [];
      const at = doc.line(line);
      const from = Math.min(at.from + column, at.to);
      const word = /^(?:[%#!@^]?[\w$.]+|.)/.exec(doc.sliceString(from, at.to))?.[0] ?? "";
      const kind = severity === "error" || severity === "warning" ? severity : "info";
      return [{ from, to: from + word.length, severity: kind, message, source: code }];
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, found));
    forceLinting(this.#view);
  }
  mark(change: Partial<Marks>): void {
    this.#marks = { ...this.#marks, ...change };
    this.#view.dispatch({ effects: setMarks.of(this.#marks) });
  }
  /** Brings a line into sight. */
  show(line: number): void {
    const { doc } = this.#view.state;
    if (line >= 1 && line <= doc.lines) this.#view.dispatch({ effects: EditorView.scrollIntoView(doc.line(line).from, { y: "center" }) });
  }
  focus(line?: number, column = 0): void {
    const { doc } = this.#view.state;
    if (line !== undefined && line <= doc.lines)
      this.#view.dispatch({ selection: { anchor: doc.line(line).from + column }, scrollIntoView: true });
    this.#view.focus();
  }
}

/** Goes to the place where the name at a position is given its value: the last one above it, else the first of all. */
function toDefinition(view: EditorView, position = view.state.selection.main.head): boolean {
  const { doc } = view.state;
  const line = doc.lineAt(position);
  const name = [...line.text.matchAll(/[%#!@^]?[A-Za-z_\d$.-]+/g)].find(
    ({ index, 0: text }) => line.from + index <= position && position <= line.from + index + text.length,
  )?.[0];
  if (name === undefined) return false;
  const quoted = name.replace(/[$.*+?^()|[\]{}\\]/g, "\\$&");
  const patterns = /^[%#!]/.test(name)
    ? [new RegExp(`(?:^|[\\s,(])${quoted}(?::\\d+)?\\s*(?:=|:)(?!=)`)]
    : [
        new RegExp(`^\\s*(?:def\\s+${quoted}\\b|${quoted}\\s*(?::[^=]*)?=[^=]|for\\s+${quoted}\\b)`),
        new RegExp(`[(,]\\s*${quoted}\\s*[:,)=]|^\\s*${quoted}\\s*[:,]`),
      ];
  for (const pattern of patterns) {
    let found: number | undefined;
    for (let at = 1; at <= doc.lines; at++) {
      const text = doc.line(at).text;
      if (!pattern.test(text) || (at > line.number && found !== undefined)) continue;
      found = doc.line(at).from + Math.max(0, text.indexOf(name));
    }
    if (found !== undefined) {
      view.dispatch({ selection: { anchor: found }, scrollIntoView: true });
      return true;
    }
  }
  return false;
}
