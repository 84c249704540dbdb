import { Bug } from "../support/assert.js";
import type { Attribute, Type } from "./attribute.js";
import type { Block } from "./block.js";
import { type DictAttr, dictGet, dictWith, emptyDict } from "./builtin-attrs.js";
import type { Context } from "./context.js";
import type { OpDef } from "./define-op.js";
import { type LocationRef, resolveLocation } from "./location.js";
import { Region } from "./region.js";
import { OpOperand, Value } from "./value.js";

/** A terminator's reference to a block; the references to a block form an intrusive list, newest first. */
export class BlockOperand {
  prevUse: BlockOperand | null = null;
  nextUse: BlockOperand | null = null;
  constructor(
    readonly owner: Operation,
    readonly index: number,
    public block: Block,
  ) {
    this.link();
  }
  set(block: Block): void {
    if (block === this.block) return;
    this.unlink();
    this.block = block;
    this.link();
    this.owner.ctx.version++;
  }
  /** @internal */
  link(): void {
    const first = this.block.firstUse;
    this.nextUse = first;
    this.prevUse = null;
    if (first) first.prevUse = this;
    this.block.firstUse = this;
  }
  /** @internal */
  unlink(): void {
    if (this.prevUse) this.prevUse.nextUse = this.nextUse;
    else if (this.block.firstUse === this) this.block.firstUse = this.nextUse;
    if (this.nextUse) this.nextUse.prevUse = this.prevUse;
    this.prevUse = this.nextUse = null;
  }
}

/** The parts of a new operation. */
export interface OperationInit {
  readonly loc: LocationRef;
  readonly operands?: readonly Value[];
  readonly resultTypes?: readonly Type[];
  readonly attrs?: DictAttr;
  readonly successors?: readonly Block[];
  /** Regions made beforehand; ownership goes to the new op. */
  readonly regions?: readonly Region[];
  /** How many empty regions to make when `regions` is absent. */
  readonly numRegions?: number;
}

const NONE: readonly never[] = Object.freeze([]) as readonly never[];

/** The result of a walk's callback: go on (also if it returns nothing), do not enter this op's regions, or stop. */
export type WalkResult = "advance" | "skip" | "interrupt" | undefined;

/**
 * An operation of any dialect; `def` says which. All change goes through methods of the ir classes, so that use
 * lists, block order and `Context.version` stay right.
 */
export class Operation {
  readonly isOperation = true;
  block: Block | null = null;
  prev: Operation | null = null;
  next: Operation | null = null;
  /** Position in the block, ascending where `block.orderValid`. */
  order = 0;
  operandUses: readonly OpOperand[];
  results: readonly Value[];
  regions: readonly Region[] = NONE;
  successors: readonly BlockOperand[] = NONE;
  /** Inherent and discardable attributes, sorted by name. */
  readonly attrs: DictAttr;
  /** The id of the op or ops this one was made from; set by the core while a pattern, fold or clone runs. */
  origin: number | readonly number[] | undefined;
  /** The typed view, made when first asked for (see `OpDef.match`). */
  view: object | undefined = undefined;
  /** Private to `rewrite` (worklist index) and the printer. */
  scratch = -1;
  /** Private to the verifier: the `Context.surroundings` in which this op was right, without what is nested in it; -1 after a change. */
  checkedAt = -1;
  /** Private to the removal of dead code: which run of it last found this op live. */
  liveMark = 0;
  #loc: LocationRef;

  constructor(
    readonly ctx: Context,
    readonly def: OpDef,
    init: OperationInit,
    /** Unique in the Context, for the op's whole life. */
    readonly id: number = ctx.nextId(),
  ) {
    this.#loc = init.loc;
    this.attrs = init.attrs ?? emptyDict(ctx);
    this.origin = ctx.origin;
    const operands = init.operands;
    if (!operands || operands.length === 0) this.operandUses = NONE;
    else {
      const uses = new Array<OpOperand>(operands.length);
      for (let i = 0; i < operands.length; i++) uses[i] = new OpOperand(this, i, operands[i]!);
      this.operandUses = uses;
    }
    const types = init.resultTypes;
    if (!types || types.length === 0) this.results = NONE;
    else {
      const results = new Array<Value>(types.length);
      for (let i = 0; i < types.length; i++) results[i] = new Value(ctx.nextId(), types[i]!, this, i, undefined);
      this.results = results;
    }
    if (init.successors && init.successors.length > 0) this.successors = init.successors.map((b, i) => new BlockOperand(this, i, b));
    if (init.regions && init.regions.length > 0) {
      this.regions = init.regions.slice();
      this.regions.forEach((region, i) => {
        region.parentOp = this;
        region.index = i;
      });
    } else if (init.numRegions) {
      this.regions = Array.from({ length: init.numRegions }, (_, i) => new Region(ctx, this, i));
    }
  }

