/** The sectors of global memory, of 32 bytes, that accesses touch: of one program as runs, and of many programs together. */
import { popcount } from "../simulate/ptx/warp.js";

export type Direction = "read" | "write";

/** Beginnings and ends of runs of sectors in turn, ascending. */
export type Runs = Float64Array;

/** Sectors after which those that occur twice are sought. */
const MANY = 1 << 18;

/** Sectors that each access of one program touched; accesses have numbers. */
export class Touches {
  readonly #sectors = new Map<number, number[]>();

  add(site: number, sector: number): void {
    const known = this.#sectors.get(site);
    if (known === undefined) this.#sectors.set(site, [sector]);
    else if (known.push(sector) % MANY === 0) this.#sectors.set(site, [...new Set(known)]);
  }

  runs(): ReadonlyMap<number, Runs> {
    return new Map([...this.#sectors].map(([site, sectors]) => [site, runsOf(sectors)]));
  }
}

function runsOf(sectors: readonly number[]): Runs {
  const runs: number[] = [];
  for (const sector of Float64Array.from(sectors).sort()) {
    const end = runs[runs.length - 1];
    if (end === sector) runs[runs.length - 1] = sector + 1;
    else if (end !== sector + 1) runs.push(sector, sector + 1);
  }
  return Float64Array.from(runs);
}

/** The sectors of runs. */
export const sizeOfRuns = (runs: Runs): number => runs.reduce((sum, at, i) => (i & 1 ? sum + at : sum - at), 0);

/** Sectors of a page, as a power of two. */
const PAGE = 16;

/** A set of sectors, a bit each. */
export class SectorSet {
  size = 0;
  readonly #pages = new Map<number, Uint32Array>();

  /** Adds the sectors from `from` up to `to`. */
  add(from: number, to: number): void {
    for (let at = from; at < to; ) {
      const number = Math.floor(at / 2 ** PAGE);
      const begin = number * 2 ** PAGE;
      const end = Math.min(to - begin, 2 ** PAGE);
      let page = this.#pages.get(number);
      if (page === undefined) this.#pages.set(number, (page = new Uint32Array(2 ** (PAGE - 5))));
      for (let bit = at - begin; bit < end; ) {
        const count = Math.min(32 - (bit & 31), end - bit);
        const mask = (count === 32 ? -1 : (1 << count) - 1) << (bit & 31);
        this.size += popcount(mask & ~page[bit >> 5]!);
        page[bit >> 5]! |= mask;
        bit += count;
      }
      at = begin + end;
    }
  }
}
