/** Which pattern rewrote which op into what, as a Trace keeps it of every pass. `rewrite-details.ts` records more of one pass. */
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import type { RewriteListener } from "../rewrite/rewriter.js";

/** Where ops came from, by id. */
export type Origins = Map<number, number | readonly number[]>;

interface Entry {
  readonly pattern: string;
  readonly root: number;
  /** Absent until there is one: most that is tried makes nothing. */
  made: number[] | undefined;
}

export class RewriteRecorder implements RewriteListener {
  readonly #entries: Entry[] = [];
  /** The rewrites being tried, nested: the innermost is last. */
  readonly #open: Entry[] = [];
  /** Rewrites of a dialect conversion by root: what they made is reported when the conversion ends. */
  readonly #promised = new Map<number, Entry>();

  /** `gone` collects where erased ops had come from. */
  constructor(readonly gone: Origins) {}

  rewriteBegin(pattern: string, root: Operation): void {
    this.#open.push({ pattern, root: root.id, made: undefined });
  }
  rewriteEnd(_pattern: string, applied: boolean): void {
    const entry = this.#open.pop()!;
    if (!applied) return;
    this.#entries.push(entry);
    if (!entry.made?.length) this.#promised.set(entry.root, entry);
  }
  inserted(op: Operation): void {
    const open = this.#open.at(-1) ?? (typeof op.origin === "number" ? this.#promised.get(op.origin) : undefined);
    if (open) (open.made ??= []).push(op.id);
  }
  replaced(op: Operation, values: readonly Value[]): void {
    let entry = this.#open.at(-1) ?? this.#promised.get(op.id);
    if (!entry) this.#entries.push((entry = { pattern: "replace", root: op.id, made: undefined }));
    for (let i = 0; i < values.length; i++) {
      const id = values[i]!.definingOp?.id;
      if (id !== undefined && !entry.made?.includes(id)) (entry.made ??= []).push(id);
    }
  }
  erased(op: Operation): void {
    if (op.origin !== undefined) this.gone.set(op.id, op.origin);
    const open = this.#open.at(-1);
    if (open) {
      // An op that is erased again was mostly made last.
      const at = open.made ? open.made.lastIndexOf(op.id) : -1;
      if (at >= 0) open.made!.splice(at, 1);
    } else if (!this.#promised.has(op.id) && this.#entries.at(-1)?.root !== op.id)
      this.#entries.push({ pattern: "erase", root: op.id, made: undefined });
  }

  /** As a step of a Trace holds them, with the ids that ops have there. */
  take(idOf: (op: number) => number): { readonly rewrites: Int32Array; readonly patterns: readonly string[] } {
    const patterns = new Map<string, number>();
    const flat: number[] = [];
    for (const { pattern, root, made = [] } of this.#entries) {
      let index = patterns.get(pattern);
      if (index === undefined) patterns.set(pattern, (index = patterns.size));
      flat.push(index, idOf(root), made.length);
      for (const op of made) flat.push(idOf(op));
    }
    return { rewrites: new Int32Array(flat), patterns: [...patterns.keys()] };
  }
}
