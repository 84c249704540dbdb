/**
 * Global memory that somebody loads, or stores to again, after it was stored. Threads of a program do so in an order of their own until they
 * meet at a barrier, and programs until one has seen, by an atomic that acquires, what another made known by one that releases: where
 * nothing orders two accesses, what is there is not defined, and differs between stages.
 */

import type { Operation } from "../../ir/operation.js";
import type { Buffer, Memory } from "../memory.js";
import { notBegun } from "../not-begun.js";
import type { Data } from "./elements.js";
import type { Findings } from "./findings.js";

interface Load {
  readonly op: Operation;
  /** A number of its own for each program, and how many barriers that had passed. */
  readonly program: number;
  readonly time: number;
}

interface Store extends Load {
  readonly isAtomic: boolean;
}

interface Access {
  readonly op: Operation;
  readonly addresses: Data;
  readonly mask: Data | undefined;
}

/** By program: up to which of its barriers what it stored is known. */
type Knowledge = Map<number, number>;

/** How an atomic takes part: its memory order and scope, and whether the lane stored anything. */
export interface AtomicOrder {
  readonly sem: string;
  readonly scope: string;
}

export class GlobalOrder {
  /** The stores since the last barrier, by buffer. */
  readonly #unordered = new Map<Buffer, Access[]>();
  /** The last store and the last load of each element, by buffer. */
  readonly #stores = new Map<Buffer, Last<Store>>();
  readonly #loads = new Map<Buffer, Last<Load>>();
  readonly #places: (readonly number[])[] = [];
  #time = 0;
  #known: Knowledge = new Map();
  readonly #published = new Map<number, Knowledge>();
  /** Buffers in which a load met a store of the same program with no barrier between. */
  readonly open = new Set<string>();
  /**
   * Loads and stores whose elements the same program stored over with no barrier between, with their buffers. Whether that is a race
   * depends on which threads have an element, which lowered code shows.
   */
  readonly overwritten = new Map<Operation, string>();
  /** Changes with what is stored. */
  version = 0;

  constructor(
    readonly memory: Memory,
    readonly findings: Findings,
  ) {}

  /** How many programs have not begun: they run one after the other. */
  left = 0;

  begin(program: readonly number[]): void {
    this.#places.push(program);
    this.#known = new Map();
    this.#time = 0;
    this.#unordered.clear();
  }

  /** All threads meet. */
  barrier(): void {
    this.#time++;
    this.#unordered.clear();
  }

