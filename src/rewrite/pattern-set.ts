import type { OpDef } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import type { Pattern } from "./pattern.js";
import type { Rewriter } from "./rewriter.js";

/**
 * Patterns in the order in which they are tried on an op: those for its kind by falling benefit, then as registered; one
 * for any kind comes before them only if its benefit is higher.
 * Source: mlir/lib/Rewrite/FrozenRewritePatternSet.cpp and PatternApplicator.cpp.
 */
export class PatternSet {
  readonly #byDef = new Map<OpDef, readonly Pattern[]>();
  readonly #patterns: readonly Pattern[];
  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns;
  }
  static of(patterns: PatternSet | readonly Pattern[]): PatternSet {
    return patterns instanceof PatternSet ? patterns : new PatternSet(patterns);
  }

  /** The patterns to try on ops of that kind, in order. */
  forOp(def: OpDef): readonly Pattern[] {
    let list = this.#byDef.get(def);
    if (!list) this.#byDef.set(def, (list = this.ordered(def)));
    return list;
  }
  private ordered(def: OpDef): readonly Pattern[] {
    const byBenefit = (a: Pattern, b: Pattern) => b.benefit - a.benefit;
    // A pattern on an interface or trait counts as one for each kind that has it.
    const specific = this.#patterns.filter((p) => p.root === def || (p.root === undefined && p.applies !== undefined)).sort(byBenefit);
    const any = this.#patterns.filter((p) => p.root === undefined && p.applies === undefined).sort(byBenefit);
    const merged: Pattern[] = [];
    let next = 0;
    for (const pattern of any) {
      while (next < specific.length && specific[next]!.benefit >= pattern.benefit) merged.push(specific[next++]!);
      merged.push(pattern);
    }
    return merged.concat(specific.slice(next));
  }

  /** Tries the patterns on `op` until one applies; new ops come from `op` and get its location unless another is given. */
  apply(op: Operation, rw: Rewriter): boolean {
    for (const pattern of this.forOp(op.def)) if (applyPattern(pattern, op, rw)) return true;
    return false;
  }
}

/** Tries one pattern on `op`, inserting before it. */
export function applyPattern(pattern: Pattern, op: Operation, rw: Rewriter): boolean {
  if (pattern.applies && !pattern.applies(op)) return false;
  const { listener, ctx } = rw;
  const saved = ctx.origin;
  rw.builder.setBefore(op);
  rw.builder.loc = op.locRef;
  ctx.origin = op.id;
  listener.rewriteBegin?.(pattern.name, op);
  const applied = pattern.rewrite(op, rw);
  // Not where it throws: the pass manager reports the op.
  ctx.origin = saved;
  listener.rewriteEnd?.(pattern.name, applied);
  return applied;
}
