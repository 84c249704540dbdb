/** A computation that halts now and then, so that something else may happen in between. */
export type Sliced<T> = Generator<void, T>;

/** So many parts of some work are done. */
export interface Progress {
  /** The work, in a word or two. */
  readonly what: string;
  readonly done: number;
  readonly of: number;
}

/** A computation that says before each part how far it is. It ends early, with what it has, if it is sent true. */
export type Work<T> = Generator<Progress, T, boolean | undefined>;

/** Runs it to its end at once. */
export function finished<T>(steps: Generator<unknown, T, boolean | undefined>): T {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
  }
}
