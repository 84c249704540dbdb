/**
 * A CTA's shared memory, and who touched it when. Time is a vector: each warp counts the barriers it passed, and at a
 * barrier learns how far the others have come. Two accesses of different warps to one place, one of them a write, race
 * unless the later warp has learnt of the earlier one's time.
 */
import { type Findings, type Site, siteText } from "./findings.js";
import type { AsyncCopy, Warp } from "./warp.js";

const NEVER = -1;

/** An access that may race with the one at hand. */
interface Suspect {
  readonly g: number;
  readonly was: string;
  readonly thread: number;
  /** The instruction. */
  readonly by: number;
}

export class SharedMemory {
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
  readonly bytes: number;
  readonly #shift: number;
  // For each granule: who wrote last (thread), when, by which instruction; a copy on its way; and for each warp its last read.
  readonly #writer: Int32Array;
  readonly #writeTime: Int32Array;
  readonly #writeSite: Int32Array;
  readonly #pending: Int32Array;
  readonly #readTime: Int32Array;
  readonly #readBy: Int32Array;
  #suspect: Suspect | undefined;
  readonly #before = new Uint8Array(64);

  /** `granule`: bytes told apart, a power of two that divides every access. */
  constructor(
    bytes: number,
    granule: number,
    readonly numWarps: number,
    readonly findings: Findings,
    readonly sites: readonly Site[],
    readonly checks: boolean,
  ) {
    this.bytes = bytes;
    const rounded = (bytes + 15) & ~15;
    this.u8 = new Uint8Array(rounded);
    this.u16 = new Uint16Array(this.u8.buffer);
    this.i32 = new Int32Array(this.u8.buffer);
    this.#shift = Math.log2(granule);
    const granules = checks ? rounded >> this.#shift : 0;
    this.#writer = new Int32Array(granules).fill(NEVER);
    this.#writeTime = new Int32Array(granules);
    this.#writeSite = new Int32Array(granules);
    this.#pending = new Int32Array(granules).fill(NEVER);
    this.#readTime = new Int32Array(granules * numWarps);
    this.#readBy = new Int32Array(granules * numWarps);
  }

  readonly #published = new Map<number, Int32Array>();

  /** A warp arrives at the mbarrier there: what it knows, those that wait for it will. */
  publish(at: number, warp: Warp): void {
    const known = this.#published.get(at) ?? new Int32Array(this.numWarps);
    for (let i = 0; i < known.length; i++) known[i] = Math.max(known[i]!, warp.seen[i]!);
    this.#published.set(at, known);
    warp.seen[warp.index]!++;
  }

  learn(at: number, warp: Warp): void {
    const known = this.#published.get(at);
    if (known !== undefined) for (let i = 0; i < known.length; i++) warp.seen[i] = Math.max(warp.seen[i]!, known[i]!);
  }

  reset(): void {
    this.u8.fill(0);
    this.#writer.fill(NEVER);
    this.#pending.fill(NEVER);
    this.#readTime.fill(0);
    this.#published.clear();
  }

  /** Whether a lane may access these bytes; tells of one that is out of bounds or misaligned. */
  allows(at: number, bytes: number, warp: Warp, lane: number, site: Site): boolean {
    if (at + bytes > this.bytes || at < 0) {
      this.findings.add("out-of-bounds", site, `thread ${warp.thread(lane)}: byte ${at} of shared memory, which has ${this.bytes} bytes`);
      return false;
    }
    if ((at & (bytes - 1)) === 0) return true;
    this.findings.add("misaligned", site, `thread ${warp.thread(lane)}: shared address ${at} is not a multiple of ${bytes}`);
    return false;
  }

