/**
 * Gives buffers offsets such that those in use at the same time do not overlap: the largest first, each as low as it goes, then
 * moved up by the colors of the interference graph until none overlap. The result is Triton's, byte for byte.
 * Source: lib/Analysis/Allocation.cpp, computeOffsets ("Algorithms for Compile-Time Memory Optimization", SODA 1999).
 */
import { type LiveRange, rangesIntersect } from "./value-liveness.js";

/** An item to place. Units: bytes. */
export interface Placeable {
  readonly size: number;
  readonly alignment: number;
  offset: number;
  readonly live: LiveRange;
}

/** Which part of something whose parts run at the same time. */
export interface ConcurrentPart {
  readonly whole: object;
  readonly part: object | null;
}

/**
 * Sets the offsets of `buffers` and returns the bytes needed in all. Buffers of different parts of one whole may not overlap
 * though their live ranges do not.
 */
export function placeBuffers<B extends Placeable>(buffers: readonly B[], partOf: (buffer: B) => ConcurrentPart | undefined): number {
  const bySize = [...buffers].sort((a, b) => b.size - a.size);
  placeLow(bySize);
  let total: number;
  const together = usedTogether(bySize, partOf);
  const overlaps = new Overlaps(bySize, together);
  do total = separate(bySize, overlaps);
  while (overlaps.pairs > 0);
  return total;
}

/** Memory from an offset on that is free for a while. */
interface Gap {
  readonly offset: number;
  readonly live: LiveRange;
}

/**
 * Fills gaps from the lowest: each with the largest buffer that overlaps it in time and no other gap. How many gaps each buffer overlaps is
 * counted as they come and go: a look at all gaps for each buffer would be cubic.
 */
function placeLow(buffers: readonly Placeable[]): void {
  // Sorted by offset, those of equal offset in the order in which they came.
  const gaps: Gap[] = [];
  const overlapped = new Int32Array(buffers.length);
  const count = ({ live }: Gap, by: 1 | -1): void => {
    for (let i = 0; i < buffers.length; i++) if (rangesIntersect(live, buffers[i]!.live)) overlapped[i]! += by;
  };
  const insert = (gap: Gap): void => {
    let at = gaps.length;
    while (at > 0 && gaps[at - 1]!.offset > gap.offset) at--;
    gaps.splice(at, 0, gap);
    count(gap, 1);
  };
  insert({ offset: 0, live: { start: 0, end: Infinity } });
  const placed = new Set<Placeable>();
  while (placed.size < buffers.length) {
    const gap = gaps.shift()!;
    count(gap, -1);
    const { offset, live } = gap;
    const buffer = buffers.find((b, i) => overlapped[i] === 0 && !placed.has(b) && rangesIntersect(b.live, live));
    if (!buffer) continue;
    placed.add(buffer);
    buffer.offset = alignTo(offset, buffer.alignment);
    const mine = buffer.live;
    insert({ offset: buffer.offset + buffer.size, live: { start: Math.max(live.start, mine.start), end: Math.min(live.end, mine.end) } });
    if (live.start < mine.start) insert({ offset, live: { start: live.start, end: mine.end } });
    if (mine.end < live.end) insert({ offset, live: { start: mine.start, end: live.end } });
  }
}

type Neighbours<B> = ReadonlyMap<B, ReadonlySet<B>>;

/** The buffers that are in use at the same time as each: found by going through time once. */
function usedTogether<B extends Placeable>(buffers: readonly B[], partOf: (buffer: B) => ConcurrentPart | undefined): Neighbours<B> {
  const together = new Map<B, Set<B>>(buffers.map((buffer) => [buffer, new Set()]));
  const pair = (a: B, b: B): void => {
    together.get(a)!.add(b);
    together.get(b)!.add(a);
  };
  let active: B[] = [];
  for (const buffer of [...buffers].sort((a, b) => a.live.start - b.live.start)) {
    active = active.filter((other) => other.live.end > buffer.live.start);
    for (const other of active) if (rangesIntersect(buffer.live, other.live)) pair(buffer, other);
    active.push(buffer);
  }
  const wholes = new Map<object, { readonly buffer: B; readonly part: object | null }[]>();
  for (const buffer of buffers) {
    const place = partOf(buffer);
    if (!place) continue;
    const { whole, part } = place;
    const others = wholes.get(whole) ?? [];
    for (const other of others) if (other.part !== part) pair(buffer, other.buffer);
    others.push({ buffer, part });
    wholes.set(whole, others);
  }
  return together;
}

/** The buffers that each overlaps, kept as buffers move: after the first rounds few still do. */
class Overlaps<B extends Placeable> {
  readonly #of: ReadonlyMap<B, Set<B>>;
  pairs = 0;
  constructor(
    buffers: readonly B[],
    readonly together: Neighbours<B>,
  ) {
    this.#of = new Map(buffers.map((buffer) => [buffer, new Set()]));
    for (const buffer of buffers) this.moved(buffer);
  }
  of(buffer: B): ReadonlySet<B> {
    return this.#of.get(buffer)!;
  }
  moved(a: B): void {
    const others = this.#of.get(a)!;
    const end = a.offset + a.size;
    for (const b of this.together.get(a)!) {
      const overlap = a.offset < b.offset + b.size && b.offset < end;
      if (overlap === others.has(b)) continue;
      const back = this.#of.get(b)!;
      if (overlap) others.add(b), back.add(a), this.pairs++;
      else others.delete(b), back.delete(a), this.pairs--;
    }
  }
}

/** Colors the interference graph, first fit, and moves all but the first color after their neighbours. Returns the bytes needed. */
function separate<B extends Placeable>(buffers: readonly B[], overlaps: Overlaps<B>): number {
  const colors = new Map<B, number>(buffers.slice(0, 1).map((first) => [first, 0]));
  for (const buffer of buffers) {
    const taken = new Set<number | undefined>();
    for (const other of overlaps.of(buffer)) taken.add(colors.get(other));
    let color = 0;
    while (taken.has(color)) color++;
    colors.set(buffer, color);
  }
  let total = 0;
  const moved: B[] = [];
  for (const buffer of buffers) {
    if (colors.get(buffer) !== 0) {
      let behind = 0;
      for (const other of overlaps.of(buffer)) behind = Math.max(behind, other.offset + other.size);
      buffer.offset = alignTo(behind, buffer.alignment);
      moved.push(buffer);
    }
    total = Math.max(total, buffer.offset + buffer.size);
  }
  for (const buffer of moved) overlaps.moved(buffer);
  return total;
}

function alignTo(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}
