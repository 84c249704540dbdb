/**
 * Global memory between programs, and between the warps of one. Programs run one after the other here, but on a GPU in any order: what one
 * stores, another may load or store over only where an atomic with release semantics in the one is seen by one with acquire semantics in
 * the other. Known of another program are the times of its warps (`clocks.ts`); barriers and mbarriers hand that on among the warps of a
 * CTA. A warp may load what another warp of its program has stored, or store over it, only after a barrier.
 */
import type { Memory, Page } from "../memory.js";
import { notBegun } from "../not-begun.js";
import { type Knowledge, learnOf } from "./clocks.js";
import { type Finding, type Findings, type Site, siteText } from "./findings.js";
import type { Warp } from "./warp.js";

/** The memory-ordering semantics of an instruction. */
interface Semantics {
  /** An atomic, or an access that other threads may make at the same time. */
  readonly strong: boolean;
  readonly acquires: boolean;
  readonly releases: boolean;
}

const FIELDS = 4;

export class GlobalOrder {
  #program = -1;
  #left = 0;
  readonly #places: (readonly number[])[] = [];
  /** For each record: program, warp, time, and twice the instruction's number, plus 1 where it is strong. */
  #records = new Int32Array(FIELDS << 10);
  #count = 0;
  /** By page, for each word: 16 times the record of its last store, plus the bytes stored, as bits. */
  readonly #stores = new Map<Page, Int32Array>();
  readonly #semantics: Semantics[] = [];
  /** The knowledge that strong accesses have published, by address. */
  readonly #published = new Map<number, Knowledge>();
  readonly #before = new Uint8Array(64);
  /** By buffer: loads that found what an atomic of another warp of the program had stored, with nothing that orders the two. */
  readonly metAtomics = new Map<string, Pick<Finding, "message" | "program"> & { times: number }>();
  /** Counts stores that may have changed something. */
  version = 0;

  constructor(
    readonly memory: Memory,
    readonly findings: Findings,
    readonly sites: readonly Site[],
  ) {}

  /** `left`: how many programs have not begun, as they run one after the other. */
  begin(program: readonly number[], left: number): void {
    this.#left = left;
    this.#program++;
    this.#places.push(program);
  }

