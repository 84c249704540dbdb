/**
 * The Trace: what a compilation did, step by step, as plain serialisable data. The terminal UI, the one-shot printers,
 * the snapshot check and the exporters read only this. Lines of text are kept once however often they occur; a step
 * refers to them by number, and each line carries the id of the op that stands on it.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Operation } from "../ir/operation.js";
import type { Stage } from "./pipelines/cuda.js";

export interface Trace {
  readonly source: { readonly name: string; readonly kind: string };
  /** `cuda:80`, where known. */
  readonly target: string | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
  readonly lines: LineTable;
  /** What could not be read of an imported dump, and where. */
  readonly warnings: readonly string[];
}

export type StepKind = "source" | "pass" | "internal";
export interface Step {
  readonly index: number;
  /** As `--list` shows it: `8`, or `8.1` for a pass run by a pass. */
  readonly label: string;
  readonly kind: StepKind;
  readonly parent: number | undefined;
  /** The op it ran on: `builtin.module`, and the symbol when it is a function. */
  readonly op: string;
  readonly symbol: string | undefined;
  readonly stage: Stage;
  /** `TritonGPUCoalesce` */
  readonly pass: string;
  /** `tritongpu-coalesce` */
  readonly flag: string;
  readonly options: string;
  /** Which top-level run of that flag: `canonicalize#3`. */
  readonly run: number;
  /** A pass that is not built yet is listed, and leaves the IR as it is. */
  readonly built: boolean;
  readonly changed: boolean;
  /** Milliseconds; undefined for an imported step. */
  readonly ms: number | undefined;
  readonly statistics: Readonly<Record<string, number>>;
  /** Rewrites applied: pattern (index into `patterns`), op rewritten, number of new ops, their ids. */
  readonly rewrites: Int32Array;
  readonly patterns: readonly string[];
  /** Pairs (op, op it came from) of the ops that are new in this step. */
  readonly origins: Int32Array;
  readonly verified: boolean;
  readonly numOps: number;
  readonly text: StepText;
}

/** The IR after a step: numbers of lines, and for each line the op that begins on it (0: none) and its identity hash. */
export interface StepText {
  readonly lines: Int32Array;
  readonly ops: Int32Array;
  /**
   * A hash of the op's own text with values named by identity and aliases spelt out: equal for an op that did not
   * change though it was renumbered. 0 where no op begins.
   */
  readonly hashes: Int32Array;
}

/** Distinct lines, each kept once. */
export class LineTable {
  readonly #lines: string[] = [];
  readonly #numbers = new Map<string, number>();

  number(line: string): number {
    let number = this.#numbers.get(line);
    if (number === undefined) {
      number = this.#lines.length;
      // A slice would keep the whole printed text alive.
      const copy = Buffer.from(line, "latin1").toString("latin1");
      this.#lines.push(copy);
      this.#numbers.set(copy, number);
    }
    return number;
  }
  line(number: number): string {
    return this.#lines[number]!;
  }
  /** The lines of a step. */
  linesOf(text: StepText): string[] {
    return Array.from(text.lines, (n) => this.#lines[n]!);
  }
  textOf(text: StepText): string {
    let out = "";
    for (const n of text.lines) out += `${this.#lines[n]!}\n`;
    return out;
  }
  get size(): number {
    return this.#lines.length;
  }
}

/** The number of ops in and including `root`. */
export function countOps(root: Operation): number {
  let count = 0;
  root.walk(() => {
    count++;
  });
  return count;
}

/** The banner that the printed IR of a step begins with, as upstream's. */
export function stepBanner(step: Step): string {
  const symbol = step.symbol === undefined ? "" : `: @${step.symbol}`;
  if (step.kind === "source") return `// -----// IR Source ('${step.op}' operation${symbol}) //----- //`;
  if (step.kind === "internal") return `// -----// IR Dump ${step.pass}: ${step.flag} ('${step.op}' operation${symbol}) //----- //`;
  return `// -----// IR Dump After ${step.pass} (${step.flag}) ('${step.op}' operation${symbol}) //----- //`;
}

/** Finds a step by `PASS`: an index or label, a flag (its first run), or `flag#run`. */
export function findStep(trace: Trace, spec: string): Step | undefined {
  if (/^\d+(\.\d+)*$/.test(spec)) return trace.steps.find((s) => s.label === spec) ?? trace.steps[-1];
  const [flag, run] = spec.split("#");
  return trace.steps.find(
    (s) => s.kind !== "source" && (s.flag === flag || s.pass === flag) && s.parent === undefined && s.run === Number(run ?? 1),
  );
}
