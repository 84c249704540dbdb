import type { Operation } from "../ir/operation.js";
import type { RewriteListener } from "../rewrite/rewriter.js";
import type { Analysis } from "./analysis.js";
import { type OptionSpecs, type OptionValues, printOptions, withDefaults } from "./options.js";
import type { Explain } from "./remark.js";

/** The tools of a running pass: its options, its counters, analyses, and ways to report something. */
export interface PassContext<O = Readonly<Record<string, unknown>>, S extends string = string> {
  readonly options: O;
  /** Adds to one of the pass's statistics. */
  count(statistic: S, by?: number): void;
  /** The result of an analysis of `root`, computed when asked for and kept while the IR does not change. */
  analysis<T>(analysis: Analysis<T>, root?: Operation): T;
  readonly report: PassReport;
  /** Marks the pass as failed; the pipeline stops after it. */
  fail(): void;
  /** Runs steps on a nested op (the inliner's canonicalize); shown as sub-steps. */
  runNested(steps: readonly PassStep[], op: Operation): boolean;
  /** Shows the IR at an inner point, as upstream's internal dumps (`LowerLoops`) do. */
  dump(label: string, op: Operation): void;
  /**
   * Records why the pass did what it did. Undefined when nobody listens: `explain?.(op, ...)` then costs nothing, its arguments
   * are not even computed.
   */
  readonly explain: Explain | undefined;
  /** Hears of every rewrite; passes hand it to their rewriter. */
  readonly listener: RewriteListener;
}
/** Diagnostics of a pass at ops. */
export interface PassReport {
  error(op: Operation, message: string, code?: string, notes?: readonly PassNote[]): void;
  warning(op: Operation, message: string, code?: string, notes?: readonly PassNote[]): void;
  remark(op: Operation, message: string, code?: string): void;
  /** Notes that real Triton ends at this op without a message, which the pass does not. */
  crash(op: Operation, why: string): void;
}
/** More about a diagnostic, at another op. */
export interface PassNote {
  readonly op: Operation;
  readonly message: string;
}

export interface PassSpec<O extends OptionSpecs, S extends Readonly<Record<string, string>>> {
  /** Upstream's class name, as IR dumps show it: `TritonGPUCoalesce`. */
  readonly name: string;
  readonly summary: string;
  /** The upstream file it follows. */
  readonly source?: string;
  readonly options?: O;
  /** Counters, with what they count. */
  readonly statistics?: S;
  /** The op kind it runs on when a pipeline nests it there; any op by default. */
  readonly anchor?: string;
  /** A pass for tests: left out of help and pipelines. */
  readonly testOnly?: boolean;
  run(root: Operation, pass: PassContext<OptionValues<O>, keyof S & string>): void;
}

/** A pass as generic code sees it. */
export interface PassDef {
  readonly flag: string;
  readonly name: string;
  readonly summary: string;
  readonly source: string | undefined;
  readonly options: OptionSpecs;
  readonly statistics: Readonly<Record<string, string>>;
  readonly anchor: string | undefined;
  readonly testOnly: boolean;
  readonly run: (root: Operation, pass: PassContext<never>) => void;
}
/** A pass with the values of its options: an element of a pipeline. */
export interface PassStep {
  readonly kind: "pass";
  readonly pass: PassDef;
  readonly options: Readonly<Record<string, unknown>>;
}
export interface TypedPassDef<O extends OptionSpecs> extends PassDef {
  (options?: Partial<OptionValues<O>>): PassStep;
}

/**
 * Defines a pass. Everything that help, the pipeline parser and the terminal UI know of it is in this record; what it is for is
 * in `explain/texts/passes`. Calling the definition with options gives a step of a pipeline: `canonicalize({ topDown: false })`.
 */
export function definePass<
  const O extends OptionSpecs = Record<never, never>,
  const S extends Readonly<Record<string, string>> = Record<never, never>,
>(flag: string, spec: PassSpec<O, S>): TypedPassDef<O> {
  const options: OptionSpecs = spec.options ?? {};
  const def = (given: Partial<OptionValues<O>> = {}): PassStep => ({ kind: "pass", pass, options: withDefaults(options, given) });
  const fields = {
    flag,
    summary: spec.summary,
    source: spec.source,
    options,
    statistics: spec.statistics ?? {},
    anchor: spec.anchor,
    testOnly: spec.testOnly ?? false,
    run: spec.run as PassDef["run"],
  };
  // A function has a read-only `name`: redefine it.
  const pass = Object.defineProperty(Object.assign(def, fields), "name", { value: spec.name, enumerable: true }) as TypedPassDef<O>;
  return pass;
}

/** A step as upstream's pipelines spell it: `canonicalize{max-iterations=10 ...}`. */
export const stepText = (step: PassStep): string => step.pass.flag + printOptions(step.pass.options, step.options);
/** The options alone: `max-iterations=10 ...`. */
export const optionsText = (step: PassStep): string => printOptions(step.pass.options, step.options).slice(1, -1);
