/** Whether two runs agree: their final stores are the same, up to the rounding that hardware leaves open. */

import type { Operation } from "../../ir/operation.js";
import { IN_ATOMIC_WORD, type Page } from "../memory.js";
import { bytesOf, isFloatKind } from "../numbers/element.js";
import { type Data, type Element, intElement } from "./elements.js";
import type { StoreEvent } from "./machine.js";
import type { RunResult } from "./run.js";
import { OPEN_SIGN } from "./tolerances.js";

export interface Difference {
  /** The argument, and the byte in its buffer. */
  readonly buffer: string;
  readonly offset: number;
  /** The op that stored it last, in the second run (in the first one where the second stores nothing there). */
  readonly op: Operation | undefined;
  readonly program: readonly number[];
  /** The value after each run; undefined where nothing was stored. */
  readonly first: string | undefined;
  readonly second: string | undefined;
  readonly element: string;
  /** How many elements differ in all. */
  readonly total: number;
}

/** The first store that differs, in the order of the second run's stores; undefined when the runs agree. */
export function compareRuns(
  first: RunResult,
  second: RunResult,
  {
    leaveOut = new Set(),
    bounds = first.bounds,
  }: {
    /** Buffers whose order of elements the source leaves open. */
    readonly leaveOut?: ReadonlySet<string>;
    /** How far floats may be apart, by address; asked for where some are. By default what the first run leaves open. */
    readonly bounds?: RunResult["bounds"];
  } = {},
): Difference | undefined {
  const bytes = differingBytes(first, second, leaveOut);
  if (bytes.pages.size === 0) return undefined;
  const found: Found[] = [];
  for (const run of [second, first])
    for (let i = run.stores.length - 1; i >= 0; i--)
      collect(run.stores[i]!, i + (run === first ? second.stores.length : 0), { bytes, run, runs: [first, second], bounds }, found);
  // Lowered code keeps no list of its stores: what only it stored is known by address alone.
  const stray = bytes.first();
  if (found.length === 0 && stray !== undefined) return strayByte(first, second, stray);
  if (found.length === 0) return undefined;
  found.sort((a, b) => a.order - b.order || a.lane - b.lane);
  const { address, event } = found[0]!;
  const buffer = second.memory.bufferAt(address) ?? first.memory.bufferAt(address);
  return {
    buffer: buffer?.spec.name ?? "?",
    offset: address - (buffer?.address ?? 0),
    op: event.op,
    program: event.program,
    first: textAt(first, event.element, address),
    second: textAt(second, event.element, address),
    element: event.element.name,
    total: found.length,
  };
}

function strayByte(first: RunResult, second: RunResult, address: number): Difference {
  const buffer = second.memory.bufferAt(address) ?? first.memory.bufferAt(address);
  const text = (run: RunResult) => textAt(run, intElement(8), address);
  return {
    buffer: buffer?.spec.name ?? "?",
    offset: address - (buffer?.address ?? 0),
    op: undefined,
    program: [],
    first: text(first),
    second: text(second),
    element: "i8",
    total: 1,
  };
}

/** One line about a difference. */
export function differenceText({ buffer, offset, first, second, element, total, program, op }: Difference): string {
  const where = `byte ${offset} of '${buffer}' (${element}${program.length > 0 ? `, program ${program.join(", ")}` : ""})`;
  const more = total > 1 ? `, and ${total - 1} more` : "";
  return `${where}: ${first ?? "not stored"} before, ${second ?? "not stored"} after${op ? `, stored by ${op.name}` : ""}${more}`;
}

/** Whether two runs stored the same bytes into a buffer, in whatever order of elements. */
export function sameElements(first: RunResult, second: RunResult, buffer: string, bytes: number): boolean {
  const elements = ({ memory }: RunResult) =>
    memory
      .stores(buffer)
      .flatMap((run) => Array.from({ length: run.bytes.length / bytes }, (_, i) => run.bytes.slice(i * bytes, (i + 1) * bytes).join()))
      .sort()
      .join(";");
  return elements(first) === elements(second);
}

const WRITTEN = 2;
const WRITTEN_WORD = WRITTEN * 0x01010101;
const isArgument = (name: string): boolean => !name.startsWith("#");

const PAGE = 1024;

