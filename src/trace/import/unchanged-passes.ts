/**
 * A log of Triton 2.0 shows the IR after the passes that changed it. The others ran too: here they are put back between.
 */
import type { PipelineStep } from "../stage.js";
import type { Dump } from "./dump-log.js";
import { decodeSpecialization, specializationText, TRITON_20_PIPELINE } from "./triton20.js";

/** Whether the dumps of a compilation are 2.0's: after passes only, and of no op in particular. */
export function isTriton20(dumps: readonly Dump[]): boolean {
  return dumps.length > 0 && dumps.every((d) => d.when === "after" && d.op === undefined && d.flag === undefined);
}

/**
 * For each dump the passes that ran before it and changed nothing. A dump is taken for the next run of its pass. Dumps
 * before the inliner's own are of passes that it ran on single functions.
 */
export function unchangedBefore(dumps: readonly Dump[]): (readonly PipelineStep[])[] {
  let next = 0;
  const inliner = dumps.findIndex((d) => d.pass === TRITON_20_PIPELINE[0]!.pass);
  return dumps.map((dump, i) => {
    if (i < inliner) return [];
    const at = TRITON_20_PIPELINE.findIndex((step, k) => k >= next && step.pass === dump.pass);
    if (at < 0) return [];
    const skipped = TRITON_20_PIPELINE.slice(next, at);
    next = at + 1;
    return skipped;
  });
}

/** The passes after the last dump, when the log goes on to the last stage: else it may end anywhere. */
export function unchangedAfter(dumps: readonly Dump[]): readonly PipelineStep[] {
  const last = dumps.at(-1);
  const done = unchangedBefore(dumps).reduce((n, skipped, i) => n + skipped.length + (isRun(dumps, i) ? 1 : 0), 0);
  return last?.complete && TRITON_20_PIPELINE[done - 1]?.stage === "llir" ? TRITON_20_PIPELINE.slice(done) : [];
}
/** Whether a dump is one of the pipeline's passes, rather than one that the inliner ran. */
function isRun(dumps: readonly Dump[], i: number): boolean {
  return i >= dumps.findIndex((d) => d.pass === TRITON_20_PIPELINE[0]!.pass) && TRITON_20_PIPELINE.some((s) => s.pass === dumps[i]!.pass);
}

/** The argument specializations in the kernels' names, one text per kernel. */
export function specializations(dumps: readonly Dump[]): string[] {
  const names = new Set(dumps.flatMap(({ text }) => [...text.matchAll(/\bfunc(?:\.func)? (?:public )?@"?([\w.$]+)/g)].map((m) => m[1]!)));
  return [...names].flatMap((name) => {
    const found = decodeSpecialization(name);
    return found ? [specializationText(found)] : [];
  });
}
