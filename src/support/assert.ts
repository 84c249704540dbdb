/** A broken invariant of this program: caught once, at `main`, and reported with exit code 3. */
export class Bug extends Error {
  override readonly name = "Bug";
}

/** Makes the compiler prove that a `switch` over a closed union covers every case. */
export function assertNever(value: never): never {
  throw new Bug(`unexpected case: ${JSON.stringify(value)}`);
}
