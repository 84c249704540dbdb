/**
 * Two compilations side by side: where does their IR first differ? Passes are paired by name in order, and compared by
 * the IR that goes into them, which logs of every kind show.
 */

import { importTexts } from "../trace/import/import-dump.js";
import { withoutLocations } from "../trace/import/locations.js";
import { stageEnds } from "../trace/stage-ends.js";
import type { Step, Trace } from "../trace/trace.js";
import { align } from "./align.js";
import { paired } from "./pair-steps.js";

/** Where two compilations differ first, and the passes that only one of them has. */
export interface Comparison {
  /** Pairs of passes whose IR was compared. */
  readonly compared: number;
  /** Top-level passes that only one side has, by flag. */
  readonly onlyHere: readonly string[];
  readonly onlyThere: readonly string[];
  readonly first?: Difference;
}
/** The first step after which the IR of two compilations differs. */
export interface Difference {
  /** Our step after which the IR differs. */
  readonly ours: Step;
  /** Theirs, when the other side has that step. */
  readonly theirs: Step | undefined;
  /** A Trace of two steps, theirs and ours, with ops identified. */
  readonly trace: Trace;
}

/** A point of a compilation: the IR between two passes. */
interface Point {
  /** The pass that comes next; undefined at the end. */
  readonly next: Step | undefined;
  /** The step that the IR is the result of. */
  readonly result: Step;
}

/** Compares two Traces pass by pass, up to the first difference. */
export function compareTraces(ours: Trace, theirs: Trace): Comparison {
  const ends = stageEnds(ours, theirs);
  if (ends) {
    const pairs = ends.map(
      ([h, t]) =>
        [
          { next: undefined, result: h },
          { next: undefined, result: t },
        ] as const,
    );
    return compared(ours, theirs, pairs, { onlyHere: [], onlyThere: [] });
  }
  const here = points(ours);
  const there = points(theirs);
  const pairs = paired(here, there, (h, t) => h.next?.flag === t.next?.flag);
  const used = new Set(pairs.map(([, t]) => t));
  const usedHere = new Set(pairs.map(([h]) => h));
  const flags = (list: readonly Point[], seen: ReadonlySet<Point>) =>
    list.flatMap((p) => (p.next && p.next.parent === undefined && !seen.has(p) ? [p.next.flag] : []));
  return compared(ours, theirs, pairs, { onlyHere: flags(here, usedHere), onlyThere: flags(there, used) });
}

function compared(
  ours: Trace,
  theirs: Trace,
  pairs: readonly (readonly [Point, Point])[],
  common: Pick<Comparison, "onlyHere" | "onlyThere">,
): Comparison {
  let compared = 0;
  for (const [h, t] of pairs) {
    compared++;
    const trace = comparePoint(ours, h, theirs, t);
    if (trace && differs(trace)) return { ...common, compared, first: { ours: h.result, theirs: t.result, trace } };
  }
  return { ...common, compared };
}

/** Moved constants are no difference: where they are depends only on the order of a worklist. */
function differs(pair: Trace): boolean {
  const [theirs, ours] = pair.steps;
  const { rows, counts } = align(pair.lines, theirs!.text, ours!.text);
  if (counts.added + counts.removed + counts.changed + counts.redefined > 0) return true;
  return rows.some(
    (row) => row.kind === "moved-to" && !/= (?:arith\.constant|llvm\.mlir\.constant)\b/.test(pair.lines.line(ours!.text.lines[row.right]!)),
  );
}

/** The points of a Trace: one before each pass, and the end where it is known. */
function points(trace: Trace): Point[] {
  const found: Point[] = [];
  let result: Step | undefined;
  for (const step of trace.steps) {
    if (step.parent !== undefined || step.kind === "internal") continue;
    if (step.kind === "pass" && result) found.push({ next: step, result });
    result = step;
  }
  if (result?.known) found.push({ next: undefined, result });
  return found;
}

/** Both texts as steps of one Trace; undefined when they are equal letter by letter. */
function comparePoint(ours: Trace, h: Point, theirs: Trace, t: Point): Trace | undefined {
  const a = withoutLocations(theirs.lines.textOf(t.result.text)).text;
  const b = withoutLocations(ours.lines.textOf(h.result.text)).text;
  if (a === b) return undefined;
  return importTexts("", "comparison", [
    { pass: t.result.pass, flag: flagOf(t.result), stage: t.result.stage, text: a },
    { pass: h.result.pass, flag: flagOf(h.result), stage: h.result.stage, text: b },
  ]);
}

const flagOf = (step: Step): string => (step.kind === "source" ? "source" : step.flag);
