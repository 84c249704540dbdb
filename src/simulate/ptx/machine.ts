/**
 * Runs a CTA: its warps take turns, each until it waits at a barrier or gives up its turn. Lanes that part walk their
 * paths one after the other and meet at the immediate post-dominator.
 */
import { Stop } from "./findings.js";
import type { Block, CompiledFunction, Program, RowCopy, Terminator } from "./program.js";
import { synchronise } from "./shared-memory.js";
import { type Cta, type Frame, popcount, Warp } from "./warp.js";

/** Blocks a warp may walk before the others have their turn: those that spin wait for the others. */
const TURN = 4096;
const DEEPEST_CALL = 64;

/** Warp instructions left, over all CTAs of a run. */
export interface Budget {
  steps: number;
  readonly limit: number;
}

interface BarrierState {
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

export function runCta(program: Program, cta: Cta, budget: Budget): void {
  const threads = cta.block[0] * cta.block[1] * cta.block[2];
  const numWarps = Math.ceil(threads / 32);
  const warps = Array.from({ length: numWarps }, (_, i) => newWarp(program, cta, i, numWarps, threads));
  new Machine(program, cta, warps, budget).run();
}

function newWarp(program: Program, cta: Cta, index: number, numWarps: number, threads: number): Warp {
  const warp = new Warp(cta, index, numWarps, program.rows, program.predicates, program.localBytes);
  const here = Math.min(threads - index * 32, 32);
  warp.live = here === 32 ? -1 : (1 << here) - 1;
  for (const { row, bits, wide } of program.constants)
    for (let l = 0; l < 32; l++)
      if (wide) warp.V[row / 2 + l] = bits;
      else warp.U[row + l] = Number(bits);
  for (const { row, name } of program.special) for (let l = 0; l < 32; l++) warp.I[row + l] = specialRegister(name, warp, l, numWarps);
  for (const { predicate, mask } of program.constantPredicates) warp.P[predicate] = mask;
  warp.frames.push({ fn: program.kernel, paths: [{ block: 0, mask: warp.live, join: -1 }], onReturn: () => {} });
  return warp;
}

/** What a special register shows to a lane; 0 for those that have no meaning here. */
function specialRegister(name: string, warp: Warp, lane: number, numWarps: number): number {
  const { id, grid, block } = warp.cta;
  const thread = warp.thread(lane);
  const axis = name.endsWith(".y") ? 1 : name.endsWith(".z") ? 2 : 0;
  switch (name.replace(/\.[xyz]$/, "")) {
    case "%tid":
      return [thread % block[0], Math.floor(thread / block[0]) % block[1], Math.floor(thread / (block[0] * block[1]))][axis]!;
    case "%ntid":
      return block[axis]!;
    case "%ctaid":
    case "%clusterid":
      return id[axis]!;
    case "%nctaid":
    case "%nclusterid":
      return grid[axis]!;
    case "%cluster_nctaid":
    case "%cluster_nctarank":
    case "%nsmid":
      return 1;
    case "%laneid":
      return lane;
    case "%warpid":
      return warp.index;
    case "%nwarpid":
      return numWarps;
    case "%lanemask_eq":
      return 1 << lane;
    case "%lanemask_lt":
      return (1 << lane) - 1;
    case "%lanemask_le":
      return (2 << lane) - 1;
    case "%lanemask_gt":
      return ~((2 << lane) - 1);
    case "%lanemask_ge":
      return ~((1 << lane) - 1);
    case "%dynamic_smem_size":
    case "%total_smem_size":
      return warp.cta.shared.bytes;
    case "WARP_SZ":
      return 32;
    default:
      return 0;
  }
}

class Machine {
  readonly #barriers = new Map<number, BarrierState>();

  constructor(
    readonly program: Program,
    readonly cta: Cta,
    readonly warps: readonly Warp[],
    readonly budget: Budget,
  ) {}

  run(): void {
    for (;;) {
      let ran = false;
      let alive = false;
      for (const warp of this.warps) {
        if (warp.frames.length === 0) continue;
        alive = true;
        if (warp.waiting >= 0) continue;
        ran = true;
        this.#turn(warp);
      }
      if (!alive) return;
      if (!ran) this.#deadlock();
    }
  }

  #deadlock(): never {
    const stuck = [...this.#barriers].filter(([, b]) => b.waiting.length > 0);
    const text = stuck
      .map(([id, b]) => `barrier ${id} has ${b.threads} of ${b.expected < 0 ? this.#liveThreads() : b.expected} threads`)
      .join("; ");
    this.cta.findings.add("deadlock", undefined, `no warp can go on: ${text}`, "deadlock");
    throw new Stop("deadlock");
  }

  #turn(warp: Warp): void {
    warp.yielded = false;
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
      this.#walk(warp, block, path.mask);
      if (this.#leave(warp, frame, block.terminator, path.block)) return;
    }
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

  /** Goes on behind a block; true when the warp's turn is over. */
  #leave(warp: Warp, frame: Frame, terminator: Terminator, at: number): boolean {
    const path = frame.paths[frame.paths.length - 1]!;
    if (terminator.kind === "next") {
      path.block = at + 1;
      return false;
    }
    const { predicate } = terminator;
    const active = predicate < 0 ? path.mask : path.mask & (predicate & 1 ? ~warp.P[predicate >> 1]! : warp.P[predicate >> 1]!);
    switch (terminator.kind) {
      case "branch":
        this.#branch(frame, at, active, terminator.target);
        return false;
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
        return active !== 0 && this.#arrive(warp, active, terminator);
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

  // Barriers.

  #liveThreads(): number {
    return this.warps.reduce((sum, warp) => sum + (warp.frames.length === 0 ? 0 : 32), 0);
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
    let state = this.#barriers.get(id);
    if (state === undefined)
      this.#barriers.set(id, (state = { waiting: [], threads: 0, expected, arrived: new Set(), votes: 0, lanes: 0, release: [] }));
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
      warp.waiting = id;
      state.waiting.push(warp);
    }
    this.#release(id, state);
    return warp.waiting >= 0;
  }

  #release(id: number, state: BarrierState): void {
    if (state.threads === 0 || state.threads < (state.expected < 0 ? this.#liveThreads() : state.expected)) return;
    for (const done of state.release) done();
    synchronise([...state.arrived]);
    for (const warp of state.waiting) warp.waiting = -1;
    this.#barriers.delete(id);
  }

  /** A warp is gone: barriers for all threads no longer wait for it. Copies on their way arrive. */
  #finished(warp: Warp): void {
    warp.copyGroups.push(warp.openCopies);
    warp.openCopies = [];
    for (const group of warp.copyGroups.splice(0)) for (const copy of group) this.cta.shared.arrive(copy, warp);
    for (const [id, state] of [...this.#barriers]) if (state.expected < 0) this.#release(id, state);
  }
}

function copyRows({ I }: Warp, copies: readonly RowCopy[], mask: number): void {
  for (const { from, to } of copies) for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) I[to + l] = I[from + l]!;
}
