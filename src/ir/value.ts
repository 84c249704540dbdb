import type { Attribute, Type } from "./attribute.js";
import type { Block } from "./block.js";
import type { LocationRef } from "./location.js";
import type { Operation } from "./operation.js";

/** `Operation.checkedAt` of an op whose checks depend on nothing but its types and attributes. */
export const RIGHT_ANYWHERE = 2 ** 30 - 1;

/**
 * One use of a value: operand `index` of `owner`. Uses of a value form an intrusive list, newest first,
 * which is the order in which MLIR visits them (and so part of the result of rewrites).
 */
export class OpOperand {
  prevUse: OpOperand | null = null;
  nextUse: OpOperand | null = null;
  constructor(
    readonly owner: Operation,
    public index: number,
    public value: Value,
  ) {
    this.link();
  }

  /** Makes this operand use another value. */
  set(value: Value): void {
    if (value === this.value) return;
    this.unlink();
    this.value = value;
    this.link();
    this.owner.checkedAt = -1;
    this.owner.ctx.version++;
  }

  /** @internal */
  link(): void {
    const first = this.value.firstUse;
    this.nextUse = first;
    this.prevUse = null;
    if (first) first.prevUse = this;
    this.value.firstUse = this;
  }

  /** @internal */
  unlink(): void {
    if (this.prevUse) this.prevUse.nextUse = this.nextUse;
    else if (this.value.firstUse === this) this.value.firstUse = this.nextUse;
    if (this.nextUse) this.nextUse.prevUse = this.prevUse;
    this.prevUse = this.nextUse = null;
  }
}

/** The result of an operation or an argument of a block. */
export class Value {
  firstUse: OpOperand | null = null;
  /** The printer's number; meaningless outside one print. */
  scratch = 0;
  constructor(
    /** Unique in the Context, for the value's whole life. */
    readonly id: number,
    readonly type: Type,
    /** The op that defines it, or the block whose argument it is. */
    public owner: Operation | Block,
    public index: number,
    /** For a block argument its location; an op result has its op's. */
    public argLoc: LocationRef | undefined,
  ) {}

  /** The op that defines this value; undefined for a block argument. */
  get definingOp(): Operation | undefined {
    return this.owner.isOperation ? (this.owner as Operation) : undefined;
  }
  /** The block whose argument this is; undefined for an op result. */
  get argOwner(): Block | undefined {
    return this.owner.isOperation ? undefined : (this.owner as Block);
  }
  /** The block in which this value is defined. */
  get parentBlock(): Block | null {
    return this.owner.isOperation ? (this.owner as Operation).block : (this.owner as Block);
  }
  get loc(): Attribute {
    const op = this.definingOp;
    return op ? op.loc : this.argOwner!.argumentLocation(this);
  }

  /** Gives the value another type. */
  setType(type: Type): void {
    if (type === this.type) return;
    (this as { type: Type }).type = type;
    const { owner } = this;
    owner.ctx.version++;
    if (owner.isOperation) (owner as Operation).checkedAt = -1;
    for (let use = this.firstUse; use; use = use.nextUse) use.owner.checkedAt = -1;
  }

  hasUses(): boolean {
    return this.firstUse !== null;
  }
  hasOneUse(): boolean {
    return this.firstUse !== null && this.firstUse.nextUse === null;
  }
  /** Uses, newest first. Safe when the visited use is changed; collect first when others are. */
  *uses(): Iterable<OpOperand> {
    for (let use = this.firstUse; use; ) {
      const next: OpOperand | null = use.nextUse;
      yield use;
      use = next;
    }
  }
  /** The ops that use this value, newest use first; an op that uses it twice comes twice. */
  users(): Operation[] {
    const users: Operation[] = [];
    for (let use = this.firstUse; use; use = use.nextUse) users.push(use.owner);
    return users;
  }
  numUses(): number {
    let count = 0;
    for (let use = this.firstUse; use; use = use.nextUse) count++;
    return count;
  }

  /** Every use becomes a use of `replacement`. */
  replaceAllUsesWith(replacement: Value): void {
    if (replacement === this) return;
    while (this.firstUse) this.firstUse.set(replacement);
  }
  replaceUsesWhere(replacement: Value, filter: (use: OpOperand) => boolean): void {
    for (let use = this.firstUse; use; ) {
      const next: OpOperand | null = use.nextUse;
      if (filter(use)) use.set(replacement);
      use = next;
    }
  }
}
