/**
 * The lines of memory that programs touch together. A program is followed as a whole once, which gives each access the sectors that it
 * touches from its first one on. The other programs are followed only until each access has begun. So a whole grid's sectors are known where
 * accesses look the same from their first sector on, which the programs that are followed as a whole confirm.
 */

export type Direction = "read" | "write";

/** The first sector of each access of a program: that of its first warp where that warp makes the access, since it can be followed alone. */
export class Beginnings {
  readonly first = new Map<number, number>();
  readonly #leads = new Set<number>();

  add(site: number, sector: number, warp: number): void {
    if (warp === 0 && !this.#leads.has(site)) {
      this.#leads.add(site);
      this.first.set(site, sector);
    } else if (!this.first.has(site)) this.first.set(site, sector);
  }

  /** Whether the first warp makes every access that any warp makes. */
  get isLed(): boolean {
    return this.first.size === this.#leads.size;
  }
}

/** Sectors after which those that occur twice are sought. */
const MANY = 1 << 18;

/** Sectors (of 32 bytes, by number) that each access of one program touched; accesses have numbers. */
export class Touches extends Beginnings {
  readonly #sectors = new Map<number, number[]>();

  override add(site: number, sector: number, warp: number): void {
    super.add(site, sector, warp);
    const known = this.#sectors.get(site);
    if (known === undefined) this.#sectors.set(site, [sector]);
    else if (known.push(sector) % MANY === 0) this.#sectors.set(site, [...new Set(known)]);
  }

  /** Runs of sectors from the first one on: beginnings and ends in turn. */
  shapes(): ReadonlyMap<number, Float64Array> {
    return new Map([...this.#sectors].map(([site, sectors]) => [site, runsOf(sectors, this.first.get(site)!)]));
  }

  /** The lowest and the highest sector of an access. */
  *extents(): Iterable<{ readonly site: number; readonly low: number; readonly high: number }> {
    for (const [site, sectors] of this.#sectors) {
      let [low, high] = [Infinity, -Infinity];
      for (const sector of sectors) {
        if (sector < low) low = sector;
        if (sector > high) high = sector;
      }
      yield { site, low, high };
    }
  }
}

function runsOf(sectors: readonly number[], base: number): Float64Array {
  const sorted = Float64Array.from(sectors).sort();
  const runs: number[] = [];
  for (const sector of sorted) {
    const at = sector - base;
    const end = runs[runs.length - 1];
    if (end === at) runs[runs.length - 1] = at + 1;
    else if (end !== at + 1) runs.push(at, at + 1);
  }
  return Float64Array.from(runs);
}

/** The most runs that are merged: more would take longer than all else. */
const MOST_RUNS = 1_500_000;

/**
 * The sectors that programs touch together, without counting one twice. `bases` has the first sector of each access of each program. Undefined
 * where there are too many runs to merge.
 */
export function unionOf(
  shapes: ReadonlyMap<number, Float64Array>,
  bases: readonly ReadonlyMap<number, number>[],
  sites: ReadonlySet<number>,
): number | undefined {
  let count = 0;
  const distinct: (readonly [runs: Float64Array, bases: ReadonlySet<number>])[] = [];
  for (const [site, runs] of shapes) {
    if (!sites.has(site)) continue;
    const own = new Set<number>();
    for (const program of bases) {
      const base = program.get(site);
      if (base !== undefined) own.add(base);
    }
    distinct.push([runs, own]);
    count += (runs.length / 2) * own.size;
  }
  if (count > MOST_RUNS) return undefined;
  const begins = new Float64Array(count);
  const ends = new Float64Array(count);
  let n = 0;
  for (const [runs, own] of distinct)
    for (const base of own)
      for (let i = 0; i < runs.length; i += 2) {
        begins[n] = base + runs[i]!;
        ends[n++] = base + runs[i + 1]!;
      }
  // A sector is covered from the first begin until as many have ended as have begun.
  begins.sort();
  ends.sort();
  let total = 0;
  let open = 0;
  let from = 0;
  for (let b = 0, e = 0; e < n; ) {
    if (b < n && begins[b]! <= ends[e]!) {
      if (open++ === 0) from = begins[b]!;
      b++;
    } else if (--open === 0) total += ends[e++]! - from;
    else e++;
  }
  return total;
}

/** Whether accesses look the same from their first sector on. */
export const sameShapes = (a: ReadonlyMap<number, Float64Array>, b: ReadonlyMap<number, Float64Array>): boolean =>
  a.size === b.size &&
  [...a].every(([site, runs]) => {
    const other = b.get(site);
    return other?.length === runs.length && other.every((at, i) => at === runs[i]);
  });
