/**
 * Shared and tensor memory: buffers, views of them, barriers, and the asynchronous ops under way. An asynchronous op
 * takes effect as late as the program allows: when somebody waits for it. Until then its elements are marked, and whoever
 * reads what is still to be written, or writes what is still to be read, is found out.
 *
 * A view lists the element of the buffer for each of its own elements, row-major; so every view is right whatever the
 * layouts are. Only `memdesc_reinterpret` needs to know those.
 */

import { allocationOffset } from "../../analysis/allocation.js";
import { encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import type { MemDesc } from "../../dialects/ttg/types.js";
import { numElements } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { getShapePerCTAOf } from "../../layout/encoding-queries.js";
import type { Bounds } from "./bounds.js";
import type { Data, Element } from "./elements.js";
import type { Findings } from "./findings.js";
import { type Limits, Stop } from "./machine.js";
import { type Accesses, type Clock, noAccesses, noteRead, noteWrite, release, snapshot } from "./partition-order.js";
import { printableLocation } from "./place.js";
import { Placement } from "./placement.js";
import { gathered, type Tensor, tensor, tensorSpec } from "./value.js";

export interface SharedBuffer {
  /** The op that allocated it. */
  readonly op: Operation;
  readonly element: Element;
  readonly data: Data;
  /** Which elements were ever written. */
  readonly written: Uint8Array;
  /** How many ops under way will write each element, or still read it; made when first needed. */
  inFlight: { readonly writes: Uint8Array; readonly reads: Uint8Array } | undefined;
  readonly barriers: Map<number, Barrier>;
  /** Who accessed it; kept while there are several partitions. */
  accesses: Accesses | undefined;
  /** Elements that an op of the program wrote since the last fence, and the last such op. */
  unfenced: { readonly elements: Uint8Array; by: Operation } | undefined;
}
export interface MemDescValue {
  readonly form: "memdesc";
  readonly buffer: SharedBuffer;
  readonly element: Element;
  readonly shape: readonly number[];
  /** The place in the buffer of each element; of its first byte where the buffer's elements have another size. */
  readonly at: Int32Array;
  /** Where the buffer's elements have another size: the place of each byte of each element, among the bytes of its data. */
  readonly bytesAt?: Int32Array | undefined;
}

/** An mbarrier: a phase ends when all have arrived and all announced bytes came. */
export interface Barrier {
  readonly count: number;
  pending: number;
  bytes: number;
  /** How many phases ended. */
  phases: number;
  /** Ops whose end arrives here, in order of issue. */
  readonly waitsFor: AsyncOp[];
  /** The knowledge of those who arrived. */
  readonly known: number[];
}

/** An op under way. `done` once it took effect. */
export interface AsyncOp {
  readonly op: Operation;
  readonly reads: readonly MemDescValue[];
  readonly writes: readonly MemDescValue[];
  readonly effect: () => void;
  /** The op that must take effect before it: tensor cores work in order. */
  readonly after: AsyncOp | undefined;
  /** The times of the partition that began it, which it arrives with. */
  readonly clock: Clock | undefined;
  done: boolean;
}

export class SharedState {
  /** The last op given to the tensor cores of sm_100. */
  lastMma: AsyncOp | undefined;
  readonly placement: Placement;
  /** That of the partition that is running, or of the asynchronous op that takes effect; undefined where the author does not order them. */
  clock: Clock | undefined;
  /** Buffers with elements that asynchronous hardware does not see before a fence. */
  readonly #unfenced = new Set<SharedBuffer>();
  #bytes = 0;

  constructor(
    readonly findings: Findings,
    readonly limits: Limits,
    readonly bounds?: Bounds,
    /** Whether the order of partitions is the author's work, as in Gluon; for Triton passes see to it. */
    readonly isOrderedByAuthor = false,
    /** The same of fences for asynchronous hardware, which a pass inserts since Triton 3.7. */
    readonly isFencedByAuthor = false,
  ) {
    this.placement = new Placement(findings);
  }

  allocate(op: Operation, element: Element, shape: readonly number[]): MemDescValue {
    const total = numElements(shape);
    this.#bytes += total * element.bytes;
    if (this.#bytes > this.limits.maxBytes)
      throw new Stop("limit", `${this.#bytes} bytes of shared memory were allocated: more than the simulator allows`, op);
    const offset = allocationOffset(op);
    if (offset !== undefined) this.placement.place(op, offset, bytesPerCTA(op.result(0).type as MemDesc, shape));
    const at = new Int32Array(total);
    for (let i = 0; i < total; i++) at[i] = i;
    const buffer: SharedBuffer = {
      op,
      element,
      data: element.alloc(total),
      written: new Uint8Array(total),
      inFlight: undefined,
      barriers: new Map(),
      unfenced: undefined,
      accesses: undefined,
    };
    return { form: "memdesc", buffer, element, shape, at };
  }

  /** Reads for an op of the program itself, or at its issue for an asynchronous one. */
  read(op: Operation, desc: MemDescValue): Tensor {
    this.checkRead(op, desc);
    this.#noteAccess(noteRead, op, desc);
    return this.peek(desc);
  }
  peek({ buffer, element, shape, at, bytesAt }: MemDescValue): Tensor {
    const data = bytesAt ? element.alloc(at.length) : gathered(element, buffer.data, at);
    if (bytesAt) {
      const [from, to] = [bytesOf(buffer.data), bytesOf(data)];
      for (let i = 0; i < bytesAt.length; i++) to[i] = from[bytesAt[i]!]!;
    }
    this.bounds?.taken(buffer.data, at, data);
    return tensor(element, shape, data);
  }
  /** `later`: what is not written yet will be read only when an earlier op under way has written it. */
  checkRead(op: Operation, { buffer, at }: MemDescValue, later = false): void {
    const { written, inFlight } = buffer;
    if (!later) this.placement.read(op, buffer.op);
    if (inFlight && !later)
      for (let i = 0; i < at.length; i++)
        if (inFlight.writes[at[i]!]!) {
          this.findings.add(
            "early-read",
            op,
            `${op.name} reads element ${at[i]} of the buffer of ${placeOf(buffer.op)} while a copy into it is not waited for`,
          );
          break;
        }
    if (later) return;
    for (let i = 0; i < at.length; i++)
      if (!written[at[i]!] && !inFlight?.writes[at[i]!]) {
        this.findings.add(
          "unwritten-shared",
          op,
          `${op.name} reads element ${at[i]} of the buffer of ${placeOf(buffer.op)}, which nobody wrote`,
        );
        return;
      }
  }
  write(op: Operation, desc: MemDescValue, data: Data): void {
    this.checkWrite(op, desc);
    this.#noteAccess(noteWrite, op, desc);
    this.poke(desc, data, op);
    this.needFence(op, desc);
  }
  #noteAccess(note: typeof noteRead, op: Operation, { buffer, at }: MemDescValue): void {
    if (!this.clock || this.clock.times.length < 2) return;
    const race = note((buffer.accesses ??= noAccesses(buffer.data.length)), op, at, this.clock);
    if (race !== undefined) this.findings.add("race", op, `${op.name} ${race}, with no barrier that orders them`);
  }
  /** Asynchronous hardware sees what this op of the program wrote only after a fence. */
  needFence(by: Operation, { buffer, at }: MemDescValue): void {
    if (!this.isFencedByAuthor || buffer.op.name === "ttng.tmem_alloc") return;
    const { elements } = (buffer.unfenced ??= { elements: new Uint8Array(buffer.data.length), by });
    buffer.unfenced.by = by;
    this.#unfenced.add(buffer);
    for (let i = 0; i < at.length; i++) elements[at[i]!] = 1;
  }
  /** `fence_async_shared` */
  fence(): void {
    for (const buffer of this.#unfenced) buffer.unfenced = undefined;
    this.#unfenced.clear();
  }
  #checkFence(op: Operation, { buffer, at }: MemDescValue): void {
    const { unfenced } = buffer;
    const element = unfenced && at.find((p) => unfenced.elements[p] === 1);
    if (element !== undefined)
      this.findings.add(
        "missing-fence",
        op,
        `${op.name} reads element ${element} of the buffer of ${placeOf(buffer.op)} asynchronously, with no fence_async_shared after ${printableLocation(unfenced!.by)}, which wrote it`,
      );
  }
  poke({ buffer, at, bytesAt }: MemDescValue, data: Data, writer = buffer.op): void {
    const { data: to, written } = buffer;
    this.placement.wrote(writer, buffer.op);
    if (buffer.unfenced) for (let i = 0; i < at.length; i++) buffer.unfenced.elements[at[i]!] = 0;
    this.bounds?.put(data, at, to);
    if (bytesAt) {
      const [from, into] = [bytesOf(data), bytesOf(to)];
      for (let i = 0; i < bytesAt.length; i++) {
        into[bytesAt[i]!] = from[i]!;
        written[Math.floor(bytesAt[i]! / buffer.element.bytes)] = 1;
      }
      return;
    }
    for (let i = 0; i < at.length; i++) {
      to[at[i]!] = data[i]!;
      written[at[i]!] = 1;
    }
  }
  checkWrite(op: Operation, { buffer, at }: MemDescValue): void {
    const { inFlight } = buffer;
    if (!inFlight) return;
    for (let i = 0; i < at.length; i++) {
      const p = at[i]!;
      if (!inFlight.reads[p] && !inFlight.writes[p]) continue;
      const who = inFlight.reads[p] ? "an op that still reads it is not waited for" : "a copy into it is not waited for";
      return this.findings.add("race", op, `${op.name} writes element ${p} of the buffer of ${placeOf(buffer.op)} while ${who}`);
    }
  }

  /**
   * Begins an op. Its reads and writes are checked against those under way, then marked until it is done. Reads of what an
   * op that comes before in the same unit writes are in order.
   */
  begin(init: {
    readonly op: Operation;
    readonly reads?: readonly MemDescValue[];
    readonly writes?: readonly MemDescValue[];
    readonly after?: AsyncOp | undefined;
    readonly effect: () => void;
  }): AsyncOp {
    const { op, reads = [], writes = [] } = init;
    for (const desc of reads) {
      this.#checkFence(op, desc);
      this.#noteAccess(noteRead, op, desc);
    }
    for (const desc of writes) this.#noteAccess(noteWrite, op, desc);
    mark(reads, "reads", 1);
    mark(writes, "writes", 1);
    return {
      op,
      reads,
      writes,
      effect: init.effect,
      after: init.after,
      clock: this.clock && snapshot(this.clock),
      done: false,
    };
  }
  /** Takes effect, after what comes before it. */
  end(async: AsyncOp): void {
    // A chain of them may be long.
    const chain: AsyncOp[] = [];
    for (let at: AsyncOp | undefined = async; at && !at.done; at = at.after) chain.push(at);
    const { clock } = this;
    for (const op of chain.reverse()) {
      op.done = true;
      this.clock = op.clock;
      op.effect();
      this.clock = clock;
      mark(op.reads, "reads", -1);
      mark(op.writes, "writes", -1);
    }
  }

  barrier(op: Operation, desc: MemDescValue): Barrier {
    const found = desc.buffer.barriers.get(desc.at[0]!);
    if (found) return found;
    this.findings.add("barrier", op, `${op.name} uses a barrier that is not initialised`);
    return this.initBarrier(desc, 1);
  }
  initBarrier(desc: MemDescValue, count: number): Barrier {
    const barrier: Barrier = { count, pending: count, bytes: 0, phases: 0, waitsFor: [], known: [] };
    desc.buffer.barriers.set(desc.at[0]!, barrier);
    return barrier;
  }
  arrive(op: Operation, barrier: Barrier, count: number): void {
    if (this.clock) release(this.clock, barrier.known);
    barrier.pending -= count;
    if (barrier.pending < 0) {
      this.findings.add("barrier", op, `more arrivals at a barrier than the ${barrier.count} it waits for`);
      barrier.pending = 0;
    }
    this.#endPhase(barrier);
  }
  /** Announces bytes (positive) or reports that they came (negative). */
  transfer(barrier: Barrier, bytes: number): void {
    if (this.clock) release(this.clock, barrier.known);
    barrier.bytes += bytes;
    this.#endPhase(barrier);
  }
  #endPhase(barrier: Barrier): void {
    if (barrier.pending > 0 || barrier.bytes !== 0) return;
    barrier.phases++;
    barrier.pending = barrier.count;
  }
  /** Whether the phase of this parity has ended; lets the ops that the barrier waits for take effect, one after the other, until it has. */
  phaseEnded(barrier: Barrier, parity: number): boolean {
    for (;;) {
      // The current phase has the parity of those that ended; waiting for the other one is waiting for the last.
      if ((barrier.phases & 1) !== (parity & 1)) return true;
      const next = barrier.waitsFor.shift();
      if (!next) return false;
      this.end(next);
    }
  }

  /** The end of the program: what is under way takes effect. */
  finish(): void {
    if (this.lastMma) this.end(this.lastMma);
  }
}

