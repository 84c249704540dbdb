/**
 * A CTA's shared memory, and who touched it when, by the clocks of `clocks.ts`. Two accesses of different threads to one place,
 * one of them a write, race unless the later thread's warp has learnt of the earlier one's time.
 */
import { type AsyncTime, CTA_CLOCKS, clocksOf, type Knowledge, learnAll, learnOf, MBARRIER_CLOCKS } from "./clocks.js";
import { type Findings, type Site, siteText } from "./findings.js";
import { Mbarriers } from "./mbarriers.js";
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

/** A read by asynchronous hardware, from its issue on: pieces of `bytes` bytes. */
export interface AsyncRead {
  readonly at: readonly number[] | Int32Array;
  readonly bytes: number;
  readonly site: Site;
  readonly thread: number;
  /** How many writes there had been. */
  readonly writes: number;
}

/** Whose memory it is, and who touches it. */
export interface SharedMemoryOptions {
  readonly bytes: number;
  /** The granularity of the checks in bytes, a power of two that divides every access. */
  readonly granule: number;
  /** Warps, and CTAs, of the cluster; this CTA's rank. */
  readonly numWarps: number;
  readonly numCtas: number;
  readonly rank: number;
  /** Whether a warp's lanes need no barrier among themselves. */
  readonly lanesInStep: boolean;
  readonly findings: Findings;
  readonly sites: readonly Site[];
  readonly checks: boolean;
}

export class SharedMemory {
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
  readonly bytes: number;
  readonly numWarps: number;
  readonly findings: Findings;
  readonly sites: readonly Site[];
  readonly checks: boolean;
  readonly #lanesInStep: boolean;
  readonly mbarriers: Mbarriers;
  /** Changes with the contents. */
  version = 0;
  readonly #clocks: number;
  readonly #firstClock: number;
  readonly #shift: number;
  // For each granule: who wrote last (thread), when, by which instruction, as which of all writes, whether as an ordinary one; a
  // copy on its way; for each warp its last read; and the last read by hardware that arrives at an mbarrier.
  readonly #writer: Int32Array;
  readonly #writeTime: Int32Array;
  readonly #writeSite: Int32Array;
  readonly #writeNumber: Int32Array;
  readonly #ordinary: Uint8Array;
  readonly #pending: Int32Array;
  readonly #readTime: Int32Array;
  readonly #readBy: Int32Array;
  readonly #asyncReader: Int32Array;
  readonly #asyncReadTime: Int32Array;
  readonly #asyncReadSite: Int32Array;
  #writes = 0;
  #suspect: Suspect | undefined;
  readonly #before = new Uint8Array(64);

  constructor({ bytes, granule, numWarps, numCtas, rank, lanesInStep, findings, sites, checks }: SharedMemoryOptions) {
    this.bytes = bytes;
    this.numWarps = numWarps;
    this.findings = findings;
    this.sites = sites;
    this.checks = checks;
    this.#lanesInStep = lanesInStep;
    this.mbarriers = new Mbarriers(this);
    this.#clocks = clocksOf(numWarps, numCtas);
    this.#firstClock = numWarps + rank * CTA_CLOCKS;
    const rounded = (bytes + 15) & ~15;
    this.u8 = new Uint8Array(rounded);
    this.u16 = new Uint16Array(this.u8.buffer);
    this.i32 = new Int32Array(this.u8.buffer);
    this.#shift = Math.log2(granule);
    const granules = checks ? rounded >> this.#shift : 0;
    this.#writer = new Int32Array(granules).fill(NEVER);
    this.#writeTime = new Int32Array(granules);
    this.#writeSite = new Int32Array(granules);
    this.#writeNumber = new Int32Array(granules);
    this.#ordinary = new Uint8Array(granules);
    this.#pending = new Int32Array(granules).fill(NEVER);
    this.#readTime = new Int32Array(granules * numWarps);
    this.#readBy = new Int32Array(granules * numWarps);
    this.#asyncReader = new Int32Array(granules);
    this.#asyncReadTime = new Int32Array(granules);
    this.#asyncReadSite = new Int32Array(granules);
  }

  // Knowledge that mbarriers pass between warps.

  readonly #published = new Map<number, Int32Array>();
  /** The part about other programs, by mbarrier address. */
  readonly #foreign = new Map<number, Knowledge>();
  readonly #clockOf = new Map<number, number>();
  readonly #times = new Int32Array(CTA_CLOCKS);

