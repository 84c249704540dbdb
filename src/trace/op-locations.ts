/** Places in the Python source of the ops of a Trace, as plain arrays. */

/**
 * `places` holds four numbers for each op: its id, the index of the file, line, column. `calls` holds the same for each call that the op
 * was inlined by, the innermost first.
 */
export interface OpLocations {
  readonly files: readonly string[];
  readonly places: Int32Array;
  readonly calls: Int32Array;
}
/** A place in a file; line from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export const NO_LOCATIONS: OpLocations = { files: [], places: new Int32Array(0), calls: new Int32Array(0) };
/** Calls of one op that are kept. */
export const MAX_CALLS = 64;

/** Files of Triton's own library: a call from the kernel says more than the place inside them. */
export function isLibraryFile(file: string): boolean {
  return /(?:^|\/)triton\/(?:experimental\/gluon\/)?language\//.test(file);
}

/** Collects the places of ops. */
export class LocationCollector {
  readonly #files = new Map<string, number>();
  readonly #places: number[] = [];
  readonly #calls: number[] = [];

  /** The place of an op, and the calls around it, from the inside out. Triton's own library says less than the line that calls it. */
  add(op: number, stack: readonly Place[]): void {
    const own = stack.findIndex(({ file }) => !isLibraryFile(file));
    for (const [i, { file, line, column }] of stack.slice(own).entries()) {
      let index = this.#files.get(file);
      if (index === undefined) this.#files.set(file, (index = this.#files.size));
      (i === 0 ? this.#places : this.#calls).push(op, index, line, column);
    }
  }
  take(): OpLocations {
    return { files: [...this.#files.keys()], places: Int32Array.from(this.#places), calls: Int32Array.from(this.#calls) };
  }
}
