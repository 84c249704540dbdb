/**
 * Replaces ops by equivalent ones that dominate them, and erases dead ones.
 * Source: mlir/lib/Transforms/CSE.cpp.
 */
import type { Block } from "../ir/block.js";
import { Dominance, reversePostOrder } from "../ir/dominance.js";
import { isMemoryEffectFree, isOpTriviallyDead, memoryEffects } from "../ir/interfaces.js";
import { UnknownLoc } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import { areEquivalent, hashOperation } from "./equivalence.js";
import { type RewriteListener, Rewriter } from "./rewriter.js";

export interface CseCounts {
  /** Ops replaced by an equivalent one. */
  readonly numCse: number;
  /** Ops that were dead. */
  readonly numDce: number;
}

/** Eliminates common subexpressions in everything nested in `root`. `merged` hears of ops that go, and of those that stand for them. */
export function eliminateCommonSubexpressions(
  root: Operation,
  listener: RewriteListener = {},
  merged?: (op: Operation, existing: Operation) => void,
): CseCounts {
  const cse = new Cse(new Rewriter(root.ctx, listener), merged);
  const known = new KnownOps();
  for (const region of root.regions) cse.region(region, known);
  cse.finish();
  return cse;
}

class Cse {
  numCse = 0;
  numDce = 0;
  readonly #erase: Operation[] = [];
  readonly #dominance = new Dominance();
  constructor(
    readonly rw: Rewriter,
    readonly merged: ((op: Operation, existing: Operation) => void) | undefined,
  ) {}

  /** Uses were redirected at once; the ops themselves go at the end. */
  finish(): void {
    for (const op of this.#erase) this.rw.erase(op);
  }

  region(region: Region, known: KnownOps): void {
    if (region.empty) return;
    // Ops of a module may be used before they come: it has no order.
    const ordered = region.parentOp?.name !== "builtin.module";
    if (region.hasOneBlock) {
      const mark = known.mark();
      this.block(region.firstBlock!, known, ordered);
      known.restore(mark);
      return;
    }
    if (!ordered) return;
    const children = new Map<Block, Block[]>();
    for (const block of reversePostOrder(region)) {
      const parent = this.#dominance.immediateDominator(block);
      if (!parent) continue;
      const siblings = children.get(parent);
      if (siblings) siblings.push(block);
      else children.set(parent, [block]);
    }
    // Ops known in a block are also known in the blocks it dominates. The tree may be as deep as there are blocks.
    const stack: { readonly block: Block; readonly mark: number; next: number }[] = [];
    const enter = (block: Block) => {
      stack.push({ block, mark: known.mark(), next: 0 });
      this.block(block, known, true);
    };
    enter(region.firstBlock!);
    for (let top = stack[stack.length - 1]; top; top = stack[stack.length - 1]) {
      const child = children.get(top.block)?.[top.next++];
      if (child) enter(child);
      else {
        known.restore(top.mark);
        stack.pop();
      }
    }
  }

  private block(block: Block, known: KnownOps, ordered: boolean): void {
    for (let op = block.firstOp; op; op = op.next) {
      if (op.regions.length > 0) {
        // An isolated op must not use what is outside.
        const inside = op.def.isIsolated || !op.def.registered ? new KnownOps() : known;
        for (const region of op.regions) this.region(region, inside);
      }
      this.operation(op, known, ordered);
    }
  }

  private operation(op: Operation, known: KnownOps, ordered: boolean): void {
    if (op.def.isTerminator) return;
    if (isOpTriviallyDead(op)) {
      this.#erase.push(op);
      this.numDce++;
      return;
    }
    if (op.regions.some((region) => !region.empty && !region.hasOneBlock)) return;
    const pure = isMemoryEffectFree(op);
    if (!pure && !onlyReads(op)) return;
    const existing = known.lookup(op);
    if (existing && (pure || (existing.block === op.block && !writesBetween(existing, op)))) this.replace(op, existing, known, ordered);
    else known.insert(op);
  }

  private replace(op: Operation, existing: Operation, known: KnownOps, ordered: boolean): void {
    const { rw } = this;
    this.merged?.(op, existing);
    if (ordered) {
      rw.replaceOpUses(op, existing.results);
      this.#erase.push(op);
    } else {
      // Uses that were visited already stay.
      op.results.forEach((result, i) => rw.replaceUsesWhere(result, existing.result(i), (use) => known.lookup(use.owner) !== use.owner));
      if (!op.isUsed()) this.#erase.push(op);
    }
    if (UnknownLoc.is(existing.loc)) existing.setLoc(op.locRef);
    this.numCse++;
  }
}

/** Whether reading is the only thing the op itself does to memory. */
function onlyReads(op: Operation): boolean {
  const effects = op.def.effects?.(op.def.viewOf(op) as never);
  return effects !== undefined && effects.length > 0 && effects.every((e) => e.kind === "read");
}
function writesBetween(from: Operation, to: Operation): boolean {
  for (let op = from.next; op && op !== to; op = op.next) {
    const effects = memoryEffects(op);
    if (!effects || effects.some((e) => e.kind === "write")) return true;
  }
  return false;
}

/** Ops by what they compute, in scopes: a hash table whose entries are taken out again in reverse order. */
class KnownOps {
  /** Per bucket 1 + the index of the newest entry, 0 for none. */
  #buckets = new Int32Array(64);
  readonly #ops: Operation[] = [];
  readonly #hashes: number[] = [];
  /** Per entry the bucket's next older one, as in `#buckets`. */
  readonly #next: number[] = [];
  /** Where the last lookup looked, so that the insertion after it need not hash again. */
  #lastOp: Operation | undefined;
  #lastHash = 0;

  mark(): number {
    return this.#ops.length;
  }
  /** Forgets what was inserted since `mark`. */
  restore(mark: number): void {
    const mask = this.#buckets.length - 1;
    while (this.#ops.length > mark) {
      this.#ops.pop();
      this.#buckets[this.#hashes.pop()! & mask] = this.#next.pop()!;
    }
  }
  lookup(op: Operation): Operation | undefined {
    const hash = hashOperation(op);
    this.#lastOp = op;
    this.#lastHash = hash;
    for (let i = this.#buckets[hash & (this.#buckets.length - 1)]!; i !== 0; i = this.#next[i - 1]!)
      if (this.#hashes[i - 1] === hash && areEquivalent(this.#ops[i - 1]!, op)) return this.#ops[i - 1];
    return undefined;
  }
  insert(op: Operation): void {
    const hash = this.#lastOp === op ? this.#lastHash : hashOperation(op);
    if (this.#ops.length >= this.#buckets.length) this.grow();
    const bucket = hash & (this.#buckets.length - 1);
    this.#ops.push(op);
    this.#hashes.push(hash);
    this.#next.push(this.#buckets[bucket]!);
    this.#buckets[bucket] = this.#ops.length;
  }
  private grow(): void {
    const size = this.#buckets.length * 2;
    this.#buckets = new Int32Array(size);
    this.#hashes.forEach((hash, i) => {
      this.#next[i] = this.#buckets[hash & (size - 1)]!;
      this.#buckets[hash & (size - 1)] = i + 1;
    });
  }
}
