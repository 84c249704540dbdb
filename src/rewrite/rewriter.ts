/**
 * Changes IR on behalf of a pattern, a fold or a pass, and notifies listeners of changes, in MLIR's order: the order of
 * these notices is the order of the greedy driver's worklist, and so part of the result.
 * Source: mlir/lib/IR/PatternMatch.cpp.
 */
import type { Attribute, Type } from "../ir/attribute.js";
import { Block } from "../ir/block.js";
import { Builder, buildOperation, type CreateOptions } from "../ir/builder.js";
import { cloneOperation, cloneRegionInto, type Mapping } from "../ir/clone.js";
import type { Context } from "../ir/context.js";
import type { CreateArgs, TypedOpDef, ViewOf } from "../ir/define-op.js";
import { reversePostOrder } from "../ir/dominance.js";
import type { LocationRef } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import type { OpOperand, Value } from "../ir/value.js";
import { Bug } from "../support/assert.js";
import { foldToValues } from "./fold.js";

/** Hears of every change that a rewriter makes. */
export interface RewriteListener {
  /** After an op was put into the IR (new, cloned or moved in). */
  inserted?(op: Operation): void;
  /** After operands, attributes or regions of an op changed in place. */
  modified?(op: Operation): void;
  /** Before the uses of an op's results go to `values`. */
  replaced?(op: Operation, values: readonly Value[]): void;
  /** Before an op is destroyed (its operands are still there). */
  erased?(op: Operation): void;
  blockErased?(block: Block): void;
  /** A pattern declined, and why. */
  noMatch?(op: Operation | undefined, reason: string): void;
  /** A pattern is about to be tried on an op, or a fold (`(fold)`) or the removal of dead code (`(dead)`) is about to be made. */
  rewriteBegin?(name: string, root: Operation): void;
  /** It is over; `applied` says whether it changed the IR. */
  rewriteEnd?(name: string, applied: boolean): void;
}

/**
 * The hooks of a dialect conversion, for changes that it must be able to take back, or to put off until it is sure to
 * succeed (see `Conversion`).
 */
export interface RewriterHooks {
  replace(op: Operation, values: readonly (readonly Value[])[]): void;
  eraseBlock(block: Block): void;
  replaceArgument(arg: Value, values: readonly Value[]): void;
  willModify(op: Operation): void;
  modified(op: Operation): void;
  /** An op was moved from before `before` in `block`. */
  moved(op: Operation, block: Block, before: Operation | null): void;
  /** A block is new or, with `region`, was moved from before `before` there. */
  blockInserted(block: Block, region: Region | null, before: Block | null): void;
  /** The ops of a block are about to be moved elsewhere. */
  inlining(source: Block): void;
}

/** Something that stands for an op: the op or a view of it. */
export type OpLike = Operation | { readonly op: Operation };
export const opOf = (like: OpLike): Operation => ("isOperation" in like ? (like as Operation) : (like as { readonly op: Operation }).op);

/** Changes IR and reports each change to its listener. */
export class Rewriter {
  readonly builder: Builder;
  constructor(
    readonly ctx: Context,
    readonly listener: RewriteListener = {},
    loc: LocationRef = 0,
    private readonly hooks?: RewriterHooks,
  ) {
    this.builder = new Builder(ctx, loc);
    if (listener.inserted) this.builder.onInsert = (op) => listener.inserted!(op);
  }

  // --- making ops ---------------------------------------------------------------------------
  get loc(): LocationRef {
    return this.builder.loc;
  }
  set loc(loc: LocationRef) {
    this.builder.loc = loc;
  }
  setBefore(op: OpLike): this {
    this.builder.setBefore(opOf(op));
    return this;
  }
  setAfter(op: OpLike): this {
    this.builder.setAfter(opOf(op));
    return this;
  }
  setStart(block: Block): this {
    this.builder.setStart(block);
    return this;
  }
  setEnd(block: Block): this {
    this.builder.setEnd(block);
    return this;
  }
  /** Runs `body` and then restores the insertion point. */
  preserving<T>(body: () => T): T {
    return this.builder.preserving(body);
  }
  create<O, A, R, G, S>(def: TypedOpDef<O, A, R, G, S>, args: CreateArgs<O, A, G, S>, options?: CreateOptions): ViewOf<O, A, R, G, S> {
    return this.builder.create(def, args, options);
  }
  value<O, A, R, G, S>(def: TypedOpDef<O, A, R, G, S>, args: CreateArgs<O, A, G, S>, options?: CreateOptions): Value {
    return this.builder.value(def, args, options);
  }
  /** As `value`, but when the op folds, what it folds to; constants it needs are made in its place. */
  createOrFold<O, A, R, G, S>(def: TypedOpDef<O, A, R, G, S>, args: CreateArgs<O, A, G, S>, options: CreateOptions = {}): Value {
    const { builder } = this;
    const { loc = builder.loc, types, extraAttrs } = options;
    const op = buildOperation(this.ctx, def, args as Readonly<Record<string, unknown>>, loc, types, extraAttrs);
    builder.block?.insert(op, builder.before);
    const values = foldToValues(op, builder);
    if (values && values !== "inPlace") {
      if (op.block) op.erase();
      else op.dropAllReferences();
      return values[0]!;
    }
    if (op.block) this.listener.inserted?.(op);
    return op.result(0);
  }
  insert(op: Operation): Operation {
    return this.builder.insert(op);
  }
  /** Inserts a copy. Listeners hear of the op and of every op nested in it. */
  clone(op: Operation, mapping?: Mapping): Operation {
    const copy = cloneOperation(op, mapping);
    this.builder.insert(copy);
    for (const region of copy.regions) for (const block of region.blocks()) for (const nested of block.ops()) this.announce(nested);
    return copy;
  }
  private announce(op: Operation): void {
    op.walk((nested) => this.listener.inserted?.(nested));
  }

