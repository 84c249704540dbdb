import type { OpDef, TypedOpDef, ViewOf } from "../ir/define-op.js";
import type { Interface } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import type { Trait } from "../ir/traits.js";
import type { Rewriter } from "./rewriter.js";

/** A rewrite that may apply to an op. Patterns are tried by benefit, then in the order given (see `PatternSet`). */
export interface Pattern {
  readonly name: string;
  readonly benefit: number;
  /** The op kind it applies to; undefined: any op that `applies` accepts. */
  readonly root: OpDef | undefined;
  /** Undefined: all ops (of kind `root`). */
  readonly applies: ((op: Operation) => boolean) | undefined;
  /** Tries the rewrite; true when the IR changed. */
  readonly rewrite: (op: Operation, rw: Rewriter) => boolean;
}

export interface PatternOptions {
  /** Higher is tried first; 1 by default, as upstream. */
  readonly benefit?: number;
}

/**
 * A pattern on ops of kind `root`; `rewrite` returns true when it changed the IR, or `rw.noMatch("why not")`.
 *
 *     export const composeTrans = pattern("compose-trans", TransOp, (outer, rw) => {
 *       const inner = TransOp.match(outer.src.definingOp);
 *       if (!inner) return rw.noMatch("source is not tt.trans");
 *       return rw.replace(outer, rw.value(TransOp, { src: inner.src, order: ... }));
 *     });
 */
export function pattern<O, A, R, G, S>(
  name: string,
  root: TypedOpDef<O, A, R, G, S>,
  rewrite: (op: ViewOf<O, A, R, G, S>, rw: Rewriter) => boolean,
  options: PatternOptions = {},
): Pattern {
  return {
    name,
    benefit: options.benefit ?? 1,
    root,
    applies: undefined,
    rewrite: (op, rw) => rewrite(root.viewOf(op) as ViewOf<O, A, R, G, S>, rw),
  };
}

/**
 * A pattern on the ops that `applies` accepts (an interface, a trait), tried among those for the op's kind. Without
 * `applies` it is for every op, and tried after those of equal benefit for the op's kind.
 */
export function anyOpPattern(
  name: string,
  applies: ((op: Operation) => boolean) | undefined,
  rewrite: (op: Operation, rw: Rewriter) => boolean,
  options: PatternOptions = {},
): Pattern {
  return { name, benefit: options.benefit ?? 1, root: undefined, applies, rewrite };
}
/** For `anyOpPattern`: accepts ops with that trait. */
export const hasTrait =
  (trait: Trait) =>
  (op: Operation): boolean =>
    op.def.traits.has(trait);
/** For `anyOpPattern`: accepts ops with that interface. */
export const hasInterface =
  (key: Interface<unknown>) =>
  (op: Operation): boolean =>
    op.def.interface(key) !== undefined;
