/** The state of the terminal UI: one immutable object. Its `View` (`view.ts`) is what can be undone; the rest is the world around it. */

import type { TargetOptions } from "../../backend/targets.js";
import type { StepDiff } from "../../diff/step-diff.js";
import type { Finding } from "../../explain/findings.js";
import type { PassRewrites } from "../../explain/rewrite-details.js";
import type { Tour } from "../../learn/tour.js";
import type { Always } from "../../library/compile.js";
import type { Divisibility, ModuleSource } from "../../library/sources.js";
import type { TritonVersion } from "../../library/targets.js";
import type { Limits } from "../../limits/limits.js";
import type { PipelineStep, Stage } from "../../trace/stage.js";
import type { Step, Trace } from "../../trace/trace.js";
import type { Form } from "../form/form.js";
import type { Border, View } from "./view.js";

/** Something shown over the panes. */
export type Overlay =
  | {
      readonly kind: "help";
      readonly top: number;
      /** The word that is looked for, while it is typed and after; undefined for all keys. */
      readonly filter: string | undefined;
      readonly typing: boolean;
    }
  /** A list to choose from or to read. */
  | {
      readonly kind: "list";
      readonly title: string;
      readonly items: readonly ListItem[];
      readonly row: number;
      readonly top: number;
      /** Columns that are left out at the left; 0 where it is not given. */
      readonly left?: number;
    }
  | {
      readonly kind: "prompt";
      readonly prompt: PromptKind;
      readonly label: string;
      readonly text: string;
      readonly at: number;
      /** The text was put there: what is typed first takes its place. */
      readonly offered: boolean;
    }
  | { readonly kind: "what-if"; readonly row: number; readonly draft: WhatIf; readonly editing: string | undefined }
  /** The arguments of a Python kernel: the field with the cursor, and where it is in its text. */
  | { readonly kind: "form"; readonly form: Form; readonly row: number; readonly at: number };

export interface ListItem {
  readonly text: string;
  readonly muted?: boolean;
  readonly go?: Go;
}
/** Where choosing an item leads. */
export type Go =
  | { readonly to: "line"; readonly step: number; readonly line: number }
  | { readonly to: "op"; readonly step: number; readonly op: number }
  | { readonly to: "step"; readonly step: number }
  /** Holds the selected step against a marked one. */
  | { readonly to: "mark"; readonly step: number }
  | { readonly to: "kernel"; readonly kernel: number }
  | { readonly to: "source"; readonly file: string; readonly line: number }
  | { readonly to: "codegen"; readonly line: number }
  /** One of the ways to open the input: an index into the menu. */
  | { readonly to: "choice"; readonly choice: number };

export type PromptKind = "insert" | "search" | "filter" | "through-time" | "command" | "export";

/** The settings of a compilation, which can be changed in the UI. */
export interface WhatIf {
  readonly target: string;
  readonly options: TargetOptions;
  /** The version of Triton; without it the input's. A compilation that was begun has one. */
  readonly triton?: string;
  /** Positions in the pipeline, from 1. */
  readonly disabled: readonly number[];
  /** Passes that run where the pipeline has them not, after so many of its passes: `12:canonicalize`. */
  readonly inserted: readonly string[];
  readonly divisibility: Divisibility;
  readonly always: Always;
}

/** A source that our pipeline compiles. */
export interface CompilerInput {
  readonly source: ModuleSource;
  /** Its IR before any pass, with locations. */
  readonly text: string;
  readonly from: Stage;
  readonly version: TritonVersion;
  /** The last pass, by position in the pipeline, that has run on the text. */
  readonly startAfter?: number;
  /** The last pass that is run. */
  readonly stopAfter?: number;
  /** The compilation whose IR was edited, if the text is that: its step, and how many passes had run. */
  readonly edited?: { readonly trace: Trace; readonly step: Step; readonly passes: number } & Pick<Session, "input" | "settings">;
}

