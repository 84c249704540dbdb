/** A broken invariant of this program: caught once, at `main`, and reported with exit code 3. */
export class Bug extends Error {
  override readonly name = "Bug";
}

/** Throws a `Bug` unless `condition` holds. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Bug(message);
}

/** Makes the compiler prove that a `switch` over a closed union covers every case. */
export function assertNever(value: never): never {
  throw new Bug(`unexpected case: ${JSON.stringify(value)}`);
}
