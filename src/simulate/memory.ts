/**
 * Global memory without a host program: each pointer argument is a buffer in an address range of its own, pages appear
 * when touched, and what was never written has a value that depends only on seed, argument and offset. So two
 * executions of one kernel, at whatever level, see the same memory, and agree when their final stores agree.
 *
 *     const memory = new Memory(1);
 *     const x = memory.addBuffer({ name: "x_ptr", element: "f16" });   // its address, a multiple of 2^35
 *     memory.load16(x + 2);                                            // the bits of x[1]
 *     memory.store16(x, 0x3c00); memory.stores("x_ptr");               // [{ offset: 0, bytes: [0, 0x3c] }]
 */
import { type InitialValues, initialValue } from "./initial-values.js";
import { bytesOf, type ElementKind, writeElement } from "./numbers/element.js";

export interface BufferSpec {
  readonly name: string;
  readonly element: ElementKind;
  /** Extent in bytes, when known: an access beyond it is out of bounds. Always known with `data`. */
  readonly bytes?: number;
  readonly init?: InitialValues;
  /** The host's data, instead of `init`. Never written to. */
  readonly data?: Uint8Array;
  /** The largest power of two that its address is a multiple of, below 2^35; by default that. */
  readonly alignment?: number;
}

/** A stretch of bytes that was stored. */
export interface StoredRun {
  /** In bytes from the buffer's begin; may be negative for an out-of-bounds store. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export interface Buffer {
  readonly spec: BufferSpec;
  /** The number that its initial values depend on: the argument's position, or one made from a pointer table's. */
  readonly id: number;
  readonly address: number;
  /** The address after its last byte; Infinity where the extent is unknown. */
  readonly end: number;
  readonly pages: Map<number, Page>;
  /** Its pages' made-up values by offset; undefined where nothing is made up. */
  readonly initial: Map<number, Initial> | undefined;
  /** Addresses of bytes that were first touched by an atomic. */
  readonly zeroed: Set<number>;
  /** Those of the run that this one is `within`: they start at 0, whatever touches them first, and no others do. */
  readonly zeroedBefore: ReadonlySet<number> | undefined;
}

/** 2^PAGE_BITS bytes; views of several widths over them, and one byte of flags for each byte. */
export interface Page {
  readonly buffer: Buffer;
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
  readonly flags: Uint8Array;
  readonly flags16: Uint16Array;
  readonly flags32: Int32Array;
  /** The flags of the run whose bytes alone may be touched, where there is one. */
  readonly within: Uint8Array | undefined;
  /** Its chunks that have their initial values, as bits; values of the others are not made up yet. */
  filled: number;
  readonly initial: Initial | undefined;
}

/** A page's made-up values, chunk by chunk. */
interface Initial {
  readonly u8: Uint8Array;
  filled: number;
}

export const PAGE_BITS = 10;
const PAGE_BYTES = 1 << PAGE_BITS;
/** Rows may be far apart: values are made up only near those that are touched. */
const CHUNK_BITS = 6;
const CHUNK_BYTES = 1 << CHUNK_BITS;
const ALL_CHUNKS = (1 << (PAGE_BYTES / CHUNK_BYTES)) - 1;
/** A buffer's addresses are its id's 2^36 bytes, beginning in their middle, so that a negative index is not taken for another argument. */
const RANGE = 2 ** 36;
const ORIGIN = 2 ** 35;
const TABLE_ENTRIES = 4096;
const FIRST_TABLE_ID = 256;

const RANDOM: InitialValues = { kind: "random" };

const READ = 1;
const WRITTEN = 2;
/** In the word of an atomic on fewer bytes, which hardware may exchange as a whole. */
export const IN_ATOMIC_WORD = 4;
const UNTOUCHED = new Uint8Array(PAGE_BYTES);

/** Thrown when more pages are touched than the limit allows. */
export class MemoryLimit extends Error {
  override readonly name = "MemoryLimit";
}

