/** The content of a snapshot: the IR after every changed pass, the PTX, and a summary of the facts that a kernel's author guards. */
import { createHash } from "node:crypto";
import { codegenFacts } from "../explain/codegen-facts.js";
import type { Step, Trace } from "../trace/trace.js";

/** Files of one kernel and target, in the order of the passes. */
export type SnapshotFiles = ReadonlyMap<string, string>;

/** `full` adds the steps of make_llir; the one straight after the big conversion never: the next one says it shorter. */
export function snapshotFiles(trace: Trace, full: boolean): SnapshotFiles {
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
export interface Summary {
  readonly target: string | undefined;
  /** Whether the steps of make_llir are kept. */
  readonly full: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  /** Instructions of memory and barriers with how often they stand in the code of a thread. */
  readonly instructions: Readonly<Record<string, number>>;
  readonly mma: Readonly<Record<string, number>>;
  readonly sharedBytes: number;
  readonly layoutConversions: number;
}

/** The facts of a Trace. */
export function summary(trace: Trace, full: boolean): Summary {
  const instructions: Record<string, number> = {};
  const mma: Record<string, number> = {};
  for (const fact of codegenFacts(trace)) {
    const into = fact.mma ? mma : instructions;
    const name = fact.mma?.shape ? `${fact.instruction} (${fact.mma.shape.join("x")})` : fact.instruction;
    into[name] = (into[name] ?? 0) + fact.count;
  }
  const last = trace.steps.findLast((s) => s.stage === "ttgir" && s.parent === undefined && s.known);
  const ttgir = last ? trace.lines.linesOf(last.text) : [];
  const end = trace.steps.at(-1);
  const module = end ? trace.lines.linesOf(end.text).find((line) => /\bttg\.shared"? = \d+/.test(line)) : undefined;
  return {
    target: trace.target,
    full,
    options: { numWarps: trace.options["numWarps"], numStages: trace.options["numStages"], numCtas: trace.options["numCtas"] },
    instructions: sorted(instructions),
    mma: sorted(mma),
    sharedBytes: Number(/\bttg\.shared"? = (\d+)/.exec(module ?? "")?.[1] ?? 0),
    layoutConversions: ttgir.filter((line) => /= (?:ttg|triton_gpu)\.convert_layout\b/.test(line)).length,
  };
}
function sorted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}