  /** Before a store takes effect; what it gives back is to be called afterwards. */
  storing(access: Access): () => void {
    const { op, addresses, mask } = access;
    const buffer = this.#bufferOf(addresses, mask);
    if (!buffer) return () => {};
    const stores = this.#storesOf(buffer);
    const loads = this.#loads.get(buffer);
    const suspects: (readonly [address: number, before: number | undefined, by: Store])[] = [];
    const own: typeof suspects = [];
    forEach(access, (address) => {
      const load = loads?.get(address);
      if (load?.program === this.#places.length && load.time === this.#time) this.overwritten.set(load.op, buffer.spec.name);
      const last = stores.get(address);
      if (!last) return;
      if (this.#races(last, false)) suspects.push([address, this.#byte(address), last]);
      else if (last.program === this.#places.length && last.time === this.#time) own.push([address, this.#byte(address), last]);
    });
    return () => {
      this.version++;
      const isChanged = ([address, before]: (typeof suspects)[number]) => this.#byte(address) !== before;
      const changed = suspects.find(isChanged);
      if (changed) this.#race(op, "stores to", changed[0], changed[2]);
      const over = own.find(isChanged);
      if (over) this.overwritten.set(over[2].op, buffer.spec.name);
      const store = { op, program: this.#places.length, time: this.#time, isAtomic: false };
      forEach(access, (address) => {
        stores.set(address, store);
        if (this.#published.size > 0) this.#published.delete(address);
      });
      const unordered = this.#unordered.get(buffer);
      if (unordered) unordered.push(access);
      else this.#unordered.set(buffer, [access]);
    };
  }

  loaded(access: Access): void {
    const { op, addresses, mask } = access;
    const buffer = this.#bufferOf(addresses, mask);
    if (!buffer) return;
    let loaded = this.#loads.get(buffer);
    if (!loaded) this.#loads.set(buffer, (loaded = new Last()));
    const load = { op, program: this.#places.length, time: this.#time };
    forEach(access, (address) => loaded.set(address, load));
    const stores = this.#stores.get(buffer);
    if (!stores) return;
    if (this.#places.length > 1 && !this.findings.has("global-race", op))
      forEach(access, (address) => {
        const last = stores.get(address);
        // A load never races with a store by an atomic.
        if (last && this.#races(last, true)) this.#race(op, "loads", address, last);
      });
    const unordered = this.#unordered.get(buffer);
    if (!unordered || this.findings.has("global-order", op)) return;
    const loads = new Set<number>();
    forEach(access, (address) => void loads.add(address));
    for (const store of unordered) {
      let found: number | undefined;
      forEach(store, (address) => {
        if (loads.has(address)) found ??= address;
      });
      if (found === undefined) continue;
      this.open.add(buffer.spec.name);
      const where = `byte ${found - buffer.address} of '${buffer.spec.name}'`;
      return this.findings.add("global-order", op, `${op.name} loads ${where}, which ${store.op.name} stored without a barrier between`);
    }
  }

  /** A lane of an atomic, once it has taken effect: what it learns of others, and makes known. */
  atomic(op: Operation, address: number, { sem, scope }: AtomicOrder, stores: boolean, changes: boolean): void {
    const buffer = this.memory.bufferAt(address);
    if (!buffer) return;
    if (changes) this.version++;
    const all = this.#storesOf(buffer);
    const last = all.get(address);
    if (last && this.#races(last, true)) this.#race(op, "reads", address, last);
    const load = stores ? this.#loads.get(buffer)?.get(address) : undefined;
    if (load?.program === this.#places.length && load.time === this.#time) this.overwritten.set(load.op, buffer.spec.name);
    if (stores) all.set(address, { op, program: this.#places.length, time: this.#time, isAtomic: true });
    // Within a CTA nothing is made known to other programs.
    if (scope === "cta") return;
    const there = this.#published.get(address);
    if (sem.startsWith("acq")) learn(this.#known, there);
    if (!stores || (sem !== "release" && sem !== "acq_rel")) return;
    // A release does not publish the program's stores since its last barrier: other threads may have made them.
    const next: Knowledge = new Map(there);
    learn(next, this.#known);
    learn(next, new Map([[this.#places.length, this.#time - 1]]));
    this.#published.set(address, next);
  }

  /** In words, what is stored at an address and by whom. */
  lastStore(address: number): string {
    const buffer = this.memory.bufferAt(address);
    const last = buffer && this.#stores.get(buffer)?.get(address);
    return `${this.#place(address)}: ${last ? `${this.#storeText(last)} was the last one there` : "no program has stored there"}${notBegun(this.left)}`;
  }

  #storesOf(buffer: Buffer): Last<Store> {
    let stores = this.#stores.get(buffer);
    if (!stores) this.#stores.set(buffer, (stores = new Last()));
    return stores;
  }

  /** Whether nothing orders what is done now after a store; `withAtomics`: it may meet an atomic. */
  #races({ program, time, isAtomic }: Store, withAtomics: boolean): boolean {
    return program !== this.#places.length && !(isAtomic && withAtomics) && (this.#known.get(program) ?? -1) < time;
  }

  #race(op: Operation, does: string, address: number, by: Store): void {
    this.findings.add(
      "global-race",
      op,
      `${op.name} ${does} ${this.#place(address)}, with nothing that orders it after ${this.#storeText(by)}`,
    );
  }

  #storeText = ({ op, program }: Store): string => `${op.name} in program (${this.#places[program - 1]!.join(", ")})`;

  #place(address: number): string {
    const buffer = this.memory.bufferAt(address);
    return buffer ? `byte ${address - buffer.address} of '${buffer.spec.name}'` : `address ${address}`;
  }

  /** A number that changes with the first bytes at an address; undefined outside of all buffers, where a store changes nothing. */
  #byte(address: number): number | undefined {
    const page = this.memory.page(address);
    return page?.i32[(address & (page.u8.length - 1)) >> 2];
  }

  #bufferOf(addresses: Data, mask: Data | undefined): Buffer | undefined {
    const first = mask ? (mask as Int8Array).findIndex(Boolean) : 0;
    return first < 0 ? undefined : this.memory.bufferAt(addresses[first] as number);
  }
}

const PAGE = 1024;

/** The last access of a kind at each address. */
class Last<Kind> {
  readonly #pages = new Map<number, Int32Array>();
  /** By the numbers in pages; 0 is none. */
  readonly #accesses: (Kind | undefined)[] = [undefined];
  #key = -1;
  #page: Int32Array | undefined;

  #pageAt(address: number): Int32Array | undefined {
    const key = Math.floor(address / PAGE);
    if (key !== this.#key) [this.#key, this.#page] = [key, this.#pages.get(key)];
    return this.#page;
  }

  get(address: number): Kind | undefined {
    const page = this.#pageAt(address);
    return page && this.#accesses[page[address & (PAGE - 1)]!];
  }

  set(address: number, access: Kind): void {
    let page = this.#pageAt(address);
    if (!page) this.#pages.set(this.#key, (this.#page = page = new Int32Array(PAGE)));
    if (this.#accesses.at(-1) !== access) this.#accesses.push(access);
    page[address & (PAGE - 1)] = this.#accesses.length - 1;
  }
}

function forEach({ addresses, mask }: Access, visit: (address: number) => void): void {
  for (let i = 0; i < addresses.length; i++) if (!mask || mask[i]) visit(addresses[i] as number);
}

function learn(known: Knowledge, more: Knowledge | undefined): void {
  for (const [program, time] of more ?? []) if (time > (known.get(program) ?? -1)) known.set(program, time);
}
