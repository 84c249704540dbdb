/**
 * Runs a cluster of CTAs: their warps take turns, each until it waits at a barrier or gives up its turn. Lanes that part walk
 * their paths one after the other and meet at the immediate post-dominator.
 */

import { clocksOf, synchronise } from "./clocks.js";
import { type Site, Stop, siteText } from "./findings.js";
import type { Loop } from "./loops.js";
import type { Block, CompiledFunction, PtxProgram, RowCopy, Terminator } from "./program.js";
import { endBulkCopies } from "./read-groups.js";
import { specialRegister } from "./special-registers.js";
import { type Cta, type Frame, type LanesOfPrograms, type Path, type Poll, popcount, Warp, type WaveMeeting } from "./warp.js";

/** Blocks a warp may walk before the others have their turn: those that spin wait for the others. */
const TURN = 4096;
const DEEPEST_CALL = 64;
/** Rounds in which all warps ask mbarriers in vain and nothing happens, before none ever will go on. */
const IN_VAIN = 3;
/** How often a warp finds the same in global memory, with nothing stored meanwhile, before it is taken to do so for ever. */
const POLLS = 1 << 14;
/** And in how many turns, where other warps still do something. */
const POLL_TURNS = 256;
/** Numbers of barriers in a CTA, and the one of the cluster. */
const BARRIERS = 16;
const CLUSTER_BARRIER = -2;

/** Warp instructions left, over all CTAs of a run. */
export interface Budget {
  steps: number;
  readonly limit: number;
}

/** A warp's `waiting` while it waits for the other half of its wave. */
const WAVE = -3;
/** A warp's `waiting` while it runs. */
const RUNS = -1;
/** Instructions between two questions in a loop that only asks. */
const ASKING = 64;

interface BarrierState {
  /** The CTA whose barrier it is; undefined for that of the cluster. */
  readonly cta: Cta | undefined;
  readonly waiting: Warp[];
  /** Threads that have arrived; of warps that only arrive, too. */
  threads: number;
  /** Threads that it waits for; -1: all. */
  expected: number;
  readonly arrived: Set<Warp>;
  votes: number;
  lanes: number;
  readonly release: (() => void)[];
}

/** The loops of the kernel, which are counted; with `exits`, each is left at the second test that could leave it. */
export interface FollowedLoops {
  readonly loops: readonly Loop[];
  readonly exits: readonly (boolean | undefined)[] | undefined;
  /** Registers of the last warp whose lanes were programs, with the constants in them: making them anew takes longer than such a run. */
  file?: ArrayBuffer;
}

/** Runs the CTAs of one cluster. */
export function runCluster(program: PtxProgram, ctas: readonly Cta[], budget: Budget, followed?: FollowedLoops): void {
  const [{ block }] = ctas as [Cta];
  const threads = block[0] * block[1] * block[2];
  const numWarps = Math.ceil(threads / 32);
  const warps = ctas.flatMap((cta) =>
    Array.from({ length: numWarps }, (_, i) => newWarp(program, cta, i, numWarps, Math.min(threads - i * 32, 32))),
  );
  new Machine(program, ctas[0]!, warps, budget, followed).run();
  for (const cta of ctas) {
    cta.tensorMemory.finish();
    cta.shared.checkVisits(cta.rank, warps);
  }
}

/** Runs one thread of up to 32 programs, by its number in the cluster: it is alone, and waits for nobody. */
export function runAsLanes(
  program: PtxProgram,
  ctas: readonly Cta[],
  thread: number,
  asLanes: LanesOfPrograms,
  budget: Budget,
  followed: FollowedLoops,
): void {
  const [{ block }] = ctas as [Cta];
  const threads = block[0] * block[1] * block[2];
  const cta = ctas[Math.floor(thread / threads)]!;
  const own = thread % threads;
  const warp = newWarp(program, cta, own >> 5, Math.ceil(threads / 32), asLanes.programs.length, asLanes, followed.file);
  followed.file = warp.I.buffer as ArrayBuffer;
  new Machine(program, cta, [warp], budget, followed).run();
}

