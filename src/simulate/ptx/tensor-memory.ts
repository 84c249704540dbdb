/**
 * A CTA's tensor memory: 128 lanes of 512 columns of 32 bits, and the operations of the tensor cores of sm_100 on it. They
 * run in order, and as late as the program allows: when somebody waits for an mbarrier that a later commit arrives at.
 * Addresses hold the lane in bits 16-31 and the column below. A warp reaches the 32 lanes of its number modulo 4, with
 * some shapes 16 of them: accesses are tracked by groups of 16 lanes and by columns.
 */

import type { AsyncTime } from "./clocks.js";
import { type Findings, type Site, siteText } from "./findings.js";
import type { AsyncRead, SharedMemory } from "./shared-memory.js";
import type { Warp } from "./warp.js";

export const LANES = 128;
export const COLUMNS = 512;
const NEVER = -1;

/** Lanes that are tracked as one group, and the number of groups. */
const GROUP_LANES = 16;
const GROUPS = LANES / GROUP_LANES;
export const ALL_GROUPS = (1 << GROUPS) - 1;
/** The groups that some lanes are in, as bits. */
export const groupsOf = (lanes: readonly number[]): number => lanes.reduce((bits, lane) => bits | (1 << Math.floor(lane / GROUP_LANES)), 0);

/** Columns of some groups of lanes (bits). */
export interface TensorRange {
  readonly groups: number;
  readonly column: number;
  readonly count: number;
}

/** An operation of the tensor cores, maybe of two CTAs together. */
export interface TensorOperation {
  readonly site: Site;
  /** Whose tensor memory is read and written. */
  readonly memories: readonly TensorMemory[];
  /** Reads of shared memory, begun when the operation was issued. */
  readonly shared: readonly { readonly memory: SharedMemory; readonly read: AsyncRead }[];
  readonly reads: readonly TensorRange[];
  readonly writes: readonly TensorRange[];
  readonly effect: () => void;
}

export class TensorMemory {
  /** Word `lane * 512 + column`. */
  readonly words = new Int32Array(LANES * COLUMNS);
  /** The first column of the allocation that each column belongs to. */
  readonly #allocation = new Int16Array(COLUMNS).fill(NEVER);
  #relinquished = false;
  /** For each column of a group of lanes: who wrote last (a clock of warps or tensor cores), when, by which instruction, and which of
      the warp's stores; who read last; operations of the tensor cores under way that write, and that read. */
  readonly #writer = new Int32Array(GROUPS * COLUMNS).fill(NEVER);
  readonly #writeTime = new Int32Array(GROUPS * COLUMNS);
  readonly #writeSite = new Int32Array(GROUPS * COLUMNS);
  readonly #reader = new Int32Array(GROUPS * COLUMNS).fill(NEVER);
  readonly #readTime = new Int32Array(GROUPS * COLUMNS);
  readonly #readSite = new Int32Array(GROUPS * COLUMNS);
  readonly #pendingWrites = new Int32Array(GROUPS * COLUMNS);
  readonly #pendingReads = new Int32Array(GROUPS * COLUMNS);
  readonly #pendingSite = new Int32Array(GROUPS * COLUMNS);
  /** The number of the warp's store that wrote last; waited for when the warp's `storesDone` is as large. */
  readonly #store = new Int32Array(GROUPS * COLUMNS);
  /** Stores of each warp, and those that it has waited for. */
  readonly #stores = new Map<number, { issued: number; done: number }>();
  /** Operations given to the tensor cores, and arrivals at mbarriers, in order of issue. */
  readonly #queue: (TensorOperation | (() => void))[] = [];
  #done = 0;

  constructor(
    readonly shared: SharedMemory,
    readonly findings: Findings,
    readonly sites: readonly Site[],
  ) {}

  reset(): void {
    this.words.fill(0);
    this.#allocation.fill(NEVER);
    this.#relinquished = false;
    this.#writer.fill(NEVER);
    this.#reader.fill(NEVER);
    this.#pendingWrites.fill(0);
    this.#pendingReads.fill(0);
    this.#stores.clear();
    this.#queue.length = 0;
    this.#done = 0;
  }

