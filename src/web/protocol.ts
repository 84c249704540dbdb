/** The messages between the page and the worker that compiles, and the pictures that the page draws. All of it is plain data. */
import type { TargetOptions } from "../backend/targets.js";
import type { Panel } from "../cute/draw.js";
import type { Severity } from "../diagnostics/diagnostic.js";
import type { Row } from "../diff/align.js";
import type { Span } from "../tui/draw/style.js";
import type { Form } from "../tui/form/form.js";
import type { CommandId } from "../tui/keymap.js";
import type { CodegenTab } from "../tui/panes/codegen/tabs.js";
import type { Go } from "../tui/state/state.js";
import type { DiffMode, LayoutView } from "../tui/state/view.js";

/** A text to compile, and how. Fields that are absent are as the text says, or defaults. */
export interface Input {
  /** `kernel.py` or `kernel.ttir`: locations and messages have this name. */
  readonly name: string;
  readonly text: string;
  /** `cuda:90` */
  readonly target?: string;
  /** The version of Triton, `3.8`; by default the kernel's comment decides. */
  readonly triton?: string;
  readonly options?: Partial<TargetOptions>;
  /** Only for Python: the kernel, and its arguments as the command line's `--signature`; by default they are guessed. */
  readonly kernel?: string;
  readonly signature?: string;
  readonly config?: number;
}

export type Order =
  /** Compiles; a compilation under way is given up. `open`: the screen to show, as `tt-step --open` has it. */
  | { readonly kind: "compile"; readonly input: Input; readonly against?: Input | undefined; readonly open?: string | undefined }
  | { readonly kind: "command"; readonly command: CommandId }
  | { readonly kind: "screen"; readonly screen: string }
  | { readonly kind: "go"; readonly go: Go }
  /** The cursor of the diff, as a displayed row; a fold is opened. */
  | { readonly kind: "row"; readonly row: number }
  /** Rows of the diff that are wanted, from 0. */
  | { readonly kind: "rows"; readonly count: number }
  /** Characters that fit into the widest line of text rows. */
  | { readonly kind: "columns"; readonly columns: number }
  | { readonly kind: "element"; readonly element: readonly number[]; readonly thread: number | undefined }
  /** The launch whose limits are shown, as `tt-step limits` has it: `grid=1024 n=1048576`. */
  | { readonly kind: "limits"; readonly launch: string }
  /** Searches in what is shown; an empty text ends the search. */
  | { readonly kind: "search"; readonly text: string }
  /** The list that a command has opened is closed. */
  | { readonly kind: "closed" }
  | { readonly kind: "ask"; readonly id: number; readonly question: Question };

export type Question =
  /** The explanation of a value (`%x`) or of a line of the editor. */
  | { readonly kind: "why"; readonly asked: string }
  /** The whole compilation as JSON. */
  | { readonly kind: "json" }
  /** Executes the kernel after each pass, or the source alone. */
  | { readonly kind: "validate" }
  | { readonly kind: "run" }
  | { readonly kind: "layout"; readonly text: string; readonly element: readonly number[]; readonly thread: number | undefined }
  | { readonly kind: "cute"; readonly text: string };

export type Report =
  | { readonly kind: "pictures"; readonly pictures: Partial<Pictures> }
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answer }
  /** A sign of life: what is under way takes long. */
  | { readonly kind: "working" }
  /** Nothing is under way. */
  | { readonly kind: "idle" }
  /** A bug of the compiler. */
  | { readonly kind: "broken"; readonly message: string };

/** Texts under headings, a text as it is, drawings. */
export interface Answer {
  readonly sections: readonly { readonly title: string; readonly lines: readonly string[] }[];
  readonly text?: string;
  readonly drawing?: DrawingPicture;
  /** Tiles of CuTe, beside each other. */
  readonly panels?: readonly Panel[];
  readonly failed?: boolean;
}

/** The tabs of the terminal UI's codegen pane, those of instructions and code being one here, and its other panes. */
export type Tab = "overview" | "passes" | "layout" | "code" | Exclude<CodegenTab, "memory" | "mma" | "ptx" | "sass">;

/** The parts of the page, each sent when it is another than before. */
export interface Pictures {
  readonly status: StatusPicture;
  readonly passes: PassesPicture;
  readonly diff: DiffPicture;
  readonly layout: LayoutPicture;
  readonly code: CodePicture;
  /** Rows of the tabs that are text: overview, stats, why, rewrites, compare. */
  readonly rows: RowsPicture;
  readonly hints: HintsPicture;
}