/** Addresses, a page of bits at a time. */
class Addresses {
  readonly pages = new Map<number, Uint8Array>();
  /** The page asked for last. */
  #key = -1;
  #page: Uint8Array | undefined;

  add(address: number): void {
    const key = Math.floor(address / PAGE);
    let page = this.pages.get(key);
    if (!page) this.pages.set(key, (page = new Uint8Array(PAGE)));
    page[address % PAGE] = 1;
  }
  /** Takes addresses out; returns whether one of them was there. */
  take(address: number, count: number): boolean {
    let found = false;
    for (let at = address; at < address + count; at++) {
      const key = Math.floor(at / PAGE);
      if (key !== this.#key) [this.#key, this.#page] = [key, this.pages.get(key)];
      if (this.#page?.[at - key * PAGE] !== 1) continue;
      this.#page[at - key * PAGE] = 0;
      found = true;
    }
    return found;
  }
  /** The lowest address. */
  first(): number | undefined {
    for (const [key, page] of [...this.pages].sort(([a], [b]) => a - b)) {
      const at = page.indexOf(1);
      if (at >= 0) return key * PAGE + at;
    }
    return undefined;
  }
}

/** Addresses of bytes that only one run stored, or both with different values. */
function differingBytes(first: RunResult, second: RunResult, leaveOut: ReadonlySet<string>): Addresses {
  const differing = new Addresses();
  for (const [run, other] of [
    [first, second],
    [second, first],
  ] as const)
    for (const buffer of run.memory.buffers) {
      if (!isArgument(buffer.spec.name) || leaveOut.has(buffer.spec.name)) continue;
      const theirs = other.memory.bufferAt(buffer.address)?.pages;
      for (const [key, page] of buffer.pages) {
        const match = theirs?.get(key);
        if (run === second && match) continue;
        compareBytes(page, match, key * page.u8.length, differing);
      }
    }
  return differing;
}
function compareBytes(page: Page, match: Page | undefined, base: number, differing: Addresses): void {
  for (let word = 0; word < page.i32.length; word++) {
    const mine = page.flags32[word]! & WRITTEN_WORD;
    const theirs = match ? match.flags32[word]! & WRITTEN_WORD : 0;
    if (mine === theirs && (mine === 0 || page.i32[word] === match!.i32[word])) continue;
    for (let i = 4 * word; i < 4 * word + 4; i++) {
      const [here, there] = [page.flags[i]!, match ? match.flags[i]! : 0];
      const isSame = page.u8[i] === match?.u8[i];
      // A swap of a word writes back what is beside the 16 bits of an atomic.
      if ((here ^ there) & WRITTEN ? !(isSame && (here | there) & IN_ATOMIC_WORD) : here & WRITTEN && !isSame) differing.add(base + i);
    }
  }
}

interface Found {
  readonly order: number;
  readonly lane: number;
  readonly address: number;
  readonly event: StoreEvent;
}
interface Comparison {
  /** Those that no later store has taken. */
  readonly bytes: Addresses;
  readonly run: RunResult;
  readonly runs: readonly [RunResult, RunResult];
  readonly bounds: RunResult["bounds"];
}

/** The elements of a store that differ and were not stored over later. */
function collect(event: StoreEvent, order: number, { bytes, run, runs, bounds }: Comparison, found: Found[]): void {
  const { mask, element } = event;
  const addresses = event.addresses as Float64Array;
  const bound = holdsFloats(event, run) ? (address: number) => bounds().get(address) ?? 0 : undefined;
  for (let lane = 0; lane < addresses.length; lane++) {
    if (mask && !mask[lane]) continue;
    const address = addresses[lane]!;
    if (bytes.take(address, element.bytes) && !agree(runs, element, address, bound)) found.push({ order, lane, address, event });
  }
}

/** Atomics order floats by their bits, as integers: what they leave may be as far off as the bits may. */
function holdsFloats({ op, element, addresses, mask }: StoreEvent, { memory }: RunResult): boolean {
  if (element.family !== "int" || !op.name.startsWith("tt.atomic")) return element.family === "float";
  const first = mask ? (mask as Int8Array).findIndex(Boolean) : 0;
  const kind = memory.bufferAt(addresses[first] as number)?.spec.element;
  return kind !== undefined && isFloatKind(kind) && bytesOf(kind) === element.bytes;
}

/**
 * Without a bound, and where they are not finite, the values must be the same. Zeros of different signs agree where the source leaves the value
 * open, and nowhere else.
 */
function agree([first, second]: Comparison["runs"], element: Element, address: number, bound?: (address: number) => number): boolean {
  if (!isStored(first, address) || !isStored(second, address)) return false;
  const [a, b] = [valueAt(first, element, address), valueAt(second, element, address)];
  if (Object.is(a, b)) return true;
  if (!bound) return a === b;
  if (Number.isNaN(a) && Number.isNaN(b)) return true;
  const apart = Math.abs(Number(a) - Number(b));
  const open = bound(address);
  return apart === 0 ? open > 0 : Number.isFinite(apart) && apart <= open;
}

/** Floats among a run's stores that may be so far off that they say little: how many of how many. */
export function uncertain(
  run: RunResult,
  bounds: ReadonlyMap<number, number>,
): { readonly op: Operation; readonly count: number; readonly of: number }[] {
  const ops = new Map<Operation, { op: Operation; count: number; of: number }>();
  for (const event of run.stores) {
    const { element } = event;
    if (element.family !== "float") continue;
    const places = (event.addresses as Float64Array).filter((_, i) => !event.mask || event.mask[i]);
    const sizes = places.map((address) => {
      const size = Math.abs(Number(valueAt(run, element, address)));
      return Number.isFinite(size) ? size : 0;
    });
    const usual = sizes.reduce((sum, x) => sum + x, 0) / Math.max(sizes.length, 1);
    const entry = ops.get(event.op) ?? { op: event.op, count: 0, of: 0 };
    ops.set(event.op, entry);
    entry.of += places.length;
    entry.count += places.filter(
      (address, i) => (bounds.get(address) ?? 0) > Math.max(OPEN_SIGN, UNCERTAIN * Math.max(sizes[i]!, usual)),
    ).length;
  }
  return [...ops.values()].filter(({ count }) => count > 0);
}
/** How much of the floats that a run stored is infinite or NaN. */
export function nonFinite(run: RunResult): number {
  let [count, of] = [0, 0];
  for (const { element, addresses, mask } of run.stores) {
    if (element.family !== "float") continue;
    (addresses as Float64Array).forEach((address, i) => {
      if (mask && !mask[i]) return;
      of++;
      if (!Number.isFinite(valueAt(run, element, address))) count++;
    });
  }
  return of === 0 ? 0 : count / of;
}

/** The least uncertain error bound, as a share of a value or of the mean of the values that its op stored, whichever is larger. */
const UNCERTAIN = 0.1;

function isStored(run: RunResult, address: number): boolean {
  const page = run.memory.bufferAt(address)?.pages.get(Math.floor(address / 1024));
  return page !== undefined && (page.flags[address & 1023]! & WRITTEN) !== 0;
}
/** The value at an address, as a number; a 64-bit integer as a bigint. */
function valueAt({ memory }: RunResult, element: Element, address: number): number | bigint {
  const { bytes, family } = element;
  if (family === "ptr") return memory.load64(address);
  let cell = cells.get(element);
  if (!cell) cells.set(element, (cell = cellOf(element)));
  const { raw, held } = cell;
  raw[0] = (
    bytes === 8
      ? memory.load64(address)
      : bytes === 4
        ? memory.load32(address)
        : bytes === 2
          ? memory.load16(address)
          : memory.load8(address)
  ) as never;
  if (family === "int") return raw[0]!;
  return element.decode ? element.decode[held[0] as number]! : Number(held[0]);
}
/** One element, as a signed integer and as it is kept. */
interface Cell {
  readonly raw: Data;
  readonly held: Data;
}
const cells = new Map<Element, Cell>();
function cellOf(element: Element): Cell {
  const held = element.alloc(1);
  const raw = intElement(8 * element.bytes).alloc(1);
  return { raw: new (raw.constructor as new (buffer: ArrayBufferLike) => Data)(held.buffer), held };
}
function textAt(run: RunResult, element: Element, address: number): string | undefined {
  if (!isStored(run, address)) return undefined;
  const value = valueAt(run, element, address);
  return Object.is(value, -0) ? "-0" : String(value);
}
