/**
 * Slow results are computed between key presses: differences of large steps, counts for the pass list, which passes differ from
 * the other side, a pass rewrite by rewrite. Those that the screen needs first come first.
 */

import { findings } from "../explain/findings.js";
import { assembles } from "../gpu/gpu.js";
import { rewritesOf } from "./compiler.js";
import { toAssemble } from "./panes/codegen/final-code.js";
import { computingLimits, hasCountedCode } from "./panes/codegen/limits.js";
import { insideOf } from "./state/places.js";
import type { Computed, State } from "./state/state.js";
import {
  comparedOf,
  countsLater,
  countsOf,
  otherSide,
  partnerOf,
  passNumber,
  saysSomethingElse,
  selectedStep,
  stepsOf,
} from "./state/steps.js";

/** Something to compute: it halts every few milliseconds, and returns what is known then. */
export interface Work {
  /** Equal for the same work, so that a key press does not begin it anew. */
  readonly key: string;
  readonly steps: () => Generator<void, (computed: Computed) => Computed>;
}

/** The work that the screen needs first; undefined when it needs none. */
export function wantedWork(state: State, clock: () => number): Work | undefined {
  return (
    wantedDiff(state) ??
    wantedFindings(state) ??
    wantedLimits(state, clock) ??
    wantedRewrites(state, clock) ??
    wantedDiffering(state) ??
    wantedCounts(state)
  );
}

/** Whether the PTX of a large module, or its LLVM IR for AMD's GPUs, is looked at or waited for, and not made yet. */
export function wantsPtx(state: State): boolean {
  const { session, view, awaited } = state;
  const isNeeded = assembles(session.trace.target) === "llir" ? view.codegen.tab === "sass" : PTX_TABS.has(view.codegen.tab);
  const isShown = isNeeded && insideOf(state, "codegen") !== undefined;
  return (isShown || awaited !== undefined) && !session.progress && toAssemble(session).kind === "making";
}

const PTX_TABS: ReadonlySet<string> = new Set(["ptx", "sass", "compare", "flow", "limits"]);

function wantedFindings({ session }: State): Work | undefined {
  const { trace, computed, generation, progress } = session;
  if (progress || computed.findings || trace.steps.length === 0) return undefined;
  return {
    key: `${generation} findings`,
    *steps() {
      const found = findings(trace);
      return (known) => ({ ...known, findings: found });
    },
  };
}

/** The limits of the launch that is looked at. */
function wantedLimits({ session, view }: State, clock: () => number): Work | undefined {
  const { tab, launch } = view.codegen;
  const { computed, generation, progress } = session;
  if (progress || tab !== "limits" || launch === "" || !hasCountedCode(session) || computed.limits.has(launch)) return undefined;
  return {
    key: `${generation} limits ${launch}`,
    *steps() {
      const found = yield* computingLimits(session, launch, clock);
      return (known) => ({ ...known, limits: new Map([...known.limits, [launch, found] as const]) });
    },
  };
}

/** Differences of large steps take much memory. */
const KEPT_DIFFS = 3;

function wantedDiff(state: State): Work | undefined {
  const wanted = comparedOf(state)?.wanted;
  if (!wanted) return undefined;
  const { key } = wanted;
  return {
    key: `${state.session.generation} diff ${key}`,
    *steps() {
      const diff = yield* wanted.steps();
      return (computed) => ({ ...computed, diffs: new Map([...(computed.diffs ?? []), [key, diff] as const].slice(-KEPT_DIFFS)) });
    },
  };
}

/** The selected pass, when its rewrites are looked at. */
function wantedRewrites(state: State, clock: () => number): Work | undefined {
  const { session, view } = state;
  const { input, settings, generation } = session;
  const step = selectedStep(state);
  if (view.codegen.tab !== "rewrites" || !insideOf(state, "codegen") || session.progress || !input || !settings) return undefined;
  // After an edit ops have other ids than in a run of the text alone.
  if (step?.kind !== "pass" || input.edited || session.computed.rewrites.has(step.label)) return undefined;
  return {
    key: `${generation} rewrites ${step.label}`,
    *steps() {
      const found = yield* rewritesOf(input, settings, passNumber(session, step), clock);
      // A label that the second run has not is not asked for again.
      const known = found.has(step.label) ? found : new Map([...found, [step.label, { rewrites: [], untouched: [], left: 0 }] as const]);
      return (computed) => ({ ...computed, rewrites: new Map([...computed.rewrites, ...known]) });
    },
  };
}

function wantedDiffering({ session }: State): Work | undefined {
  const other = otherSide(session);
  const { trace, generation, progress, computed } = session;
  if (!other || progress) return undefined;
  const steps = trace.steps.filter((step) => partnerOf(trace, step, other) && !computed.differing.has(step.index));
  if (steps.length === 0) return undefined;
  return {
    key: `${generation} differing ${session.against?.name}`,
    *steps() {
      const found = new Map(computed.differing);
      for (const step of steps) {
        found.set(step.index, yield* saysSomethingElse(trace, step, other, partnerOf(trace, step, other)!));
        yield;
      }
      return (known) => ({ ...known, differing: found });
    },
  };
}

function wantedCounts({ session }: State): Work | undefined {
  const { computed, generation, progress } = session;
  if (progress) return undefined;
  const steps = stepsOf(session).filter(
    (s) => s.changed && s.kind !== "source" && countsLater(session, s) && !computed.counts.has(s.index),
  );
  if (steps.length === 0) return undefined;
  return {
    key: `${generation} counts ${session.kernel}`,
    *steps() {
      const found = new Map(computed.counts);
      for (const step of steps) {
        found.set(step.index, countsOf(session, step) ?? { added: 0, removed: 0 });
        yield;
      }
      return (known) => ({ ...known, counts: found });
    },
  };
}