  /** The CTA is gone. */
  finish(): void {
    if (this.#allocation.some((first) => first !== NEVER))
      this.findings.add("tensor-memory", undefined, "tensor memory is not given back before the CTA ends", "finish");
  }

  // Allocation.

  /** The address of so many columns; undefined where there are not as many. */
  allocate(columns: number, site: Site): number | undefined {
    if (this.#relinquished) this.#misuse(site, "memory is allocated after tcgen05.relinquish_alloc_permit");
    if (columns < 32 || columns > COLUMNS || (columns & (columns - 1)) !== 0) {
      this.#misuse(site, `${columns} columns are asked for: they must be a power of two from 32 to 512`);
      return undefined;
    }
    for (let first = 0; first + columns <= COLUMNS; first += columns)
      if (this.#allocation.subarray(first, first + columns).every((a) => a === NEVER)) {
        this.#allocation.fill(first, first, first + columns);
        return first;
      }
    this.#misuse(site, `${columns} columns are asked for, which are not free`);
    return undefined;
  }

  free(address: number, columns: number, site: Site): void {
    const mine = this.#allocation.subarray(address, address + columns);
    if (mine.length !== columns || mine.some((first) => first !== address))
      this.#misuse(site, `${columns} columns from ${address} on are given back, which were not allocated so`);
    else mine.fill(NEVER);
  }

  relinquish(): void {
    this.#relinquished = true;
  }

  #misuse(site: Site, message: string): void {
    this.findings.add("tensor-memory", site, message);
  }

  /** Whether a range is allocated. */
  allows({ column, count }: TensorRange, site: Site): boolean {
    for (let c = column; c < column + count; c++)
      if (c >= COLUMNS || this.#allocation[c] === NEVER) {
        this.#misuse(site, `column ${c} of tensor memory is accessed, which is not allocated`);
        return false;
      }
    return true;
  }

  // Loads and stores of warps.

  noteLoad(range: TensorRange, warp: Warp, site: Site): void {
    if (!this.shared.checks) return;
    forGranules(range, (g) => {
      this.#checkRead(g, warp, site, NEVER);
      this.#reader[g] = warp.index;
      this.#readTime[g] = warp.now;
      this.#readSite[g] = site.index;
    });
  }

  noteStore(range: TensorRange, warp: Warp, site: Site): void {
    let stores = this.#stores.get(warp.index);
    if (stores === undefined) this.#stores.set(warp.index, (stores = { issued: 0, done: 0 }));
    stores.issued++;
    if (!this.shared.checks) return;
    const number = stores.issued;
    forGranules(range, (g) => {
      this.#checkWrite(g, warp, site, NEVER);
      this.#writer[g] = warp.index;
      this.#writeTime[g] = warp.now;
      this.#writeSite[g] = site.index;
      this.#store[g] = number;
    });
  }

  /** `tcgen05.wait::st` */
  waitStores(warp: Warp): void {
    const stores = this.#stores.get(warp.index);
    if (stores !== undefined) stores.done = stores.issued;
  }

  // `cores`: the clock of the tensor cores that access it, which run operations in order; NEVER for other accesses.

  #checkRead(g: number, warp: Warp, site: Site, cores: number): void {
    if (this.#pendingWrites[g]) {
      if (cores === NEVER) this.#early(g, warp, site, "reads");
    } else if (this.#writer[g] === NEVER) this.findings.add("unwritten-shared", site, `${this.#place(g)} is read, which nobody wrote`);
    else this.#checkWritten(g, warp, site, cores);
  }

  #checkWrite(g: number, warp: Warp, site: Site, cores: number): void {
    if (this.#pendingWrites[g] || this.#pendingReads[g]) {
      if (cores === NEVER) return this.#early(g, warp, site, "stores to");
    } else if (this.#writer[g] !== NEVER) this.#checkWritten(g, warp, site, cores);
    this.#checkKnown(g, this.#reader[g]!, this.#readTime[g]!, this.#readSite[g]!, "read", warp, site, cores);
  }

  /** Whether the last store has been waited for by its warp, and is known. */
  #checkWritten(g: number, warp: Warp, site: Site, cores: number): void {
    const writer = this.#writer[g]!;
    const stores = this.#stores.get(writer);
    if (stores !== undefined && (cores !== NEVER || writer !== warp.index) && this.#store[g]! > stores.done)
      this.findings.add(
        "early-read",
        site,
        `${this.#place(g)} is used before tcgen05.wait::st after ${siteText(this.sites[this.#writeSite[g]!]!)}`,
      );
    else this.#checkKnown(g, writer, this.#writeTime[g]!, this.#writeSite[g]!, "written", warp, site, cores);
  }

  #checkKnown(g: number, clock: number, time: number, by: number, was: string, warp: Warp, site: Site, cores: number): void {
    if (clock === NEVER || clock === warp.index || warp.seen[clock]! >= time || clock === cores) return;
    this.findings.add(
      "race",
      site,
      `warp ${warp.index} uses ${this.#place(g)}, which is ${was} without a barrier between, by ${siteText(this.sites[by]!)}`,
      `${Math.min(site.index, by)}:${Math.max(site.index, by)}`,
    );
  }