function newWarp(
  program: PtxProgram,
  cta: Cta,
  index: number,
  numWarps: number,
  lanes: number,
  asLanes?: LanesOfPrograms,
  file?: ArrayBuffer,
): Warp {
  const numCtas = cta.cluster.length;
  const clocks = clocksOf(numCtas * numWarps, numCtas);
  const { rows, predicates, localBytes } = program;
  const warp = new Warp(cta, cta.rank * numWarps + index, index, clocks, rows, predicates, localBytes, file);
  warp.asLanes = asLanes;
  warp.live = lanes === 32 ? -1 : (1 << lanes) - 1;
  for (const { row, bits, wide } of file ? [] : program.constants)
    for (let l = 0; l < 32; l++)
      if (wide) warp.V[row / 2 + l] = bits;
      else warp.U[row + l] = Number(bits);
  for (const { row, name } of program.special) for (let l = 0; l < 32; l++) warp.I[row + l] = specialRegister(name, warp, l, numWarps);
  for (const { predicate, mask } of program.constantPredicates) warp.P[predicate] = mask;
  warp.frames.push({ fn: program.kernel, paths: [{ block: 0, mask: warp.live, join: -1 }], onReturn: () => {} });
  return warp;
}

class Machine {
  readonly #barriers = new Map<number, BarrierState>();
  /** How often all of the cluster met. */
  #clusterPhases = 0;

  constructor(
    readonly program: PtxProgram,
    /** The first of the cluster. */
    readonly cta: Cta,
    readonly warps: readonly Warp[],
    readonly budget: Budget,
    readonly followed: FollowedLoops | undefined,
  ) {}

  run(): void {
    let inVain = 0;
    for (;;) {
      const events = this.#events();
      let ran = false;
      let alive = false;
      for (const warp of this.warps) {
        if (warp.frames.length === 0) continue;
        alive = true;
        if (warp.waiting !== RUNS) continue;
        const steps = warp.steps;
        const stalled = warp.stalled;
        warp.stalled = undefined;
        this.#turn(warp);
        // One that only asks again whether a phase is over does not go on.
        if (warp.stalled === undefined || warp.stalled !== stalled || warp.steps - steps > ASKING) ran = true;
      }
      if (!alive) return;
      if (this.#isInVain()) this.#deadlock();
      inVain = ran || events !== this.#events() ? 0 : inVain + 1;
      if (inVain >= IN_VAIN) this.#deadlock();
    }
  }

  /** The number of mbarrier events so far, over the cluster. */
  #events(): number {
    return this.cta.cluster.reduce((sum, { shared }) => sum + shared.mbarriers.events, 0);
  }

  #deadlock(): never {
    const atBarriers = [...this.#barriers]
      .filter(([, b]) => b.waiting.length > 0)
      .map(([key, b]) => {
        const name = key === CLUSTER_BARRIER ? "the cluster's barrier" : `barrier ${key % BARRIERS}`;
        return `${name} has ${b.threads} of ${this.#expected(b)} threads`;
      });
    const polling = this.warps.flatMap((w) => (this.#polls(w) ? [this.#pollText(w, w.poll!)] : []));
    const asking = this.warps.flatMap((w) =>
      w.stalled === undefined || w.frames.length === 0 ? [] : [`warp ${w.index} waits for ${w.stalled}`],
    );
    this.cta.findings.add("deadlock", undefined, `no warp can go on: ${[...atBarriers, ...asking, ...polling].join("; ")}`, "deadlock");
    throw new Stop("deadlock");
  }

  /** Whether it only asks global memory for what nobody stores. */
  #polls({ poll, cta, frames }: Warp): boolean {
    if (frames.length === 0 || poll === undefined) return false;
    return poll.times >= POLLS && poll.times > poll.before && poll.version === cta.order?.version;
  }

  /** Whether all that run only ask, or the others have had turns enough to store something. */
  #isInVain(): boolean {
    const polls = this.warps.filter((w) => this.#polls(w));
    if (polls.length === 0) return false;
    return (
      polls.some(({ poll }) => poll!.turns >= POLL_TURNS) ||
      this.warps.every((w) => w.frames.length === 0 || w.waiting !== RUNS || polls.includes(w))
    );
  }

  #pollText(warp: Warp, { site, address, lane, found }: Poll): string {
    const wanted = site.expects === undefined ? "" : `, where ${warp.I[site.expects + lane]} is wanted`;
    return `warp ${warp.index} polls and always finds ${found}${wanted}, by ${siteText(site)}: ${warp.cta.order!.lastStore(address)}`;
  }