/** The Trace under inspection, complete or as far as it is made, and others to compare with. */
export interface Session {
  readonly name: string;
  /** Another one for every what-if and edit: `u` brings back the session before. */
  readonly generation: number;
  readonly trace: Trace;
  /** The input of the compilation; undefined for an imported dump. */
  readonly input: CompilerInput | undefined;
  /** The kernels of the Trace, where it has several. */
  readonly kernels: readonly Kernel[];
  readonly kernel: number;
  /** The ways to open the input, such as the kernels of a Python file. */
  readonly menu: Menu | undefined;
  /** The arguments of a Python kernel, as a form shows them. */
  readonly form: Form | undefined;
  readonly progress: Progress | undefined;
  /** The passes still to come. */
  readonly pending: readonly PipelineStep[];
  /** How it was compiled; undefined of an imported dump. */
  readonly settings: WhatIf | undefined;
  /** The Trace and settings before a what-if or an edit. */
  readonly baseline: { readonly trace: Trace; readonly settings: WhatIf | undefined } | undefined;
  readonly against: Against | undefined;
  readonly computed: Computed;
  /** Python files that the locations name and that could be read. */
  readonly sources: readonly SourceFile[];
  /** A pass that failed, in a sentence. */
  readonly failure: string | undefined;
  /** Why the input cannot be opened, and what was found in its place. */
  readonly refused: { readonly text: string; readonly found: readonly string[] } | undefined;
}
/** The other side of `--against`: another input; or the input without the options, where this side has them. */
export interface Against {
  readonly name: string;
  readonly trace: Trace;
  /** The options that this side has, as they were typed and as words of a command line. */
  readonly here?: string;
  readonly options?: readonly string[];
}
/** A compilation of a log that holds several, or one function of a module. */
export interface Kernel {
  readonly name: string;
  /** Its steps: first and last index. */
  readonly first: number;
  readonly last: number;
  /** The function, where the steps are about others too. */
  readonly symbol?: string;
}
export interface Menu {
  readonly title: string;
  readonly items: readonly string[];
  readonly chosen: number | undefined;
}

/** Slow results from the Traces, as far as they are known: computed between key presses (`background.ts`). */
export interface Computed {
  /** Differences of large steps, by the labels of both; undefined where all differences are made at once. */
  readonly diffs: ReadonlyMap<string, StepDiff> | undefined;
  /** Ops added and removed in large steps, by index. */
  readonly counts: ReadonlyMap<number, { readonly added: number; readonly removed: number }>;
  /** Whether a step's result is another than on the other side, by index. */
  readonly differing: ReadonlyMap<number, boolean>;
  /** Passes rewrite by rewrite, by label. */
  readonly rewrites: ReadonlyMap<string, PassRewrites>;
  /** Findings about the kernel, worst first; undefined until it is known. */
  readonly findings: readonly Finding[] | undefined;
  /** The limits of the kernel, by the launch as it was typed. */
  readonly limits: ReadonlyMap<string, SessionLimits>;
  /** The PTX of a module that is too large to have it in its Trace; undefined until somebody looks at it. */
  readonly ptx: Ptx | undefined;
  /** Why the PTX is not assembled; undefined where it is, or will be. */
  readonly noMachine: string | undefined;
}
/** The limits of a launch, or why there are none. */
export type SessionLimits = Limits | { readonly kind: "error"; readonly message?: string };
export type Ptx =
  | { readonly kind: "making"; readonly done: number; readonly total: number; readonly what: string }
  /** `instructions` are those of `Artifacts`, by an op's number in the order of the last step's text. */
  | { readonly kind: "text"; readonly text: string; readonly instructions?: Readonly<Record<number, readonly string[]>> }
  | { readonly kind: "none"; readonly why: string };
