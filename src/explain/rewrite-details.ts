/**
 * A pass rewrite by rewrite: pattern, the op before, the ops after, and why other patterns declined. Ops are printed
 * at every step, which takes as long as printing the module a few times: it is done for one pass, when somebody asks.
 */
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import type { Instrumentation, StepRecord } from "../pass/instrumentation.js";
import type { RewriteListener } from "../rewrite/rewriter.js";
import { OpLines } from "../syntax/op-lines.js";

/** A pattern that did not apply, with the reason it gave; empty where it gave none. */
export interface Declined {
  readonly pattern: string;
  readonly reason: string;
}
export interface RewriteDetail {
  /** The pattern, `(fold)` or `(dead)`; `replace` or `erase` where the pass itself did it. */
  readonly pattern: string;
  /** The op rewritten, and its line before. */
  readonly root: number;
  readonly before: string;
  /** Ops made or changed, as they were then. */
  readonly after: readonly { readonly op: number; readonly text: string }[];
  /** Names of existing values that took the place of results. */
  readonly replacedBy: readonly string[];
  /** Patterns tried on the op before this one applied. */
  readonly declined: readonly Declined[];
}
/** The rewrites of one run of a pass, in order. */
export interface PassRewrites {
  readonly rewrites: readonly RewriteDetail[];
  /** Ops that no pattern rewrote though some were tried on them and said why not. */
  readonly untouched: readonly { readonly op: number; readonly text: string; readonly declined: readonly Declined[] }[];
  /** Rewrites that are not listed because there are too many. */
  readonly left: number;
}

/** So many rewrites are kept. */
const MOST = 20_000;

/** Watches a run of a pass of the pipeline; `take` returns its rewrites by label: `8`, and `8.1` for a pass that it ran. */
export class RewriteDetails implements Instrumentation {
  readonly #found = new Map<string, PassRewrites>();
  readonly #open: Watch[] = [];
  #module: Operation | undefined;
  #inner = 0;

  /** `label`: the pass's, as the Trace has it. */
  constructor(readonly label: string) {}

  before({ root, depth }: StepRecord): void {
    if (depth === 0) this.#module = root;
    this.#open.push(new Watch(this.#module!));
  }
  after({ depth }: StepRecord): void {
    this.#found.set(depth === 0 ? this.label : `${this.label}.${++this.#inner}`, this.#open.pop()!.take());
  }
  dump(): void {
    this.#inner++;
  }
  listener(): RewriteListener {
    return this.#open.at(-1)!;
  }
  /** `idOf`: the id in the Trace of an op, by its own. */
  take(idOf: (op: number) => number): ReadonlyMap<string, PassRewrites> {
    const withId = <T extends { readonly op: number }>(named: T): T => ({ ...named, op: idOf(named.op) });
    return new Map(
      [...this.#found].map(([label, { rewrites, untouched, left }]) => [
        label,
        {
          rewrites: rewrites.map((rewrite) => ({ ...rewrite, root: idOf(rewrite.root), after: rewrite.after.map(withId) })),
          untouched: untouched.map(withId),
          left,
        },
      ]),
    );
  }
}

/** A pattern that is being tried. */
interface Attempt {
  readonly pattern: string;
  readonly root: Operation;
  readonly before: string;
  readonly made: Set<Operation>;
  readonly reasons: string[];
  replacedBy: readonly Value[];
  touched: boolean;
}
interface Draft extends Omit<RewriteDetail, "after"> {
  readonly op: Operation;
  readonly made: Set<Operation>;
  after: RewriteDetail["after"];
}

class Watch implements RewriteListener {
  readonly #lines: OpLines;
  readonly #drafts: Draft[] = [];
  readonly #attempts: Attempt[] = [];
  /** The failed attempts on each op since it was last visited. */
  readonly #tried = new Map<Operation, { text: string; declined: Declined[] }>();
  /** Rewrites of a dialect conversion, whose changes are reported at its end: by the op they rewrote. */
  readonly #promised = new Map<number, Draft>();
  #last: { readonly op: Operation; readonly version: number; readonly text: string } | undefined;
  #left = 0;

  constructor(module: Operation) {
    this.#lines = new OpLines(module);
  }

