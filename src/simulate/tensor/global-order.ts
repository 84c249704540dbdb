/**
 * Global memory that a program loads after it stored it. Threads do so in an order of their own until they meet at a
 * barrier: where one loads what another stored, what is there is not defined, and differs between stages.
 */

import type { Operation } from "../../ir/operation.js";
import type { Buffer, Memory } from "../memory.js";
import type { Data } from "./elements.js";
import type { Findings } from "./findings.js";

interface Store {
  readonly op: Operation;
  readonly addresses: Data;
  readonly mask: Data | undefined;
}

export class GlobalOrder {
  /** What was stored since the last barrier, by buffer. */
  readonly #stores = new Map<Buffer, Store[]>();
  /** Buffers in which a load met such a store. */
  readonly open = new Set<string>();

  constructor(
    readonly memory: Memory,
    readonly findings: Findings,
  ) {}

  /** All threads meet; also at the begin of a program. */
  barrier(): void {
    this.#stores.clear();
  }

  stored(op: Operation, addresses: Data, mask: Data | undefined): void {
    const buffer = this.#bufferOf(addresses, mask);
    if (!buffer) return;
    const stores = this.#stores.get(buffer);
    if (stores) stores.push({ op, addresses, mask });
    else this.#stores.set(buffer, [{ op, addresses, mask }]);
  }

  loaded(op: Operation, addresses: Data, mask: Data | undefined): void {
    if (this.#stores.size === 0) return;
    const buffer = this.#bufferOf(addresses, mask);
    const stores = buffer && this.#stores.get(buffer);
    if (!stores || this.findings.has("global-order", op)) return;
    const loads = new Set(addresses.filter((_, i) => !mask || mask[i]) as Float64Array);
    for (const store of stores)
      for (let i = 0; i < store.addresses.length; i++) {
        const address = store.addresses[i] as number;
        if ((store.mask && !store.mask[i]) || !loads.has(address)) continue;
        this.open.add(buffer.spec.name);
        const where = `byte ${address - buffer.address} of '${buffer.spec.name}'`;
        return this.findings.add("global-order", op, `${op.name} loads ${where}, which ${store.op.name} stored without a barrier between`);
      }
  }

  #bufferOf(addresses: Data, mask: Data | undefined): Buffer | undefined {
    const first = mask ? (mask as Int8Array).findIndex(Boolean) : 0;
    return first < 0 ? undefined : this.memory.bufferAt(addresses[first] as number);
  }
}
