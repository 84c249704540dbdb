import { stringOf } from "../ir/builtin-attrs.js";
import type { Operation } from "../ir/operation.js";
import type { RewriteListener } from "../rewrite/rewriter.js";
import type { PassStep } from "./define-pass.js";
import type { Remark } from "./remark.js";

/** One run of a pass. */
export interface StepRecord {
  readonly step: PassStep;
  readonly root: Operation;
  /** 0 for a step of the pipeline, more for passes run by a pass. */
  readonly depth: number;
  readonly statistics: ReadonlyMap<string, number>;
}

/** Watches a pipeline run. */
export interface Instrumentation {
  before?(record: StepRecord): void;
  after?(record: StepRecord, ok: boolean): void;
  /** An inner point of a pass that upstream dumps. */
  dump?(record: StepRecord, label: string, op: Operation): void;
  /** Why the pass did what it did. */
  remark?(record: StepRecord, remark: Remark): void;
  listener?(record: StepRecord): RewriteListener | undefined;
}

/** The banner that upstream prints above the IR after a pass; for a pass on a symbol op it names the symbol. */
export function banner(when: "After" | "Before", record: StepRecord): string {
  const { pass } = record.step;
  const symbol = record.root.attr("sym_name");
  const name = symbol && record.root.name !== "builtin.module" ? `: @${stringOf(symbol)}` : "";
  return `// -----// IR Dump ${when} ${pass.name} (${pass.flag}) ('${record.root.name}' operation${name}) //----- //`;
}

/** Seconds spent in each pass, in the order of first runs. `clock` gives milliseconds. */
export function timing(clock: () => number): Instrumentation & { readonly report: () => string } {
  const spent = new Map<string, { ms: number; runs: number }>();
  const started: number[] = [];
  return {
    before: () => void started.push(clock()),
    after: ({ step }) => {
      const ms = clock() - started.pop()!;
      const entry = spent.get(step.pass.name) ?? { ms: 0, runs: 0 };
      entry.ms += ms;
      entry.runs++;
      spent.set(step.pass.name, entry);
    },
    report: () => {
      const total = [...spent.values()].reduce((sum, e) => sum + e.ms, 0);
      const lines = [...spent].map(
        ([name, { ms, runs }]) =>
          `  ${(ms / 1000).toFixed(4)} (${((100 * ms) / (total || 1)).toFixed(1).padStart(5)}%)  ${name}${runs > 1 ? ` (${runs} runs)` : ""}`,
      );
      return `===-- Execution time report --===\n  Total: ${(total / 1000).toFixed(4)} seconds\n${lines.join("\n")}\n`;
    },
  };
}