  rewriteBegin(pattern: string, root: Operation): void {
    const before = this.textOf(root);
    this.#attempts.push({ pattern, root, before, made: new Set(), reasons: [], replacedBy: [], touched: false });
  }
  noMatch(_op: Operation | undefined, reason: string): void {
    this.#attempts.at(-1)?.reasons.push(reason);
  }
  rewriteEnd(pattern: string, applied: boolean): void {
    const attempt = this.#attempts.pop()!;
    const { root, before, made, replacedBy } = attempt;
    const tried = this.#tried.get(root);
    if (!applied) {
      const declined = { pattern, reason: attempt.reasons.join("; ") };
      // Tried anew: the op came back onto the worklist.
      if (tried && !tried.declined.some((d) => d.pattern === pattern)) tried.declined.push(declined);
      else this.#tried.set(root, { text: before, declined: [declined] });
      return;
    }
    this.#tried.delete(root);
    const draft = this.add(pattern, root, before, tried?.declined ?? []);
    if (!draft) return;
    for (const op of made) draft.made.add(op);
    if (attempt.touched) this.finish(draft, replacedBy);
    else this.#promised.set(root.id, draft);
  }
  inserted(op: Operation): void {
    const attempt = this.#attempts.at(-1);
    if (attempt) {
      attempt.made.add(op);
      attempt.touched = true;
    } else if (typeof op.origin === "number") this.#promised.get(op.origin)?.made.add(op);
  }
  modified(): void {
    const attempt = this.#attempts.at(-1);
    if (attempt) attempt.touched = true;
  }
  replaced(op: Operation, values: readonly Value[]): void {
    const attempt = this.#attempts.at(-1);
    if (attempt) {
      attempt.touched = true;
      if (op === attempt.root) attempt.replacedBy = values;
      return;
    }
    const promised = this.#promised.get(op.id);
    if (promised) return this.replacements(promised, values);
    const draft = this.add("replace", op, this.textOf(op), []);
    if (draft) this.replacements(draft, values);
  }
  erased(op: Operation): void {
    const attempt = this.#attempts.at(-1);
    // Failed attempts on the root are reported with the rewrite that applied, so they are kept.
    if (op !== attempt?.root) this.#tried.delete(op);
    if (attempt) {
      attempt.touched = true;
      attempt.made.delete(op);
    } else if (!this.#promised.has(op.id) && this.#drafts.at(-1)?.op !== op) this.add("erase", op, this.textOf(op), []);
  }

  take(): PassRewrites {
    for (const draft of this.#promised.values()) this.finish(draft, []);
    const rewrites = this.#drafts.map(
      ({ pattern, root, before, after, replacedBy, declined }): RewriteDetail => ({ pattern, root, before, after, replacedBy, declined }),
    );
    const untouched = [...this.#tried].flatMap(([op, { text, declined }]) =>
      declined.some((d) => d.reason !== "") ? [{ op: op.id, text, declined: declined.filter((d) => d.reason !== "") }] : [],
    );
    return { rewrites, untouched, left: this.#left };
  }

  private add(pattern: string, op: Operation, before: string, declined: readonly Declined[]): Draft | undefined {
    if (this.#drafts.length >= MOST) {
      this.#left++;
      return undefined;
    }
    const draft: Draft = { pattern, root: op.id, op, before, made: new Set(), after: [], replacedBy: [], declined };
    this.#drafts.push(draft);
    return draft;
  }
  private finish(draft: Draft, replacedBy: readonly Value[]): void {
    this.replacements(draft, replacedBy);
    const there = [...draft.made].filter((op) => op.block);
    const { op } = draft;
    // Changed in place.
    if (op.block && !draft.made.has(op)) {
      const text = this.#lines.line(op);
      if (text !== draft.before) draft.after = [{ op: op.id, text }];
    }
    draft.after = [...draft.after, ...there.map((made) => ({ op: made.id, text: this.#lines.line(made) }))];
  }
  private replacements(draft: Draft, values: readonly Value[]): void {
    const old = values.filter((value) => !value.definingOp || !draft.made.has(value.definingOp));
    if (old.length > 0) (draft as { replacedBy: readonly string[] }).replacedBy = old.map((value) => this.#lines.name(value));
  }
  private textOf(op: Operation): string {
    const { version } = op.ctx;
    if (this.#last?.op !== op || this.#last.version !== version) this.#last = { op, version, text: this.#lines.line(op) };
    return this.#last.text;
  }
}
