/** Places in the Python source of the ops of a Trace, as plain arrays. */

/** `places` holds four numbers for each op: its id, the index of the file, line, column. */
export interface OpLocations {
  readonly files: readonly string[];
  readonly places: Int32Array;
}

export const NO_LOCATIONS: OpLocations = { files: [], places: new Int32Array(0) };

/** Files of Triton's own library: a call from the kernel says more than the place inside them. */
export function isLibraryFile(file: string): boolean {
  return /(?:^|\/)triton\/language\//.test(file);
}

/** Collects the places of ops. */
export class LocationCollector {
  readonly #files = new Map<string, number>();
  readonly #places: number[] = [];

  add(op: number, file: string, line: number, column: number): void {
    let index = this.#files.get(file);
    if (index === undefined) this.#files.set(file, (index = this.#files.size));
    this.#places.push(op, index, line, column);
  }
  take(): OpLocations {
    return { files: [...this.#files.keys()], places: Int32Array.from(this.#places) };
  }
}
