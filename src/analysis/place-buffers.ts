/**
 * Gives buffers offsets such that those in use at the same time do not overlap: the largest first, each as low as it goes, then
 * moved up by the colors of the interference graph until none overlap. What comes out is Triton's, byte for byte.
 * Source: lib/Analysis/Allocation.cpp, computeOffsets ("Algorithms for Compile-Time Memory Optimization", SODA 1999).
 */
import { type LiveRange, rangesIntersect } from "./value-liveness.js";

/** What is placed. Units: bytes. */
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
 * Sets the offsets of `buffers` and answers the bytes needed in all. Buffers of different parts of one whole may not overlap
 * though their live ranges do not.
 */
export function placeBuffers<B extends Placeable>(buffers: readonly B[], partOf: (buffer: B) => ConcurrentPart | undefined): number {
  const bySize = [...buffers].sort((a, b) => b.size - a.size);
  placeLow(bySize);
  let total = 0;
  const together = usedTogether(bySize, partOf);
  let neighbours = interference(bySize, together);
  do {
    total = separate(bySize, neighbours);
    neighbours = interference(bySize, together);
  } while (neighbours.size > 0);
  return total;
}

/** Memory from an offset on that is free for a while. */
interface Gap {
  readonly offset: number;
  readonly live: LiveRange;
}

/** Fills gaps from the lowest: each with the largest buffer that overlaps it in time and no other gap. */
function placeLow(buffers: readonly Placeable[]): void {
  // Sorted by offset, those of equal offset in the order in which they came.
  const gaps: Gap[] = [{ offset: 0, live: { start: 0, end: Infinity } }];
  const insert = (gap: Gap): void => {
    let at = gaps.length;
    while (at > 0 && gaps[at - 1]!.offset > gap.offset) at--;
    gaps.splice(at, 0, gap);
  };
  const waiting = [...buffers];
  while (waiting.length > 0) {
    const { offset, live } = gaps.shift()!;
    const at = waiting.findIndex(
      (buffer) => rangesIntersect(buffer.live, live) && !gaps.some((gap) => rangesIntersect(gap.live, buffer.live)),
    );
    if (at < 0) continue;
    const [buffer] = waiting.splice(at, 1) as [Placeable];
    buffer.offset = alignTo(offset, buffer.alignment);
    const mine = buffer.live;
    insert({ offset: buffer.offset + buffer.size, live: { start: Math.max(live.start, mine.start), end: Math.min(live.end, mine.end) } });
    if (live.start < mine.start) insert({ offset, live: { start: live.start, end: mine.end } });
    if (mine.end < live.end) insert({ offset, live: { start: mine.start, end: live.end } });
  }
}

type Neighbours<B> = ReadonlyMap<B, readonly B[]>;

/** The buffers that are in use at the same time as each, in the order of `buffers`: found by going through time once. */
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
  const rank = new Map(buffers.map((buffer, i) => [buffer, i]));
  return new Map([...together].map(([buffer, others]) => [buffer, [...others].sort((a, b) => rank.get(a)! - rank.get(b)!)]));
}

/** Those of them that each overlaps. */
function interference<B extends Placeable>(buffers: readonly B[], together: Neighbours<B>): Neighbours<B> {
  const neighbours = new Map<B, readonly B[]>();
  for (const a of buffers) {
    const found = together.get(a)!.filter((b) => a.offset < b.offset + b.size && b.offset < a.offset + a.size);
    if (found.length > 0) neighbours.set(a, found);
  }
  return neighbours;
}

/** Colors the interference graph, first fit, and moves all but the first color behind their neighbours. Answers the bytes needed. */
function separate<B extends Placeable>(buffers: readonly B[], neighbours: Neighbours<B>): number {
  const colors = new Map<B, number>(buffers.slice(0, 1).map((first) => [first, 0]));
  for (const buffer of buffers) {
    const taken = new Set((neighbours.get(buffer) ?? []).map((other) => colors.get(other)));
    let color = 0;
    while (taken.has(color)) color++;
    colors.set(buffer, color);
  }
  let total = 0;
  for (const buffer of buffers) {
    const behind = (neighbours.get(buffer) ?? []).reduce((end, other) => Math.max(end, other.offset + other.size), 0);
    if (colors.get(buffer) !== 0) buffer.offset = alignTo(behind, buffer.alignment);
    total = Math.max(total, buffer.offset + buffer.size);
  }
  return total;
}

function alignTo(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}
