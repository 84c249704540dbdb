/**
 * Runs compiled functions. A program of the grid is one thread of control, and `ttg.warp_specialize` adds one for each
 * partition: they take turns when one waits for a barrier. Nothing here uses the stack of JavaScript, so a thread can
 * stop at any op and go on later.
 */
import type { Gpu } from "../../gpu/gpu.js";
import type { Operation } from "../../ir/operation.js";
import type { Memory } from "../memory.js";
import type { Bounds } from "./bounds.js";
import type { Data, Element } from "./elements.js";
import { Findings } from "./findings.js";
import { GlobalOrder } from "./global-order.js";
import type { BlockCode, Instruction } from "./instructions.js";
import type { Clock } from "./partition-order.js";
import { printableLocation } from "./place.js";
import type { AsyncOp, SharedState } from "./shared-memory.js";
import type { Tensor, Val } from "./value.js";

/** An error that ends a run early; `runModule` catches it and makes a finding of it. */
export class Stop extends Error {
  override readonly name = "Stop";
  constructor(
    readonly kind: "limit" | "deadlock" | "not-modelled",
    message: string,
    readonly op: Operation | undefined,
  ) {
    super(message);
  }
}

export interface Limits {
  /** Ops executed, large tensors counting more. */
  readonly maxSteps: number;
  /** Nested calls. */
  readonly maxDepth: number;
  /** Bytes of shared and tensor memory, and of any one tensor. */
  readonly maxBytes: number;
}
export const DEFAULT_LIMITS: Limits = { maxSteps: 20_000_000, maxDepth: 256, maxBytes: 2 ** 28 };

/** Runs on in this block with these values; `undefined` ends the frame, whose results are set then. */
export type OnExit = (values: readonly Val[], terminator: Operation, frame: Frame) => void;

/** A block being executed, and what to do with the values of its terminator. */
export interface Frame {
  code: BlockCode;
  pc: number;
  readonly env: Val[];
  readonly onExit: OnExit;
  /** True for the body of a function. */
  readonly isCall: boolean;
}

/** A thread of control. */
export interface Thread {
  readonly name: string;
  readonly frames: Frame[];
  /** The condition that the thread waits for; checked again before it goes on. */
  waiting: { readonly ready: () => boolean; readonly what: string; readonly op: Operation } | undefined;
  depth: number;
  /** Copies by cp.async that were issued since the last commit, and the groups committed. */
  readonly async: AsyncCopies;
  /** Stores by TMA and products by wgmma under way, oldest first. */
  readonly stores: AsyncOp[];
  readonly dots: AsyncOp[];
  readonly clock: Clock;
}
export interface AsyncCopies {
  open: AsyncCopy[];
  groups: AsyncCopy[][];
}
export interface AsyncCopy {
  readonly op: Operation;
  readonly end: () => void;
}

/** Bytes of global memory that one op wrote: kept as the arrays it wrote from. */
export interface StoreEvent {
  readonly op: Operation;
  readonly program: readonly number[];
  readonly element: Element;
  readonly addresses: Data;
  readonly mask: Data | undefined;
  /** An atomic on floats, whose order hardware leaves open. */
  readonly unordered: boolean;
}

/** A tensor map in memory, as TMA reads it; outer dimensions first. */
export interface Tensormap {
  readonly base: number;
  readonly dims: readonly number[];
  /** The strides of all dimensions but the last, in bytes. */
  readonly byteStrides: readonly number[];
  readonly nan: boolean;
}

/** Optional checks during a run, beyond those that cost nothing. */
export interface Checks {
  /** Integers that overflow though the frontend promised they do not, and NaNs that an op makes of numbers. */
  readonly arithmetic?: boolean;
  /** Check AxisInfo's claims about integers and pointers. */
  readonly axisInfo?: boolean;
  readonly observe?: ResultObserver;
  /** Reshapes that may reorder elements do. */
  readonly reorders?: boolean;
  /** Quotients by zero are other numbers than usual. */
  readonly quotients?: boolean;
}

/** Arguments have lower addresses, buffers that pointer tables lead to higher ones. */
const FIRST_SCRATCH = 192;
const MAX_SCRATCH = 64;

/** How often a program finds the same in global memory, with nothing stored meanwhile, before it is taken to do so for ever. */
const POLLS = 1 << 14;

/** Hears of every tensor of integers or pointers. */
export type ResultObserver = (op: Operation, index: number, value: Tensor) => void;

export class Machine {
  readonly findings = new Findings();
  readonly stores: StoreEvent[] = [];
  readonly printed: string[] = [];
  /** Computes error bounds of values; undefined unless they are requested. */
  bounds: Bounds | undefined;
  onResult: ResultObserver | undefined;
  /** Tensor maps by their address. */
  readonly tensormaps = new Map<number, Tensormap>();
  readonly order: GlobalOrder;
  #poll:
    | { readonly op: Operation; readonly address: number; readonly found: number | bigint; readonly version: number; times: number }
    | undefined;
  readonly #scratch = new Map<Operation, number>();
  steps = 0;
  /** Whether a loop had no round. */
  skippedLoop = false;
  program: readonly number[] = [0, 0, 0];
  grid: readonly number[] = [1, 1, 1];
  threads: Thread[] = [];
  /** The thread that is running. */
  current!: Thread;
  shared!: SharedState;
  /** Which of several threads that can run goes first; depends on the seed, so that orders differ between runs. */
  readonly #pickLast: boolean;

  constructor(
    readonly memory: Memory,
    readonly limits: Limits,
    readonly checks: Checks,
    readonly seed: number,
    readonly gpu: Gpu,
  ) {
    this.#pickLast = seed % 2 === 1;
    this.order = new GlobalOrder(memory, this.findings);
  }

