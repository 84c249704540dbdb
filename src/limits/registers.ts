/**
 * An estimate of the registers that ptxas gives a thread: the most values that are live at once in our PTX, and what ptxas needs besides.
 * docs/limits.md has its error over kernels that ptxas assembled.
 */
import { parsePtx } from "../ptx/parse.js";
import { successors } from "../simulate/ptx/blocks.js";
import { compileProgram } from "../simulate/ptx/compile.js";
import type { Block, Flow } from "../simulate/ptx/program.js";
import { popcount } from "../simulate/ptx/warp.js";

/** ptxas keeps fewer values at once than our order of instructions has, and needs some registers besides. Fitted to docs/limits.md's kernels. */
const SHARE = 0.9;
const BESIDES = 4;
const MOST = 255;

/** Registers of 32 bits of a thread; undefined for a text that is not PTX. */
export function estimateRegisters(ptx: string): number | undefined {
  const { module, source, diagnostics } = parsePtx(ptx);
  const program = diagnostics.length > 0 ? undefined : compileProgram(module, source);
  if (program === undefined || "error" in program) return undefined;
  return Math.min(Math.round(SHARE * mostLive(program.kernel.blocks)) + BESIDES, MOST);
}

/** A set of registers: one bit each. */
type Live = Int32Array<ArrayBuffer>;

/** The most rows that are live at once. */
function mostLive(blocks: readonly Block[]): number {
  const numbers = new Map<number, number>();
  const numberOf = (row: number): number => {
    const known = numbers.get(row) ?? numbers.size;
    numbers.set(row, known);
    return known;
  };
  const rows = (list: readonly number[]) => list.filter((row) => row >= 0).map(numberOf);
  const all = blocks.map(({ flows }) =>
    sunk(flows)
      .map(({ reads, writes, guard }) => ({ reads: rows(reads), writes: guard === undefined ? rows(writes) : [] }))
      .reverse(),
  );
  const words = (numbers.size + 31) >> 5;
  const into = blocks.map(() => new Int32Array(words));
  const liveAfter = (b: number): Live => {
    const live = new Int32Array(words);
    for (const next of successors(blocks[b]!.terminator, b))
      into[next]?.forEach((bits, w) => {
        live[w]! |= bits;
      });
    return live;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (let b = blocks.length - 1; b >= 0; b--) {
      const live = liveAfter(b);
      for (const instruction of all[b]!) step(live, instruction);
      if (live.every((bits, w) => bits === into[b]![w])) continue;
      into[b] = live;
      changed = true;
    }
  }
  let most = 0;
  for (const [b, instructions] of all.entries()) {
    const live = liveAfter(b);
    let count = live.reduce((n, bits) => n + popcount(bits), 0);
    most = Math.max(most, count);
    for (const instruction of instructions) most = Math.max(most, (count += step(live, instruction)));
  }
  return most;
}

/** Instructions that ptxas may move down to where their result is wanted, if that needs no more registers. */
const SINKS = /^(?:ld|ldmatrix|mov|cvt|cvta|selp|shl|shr|and|or|xor|add|sub|mul|ex2|lg2|rcp|prmt|lop3|bfe)$/;
/** Instructions that loads stay before. */
const FIXED = /^(?:st|stmatrix|bar|barrier|fence|membar|mbarrier|atom|red|cp|wgmma|tcgen05|call)$/;

/** A block's instructions in the order that ptxas prefers: loads and short computations come just before their first use. */
function sunk(flows: readonly Flow[]): readonly Flow[] {
  const order = [...flows];
  for (let i = order.length - 2; i >= 0; i--) {
    const flow = order[i]!;
    const { opcode, writes, reads } = flow;
    if (!SINKS.test(opcode) || writes.length === 0 || reads.length > writes.length) continue;
    const isLoad = opcode.startsWith("ld");
    const own = new Set(writes);
    const sources = new Set(reads);
    let to = i + 1;
    while (to < order.length) {
      const next = order[to]!;
      if (isLoad && FIXED.test(next.opcode)) break;
      if (
        next.reads.some((r) => own.has(r)) ||
        next.writes.some((w) => own.has(w) || sources.has(w)) ||
        (next.guard !== undefined && own.has(next.guard))
      )
        break;
      to++;
    }
    if (to === order.length || to === i + 1) continue;
    order.splice(to, 0, flow);
    order.splice(i, 1);
  }
  return order;
}

interface Uses {
  readonly reads: readonly number[];
  readonly writes: readonly number[];
}

/** Turns what is live after an instruction into what is live before it; returns by how many that is more. */
function step(live: Live, { reads, writes }: Uses): number {
  let more = 0;
  for (const n of writes) {
    if ((live[n >> 5]! >>> (n & 31)) & 1) more--;
    live[n >> 5]! &= ~(1 << (n & 31));
  }
  for (const n of reads) {
    if (((live[n >> 5]! >>> (n & 31)) & 1) === 0) more++;
    live[n >> 5]! |= 1 << (n & 31);
  }
  return more;
}