  // --- replacing and erasing ----------------------------------------------------------------
  /** Replaces an op by values (or the results of another op) and erases it. Returns true, for `return rw.replace(...)`. */
  replace(like: OpLike, by: Value | readonly Value[] | OpLike): true {
    const op = opOf(like);
    const values = valuesOf(by);
    if (this.hooks) {
      this.stepOver(op);
      this.hooks.replace(
        op,
        values.map((value) => [value]),
      );
      return true;
    }
    this.replaceOpUses(op, values);
    this.erase(op);
    return true;
  }
  /** Replaces all uses of an op's results; what stands for it now comes from it too. */
  replaceOpUses(op: Operation, values: readonly Value[]): void {
    if (this.hooks) throw new Bug("a dialect conversion replaces whole ops");
    this.listener.replaced?.(op, values);
    for (let i = 0; i < values.length; i++) {
      this.noteOrigin(values[i]!, op);
      this.replaceAllUses(op.result(i), values[i]!);
    }
  }
  /** Notes that an existing value stands for what `op` computed. Values that a rewrite of `op` itself made come from it anyway. */
  noteOrigin(value: Value, op: Operation): void {
    const by = value.definingOp;
    if (!by || by === op || by.origin === op.id) return;
    const { origin } = by;
    if (origin === undefined) by.origin = op.id;
    else if (typeof origin === "object" && grown.has(origin)) (origin as number[]).push(op.id);
    else {
      const list = typeof origin === "number" ? [origin, op.id] : [...origin, op.id];
      grown.add(list);
      by.origin = list;
    }
  }
  /** Replaces an op by a new one of kind `def`, made in its place with its location. */
  replaceWith<O, A, R, G, S>(
    like: OpLike,
    def: TypedOpDef<O, A, R, G, S>,
    args: CreateArgs<O, A, G, S>,
    options: CreateOptions = {},
  ): ViewOf<O, A, R, G, S> {
    const op = opOf(like);
    const view = this.create(def, args, { loc: op.locRef, ...options });
    this.replace(op, view as OpLike);
    return view;
  }
  /** Erases an op that has no uses left, and what is nested in it: innermost and last first, one by one, as listeners expect. */
  erase(like: OpLike): true {
    const op = opOf(like);
    if (this.hooks) {
      this.stepOver(op);
      this.hooks.replace(
        op,
        op.results.map(() => []),
      );
      return true;
    }
    if (op.regions.length > 0 && (this.listener.erased || this.listener.blockErased)) this.eraseRegions(op);
    this.listener.erased?.(op);
    op.erase();
    return true;
  }
  /** An op that a conversion replaces stays for now: what comes next goes after it. */
  private stepOver(op: Operation): void {
    if (this.builder.before === op) this.builder.setAfter(op);
  }
  private eraseRegions(op: Operation): void {
    for (let i = op.regions.length - 1; i >= 0; i--) {
      const region = op.regions[i]!;
      // Successors first; what the entry does not reach comes in later rounds.
      while (!region.empty) {
        const blocks = region.hasOneBlock ? [region.firstBlock!] : reversePostOrder(region).reverse();
        for (const block of blocks) this.eraseOpsOf(block);
        for (const block of blocks) {
          while (block.firstUse) block.firstUse.unlink();
          this.eraseBlock(block);
        }
      }
    }
  }
  private eraseOpsOf(block: Block): void {
    for (let op = block.lastOp; op; op = block.lastOp) {
      // Only in a cycle of blocks or a graph region is a value used by an op that goes later.
      for (const result of op.results) while (result.firstUse) result.firstUse.unlink();
      this.erase(op);
    }
  }
  eraseBlock(block: Block): void {
    if (this.hooks) return this.hooks.eraseBlock(block);
    this.eraseOpsOf(block);
    for (const arg of block.args) while (arg.firstUse) arg.firstUse.unlink();
    this.listener.blockErased?.(block);
    block.erase();
  }
  /** Every use of `from` becomes one of `to`; listeners hear of each user. */
  replaceAllUses(from: Value, to: Value): void {
    this.replaceUsesWhere(from, to, () => true);
  }
  replaceUsesWhere(from: Value, to: Value, filter: (use: OpOperand) => boolean): boolean {
    if (from === to) return true;
    if (this.hooks) {
      if (from.definingOp) throw new Bug("a dialect conversion replaces whole ops");
      this.hooks.replaceArgument(from, [to]);
      return true;
    }
    let all = true;
    for (let use = from.firstUse; use; ) {
      const next: OpOperand | null = use.nextUse;
      if (filter(use)) {
        use.set(to);
        this.listener.modified?.(use.owner);
      } else all = false;
      use = next;
    }
    return all;
  }
  /** Changes an op in place and notifies listeners. */
  modify(like: OpLike, change: (op: Operation) => void): true {
    const op = opOf(like);
    this.hooks?.willModify(op);
    change(op);
    this.hooks?.modified(op);
    this.listener.modified?.(op);
    return true;
  }
  setAttr(like: OpLike, name: string, value: Attribute | undefined): true {
    return this.modify(like, (op) => (value === undefined ? op.removeAttr(name) : op.setAttr(name, value)));
  }
  setOperand(like: OpLike, index: number, value: Value): true {
    return this.modify(like, (op) => op.setOperand(index, value));
  }

