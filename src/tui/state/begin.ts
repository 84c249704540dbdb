/** A session before anything is known of its input, and the step that it opens with. */
import { LineTable } from "../../trace/line-table.js";
import { NO_LOCATIONS } from "../../trace/op-locations.js";
import type { Trace } from "../../trace/trace.js";
import { NOTHING_COMPUTED, type Session } from "./state.js";

/** Nothing is known yet. */
export function emptySession(name: string): Session {
  return {
    name,
    trace: { ...EMPTY, source: { name, kind: "" } },
    generation: 0,
    input: undefined,
    kernels: [],
    kernel: 0,
    menu: undefined,
    form: undefined,
    computed: NOTHING_COMPUTED,
    progress: undefined,
    pending: [],
    settings: undefined,
    baseline: undefined,
    against: undefined,
    sources: [],
    failure: undefined,
    refused: undefined,
  };
}
const EMPTY: Trace = {
  source: { name: "", kind: "" },
  target: undefined,
  options: {},
  steps: [],
  diagnostics: [],
  lines: new LineTable(),
  locations: NO_LOCATIONS,
  warnings: [],
  artifacts: {},
};

/** Where to begin: the pass that failed, else the first that changed something. */
export function firstStep({ trace }: Session): number {
  const failed = trace.steps.find((s) => !s.verified);
  if (failed) return failed.index;
  return trace.steps.find((s) => s.changed && s.parent === undefined && s.kind !== "source")?.index ?? 0;
}
