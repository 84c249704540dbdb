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
  /** The stack of each op, library included. */
  readonly #stacks = new Map<number, readonly Place[]>();

  /** The place of an op, and the calls around it, from the inside out. An op that is inlined later has the same place with more calls. */
  add(op: number, stack: readonly Place[]): void {
    const known = this.#stacks.get(op);
    if (!known || (stack.length > known.length && known.every((place, i) => isSame(place, stack[i]!)))) this.#stacks.set(op, stack);
  }
  /** Triton's own library says less than the line that calls it, so its frames are left out where there is such a line. */
  take(): OpLocations {
    const indices = new Map<string, number>();
    const places: number[] = [];
    const calls: number[] = [];
    for (const [op, stack] of this.#stacks) {
      const own = stack.findIndex(({ file }) => !isLibraryFile(file));
      for (const [i, { file, line, column }] of stack.slice(own).entries()) {
        let index = indices.get(file);
        if (index === undefined) indices.set(file, (index = indices.size));
        (i === 0 ? places : calls).push(op, index, line, column);
      }
    }
    return { files: [...indices.keys()], places: Int32Array.from(places), calls: Int32Array.from(calls) };
  }
}

function isSame(a: Place, b: Place): boolean {
  return a.line === b.line && a.column === b.column && a.file === b.file;
}