  get name(): string {
    return this.def.name;
  }

  /** The location attribute; a parse position becomes `file:line:column` here. */
  get loc(): Attribute {
    return (this.#loc = resolveLocation(this.ctx, this.#loc)) as Attribute;
  }
  /** The location as it is kept: cheap to hand on to a new op. */
  get locRef(): LocationRef {
    return this.#loc;
  }
  setLoc(loc: LocationRef): void {
    this.#loc = loc;
  }

  // --- operands -----------------------------------------------------------------------------
  get numOperands(): number {
    return this.operandUses.length;
  }
  operand(index: number): Value {
    return this.operandUses[index]!.value;
  }
  /** The operand values, in a new array. */
  get operands(): Value[] {
    const uses = this.operandUses;
    const values = new Array<Value>(uses.length);
    for (let i = 0; i < uses.length; i++) values[i] = uses[i]!.value;
    return values;
  }
  setOperand(index: number, value: Value): void {
    this.operandUses[index]!.set(value);
  }
  /** Replaces the whole operand list; segment sizes are the caller's to set. */
  setOperands(values: readonly Value[]): void {
    this.checkedAt = -1;
    this.ctx.version++;
    for (const use of this.operandUses) use.unlink();
    this.operandUses = values.map((value, i) => new OpOperand(this, i, value));
  }
  /** Adds operands at the end; segment sizes are the caller's to set. */
  appendOperands(values: readonly Value[]): void {
    this.checkedAt = -1;
    this.ctx.version++;
    const count = this.operandUses.length;
    this.operandUses = [...this.operandUses, ...values.map((value, i) => new OpOperand(this, count + i, value))];
  }
  /** Removes the operands at these indices; those after the first of them become the newest uses of their values, as upstream. */
  eraseOperands(indices: ReadonlySet<number>): void {
    if (indices.size === 0) return;
    this.checkedAt = -1;
    this.ctx.version++;
    const kept: OpOperand[] = [];
    for (const use of this.operandUses) {
      if (indices.has(use.index)) use.unlink();
      else if (kept.push(use) - 1 !== use.index) {
        use.unlink();
        use.link();
      }
    }
    this.operandUses = kept;
    for (let i = 0; i < kept.length; i++) kept[i]!.index = i;
  }
  replaceUsesOfWith(from: Value, to: Value): void {
    for (const use of this.operandUses) if (use.value === from) use.set(to);
  }

  // --- results ------------------------------------------------------------------------------
  get numResults(): number {
    return this.results.length;
  }
  result(index = 0): Value {
    return this.results[index]!;
  }
  get resultTypes(): Type[] {
    return this.results.map((r) => r.type);
  }
  /** Whether some result has a use. */
  isUsed(): boolean {
    const { results } = this;
    for (let i = 0; i < results.length; i++) if (results[i]!.firstUse) return true;
    return false;
  }
  setResultType(index: number, type: Type): void {
    this.results[index]!.setType(type);
  }

  // --- attributes ---------------------------------------------------------------------------
  attr(name: string): Attribute | undefined {
    return dictGet(this.attrs, name);
  }
  hasAttr(name: string): boolean {
    return dictGet(this.attrs, name) !== undefined;
  }
  setAttr(name: string, value: Attribute): void {
    this.setAttrs(dictWith(this.attrs, name, value));
  }
  removeAttr(name: string): void {
    this.setAttrs(dictWith(this.attrs, name, undefined));
  }
  setAttrs(attrs: DictAttr): void {
    if (attrs === this.attrs) return;
    (this as { attrs: DictAttr }).attrs = attrs;
    this.checkedAt = -1;
    this.ctx.version++;
    if (this.regions.length > 0) this.ctx.surroundings++;
  }

  // --- place --------------------------------------------------------------------------------
  get region(): Region | null {
    return this.block?.region ?? null;
  }
  get parentOp(): Operation | null {
    return this.block?.region?.parentOp ?? null;
  }
  /** The nearest enclosing op of that definition. */
  parentOfType(def: { readonly name: string }): Operation | undefined {
    for (let op = this.parentOp; op; op = op.parentOp) if ((op.def as { readonly name: string }) === def) return op;
    return undefined;
  }
  isProperAncestorOf(other: Operation): boolean {
    for (let op = other.parentOp; op; op = op.parentOp) if (op === this) return true;
    return false;
  }
  isAncestorOf(other: Operation): boolean {
    return this === other || this.isProperAncestorOf(other);
  }
  /** Whether this op comes before `other` in the same block: O(1) amortised. */
  isBeforeInBlock(other: Operation): boolean {
    const block = this.block!;
    if (!block.orderValid) block.renumber();
    return this.order < other.order;
  }
  moveBefore(other: Operation): void {
    this.block?.unlink(this);
    other.block!.insert(this, other);
  }
  moveAfter(other: Operation): void {
    this.block?.unlink(this);
    other.block!.insert(this, other.next);
  }
  moveToEnd(block: Block): void {
    this.block?.unlink(this);
    block.append(this);
  }
  moveToStart(block: Block): void {
    this.block?.unlink(this);
    block.insert(this, block.firstOp);
  }

  // --- life ---------------------------------------------------------------------------------
  /** Unlinks and destroys this op and what is nested in it. Its results must have no uses left. */
  erase(): void {
    for (const result of this.results) if (result.firstUse) throw new Bug(`${this.name} is erased while its result has uses`);
    this.dropAllReferences();
    this.block?.unlink(this);
  }
  /** Makes this op and what is nested in it use nothing. */
  dropAllReferences(): void {
    for (const use of this.operandUses) use.unlink();
    this.operandUses = NONE;
    for (const successor of this.successors) successor.unlink();
    this.successors = NONE;
    for (const region of this.regions) region.dropAllReferences();
  }
  /** Every use of this op's results becomes a use of the value of the same index. */
  replaceAllUsesWith(values: readonly Value[]): void {
    for (let i = 0; i < this.results.length; i++) this.results[i]!.replaceAllUsesWith(values[i]!);
  }
  /** Adds empty regions at the end (for a reader that learns their number late). */
  addRegion(): Region {
    const region = new Region(this.ctx, this, this.regions.length);
    this.regions = [...this.regions, region];
    this.checkedAt = -1;
    return region;
  }

  // --- walking ------------------------------------------------------------------------------
  /**
   * Visits this op and all nested ones, parents first. The callback may erase or move the op it is given
   * (then its regions are not entered). Returns whether the walk was interrupted.
   */
  walk(visit: (op: Operation) => WalkResult | void): boolean {
    const result = visit(this);
    if (result === "interrupt") return true;
    if (result === "skip") return false;
    const { regions } = this;
    for (let i = 0; i < regions.length; i++)
      for (let block = regions[i]!.firstBlock; block; block = block.next)
        for (let op = block.firstOp; op; ) {
          const next: Operation | null = op.next;
          if (op.walk(visit)) return true;
          op = next;
        }
    return false;
  }
  /** As `walk`, nested ops first: MLIR's default order. */
  walkPostOrder(visit: (op: Operation) => WalkResult | void): boolean {
    const { regions } = this;
    for (let i = 0; i < regions.length; i++)
      for (let block = regions[i]!.firstBlock; block; ) {
        const nextBlock: Block | null = block.next;
        for (let op = block.firstOp; op; ) {
          const next: Operation | null = op.next;
          if (op.walkPostOrder(visit)) return true;
          op = next;
        }
        block = nextBlock;
      }
    return visit(this) === "interrupt";
  }
}