/** The bytes of a buffer that one CTA holds; the whole shape may be larger than the one in the type. */
export function bytesPerCTA(type: MemDesc, shape: readonly number[] = type.params.shape): number {
  const { element } = tensorSpec(type);
  const params = encodingParams(type.params.encoding);
  const mine = params ? getShapePerCTAOf(params, shape) : shape;
  return mine.reduce((a, b) => a * b, 1) * element.bytes;
}

const bytesOf = (data: Data): Uint8Array => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** A view of some elements of another one, by their positions in it. */
export function selected(src: MemDescValue, element: Element, shape: readonly number[], places: Int32Array): MemDescValue {
  const { buffer, at, bytesAt } = src;
  const view = { form: "memdesc", buffer, element, shape, at: places.map((p) => at[p]!) } as const;
  if (!bytesAt) return view;
  const { bytes } = element;
  return {
    ...view,
    bytesAt: Int32Array.from({ length: places.length * bytes }, (_, i) => bytesAt[places[Math.floor(i / bytes)]! * bytes + (i % bytes)]!),
  };
}

function mark(descs: readonly MemDescValue[], what: "reads" | "writes", by: number): void {
  for (const { buffer, at } of descs) {
    buffer.inFlight ??= { reads: new Uint8Array(buffer.data.length), writes: new Uint8Array(buffer.data.length) };
    const counts = buffer.inFlight[what];
    for (let i = 0; i < at.length; i++) counts[at[i]!]! += by;
  }
}

const placeOf = (op: Operation): string => op.name;
