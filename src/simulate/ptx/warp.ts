/** The state of a warp: its registers as rows of 32 lanes, its stack of divergent paths, and what it waits for. */
import type { Memory } from "../memory.js";
import type { AccessKind, Touched } from "./access.js";
import type { Knowledge } from "./clocks.js";
import type { Findings, Site } from "./findings.js";
import type { GlobalOrder } from "./global-order.js";
import type { RegistersInFlight } from "./in-flight.js";
import type { CompiledFunction, Exchange } from "./program.js";
import type { AsyncRead, SharedMemory } from "./shared-memory.js";
import type { TensorMemory } from "./tensor-memory.js";

/** The state that the warps of a CTA share. */
export interface Cta {
  readonly memory: Memory;
  readonly shared: SharedMemory;
  readonly tensorMemory: TensorMemory;
  /** Its place in the cluster, whose CTAs `cluster` lists. */
  readonly rank: number;
  readonly cluster: readonly Cta[];
  readonly findings: Findings;
  /** Undefined where nothing is checked. */
  readonly order: GlobalOrder | undefined;
  readonly sites: readonly Site[];
  /** The kernel's parameters as words. */
  readonly params: Int32Array;
  /** The cluster's position in the grid, where a cluster is one program. */
  readonly id: readonly [number, number, number];
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  /** Whether to count sectors, lines and wavefronts. */
  readonly facts: boolean;
  /** Hears of the sectors of global memory that are touched, where somebody asks. */
  readonly touched: Touched | undefined;
  /** Whether copies move data; without, only their arrival counts. */
  readonly data: boolean;
  readonly print: (text: string) => void;
}

/** A path of a function: where it goes on, which lanes walk it, and the block in which it joins the path below (-1: it ends). */
export interface Path {
  block: number;
  mask: number;
  join: number;
}

/** A call in progress. */
export interface Frame {
  readonly fn: CompiledFunction;
  readonly paths: Path[];
  /** Called when all lanes have returned: copies results out. */
  readonly onReturn: (warp: Warp) => void;
}

/** One copy into shared memory: where it goes, what it brings. */
export interface AsyncCopy {
  readonly to: number;
  readonly bytes: Uint8Array;
  readonly lane: number;
  readonly site: number;
  arrived?: boolean;
}

/** Programs of which a warp follows one thread each, a program in each lane. */
export interface LanesOfPrograms {
  readonly programs: readonly (readonly [number, number, number])[];
  /** The thread's lane in its own warp. */
  readonly lane: number;
  /** Hears of each access of global memory that a lane makes. */
  readonly accessed: (lane: number, site: Site, address: number, bytes: number, kind: AccessKind) => void;
  /** For each loop of the kernel, 32 counts of how often its header was reached. */
  readonly rounds: Int32Array;
}

/** One access of global memory after the other that finds the same. */
export interface Poll {
  readonly site: Site;
  readonly address: number;
  readonly lane: number;
  readonly found: number;
  readonly version: number;
  times: number;
  /** The warp's turns since, and `times` when the last one began. */
  turns: number;
  before: number;
}

/** Asynchronous reads of shared memory: not yet in a group, and groups not yet waited for. */
export interface ReadGroups {
  open: AsyncRead[];
  readonly groups: AsyncRead[][];
}

/** A half of one of AMD's waves that waits for the other at an instruction, or at the place where both go on. */
export interface WaveMeeting {
  /** The block that the instruction ends, how many calls deep, and the lanes that are there. */
  readonly block: number;
  readonly depth: number;
  readonly mask: number;
  readonly exchange: Exchange;
}

export class Warp {
  /** Views over one register file. */
  readonly I: Int32Array;
  readonly U: Uint32Array;
  readonly F: Float32Array;
  readonly D: Float64Array;
  readonly B: BigInt64Array;
  readonly V: BigUint64Array;
  /** Predicates: 32 lanes a word. */
  readonly P: Int32Array;
  /** The carry flag of each lane. */
  carry = 0;
  /** Lanes that have not exited. */
  live = 0;
  frames: Frame[] = [];
  /** The barrier that it waits at, as the machine numbers them; -1 when it runs. */
  waiting = -1;
  meeting: WaveMeeting | undefined;
  /** Given up its turn, to go on later. */
  yielded = false;
  /** The phase of the cluster's barrier at which it arrived and has not waited. */
  clusterPhase: number | undefined;
  /** How often it has asked whether a phase is over. */
  questions = 0;
  /** The mbarrier and phase that it waits for in vain, in words; it may ask again. */
  stalled: string | undefined;
  /** Thread-private memory: `localBytes` for each lane. */
  readonly local: Uint8Array;
  readonly local32: Int32Array;
  /** The latest time seen of each clock, and the latest seen through a fence: see `SharedMemory`. */
  readonly seen: Int32Array;
  /** Copies not yet in a group, and groups not yet waited for. */
  openCopies: AsyncCopy[] = [];
  copyGroups: AsyncCopy[][] = [];
  /** Bulk copies out of shared memory: by lane, since its first one. */
  readonly bulk = new Map<number, ReadGroups>();
  /** Knowledge of other programs: the usable part, the part that awaits a fence, and the state at the last fence. */
  foreign: Knowledge | undefined;
  unfenced: Knowledge | undefined;
  fenced: Knowledge | undefined;
  /** The strong access of global memory that it goes on making, with nothing stored anywhere meanwhile. */
  poll: Poll | undefined;
  /** Operand reads by wgmma that are under way: not yet committed, and in committed groups. */
  readonly dots: ReadGroups = { open: [], groups: [] };
  /** Registers that asynchronous instructions read or write; made when first needed. */
  inFlight: RegistersInFlight | undefined;
  /** Where its lanes are the same thread of several programs. */
  asLanes: LanesOfPrograms | undefined;
  /** The block of the kernel that it left last, and how often it came to the end of each, where loops are followed. */
  previous = -1;
  visits: Int32Array | undefined;
  /** Warp instructions executed: what `%clock` shows. */
  steps = 0;

  constructor(
    readonly cta: Cta,
    /** Among the warps of the cluster, those of the CTA of rank 0 first. */
    readonly index: number,
    /** Among the warps of the CTA. */
    readonly indexInCta: number,
    clocks: number,
    readonly rows: number,
    predicates: number,
    readonly localBytes: number,
    file = new ArrayBuffer(Math.max(rows * 128, 256)),
  ) {
    this.I = new Int32Array(file);
    this.U = new Uint32Array(file);
    this.F = new Float32Array(file);
    this.D = new Float64Array(file);
    this.B = new BigInt64Array(file);
    this.V = new BigUint64Array(file);
    this.P = new Int32Array(predicates);
    this.local = new Uint8Array(32 * localBytes);
    this.local32 = new Int32Array(this.local.buffer);
    this.seen = new Int32Array(2 * clocks);
    this.seen[index] = 1;
  }

  /** Thread number of a lane in the cluster. */
  thread(lane: number): number {
    return this.index * 32 + lane;
  }

  /** It has found that value at an address; `version` counts what was stored to global memory. */
  polled(site: Site, address: number, lane: number, found: number, version: number): void {
    const { poll } = this;
    if (poll?.site === site && poll.address === address && poll.found === found && poll.version === version) poll.times++;
    else this.poll = { site, address, lane, found, version, times: 1, turns: 0, before: 0 };
  }

  get now(): number {
    return this.seen[this.index]!;
  }
}

export const popcount = (x: number): number => {
  x -= (x >>> 1) & 0x55555555;
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};
