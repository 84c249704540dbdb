/**
 * Registers that asynchronous instructions write or read: the accumulators of wgmma and its operand in registers, until
 * their group is waited for; the results of `tcgen05.ld`, until `tcgen05.wait::ld`. The values are there at once; each register
 * is marked with the group it belongs to, and who touches one whose group is not waited for is found out. A move takes the mark
 * along, also one that packs or unpacks: it is how compilers name a register anew.
 */
import { type Site, siteText } from "./findings.js";
import type { Step } from "./lanes.js";
import type { Block } from "./program.js";
import type { Warp } from "./warp.js";

/** The registers of a warp with asynchronous accesses in flight; registers are numbered by their rows. */
export class RegistersInFlight {
  /** The group that writes, or reads, each register: 0 for none; wgmma's groups count up, loads' down. */
  readonly #writes: Int32Array;
  readonly #reads: Int32Array;
  /** The wgmma.fence after which it was last written by something else. */
  readonly #fence: Int32Array;
  #fences = 0;
  /** Groups that are closed, and those that were waited for. */
  #dots = 0;
  #dotsDone = 0;
  #loads = 0;
  #loadsDone = 0;
  /** The instruction of each mark's last group. */
  readonly #sites = new Map<number, Site>();

  constructor(rows: number) {
    this.#writes = new Int32Array(rows);
    this.#reads = new Int32Array(rows);
    this.#fence = new Int32Array(rows);
  }

  get anything(): boolean {
    return this.#dots > this.#dotsDone || this.#sites.has(this.#dots + 1) || this.#loads > this.#loadsDone;
  }

  /** A wgmma of the open group writes and reads these; true unless one was touched since the last fence. */
  dot(writes: readonly number[], reads: readonly number[], site: Site): boolean {
    const group = this.#dots + 1;
    this.#sites.set(group, site);
    let fenced = true;
    for (const row of writes) {
      if (this.#fence[row >> 5] === this.#fences) fenced = false;
      this.#writes[row >> 5] = group;
    }
    for (const row of reads) {
      if (this.#fence[row >> 5] === this.#fences) fenced = false;
      this.#reads[row >> 5] = group;
    }
    return fenced;
  }

  fence(): void {
    this.#fences++;
  }
  commitDots(): void {
    this.#dots++;
  }
  waitDots(pending: number): void {
    this.#forget(this.#dotsDone + 1, Math.max(this.#dotsDone, this.#dots - pending), 1);
    this.#dotsDone = Math.max(this.#dotsDone, this.#dots - pending);
  }

  load(rows: readonly number[], site: Site): void {
    this.#loads++;
    this.#sites.set(-this.#loads, site);
    for (const row of rows) this.#writes[row >> 5] = -this.#loads;
  }
  waitLoads(): void {
    this.#forget(this.#loadsDone + 1, this.#loads, -1);
    this.#loadsDone = this.#loads;
  }
  #forget(from: number, to: number, sign: 1 | -1): void {
    for (let group = from; group <= to; group++) this.#sites.delete(sign * group);
  }

  #isInFlight(mark: number): boolean {
    return mark > 0 ? mark > this.#dotsDone : -mark > this.#loadsDone;
  }

  /** The instruction whose result the register is to hold; undefined when it holds it. */
  pendingWrite(row: number): Site | undefined {
    const mark = this.#writes[row >> 5]!;
    return mark !== 0 && this.#isInFlight(mark) ? this.#sites.get(mark) : undefined;
  }
  pendingRead(row: number): Site | undefined {
    const mark = this.#reads[row >> 5]!;
    return mark !== 0 && this.#isInFlight(mark) ? this.#sites.get(mark) : undefined;
  }

  /** An ordinary instruction has written the register: a move with the marks of where it came from. */
  written(row: number, from: number | undefined): void {
    const at = row >> 5;
    this.#writes[at] = from === undefined ? 0 : this.#writes[from >> 5]!;
    this.#reads[at] = 0;
    this.#fence[at] = from === undefined ? this.#fences : this.#fence[from >> 5]!;
  }
}

/** The marks of the registers of a warp. */
export const inFlight = (warp: Warp): RegistersInFlight => (warp.inFlight ??= new RegistersInFlight(warp.rows));

/** The registers that an instruction reads and writes. */
export interface RegisterUse {
  readonly block: Block;
  readonly index: number;
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  readonly isMove: boolean;
}

/** Has every instruction that touches one of `rows`, or what is moved from or to them, look whether it is in flight. */
export function watchRegisters(uses: readonly RegisterUse[], rows: Iterable<number>): void {
  const watched = new Set(rows);
  const moves = uses.filter((u) => u.isMove);
  for (let grown = true; grown; ) {
    grown = false;
    for (const { reads, writes } of moves) {
      const all = [...reads, ...writes];
      if (!all.some((row) => watched.has(row)) || all.every((row) => watched.has(row))) continue;
      for (const row of all) watched.add(row);
      grown = true;
    }
  }
  for (const { block, index, reads, writes, isMove } of uses) {
    const [read, written] = [reads.filter((r) => watched.has(r)), writes.filter((r) => watched.has(r))];
    if (read.length === 0 && written.length === 0) continue;
    block.steps[index] = watching(block.steps[index]!, block.sites[index]!, read, written, isMove);
  }
}

function watching(step: Step, site: Site, reads: readonly number[], writes: readonly number[], isMove: boolean): Step {
  return (warp, mask) => {
    const registers = inFlight(warp);
    let from = isMove ? reads[0] : undefined;
    if (registers.anything) {
      if (isMove) from = reads.find((row) => registers.pendingWrite(row)) ?? from;
      else for (const row of reads) early(warp, site, registers.pendingWrite(row), "reads a register before");
      for (const row of writes) {
        if (!isMove) early(warp, site, registers.pendingWrite(row), "writes a register before");
        early(warp, site, registers.pendingRead(row), "writes a register that is read before");
      }
    }
    step(warp, mask);
    for (const row of writes) registers.written(row, from);
  };
}

function early(warp: Warp, site: Site, by: Site | undefined, does: string): void {
  if (by !== undefined) warp.cta.findings.add("early-read", site, `warp ${warp.index} ${does} the wait for ${siteText(by)}`);
}
