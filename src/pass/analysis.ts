import type { Operation } from "../ir/operation.js";

/** Something computed from IR that passes share. */
export interface Analysis<T> {
  readonly name: string;
  readonly compute: (root: Operation) => T;
  /** Where upstream's analysis crashes, and why; asked each time that a pass uses the result. */
  readonly crash: ((value: T) => Crash | undefined) | undefined;
}
export interface Crash {
  readonly op: Operation;
  readonly why: string;
}
/** Defines an analysis: its result is kept until the IR changes. */
export function defineAnalysis<T>(name: string, compute: (root: Operation) => T, crash?: (value: T) => Crash | undefined): Analysis<T> {
  return { name, compute, crash };
}

/** Keeps results while the IR stays as it was when they were computed. */
export class AnalysisCache {
  readonly #results = new Map<Analysis<unknown>, Map<Operation, { readonly version: number; readonly value: unknown }>>();
  get<T>(analysis: Analysis<T>, root: Operation): T {
    let byRoot = this.#results.get(analysis as Analysis<unknown>);
    if (!byRoot) this.#results.set(analysis as Analysis<unknown>, (byRoot = new Map()));
    const known = byRoot.get(root);
    if (known && known.version === root.ctx.version) return known.value as T;
    const value = analysis.compute(root);
    byRoot.set(root, { version: root.ctx.version, value });
    return value;
  }
}
