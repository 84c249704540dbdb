/** The boxes that copies by tensor maps take: rows of global memory, and where they lie in shared memory. */
import type { Memory } from "../memory.js";
import { PAGE_BITS } from "../memory.js";
import type { AccessKind } from "./access.js";
import type { Findings, Site } from "./findings.js";
import { swizzled } from "./swizzle.js";
import type { TensorMap } from "./tensor-map.js";
import type { Warp } from "./warp.js";

/** Which rows a copy takes: a box at coordinates (innermost first), or four rows of a matrix from a column on. */
export type BoxPlace =
  | { readonly kind: "tile"; readonly at: readonly number[] }
  | { readonly kind: "rows"; readonly column: number; readonly rows: readonly number[] };

/** Rows of a box, in the order in which they lie in shared memory. */
interface Row {
  /** The address of its first element, which may be out of bounds; undefined where the whole row is. */
  readonly address: number | undefined;
}

function* rowsOf({ base, dims, box, strides }: TensorMap, place: BoxPlace): Iterable<Row> {
  if (place.kind === "rows") {
    for (const row of place.rows) yield { address: row >= 0 && row < dims[1]! ? base + row * strides[0]! : undefined };
    return;
  }
  const index = box.map(() => 0);
  for (;;) {
    let address: number | undefined = base;
    for (let d = 1; d < box.length && address !== undefined; d++) {
      const coordinate = place.at[d]! + index[d]!;
      address = coordinate >= 0 && coordinate < dims[d]! ? address + coordinate * strides[d - 1]! : undefined;
    }
    yield { address };
    let d = 1;
    while (d < box.length && ++index[d]! === box[d]!) index[d++] = 0;
    if (d >= box.length) return;
  }
}

/** Bytes of a row of the box in shared memory. */
const rowBytes = ({ box, element }: TensorMap): number => box[0]! * element.bytes;

/** Bytes that a copy brings, those out of bounds included. */
export function boxBytes(map: TensorMap, place: BoxPlace): number {
  const rows = place.kind === "rows" ? place.rows.length : map.box.slice(1).reduce((a, b) => a * b, 1);
  return rows * rowBytes(map);
}

/** One stretch of a row that is in bounds. */
interface Stretch {
  readonly address: number;
  readonly bytes: number;
  /** Where it begins among the box's bytes, before swizzling. */
  readonly at: number;
}

function* stretches(map: TensorMap, place: BoxPlace): Iterable<Stretch> {
  const size = rowBytes(map);
  const { packed, bytes } = map.element;
  const first = place.kind === "rows" ? place.column : place.at[0]!;
  const [low, high] = [Math.max(0, -first), Math.min(map.box[0]!, map.dims[0]! - first)];
  let row = 0;
  for (const { address } of rowsOf(map, place)) {
    const at = row++ * size;
    if (address === undefined || low >= high) continue;
    if (packed === undefined) yield { address: address + (first + low) * bytes, bytes: (high - low) * bytes, at: at + low * bytes };
    else
      for (let e = low; e < high; e += 16)
        yield { address: address + ((first + e) / 16) * packed, bytes: Math.min(packed, ((high - e) * packed) / 16), at: at + e };
  }
}

/** Counts the sectors and lines that a copy touches. */
export function countBox(
  { cta: { touched }, index, asLanes }: Warp,
  lane: number,
  site: Site,
  map: TensorMap,
  place: BoxPlace,
  kind: AccessKind,
): void {
  if (asLanes) {
    const all = [...stretches(map, place)];
    if (all.length > 0)
      asLanes.accessed(
        lane,
        site,
        all[0]!.address,
        all.reduce((sum, { bytes }) => sum + bytes, 0),
        kind,
      );
    return;
  }
  site.requests++;
  for (const { address, bytes } of stretches(map, place)) {
    const [first, last] = [Math.floor(address / 32), Math.floor((address + bytes - 1) / 32)];
    site.sectors += last - first + 1;
    site.lines += Math.floor(last / 4) - Math.floor(first / 4) + 1;
    if (touched) for (let sector = first; sector <= last; sector++) touched(site, sector, kind, index);
  }
}

const PAGE = 1 << PAGE_BITS;

/** Does something for each part of a stretch that lies in one page. */
function forPages(
  memory: Memory,
  { address, bytes }: Stretch,
  findings: Findings,
  site: Site,
  each: (u8: Uint8Array, flags: Uint8Array, offset: number, done: number, count: number) => void,
): void {
  for (let done = 0; done < bytes; ) {
    const at = address + done;
    const offset = at & (PAGE - 1);
    const count = Math.min(bytes - done, PAGE - offset);
    const problem = memory.outOfBounds(at, count);
    if (problem !== undefined) findings.add("out-of-bounds", site, `by a tensor map: ${problem}`);
    const page = memory.page(at, count);
    if (page !== undefined) each(page.u8, page.flags, offset, done, count);
    done += count;
  }
}

/** The bytes of a box as they lie in shared memory from `to` on. */
export function readBox(map: TensorMap, place: BoxPlace, to: number, memory: Memory, findings: Findings, site: Site): Uint8Array {
  const plain = new Uint8Array(boxBytes(map, place));
  if (map.nan) plain.fill(0xff);
  for (const stretch of stretches(map, place))
    forPages(memory, stretch, findings, site, (u8, flags, offset, done, count) => {
      for (let i = 0; i < count; i++) flags[offset + i]! |= READ;
      plain.set(u8.subarray(offset, offset + count), stretch.at + done);
    });
  if (map.swizzle === 0) return plain;
  const out = new Uint8Array(plain.length);
  for (let at = 0; at < plain.length; at += 16) out.set(plain.subarray(at, at + 16), swizzled(to + at, map.swizzle) - to);
  return out;
}

const READ = 1;
const WRITTEN = 2;

/** The bytes of a box that lies in shared memory from `from` on, in order. */
function plainBox(map: TensorMap, place: BoxPlace, from: number, shared: Uint8Array): Uint8Array {
  const plain = new Uint8Array(boxBytes(map, place));
  for (let at = 0; at < plain.length; at += 16) {
    const source = swizzled(from + at, map.swizzle);
    plain.set(shared.subarray(source, source + 16), at);
  }
  return plain;
}

/** Combines an element in memory with an operand, in place, as a reduction does. */
export type Combine = (memory: Uint8Array, at: number, operand: Uint8Array, from: number) => void;

/** Stores a box of shared memory, or combines it with what is there. */
export function writeBox(
  map: TensorMap,
  place: BoxPlace,
  from: number,
  shared: Uint8Array,
  memory: Memory,
  findings: Findings,
  site: Site,
  combine?: Combine,
): void {
  const plain = plainBox(map, place, from, shared);
  for (const stretch of stretches(map, place))
    forPages(memory, stretch, findings, site, (u8, flags, offset, done, count) => {
      if (combine === undefined) u8.set(plain.subarray(stretch.at + done, stretch.at + done + count), offset);
      else {
        memory.prepareAtomic(stretch.address + done, count);
        for (let i = 0; i < count; i += map.element.bytes) combine(u8, offset + i, plain, stretch.at + done + i);
      }
      for (let i = 0; i < count; i++) flags[offset + i]! |= WRITTEN;
    });
}
