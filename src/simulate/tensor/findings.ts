/** The findings of a run, beside its stores. */
import type { Operation } from "../../ir/operation.js";

/** Errors are faults of the program or of a pass; notes may be meant. */
export const FINDING_KINDS = {
  "out-of-bounds": "error",
  misaligned: "error",
  "unwritten-shared": "error",
  race: "error",
  overlap: "error",
  "early-read": "error",
  "missing-fence": "error",
  assert: "error",
  barrier: "error",
  deadlock: "error",
  limit: "error",
  "not-modelled": "error",
  "store-conflict": "note",
  "bad-index": "error",
  "bad-descriptor": "error",
  overflow: "note",
  "division-by-zero": "note",
  "nan-born": "note",
  "global-order": "note",
  "global-race": "note",
  "layout-dependent": "note",
  "time-dependent": "note",
  hint: "note",
  "axis-info": "error",
} as const;
export type FindingKind = keyof typeof FINDING_KINDS;

/** Findings about stores or loads that nothing puts in order. */
export const RACES: ReadonlySet<FindingKind> = new Set(["store-conflict", "global-race"]);

export interface Finding {
  readonly kind: FindingKind;
  readonly severity: "error" | "note";
  readonly op: Operation | undefined;
  readonly message: string;
  /** The program of the grid that first had it, and how often it came. */
  readonly program: readonly number[];
  readonly times: number;
}

/** Collects findings: one for each op and kind, with the first message. */
export class Findings {
  readonly #byKey = new Map<string, Finding & { times: number }>();
  program: readonly number[] = [0, 0, 0];

  add(kind: FindingKind, op: Operation | undefined, message: string): void {
    const key = `${kind}:${op?.id}`;
    const known = this.#byKey.get(key);
    if (known) known.times++;
    else this.#byKey.set(key, { kind, severity: FINDING_KINDS[kind], op, message, program: this.program, times: 1 });
  }
  has(kind: FindingKind, op: Operation): boolean {
    return this.#byKey.has(`${kind}:${op.id}`);
  }
  get all(): readonly Finding[] {
    return [...this.#byKey.values()];
  }
}