  /** Runs one program of the grid to its end. `enter` pushes the first frame. */
  run(program: readonly number[], shared: SharedState, enter: () => void): void {
    this.program = program;
    this.order.begin(program);
    this.#poll = undefined;
    this.shared = shared;
    this.findings.program = program;
    this.threads = [];
    this.current = this.spawn("program", { partition: 0, times: [1] });
    enter();
    while (this.threads.length > 0) this.#runThread(this.#nextThread());
    shared.finish();
  }

  spawn(name: string, clock: Clock): Thread {
    const thread: Thread = { name, frames: [], waiting: undefined, depth: 0, async: { open: [], groups: [] }, stores: [], dots: [], clock };
    this.threads.push(thread);
    return thread;
  }

  #nextThread(): Thread {
    const { threads } = this;
    for (let i = 0; i < threads.length; i++) {
      const thread = threads[this.#pickLast ? threads.length - 1 - i : i]!;
      if (!thread.waiting) return thread;
      if (thread.waiting.ready()) {
        thread.waiting = undefined;
        return thread;
      }
    }
    const { waiting } = threads[0]!;
    const all = threads
      .map((t, i) => `${t.name} waits for ${t.waiting!.what}${i === 0 ? "" : ` (${printableLocation(t.waiting!.op)})`}`)
      .join("; ");
    throw new Stop("deadlock", `nobody can go on: ${all}`, waiting!.op);
  }

  #runThread(thread: Thread): void {
    this.current = thread;
    if (this.shared.isOrderedByAuthor) this.shared.clock = thread.clock;
    const { frames } = thread;
    while (frames.length > 0 && !thread.waiting) this.#step(frames);
    if (frames.length > 0) return;
    this.threads.splice(this.threads.indexOf(thread), 1);
    for (const { op } of thread.stores)
      this.findings.add("early-read", op, `${thread.name} ends before the wait for ${op.name}, which still reads shared memory`);
  }

  /**
   * Runs a region to its end at once and returns what its terminator hands over: for the regions of reductions and the
   * like, which wait for nothing. Scalars among `args` may be vectors where the region only computes.
   */
  runBlock(code: BlockCode, env: Val[], args: readonly Val[]): readonly Val[] {
    const { frames } = this.current;
    let results: readonly Val[] = [];
    for (let i = 0; i < code.args.length; i++) env[code.args[i]!] = args[i]!;
    const base = frames.length;
    this.push({ code, pc: 0, env, isCall: false, onExit: (values) => (frames.pop(), (results = values)) });
    while (frames.length > base) this.#step(frames);
    return results;
  }

  #step(frames: Frame[]): void {
    const frame = frames[frames.length - 1]!;
    const instruction = frame.code.instructions[frame.pc++]!;
    if (++this.steps > this.limits.maxSteps)
      throw new Stop(
        "limit",
        `stopped after ${this.limits.maxSteps} steps: an endless loop, or more work than --max-steps allows`,
        instruction.op,
      );
    instruction.count++;
    if (this.bounds) this.bounds.run(instruction, frame, this);
    else instruction.run(frame, this);
    if (this.onResult !== undefined) this.#observe(frame, instruction, this.onResult);
  }

  /** An access that others may change has found that value: who goes on asking while nothing is stored does so for ever. */
  polled(op: Operation, address: number, found: number | bigint, wanted?: number | bigint): void {
    const { version } = this.order;
    const poll = this.#poll;
    if (poll?.op !== op || poll.address !== address || poll.found !== found || poll.version !== version)
      this.#poll = { op, address, found, version, times: 1 };
    else if (++poll.times >= POLLS)
      throw new Stop(
        "deadlock",
        `program (${this.program.join(", ")}) polls and always finds ${found}${wanted === undefined ? "" : `, where ${wanted} is wanted`}: ${this.order.lastStore(address)}`,
        op,
      );
  }

  #observe({ env }: Frame, { op, outs }: Instruction, tell: ResultObserver): void {
    for (let i = 0; i < outs.length; i++) {
      const value = env[outs[i]!];
      if (value?.form === "tensor" && value.element.family !== "float") tell(op, i, value);
    }
  }

  /** Stops the current thread until `ready`; it goes on after the op. */
  wait(op: Operation, what: string, ready: () => boolean): void {
    if (!ready()) this.current.waiting = { ready, what, op };
  }

  push(frame: Frame): void {
    const { frames } = this.current;
    if (frames.length > 4 * this.limits.maxDepth)
      throw new Stop("limit", "regions are nested deeper than the simulator follows", undefined);
    frames.push(frame);
  }
  /** Ends the innermost frame. */
  pop(): void {
    this.current.frames.pop();
  }

  /** Charges for work on many elements. */
  charge(op: Operation, elements: number): void {
    this.steps += elements >>> 10;
    if (elements * 8 > this.limits.maxBytes)
      throw new Stop("limit", `a tensor of ${elements} elements is more than the simulator allocates`, op);
  }

  /** Global memory that an op allocates for the program: a buffer of its own, that is no argument's. */
  scratchAddress(op: Operation): number {
    let address = this.#scratch.get(op);
    if (address === undefined) {
      const index = this.#scratch.size;
      if (index >= MAX_SCRATCH) throw new Stop("limit", "more global scratch memory is allocated than the simulator follows", op);
      address = this.memory.addBuffer({ name: `#scratch${index}`, element: "i8", init: { kind: "zeros" } }, FIRST_SCRATCH + index);
      this.#scratch.set(op, address);
    }
    return address;
  }

  store(op: Operation, element: Element, addresses: Data, mask: Data | undefined, unordered = false): void {
    this.stores.push({ op, program: this.program, element, addresses, mask, unordered });
  }
}