export class Memory {
  readonly #buffers = new Map<number, Buffer>();
  readonly #byName = new Map<string, Buffer>();
  #lastKey = -1;
  #lastPage: Page | undefined;
  #numPages = 0;
  readonly #room = new Room();
  /** The initial contents of pages, by buffer and offset; runs that are compared share them. */
  readonly #initial: Map<string, Map<number, Initial>>;

  /**
   * `maxBytes` limits what may be touched, not address ranges. With `within`, the memory of another run of the same kernel,
   * arguments end where that run has touched them: another byte is out of bounds. They begin as they began there.
   */
  constructor(
    readonly seed: number,
    readonly maxBytes = 2 ** 28,
    readonly within?: Memory,
  ) {
    this.#initial = within ? within.#initial : new Map();
  }

  /** Adds the next argument's buffer; gives its address. Names are unique; ids, and so initial values, are those of `within`, or `position`. */
  addBuffer(spec: BufferSpec, position = this.#byName.size): number {
    return this.#add(spec, this.within?.named(spec.name)?.id ?? position).address;
  }

  #add(spec: BufferSpec, id: number): Buffer {
    const address = (id + 1) * RANGE + ORIGIN + (spec.alignment ?? 0);
    const buffer = {
      spec,
      id,
      address,
      end: address + (extentOf(spec) ?? Infinity),
      pages: new Map<number, Page>(),
      initial: this.#initialOf(spec, id),
      zeroed: new Set<number>(),
      zeroedBefore: this.within?.named(spec.name)?.zeroed,
    };
    this.#buffers.set(id, buffer);
    this.#byName.set(spec.name, buffer);
    return buffer;
  }

  named(name: string): Buffer | undefined {
    return this.#byName.get(name);
  }

  /** How many pages were touched: the first access to each takes as long as some thousand instructions of a lane. */
  get numPages(): number {
    return this.#numPages;
  }

  get buffers(): readonly Buffer[] {
    return [...this.#buffers.values()].sort((a, b) => a.id - b.id);
  }

  /** The buffer whose range holds the address. */
  bufferAt(address: number): Buffer | undefined {
    return this.#buffers.get(Math.floor(address / RANGE) - 1);
  }

  /** Why an access there is out of bounds; undefined when it is not. An access to a word by an atomic may be to a part of it. */
  outOfBounds(address: number, bytes: number): string | undefined {
    const page = this.page(address);
    if (page && this.permits(page, address, bytes)) return undefined;
    const at = `address 0x${address.toString(16)}`;
    if (page === undefined) return `${at} belongs to no argument`;
    const { spec } = page.buffer;
    const extent = extentOf(spec);
    const offset = address - page.buffer.address;
    const end = extent !== undefined ? `, which has ${extent} bytes` : offset >= 0 ? ", which the source does not touch" : "";
    return `${at}: byte ${offset} of '${spec.name}' (element ${Math.floor(offset / bytesOf(spec.element))})${end}`;
  }

  /** Whether an access to bytes of a page is in bounds. */
  permits(page: Page, address: number, bytes: number): boolean {
    const { buffer, within } = page;
    if (address < buffer.address || address + bytes > buffer.end) return false;
    if (within === undefined) return true;
    const begin = address & (PAGE_BYTES - 1);
    for (let i = begin; i < begin + bytes; i++) if (within[i] === 0) return false;
    return true;
  }

  /**
   * The page holding an address, with the values of `bytes` bytes from there on (which lie in one chunk where they are aligned and at most
   * 16); undefined when no argument owns the address. Out of bounds within an argument's range is zeros; `outOfBounds` reports it.
   */
  page(address: number, bytes = 1): Page | undefined {
    const key = Math.floor(address / PAGE_BYTES);
    const page = key === this.#lastKey ? this.#lastPage! : this.#pageOf(key, address);
    if (page !== undefined && page.filled !== ALL_CHUNKS) this.#fillChunks(page, address, bytes);
    return page;
  }

  #pageOf(key: number, address: number): Page | undefined {
    const buffer = this.bufferAt(address);
    if (buffer === undefined) return undefined;
    let page = buffer.pages.get(key);
    if (page === undefined) buffer.pages.set(key, (page = this.#newPage(buffer, key * PAGE_BYTES - buffer.address)));
    this.#lastKey = key;
    this.#lastPage = page;
    return page;
  }

  #fillChunks(page: Page, address: number, bytes: number): void {
    const begin = address & (PAGE_BYTES - 1);
    const end = Math.min(begin + bytes, PAGE_BYTES);
    for (let at = begin & -CHUNK_BYTES; at < end; at += CHUNK_BYTES) {
      const bit = 1 << (at >> CHUNK_BITS);
      if (page.filled & bit) continue;
      page.filled |= bit;
      const { buffer, initial, u8 } = page;
      const offset = address - begin - buffer.address + at;
      const values = initial!.u8.subarray(at, at + CHUNK_BYTES);
      if ((initial!.filled & bit) === 0) this.#fill(buffer, offset, values);
      initial!.filled |= bit;
      u8.set(values, at);
      const { zeroedBefore } = buffer;
      if (zeroedBefore?.size) for (let i = 0; i < CHUNK_BYTES; i++) if (zeroedBefore.has(buffer.address + offset + i)) u8[at + i] = 0;
    }
  }

  #newPage(buffer: Buffer, offset: number): Page {
    if (++this.#numPages * PAGE_BYTES > this.maxBytes)
      throw new MemoryLimit(`more than ${this.maxBytes} bytes of global memory are touched`);
    const [bytes, at] = this.#room.take(2 * PAGE_BYTES);
    const u8 = new Uint8Array(bytes, at, PAGE_BYTES);
    const initial = this.#initialPage(buffer, offset);
    if (!initial) this.#fill(buffer, offset, u8);
    else if (!buffer.zeroedBefore?.size) u8.set(initial.u8);
    const flags = new Uint8Array(bytes, at + PAGE_BYTES, PAGE_BYTES);
    const other = this.within?.bufferAt(buffer.address);
    // Scratch memory and constants of lowered code are not arguments.
    const isFenced = this.within && !buffer.spec.name.startsWith("#") && (other || buffer.spec.data === undefined);
    return {
      buffer,
      u8,
      u16: new Uint16Array(bytes, at, PAGE_BYTES / 2),
      i32: new Int32Array(bytes, at, PAGE_BYTES / 4),
      flags,
      flags16: new Uint16Array(bytes, at + PAGE_BYTES, PAGE_BYTES / 2),
      flags32: new Int32Array(bytes, at + PAGE_BYTES, PAGE_BYTES / 4),
      within: isFenced ? (other?.pages.get((buffer.address + offset) / PAGE_BYTES)?.flags ?? UNTOUCHED) : undefined,
      filled: !initial ? ALL_CHUNKS : buffer.zeroedBefore?.size ? 0 : initial.filled,
      initial,
    };
  }

  /** The initial values from `offset` on. */
  #fill(buffer: Buffer, offset: number, out: Uint8Array): void {
    const { spec, id } = buffer;
    if (offset < 0) {
      if (offset + out.length > 0) this.#fill(buffer, 0, out.subarray(-offset));
      return;
    }
    if (spec.data) {
      out.set(spec.data.subarray(offset, offset + out.length));
      return;
    }
    const { init = RANDOM } = spec;
    if (init.kind === "zeros") return;
    const size = bytesOf(spec.element);
    const first = offset / size;
    const count = Math.min(out.length, Math.max((spec.bytes ?? Infinity) - offset, 0)) / size;
    const view = new DataView(out.buffer, out.byteOffset);
    for (let i = 0; i < count; i++)
      if (init.kind === "pointers") view.setBigInt64(i * 8, BigInt(this.#tableEntry(id, first + i, init.element)), true);
      else writeElement(spec.element, initialValue(init, spec.element, this.seed, id, first + i), out, i * size);
  }

  #initialOf(spec: BufferSpec, id: number): Map<number, Initial> | undefined {
    const { init = RANDOM } = spec;
    if (spec.data || init.kind === "zeros" || init.kind === "pointers") return undefined;
    const key = JSON.stringify([this.seed, id, spec.element, spec.bytes, init]);
    let pages = this.#initial.get(key);
    if (!pages) this.#initial.set(key, (pages = new Map()));
    return pages;
  }

  /** The page's made-up values, as far as they are known. */
  #initialPage({ initial }: Buffer, offset: number): Initial | undefined {
    if (offset <= -PAGE_BYTES) return undefined;
    let page = initial?.get(offset);
    if (!page) initial?.set(offset, (page = { u8: new Uint8Array(...this.#room.take(PAGE_BYTES), PAGE_BYTES), filled: 0 }));
    return page;
  }

  /** The address of the buffer that entry `index` of a pointer table points to; its id, and so its contents, depend on both numbers only. */
  #tableEntry(table: number, index: number, element: ElementKind): number {
    const id = FIRST_TABLE_ID + table * TABLE_ENTRIES + (index % TABLE_ENTRIES);
    const name = `${this.#buffers.get(table)!.spec.name}[${index % TABLE_ENTRIES}]`;
    return (this.#buffers.get(id) ?? this.#add({ name, element }, id)).address;
  }

  // Accesses of aligned addresses. Where no argument owns the address, loads give 0 and stores do nothing: ask `outOfBounds` first.

  load8(address: number): number {
    const page = this.page(address);
    if (page === undefined) return 0;
    const at = address & (PAGE_BYTES - 1);
    page.flags[at]! |= READ;
    return page.u8[at]!;
  }

  load16(address: number): number {
    const page = this.page(address);
    if (page === undefined) return 0;
    const at = (address & (PAGE_BYTES - 1)) >> 1;
    page.flags16[at]! |= READ * 0x0101;
    return page.u16[at]!;
  }

  /** As a signed number. */
  load32(address: number): number {
    const page = this.page(address);
    if (page === undefined) return 0;
    const at = (address & (PAGE_BYTES - 1)) >> 2;
    page.flags32[at]! |= READ * 0x01010101;
    return page.i32[at]!;
  }

  store8(address: number, bits: number): void {
    const page = this.page(address);
    if (page === undefined) return;
    const at = address & (PAGE_BYTES - 1);
    page.flags[at]! |= WRITTEN;
    page.u8[at] = bits;
  }

  store16(address: number, bits: number): void {
    const page = this.page(address);
    if (page === undefined) return;
    const at = (address & (PAGE_BYTES - 1)) >> 1;
    page.flags16[at]! |= WRITTEN * 0x0101;
    page.u16[at] = bits;
  }

  store32(address: number, bits: number): void {
    const page = this.page(address);
    if (page === undefined) return;
    const at = (address & (PAGE_BYTES - 1)) >> 2;
    page.flags32[at]! |= WRITTEN * 0x01010101;
    page.i32[at] = bits;
  }

  load64(address: number): bigint {
    return (BigInt(this.load32(address + 4)) << 32n) | BigInt(this.load32(address) >>> 0);
  }

  store64(address: number, bits: bigint): void {
    this.store32(address, Number(BigInt.asIntN(32, bits)));
    this.store32(address + 4, Number(BigInt.asIntN(32, bits >> 32n)));
  }

  /** To be called before an atomic reads: memory first touched by an atomic starts at 0, unless the host gave data or an `init`. */
  prepareAtomic(address: number, bytes: number): void {
    const page = this.page(address);
    if (page !== undefined && bytes < 4) page.flags32[(address & (PAGE_BYTES - 1)) >> 2]! |= IN_ATOMIC_WORD * 0x01010101;
    if (page === undefined || page.buffer.spec.data !== undefined || page.buffer.spec.init !== undefined || page.buffer.zeroedBefore)
      return;
    const at = address & (PAGE_BYTES - 1);
    for (let i = at; i < at + bytes; i++)
      if ((page.flags[i]! & (READ | WRITTEN)) === 0) {
        page.u8[i] = 0;
        page.flags[i]! |= READ;
        page.buffer.zeroed.add(address - at + i);
      }
  }

  /** Everything stored into a buffer, by rising offset, neighbouring bytes joined. */
  stores(name: string): readonly StoredRun[] {
    const buffer = this.#byName.get(name);
    if (buffer === undefined) return [];
    const runs: { readonly offset: number; end: number; readonly parts: Uint8Array[] }[] = [];
    for (const [key, page] of [...buffer.pages].sort(([a], [b]) => a - b)) {
      const base = key * PAGE_BYTES - buffer.address;
      for (let i = 0; i < PAGE_BYTES; ) {
        const begin = i;
        while (i < PAGE_BYTES && page.flags[i]! & WRITTEN) i++;
        if (i > begin) {
          const part = page.u8.subarray(begin, i);
          const last = runs.at(-1);
          if (last?.end === base + begin) {
            last.parts.push(part);
            last.end = base + i;
          } else runs.push({ offset: base + begin, end: base + i, parts: [part] });
        }
        // Four bytes at a time over what was not written.
        while (i < PAGE_BYTES && (page.flags[i]! & WRITTEN) === 0)
          i += (i & 3) === 0 && (page.flags32[i >> 2]! & (WRITTEN * 0x01010101)) === 0 ? 4 : 1;
      }
    }
    return runs.map(({ offset, end, parts }) => ({ offset, bytes: joined(parts, end - offset) }));
  }

  /** How far a buffer was read or written, from its begin. */
  touchedBytes(name: string): number {
    let end = 0;
    const buffer = this.#byName.get(name);
    for (const [key, { flags }] of buffer?.pages ?? []) {
      const last = flags.findLastIndex((f) => f !== 0);
      if (last >= 0) end = Math.max(end, key * PAGE_BYTES - buffer!.address + last + 1);
    }
    return end;
  }

  /** The first `bytes` bytes of a buffer as they are now. */
  contents(name: string, bytes: number): Uint8Array {
    const buffer = this.#byName.get(name);
    const out = new Uint8Array(bytes);
    if (buffer === undefined) return out;
    const first = Math.floor(buffer.address / PAGE_BYTES);
    for (let key = first; key * PAGE_BYTES < buffer.address + bytes; key++) {
      const offset = key * PAGE_BYTES - buffer.address;
      let values = buffer.pages.has(key) ? this.page(key * PAGE_BYTES, PAGE_BYTES)!.u8 : undefined;
      if (!values) this.#fill(buffer, offset, (values = new Uint8Array(PAGE_BYTES)));
      out.set(values.subarray(Math.max(-offset, 0), bytes - offset), Math.max(offset, 0));
    }
    return out;
  }
}

/** Pieces of zeros that share allocations: each allocation costs as much as filling a page. */
class Room {
  #buffer = new ArrayBuffer(0);
  #used = 0;
  take(bytes: number): readonly [ArrayBuffer, number] {
    if (this.#used + bytes > this.#buffer.byteLength) {
      this.#buffer = new ArrayBuffer(Math.max(bytes, Math.min(2 * this.#buffer.byteLength, 128 * PAGE_BYTES)));
      this.#used = 0;
    }
    this.#used += bytes;
    return [this.#buffer, this.#used - bytes];
  }
}

/** A copy. */
function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function extentOf(spec: BufferSpec): number | undefined {
  return spec.bytes ?? spec.data?.length;
}
