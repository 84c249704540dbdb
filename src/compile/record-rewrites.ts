/** Which pattern rewrote which op into what, as a Trace keeps it of every pass. `rewrite-details.ts` tells more of one pass. */
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import type { RewriteListener } from "../rewrite/rewriter.js";

/** Where ops came from, by id. */
export type Origins = Map<number, number | readonly number[]>;

interface Entry {
  readonly pattern: string;
  readonly root: number;
  readonly made: number[];
}

export class RewriteRecorder implements RewriteListener {
  readonly #entries: Entry[] = [];
  /** What is being tried: one in another. */
  readonly #open: Entry[] = [];
  /** Rewrites of a dialect conversion by root: what they made is told when all is done. */
  readonly #promised = new Map<number, Entry>();

  /** `gone` collects where erased ops had come from. */
  constructor(readonly gone: Origins) {}

  rewriteBegin(pattern: string, root: Operation): void {
    this.#open.push({ pattern, root: root.id, made: [] });
  }
  rewriteEnd(_pattern: string, applied: boolean): void {
    const entry = this.#open.pop()!;
    if (!applied) return;
    this.#entries.push(entry);
    if (entry.made.length === 0) this.#promised.set(entry.root, entry);
  }
  inserted(op: Operation): void {
    const open = this.#open.at(-1) ?? (typeof op.origin === "number" ? this.#promised.get(op.origin) : undefined);
    open?.made.push(op.id);
  }
  replaced(op: Operation, values: readonly Value[]): void {
    let entry = this.#open.at(-1) ?? this.#promised.get(op.id);
    if (!entry) this.#entries.push((entry = { pattern: "replace", root: op.id, made: [] }));
    for (const { definingOp } of values) if (definingOp && !entry.made.includes(definingOp.id)) entry.made.push(definingOp.id);
  }
  erased(op: Operation): void {
    if (op.origin !== undefined) this.gone.set(op.id, op.origin);
    const open = this.#open.at(-1);
    if (open) {
      const at = open.made.indexOf(op.id);
      if (at >= 0) open.made.splice(at, 1);
    } else if (!this.#promised.has(op.id) && this.#entries.at(-1)?.root !== op.id)
      this.#entries.push({ pattern: "erase", root: op.id, made: [] });
  }

  /** As a step of a Trace holds them. */
  take(): { readonly rewrites: Int32Array; readonly patterns: readonly string[] } {
    const patterns = new Map<string, number>();
    const flat: number[] = [];
    for (const { pattern, root, made } of this.#entries) {
      let index = patterns.get(pattern);
      if (index === undefined) patterns.set(pattern, (index = patterns.size));
      flat.push(index, root, made.length);
      for (const op of made) flat.push(op);
    }
    return { rewrites: Int32Array.from(flat), patterns: [...patterns.keys()] };
  }
}
