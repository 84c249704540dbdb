/**
 * Which accesses of one partition of warps happen before those of another, by vector clocks: a clock has one time for each partition.
 * An arrival merges the partition's clock into that of the mbarrier, and a wait merges the mbarrier's into the partition's. Two accesses
 * that neither clock orders are a race.
 */
import type { Operation } from "../../ir/operation.js";
import { printableLocation } from "./place.js";

/** The times of all partitions that one of them knows; its own is the current one. 0 is the program, which has the default partition. */
export interface Clock {
  readonly partition: number;
  readonly times: number[];
}

/** Who accessed each element of a buffer last: the writer, and each reader since. */
export interface Accesses {
  readonly writer: Uint8Array;
  readonly writeTime: Int32Array;
  readonly readTimes: Int32Array[];
  /** The last op of each partition that wrote or read the buffer. */
  readonly writeOps: Operation[];
  readonly readOps: Operation[];
}

/** Adds what a partition knows of the others by a wait. */
export function learn(known: number[], more: readonly number[]): void {
  more.forEach((time, i) => {
    known[i] = Math.max(known[i] ?? 0, time);
  });
}

/** The knowledge of a partition now; its later work is not part of it. */
export function snapshot({ partition, times }: Clock): Clock {
  const now = times.slice();
  times[partition]!++;
  return { partition, times: now };
}

/** The clock of a partition that begins now. */
export function beginPartition(parent: Clock, partition: number): Clock {
  const { times } = snapshot(parent);
  times[partition] = (times[partition] ?? 0) + 1;
  return { partition, times };
}

/** An arrival: who waits for it will know what the partition has done until now. */
export function release(by: Clock, into: number[]): void {
  learn(into, by.times);
  by.times[by.partition]!++;
}

export const noAccesses = (elements: number): Accesses => ({
  writer: new Uint8Array(elements),
  writeTime: new Int32Array(elements),
  readTimes: [],
  writeOps: [],
  readOps: [],
});

/** Notes a read of elements; says in words what it races with. */
export function noteRead(accesses: Accesses, op: Operation, at: Int32Array, { partition, times }: Clock): string | undefined {
  const { writer, writeTime, writeOps } = accesses;
  const mine = (accesses.readTimes[partition] ??= new Int32Array(writer.length));
  accesses.readOps[partition] = op;
  let race: string | undefined;
  for (let i = 0; i < at.length; i++) {
    const p = at[i]!;
    mine[p] = times[partition]!;
    if (race === undefined && writeTime[p]! > (times[writer[p]!] ?? 0))
      race = `reads element ${p}, which ${other(writeOps[writer[p]!]!)} wrote`;
  }
  return race;
}

/** The same for a write. */
export function noteWrite(accesses: Accesses, op: Operation, at: Int32Array, { partition, times }: Clock): string | undefined {
  const { writer, writeTime, readTimes, writeOps, readOps } = accesses;
  let race: string | undefined;
  for (let i = 0; i < at.length; i++) {
    const p = at[i]!;
    if (race === undefined) {
      const reader = readTimes.findIndex((read, by) => read !== undefined && read[p]! > (times[by] ?? 0));
      if (reader >= 0) race = `writes element ${p}, which ${other(readOps[reader]!)} reads`;
      else if (writeTime[p]! > (times[writer[p]!] ?? 0)) race = `writes element ${p}, which ${other(writeOps[writer[p]!]!)} writes too`;
    }
    writer[p] = partition;
    writeTime[p] = times[partition]!;
  }
  writeOps[partition] = op;
  return race;
}
const other = (op: Operation): string => `${printableLocation(op)} in another partition`;
