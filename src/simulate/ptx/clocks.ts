/**
 * Who knows of whom. Time is a vector: each warp counts the barriers it passed, and at a barrier learns how far the others have
 * come. Asynchronous hardware (the copies of TMA, the tensor cores of sm_100) has clocks too, one for each mbarrier that it
 * arrives at: who has waited there knows its time. Vectors are kept twice: their second half says which times are known
 * through a `fence.proxy.async`. Only so does asynchronous hardware see what ordinary instructions wrote.
 */
import type { Warp } from "./warp.js";

/** Clocks of a CTA for copies that arrive at mbarriers; more mbarriers than that share them. */
export const MBARRIER_CLOCKS = 16;
/** And one for its tensor cores. */
export const CTA_CLOCKS = MBARRIER_CLOCKS + 1;

/** Clocks of a cluster of that many warps in all. */
export const clocksOf = (warps: number, ctas: number): number => warps + ctas * CTA_CLOCKS;

/** When something asynchronous arrived at an mbarrier. */
export interface AsyncTime {
  readonly clock: number;
  readonly time: number;
}

/** Merges what one vector says into another. */
export function learnAll(known: Int32Array, more: Int32Array): void {
  for (let i = 0; i < known.length; i++) if (more[i]! > known[i]!) known[i] = more[i]!;
}

/** The times of the warps of other programs, by the program's number. */
export type Knowledge = Map<number, Int32Array>;

/** Adds what `more` says to what is known. */
export function learnOf(known: Knowledge, more: Knowledge | undefined): void {
  for (const [program, times] of more ?? []) {
    const before = known.get(program);
    if (before === undefined) known.set(program, times.slice());
    else learnAll(before, times);
  }
}

/** Synchronises `warps` at a barrier: each learns what the others know, and begins a new time of its own. */
export function synchronise(warps: readonly Warp[]): void {
  const known = warps[0]!.seen.slice();
  for (const { seen } of warps) learnAll(known, seen);
  const foreign: Knowledge = new Map();
  for (const warp of warps) learnOf(foreign, warp.foreign);
  for (const warp of warps) {
    if (foreign.size > 0) learnOf((warp.foreign ??= new Map()), foreign);
    warp.seen.set(known);
    warp.seen[warp.index]!++;
  }
}

/** `fence.proxy.async`: what the warp knows of until now, asynchronous hardware sees. */
export function fenceProxy(warp: Warp): void {
  const { seen } = warp;
  const clocks = seen.length / 2;
  for (let i = 0; i < clocks; i++) if (seen[i]! > seen[clocks + i]!) seen[clocks + i] = seen[i]!;
  seen[warp.index]!++;
}
