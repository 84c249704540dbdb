/** Triton keeps the IR at the end of each stage of a kernel: the steps of a compilation of ours that stand for these. */
import type { Step, Trace } from "./trace.js";

/** Pairs of steps of ours and of a cache folder; undefined where the other Trace has passes of its own. Its LLVM IR is optimized, and ours is not. */
export function stageEnds(ours: Trace, other: Trace): readonly (readonly [ours: Step, theirs: Step])[] | undefined {
  if (other.source.kind !== "cache folder" || ours.source.kind === "cache folder") return undefined;
  return other.steps.flatMap((theirs): (readonly [Step, Step])[] => {
    const isOurs = ({ kind, stage, parent }: Step): boolean =>
      theirs.flag === "source"
        ? kind === "source"
        : kind === "pass" && parent === undefined && stage === theirs.flag && /^ttg?ir$/.test(theirs.flag);
    const step = ours.steps.findLast(isOurs);
    return step ? [[step, theirs]] : [];
  });
}
