/**
 * Unites what is the same in every round of a loop:
 *
 *     for ... iter_args(%a = %x, %b = %x) { ...; yield %a + 1, %b + 1 }
 *
 * Plain CSE sees two sums of different values. Here %a and %b are assumed to be equal, and as what they yield is then equal
 * too, they are. Source: lib/Dialect/Triton/Transforms/LoopAwareCSE.cpp.
 */
import { forOpIterArgsFolder, simplifyTrivialLoops } from "../../dialects/scf/canonicalize/for.js";
import { ForOp, type ForView } from "../../dialects/scf/ops/for.js";
import type { Block } from "../../ir/block.js";
import { isMemoryEffectFree } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import type { Explain } from "../../pass/remark.js";
import { eliminateCommonSubexpressions } from "../../rewrite/cse.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { explainMerging } from "../common/cse.js";

export const loopAwareCse = definePass("triton-loop-aware-cse", {
  name: "TritonLoopAwareCSE",
  summary: "CSE within loop bodies",
  source: "lib/Dialect/Triton/Transforms/LoopAwareCSE.cpp",
  statistics: { united: "loop-carried values replaced by an equal one" },
  run(root, { listener, count, fail, explain }) {
    const rw = new Rewriter(root.ctx, listener);
    const merged = explain && explainMerging(explain);
    eliminateCommonSubexpressions(root, listener, merged);
    root.walkPostOrder((op) => {
      const loop = ForOp.match(op);
      if (loop) count("united", uniteIterArgs(loop, rw, explain));
    });
    eliminateCommonSubexpressions(root, listener, merged);
    if (!applyPatternsGreedily(root, [forOpIterArgsFolder, simplifyTrivialLoops], { listener }).converged) fail();
  },
});

/** Replaces each carried value by the first that is equal to it. Returns how many were replaced. */
function uniteIterArgs(loop: ForView, rw: Rewriter, explain: Explain | undefined): number {
  const { op, initArgs, region } = loop;
  const body = region.firstBlock!;
  const equalities = new Equalities(loop);
  // Only values that start equal can stay equal.
  const firstOf = new Map<Value, number[]>();
  const same = new Map<number, number[]>();
  initArgs.forEach((init, j) => {
    const candidates = firstOf.get(init) ?? [];
    firstOf.set(init, candidates);
    const i = candidates.find((i) => equalities.areIterArgsEqual(i, j));
    if (i === undefined) return void candidates.push(j);
    const members = same.get(i);
    if (members) members.push(j);
    else same.set(i, [j]);
  });
  let united = 0;
  const terminator = body.lastOp!;
  for (const [i, others] of [...same].sort(([a], [b]) => a - b))
    for (const j of others) {
      const other = body.args[j + 1]!;
      explain?.(op, "cse.merged", {
        kind: "applied",
        message: "in each iteration of {0}, {1} equals {2}, which stands for it",
        refs: [other, body.args[i + 1]!],
      });
      rw.replaceAllUses(other, body.args[i + 1]!);
      // It yields itself, so that the loop's canonicalization drops it.
      rw.setOperand(terminator, j, other);
      rw.replaceAllUses(op.result(j), op.result(i));
      united++;
    }
  return united;
}

/** Which values of a loop's body are equal in every round. */
class Equalities {
  readonly #body: Block;
  readonly #initArgs: readonly Value[];
  readonly #yielded: readonly Value[];
  /** Pairs that must be equal too, to be looked into. All must hold, so their order does not matter. */
  readonly #pending: (readonly [Value, Value])[] = [];
  /** Pairs met on the way and taken for equal; if any pair is not, the whole question is answered with no. */
  #assumed = new Map<Value, Set<Value>>();

  constructor(loop: ForView) {
    this.#body = loop.region.firstBlock!;
    this.#initArgs = loop.initArgs;
    this.#yielded = this.#body.lastOp!.operands;
  }

  areIterArgsEqual(i: number, j: number): boolean {
    this.#assumed = new Map();
    this.#pending.length = 0;
    if (!this.requireIterArgs(i, j)) return false;
    for (let pair = this.#pending.pop(); pair; pair = this.#pending.pop()) if (!this.require(...pair)) return false;
    return true;
  }

  private requireIterArgs(i: number, j: number): boolean {
    if (this.#initArgs[i] !== this.#initArgs[j]) return false;
    this.#pending.push([this.#yielded[i]!, this.#yielded[j]!]);
    return true;
  }
  /** Returns whether two values look equal; what else must be equal for it becomes pending. */
  private require(a: Value, b: Value): boolean {
    if (a === b) return true;
    if (a.type !== b.type || a.parentBlock !== this.#body || b.parentBlock !== this.#body) return false;
    const [aDef, bDef] = [a.definingOp, b.definingOp];
    if (!aDef !== !bDef) return false;
    const equals = this.#assumed.get(a);
    if (equals?.has(b)) return true;
    if (equals) equals.add(b);
    else this.#assumed.set(a, new Set([b]));
    if (aDef && bDef) return a.index === b.index && this.requireOps(aDef, bDef);
    // Argument 0 is the induction variable.
    return a.index > 0 && b.index > 0 && this.requireIterArgs(a.index - 1, b.index - 1);
  }
  private requireOps(a: Operation, b: Operation): boolean {
    if (!isMemoryEffectFree(a) || !isMemoryEffectFree(b) || a.regions.length > 0 || b.regions.length > 0) return false;
    if (a.def !== b.def || a.attrs !== b.attrs || a.numOperands !== b.numOperands || a.results.length !== b.results.length) return false;
    if (a.results.some((result, i) => result.type !== b.result(i).type)) return false;
    a.operandUses.forEach(({ value }, i) => {
      this.#pending.push([value, b.operand(i)]);
    });
    return true;
  }
}