  // --- blocks and regions -------------------------------------------------------------------
  createBlock(region: Region, before: Block | null = null, argTypes: readonly Type[] = [], loc: LocationRef = this.loc): Block {
    const block = new Block(this.ctx);
    region.insertBlock(block, before);
    for (const type of argTypes) block.addArgument(type, loc);
    this.hooks?.blockInserted(block, null, null);
    this.setEnd(block);
    return block;
  }
  /** Moves the ops of `source` before `before`, its arguments replaced by `args`, and erases it. */
  inlineBlockBefore(source: Block, before: Operation, args: readonly Value[] = []): void {
    this.inlineBlock(source, before.block!, before, args);
  }
  mergeBlocks(source: Block, dest: Block, args: readonly Value[] = []): void {
    this.inlineBlock(source, dest, null, args);
  }
  private inlineBlock(source: Block, dest: Block, before: Operation | null, args: readonly Value[]): void {
    this.hooks?.inlining(source);
    source.args.forEach((arg, i) => this.replaceAllUses(arg, args[i]!));
    for (const op of source.ops()) {
      source.unlink(op);
      dest.insert(op, before);
      if (!this.hooks) this.listener.inserted?.(op);
    }
    if (this.builder.block === source) this.builder.block = dest;
    this.eraseBlock(source);
  }
  /** Moves `from` and what follows it into a new block after this one. */
  splitBlock(block: Block, from: Operation): Block {
    const rest = new Block(this.ctx);
    block.region!.insertBlock(rest, block.next);
    this.hooks?.blockInserted(rest, null, null);
    for (let op: Operation | null = block.lastOp; op; ) {
      const prev: Operation | null = op === from ? null : op.prev;
      op.moveToStart(rest);
      if (this.hooks) this.hooks.moved(op, block, null);
      else this.listener.inserted?.(op);
      op = prev;
    }
    return rest;
  }
  inlineRegionBefore(region: Region, into: Region, before: Block | null = null): void {
    if (!this.hooks) return into.takeBlocksOf(region, before);
    for (let block = region.firstBlock; block; block = region.firstBlock) {
      const { next } = block;
      block.moveTo(into, before);
      this.hooks.blockInserted(block, region, next);
    }
  }
  cloneRegionBefore(region: Region, into: Region, before: Block | null = null, mapping?: Mapping): void {
    const last = before ? before.prev : into.lastBlock;
    cloneRegionInto(region, into, mapping, before);
    if (!this.listener.inserted) return;
    for (let block = last ? last.next : into.firstBlock; block && block !== before; block = block.next) {
      this.hooks?.blockInserted(block, null, null);
      for (const op of block.ops()) this.announce(op);
    }
  }
  moveBefore(op: Operation, before: Operation): void {
    const { block, next } = op;
    op.moveBefore(before);
    this.moved(op, block, next);
  }
  moveAfter(op: Operation, after: Operation): void {
    const { block, next } = op;
    op.moveAfter(after);
    this.moved(op, block, next);
  }
  private moved(op: Operation, block: Block | null, next: Operation | null): void {
    if (this.hooks && block) this.hooks.moved(op, block, next);
    else this.listener.inserted?.(op);
  }

  // --- declining ----------------------------------------------------------------------------
  /** Says why a pattern does not apply. Returns false, for `return rw.noMatch("...")`. */
  noMatch(reason: string, op?: OpLike): false {
    this.listener.noMatch?.(op && opOf(op), reason);
    return false;
  }

  /** New ops made in `body` come from `origin` (ids of ops); for passes that build without a pattern. */
  from<T>(origin: OpLike | number, body: () => T): T {
    const saved = this.ctx.origin;
    this.ctx.origin = typeof origin === "number" ? origin : opOf(origin).id;
    const result = body();
    this.ctx.origin = saved;
    return result;
  }
}

/** Origin lists made here, which may be extended in place: a constant may come to stand for thousands of ops. */
const grown = new WeakSet<readonly number[]>();

function valuesOf(by: Value | readonly Value[] | OpLike): readonly Value[] {
  if (Array.isArray(by)) return by as readonly Value[];
  if ("firstUse" in (by as object) && "owner" in (by as object)) return [by as Value];
  return opOf(by as OpLike).results;
}
