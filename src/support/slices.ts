/** A computation that halts now and then, so that something else may happen in between. */
export type Sliced<T> = Generator<void, T>;

/** Runs it to its end at once. */
export function finished<T>(steps: Sliced<T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
  }
}
