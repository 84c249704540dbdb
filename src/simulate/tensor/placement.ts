/**
 * Where buffers lie in shared memory, once `allocate-shared-memory` has said so. Two may share bytes as long as they are
 * not in use at once: who reads a buffer over which another was written since is found out.
 *
 *     %a = ttg.local_alloc %x {allocation.offset = 0}
 *     %b = ttg.local_alloc %y {allocation.offset = 0}
 *     ttg.local_load %a                                  // reads what is y's by now
 */

import type { Operation } from "../../ir/operation.js";
import type { Findings } from "./findings.js";
import { printableLocation } from "./place.js";

interface Placed {
  readonly op: Operation;
  readonly begin: number;
  readonly end: number;
  /** When it was written last, by which op. */
  time: number;
  writer: Operation;
}

export class Placement {
  /** The last allocation of each op: in a loop a buffer is allocated again and again. */
  readonly #placed = new Map<Operation, Placed>();
  #now = 0;

  constructor(readonly findings: Findings) {}

  place(op: Operation, begin: number, bytes: number): void {
    this.#placed.set(op, { op, begin, end: begin + bytes, time: 0, writer: op });
  }

  /** `buffer` is the op that allocated it. */
  wrote(writer: Operation, buffer: Operation): void {
    const placed = this.#placed.get(buffer);
    if (!placed) return;
    placed.time = ++this.#now;
    placed.writer = writer;
  }

  /** An op uses its own scratch memory, from first to last. */
  scratch(op: Operation, begin: number, bytes: number): void {
    if (bytes === 0) return;
    this.place(op, begin, bytes);
    this.wrote(op, op);
  }

  read(reader: Operation, buffer: Operation): void {
    const placed = this.#placed.get(buffer);
    if (!placed || placed.time === 0) return;
    for (const other of this.#placed.values()) {
      if (other === placed || other.time <= placed.time || other.end <= placed.begin || placed.end <= other.begin) continue;
      const bytes = `bytes ${Math.max(placed.begin, other.begin)} to ${Math.min(placed.end, other.end) - 1} of shared memory`;
      const message = `${reader.name} reads the buffer of ${printableLocation(buffer)}; ${bytes} are ${printableLocation(other.op)}'s, too, and ${other.writer.name} wrote them since`;
      return this.findings.add("overlap", reader, message);
    }
  }
}
