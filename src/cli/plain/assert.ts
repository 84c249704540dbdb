/** In the commands' bundles yargs imports this file instead of `node:assert`, which takes long to load. */
export function strictEqual(a: unknown, b: unknown, message: string): void {
  if (!Object.is(a, b)) throw new Error(message);
}

export function notStrictEqual(a: unknown, b: unknown, message: string): void {
  if (Object.is(a, b)) throw new Error(message);
}