export const NOTHING_COMPUTED: Computed = {
  diffs: undefined,
  counts: new Map(),
  differing: new Map(),
  rewrites: new Map(),
  findings: undefined,
  limits: new Map(),
  ptx: undefined,
  noMachine: undefined,
};
export interface SourceFile {
  /** As locations name it. */
  readonly path: string;
  /** Where it was found: logs are carried to other machines. */
  readonly found: string;
  readonly lines: readonly string[];
}
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly what: string;
  /** Milliseconds since it began. */
  readonly ms: number;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface State {
  readonly size: Size;
  readonly session: Session;
  readonly view: View;
  readonly overlay: Overlay | undefined;
  /** The border that the mouse holds. */
  readonly dragged: { readonly border: Border; readonly by: number } | undefined;
  /** Keys of a sequence that is not complete: `g`. */
  readonly pending: string;
  /** One line for the user; goes with the next key. */
  readonly message: { readonly text: string; readonly kind: "info" | "error" } | undefined;
  /** A screen that was asked for before its step was there, as words of `--open`: it opens when the step is there, unless a key is pressed. */
  readonly awaited: string | undefined;
  /** The first difference to the other side was asked for before it was known: it is shown then, unless a key is pressed. */
  readonly awaitsDifference: boolean;
  /** Views that `u` goes back to, oldest first, and those that ctrl+r goes forward to. */
  readonly past: readonly Moment[];
  readonly future: readonly Moment[];
  readonly lastSearches: readonly string[];
  /** The user's own configuration. */
  readonly settings: Settings;
  /** The tour under way. */
  readonly tour: TourState | undefined;
  /** Things for the shell to do, in order. */
  readonly effects: readonly Effect[];
}
/** A tour at one of its steps, from 0; `done` once its screen was reached or its output shown. `top` is the first line of its text in sight. */
export interface TourState {
  readonly tour: Tour;
  readonly at: number;
  readonly top: number;
  readonly done: boolean;
  /** The step's screen comes up once the kernel is compiled with the option that it needs. */
  readonly isAwaited?: boolean;
}
/** A state that `u` goes back to. */
export interface Moment {
  readonly view: View;
  readonly session: Session;
}
export interface Settings {
  /** Keys of commands that the user changed. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  readonly ascii: boolean;
  /** The command line that started the program, as far as it says what to compile. */
  readonly command: readonly string[];
  /** Reads a command line that is typed after `:`, or an option alone; undefined for a text that is neither. Absent where nothing is typed. */
  readonly readOptions?: (typed: string) => TypedOptions | { readonly error: string } | undefined;
}

/** The options that take effect in a command line typed after `:`. */
export interface TypedOptions {
  readonly diff: readonly [string, string] | undefined;
  /** The step to show. */
  readonly after: string | undefined;
  readonly export: string | undefined;
  readonly target: string | undefined;
  readonly triton: string | undefined;
  /** Triton's options, those that are given. */
  readonly options: Partial<TargetOptions>;
}

/** A request to the shell around the pure core. */
export type Effect =
  | { readonly kind: "quit" }
  | { readonly kind: "suspend" }
  | { readonly kind: "copy"; readonly text: string }
  /** Afterwards the pass that runs as `select`, from 1, is selected; without it the same pass as before. */
  | { readonly kind: "compile"; readonly whatIf: WhatIf; readonly select?: number }
  | { readonly kind: "edit"; readonly step: number }
  | { readonly kind: "edit-source"; readonly file: string; readonly line: number }
  | { readonly kind: "export"; readonly path: string }
  | { readonly kind: "run"; readonly command: string }
  /** Opens an item of the session's menu. */
  | { readonly kind: "open"; readonly choice: number }
  /** Runs the command of a tour's step, to show its output. */
  | { readonly kind: "tour-command"; readonly command: string }
  /** A tour has come to a step: how many steps are done. */
  | { readonly kind: "tour-step"; readonly at: number }
  /** Compiles the kernel for the arguments of a form. */
  | { readonly kind: "fill"; readonly form: Form };

/** The state with a message for the user. */
export function say(state: State, text: string, kind: "info" | "error" = "info"): State {
  return { ...state, message: { text, kind } };
}
/** The state with one more effect for the shell to do. */
export function ask(state: State, effect: Effect): State {
  return { ...state, effects: [...state.effects, effect] };
}

/** The state under another view. */
export function withView(state: State, change: Partial<View>, really = true): State {
  return really ? { ...state, view: { ...state.view, ...change } } : state;
}
