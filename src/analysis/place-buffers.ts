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

/** Sets the offsets of `buffers` and answers the bytes needed in all. `alsoInterfere` tells of pairs that may not overlap though their live ranges do not. */
export function placeBuffers<B extends Placeable>(buffers: readonly B[], alsoInterfere: (a: B, b: B) => boolean): number {
  const bySize = [...buffers].sort((a, b) => b.size - a.size);
  placeLow(bySize);
  let total = 0;
  let neighbours = interference(bySize, alsoInterfere);
  do {
    total = separate(bySize, neighbours);
    neighbours = interference(bySize, alsoInterfere);
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

/** The buffers that each overlaps where it may not. */
function interference<B extends Placeable>(buffers: readonly B[], alsoInterfere: (a: B, b: B) => boolean): Neighbours<B> {
  const neighbours = new Map<B, B[]>();
  for (const a of buffers) {
    const found = buffers.filter(
      (b) =>
        a !== b && a.offset < b.offset + b.size && b.offset < a.offset + a.size && (rangesIntersect(a.live, b.live) || alsoInterfere(a, b)),
    );
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
