/**
 * The mbarriers in a CTA's shared memory. A word holds how many arrivals a phase expects (bits 0-14), how many are still
 * pending (15-29) and the phase's parity (30); the next word counts bytes on their way. An asynchronous operation that will arrive
 * takes effect as late as the program allows: when somebody goes on waiting for the phase, one after the other, until that ends it.
 */
import type { Site } from "./findings.js";
import type { SharedMemory } from "./shared-memory.js";
import type { Warp } from "./warp.js";

const COUNT = 0x7fff;

/** Something asynchronous that will arrive. */
export interface Arrival {
  /** The source of the arrival: a copy, or the tensor cores. */
  readonly by: "copy" | "tensor-core";
  readonly effect: () => void;
  /** Warps that have asked for it in vain, with the number of their question. */
  readonly asked: Map<Warp, number>;
}

export class Mbarriers {
  /** The arrivals under way, by mbarrier address; the keys are the initialised mbarriers. */
  readonly #underWay = new Map<number, Arrival[]>();
  /** Counts the events at all mbarriers: while it does not change, waiting is in vain. */
  events = 0;

  constructor(readonly shared: SharedMemory) {}

  reset(): void {
    this.#underWay.clear();
  }

  init(at: number, count: number, site: Site): void {
    this.#end(at, site);
    this.#underWay.set(at, []);
    const n = count & COUNT;
    this.#set(at, n | (n << 15), 0);
  }

  invalidate(at: number, site: Site): void {
    this.#arrivals(at, site);
    this.#end(at, site);
    this.#set(at, 0, 0);
  }

  #end(at: number, site: Site): void {
    // Triton ends mbarriers of commits that nobody waits for.
    const left = this.#underWay.get(at)?.filter(({ by }) => by === "copy").length ?? 0;
    if (left > 0) this.#misuse(site, `the mbarrier at ${at} ends while ${left} copies are to arrive there`);
    this.#underWay.delete(at);
  }

  #set(at: number, state: number, bytes: number): void {
    const { i32 } = this.shared;
    this.events++;
    this.shared.version++;
    i32[at >> 2] = state;
    i32[(at >> 2) + 1] = bytes;
  }

  /** Arrives so many times. Gives the parity of the phase arrived at. */
  arrive(at: number, count: number, site: Site): number {
    this.#arrivals(at, site);
    const state = this.shared.i32[at >> 2]!;
    const pending = ((state >>> 15) & COUNT) - count;
    if (pending < 0) this.#misuse(site, `more arrivals at the mbarrier at ${at} than the ${state & COUNT} that a phase waits for`);
    this.#set(at, (state & ~(COUNT << 15)) | (Math.max(pending, 0) << 15), this.shared.i32[(at >> 2) + 1]!);
    this.#complete(at);
    return this.parity(at, state);
  }

  /** Announces bytes (positive), or reports that they came (negative). */
  transfer(at: number, bytes: number, site: Site): void {
    this.#arrivals(at, site);
    this.#set(at, this.shared.i32[at >> 2]!, this.shared.i32[(at >> 2) + 1]! + bytes);
    if (bytes < 0) this.#complete(at);
  }

  /** The parity of the phase in progress. */
  parity(at: number, state = this.shared.i32[at >> 2]!): number {
    return (state >>> 30) & 1;
  }

  /** Turns to the next phase when nothing is pending. */
  #complete(at: number): void {
    const { i32 } = this.shared;
    const state = i32[at >> 2]!;
    if (((state >>> 15) & COUNT) !== 0 || i32[(at >> 2) + 1] !== 0) return;
    const count = state & COUNT;
    i32[at >> 2] = ((state ^ (1 << 30)) & ((1 << 30) | COUNT)) | (count << 15);
  }

  /** Something is under way that will arrive here. */
  later(at: number, site: Site, by: Arrival["by"], effect: () => void): Arrival {
    const arrival = { by, effect, asked: new Map<Warp, number>() };
    this.#arrivals(at, site).push(arrival);
    this.events++;
    return arrival;
  }

  /** It is under way no more; false where the mbarrier has ended meanwhile. */
  isDue(at: number, arrival: Arrival): boolean {
    const underWay = this.#underWay.get(at);
    const index = underWay?.indexOf(arrival) ?? -1;
    if (index >= 0) underWay!.splice(index, 1);
    return index >= 0;
  }

  /** Whether the phase of that parity is over. A warp that asks again lets what is under way take effect until it is. */
  isOver(at: number, parity: number, warp: Warp, site: Site): boolean {
    const underWay = this.#arrivals(at, site);
    while (this.parity(at) === parity) {
      const [next] = underWay;
      if (next === undefined) return false;
      if ((next.asked.get(warp) ?? warp.questions) === warp.questions) {
        for (const { asked } of underWay) asked.set(warp, warp.questions);
        this.events++;
        return false;
      }
      next.effect();
      if (underWay[0] === next) underWay.shift();
    }
    return true;
  }

  /** The arrivals and bytes that a phase still waits for, in words. */
  missing(at: number): string {
    const { i32 } = this.shared;
    return `${(i32[at >> 2]! >>> 15) & COUNT} arrivals and ${i32[(at >> 2) + 1]} bytes`;
  }

  #arrivals(at: number, site: Site): Arrival[] {
    let found = this.#underWay.get(at);
    if (found === undefined) {
      this.#misuse(site, `the mbarrier at ${at} is not initialised`);
      this.#underWay.set(at, (found = []));
    }
    return found;
  }

  #misuse(site: Site, message: string): void {
    this.shared.findings.add("barrier", site, message);
  }
}