  #publishedAt(at: number): Int32Array {
    let known = this.#published.get(at);
    if (known === undefined) this.#published.set(at, (known = new Int32Array(2 * this.#clocks)));
    return known;
  }

  /** A warp arrives at the mbarrier there: what it knows, those that wait for it will. */
  publish(at: number, warp: Warp): void {
    learnAll(this.#publishedAt(at), warp.seen);
    if (warp.foreign) {
      const foreign = this.#foreign.get(at) ?? new Map();
      learnOf(foreign, warp.foreign);
      this.#foreign.set(at, foreign);
    }
    warp.seen[warp.index]!++;
  }

  learn(at: number, warp: Warp): void {
    const known = this.#published.get(at);
    if (known !== undefined) learnAll(warp.seen, known);
    const foreign = this.#foreign.get(at);
    if (foreign !== undefined) learnOf((warp.foreign ??= new Map()), foreign);
  }

  /** Something asynchronous arrives at the mbarrier there: the time of it, which those that wait will know. */
  tick(at: number): AsyncTime {
    let slot = this.#clockOf.get(at);
    if (slot === undefined) this.#clockOf.set(at, (slot = this.#clockOf.size % MBARRIER_CLOCKS));
    const clock = this.#firstClock + slot;
    const time = ++this.#times[slot]!;
    this.#publishedAt(at)[clock] = time;
    return { clock, time };
  }

  get tensorCoreClock(): number {
    return this.#firstClock + MBARRIER_CLOCKS;
  }
  /** Advances the tensor cores' clock by one operation; whoever waits for a later commit knows of it. */
  tickTensorCores(): AsyncTime {
    return { clock: this.tensorCoreClock, time: ++this.#times[MBARRIER_CLOCKS]! };
  }
  /** They arrive at the mbarrier there: with what they did, and what the warp knew that asked for it. */
  publishTensorCores(at: number, of: SharedMemory, asked: Int32Array): void {
    const known = this.#publishedAt(at);
    learnAll(known, asked);
    known[of.tensorCoreClock] = of.#times[MBARRIER_CLOCKS]!;
  }

  reset(): void {
    this.u8.fill(0);
    this.version++;
    this.#writer.fill(NEVER);
    this.#pending.fill(NEVER);
    this.#readTime.fill(0);
    this.#asyncReadTime.fill(0);
    this.#published.clear();
    this.#foreign.clear();
    this.#visits.clear();
    this.mbarriers.reset();
  }

  /** Whether a lane may access these bytes; reports an access that is out of bounds or misaligned. */
  allows(at: number, bytes: number, warp: Warp, lane: number, site: Site, alignment = bytes): boolean {
    if (at + bytes > this.bytes || at < 0) {
      this.findings.add("out-of-bounds", site, `thread ${warp.thread(lane)}: byte ${at} of shared memory, which has ${this.bytes} bytes`);
      return false;
    }
    if ((at & (alignment - 1)) === 0) return true;
    this.findings.add("misaligned", site, `thread ${warp.thread(lane)}: shared address ${at} is not a multiple of ${alignment}`);
    return false;
  }

  /** The last access of each warp of another CTA. */
  readonly #visits = new Map<Warp, { readonly time: number; readonly lane: number; readonly site: Site }>();

  /** A warp of another CTA accesses this memory. */
  noteVisit(warp: Warp, lane: number, site: Site): void {
    if (this.checks) this.#visits.set(warp, { time: warp.now, lane, site });
  }

  /** The program is over: memory goes with its CTA, so one of the CTA's warps must have known of each access by others before it ended. */
  checkVisits(rank: number, warps: readonly Warp[]): void {
    for (const [warp, { time, lane, site }] of this.#visits) {
      if (warps.some(({ cta, seen }) => cta.shared === this && seen[warp.index]! >= time)) continue;
      this.findings.add("race", site, `thread ${warp.thread(lane)} accesses shared memory of CTA ${rank}, which may have ended`);
    }
    this.#visits.clear();
  }

  noteRead(at: number, bytes: number, warp: Warp, lane: number, site: Site, atomic = false): void {
    if (!this.checks) return;
    const last = (at + bytes - 1) >> this.#shift;
    for (let g = at >> this.#shift; g <= last; g++) {
      this.#checkRead(g, warp, lane, site, atomic);
      this.#noteReader(g, warp, lane, site);
    }
  }

  #checkRead(g: number, warp: Warp, lane: number, site: Site, atomic: boolean): boolean {
    const writer = this.#writer[g]!;
    if (this.#pending[g] !== NEVER) this.#early(g, warp, lane, site);
    else if (writer === NEVER)
      this.findings.add("unwritten-shared", site, `thread ${warp.thread(lane)} reads shared byte ${g << this.#shift}, which nobody wrote`);
    else if (this.#unknown(writer, this.#writeTime[g]!, warp, lane) && !(atomic && this.#isAtomic(g)))
      this.#race(g, warp, lane, site, "reads", "written", writer, this.#writeSite[g]!);
    else return true;
    return false;
  }

  #noteReader(g: number, warp: Warp, lane: number, site: Site): void {
    const slot = g * this.numWarps + warp.index;
    this.#readTime[slot] = warp.now;
    this.#readBy[slot] = site.index * 32 + lane;
  }

  /** Whether a lane does not know what another thread, or asynchronous hardware, did at that time. */
  #unknown(thread: number, time: number, warp: Warp, lane: number): boolean {
    const clock = thread >> 5;
    if (clock !== warp.index) return warp.seen[clock]! < time;
    return !this.#lanesInStep && (thread & 31) !== lane && time === warp.now;
  }

  /** To be called before the bytes are written; `confirmWrite` after. */
  noteWrite(at: number, bytes: number, warp: Warp, lane: number, site: Site, atomic = false): void {
    if (!this.checks) return;
    this.#suspect = undefined;
    const last = (at + bytes - 1) >> this.#shift;
    const number = ++this.#writes;
    for (let g = at >> this.#shift; g <= last; g++) {
      const writer = this.#writer[g]!;
      if (this.#pending[g] !== NEVER) this.#early(g, warp, lane, site);
      else if (writer !== NEVER && this.#unknown(writer, this.#writeTime[g]!, warp, lane) && !(atomic && this.#isAtomic(g)))
        this.#suspect ??= { g, was: "written", thread: writer, by: this.#writeSite[g]! };
      if (!atomic && this.#suspect === undefined) this.#suspect = this.#reader(g, warp, lane);
      this.#writer[g] = warp.thread(lane);
      this.#writeTime[g] = warp.now;
      this.#writeSite[g] = site.index;
      this.#writeNumber[g] = number;
      this.#ordinary[g] = 1;
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

  /** A copy is issued: until it is waited for, nobody may touch its place. `bulk` ones are not ordered with ordinary accesses. */
  noteCopy(copy: AsyncCopy, warp: Warp, site: Site, bulk = false): void {
    if (!this.checks) return;
    const last = (copy.to + copy.bytes.length - 1) >> this.#shift;
    const number = ++this.#writes;
    for (let g = copy.to >> this.#shift; g <= last; g++) {
      const writer = this.#writer[g]!;
      const reader = this.#reader(g, warp, copy.lane);
      if (reader !== undefined) this.#race(g, warp, copy.lane, site, "writes", reader.was, reader.thread, reader.by);
      else if (bulk && this.#pending[g] !== NEVER) this.#early(g, warp, copy.lane, site);
      else if (bulk && writer !== NEVER && this.#unknown(writer, this.#writeTime[g]!, warp, copy.lane))
        this.#race(g, warp, copy.lane, site, "writes", "written", writer, this.#writeSite[g]!);
      // After other warps' writes, and where an mbarrier or the address of tensor memory was, real Triton's code has no fence.
      else if (bulk && writer >> 5 === warp.index && !/^(?:mbarrier|tcgen05\.alloc)/.test(this.sites[this.#writeSite[g]!]!.mnemonic))
        this.#checkProxy(g, warp, copy.lane, site, "writes");
      this.#pending[g] = site.index;
      this.#writeNumber[g] = number;
    }
  }

  /** A cp.async has arrived, seen by the warp that waited, or by those that wait for an mbarrier. */
  arrive(copy: AsyncCopy, by: Warp | AsyncTime): void {
    if (copy.arrived) return;
    copy.arrived = true;
    this.u8.set(copy.bytes, copy.to);
    this.version++;
    if (!this.checks) return;
    const [writer, time] = "clock" in by ? [by.clock * 32, by.time] : [by.thread(copy.lane), by.now];
    const last = (copy.to + copy.bytes.length - 1) >> this.#shift;
    for (let g = copy.to >> this.#shift; g <= last; g++) {
      this.#pending[g] = NEVER;
      this.#writer[g] = writer;
      this.#writeTime[g] = time;
      this.#writeSite[g] = copy.site;
      this.#ordinary[g] = 0;
    }
  }

  /** Begins an asynchronous read: checks that its bytes are in bounds, written, and known to the warp that issues it. */
  beginRead(at: AsyncRead["at"], bytes: number, warp: Warp, lane: number, site: Site): AsyncRead {
    const isInside = at.every((a: number) => a >= 0 && a + bytes <= this.bytes);
    if (!isInside)
      this.findings.add(
        "out-of-bounds",
        site,
        `asynchronous hardware reads beyond the ${this.bytes} bytes of shared memory for thread ${warp.thread(lane)}`,
      );
    else if (this.checks) this.#checkAsyncRead(at, bytes, warp, lane, site);
    return { at: isInside ? at : [], bytes, site, thread: warp.thread(lane), writes: this.#writes };
  }

  #checkAsyncRead(pieces: AsyncRead["at"], bytes: number, warp: Warp, lane: number, site: Site): void {
    for (let i = 0; i < pieces.length; i++) {
      const at = pieces[i]!;
      const last = (at + bytes - 1) >> this.#shift;
      for (let g = at >> this.#shift; g <= last; g++)
        if (!this.#checkRead(g, warp, lane, site, false) || !this.#checkProxy(g, warp, lane, site, "reads")) return;
    }
  }

  /** Whether a write by an ordinary instruction is known through a fence. */
  #checkProxy(g: number, warp: Warp, lane: number, site: Site, does: string): boolean {
    const writer = this.#writer[g]!;
    if (writer === NEVER || this.#ordinary[g] === 0 || warp.seen[this.#clocks + (writer >> 5)]! >= this.#writeTime[g]!) return true;
    this.findings.add(
      "missing-fence",
      site,
      `asynchronous hardware ${does} shared byte ${g << this.#shift} for thread ${warp.thread(lane)}, with no fence.proxy.async after ${siteText(this.sites[this.#writeSite[g]!]!)}`,
    );
    return false;
  }

  /** The read is over, seen by the warp that waited, or by those that wait for an mbarrier: nobody may have written meanwhile. */
  endRead({ at: pieces, bytes, site, thread, writes }: AsyncRead, by: Warp | AsyncTime): void {
    if (!this.checks) return;
    for (let i = 0; i < pieces.length; i++) {
      const at = pieces[i]!;
      const last = (at + bytes - 1) >> this.#shift;
      for (let g = at >> this.#shift; g <= last; g++) {
        if (this.#writeNumber[g]! > writes) {
          const write = this.sites[this.#pending[g] === NEVER ? this.#writeSite[g]! : this.#pending[g]!]!;
          this.findings.add(
            "race",
            site,
            `shared byte ${g << this.#shift}, which asynchronous hardware reads for thread ${thread}, is written before that is waited for, by ${siteText(write)}`,
            `${site.index}:${write.index}`,
          );
          return;
        }
        if ("clock" in by) {
          this.#asyncReader[g] = by.clock;
          this.#asyncReadTime[g] = by.time;
          this.#asyncReadSite[g] = site.index;
        } else this.#noteReader(g, by, thread & 31, site);
      }
    }
  }

  /** Another thread, or asynchronous hardware, that has read the granule and is not known to be past that. */
  #reader(g: number, warp: Warp, lane: number): Suspect | undefined {
    for (let other = 0; other < this.numWarps; other++) {
      const slot = g * this.numWarps + other;
      const by = this.#readBy[slot]!;
      const thread = other * 32 + (by & 31);
      if (this.#readTime[slot]! > 0 && this.#unknown(thread, this.#readTime[slot]!, warp, lane))
        return { g, was: "read", thread, by: by >> 5 };
    }
    const clock = this.#asyncReader[g]!;
    if (this.#asyncReadTime[g]! > 0 && this.#asyncReadTime[g]! > warp.seen[clock]!)
      return { g, was: "read", thread: clock * 32, by: this.#asyncReadSite[g]! };
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
    const other = thread >> 5 < this.numWarps ? `thread ${thread}` : "asynchronous hardware";
    this.findings.add(
      "race",
      site,
      `thread ${warp.thread(lane)} ${does} shared byte ${g << this.#shift} that ${other} has ${was} without a barrier between, by ${siteText(this.sites[by]!)}`,
      `${Math.min(site.index, by)}:${Math.max(site.index, by)}`,
    );
  }
}