  #early(g: number, warp: Warp, site: Site, does: string): void {
    const by = siteText(this.sites[this.#pendingSite[g]!]!);
    this.findings.add("early-read", site, `warp ${warp.index} ${does} ${this.#place(g)} before the wait for ${by}`);
  }

  #place(g: number): string {
    const lane = GROUP_LANES * Math.floor(g / COLUMNS);
    return `column ${g % COLUMNS} of lanes ${lane} to ${lane + GROUP_LANES - 1} of tensor memory`;
  }

  // The tensor cores.

  issue(operation: TensorOperation, warp: Warp): void {
    for (const memory of operation.memories) memory.#begin(operation, warp, this.shared.tensorCoreClock);
    this.#queue.push(operation);
  }

  #begin({ site, reads, writes }: TensorOperation, warp: Warp, cores: number): void {
    if (this.shared.checks) {
      for (const range of reads) forGranules(range, (g) => this.#checkRead(g, warp, site, cores));
      for (const range of writes) forGranules(range, (g) => this.#checkWrite(g, warp, site, cores));
    }
    const begun = (counts: Int32Array) => (g: number) => {
      counts[g]!++;
      this.#pendingSite[g] = site.index;
    };
    for (const range of reads) forGranules(range, begun(this.#pendingReads));
    for (const range of writes) forGranules(range, begun(this.#pendingWrites));
  }

  #end({ site, reads, writes }: TensorOperation, { clock, time }: AsyncTime): void {
    for (const range of reads)
      forGranules(range, (g) => {
        this.#pendingReads[g]!--;
        this.#reader[g] = clock;
        this.#readTime[g] = time;
        this.#readSite[g] = site.index;
      });
    for (const range of writes)
      forGranules(range, (g) => {
        this.#pendingWrites[g]!--;
        this.#writer[g] = clock;
        this.#writeTime[g] = time;
        this.#writeSite[g] = site.index;
      });
  }

  /** All that was issued until now will arrive at the mbarrier at `at` of each of these CTAs. */
  commit(at: number, ctas: readonly SharedMemory[], warp: Warp, site: Site): void {
    const asked = warp.seen.slice();
    warp.seen[warp.index]!++;
    for (const shared of ctas) {
      const upTo = this.#queue.length + 1;
      const arrival = shared.mbarriers.later(at, site, "tensor-core", () => this.#finishUpTo(upTo));
      this.#queue.push(() => {
        if (!shared.mbarriers.isDue(at, arrival)) return;
        shared.publishTensorCores(at, this.shared, asked);
        shared.mbarriers.arrive(at, 1, site);
      });
    }
  }

  #finishUpTo(count: number): void {
    while (this.#done < count) {
      const operation = this.#queue[this.#done++]!;
      if (typeof operation === "function") {
        operation();
        continue;
      }
      operation.effect();
      const time = this.shared.tickTensorCores();
      for (const { memory, read } of operation.shared) memory.endRead(read, time);
      for (const memory of operation.memories) memory.#end(operation, time);
    }
  }
}

function forGranules({ groups, column, count }: TensorRange, each: (g: number) => void): void {
  for (let q = 0; q < GROUPS; q++)
    if ((groups >> q) & 1) for (let g = q * COLUMNS + column, end = Math.min(g + count, (q + 1) * COLUMNS); g < end; g++) each(g);
}