export interface StatusPicture {
  readonly tab: Tab;
  readonly focus: string;
  readonly busy: { readonly done: number; readonly total: number; readonly what: string } | undefined;
  readonly message: { readonly text: string; readonly kind: "info" | "error" } | undefined;
  readonly problems: readonly Problem[];
  /** All of them with excerpts. */
  readonly rendered: string;
  readonly headline: string;
  readonly target: string | undefined;
  readonly triton: string | undefined;
  readonly options: { readonly numWarps: number; readonly numStages: number; readonly numCtas: number } | undefined;
  readonly form: Form | undefined;
  /** Kernels or configurations of which one must be chosen. */
  readonly choices: readonly { readonly text: string; readonly kernel?: string; readonly config?: number }[];
  readonly against: string | undefined;
  /** Whether the kernel is here as source, and can be run. */
  readonly runs: boolean;
  /** The command line that shows the same, and the screen alone. */
  readonly command: string;
  readonly screen: string;
  /** The list that a command has opened: uses of a value, the life of an op. */
  readonly list: { readonly title: string; readonly items: readonly { readonly text: string; readonly go: Go | undefined }[] } | undefined;
}
/** A diagnostic at a place of the editor's text: 1-based line, 0-based column in letters. */
export interface Problem {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly line: number | undefined;
  readonly column: number;
}

export interface PassesPicture {
  readonly items: readonly PassItem[];
  readonly summary: string;
}
export type PassItem =
  | { readonly kind: "stage"; readonly stage: string }
  | {
      readonly kind: "step";
      readonly index: number;
      readonly label: string;
      readonly name: string;
      readonly flag: string;
      readonly selected: boolean;
      readonly changed: boolean;
      readonly failed: boolean;
      readonly differs: boolean;
      readonly nested: boolean;
      readonly added: number;
      readonly removed: number;
      readonly time: string;
    };

export interface DiffPicture {
  readonly title: string;
  readonly about: string;
  readonly note: string;
  readonly mode: DiffMode;
  readonly cursor: number;
  readonly length: number;
  /** The first rows; more come when they are asked for. */
  readonly rows: readonly DiffRow[];
}
export type DiffRow =
  | { readonly fold: number }
  | {
      readonly kind: Row["kind"];
      readonly left: DiffLine | undefined;
      readonly right: DiffLine | undefined;
      readonly note: string;
      /** 1-based line of the source; 0 for none. */
      readonly source: number;
    };
export interface DiffLine {
  readonly number: number;
  readonly spans: readonly Span[];
}

export type LayoutPicture =
  | { readonly kind: "none"; readonly reason: string }
  | {
      readonly kind: "layout";
      readonly name: string;
      readonly type: string;
      readonly encoding: string;
      readonly tab: LayoutView["tab"];
      readonly drawing: DrawingPicture | undefined;
      /** For views that are text. */
      readonly rows: readonly (readonly Span[])[];
    };
/** Grids of one layout, whose cells are linked by element and thread. */
export interface DrawingPicture {
  readonly grids: readonly GridPicture[];
  readonly lanes: number;
  /** The cursor, and the thread that is chosen. */
  readonly element: readonly number[];
  readonly thread: number | undefined;
  readonly colour: LayoutView["colour"];
  /** Accesses of shared memory with their bank conflicts. */
  readonly notes: readonly string[];
}
export interface GridPicture {
  readonly kind: "elements" | "registers" | "banks";
  readonly title: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** Row by row; undefined where there is nothing. */
  readonly cells: readonly (GridCell | undefined)[];
  /** The part of a larger grid that this is, and elements of the parts beside it. */
  readonly part: string;
  readonly turns: readonly { readonly text: string; readonly element: readonly number[] }[];
}
export interface GridCell {
  readonly element: readonly number[];
  /** -1 where no thread is known. */
  readonly thread: number;
  readonly register: number;
  /** 0 to 7 */
  readonly colour: number;
}

/** The final code: lines of the last TTGIR and of PTX, each with its line in the source. */
export interface CodePicture {
  readonly ttgir: readonly CodeLine[];
  readonly machine: readonly CodeLine[];
  readonly facts: readonly FactPicture[];
}
export interface CodeLine {
  readonly spans: readonly Span[];
  /** 1-based; 0 where the source has none. */
  readonly source: number;
  readonly go?: Go;
}
export interface FactPicture {
  readonly count: number;
  readonly instruction: string;
  readonly kind: string;
  readonly bytes: number;
  readonly note: string;
  readonly source: number;
  readonly go: Go | undefined;
}

export interface RowsPicture {
  readonly tab: Tab;
  readonly rows: readonly { readonly spans: readonly Span[]; readonly go: Go | undefined }[];
}

/** For lines of the editor: what the final code makes of them. */
export interface HintsPicture {
  /** Whether lines of the source are lines of the editor: IR may name those of another file. */
  readonly linked: boolean;
  readonly lines: readonly { readonly line: number; readonly text: string }[];
}