  #turn(warp: Warp): void {
    warp.yielded = false;
    if (warp.poll !== undefined) {
      warp.poll.turns++;
      warp.poll.before = warp.poll.times;
    }
    for (let n = 0; n < TURN && !warp.yielded; n++) {
      const frame = warp.frames[warp.frames.length - 1];
      if (frame === undefined) return this.#finished(warp);
      const path = frame.paths[frame.paths.length - 1];
      if (path === undefined) {
        warp.frames.pop();
        frame.onReturn(warp);
        continue;
      }
      if (path.mask === 0 || path.block === path.join) {
        frame.paths.pop();
        continue;
      }
      const block = frame.fn.blocks[path.block]!;
      if (this.followed !== undefined && frame.fn === this.program.kernel) this.#follow(warp, path, this.followed);
      this.#walk(warp, block, path.mask);
      if (this.#leave(warp, frame, block.terminator, path.block)) return;
    }
  }

  /** Counts the entries of a loop; where lanes are programs, how often each comes to its header. */
  #follow(warp: Warp, { block: at, mask }: Path, { loops }: FollowedLoops): void {
    const { asLanes } = warp;
    for (const [i, loop] of loops.entries()) {
      if (loop.header !== at) continue;
      if (!loop.blocks.has(warp.previous)) loop.entries++;
      if (asLanes) for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) asLanes.rounds[32 * i + l]!++;
    }
    warp.previous = at;
  }

  /** Whether a branch is taken that leaves a loop after a few rounds; undefined where the kernel decides. */
  #isLeaving(warp: Warp, { fn }: Frame, at: number): boolean | undefined {
    const exit = fn === this.program.kernel ? this.followed?.exits?.[at] : undefined;
    if (exit === undefined) return undefined;
    warp.visits ??= new Int32Array(fn.blocks.length);
    return warp.visits[at]!++ > 0 ? exit : undefined;
  }

  #walk(warp: Warp, block: Block, mask: number): void {
    const { steps, guards, sites } = block;
    const { P } = warp;
    const count = steps.length;
    block.executions++;
    block.lanes += popcount(mask);
    warp.steps += count;
    if ((this.budget.steps -= count + 1) < 0) {
      this.cta.findings.add("limit", sites[0], `stopped after ${this.budget.limit} warp instructions (--max-steps)`, "steps");
      throw new Stop("limit");
    }
    for (let i = 0; i < count; i++) {
      const guard = guards[i]!;
      if (guard < 0) steps[i]!(warp, mask);
      else {
        const active = mask & (guard & 1 ? ~P[guard >> 1]! : P[guard >> 1]!);
        if (active === 0) continue;
        const site = sites[i]!;
        site.executions++;
        site.lanes += popcount(active);
        steps[i]!(warp, active);
      }
    }
  }

  /** Continues after a block; true when the warp's turn is over. */
  #leave(warp: Warp, frame: Frame, terminator: Terminator, at: number): boolean {
    const path = frame.paths[frame.paths.length - 1]!;
    if (terminator.kind === "next") {
      path.block = at + 1;
      return false;
    }
    const { predicate } = terminator;
    const active = predicate < 0 ? path.mask : path.mask & (predicate & 1 ? ~warp.P[predicate >> 1]! : warp.P[predicate >> 1]!);
    switch (terminator.kind) {
      case "branch": {
        const leaving = this.#isLeaving(warp, frame, at);
        this.#branch(frame, at, leaving === undefined ? active : leaving ? path.mask : 0, terminator.target);
        return false;
      }
      case "indexed": {
        this.#indexed(warp, frame, at, active, terminator.row, terminator.targets);
        return false;
      }
      case "exit":
        path.block = at + 1;
        warp.live &= ~active;
        for (const { paths } of warp.frames) for (const p of paths) p.mask &= ~active;
        return false;
      case "return":
        path.block = at + 1;
        for (const p of frame.paths) p.mask &= ~active;
        return false;
      case "call":
        path.block = at + 1;
        if (active !== 0) this.#call(warp, terminator.callee(), active, terminator.args, terminator.results, terminator);
        return false;
      case "barrier":
        path.block = at + 1;
        return active !== 0 && !warp.asLanes && this.#arrive(warp, active, terminator);
      case "wave":
        path.block = at + 1;
        if (active === 0 || warp.asLanes) return false;
        warp.meeting = { block: at, depth: warp.frames.length, mask: active, exchange: terminator.exchange };
        warp.waiting = WAVE;
        this.#meet(warp);
        return warp.waiting !== RUNS;
      case "cluster-arrive":
      case "cluster-wait":
        path.block = at + 1;
        if (active === 0 || warp.asLanes) return false;
        return terminator.kind === "cluster-arrive" ? this.#clusterArrive(warp) : this.#clusterWait(warp, terminator.site);
    }
  }

  #branch(frame: Frame, at: number, taken: number, target: number): void {
    const path = frame.paths[frame.paths.length - 1]!;
    const rest = path.mask & ~taken;
    if (rest === 0) path.block = target;
    else if (taken === 0) path.block = at + 1;
    else
      this.#split(frame, at, [
        [at + 1, rest],
        [target, taken],
      ]);
  }

  #indexed(warp: Warp, frame: Frame, at: number, active: number, row: number, targets: readonly number[]): void {
    const path = frame.paths[frame.paths.length - 1]!;
    const masks = new Map<number, number>();
    for (let l = 0; l < 32; l++) {
      if (((path.mask >>> l) & 1) === 0) continue;
      const target = (active >>> l) & 1 ? targets[Math.min(warp.U[row + l]!, targets.length - 1)]! : at + 1;
      masks.set(target, (masks.get(target) ?? 0) | (1 << l));
    }
    if (masks.size === 1) path.block = [...masks.keys()][0]!;
    else this.#split(frame, at, [...masks]);
  }

  /** Lanes part: each group walks to where they meet. Where they only meet at the end, they meet where the path below does. */
  #split(frame: Frame, at: number, groups: readonly (readonly [block: number, mask: number])[]): void {
    const path = frame.paths[frame.paths.length - 1]!;
    const own = frame.fn.blocks[at]!.join;
    const join = own < 0 ? path.join : own;
    if (path.join === join) frame.paths.pop();
    else path.block = join;
    for (const [block, mask] of groups) if (block !== join) frame.paths.push({ block, mask, join });
  }

  #call(
    warp: Warp,
    fn: CompiledFunction,
    mask: number,
    args: readonly RowCopy[],
    results: readonly RowCopy[],
    { site }: Extract<Terminator, { kind: "call" }>,
  ): void {
    if (warp.frames.length > DEEPEST_CALL) {
      this.cta.findings.add("limit", site, `more than ${DEEPEST_CALL} calls deep`);
      throw new Stop("limit");
    }
    copyRows(warp, args, mask);
    // A function that is running already keeps its registers aside.
    const recursive = warp.frames.some((f) => f.fn === fn);
    const rows = recursive ? warp.I.slice(fn.firstRow, fn.endRow) : undefined;
    const predicates = recursive ? warp.P.slice(fn.firstPredicate, fn.endPredicate) : undefined;
    warp.frames.push({
      fn,
      paths: [{ block: 0, mask, join: -1 }],
      onReturn: () => {
        if (rows !== undefined) warp.I.set(rows, fn.firstRow);
        if (predicates !== undefined) warp.P.set(predicates, fn.firstPredicate);
        copyRows(warp, results, mask);
      },
    });
  }

  // Waves.

  /**
   * Warps 2w and 2w + 1 are the halves of one of AMD's waves. They do an instruction of the wave together; where one of them is at an
   * earlier place, or the other waits for more than its half or has ended, it goes on alone: lanes parted, and the others are off.
   */
  #meet(warp: Warp): void {
    const other = this.warps[warp.index ^ 1];
    const [a, b] = [warp.meeting, other?.meeting];
    if (a && b) {
      const order = b.depth - a.depth || a.block - b.block;
      this.#exchange(warp, other!, order <= 0 ? a : undefined, order >= 0 ? b : undefined);
    } else if (a && !(other && other.frames.length > 0 && other.waiting === RUNS)) this.#exchange(warp, other ?? warp, a, undefined);
    else if (b && (warp.frames.length === 0 || warp.waiting !== RUNS)) this.#exchange(warp, other!, undefined, b);
  }

  #exchange(warp: Warp, other: Warp, a: WaveMeeting | undefined, b: WaveMeeting | undefined): void {
    const isLow = (warp.index & 1) === 0;
    const [low, high] = isLow ? [warp, other] : [other, warp];
    const [first, second] = isLow ? [a, b] : [b, a];
    (a ?? b)!.exchange(low, high, first?.mask ?? 0, second?.mask ?? 0);
    const here = [...(a ? [warp] : []), ...(b ? [other] : [])];
    synchronise(here);
    for (const half of here) {
      half.meeting = undefined;
      half.waiting = RUNS;
    }
  }

  // Barriers.

  /** The live threads of a CTA, or of the whole cluster if `cta` is undefined. */
  #liveThreads(cta: Cta | undefined): number {
    return this.warps.reduce((sum, w) => sum + (w.frames.length === 0 || (cta !== undefined && w.cta !== cta) ? 0 : 32), 0);
  }

  #expected({ expected, cta }: BarrierState): number {
    return expected < 0 ? this.#liveThreads(cta) : expected;
  }

  #newBarrier(key: number, cta: Cta | undefined, expected: number): BarrierState {
    const state: BarrierState = { cta, waiting: [], threads: 0, expected, arrived: new Set(), votes: 0, lanes: 0, release: [] };
    this.#barriers.set(key, state);
    return state;
  }

  #clusterArrive(warp: Warp): boolean {
    const state = this.#barriers.get(CLUSTER_BARRIER) ?? this.#newBarrier(CLUSTER_BARRIER, undefined, -1);
    state.threads += 32;
    state.arrived.add(warp);
    warp.clusterPhase = this.#clusterPhases;
    this.#release(CLUSTER_BARRIER, state);
    return false;
  }

  #clusterWait(warp: Warp, site: Site): boolean {
    if (warp.clusterPhase === undefined) {
      this.cta.findings.add("barrier", site, `warp ${warp.index} waits for the cluster's barrier, where it has not arrived`);
      return false;
    }
    const over = warp.clusterPhase < this.#clusterPhases;
    warp.clusterPhase = undefined;
    if (over) return false;
    warp.waiting = CLUSTER_BARRIER;
    this.#barriers.get(CLUSTER_BARRIER)!.waiting.push(warp);
    return true;
  }

  #arrive(warp: Warp, mask: number, { barrier, site }: Extract<Terminator, { kind: "barrier" }>): boolean {
    const lane = 31 - Math.clz32(mask & -mask);
    const id = warp.I[barrier.idRow + lane]!;
    const expected = barrier.countRow < 0 ? -1 : warp.I[barrier.countRow + lane]!;
    if (mask !== warp.live)
      this.cta.findings.add(
        "divergent-barrier",
        site,
        `lanes 0x${(mask >>> 0).toString(16)} of warp ${warp.index} are at the barrier, lanes 0x${((warp.live & ~mask) >>> 0).toString(16)} are elsewhere`,
      );
    const key = warp.cta.rank * BARRIERS + id;
    const state = this.#barriers.get(key) ?? this.#newBarrier(key, warp.cta, expected);
    if (state.threads > 0 && state.expected !== expected)
      this.cta.findings.add(
        "divergent-barrier",
        site,
        `barrier ${id} is waited for with ${expected} threads by one warp and with ${state.expected} by another`,
      );
    state.expected = expected;
    state.threads += 32;
    state.arrived.add(warp);
    if (barrier.reduce !== undefined) {
      const { predicate, into, op } = barrier.reduce;
      state.votes += popcount((predicate & 1 ? ~warp.P[predicate >> 1]! : warp.P[predicate >> 1]!) & mask);
      state.lanes += popcount(mask);
      const shared = state;
      state.release.push(() => {
        const { votes, lanes } = shared;
        if (op === "popc") for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) warp.I[into + l] = votes;
        if (op !== "popc") warp.P[into] = (op === "and" ? votes === lanes : votes > 0) ? warp.P[into]! | mask : warp.P[into]! & ~mask;
      });
    }
    if (!barrier.arrives) {
      warp.waiting = key;
      state.waiting.push(warp);
    }
    this.#release(key, state);
    if (warp.waiting !== RUNS) this.#meet(warp);
    return warp.waiting !== RUNS;
  }

  #release(key: number, state: BarrierState): void {
    if (state.threads === 0 || state.threads < this.#expected(state)) return;
    for (const done of state.release) done();
    synchronise([...state.arrived]);
    for (const warp of state.waiting) warp.waiting = RUNS;
    this.#barriers.delete(key);
    if (key === CLUSTER_BARRIER) this.#clusterPhases++;
  }

  /** A warp is gone: barriers for all threads no longer wait for it. Copies on their way arrive. */
  #finished(warp: Warp): void {
    warp.copyGroups.push(warp.openCopies);
    warp.openCopies = [];
    for (const group of warp.copyGroups.splice(0)) for (const copy of group) warp.cta.shared.arrive(copy, warp);
    endBulkCopies(warp);
    this.#meet(warp);
    for (const [key, state] of [...this.#barriers]) if (state.expected < 0) this.#release(key, state);
  }
}

function copyRows({ I }: Warp, copies: readonly RowCopy[], mask: number): void {
  for (const { from, to } of copies) for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) I[to + l] = I[from + l]!;
}
