/** The content of a snapshot: the IR after every changed pass, the PTX, and a summary of the facts that a kernel's author guards. */
import { createHash } from "node:crypto";
import { type FinalFacts, finalFacts } from "../explain/compare-facts.js";
import { DEFAULT_TRITON } from "../support/triton-version.js";
import type { Step, Trace } from "../trace/trace.js";

/** Files of one kernel and target, in the order of the passes. */
export type SnapshotFiles = ReadonlyMap<string, string>;

/** `full` adds the steps of make_llir; the one straight after the big conversion never: the next one says it shorter. */
export function snapshotFiles(trace: Trace, full: boolean): Map<string, string> {
  const files = new Map<string, string>();
  const digests: Record<string, string> = {};
  for (const step of trace.steps) {
    if (!step.changed || step.parent !== undefined || step.kind !== "pass" || step.flag === "convert-triton-gpu-to-llvm") continue;
    const text = trace.lines.textOf(step.text);
    if (step.stage === "llir" && !full) digests[fileName(step)] = digest(text);
    else files.set(fileName(step), text);
  }
  if (trace.artifacts.ptx !== undefined) files.set("kernel.ptx", trace.artifacts.ptx);
  files.set("summary.json", `${JSON.stringify({ ...summary(trace, full), digests }, null, 1)}\n`);
  return files;
}
/** A hash of the IR after a pass whose text is not kept: it is enough to name the pass that differs. */
function digest(text: string): string {
  return createHash("sha256").update(text, "latin1").digest("hex").slice(0, 16);
}

function fileName(step: Step): string {
  return `${step.label.padStart(2, "0")}-${step.flag}.mlir`;
}

/** The content of `summary.json`, except the digests of the IR after passes that are not kept. */
export interface Summary extends FinalFacts {
  readonly target: string | undefined;
  /** The version of Triton, where it is not the default. */
  readonly triton?: string;
  /** Whether the steps of make_llir are kept. */
  readonly full: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The facts of a Trace. */
export function summary(trace: Trace, full: boolean): Summary {
  const { numWarps, numStages, numCtas } = trace.options;
  const triton = trace.triton === undefined || trace.triton === DEFAULT_TRITON.name ? {} : { triton: trace.triton };
  return { target: trace.target, ...triton, full, options: { numWarps, numStages, numCtas }, ...finalFacts(trace) };
}