  noteRead(at: number, bytes: number, warp: Warp, lane: number, site: Site, atomic = false): void {
    if (!this.checks) return;
    const last = (at + bytes - 1) >> this.#shift;
    for (let g = at >> this.#shift; g <= last; g++) {
      const writer = this.#writer[g]!;
      if (this.#pending[g] !== NEVER) this.#early(g, warp, lane, site);
      else if (writer === NEVER)
        this.findings.add(
          "unwritten-shared",
          site,
          `thread ${warp.thread(lane)} reads shared byte ${g << this.#shift}, which nobody wrote`,
        );
      else if (writer >> 5 !== warp.index && warp.seen[writer >> 5]! < this.#writeTime[g]! && !(atomic && this.#isAtomic(g)))
        this.#race(g, warp, lane, site, "reads", "written", writer, this.#writeSite[g]!);
      const slot = g * this.numWarps + warp.index;
      this.#readTime[slot] = warp.now;
      this.#readBy[slot] = site.index * 32 + lane;
    }
  }

  /** To be called before the bytes are written; `confirmWrite` behind it. */
  noteWrite(at: number, bytes: number, warp: Warp, lane: number, site: Site, atomic = false): void {
    if (!this.checks) return;
    this.#suspect = undefined;
    const last = (at + bytes - 1) >> this.#shift;
    for (let g = at >> this.#shift; g <= last; g++) {
      const writer = this.#writer[g]!;
      if (this.#pending[g] !== NEVER) this.#early(g, warp, lane, site);
      else if (
        writer !== NEVER &&
        writer >> 5 !== warp.index &&
        warp.seen[writer >> 5]! < this.#writeTime[g]! &&
        !(atomic && this.#isAtomic(g))
      )
        this.#suspect ??= { g, was: "written", thread: writer, by: this.#writeSite[g]! };
      if (!atomic && this.#suspect === undefined) this.#suspect = this.#reader(g, warp);
      this.#writer[g] = warp.thread(lane);
      this.#writeTime[g] = warp.now;
      this.#writeSite[g] = site.index;
    }
    if (this.#suspect !== undefined) this.#before.set(this.u8.subarray(at, at + bytes));
  }

  /** A write that changes nothing does no harm: warps with the same data may store it twice. */
  confirmWrite(at: number, bytes: number, warp: Warp, lane: number, site: Site): void {
    if (this.#suspect === undefined) return;
    const { g, was, thread, by } = this.#suspect;
    for (let i = 0; i < bytes; i++)
      if (this.#before[i] !== this.u8[at + i]) return this.#race(g, warp, lane, site, "writes", was, thread, by);
  }

  /** A cp.async is issued: until its group is waited for, nobody may touch its place. */
  noteCopy(copy: AsyncCopy, warp: Warp, site: Site): void {
    if (!this.checks) return;
    const last = (copy.to + copy.bytes.length - 1) >> this.#shift;
    for (let g = copy.to >> this.#shift; g <= last; g++) {
      const reader = this.#reader(g, warp);
      if (reader !== undefined) this.#race(g, warp, copy.lane, site, "writes", reader.was, reader.thread, reader.by);
      this.#pending[g] = site.index;
    }
  }

  /** A cp.async has arrived, seen by the warp that waited. */
  arrive(copy: AsyncCopy, warp: Warp): void {
    this.u8.set(copy.bytes, copy.to);
    if (!this.checks) return;
    const last = (copy.to + copy.bytes.length - 1) >> this.#shift;
    for (let g = copy.to >> this.#shift; g <= last; g++) {
      this.#pending[g] = NEVER;
      this.#writer[g] = warp.thread(copy.lane);
      this.#writeTime[g] = warp.now;
      this.#writeSite[g] = copy.site;
    }
  }

  /** Another warp that has read the granule and is not known to be past that. */
  #reader(g: number, warp: Warp): Suspect | undefined {
    for (let other = 0; other < this.numWarps; other++) {
      const slot = g * this.numWarps + other;
      if (other === warp.index || this.#readTime[slot]! <= warp.seen[other]!) continue;
      const by = this.#readBy[slot]!;
      return { g, was: "read", thread: other * 32 + (by & 31), by: by >> 5 };
    }
    return undefined;
  }

  #isAtomic(g: number): boolean {
    return /^(?:atom|red|mbarrier\.(?!in))/.test(this.sites[this.#writeSite[g]!]!.mnemonic);
  }

  #early(g: number, warp: Warp, lane: number, site: Site): void {
    const copy = this.sites[this.#pending[g]!]!;
    this.findings.add(
      "early-read",
      site,
      `thread ${warp.thread(lane)} touches shared byte ${g << this.#shift} before the wait for ${siteText(copy)}`,
    );
  }

  #race(g: number, warp: Warp, lane: number, site: Site, does: string, was: string, thread: number, by: number): void {
    this.findings.add(
      "race",
      site,
      `thread ${warp.thread(lane)} ${does} shared byte ${g << this.#shift} that thread ${thread} has ${was} without a barrier between, by ${siteText(this.sites[by]!)}`,
      `${Math.min(site.index, by)}:${Math.max(site.index, by)}`,
    );
  }
}

/** What `warps` learn of each other at a barrier: each then begins a new time of its own. */
export function synchronise(warps: readonly Warp[]): void {
  const known = warps[0]!.seen.slice();
  for (const { seen } of warps) for (let i = 0; i < known.length; i++) known[i] = Math.max(known[i]!, seen[i]!);
  for (const warp of warps) {
    warp.seen.set(known);
    warp.seen[warp.index]!++;
  }
}