  semanticsOf(site: Site): Semantics {
    return (this.#semantics[site.index] ??= readSemantics(site.mnemonic));
  }

  /** To be called before a lane's access takes effect: whether it races is known afterwards, by the store that is given back. */
  check(page: Page, at: number, bytes: number, warp: Warp, site: Site, stores: boolean): number {
    const words = this.#stores.get(page);
    if (words === undefined) return 0;
    const { strong } = this.semanticsOf(site);
    for (let b = at; b < at + bytes; b = (b | 3) + 1) {
      const last = words[b >> 2]!;
      if ((last & bytesIn(b, at + bytes)) === 0) continue;
      const record = (last >> 4) * FIELDS;
      const program = this.#records[record]!;
      const isOwn = program === this.#program;
      const isStrong = (this.#records[record + 3]! & 1) === 1;
      // Strong accesses do not race with each other, and a load may read a strong store of another program at any time.
      if (isStrong && (strong || (!stores && !isOwn))) continue;
      const writer = this.#records[record + 1]!;
      if (isOwn && writer === warp.index) continue;
      const known = Math.max(warp.foreign?.get(program)?.[writer] ?? -1, isOwn ? warp.seen[writer]! : -1);
      if (known >= this.#records[record + 2]!) continue;
      if (isStrong && !stores) {
        const { name } = page.buffer.spec;
        const known = this.metAtomics.get(name);
        if (known) known.times++;
        else
          this.metAtomics.set(name, { message: this.#raceText(page, at, warp, last, "loads"), program: this.#places[program]!, times: 1 });
        continue;
      }
      if (stores) this.#before.set(page.u8.subarray(at, at + bytes));
      else this.#race(page, at, warp, site, last, "loads");
      if (stores || !isOwn) return last;
    }
    return 0;
  }

  /** After a store; `suspect` is what `check` gave. One that changes nothing does no harm. */
  stored(page: Page, at: number, bytes: number, warp: Warp, site: Site, suspect: number): void {
    if (suspect !== 0)
      for (let i = 0; i < bytes; i++)
        if (this.#before[i] !== page.u8[at + i]) {
          this.#race(page, at, warp, site, suspect, "stores to");
          break;
        }
    let words = this.#stores.get(page);
    if (words === undefined) this.#stores.set(page, (words = new Int32Array(page.i32.length)));
    const record = this.#record(warp, site) << 4;
    for (let b = at; b < at + bytes; b = (b | 3) + 1) words[b >> 2] = record | bytesIn(b, at + bytes);
  }

  #record(warp: Warp, site: Site): number {
    const last = this.#count * FIELDS;
    const how = 2 * site.index + (this.semanticsOf(site).strong ? 1 : 0);
    const r = this.#records;
    if (r[last] === this.#program && r[last + 1] === warp.index && r[last + 2] === warp.now && r[last + 3] === how) return this.#count;
    const next = ++this.#count * FIELDS;
    if (next + FIELDS > r.length) {
      this.#records = new Int32Array(2 * r.length);
      this.#records.set(r);
    }
    this.#records.set([this.#program, warp.index, warp.now, how], next);
    return this.#count;
  }

  /** Acquires and publishes knowledge at the address of a strong access. */
  synchronise(address: number, warp: Warp, site: Site, stores: boolean, isAtomic: boolean): void {
    const { acquires, releases } = this.semanticsOf(site);
    const there = this.#published.get(address);
    if (there !== undefined) {
      if (acquires) learnOf((warp.foreign ??= new Map()), there);
      else learnOf((warp.unfenced ??= new Map()), there);
    }
    if (!stores) return;
    const known = releases ? this.#knownBy(warp) : warp.fenced;
    // Atomics hand on what was there; a store ends it.
    if (!isAtomic) this.#published.delete(address);
    if (known === undefined) return;
    const next: Knowledge = new Map();
    if (isAtomic) learnOf(next, there);
    learnOf(next, known);
    this.#published.set(address, next);
    warp.seen[warp.index]!++;
  }

  /** `fence.acq_rel`: strong accesses before it acquire, those after it release. */
  fence(warp: Warp): void {
    learnOf((warp.foreign ??= new Map()), warp.unfenced);
    warp.unfenced = undefined;
    warp.fenced = this.#knownBy(warp);
    warp.seen[warp.index]!++;
  }

  #knownBy(warp: Warp): Knowledge {
    const known: Knowledge = new Map();
    learnOf(known, warp.foreign);
    known.set(this.#program, warp.seen.slice());
    return known;
  }

  #race(page: Page, at: number, warp: Warp, site: Site, last: number, does: string): void {
    const { name } = page.buffer.spec;
    this.findings.add(
      this.#records[(last >> 4) * FIELDS] === this.#program ? "global-order" : "global-race",
      site,
      this.#raceText(page, at, warp, last, does),
      `${site.index}:${name}`,
      name,
    );
  }
  #raceText = (page: Page, at: number, warp: Warp, last: number, does: string): string =>
    `thread ${warp.thread(0)} ${does} ${this.#place(page, at)}, with nothing that orders it after ${this.#writer(last)}`;

  #place(page: Page, at: number): string {
    const { buffer } = page;
    const [first] = [...buffer.pages].find(([, p]) => p === page)!;
    return `byte ${first * page.u8.length + at - buffer.address} of '${buffer.spec.name}'`;
  }

  #writer(last: number): string {
    const record = (last >> 4) * FIELDS;
    const [program, , , how] = this.#records.subarray(record, record + FIELDS);
    return `the store in program (${this.#places[program!]!.join(", ")}) by ${siteText(this.sites[how! >> 1]!)}`;
  }

  /** In words, what is stored at an address and by whom. */
  lastStore(address: number): string {
    const page = this.memory.page(address);
    if (page === undefined) return "";
    const at = address & (page.u8.length - 1);
    const last = this.#stores.get(page)?.[at >> 2] ?? 0;
    return `${this.#place(page, at)}: ${last === 0 ? "no program has stored there" : `${this.#writer(last)} was the last one there`}${notBegun(this.#left)}`;
  }
}

/** The bytes from `b` to `end` in the word of `b`, as bits. */
function bytesIn(b: number, end: number): number {
  const first = b & 3;
  const count = Math.min(4 - first, end - b);
  return ((1 << count) - 1) << first;
}

function readSemantics(mnemonic: string): Semantics {
  const has = (word: string) => mnemonic.split(".").includes(word);
  const strong = /^(?:atom|red)\b/.test(mnemonic) || ["relaxed", "acquire", "release", "volatile", "mmio"].some(has);
  // Within a CTA nothing is made known to other programs.
  const wide = !has("cta") && !has("cluster");
  return { strong, acquires: wide && (has("acquire") || has("acq_rel")), releases: wide && (has("release") || has("acq_rel")) };
}
